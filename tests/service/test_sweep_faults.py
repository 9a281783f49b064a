"""Disks that fill, connections that are cut and clocks that jump, during whole walks through the API."""

import json
import random
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, update
from tests.doubles.service_runs import Served, served, until
from tests.doubles.service_world import World, world_in

from audition.service.worker import open_queue
from audition.store.service.database import Database
from audition.store.service.tables import METADATA, RUNS, WORKERS

WRITES = re.compile(r"\s*(INSERT|UPDATE|DELETE)", re.IGNORECASE)


class FullDisk:
    """Lets a database fail at one of its writes, the first being number 1; `at` None: at none. `hit`: it has failed."""

    def __init__(self, database: Database) -> None:
        self.at: int | None = None
        self.hit, self._seen = False, 0
        engine: Any = vars(database)["_engine"]
        event.listen(engine, "before_cursor_execute", self._on_statement)
        event.listen(engine, "commit", self._on_commit)

    def arm(self, at: int | None) -> None:
        """Fail at a write from now on."""
        self.at, self.hit, self._seen = at, False, 0

    def _on_statement(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if WRITES.match(statement):
            self._count()

    def _on_commit(self, _connection: Any) -> None:
        self._count()

    def _count(self) -> None:
        self._seen += 1
        if self._seen == self.at:
            self.hit = True
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world whose runs are queued as they are in earnest."""
    made = world_in(tmp_path)
    queue = open_queue(made.service.database)
    object.__setattr__(made.service, "runs", queue)
    yield made
    queue.close()
    made.service.database.close()


Step = tuple[str, str, object, dict[str, str]]


def _walk(world: World) -> list[Step]:
    """Return changes of all kinds, in an order in which each can be done."""
    tree = world.trees["agents"]["own"]
    agent = f"/api/v1/agents/{tree.subject}"
    dataset = f"{agent}/eval-datasets/{tree.dataset}"
    case = {"scenario": "When?", "expected_criteria": "Says when."}
    row = json.dumps(case)
    found: list[tuple[str, str, object]] = [
        ("POST", "/api/v1/auth/login", {"email": "owner@example.com", "password": "correct horse battery"}),
        ("POST", "/api/v1/auth/login", {"email": "owner@example.com", "password": "wrong"}),
        ("POST", "/api/v1/members", {"email": "new@example.com", "name": "N", "role": "viewer"}),
        ("PATCH", f"/api/v1/members/{world.target}", {"role": "editor"}),
        ("POST", "/api/v1/api-tokens", {"name": "ci", "scopes": ["read"]}),
        ("POST", "/api/v1/agents", {"name": "A", "base_system_prompt": "p", "model": "scripted:Hello."}),
        ("POST", "/api/v1/orchestrators", {"name": "A", "instruction": "p", "model": "scripted:Hello."}),
        ("PATCH", agent, {"description": "Another."}),
        ("POST", f"{agent}/versions/1/restore", None),
        ("POST", f"{agent}/eval-datasets", {"name": "Another"}),
        ("PATCH", dataset, {"description": "d"}),
        ("POST", f"{dataset}/clone", {"name": "Clone"}),
        ("POST", f"{dataset}/cases", case),
        ("POST", f"{dataset}/cases/batch", {"cases": [case, case]}),
        ("PATCH", f"{dataset}/cases/{tree.case}", {"tags": ["t"]}),
        ("POST", f"{dataset}/import?format=jsonl", row),
        ("POST", f"{dataset}/runs", {"candidate_system_prompt": "You help."}),
        ("POST", f"{dataset}/runs/{tree.run}/rejudge", {"judge": "scripted:Yes."}),
        ("POST", f"{dataset}/runs/{tree.run}/retry", {}),
        ("DELETE", f"{dataset}/runs/{tree.run}", None),
        ("DELETE", f"{dataset}/cases/{tree.case}", None),
        ("DELETE", f"/api/v1/members/{world.target}", None),
        ("DELETE", f"/api/v1/api-tokens/{world.token_ids['viewer']}", None),
        ("DELETE", dataset, None),
        ("POST", "/api/v1/auth/logout", None),
    ]
    again = (5, 12, 16)
    return [
        (method, path, body, {"Idempotency-Key": f"key-{number}"} if number in again else {})
        for number, (method, path, body) in enumerate(found)
    ]


def _counts(database: Database) -> dict[str, int]:
    """Return how many rows all tables of ours have, those of what was tried aside, whose rows come and go."""
    names = [name for name in METADATA.tables if name not in ("rate_counters", "idempotency_keys")]
    with closing(sqlite3.connect(str(database.url.database))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def test_a_disk_that_is_full_at_any_write_changes_nothing_and_the_request_works_afterwards(world: World) -> None:
    disk, faults = FullDisk(world.service.database), 0
    wrong: list[tuple[object, ...]] = []
    with TestClient(world.app, raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {world.tokens['owner']}"
        for method, path, body, headers in _walk(world):
            sent = {"content": body} if isinstance(body, str) else {"json": body} if body is not None else {}
            for at in range(1, 100):
                disk.arm(None)
                before = _counts(world.service.database)
                disk.arm(at)
                answer = client.request(method, path, headers={"If-Match": "*", **headers}, **sent)
                if answer.status_code < 500:
                    break
                faults += 1
                after = _counts(world.service.database)
                if answer.status_code not in (503, 507) or after != before or not disk.hit:
                    wrong.append((method, path, at, answer.status_code, answer.text, after != before))
            disk.arm(None)
            if answer.status_code not in (200, 201, 202, 204, 401):
                wrong.append((method, path, "afterwards", answer.status_code, answer.text))

    print(f"\n{faults} faults")  # noqa: T201
    assert wrong == []
    assert faults > 60


def _database_of(postgres: str, folder: Path) -> str:
    import psycopg

    name = f"cut_{abs(hash(folder))}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.replace("/postgres", f"/{name}")


@pytest.mark.parametrize("seconds", [pytest.param(4, id="4 s"), pytest.param(60, id="60 s", marks=pytest.mark.slow)])
def test_connections_cut_at_random_lose_and_double_nothing(tmp_path: Path, postgres: str, seconds: float) -> None:
    url = _database_of(postgres, tmp_path)
    settings = '[service]\nrequests_per_minute = 10000000\nmax_cases = 1000000\n[judge]\nmodel = "scripted:Yes."\n'
    (tmp_path / "audition.toml").write_text(settings)
    with served(tmp_path, "--database", url) as service:
        agent = {"name": "A", "base_system_prompt": "p", "model": "scripted:Hello."}
        assert service.ask("POST", "/api/v1/agents", agent)[0] == 201
        datasets = "/api/v1/agents/1/eval-datasets"
        for name in ("written", "run"):
            assert service.ask("POST", datasets, {"name": name})[0] == 201
        case = {"scenario": "When?", "expected_criteria": "Says when."}
        cases = {"cases": [case] * 200}
        assert service.ask("POST", f"{datasets}/2/cases/batch", cases)[0] in (200, 201)
        run = service.ask("POST", f"{datasets}/2/runs", {"candidate_system_prompt": "p", "concurrency": 2})
        assert run[0] == 201
        statuses = _written_while_cut(service, url, f"{datasets}/1/cases", case, seconds)
        until(lambda: service.ask("POST", f"{datasets}/1/cases", case)[0] == 201, within_s=10)
        until(lambda: service.ask("GET", f"{datasets}/2/runs/1")[1]["status"] in ("completed", "failed"))
        ended = service.ask("GET", f"{datasets}/2/runs/1?view=full")[1]
        count = service.ask("GET", f"{datasets}/1?view=full")[1]["case_count"] - 1
        assert service.end() == 0

    print(f"\n{Counter(statuses)}")  # noqa: T201
    assert set(statuses) <= {201, 503}
    assert statuses.count(201) <= count <= len(statuses)  # a commit whose answer was cut off may have come through
    assert (ended["status"], ended["error_message"]) == ("completed", None)
    assert (ended["progress"], len(ended["results"])) == ({"done": 200, "of": 200}, 200)
    assert len({one["case_id"] for one in ended["results"]}) == 200


def _written_while_cut(service: Served, url: str, path: str, case: object, seconds: float) -> list[int]:
    """Return the statuses of changes that were asked for while all connections were cut again and again."""
    import psycopg

    ends, chance = time.monotonic() + seconds, random.Random(1)

    def write(_: int) -> list[int]:
        found = []
        while time.monotonic() < ends:
            found.append(service.ask("POST", path, case)[0])
        return found

    def cut() -> None:
        name = url.rpartition("/")[2]
        with psycopg.connect(url.replace(f"/{name}", "/postgres"), autocommit=True) as connection:
            while not done.wait(chance.uniform(0.05, 0.5)):
                connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])

    done = threading.Event()
    with ThreadPoolExecutor(5) as together:
        cutting = together.submit(cut)
        written = [status for found in together.map(write, range(4)) for status in found]
        done.set()
        cutting.result()
    return written


MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*?(?=[\"\s,<|)`]|$)")
IN_SECONDS = re.compile(r"_(s|ms)$|^seconds_since$|^duration$")


def _numbers(value: Any, key: str = "") -> Iterator[tuple[str, float]]:
    """Yield all durations in an answer."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _numbers(inner, key)
    elif isinstance(value, int | float) and IN_SECONDS.search(key):
        yield key, value


def _views(get: Callable[[str], str], tree: str, run: str) -> dict[str, str]:
    paths = [tree, f"{run}", f"{run}?view=full", f"{run}/results", f"{run}/results/1/trace", "/api/v1/audit-log"]
    paths += [f"{run}/report?format={kind}&verbose=true" for kind in ("json", "md", "html", "csv", "junit")]
    return {path: get(path) for path in [*paths, f"{run}/events", "/api/v1/eval-runs", "/api/v1/auth/me"]}


@pytest.mark.parametrize("zone", ["Asia/Kolkata", pytest.param("America/St_Johns", marks=pytest.mark.slow)])
def test_all_times_are_utc_wherever_the_machine_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, zone: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    (tmp_path / "audition.toml").write_text('[judge]\nmodel = "scripted:Yes."\n')
    with served(tmp_path) as service:
        service.ask("POST", "/api/v1/agents", {"name": "A", "base_system_prompt": "p", "model": "scripted:Hello."})
        datasets = "/api/v1/agents/1/eval-datasets"
        service.ask("POST", datasets, {"name": "d"})
        service.ask("POST", f"{datasets}/1/cases", {"scenario": "When?", "expected_criteria": "Says when."})
        run = f"{datasets}/1/runs/1"
        assert service.ask("POST", f"{datasets}/1/runs", {"candidate_system_prompt": "p"})[0] == 201
        until(lambda: service.ask("GET", run)[1]["status"] in ("completed", "failed"))

        def get(path: str) -> str:
            from http.client import HTTPConnection

            with closing(HTTPConnection("127.0.0.1", service.port, timeout=30)) as connection:
                connection.request("GET", path, headers={"Authorization": f"Bearer {service.token}"})
                return connection.getresponse().read().decode()

        answers = _views(get, f"{datasets}/1", run)
        assert service.end() == 0
    answers["the log"] = (tmp_path / "serve.log").read_text()

    told = {path: text for path, text in answers.items() if "junit" not in path}  # its format knows no zones
    moments = {(path, one) for path, text in told.items() for one in MOMENT.findall(text)}
    now = datetime.now(UTC)
    assert len(moments) > 20
    assert [one for one in moments if not one[1].endswith(("Z", "+00:00"))] == []
    assert [one for one in moments if abs((datetime.fromisoformat(one[1]) - now).total_seconds()) > 300] == []
    assert [one for one in moments if one[0].startswith("/api") and "report" not in one[0] and one[1][-1] != "Z"] == []


@pytest.mark.parametrize("hours", [-1, 1], ids=["back", "ahead"])
def test_no_duration_is_negative_though_the_clock_jumped(world: World, hours: int) -> None:
    database, tree = world.service.database, world.trees["agents"]["own"]
    run = f"/api/v1/agents/{tree.subject}/eval-datasets/{tree.dataset}/runs/{tree.run}"
    other = datetime.fromtimestamp(datetime.now(UTC).timestamp() + hours * 3600, UTC)
    database.write(
        lambda connection: connection.execute(
            update(RUNS).values(finished_at=f"{other:%Y-%m-%dT%H:%M:%S}.000Z"),
        )
    )
    database.write(
        lambda connection: connection.execute(update(WORKERS).values(heartbeat_s=other.timestamp())),
    )
    with TestClient(world.app, headers={"Authorization": f"Bearer {world.tokens['owner']}"}) as client:
        answers = _views(lambda path: client.get(path).text, run.partition("/runs")[0], run)

    numbers = [one for text in answers.values() if text[:1] in "{[" for one in _numbers(json.loads(text))]
    assert len(numbers) > 5
    assert [one for one in numbers if one[1] < 0] == []
