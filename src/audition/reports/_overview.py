"""What reports on a page say of a run as a whole."""

from collections.abc import Iterator, Mapping, Sequence

from audition.results import Run, TrialResult, Verdict, roll_up
from audition.statistics.intervals import wilson
from audition.statistics.repeats import stability
from audition.transcript import Usage
from audition.wire import without_secrets

WORDS: Mapping[Verdict, str] = {
    Verdict.PASS: "passed",
    Verdict.FAIL: "failed",
    Verdict.ERROR: "could not be evaluated",
    Verdict.SKIP: "skipped",
}
"""Each verdict in words."""


def verdict_of(run: Run) -> Verdict:
    """Return what a run comes to: what is missing, or could not be read, is an error, and nothing at all is one too."""
    seen = [Verdict.FAIL] * bool(run.failed) + [Verdict.PASS] * bool(run.passed)
    if run.errors or run.faults or run.error is not None or run.ran < run.total:
        seen.append(Verdict.ERROR)
    return roll_up(seen)


def counts_of(run: Run) -> str:
    """Return how many trials came to which verdict, and how many are missing."""
    counted = {"passed": run.passed, "failed": run.failed, "errors": run.errors, "skipped": run.skipped}
    counted["not run"] = max(0, run.total - run.ran)
    return ", ".join(f"{number} {noun}" for noun, number in counted.items() if number or noun in ("passed", "failed"))


def rate_of(passed: int, of: int) -> str:
    """Return a rate with all that belongs to it: `8 of 10 passed, 95 % interval 0.49 to 0.94`."""
    low, high = wilson(passed, of)
    return f"{passed} of {of} passed, 95 % interval {low:.2f} to {high:.2f}"


def facts_of(run: Run) -> Iterator[tuple[str, str]]:
    """Yield what is known of a run, each with its name."""
    known = {
        "Run": run.id,
        "Status": run.status,
        "Began": run.started_at,
        "Took": f"{run.duration_ms / 1000:.1f} s",
        "Agent": without_secrets(run.agent),
        "Judge": run.judge,
        "Judge's standing": run.judge_fingerprint,
        "Judged again from": run.rescored_from,
        "Agent's models": spent(run.agent_usage),
        "Judge's models": spent(run.judge_usage),
        "Simulated user's models": spent(run.user_usage),
    }
    yield from ((name, value) for name, value in known.items() if value)


def spent(usage: Usage | None) -> str | None:
    """Return what models took, in words; None when nobody says."""
    if usage is None:
        return None
    told = {
        "calls": usage.calls,
        "input tokens": usage.input_tokens,
        "output tokens": usage.output_tokens,
    }
    parts = [f"{number:,} {noun}" for noun, number in told.items() if number is not None]
    return ", ".join([*parts, "cost unknown" if usage.cost_usd is None else f"${usage.cost_usd:.4f}"])


def repeated(repeats: Mapping[str, Sequence[Verdict]]) -> Iterator[tuple[str, str]]:
    """Yield each eval that was run several times, with how often it passed and whether its trials agree."""
    for name, verdicts in repeats.items():
        if len(verdicts) > 1:
            steadiness = stability(verdicts).replace("error", "not known whether it is stable")
            yield name, f"{rate_of(verdicts.count(Verdict.PASS), len(verdicts))}; {steadiness}"


def title_of(result: TrialResult) -> str:
    """Return the name of a trial, with its number when it is not the first."""
    return result.eval_name if result.trial == 1 else f"{result.eval_name} #{result.trial}"
