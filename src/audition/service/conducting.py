"""One run in the hands of one worker: its trials in their order, each saved as it ends, until an end or a stop."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol, TypeVar

from audition.errors import Conflict, NotFound, StoreError
from audition.results import TrialResult, Verdict
from audition.service.grading import PROVIDER_TROUBLE, result_of, usage_of
from audition.store.service import runs, trials
from audition.store.service.database import Connection, Database

Stop = Literal["lost", "cancelled", "spent", "draining", "broken"]
"""Why a worker goes on no further: another one has the run; somebody cancelled it; it may spend no more; the process is
to end; or what carries it out broke, so that it is to be begun anew."""

Trial = tuple[int, int]
"""A case and the number of the trial, which counts from 1."""

MOST_ATTEMPTS = 5
"""How often a trial is begun; a worker that died in each of them will die in the next one, too."""

LOOK_S = 1.0
"""How often a worker looks whether its run was cancelled or taken from it, seconds."""

_PATIENCE_S = {"lost": 0.0, "broken": 0.0, "spent": 0.0, "cancelled": 10.0, "draining": 20.0}
"""How long trials under way may go on after a stop, seconds."""

_AGAIN_S = 2.0

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
StartChild = Callable[[int, int], Awaitable[None]]
"""Has a trial of a case carried out, and returns when it has ended."""


class Performance(Protocol):
    """What a run is carried out with: made once, and used for all its trials."""

    @property
    def trials(self) -> Sequence[Trial]:
        """Return all trials of the run, in order."""
        ...

    @property
    def at_once(self) -> int:
        """Return how many of them may go on side by side, >= 1."""
        ...

    @property
    def max_duration_s(self) -> float | None:
        """Return how long the run may take from its beginning, seconds; None for no limit."""
        ...

    async def perform(self, case_id: int, number: int) -> TrialResult:
        """Return what came of a trial."""
        ...

    def refusal(self) -> str | None:
        """Return why the run's models may spend no more, None while they may."""
        ...


class Conducting:
    """A run that this worker holds. All methods but `stop_soon` belong to one event loop."""

    def __init__(self, database: Database, begun: runs.Begun, performance: Performance) -> None:
        self.claim, self._database, self._performance = begun.claim, database, performance
        self.stopped: Stop | None = None
        self._why: str | None = None
        self._loop = asyncio.get_running_loop()
        self._under_way: dict[asyncio.Task[TrialResult], Trial] = {}
        limit_s = performance.max_duration_s
        self._deadline = None if limit_s is None else time.monotonic() + limit_s - begun.elapsed_s

    async def to_the_end(self, start_child: StartChild) -> Stop | None:
        """Carry out what has no result yet, and end the run; return the stop that kept it from its end, None for none.

        A run that is `draining` or `broken` is as it was: it is to be handed back.
        """
        done = await lasting(self._database.read, lambda connection: trials.done(connection, self.claim.run_id))
        left = iter([one for one in self._performance.trials if one not in done])

        async def work() -> None:
            for case_id, number in left:
                if self._must_stop():
                    return
                await start_child(case_id, number)

        watch = asyncio.create_task(self._watch())
        workers = [asyncio.create_task(work()) for _ in range(self._performance.at_once)]
        try:
            broken = [one for one in await asyncio.gather(*workers, return_exceptions=True) if one is not None]
        finally:
            for task in (watch, *workers):
                task.cancel()
        if broken and self.stopped in (None, "draining"):
            _log.error("run %d cannot go on here", self.claim.run_id, exc_info=broken[0])
            self.stopped = self.stopped or "broken"
        if self.stopped in (None, "cancelled", "spent"):
            await self._finish()
        return self.stopped

    async def one(self, case_id: int, number: int) -> None:
        """Carry out one trial and save its result, unless the run is to stop."""
        if self._must_stop():
            return
        attempts = await lasting(
            self._database.write,
            lambda connection: trials.start(connection, self._database.insert, self.claim, case_id, number),
        )
        if attempts is None:
            await self._look()
            return
        result = (
            _poisoned(case_id, number, attempts) if attempts > MOST_ATTEMPTS else await self._performed(case_id, number)
        )
        if result is None:
            return
        row = result_of(case_id, result)
        if self._performance.refusal() is not None and row.outcome in PROVIDER_TROUBLE:
            self._must_stop()  # what was refused for want of money is no result: who resumes the run repeats it
            return
        saved = await lasting(
            self._database.write,
            lambda connection: trials.save(connection, self._database.insert, self.claim, row),
        )
        if saved == "lost":
            self.stop("lost")

    def stop(self, reason: Stop, why: str | None = None) -> None:
        """Begin no further trial, and give up those under way when they do not end soon."""
        if self.stopped is not None and reason != "lost":
            return
        self.stopped, self._why = reason, why
        self._loop.call_later(_PATIENCE_S[reason], self._give_up)

    def stop_soon(self, reason: Stop) -> None:
        """Stop; may be called from any thread."""
        self._loop.call_soon_threadsafe(self.stop, reason)

    async def _performed(self, case_id: int, number: int) -> TrialResult | None:
        """Return what came of a trial, None when it was given up."""
        task = asyncio.create_task(self._performance.perform(case_id, number))
        self._under_way[task] = (case_id, number)
        try:
            return await task
        except asyncio.CancelledError:
            if self.stopped is None:
                raise
        finally:
            del self._under_way[task]
            task.cancel()
        if self.stopped == "draining":  # nobody died of it
            await lasting(
                self._database.write, lambda connection: trials.uncount(connection, self.claim, case_id, number)
            )
        return None

    def _give_up(self) -> None:
        for task in self._under_way:
            task.cancel()

    def _must_stop(self) -> bool:
        if self.stopped is None and (refusal := self._performance.refusal()) is not None:
            self.stop("spent", refusal)
        if self.stopped is None and self._deadline is not None and time.monotonic() >= self._deadline:
            self.stop("spent", f"the budget of {self._performance.max_duration_s:g} s is spent")
        return self.stopped is not None

    async def _watch(self) -> None:
        while not self._must_stop():
            left_s = LOOK_S if self._deadline is None else self._deadline - time.monotonic()
            await asyncio.sleep(min(LOOK_S, max(0.0, left_s)))
            await self._look()

    async def _look(self) -> None:
        found = await lasting(self._database.read, lambda connection: runs.standing(connection, self.claim))
        if found != "held":
            self.stop(found)

    async def _finish(self) -> None:
        def end(connection: Connection) -> None:
            error = self._why or ("cancelled" if self.stopped else _all_in_trouble(connection, self.claim.run_id))
            usage = usage_of(trials.results_of(connection, self.claim.run_id))
            runs.finish(connection, self.claim, error=error, usage=usage)

        await lasting(self._database.write, end)


async def lasting(
    do: Callable[[Callable[[Connection], Answer]], Answer], action: Callable[[Connection], Answer]
) -> Answer:
    """Return what a database action returns, tried until the database can be used: a run waits, and loses nothing.

    `do` is `Database.read` or `Database.write`.
    """
    told = False
    while True:
        try:
            return await asyncio.to_thread(do, action)
        except (NotFound, Conflict):
            raise
        except StoreError as error:
            if not told:
                _log.error("runs wait: %s", error)
            told = True
        # Nobody tells when a disk has room again, or a server is back.
        await asyncio.sleep(_AGAIN_S)


def _all_in_trouble(connection: Connection, run_id: int) -> str | None:
    """Return why a run failed all of whose trials ended in trouble that is no agent's doing; None for any other run.

    Source: service research 1.4, number 14.
    """
    found = trials.outcomes(connection, run_id)
    if not found or any(outcome not in PROVIDER_TROUBLE for outcome, _ in found):
        return None
    return f"every case ended in an error; the first: {found[0][1]}"


def _poisoned(case_id: int, number: int, attempts: int) -> TrialResult:
    times = attempts - 1
    error = f"the worker ended {times} times while it carried out this case, so it is not begun again"
    return TrialResult(eval_name=f"case-{case_id}", verdict=Verdict.ERROR, trial=number, error=error)
