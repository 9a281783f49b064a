"""Server-sent events, read from bytes as they come in. Source: WHATWG HTML, server-sent events (the stream format)."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event of a stream: `name` is `message` where the server gives none."""

    name: str
    data: str


class TooLong(Exception):
    """One event of a stream is longer than it may be."""


class EventReader:
    """Puts events together from pieces of a stream; `longest` is the most bytes that one event may have."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._rest = b""
        self._name, self._data = "", list[str]()
        self._size = 0
        self._after_return = False

    def feed(self, piece: bytes) -> Iterator[ServerEvent]:
        """Yield the events that a piece completes.

        Raises: TooLong.
        """
        if self._after_return and piece:
            piece, self._after_return = piece.removeprefix(b"\n"), False
        self._after_return = piece.endswith(b"\r")
        whole = self._rest + piece
        lines = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._rest = lines.pop()
        for line in lines:
            if event := self._take(line):
                yield event
        if len(self._rest) + self._size > self._longest:
            raise TooLong

    def _take(self, line: bytes) -> ServerEvent | None:
        if not line:
            return self._complete()
        self._size += len(line)
        field, _, value = line.decode("utf-8", "replace").removeprefix("\ufeff").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value
        return None

    def _complete(self) -> ServerEvent | None:
        name, data = self._name or "message", self._data
        self._name, self._data, self._size = "", [], 0
        return ServerEvent(name, "\n".join(data)) if data else None
