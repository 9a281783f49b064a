"""Counting: what a run has come to so far, and what that means to a shell."""

import secrets
import time
from dataclasses import replace
from datetime import UTC, datetime

from audition.errors import PRECEDENCE, ExitCode
from audition.results import Run, RunStatus, TrialResult, Verdict, agent_usage, judge_usage
from audition.transcript import Usage, total

INTERRUPTED = "interrupted"
"""The `error` of a run that was stopped by hand."""


def new_run(
    *,
    agent: str,
    total: int,
    judge: str | None = None,
    judge_fingerprint: str | None = None,
    paths: tuple[str, ...] = (),
    faults: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
    rescored_from: str | None = None,
) -> Run:
    """Return a run that begins now, under a new id: 26 hexadecimal digits, later runs sorting after earlier ones."""
    return Run(
        id=f"{time.time_ns() // 1_000_000:012x}{secrets.token_hex(7)}",
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        agent=agent,
        judge=judge,
        judge_fingerprint=judge_fingerprint,
        total=total,
        paths=paths,
        faults=faults,
        warnings=warnings,
        rescored_from=rescored_from,
    )


class Tally:
    """The counts of a run, as its results come in."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._counts = dict.fromkeys(Verdict, 0)
        self._by_agent: Usage | None = None
        self._by_judge: Usage | None = None
        self._by_user: Usage | None = None

    def count(self, result: TrialResult) -> None:
        """Count one result."""
        self._counts[result.verdict] += 1
        self._by_agent = _with(self._by_agent, agent_usage(result))
        self._by_judge = _with(self._by_judge, judge_usage(result))
        self._by_user = _with(self._by_user, result.user_usage)

    def run(self, status: RunStatus, *, duration_ms: float = 0.0, error: str | None = None) -> Run:
        """Return the run with the counts so far; `duration_ms` is how long it has taken, in milliseconds."""
        return replace(
            self._run,
            status=status,
            passed=self._counts[Verdict.PASS],
            failed=self._counts[Verdict.FAIL],
            errors=self._counts[Verdict.ERROR],
            skipped=self._counts[Verdict.SKIP],
            duration_ms=round(duration_ms, 3),
            error=error,
            agent_usage=self._by_agent,
            judge_usage=self._by_judge,
            user_usage=self._by_user,
        )


def _with(so_far: Usage | None, more: Usage | None) -> Usage | None:
    return so_far if more is None else more if so_far is None else total([so_far, more])


def exit_code(run: Run) -> ExitCode:
    """Return what a shell is told of a run. Source: architecture, section 1, exit codes."""
    missing = run.total - run.ran
    holds = {
        ExitCode.INTERRUPTED: run.error == INTERRUPTED,
        ExitCode.ASKED_WRONGLY: bool(run.faults),
        ExitCode.FAILED: run.failed > 0,
        ExitCode.NOT_EVALUATED: run.errors > 0 or run.skipped > 0 or missing > 0 or run.status == "failed",
        ExitCode.NOTHING_SELECTED: run.total == 0,
        ExitCode.PASSED: True,
    }
    return next(code for code in PRECEDENCE if holds.get(code))
