"""Performing: the loop of drive, score and settle over all trials. Its results are the whole integration."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from typing import Protocol

from audition.agents import Agent
from audition.engine.drive import drive
from audition.engine.plan import Trial
from audition.engine.settle import settle
from audition.evals import Eval
from audition.judges import Judge
from audition.llm.trial import of_trial
from audition.results import CheckResult, TrialResult, Verdict, roll_up
from audition.scoring.score import Row, score
from audition.transcript import Transcript
from audition.users import User
from audition.users.script import Script

_WAITING = 256
"""How many results may be under way or wait for the consumer before the workers pause: it bounds a run's memory."""


Users = Callable[[Eval], User]
"""Who speaks the turns of an eval: what is written, or a simulated person."""


def script(one: Eval) -> User:
    """Return the user who says what is written."""
    return Script(one.turns)


class Scorer(Protocol):
    """How transcripts are judged: `scoring.score.score`, or what reads the same checks in another way."""

    def __call__(self, eval: Eval, transcript: Transcript, *, judge_pass_threshold: int) -> list[Row]:
        """Return one row for each check. Pure."""
        ...


async def perform(
    trials: Iterable[Trial],
    agent: Agent,
    judge: Judge | None,
    *,
    at_once: int,
    judging: bool = True,
    scorer: Scorer = score,
    users: Users = script,
    is_over: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[TrialResult]:
    """Yield the result of each trial as it finishes, at most `at_once` (>= 1) trials running side by side.

    When the consumer is cancelled, the trials under way are, too; results that are already there are still yielded.
    `judge` None: checks that need one are errors; `judging` False: they are skipped. `users` says who speaks.
    `is_over` is asked before each trial: once it says so, no further one is begun.
    """
    finished: asyncio.Queue[TrialResult | None] = asyncio.Queue()
    room = asyncio.Semaphore(at_once + _WAITING)  # taken before a trial begins, so that no result ever has to wait
    pending = iter(trials)

    async def work() -> None:
        try:
            for trial in pending:
                await room.acquire()
                if is_over():
                    return
                finished.put_nowait(await perform_one(trial, agent, judge, judging=judging, scorer=scorer, users=users))
        finally:
            finished.put_nowait(None)

    # A TaskGroup would wrap the GeneratorExit of a consumer that stops early, so the workers are ended by hand.
    workers = [asyncio.create_task(work()) for _ in range(at_once)]
    try:
        working = len(workers)
        while working:
            result = await finished.get()
            if result is None:
                working -= 1
            else:
                room.release()
                yield result
        await asyncio.gather(*workers)  # they have ended; one that broke says so here
    except asyncio.CancelledError:
        for result in _left_in(finished):  # first: an agent may refuse to be cancelled
            yield result
        await _end(workers)
        for result in _left_in(finished):
            yield result
        raise
    finally:
        await _end(workers)


async def perform_one(
    trial: Trial,
    agent: Agent,
    judge: Judge | None,
    *,
    judging: bool = True,
    scorer: Scorer = score,
    users: Users = script,
) -> TrialResult:
    """Return the result of one trial; whatever goes wrong in it is part of the result."""
    started_at, begun = datetime.now(UTC).isoformat(), time.perf_counter()
    transcript, user = Transcript(), None
    try:
        with of_trial(trial.eval.name, trial.number):
            user = users(trial.eval)
            transcript = await drive(agent, user, trial)
            scored = await _scored(scorer, trial, transcript)
            checks = await settle(scored, judge, judging=judging, within_s=_left_s(trial, begun))
        verdict, error = roll_up(check.verdict for check in checks), why(checks)
    except Exception as broken:
        checks, verdict, error = (), Verdict.ERROR, f"{type(broken).__name__}: {broken}"
    return TrialResult(
        eval_name=trial.eval.name,
        verdict=verdict,
        trial=trial.number,
        type=trial.eval.type,
        tags=trial.eval.tags,
        error=error,
        checks=checks,
        transcript=transcript,
        duration_ms=round((time.perf_counter() - begun) * 1000, 3),
        started_at=started_at,
        user_usage=user.usage if user else None,
    )


def _left_s(trial: Trial, begun: float) -> float | None:
    """Return how much of a trial's time is left for the judge, seconds; None when it has no limit."""
    if trial.timeout_s is None:
        return None
    return max(0.0, trial.timeout_s - (time.perf_counter() - begun))


async def _scored(scorer: Scorer, trial: Trial, transcript: Transcript) -> list[Row]:
    judge = partial(scorer, trial.eval, transcript, judge_pass_threshold=trial.judge_pass_threshold)
    # A slow pattern must not hold up the loop: other trials are being timed on it.
    return await asyncio.to_thread(judge) if trial.searches else judge()


def why(checks: tuple[CheckResult, ...]) -> str | None:
    """Return why there is no clean verdict: the reason of the first check that is an error, None without one."""
    if not checks:
        return "nothing was evaluated"
    for check in checks:
        if check.verdict is Verdict.ERROR or check.category == "agent":
            return check.reason or f"{check.category}.{check.check} could not be evaluated"
    if all(check.verdict is Verdict.SKIP for check in checks):
        return "nothing was evaluated: every check was skipped"
    return None


async def _end(workers: list[asyncio.Task[None]]) -> None:
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)


def _left_in(finished: asyncio.Queue[TrialResult | None]) -> Iterator[TrialResult]:
    while not finished.empty():
        if (result := finished.get_nowait()) is not None:
            yield result
