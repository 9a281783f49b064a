"""More than anybody needs, at every door: refused and told why, or taken; nothing breaks, and memory is bounded."""

import asyncio
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.doubles.service_runs import Served, add_dataset, served
from tests.doubles.service_world import World, world_in

from audition.service.context import Service
from audition.service.middleware import Bodies, Message, Receive, Scope, Send

MEGABYTE = 1_000_000
KEYS = b"{" + b",".join(b'"%x":1' % number for number in range(600_000)) + b"}"
FEW_DOORS = ("/api/v1/agents", "/cases", "/runs")
LARGE = 2 * MEGABYTE
"""Of what is larger it is enough that some doors take it."""

BODIES = {
    "nothing": b"",
    "a text": b"hello",
    "no object": b"[]",
    "null": b"null",
    "5,000 brackets": b"[" * 5000 + b"]" * 5000,
    "5,000 brackets, never closed": b"[" * 5000,
    "5,000 objects": b'{"context":' * 5000 + b"1" + b"}" * 5000,
    "600,000 keys": KEYS,
    "600,000 keys in a field": b'{"scenario":"s","expected_criteria":"e","name":"n","context":' + KEYS + b"}",
    "a key twice": b'{"name":"a","name":"b","scenario":"a","scenario":"b","expected_criteria":"e"}',
    "NaN": b'{"name":NaN,"scenario":NaN,"trials":NaN,"max_cost_usd":NaN,"context":{"a":NaN}}',
    "Infinity": b'{"candidate_system_prompt":"p","max_cost_usd":Infinity,"max_duration_s":-Infinity}',
    "1e999": b'{"candidate_system_prompt":"p","max_cost_usd":1e999,"trials":1e999}',
    "a number of 5,000 digits": b'{"trials":' + b"9" * 5000 + b',"candidate_system_prompt":"p"}',
    "half a surrogate pair": b'{"name":"\\ud800","scenario":"\\udfff","expected_criteria":"e\\ud83d"}',
    "half a surrogate pair as a key": b'{"\\ud800":1,"name":"n","context":{"\\ud800":"\\udc00"}}',
    "a surrogate in UTF-8": b'{"name":"\xed\xa0\x80"}',
    "U+0000": b'{"name":"a\\u0000b","scenario":"\\u0000","expected_criteria":"e"}',
    "UTF-16": '{"name":"n"}'.encode("utf-16"),
    "UTF-16 without a mark": '{"name":"n"}'.encode("utf-16-le"),
    "UTF-32": '{"name":"n"}'.encode("utf-32"),
    "UTF-8 with a mark": b'\xef\xbb\xbf{"name":"n"}',
    "no UTF-8": b'{"name":"\xff\xfe"}',
    "cut off": b'{"name":"n',
    "two documents": b"{}{}",
    "a comment": b'{/* a */"name":"n"}',
    "a long text": b'{"name":"' + b"n" * MEGABYTE + b'","scenario":"' + b"s" * MEGABYTE + b'"}',
    "a long list": b'{"tags":[' + b'"t",' * 50_000 + b'"t"],"case_ids":[' + b"1," * 50_000 + b"1]}",
    "pickled": b"\x80\x04\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x8c\x02os\x94\x8c\x06system\x94\x93\x94.",
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world for all tests of this file."""
    made = world_in(tmp_path_factory.mktemp("world"))
    yield made
    made.service.database.close()


def _doors(world: World) -> list[tuple[str, str]]:
    """Return all that takes a body, with the ids of what is there."""
    tree = world.trees["agents"]["own"]
    numbers = {"agent_id": tree.subject, "dataset_id": tree.dataset, "case_id": tree.case, "run_id": tree.run}
    numbers |= {"number": 1, "member_id": world.target, "token_id": 1}
    return [
        (method.upper(), path.format(**numbers))
        for path, operations in world.app.openapi()["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation and "/orchestrators/" not in path
    ]


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_no_body_breaks_a_door(world: World, body: bytes) -> None:
    with TestClient(world.app, headers={"Authorization": f"Bearer {world.tokens['owner']}"}) as client:
        headers = {"Content-Type": "application/json", "If-Match": "*"}
        answers = {
            (method, path): client.request(
                method, path, content=body, headers=headers, params={"format": "json"} if "import" in path else {}
            )
            for method, path in _doors(world)
            if len(body) < LARGE or (method == "POST" and path.endswith(FEW_DOORS))
        }

    assert len(answers) >= 3
    assert {place: one.text for place, one in answers.items() if one.status_code >= 500} == {}
    assert {place: one.text[:200] for place, one in answers.items() if len(one.content) > MEGABYTE} == {}


@pytest.fixture
def desk(client_as: Callable[[str], TestClient], service: Service) -> tuple[TestClient, str]:
    """Return an editor's client and the path of a dataset with 2,001 cases."""
    client = client_as("editor")
    agent = {"name": "Desk", "base_system_prompt": "You help.", "model": "scripted:Hello."}
    assert client.post("/api/v1/agents", json=agent).status_code == 201
    dataset = service.database.write(lambda connection: add_dataset(connection, 2001))
    return client, f"/api/v1/agents/1/eval-datasets/{dataset}"


def test_a_run_of_more_than_a_hundred_thousand_trials_is_refused(desk: tuple[TestClient, str]) -> None:
    client, dataset = desk

    answer = client.post(f"{dataset}/runs", json={"candidate_system_prompt": "You help.", "trials": 50})

    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_trials")
    assert "100,000" in answer.json()["detail"]


def test_a_run_of_a_hundred_thousand_trials_is_queued(desk: tuple[TestClient, str]) -> None:
    client, dataset = desk
    case = client.get(f"{dataset}/cases?limit=1").json()[0]["id"]
    assert client.delete(f"{dataset}/cases/{case}", headers={"If-Match": "*"}).status_code == 204

    answer = client.post(f"{dataset}/runs", json={"candidate_system_prompt": "You help.", "trials": 50})

    assert answer.status_code == 201
    assert client.get(answer.headers["Location"] + "?view=full").json()["progress"] == {"done": 0, "of": 100_000}


@pytest.mark.parametrize("many", [150, pytest.param(1000, marks=pytest.mark.slow)])
def test_of_many_runs_of_one_member_a_hundred_wait(desk: tuple[TestClient, str], many: int) -> None:
    client, dataset = desk

    answers = [client.post(f"{dataset}/runs", json={"candidate_system_prompt": "You help."}) for _ in range(many)]

    assert [one.status_code for one in answers] == [201] * 100 + [429] * (many - 100)
    assert "100 runs" in answers[-1].json()["detail"]
    assert answers[-1].headers["Retry-After"] == "30"


@pytest.mark.parametrize(
    ("size", "status", "told"), [(100_001, 422, "100000"), (50 * MEGABYTE, 413, "10000000")], ids=["100 KB", "50 MB"]
)
def test_a_scenario_that_is_too_long_is_refused(
    desk: tuple[TestClient, str], size: int, status: int, told: str
) -> None:
    client, dataset = desk

    answer = client.post(f"{dataset}/cases", json={"scenario": "s" * size, "expected_criteria": "e"})

    assert answer.status_code == status
    assert told in answer.json()["detail"]


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service in a process of its own, without a worker."""
    with served(tmp_path_factory.mktemp("served"), "--no-worker") as one:
        yield one


def _most_memory(service: Served) -> int:
    """Return how much memory a process has held at most, bytes."""
    status = Path(f"/proc/{service.process.pid}/status").read_text()
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


@pytest.mark.anyio
async def test_a_body_that_does_not_come_to_its_end_is_given_up(service: Service) -> None:
    sent: list[Message] = []
    parts = iter([{"type": "http.request", "body": b'{"name":', "more_body": True}])

    async def receive() -> Message:
        for part in parts:
            return part
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise AssertionError

    scope: Scope = {"type": "http", "method": "POST", "path": "/api/v1/agents", "query_string": b""}
    scope["headers"], scope["state"] = [(b"content-length", b"1000")], {"request_id": "a"}

    await Bodies(app, service, [], patience_s=0.01)(scope, receive, send)

    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]


def _sent(service: Served, head: str, parts: Iterator[bytes]) -> bytes:
    """Return the beginning of the answer to a request that is sent until nobody takes it any more."""
    with closing(socket.create_connection(("127.0.0.1", service.port), timeout=30)) as connection:
        with suppress(OSError):  # it has heard enough
            connection.sendall(head.encode())
            for part in parts:
                connection.sendall(part)
        try:
            return connection.recv(65536)
        except OSError:
            return b""


def _post(service: Served, *more: str) -> str:
    lines = ("POST /api/v1/agents HTTP/1.1", "Host: a", f"Authorization: Bearer {service.token}", *more)
    return "\r\n".join(lines) + "\r\n"


def _chunks(size: int, times: int) -> Iterator[bytes]:
    for _ in range(times):
        yield b"%x\r\n" % size + b" " * size + b"\r\n"


def _repeated(part: bytes, times: int) -> Iterator[bytes]:
    for _ in range(times):
        yield part


ENDLESS: dict[str, tuple[tuple[str, ...], Iterator[bytes], bytes | None]] = {
    "chunks without end": (("Transfer-Encoding: chunked", ""), _chunks(65536, 5000), b"413"),
    "a body of 300 MB": (("Content-Length: 300000000", ""), _repeated(b" " * 65536, 5000), b"413"),
    "a header without end": (("X-A: a",), _repeated(b"a" * 65536, 5000), None),
    "headers without end": ((), _repeated(b"X-Header: " + b"a" * 1000 + b"\r\n", 300_000), None),
    "a line of chunk extensions": (("Transfer-Encoding: chunked", ""), _repeated(b"1;" + b"a" * 65536, 5000), None),
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs to see a process's memory")
@pytest.mark.parametrize(("more", "parts", "status"), ENDLESS.values(), ids=ENDLESS)
def test_nothing_without_end_is_read_to_its_end(
    process: Served, more: tuple[str, ...], parts: Iterator[bytes], status: bytes | None
) -> None:
    before = _most_memory(process)

    answer = _sent(process, _post(process, *more), parts)

    assert status is None or status in answer.partition(b"\r\n")[0]
    assert not answer.startswith(b"HTTP/1.1 5")
    assert _most_memory(process) - before < 80 * MEGABYTE
    assert process.ask("GET", "/readyz")[0] == 200


def test_a_hundred_bodies_that_never_come_keep_nobody_waiting(process: Served) -> None:
    waiting = [socket.create_connection(("127.0.0.1", process.port)) for _ in range(100)]
    for one in waiting:
        one.sendall(_post(process, "Content-Length: 1000", "", '{"name":').encode())

    answer: tuple[int, Any] = process.ask("GET", "/api/v1/agents")

    assert answer[0] == 200
    for one in waiting:
        one.close()
    assert process.ask("POST", "/api/v1/agents", {})[0] == 422
    assert json.dumps(answer[1]) == "[]"
