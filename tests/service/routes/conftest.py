"""What the tests of runs share: a dataset with cases, runs of it, and a worker's hand."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import Connection

from audition.results import CheckResult, TrialResult, Verdict
from audition.service.context import Service
from audition.service.grading import result_of
from audition.store.service import runs, trials
from audition.store.service.people import Role
from audition.transcript import Exchange, Reply, ToolCall, Transcript, Usage

CANDIDATE = "You are a helpful receptionist. We are open 9-5 Mon-Fri."
SCENARIO = "A customer asks what your business hours are."
CRITERIA = "States specific opening and closing hours or days of the week."
ANSWER = "We're open Monday through Friday, 9am to 5pm."


def trial(case_id: int, word: str = "pass", *, number: int = 1, answer: str = ANSWER, **more: Any) -> TrialResult:
    """Return what a trial of a case came to: pass, fail, or error (of the way to the judge)."""
    verdict = Verdict(word)
    reason = {"pass": "States the specific hours and days as required.", "fail": "No hours are given."}.get(word)
    check = CheckResult(category="criteria", check=f'"{CRITERIA}"', verdict=verdict, turn=0, reason=reason)
    call = ToolCall(name="lookup", arguments={"day": "Monday"}, result={"opens": 9})
    usage = Usage(calls=1, input_tokens=20, output_tokens=4, cost_usd=0.001)
    exchange = Exchange(user=SCENARIO, replies=(Reply(text=answer),), tool_calls=(call,), response_ms=12.0, usage=usage)
    broken = {"error": "the judge did not answer", "checks": ()} if word == "error" else {"checks": (check,)}
    return TrialResult(
        eval_name=f"case-{case_id}",
        verdict=verdict,
        trial=number,
        transcript=Transcript(exchanges=(exchange,)),
        duration_ms=15.0,
        started_at="2026-01-15T10:05:01+00:00",
        **broken | more,
    )


class Desk:
    """A subject with a dataset of `cases` cases, an editor's client, and what a worker does to runs."""

    def __init__(self, service: Service, client: TestClient, family: str, cases: int) -> None:
        self.service, self.client, self.family = service, client, family
        text = "base_system_prompt" if family == "agents" else "instruction"
        subject = {"name": "Front desk", text: "You answer the phone.", "model": "scripted:Hello."}
        self.subject_id = self._made(client.post(f"/api/v1/{family}", json=subject))
        self.datasets = f"/api/v1/{family}/{self.subject_id}/eval-datasets"
        self.dataset_id = self._made(client.post(self.datasets, json={"name": "Hours FAQ"}))
        self.dataset = f"{self.datasets}/{self.dataset_id}"
        self.runs = f"{self.dataset}/runs"
        body = {"scenario": SCENARIO, "expected_criteria": CRITERIA}
        self.case_ids = [self._made(client.post(f"{self.dataset}/cases", json=body)) for _ in range(cases)]

    def create(self, **options: object) -> Response:
        """Ask for a run."""
        return self.client.post(self.runs, json={"candidate_system_prompt": CANDIDATE} | options)

    def run(self, **options: object) -> int:
        """Return the id of a new run."""
        return self._made(self.create(**options))

    def get(self, run_id: int, path: str = "", **options: Any) -> Response:
        """Get a run, or what is below it."""
        return self.client.get(f"{self.runs}/{run_id}{path}", **options)

    def full(self, run_id: int) -> Mapping[str, Any]:
        """Return all there is to say of a run."""
        answer = self.get(run_id, "?view=full")
        assert answer.status_code == 200, answer.text
        found: Mapping[str, Any] = answer.json()
        return found

    def begin(self, run_id: int) -> runs.Claim:
        """Begin a run, as a worker does."""
        database = self.service.database

        def action(connection: Connection) -> runs.Claim:
            generation = runs.generation_of(connection, run_id)
            begun = runs.begin(connection, database.now_s, run_id, generation=generation, worker="w1")
            assert begun is not None
            return begun.claim

        return database.write(action)

    def save(self, claim: runs.Claim, results: Sequence[TrialResult]) -> None:
        """Save results, as a worker does."""
        insert = self.service.database.insert

        def action(connection: Connection) -> None:
            for one in results:
                trials.save(connection, insert, claim, result_of(int(one.eval_name.removeprefix("case-")), one))

        self.service.database.write(action)

    def end(self, claim: runs.Claim, *, error: str | None = None, usage: str | None = None) -> None:
        """End a run, as a worker does."""
        self.service.database.write(lambda connection: runs.finish(connection, claim, error=error, usage=usage))

    def finished(
        self, results: Sequence[TrialResult], *, error: str | None = None, usage: str | None = None, **options: object
    ) -> int:
        """Return the id of a run that came to these results."""
        run_id = self.run(**options)
        claim = self.begin(run_id)
        self.save(claim, results)
        self.end(claim, error=error, usage=usage)
        return run_id

    def _made(self, answer: Response) -> int:
        assert answer.status_code == 201, answer.text
        return int(answer.json()["id"])


MakeDesk = Callable[..., Desk]


@pytest.fixture
def desk_of(service: Service, client_as: Callable[[Role | None], TestClient]) -> MakeDesk:
    """Return what makes a desk: of a family, with some cases."""

    def make(family: str = "agents", *, cases: int = 1) -> Desk:
        return Desk(service, client_as("editor"), family, cases)

    return make


@pytest.fixture
def desk(desk_of: MakeDesk) -> Desk:
    """Return a desk with one case."""
    return desk_of()


@pytest.fixture
def trial_of() -> Callable[..., TrialResult]:
    """Return what makes the result of a trial."""
    return trial
