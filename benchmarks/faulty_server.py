"""A judge's server with faults: what it does is said by the reply that is to be judged ("fault NAME, case 7").

Cases of an even number meet the fault once and then a good answer, the others meet it for ever. Run it as
`python faulty_server.py`: it prints its port, and ends when its standard input does.
"""

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Mapping

Behaviour = Callable[[asyncio.StreamWriter], Awaitable[None]]

_GRADE = '{"reason": "It is right.", "score": 5}'
_CHOICE = {"index": 0, "message": {"role": "assistant", "content": _GRADE}, "finish_reason": "stop"}
GOOD = json.dumps({"model": "faulty", "choices": [_CHOICE]}).encode()
"""A whole answer, a pass; faults hold it too, so that reading half an answer would show."""

_ASKED = re.compile(rb"fault ([a-z_]+), case (\d+)")


def _reply(status: str, body: bytes, *headers: str) -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def _says(content: bytes, *, closes: bool = False) -> Behaviour:
    async def behave(writer: asyncio.StreamWriter) -> None:
        writer.write(content)
        await writer.drain()
        if closes:
            writer.close()

    return behave


async def _reset(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def _drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + GOOD)
    while not writer.is_closing():
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _endless(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(GOOD), GOOD))
    while not writer.is_closing():
        writer.write(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
        await writer.drain()


FAULTS: Mapping[str, Behaviour] = {
    "busy": _says(_reply("429 Too Many Requests", GOOD, "Retry-After: 1")),
    "broken": _says(_reply("500 Internal Server Error", GOOD)),
    "reset": _reset,
    "drip": _drip,
    "cut": _says(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + GOOD, closes=True),
    "endless": _endless,
    "html": _says(_reply("200 OK", b"<html><body>Please log in</body></html>", "Content-Type: text/html")),
    "garbage": _says(_reply("200 OK", b"garbage" + GOOD, "Content-Encoding: gzip")),
}
"""What may be wrong, by name."""


class _Server:
    def __init__(self) -> None:
        self._met: set[tuple[bytes, bytes]] = set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer the requests of one connection."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                body = await reader.readexactly(int(length[1]) if length else 0)
                await self._behaviour(body)(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _behaviour(self, body: bytes) -> Behaviour:
        name, number = case = _ASKED.findall(body)[-1]
        passes = case in self._met and int(number) % 2 == 0
        self._met.add(case)
        return _says(_reply("200 OK", GOOD)) if passes else FAULTS[name.decode()]


async def main() -> None:
    """Serve until the standard input ends."""
    served = _Server()
    listening = await asyncio.start_server(served.serve, "127.0.0.1", 0, backlog=1024)
    print(listening.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    listening.close()


if __name__ == "__main__":
    asyncio.run(main())
