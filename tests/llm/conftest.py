"""A loopback server that answers as it is told, faults and all."""

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]


class FaultyServer:
    """Answers each request with the next of `behaviours`, the last one for ever; remembers what it was sent."""

    def __init__(self) -> None:
        self.url = ""
        self.behaviours: list[Behaviour] = []
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.connections = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                first, *lines = head.decode("latin-1").strip().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
                body = await reader.readexactly(int(headers.get("content-length", 0)))
                self.requests.append((first.split(" ")[1], headers, body))
                behaviour = self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]
                await behaviour(writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def will(self, *behaviours: Behaviour) -> None:
        self.behaviours = list(behaviours)

    def sent(self, at: int = -1) -> dict[str, object]:
        body: dict[str, object] = json.loads(self.requests[at][2])
        return body

    @staticmethod
    def answer(status: int = 200, body: bytes | object = b"{}", **headers: str) -> Behaviour:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(content)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]

        async def behave(writer: asyncio.StreamWriter) -> None:
            writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
            await writer.drain()

        return behave

    @staticmethod
    def raw(content: bytes) -> Behaviour:
        """Send bytes as they are, then close."""

        async def behave(writer: asyncio.StreamWriter) -> None:
            writer.write(content)
            await writer.drain()
            writer.close()

        return behave

    @staticmethod
    async def reset(writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    @staticmethod
    async def silent(writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)  # cancelled when the test ends

    @staticmethod
    async def drip(writer: asyncio.StreamWriter) -> None:
        """Send a byte every hundredth of a second, for ever."""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.01)

    @staticmethod
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            writer.write(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
            await writer.drain()

    @staticmethod
    def zip_bomb(size: int) -> Behaviour:
        return FaultyServer.answer(200, gzip.compress(b" " * size), Content_Encoding="gzip")


@pytest.fixture
async def server() -> AsyncIterator[FaultyServer]:
    """Serve on a free port of this machine."""
    faulty = FaultyServer()
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(faulty.serve(reader, writer)))

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=256)
    faulty.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    yield faulty
    listening.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture
def unused_url() -> str:
    """Return the URL of a port of this machine at which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}"


@pytest.fixture
def full_url() -> Iterator[str]:
    """Return the URL of a port of this machine that takes no more connections: they are never made."""
    with socket.socket() as listening, socket.socket() as first, socket.socket() as second:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        first.connect(listening.getsockname())
        second.setblocking(False)
        second.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture
def serving() -> Iterator[str]:
    """Serve `{}` from a thread, for tests that run loops of their own; the value is the URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()
