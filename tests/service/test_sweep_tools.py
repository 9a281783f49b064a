"""Runs whose tools lead to addresses that nobody outside may reach: the tool fails, and the run goes on."""

import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.doubles.service_runs import Served, served, until

AT = "http://localhost:{port}/tools"
SCRIPT = """
answers:
  - when: order
    calls: [{tool: find, arguments: {}}]
    reply: I could not look it up.
otherwise: {reply: Good morning.}
"""


class Trap:
    """Listens on the loopback, and counts who comes."""

    def __init__(self) -> None:
        self.caught = 0
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            with connection:
                if connection.recv(4) == b"end\n":
                    return
                self.caught += 1

    def close(self) -> None:
        """Listen no more."""
        with closing(socket.create_connection(("127.0.0.1", self.port))) as connection:
            connection.sendall(b"end\n")
        self._thread.join()
        self._listening.close()


@pytest.fixture
def trap() -> Iterator[Trap]:
    """Return a trap."""
    one = Trap()
    yield one
    one.close()


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a service with a worker, whose model looks orders up."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "scripts").mkdir()
    (folder / "scripts" / "desk.yaml").write_text(SCRIPT)
    with served(folder) as one:
        yield one


def _body(tool: Mapping[str, object]) -> dict[str, object]:
    return {"name": "A", "base_system_prompt": "p", "model": "scripted:desk.yaml", "tools": [tool]}


def _ran(service: Served, agent: int) -> tuple[str, Any]:
    """Return the path of a run of two cases, of which one asks for the tool, and the run at its end."""
    datasets = f"/api/v1/agents/{agent}/eval-datasets"
    dataset = service.ask("POST", datasets, {"name": "d"})[1]["id"]
    for said, answered in (("Where is my order?", "could not"), ("Hello.", "morning")):
        turn = {"user": said, "assert": {"response": [{"contains": answered}]}}
        upload = {"name": answered, "conversation": [turn]}
        path = f"{datasets}/{dataset}/import?format=json"
        assert service.ask("POST", path, [upload])[0] == 200
    run = service.ask("POST", f"{datasets}/{dataset}/runs", {"candidate_system_prompt": "p"})[1]["id"]
    path = f"{datasets}/{dataset}/runs/{run}"
    until(lambda: service.ask("GET", path)[1]["status"] in ("completed", "failed"))
    return path, service.ask("GET", f"{path}?view=full")[1]


def _http(url: str) -> dict[str, object]:
    return {"kind": "http", "name": "find", "description": "Finds.", "url": url, "method": "GET"}


def test_a_tool_on_a_private_host_fails_and_the_run_goes_on(process: Served, trap: Trap) -> None:
    made = process.ask("POST", "/api/v1/agents", _body(_http(f"http://localhost:{trap.port}/orders")))[1]

    path, run = _ran(process, made["id"])
    results = [process.ask("GET", f"{path}/results/{one['trials'][0]['id']}/trace")[1] for one in run["results"]]

    assert (run["status"], run["error_message"]) == ("completed", None)
    assert [one["verdict"] for one in run["results"]] == ["pass", "pass"]
    (call,) = results[0]["turns"][0]["tool_calls"]
    assert "not public" in json.dumps(call["error"])
    assert trap.caught == 0


@pytest.mark.parametrize(
    "tool",
    [
        pytest.param({"kind": "mcp", "name": "find", "url": AT}, id="mcp"),
        pytest.param({"kind": "openapi", "name": "find", "document": AT, "server_url": AT}, id="openapi"),
    ],
)
def test_a_server_of_tools_on_a_private_host_is_not_asked_what_it_has(
    process: Served, trap: Trap, tool: dict[str, str]
) -> None:
    status, made = process.ask(
        "POST", "/api/v1/agents", _body({name: text.format(port=trap.port) for name, text in tool.items()})
    )
    assert status == 201, made

    _, run = _ran(process, made["id"])

    assert run["status"] == "failed"
    assert [one["verdict"] for one in run["results"]] == [None, None]
    assert "not public" in run["results"][0]["error_message"]
    assert trap.caught == 0


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "10.0.0.1", "169.254.169.254", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]"]
)
def test_a_tool_on_a_private_address_is_refused_at_once(editor: TestClient, trap: Trap, host: str) -> None:
    answer = editor.post("/api/v1/agents", json=_body(_http(f"http://{host}:{trap.port}/")))

    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "/tools/0/url")
    assert trap.caught == 0
