"""Watching runs: clients that wait for a change, and streams of events. They hold no thread and no connection."""

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from audition.errors import AuditionError
from audition.service.problems import Problem
from audition.store.service.runs import Event

LOOK_S = 0.25
"""How often a watched run is looked at, seconds."""

BEAT_S = 15.0
"""After how many seconds of silence a stream says that it lives."""

CHECK_S = 60.0
"""How often it is asked whether whoever listens still may, seconds."""

MOST_WAIT_S = 60
"""The longest that a client may wait for a change, seconds."""

AT_ONCE = 500
"""How many events are read at once."""

ENDS = frozenset({"run.completed", "run.failed", "run.cancelled"})
"""The events after which there are no more."""

_WAIT = re.compile(r"(?:^|[,;])\s*wait\s*=\s*\"?(\d{1,9})\"?\s*(?=$|[,;])", re.IGNORECASE)

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Batch:
    """Events of a run in order; `is_final`: the run was at its end before they were read."""

    events: list[Event]
    is_final: bool


class Seats:
    """How many may watch at once: `most` in all, `most_each` of one member. For one event loop."""

    def __init__(self, *, most: int, most_each: int) -> None:
        self._most, self._most_each = most, most_each
        self._taken: Counter[int] = Counter()

    def take(self, member_id: int) -> None:
        """Take a seat; whoever does gives it back by `leave`.

        Raises: Problem 429 when the member has too many, 503 when all are taken.
        """
        if self._taken[member_id] >= self._most_each:
            told = f"you watch {self._most_each} runs already; close one of them first"
            raise Problem(429, told, code="too_many_listeners", headers={"Retry-After": "5"})
        if self._taken.total() >= self._most:
            raise Problem(503, "too many watch runs here now", code="too_many_listeners", headers={"Retry-After": "5"})
        self._taken[member_id] += 1

    def leave(self, member_id: int) -> None:
        """Give a seat back."""
        self._taken[member_id] -= 1
        if not self._taken[member_id]:
            del self._taken[member_id]


def wait_of(prefer: str) -> int:
    """Return how many seconds a Prefer header asks to wait, at most 60; 0 for not at all. Source: RFC 7240, 4.3.

    >>> wait_of("wait=10, handling=strict"), wait_of("wait=9999"), wait_of("respond-async")
    (10, 60, 0)
    """
    found = _WAIT.search(prefer)
    return min(int(found[1]), MOST_WAIT_S) if found else 0


async def until(
    look: Callable[[], Awaitable[Found]],
    is_enough: Callable[[Found], bool],
    *,
    wait_s: float,
    has_left: Callable[[], Awaitable[bool]],
    look_s: float = LOOK_S,
) -> Found:
    """Return what is seen once it is enough, or when the time is over or whoever waits has left."""
    ends_at = time.monotonic() + wait_s
    while True:
        found = await look()
        left_s = ends_at - time.monotonic()
        if is_enough(found) or left_s <= 0 or await has_left():
            return found
        # Runs change in other processes, which tell nobody: the database has to be asked.
        await asyncio.sleep(min(look_s, left_s))


async def stream(
    read: Callable[[int], Awaitable[Batch]],
    after: int,
    *,
    may_listen: Callable[[], Awaitable[bool]],
    look_s: float = LOOK_S,
    beat_s: float = BEAT_S,
    check_s: float = CHECK_S,
) -> AsyncIterator[bytes]:
    """Yield the events of a run after one, as they happen, up to its end. Source: HTML, server-sent events.

    `read` returns those after an id. The stream also ends when they cannot be read any more, or whoever listens may
    no longer: a client that still may takes up where it was, by the id of the last event.
    """
    yield b"retry: 1000\n\n"
    told_at = checked_at = time.monotonic()
    while True:
        try:
            batch = await read(after)
        except (AuditionError, Problem):
            return
        for event in batch.events:
            yield encoded(event)
            after, told_at = event.id, time.monotonic()
            if event.type in ENDS:
                return
        if len(batch.events) == AT_ONCE:
            continue
        if batch.is_final:
            return
        if time.monotonic() - told_at >= beat_s:
            yield b": the run goes on\n\n"
            told_at = time.monotonic()
        if time.monotonic() - checked_at >= check_s:
            if not await may_listen():
                return
            checked_at = time.monotonic()
        await asyncio.sleep(look_s)


def encoded(event: Event) -> bytes:
    """Return an event as it stands in a stream."""
    data = "".join(f"data: {line}\n" for line in event.data.splitlines() or [""])
    return f"id: {event.id}\nevent: {event.type}\n{data}\n".encode()
