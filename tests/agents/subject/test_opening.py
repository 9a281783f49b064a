"""Tools are open as far as the mode of the run lets them be: what must be asked for is asked only where it may be."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack

import pytest

from audition.agents.subject._opening import Toolbox
from audition.agents.subject._tool_modes import Offered
from audition.agents.tools import ToolSurroundings
from audition.errors import AgentError
from audition.evals import MockResult, ToolMock
from audition.llm.egress import Egress
from audition.subjects import Subject

pytestmark = pytest.mark.anyio

DOCUMENT = {
    "openapi": "3.0.0",
    "info": {"title": "orders", "version": "1"},
    "paths": {
        "/orders/{id}": {
            "get": {
                "operationId": "get_order",
                "summary": "Finds an order.",
                "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}}],
                "responses": {"200": {"description": "ok"}},
            }
        }
    },
}


class Server:
    """Answers every request with the document, and counts them."""

    def __init__(self) -> None:
        self.requests = 0
        self.url = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.requests += 1
        body = json.dumps(DOCUMENT).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Connection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    served = Server()
    listening = await asyncio.start_server(served.serve, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    yield served
    listening.close()
    await listening.wait_closed()


class Kept:
    """Recordings in memory, of everything under its trial and name."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], Mapping[str, object]] = {}

    def keep(self, trial: str, name: str, arguments: Mapping[str, object], nth: int, outcome: Mapping[str, object]):
        self.rows[trial, name] = json.loads(json.dumps(outcome))

    def find(self, trial: str, name: str, arguments: Mapping[str, object], nth: int) -> Mapping[str, object] | None:
        return self.rows.get((trial, name))

    def calls(self, trial: str) -> Sequence[tuple[str, Mapping[str, object], int]]:
        return []


MOCK = {"kind": "mock", "name": "say_hours", "description": "Says.", "results": [{"result": "nine"}]}


def subject(url: str, *tools: Mapping[str, object]) -> Subject:
    orders = {"kind": "openapi", "name": "orders", "document": f"{url}/openapi.json", "server_url": url}
    return Subject(family="agents", id=1, name="Desk", instruction="x", model="m", tools=(*tools, orders))


async def opened(
    one: Subject, mode: str, *, kept: Kept | None = None, fixtures: Sequence[ToolMock] = ()
) -> list[tuple[Offered, ...]]:
    around = ToolSurroundings(egress=Egress(["127.0.0.1"]))
    box = Toolbox(mode=mode, around=around, recordings=kept, trial="case-1#1", fixtures=fixtures)
    async with AsyncExitStack() as stack:
        return await box.open(one, stack)


def names(tools: Sequence[Offered]) -> list[tuple[str, bool, bool]]:
    """Return what is offered: name, whether it can be called, whether it is canned."""
    return [(one.definition.name, one.open is not None, one.canned) for one in tools]


async def test_a_live_run_asks_which_tools_there_are(server: Server):
    (tools,) = await opened(subject(server.url, MOCK), "live")

    assert names(tools) == [("say_hours", True, True), ("orders_get_order", True, False)]
    assert server.requests == 1


async def test_what_a_recording_run_was_told_is_offered_again_without_asking(server: Server):
    kept = Kept()
    (recorded,) = await opened(subject(server.url), "record", kept=kept)
    asked = server.requests

    (replayed,) = await opened(subject(server.url), "replay", kept=kept)

    assert [one.definition for one in replayed] == [one.definition for one in recorded]
    assert (names(replayed), server.requests) == ([("orders_get_order", False, False)], asked)


async def test_tools_that_were_not_recorded_are_an_error(server: Server):
    with pytest.raises(AgentError, match="the tools of 'Desk' were not recorded") as caught:
        await opened(subject(server.url), "replay", kept=Kept())

    assert (caught.value.by_agent, server.requests) == (False, 0)


async def test_a_mock_run_asks_nobody_and_offers_the_fixtures(server: Server):
    fixture = ToolMock(name="get_order", description="Finds.", results=(MockResult(result=1),))

    (tools,) = await opened(subject(server.url, MOCK), "mock", fixtures=[fixture])

    assert names(tools) == [("say_hours", True, True), ("get_order", False, False)]
    assert server.requests == 0


async def test_a_subject_that_is_there_twice_asks_once(server: Server):
    one = subject(server.url)
    root = Subject(family="orchestrators", id=1, name="Root", instruction="x", model="m", children=(one, one))

    tools = await opened(root, "live")

    assert [len(some) for some in tools] == [0, 1, 1]
    assert server.requests == 1
