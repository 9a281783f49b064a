"""A service with something of everything: subjects of both families with datasets, cases and finished runs, members."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Connection

from audition.results import CheckResult, TrialResult, Verdict
from audition.service.app import create_app
from audition.service.context import Service
from audition.service.grading import result_of
from audition.settings import Settings
from audition.store.service import api_tokens, people, runs, trials
from audition.store.service.api_tokens import SCOPES, Scope
from audition.store.service.database import Database
from audition.store.service.people import RANK, Role
from audition.transcript import Exchange, Reply, Transcript

PASSWORD = "correct horse battery"
FAMILIES = ("agents", "orchestrators")
SINGULAR = {"agents": "agent_id", "orchestrators": "orchestrator_id"}


class NotStarted:
    """Carries no run out."""

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Do nothing: the run stays pending."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A subject with one dataset, a case in it, and a finished run with a result."""

    subject: int
    dataset: int
    case: int
    run: int
    result: int


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All of it. `trees` by family and standing: own, other (another subject), second (another dataset of the same
    subject), deleted_subject, deleted_dataset, deleted_case, deleted_run. `tokens` of sessions by role; `member_ids`
    and `token_ids` (of an API token each) likewise. `without`: API tokens of the owner, with all scopes but one.
    """

    service: Service
    app: FastAPI
    trees: Mapping[str, Mapping[str, Tree]]
    tokens: Mapping[Role, str]
    member_ids: Mapping[Role, int]
    token_ids: Mapping[Role, int]
    expired: str
    revoked: str
    target: int
    removed: int
    revoked_id: int
    without: Mapping[Scope, str]


def world_in(folder: Path, settings: Settings | None = None) -> World:
    """Return a world whose database is in a folder; `settings` None: the defaults, with no limit that matters."""
    given = settings or Settings(root=folder)
    generous = replace(given.service, requests_per_minute=10_000_000, max_pending_runs=10_000)
    service = Service(
        database=Database(f"sqlite:///{folder}/service.db"),
        settings=replace(given, service=generous),
        runs=NotStarted(),
    )
    app = create_app(service)
    password_hash = service.passwords.hash(PASSWORD)
    people_found = service.database.write(lambda connection: _people(service, connection, password_hash))
    client = TestClient(app, headers={"Authorization": f"Bearer {people_found['tokens']['owner']}"})
    trees = {family: _trees(service, client, family) for family in FAMILIES}
    return World(service=service, app=app, trees=trees, **people_found)


def _people(service: Service, connection: Connection, password_hash: str) -> dict[str, Any]:
    now_s = service.database.now_s
    members, tokens, token_ids = {}, {}, {}
    for role in RANK:
        email = f"{role}@example.com"
        members[role] = people.add_member(connection, email=email, name=role, role=role, password_hash=password_hash)
        tokens[role] = people.open_session(connection, now_s, members[role], hours=24)
        token_ids[role] = _api_token(connection, members[role])[0]
    target = people.add_member(connection, email="target@example.com", name="T", role="viewer", password_hash=None)
    removed = people.add_member(connection, email="removed@example.com", name="R", role="viewer", password_hash=None)
    people.remove_member(connection, removed)
    revoked_id, revoked = _api_token(connection, members["owner"])
    api_tokens.revoke_token(connection, revoked_id)
    return {
        "member_ids": members,
        "tokens": tokens,
        "token_ids": token_ids,
        "target": target,
        "removed": removed,
        "expired": people.open_session(connection, now_s, members["owner"], hours=-1),
        "revoked": revoked,
        "revoked_id": revoked_id,
        "without": {scope: _owners_token(connection, members["owner"], scope) for scope in SCOPES},
    }


def _api_token(connection: Connection, member: int) -> tuple[int, str]:
    made, secret = api_tokens.create_token(connection, member, name="t", role="viewer", scopes=["read"], expires_s=None)
    return made.id, secret


def _owners_token(connection: Connection, owner: int, missing: Scope) -> str:
    scopes = [scope for scope in SCOPES if scope != missing]
    return api_tokens.create_token(connection, owner, name="t", role="owner", scopes=scopes, expires_s=None)[1]


def _trees(service: Service, client: TestClient, family: str) -> dict[str, Tree]:
    own = _tree(service, client, family)
    found = {"own": own, "other": _tree(service, client, family)}
    for standing in ("second", "deleted_dataset", "deleted_case", "deleted_run"):
        found[standing] = _tree(service, client, family, subject=own.subject)
    found["deleted_subject"] = _tree(service, client, family)
    path = f"/api/v1/{family}/{own.subject}/eval-datasets"
    for gone in (
        f"{path}/{found['deleted_dataset'].dataset}",
        f"{path}/{found['deleted_case'].dataset}/cases/{found['deleted_case'].case}",
        f"{path}/{found['deleted_run'].dataset}/runs/{found['deleted_run'].run}",
        f"/api/v1/{family}/{found['deleted_subject'].subject}",
    ):
        _delete(client, gone)
    return found


def _delete(client: TestClient, path: str) -> None:
    tag = client.get(path).headers.get("ETag")
    answer = client.delete(path, headers={"If-Match": tag} if tag else {})
    assert answer.status_code == 204, (path, answer.text)


def _tree(service: Service, client: TestClient, family: str, *, subject: int | None = None) -> Tree:
    text = "base_system_prompt" if family == "agents" else "instruction"
    subject = subject or _made(client, f"/api/v1/{family}", name="Front desk", model="scripted:Hello.", **{text: "Hi."})
    datasets = f"/api/v1/{family}/{subject}/eval-datasets"
    dataset = _made(client, datasets, name="Hours FAQ")
    case = _made(client, f"{datasets}/{dataset}/cases", scenario="When?", expected_criteria="Says when.")
    run = _made(client, f"{datasets}/{dataset}/runs", candidate_system_prompt="You help.")
    service.database.write(lambda connection: _finish(service, connection, run, case))
    result = client.get(f"{datasets}/{dataset}/runs/{run}").json()["results"][0]["id"]
    return Tree(subject=subject, dataset=dataset, case=case, run=run, result=result)


def _made(client: TestClient, path: str, **body: object) -> int:
    answer = client.post(path, json=body)
    assert answer.status_code == 201, (path, answer.text)
    return int(answer.json()["id"])


def _finish(service: Service, connection: Connection, run: int, case: int) -> None:
    generation = runs.generation_of(connection, run)
    begun = runs.begin(connection, service.database.now_s, run, generation=generation, worker="w")
    assert begun is not None
    check = CheckResult(category="criteria", check="Says when.", verdict=Verdict.PASS, turn=0, reason="It does.")
    exchange = Exchange(user="When?", replies=(Reply(text="At nine."),), response_ms=1.0)
    done = TrialResult(
        eval_name=f"case-{case}",
        verdict=Verdict.PASS,
        trial=1,
        transcript=Transcript(exchanges=(exchange,)),
        checks=(check,),
        duration_ms=1.0,
        started_at="2026-01-15T10:05:01+00:00",
    )
    trials.save(connection, service.database.insert, begun.claim, result_of(case, done))
    runs.finish(connection, begun.claim)
