"""Twelve planted secrets, a service whose providers and tools give back all they are sent, and none is to be seen.

What a tool answers is data of the transcript and shown as such; the secrets that the service itself knows are masked in
it, as everywhere.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.echoing import Echoing
from tests.doubles.service_runs import Served, served, until

ENVIRONMENT = {
    "ACME_KEY": "canary-provider-key-01",
    "JUDGE_KEY": "canary-judge-key-03",
    "OIDC_SECRET": "canary-oidc-11",
}
HEADER, TOOL_HEADER, TOOL_QUERY = "canary-provider-header-02", "canary-tool-header-07", "canary-tool-query-08"
RAISED, DATABASE = "canary-raised-10", "canary-database-12"
TOOL_OUTPUT = f"{ENVIRONMENT['ACME_KEY']}, {ENVIRONMENT['JUDGE_KEY']}, {TOOL_QUERY}"
OWNER_PASSWORD = "a long secret"
DATA = "canary-data-of-the-tool"
"""What is a secret to nobody but the tool: a part of the transcript."""

SETTINGS = """
[judge]
model = "judgy:broken"
[providers.acme]
base_url = "{url}/v1"
api_key_env = "ACME_KEY"
headers = {{X-Api-Key = "Key {header}"}}
attempts = 1
[providers.judgy]
base_url = "{url}/v1"
api_key_env = "JUDGE_KEY"
attempts = 1
[service]
database = "{database}"
allow_hosts = ["127.0.0.1"]
requests_per_minute = 1000000
[service.functions]
raising = "raising:call"
unimportable = "unimportable:call"
[service.oidc]
issuer = "{url}/issuer"
client_id = "audition"
client_secret_env = "OIDC_SECRET"
"""
RAISING = f"""
def call():
    "Looks something up."
    raise RuntimeError("401 for {{'Authorization': 'Bearer {RAISED}'}}")
"""
REPORTS = ("json", "md", "html", "junit", "csv")
EXPORTS = ("jsonl", "csv", "yaml", "json", "adk")
HELD = {"agents", "orchestrators", "subject_versions", "eval_runs"}
"""The tables that keep the definitions of tools, for they are called with the secrets in them."""


@contextmanager
def _place(where: str, folder: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """Give a database's URL, with a password where it has one."""
    if where == "sqlite":
        yield "service.db"
        return
    import psycopg

    url: str = request.getfixturevalue("postgres")
    name = f"canaries_{abs(hash(folder))}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield url.replace("tester@", f"tester:{DATABASE}@").replace("/postgres", f"/{name}")


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_no_planted_secret_is_to_be_seen(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    for name, value in (ENVIRONMENT | {"AUDITION_DEBUG": "1"}).items():
        monkeypatch.setenv(name, value)
    (tmp_path / "raising.py").write_text(RAISING)
    (tmp_path / "unimportable.py").write_text(f"raise RuntimeError('Authorization: Bearer {RAISED}')\n")
    with Echoing(f"{TOOL_OUTPUT}, {DATA}") as outside, _place(where, tmp_path, request) as database:
        written = SETTINGS.format(url=outside.url, header=HEADER, database=database)
        (tmp_path / "audition.toml").write_text(written)
        with served(tmp_path) as service:
            runs = _runs(service, outside.url)
            api_token = service.ask("POST", "/api/v1/api-tokens", {"name": "ci", "scopes": ["read"]})[1]["token"]
            answers = dict(_answers(service, runs))
            session = service.token
            assert service.end() == 0
        rows = _rows_of_sqlite(tmp_path / database) if where == "sqlite" else _rows_of_postgres(database)
    log = (tmp_path / "serve.log").read_text()
    everywhere = {*ENVIRONMENT.values(), HEADER, api_token, session, OWNER_PASSWORD, RAISED, DATABASE}
    files = {str(one): one.read_bytes().decode("latin-1") for one in tmp_path.glob("service.db*")}

    assert len(answers) > 50
    assert any(DATA in text for text in answers.values())
    assert DATA not in log
    seen = _found({*everywhere, TOOL_HEADER, TOOL_QUERY}, answers | {"the log": log})
    seen += _found(everywhere, files | {f"table {name}": text for name, text in rows.items()})
    seen += _found(
        {TOOL_HEADER, TOOL_QUERY}, {f"table {name}": text for name, text in rows.items() if name not in HELD}
    )
    assert seen == []


def _found(secrets: set[str], texts: Mapping[str, str]) -> list[str]:
    return [
        f"{secret} in {name}: {text[max(0, text.find(secret) - 150) : text.find(secret) + 60]}"
        for name, text in texts.items()
        for secret in secrets
        if secret in text
    ]


def _runs(service: Served, url: str) -> list[tuple[int, int, int]]:
    """Carry out runs that answer, that reach no model, and whose tools raise; return agents, datasets and runs."""
    http = {
        "kind": "http",
        "name": "find",
        "description": "Finds.",
        "url": f"{url}/tool?api_key={TOOL_QUERY}",
        "headers": {"Authorization": f"Bearer {TOOL_HEADER}"},
    }
    raising = {"kind": "function", "name": "raising", "function": "raising"}
    unimportable = {"kind": "function", "name": "unimportable", "function": "unimportable"}
    tried: list[tuple[str, list[Mapping[str, Any]], dict[str, object]]] = [
        ("acme:echo", [http, raising], {}),
        ("acme:echo", [http], {"judge": "acme:echo", "tool_mode": "record"}),
        ("acme:broken", [], {}),
        ("acme:echo", [unimportable], {}),
    ]
    made = []
    for number, (model, tools, options) in enumerate(tried):
        agent = _made(service, "/api/v1/agents", name=f"a{number}", base_system_prompt="Go", model=model, tools=tools)
        datasets = f"/api/v1/agents/{agent}/eval-datasets"
        dataset = _made(service, datasets, name="d")
        _made(service, f"{datasets}/{dataset}/cases", scenario="When?", expected_criteria="Says when.")
        run = _made(service, f"{datasets}/{dataset}/runs", candidate_system_prompt="You help.", **options)
        until(lambda path=f"{datasets}/{dataset}/runs/{run}": _ended(service, path))  # type: ignore[misc]  # bound now
        made.append((agent, dataset, run))
    return made


def _ended(service: Served, path: str) -> bool:
    return service.ask("GET", path)[1]["status"] in ("completed", "failed")


def _made(service: Served, path: str, **body: object) -> int:
    status, answer = service.ask("POST", path, body)
    assert status == 201, (path, answer)
    return int(answer["id"])


def _answers(service: Served, runs: list[tuple[int, int, int]]) -> Iterator[tuple[str, str]]:
    """Return the answers to all that can be got, by path."""
    paths = json.loads(_get(service, "/openapi.json"))["paths"]
    for agent, dataset, run in runs:
        here = f"/api/v1/agents/{agent}/eval-datasets/{dataset}/runs/{run}"
        results = json.loads(_get(service, f"{here}?view=full"))["results"]
        result = results[0]["trials"][0]["id"] if results else 1
        numbers = {"agent_id": agent, "orchestrator_id": agent, "dataset_id": dataset, "run_id": run}
        numbers |= {"result_id": result, "case_id": dataset, "number": 1, "member_id": 1, "token_id": 1}
        for template, operations in paths.items():
            if "get" not in operations or "/oidc/callback" in template:
                continue
            path = template.format(**numbers)
            kinds = {"report": REPORTS, "export": EXPORTS}.get(path.rpartition("/")[2], ())
            for query in [f"?format={kind}&verbose=true" for kind in kinds] or ["", "?view=full"]:
                yield path + query, _get(service, path + query)


def _get(service: Served, path: str) -> str:
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=30)) as connection:
        connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"})
        answer = connection.getresponse()
        text = answer.read().decode()
        assert answer.status < 500 or "/oidc/" in path, (path, text)
        return text


def _rows_of_sqlite(file: Path) -> dict[str, str]:
    with closing(sqlite3.connect(file)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: str(connection.execute(f'SELECT * FROM "{name}"').fetchall()) for name in names}


def _rows_of_postgres(url: str) -> dict[str, str]:
    import psycopg

    with psycopg.connect(url) as connection:
        tables = connection.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        found: dict[str, str] = {}
        for schema, name in tables:
            rows = connection.execute(f'SELECT t::text FROM "{schema}"."{name}" AS t').fetchall()
            found[name] = found.get(name, "") + "\n".join(row for (row,) in rows)
        return found
