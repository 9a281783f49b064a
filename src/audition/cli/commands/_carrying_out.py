"""Carrying out a run: its results are counted, kept and shown as they come in, and reported when all are there."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path

from audition.cli.commands._history import history_of
from audition.cli.commands._interruption import run_interruptible
from audition.cli.commands._progress import Progress, progress
from audition.cli.commands._reporting import Screen, colour_allowed, write_report
from audition.engine.tally import INTERRUPTED, Tally, exit_code
from audition.errors import ExitCode
from audition.llm.budget import Budget
from audition.reports.text import result_text, summary_text
from audition.results import Run, TrialResult, Verdict
from audition.settings import Settings
from audition.store.history import open_recorder
from audition.store.memory import MemoryStore
from audition.store.recording import Recording

STOPPED = "stopped at the first failure"
"""The `error` of a run that `--fail-fast` ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How a run is to be shown and kept. `output` None: the report goes to the terminal.

    `report` None: nothing is shown, since the command does so itself. `budget` may end the run.
    """

    report: str | None
    output: Path | None
    verbose: bool
    many_trials: bool
    keep: bool
    fail_fast: bool = False
    budget: Budget | None = None

    @property
    def streams(self) -> bool:
        """Say whether results are shown as they come in, which leaves no report to be written at the end."""
        return self.report == "text" and self.output is None


def carry_out(settings: Settings, run: Run, results: AsyncGenerator[TrialResult], wishes: Wishes) -> ExitCode:
    """Bring a run to its end, and return what the shell is told of it."""
    memory = None if wishes.keep or wishes.streams or wishes.report is None else MemoryStore()
    recorder = open_recorder(settings.history_place) if wishes.keep else memory
    with closing(recorder) if recorder else nullcontext():
        with (
            Recording(recorder, run) if recorder else nullcontext() as recording,
            progress(run.total, colour=colour_allowed()) as shown,
        ):
            following = _Following(run, wishes, recording, shown)
            finished = run_interruptible(following.follow(results))
            if recording:
                recording.finish(finished)
        if wishes.report is not None and not wishes.streams:
            with nullcontext(memory) if memory else history_of(settings) as store:
                kept = store.results(finished.id)
                write_report(wishes.report, finished, kept, verbose=wishes.verbose, output=wishes.output)
    if wishes.streams or (wishes.report and wishes.output):
        summary = summary_text(finished, following.repeats, verbose=wishes.verbose)
        Screen().show(("\n" if wishes.streams else "") + summary)
    return exit_code(finished)


class _Following:
    """A run as it goes on; `repeats` are the verdicts so far, by eval."""

    def __init__(self, run: Run, wishes: Wishes, recording: Recording | None, shown: Progress) -> None:
        self._tally, self._wishes, self._recording = Tally(run), wishes, recording
        self._advance, self._screen = shown.advance, Screen(shown.write)
        self.repeats: dict[str, list[Verdict]] = {}

    async def follow(self, results: AsyncGenerator[TrialResult]) -> Run:
        """Take each result as it comes in, and return the run as it ended.

        A run that is cancelled (Ctrl-C), stopped, or whose output nobody reads any more keeps what had finished, and
        says in its `error` why it ended.
        """
        begun = time.perf_counter()
        try:
            ended_early = await self._take_all(results)
        except (asyncio.CancelledError, BrokenPipeError):
            ended_early = INTERRUPTED
        duration_ms = (time.perf_counter() - begun) * 1000
        return self._tally.run("failed" if ended_early else "completed", duration_ms=duration_ms, error=ended_early)

    async def _take_all(self, results: AsyncGenerator[TrialResult]) -> str | None:
        async with aclosing(results):
            async for result in results:
                self._take(result)
                if self._wishes.fail_fast and result.verdict in (Verdict.FAIL, Verdict.ERROR):
                    return STOPPED
        return self._wishes.budget.refusal if self._wishes.budget else None

    def _take(self, result: TrialResult) -> None:
        self._tally.count(result)
        if self._recording:
            self._recording.add(result)
        self._advance(result)
        self.repeats.setdefault(result.eval_name, []).append(result.verdict)
        if self._wishes.streams:
            text = result_text(result, verbose=self._wishes.verbose, many_trials=self._wishes.many_trials)
            self._screen.show(text)
