"""A server that answers every request with the same words after a fixed time, cheaply: no framework, one process.

It speaks both chat completions (any path that ends in `/chat/completions`; as a judge where it begins with `/judge/`)
and audition's own protocol (any other POST); `GET /count` answers how many of them it has answered. Run it as
`python server.py DELAY_MS`: it prints its port, and ends when its standard input does.
"""

import asyncio
import json
import sys

ANSWER = "Hello, how can I help you?"
GRADE = '{"reason": "It offers its help.", "score": 5}'


def _chat(content: str) -> dict[str, object]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "canned",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 8, "completion_tokens": 8, "total_tokens": 16},
    }


_TURN = {"replies": [ANSWER], "tool_calls": [], "state": {}, "workflows": []}


class Answering(asyncio.Protocol):
    """One connection: requests come one after another, each with a Content-Length or no body."""

    answered = 0

    def __init__(self, delay_s: float) -> None:
        self._delay_s, self._received = delay_s, b""
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer once a request is there, after the delay."""
        self._received += data
        head, blank, rest = self._received.partition(b"\r\n\r\n")
        if not blank or len(rest) < _content_length(head):
            return
        self._received = b""
        if head.startswith(b"GET"):
            self._transport.write(_response({"answered": Answering.answered}))
            return
        response = _answer_to(head.partition(b" HTTP/")[0].partition(b" ")[2])
        if self._delay_s:
            self._loop.call_later(self._delay_s, self._answer, response)
        else:
            self._answer(response)

    def _answer(self, response: bytes) -> None:
        Answering.answered += 1
        self._transport.write(response)


def _content_length(head: bytes) -> int:
    _, found, rest = head.lower().partition(b"\r\ncontent-length:")
    return int(rest.partition(b"\r\n")[0]) if found else 0


def _response(content: object) -> bytes:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


_CHAT_RESPONSE, _GRADE_RESPONSE, _TURN_RESPONSE = _response(_chat(ANSWER)), _response(_chat(GRADE)), _response(_TURN)


def _answer_to(path: bytes) -> bytes:
    if not path.endswith(b"/chat/completions"):
        return _TURN_RESPONSE
    return _GRADE_RESPONSE if path.startswith(b"/judge/") else _CHAT_RESPONSE


async def main(delay_ms: float) -> None:
    """Serve until the standard input ends."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Answering(delay_ms / 1000), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1])))
