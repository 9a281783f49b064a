"""A store that keeps everything in memory: for tests, and for libraries that want no file."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from audition.errors import Conflict, NotFound
from audition.results import Run, TrialResult, Verdict


class MemoryStore:
    """Keeps runs and results as they are, for as long as it lives."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._results: dict[str, dict[tuple[str, int], TrialResult]] = {}

    def begin(self, run: Run) -> None:
        """Note that a run has begun."""
        self._runs[run.id] = run

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        """Keep results; one that is there already (same eval, same trial) is replaced."""
        kept = self._results.setdefault(run_id, {})
        kept.update(((result.eval_name, result.trial), result) for result in results)

    def finish(self, run: Run) -> None:
        """Keep the run's last status and counts."""
        self._runs[run.id] = run

    def close(self) -> None:
        """Let go of nothing: there is nothing held outside memory."""

    def runs(self, *, limit: int) -> list[Run]:
        """Return the latest runs, newest first."""
        newest = sorted(self._runs.values(), key=lambda run: (run.started_at, run.id), reverse=True)
        return [self._counted(run) for run in newest[:limit]]

    def run(self, run_id: str) -> Run:
        """Return the run of that id, or of the only id that begins so.

        Raises: NotFound when there is none, Conflict when several begin so.
        """
        found = only_id(run_id, [known for known in sorted(self._runs) if known.startswith(run_id)])
        return self._counted(self._runs[found])

    def results(self, run_id: str) -> Iterator[TrialResult]:
        """Return the results of a run in the order in which they were first saved."""
        yield from self._results.get(run_id, {}).values()

    def _counted(self, run: Run) -> Run:
        if run.status not in UNFINISHED:
            return run
        return with_counts(run, Counter(result.verdict for result in self.results(run.id)))


UNFINISHED = frozenset({"pending", "running"})
"""The status of runs whose counts nobody has written down yet: they go on, or their process was killed."""


def with_counts(run: Run, verdicts: Mapping[Verdict, int]) -> Run:
    """Return an unfinished run with the counts of the results that are there, so that no failure is hidden."""
    return replace(
        run,
        passed=verdicts.get(Verdict.PASS, 0),
        failed=verdicts.get(Verdict.FAIL, 0),
        errors=verdicts.get(Verdict.ERROR, 0),
        skipped=verdicts.get(Verdict.SKIP, 0),
    )


def only_id(asked: str, known: Sequence[str]) -> str:
    """Return the id that was asked for, out of the ids that begin so.

    Raises: NotFound when there is none, Conflict when there are several and none is just that.
    """
    if asked in known:
        return asked
    if not known:
        raise NotFound(f"no run called {asked!r}", hint="audition runs lists those there are")
    if len(known) > 1:
        raise Conflict(f"several runs begin with {asked!r}: {', '.join(known)}", hint="write more of the id")
    return known[0]
