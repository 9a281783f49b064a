"""What is asked again, and how a server that is too busy is spared."""

import asyncio
from itertools import count
from random import Random

import pytest

from audition.llm._persisting import GaveUp, HttpReply, Persistence

pytestmark = pytest.mark.anyio


class Clock:
    """A clock that goes on only when nobody has anything left to do but wait."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        waking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + seconds, next(self._numbers), waking))
        await waking

    async def run(self, tasks: list[asyncio.Task[HttpReply]]) -> None:
        """Let time pass until all tasks are done."""
        while not all(task.done() for task in tasks):
            await self._settle()
            if self._sleepers:
                self._sleepers.sort()
                self.now, _, waking = self._sleepers.pop(0)
                if not waking.done():
                    waking.set_result(None)

    @staticmethod
    async def _settle() -> None:
        for _ in range(10):
            await asyncio.sleep(0)


def reply(status: int, attempt: int = 1, retry_after: str | None = None) -> HttpReply:
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return HttpReply(status, b"", 1.0, attempt, headers)


class BusyServer:
    """For 30 s answers 60 % with 429 and 10 % with 500, 502 or 503, then everything; a request takes 0.5 s."""

    def __init__(self, clock: Clock, *, retry_after_s: int, seed: int) -> None:
        self._clock, self._random = clock, Random(seed)
        self._retry_after_s = retry_after_s
        self.requests = 0
        self.early = 0
        self._quiet_until = 0.0

    async def once(self, attempt: int) -> HttpReply:
        self.requests += 1
        self.early += self._clock.now < self._quiet_until
        await self._clock.sleep(0.5)
        lot = self._random.random()
        if self._clock.now >= 30 or lot >= 0.7:
            return reply(200, attempt)
        if lot >= 0.6:
            return reply(self._random.choice([500, 502, 503]), attempt)
        self._quiet_until = max(self._quiet_until, self._clock.now + self._retry_after_s)
        return reply(429, attempt, str(self._retry_after_s))


# reliability: R7
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("retry_after_s", [1, 2, 5, 20])
async def test_a_provider_that_is_too_busy_for_a_while_gives_every_answer_in_the_end(retry_after_s, seed):
    clock = Clock()
    server = BusyServer(clock, retry_after_s=retry_after_s, seed=seed)
    persistence = Persistence(6, sleep=clock.sleep, random=Random(seed).random, now=clock, clock=clock)
    places = asyncio.Semaphore(50)

    async def call() -> HttpReply:
        async with places:
            return await persistence.persist(server.once, repeatable=True)

    calls = [asyncio.create_task(call()) for _ in range(200)]
    await clock.run(calls)

    assert [task.result().status for task in calls] == [200] * 200
    assert server.requests <= 3 * 200
    assert server.early == 0


async def test_a_server_that_says_when_is_asked_five_times_as_often_as_one_that_does_not():
    clock = Clock()
    persistence = Persistence(3, sleep=clock.sleep, random=lambda: 0.0, now=clock, clock=clock)

    async def once(attempt: int) -> HttpReply:
        return reply(429, attempt, "2")

    calls = [asyncio.create_task(persistence.persist(once, repeatable=True))]
    await clock.run(calls)

    with pytest.raises(GaveUp) as caught:
        calls[0].result()
    assert (caught.value.attempts, clock.now) == (15, 28.0)


async def test_one_attempt_is_one_attempt_whatever_the_server_says():
    clock = Clock()
    persistence = Persistence(1, sleep=clock.sleep, random=lambda: 0.0, now=clock, clock=clock)

    async def once(attempt: int) -> HttpReply:
        return reply(429, attempt, "2")

    with pytest.raises(GaveUp, match="1"):
        await persistence.persist(once, repeatable=True)


async def test_a_call_that_is_cancelled_while_it_waits_its_turn_gives_it_to_the_next():
    clock = Clock()
    persistence = Persistence(6, sleep=clock.sleep, random=lambda: 0.0, now=clock, clock=clock)
    answers = iter([reply(429, 1, "9"), reply(429, 1, "9"), *(reply(200) for _ in range(9))])

    async def once(_: int) -> HttpReply:
        await clock.sleep(1)
        return next(answers)

    def call() -> asyncio.Task[HttpReply]:
        return asyncio.create_task(persistence.persist(once, repeatable=True))

    first, second, third = call(), call(), call()
    await clock._settle()
    first.cancel()
    calls: list[asyncio.Task[HttpReply]] = [second, third, call()]
    await clock.run(calls)

    assert [task.result().status for task in calls] == [200, 200, 200]
