"""What the tests of tools share: servers that count, a resolver that says what it is told, an audit hook."""

import asyncio
import json
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

import pytest

Answer = Callable[[str, str, dict[str, str], bytes], tuple[int, dict[str, str], bytes]]
"""Takes the method, the path with its query, the headers and the body; gives status, headers and body."""


class CountingServer:
    """Answers every request as `answer` says; counts connections, and keeps requests."""

    def __init__(self) -> None:
        self.connections = 0
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        self.port = 0
        self.answer: Answer = lambda *_: (200, {"Content-Type": "application/json"}, b"{}")

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def will(self, status: int = 200, body: object = None, **headers: str) -> None:
        """Answer everything alike; a body that is no bytes is sent as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = lambda *_: (status, {"Content-Type": "application/json"} | named, content)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip()
            first, *lines = head.split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", 0)))
            method, path, _ = first.split(" ")
            self.requests.append((method, path, headers, body))
            status, more, content = self.answer(method, path, headers, body)
            told = [f"{name}: {value}" for name, value in more.items()]
            start = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}", "Connection: close", *told]
            writer.write("\r\n".join(start).encode() + b"\r\n\r\n" + content)
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def speak_mcp(server: CountingServer, schema: dict[str, object], broken_calls: int = 0) -> None:
    """Have a server offer one tool over MCP; the first calls of it break the connection."""
    breaking = [True] * broken_calls
    results = {
        "initialize": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "x", "version": "1"},
        },
        "tools/list": {"tools": [{"name": "t", "inputSchema": schema, "outputSchema": schema}]},
        "tools/call": {"content": [], "structuredContent": {"a": 1}},
    }

    def answer(method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body or b"{}")
        result = results.get(asked.get("method"))
        if result is None:
            return 404 if "id" in asked else 202, {}, b""
        if asked["method"] == "tools/call" and breaking:
            breaking.pop()
            raise ConnectionError
        reply = {"jsonrpc": "2.0", "id": asked["id"], "result": result}
        return 200, {"Content-Type": "application/json"}, json.dumps(reply).encode()

    server.answer = answer


@pytest.fixture
def speaking_mcp() -> Callable[..., None]:
    """Return what has a server offer one tool over MCP."""
    return speak_mcp


@pytest.fixture
async def serving() -> AsyncIterator[Callable[..., Awaitable[CountingServer]]]:
    """Return what starts a server, on a free port of 127.0.0.1 by default."""
    listening: list[asyncio.Server] = []

    async def start(host: str = "127.0.0.1", port: int = 0) -> CountingServer:
        server = CountingServer()
        listening.append(await asyncio.start_server(server.serve, host, port))
        server.port = listening[-1].sockets[0].getsockname()[1]
        return server

    yield start
    for one in listening:
        one.close()
        await one.wait_closed()


@pytest.fixture
async def server(serving: Callable[..., Awaitable[CountingServer]]) -> CountingServer:
    """Return a server that tools may reach."""
    return await serving()


@pytest.fixture
async def trap(serving: Callable[..., Awaitable[CountingServer]]) -> CountingServer:
    """Return a server that nobody may reach."""
    return await serving()


class Names:
    """Looks names up in a table; a list of lists gives one answer after the other, the last for ever.

    Numbers are addresses, in every way in which a system's resolver takes them.
    """

    def __init__(self) -> None:
        self.known: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []

    async def lookup(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        answers = self.known.get(host)
        if answers is None:
            return [socket.inet_ntoa(socket.inet_aton(host))]  # OSError for what is no number
        return answers.pop(0) if len(answers) > 1 else answers[0]


@pytest.fixture
def names() -> Names:
    """Return a resolver that knows what it is told."""
    return Names()


_WATCHERS: list[list[tuple[str, tuple[object, ...]]]] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    for watcher in _WATCHERS:
        watcher.append((event, arguments))


@pytest.fixture(scope="session")
def _audit_hook() -> None:
    """Install the hook, which nothing can take away again; it is idle while nobody watches."""
    sys.addaudithook(_note)


@pytest.fixture
def audited(_audit_hook: None) -> Iterator[list[tuple[str, tuple[object, ...]]]]:
    """Return all that the interpreter reports from now on: connections, imports, files, code."""
    events: list[tuple[str, tuple[object, ...]]] = []
    _WATCHERS.append(events)
    yield events
    _WATCHERS.remove(events)
