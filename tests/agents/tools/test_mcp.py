"""Tools of an MCP server: a real one, of the same package, on this machine."""

import asyncio
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from audition.agents.tools import ToolFailed, ToolSurroundings, check_tools, open_tools
from audition.errors import AgentError
from audition.llm.egress import Egress

pytest.importorskip("mcp")
pytestmark = pytest.mark.anyio

AROUND = ToolSurroundings(egress=Egress(["127.0.0.1"]), timeout_s=10)


@pytest.fixture
async def mcp_url() -> AsyncIterator[str]:
    """Serve three tools over streamable HTTP."""
    import uvicorn
    from mcp.server.mcpserver import MCPServer

    offered = MCPServer("shop")

    @offered.tool()
    def find_order(id: int) -> dict[str, object]:
        """Find an order."""
        return {"id": id, "status": "sent"}

    @offered.tool(structured_output=False)
    def greet(name: str) -> str:
        return f"hello {name}, your key is sk-QQtest9988"

    @offered.tool(name="orders.close-all")
    def close_all() -> str:
        raise ValueError("no such order")

    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = offered.streamable_http_app(host="127.0.0.1")
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(server.serve(sockets=[listening]))
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp?api_key=qk-77aabb"
        server.should_exit = True
    listening.close()


def tool(url: str, **more: Any) -> dict[str, Any]:
    return {"kind": "mcp", "name": "shop", "url": url, **more}


async def test_the_tools_of_a_server_are_offered_and_called(mcp_url) -> None:
    async with open_tools([tool(mcp_url, headers={"X-Key": "sk-QQtest9988"})], AROUND) as tools:
        told = {one.definition.name: one for one in tools}
        found = await asyncio.gather(*(told["find_order"].call({"id": n}) for n in range(8)))
        greeted = await told["greet"].call({"name": "Ann"})

    assert list(told) == ["find_order", "greet", "orders_close_all"]
    assert told["find_order"].definition.description == "Find an order."
    assert told["find_order"].definition.parameters["required"] == ["id"]
    assert found == [{"id": n, "status": "sent"} for n in range(8)]
    assert greeted == "hello Ann, your key is ***"


async def test_what_the_server_refuses_is_an_error_that_the_model_is_told(mcp_url) -> None:
    async with open_tools([tool(mcp_url, tools=["orders.close-all", "find_order"])], AROUND) as (close, find):
        with pytest.raises(ToolFailed, match="Error executing tool"):
            await close.call({})
        with pytest.raises(ToolFailed, match="id"):
            await find.call({"id": "none"})
        assert await find.call({"id": 1}) == {"id": 1, "status": "sent"}


async def test_a_tool_that_the_server_does_not_have_is_named(mcp_url) -> None:
    with pytest.raises(AgentError, match="no tool called 'find_oder'") as raised:
        async with open_tools([tool(mcp_url, tools=["find_oder"])], AROUND):
            pass

    assert "did you mean 'find_order'" in str(raised.value)


async def test_what_goes_wrong_within_is_raised_as_it_is(mcp_url) -> None:
    with pytest.raises(ZeroDivisionError):
        async with open_tools([tool(mcp_url)], AROUND):
            raise ZeroDivisionError


async def test_a_run_that_is_cancelled_within_ends(mcp_url) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.3), open_tools([tool(mcp_url)], AROUND):
            await asyncio.sleep(60)


async def test_the_url_is_logged_without_its_query(mcp_url, caplog) -> None:
    caplog.set_level("DEBUG")

    async with open_tools([tool(mcp_url, headers={"X-Key": "sk-QQtest9988"})], AROUND) as tools:
        await tools[0].call({"id": 1})

    told = caplog.text
    assert "/mcp" in told
    assert "qk-77aabb" not in "\n".join(line for line in told.splitlines() if "uvicorn" not in line)
    assert "sk-QQtest9988" not in told


@pytest.mark.parametrize(
    ("status", "body", "headers"),
    [
        (404, b"", {}),
        (200, b"hello", {"Content-Type": "text/html"}),
        (200, b"{}", {}),
        (200, b"x" * 200_000, {}),
        (200, b"event: message\ndata: " + b"x" * 200_000 + b"\n\n", {"Content-Type": "text/event-stream"}),
        (200, b"\x1f\x8b", {"Content-Encoding": "gzip"}),
        (307, b"", {"Location": "/elsewhere"}),
    ],
    ids=["404", "html", "object", "long", "long-event", "gzip", "circle"],
)
async def test_a_server_that_is_none_is_not_the_agents_doing(server, status, body, headers) -> None:
    server.will(status, body, **{name.replace("-", "_"): value for name, value in headers.items()})
    around = ToolSurroundings(egress=Egress(["127.0.0.1"]), timeout_s=2, max_reply_bytes=100_000)

    with pytest.raises(AgentError, match="the MCP server 'shop'") as raised:
        async with open_tools([tool(server.url)], around):
            pass

    assert not raised.value.by_agent


async def test_a_server_that_is_not_there_is_not_the_agents_doing() -> None:
    with pytest.raises(AgentError, match="cannot be reached"):
        async with open_tools([tool("http://127.0.0.1:1024/mcp")], AROUND):
            pass


async def test_a_connection_that_breaks_is_an_error_of_that_call_alone(server, speaking_mcp) -> None:
    speaking_mcp(server, {"type": "object"}, broken_calls=1)

    async with open_tools([tool(server.url)], AROUND) as (one,):
        with pytest.raises(ToolFailed, match="cannot be reached"):
            await one.call({})
        assert await one.call({}) == {"a": 1}


async def test_patterns_of_a_servers_schemas_hold_nobody_up(server, speaking_mcp) -> None:
    speaking_mcp(server, {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$"}}})

    async with open_tools([tool(server.url)], AROUND) as (one,):
        assert await one.call({}) == {"a": 1}


@pytest.mark.parametrize("key", ["command", "args", "env"])
def test_a_server_that_is_started_by_a_command_is_refused(key: str) -> None:
    faults = check_tools([tool("https://shop.example/mcp", **{key: ["npx"]})], functions={})

    assert any("a command is code" in message for _, message in faults)
