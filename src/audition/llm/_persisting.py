"""Asking again: how often, how long after, and how many at once while a server is too busy."""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from math import inf
from weakref import WeakKeyDictionary

_LONGEST_WAIT_S = 60.0
_FIRST_WAIT_S = 0.5
_MORE_WHEN_ASKED = 5
"""How much more often a server that says when to come back is asked than one that does not."""


@dataclass(frozen=True, slots=True)
class HttpReply:
    """What a server answered. `elapsed_ms`: time of the attempt that succeeded, without the attempts and waits before.

    `attempts` were made, >= 1. `headers` answers to names in any case.
    """

    status: int
    body: bytes
    elapsed_ms: float
    attempts: int
    headers: Mapping[str, str]


class Broken(Exception):
    """One attempt failed: why, and how often such a thing is worth trying (None: as often as anything).

    `heard`: the server may have read the request, and acted on it.
    """

    def __init__(
        self,
        why: str,
        *,
        at_most: int | None = None,
        status: int | None = None,
        timed_out: bool = False,
        heard: bool = True,
    ) -> None:
        super().__init__(why)
        self.why, self.at_most, self.status, self.timed_out = why, at_most, status, timed_out
        self.heard = heard


class GaveUp(Exception):
    """The last of `attempts` failed: with `reply`, or by a `broken` one."""

    def __init__(self, attempts: int, *, reply: HttpReply | None = None, broken: Broken | None = None) -> None:
        super().__init__(attempts)
        self.attempts, self.reply, self.broken = attempts, reply, broken


class Persistence:
    """Makes attempts as often as that may help.

    429 and 503 are made again when Retry-After says, at most 60 s later, and up to five times as often as `attempts`
    (>= 1; 1: never); other 5xx and broken connections after a growing, jittered wait. While a server is too busy, fewer
    requests are under way at once, and none until it may be asked again. `sleep`, `random` (0..1) and `now` (seconds
    since the epoch) and `clock` (seconds that never go back) are for tests.
    """

    def __init__(
        self,
        attempts: int,
        *,
        sleep: Callable[[float], Awaitable[object]],
        random: Callable[[], float],
        now: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._attempts, self._sleep, self._random = attempts, sleep, random
        self._now, self._clock = now, clock
        self._paces: WeakKeyDictionary[asyncio.AbstractEventLoop, _Pace] = WeakKeyDictionary()

    async def persist(self, once: Callable[[int], Awaitable[HttpReply]], *, repeatable: bool) -> HttpReply:
        """Return what an attempt gives; `once` makes the attempt of that number.

        A request that is not `repeatable` is made again only when the server has certainly not acted on it.

        Raises: GaveUp after the last attempt.
        """
        pace = self._paces.setdefault(asyncio.get_running_loop(), _Pace())
        tries = _Tries(self._attempts, repeatable=repeatable)
        while True:
            async with pace:
                await self._keep_quiet(pace)
                reply = await tries.make(once)
            if reply is not None and reply.status != 429 and reply.status < 500:
                pace.answered()
                return reply
            asked_s = None if reply is None else _asked_wait_s(reply, self._now())
            if reply is not None:
                tries.count(reply, put_off=asked_s is not None)
            if asked_s is not None:
                pace.refused(self._clock(), asked_s)
            else:
                await self._sleep(self._backoff_s(tries.failed))

    async def _keep_quiet(self, pace: "_Pace") -> None:
        """Wait until the server may be asked, and longer if it says so meanwhile."""
        until = 0.0
        while until < pace.quiet_until:
            until = pace.quiet_until
            wait_s = until - self._clock()
            if wait_s > 0:
                await self._sleep(wait_s + self._random() / 4)

    def _backoff_s(self, attempt: int) -> float:
        longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2 ** (attempt - 1))
        return float(longest * (0.5 + self._random() / 2))


class _Tries:
    """The attempts at one request: how many were `made`, how many of them `failed` without a word of when to come back.

    `most`: how many may fail.
    """

    def __init__(self, most: int, *, repeatable: bool) -> None:
        self._most, self._repeatable = most, repeatable
        self.made, self.failed = 0, 0

    async def make(self, once: Callable[[int], Awaitable[HttpReply]]) -> HttpReply | None:
        """Return the reply to the next attempt, None when it broke and is worth another.

        Raises: GaveUp.
        """
        self.made += 1
        try:
            return await once(self.made)
        except Broken as broken:
            self.failed += 1
            in_vain = broken.heard and not self._repeatable
            if in_vain or self.failed >= min(self._most, broken.at_most or self._most):
                raise GaveUp(self.made, broken=broken) from None
            return None

    def count(self, reply: HttpReply, *, put_off: bool) -> None:
        """Count a refusal; `put_off`: the server says when to come back.

        Raises: GaveUp when it was the last that may be.
        """
        self.failed += not put_off
        in_vain = reply.status not in (429, 503) and not self._repeatable
        most = self._most * _MORE_WHEN_ASKED if self._most > 1 else 1
        if in_vain or self.failed >= self._most or self.made >= most:
            raise GaveUp(self.made, reply=reply)


class _Pace:
    """How many requests of one loop are under way at once: as many as come, until the server says it is too busy.

    That halves it, once for each time it may be asked again; every answer makes room for one more.
    """

    def __init__(self) -> None:
        self.quiet_until = 0.0
        self._room, self._under_way = inf, 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> None:
        while self._under_way >= self._room:
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._let_in()
                raise
        self._under_way += 1

    async def __aexit__(self, *_: object) -> None:
        self._under_way -= 1
        self._let_in()

    def answered(self) -> None:
        self._room += 1
        self._let_in()

    def refused(self, now: float, wait_s: float) -> None:
        if now >= self.quiet_until:
            self._room = max(1, min(self._room, self._under_way) // 2)
        self.quiet_until = max(self.quiet_until, now + wait_s)

    def _let_in(self) -> None:
        free = self._room - self._under_way
        while self._waiting and free > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


def _asked_wait_s(reply: HttpReply, now: float) -> float | None:
    """Return how long the server asks us to stay away, 60 s at most; None when it does not say."""
    asked = reply.headers.get("Retry-After") if reply.status in (429, 503) else None
    seconds = _seconds(asked, now) if asked else None
    return seconds if seconds is None else min(seconds, _LONGEST_WAIT_S)


def _seconds(retry_after: str, now: float) -> float | None:
    """Return what a Retry-After header means in seconds from now, > 0; None when it means nothing."""
    from email.utils import parsedate_to_datetime  # 5 ms of CPU: only when a server is busy

    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - now
        except ValueError:
            return None
    return seconds if 0 < seconds < float("inf") else None
