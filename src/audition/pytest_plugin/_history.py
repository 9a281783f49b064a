"""What a session's evals came to, kept in the project's history as one run."""

import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import replace

from audition.engine.standing import fingerprint_of
from audition.engine.tally import INTERRUPTED, new_run
from audition.pytest_plugin._project import Project
from audition.results import TrialResult, Verdict
from audition.store.history import open_recorder
from audition.store.recording import Recording


class History:
    """One run in the history at `place`; a rerun of an eval replaces what was kept of it.

    Raises: StoreError when the history cannot be opened.
    """

    def __init__(self, project: Project, place: str) -> None:
        judge = project.judge_reference
        fingerprint = fingerprint_of(project.settings, judge)
        self._run = new_run(agent=project.agent_reference, judge=judge, judge_fingerprint=fingerprint, total=0)
        with ExitStack() as opened:
            recorder = opened.enter_context(closing(open_recorder(place)))
            self._recording = opened.enter_context(Recording(recorder, self._run))
            self._opened = opened.pop_all()
        self._begun = time.perf_counter()
        self._homes: dict[str, str] = {}
        self._verdicts: dict[tuple[str, int], Verdict] = {}

    def add(self, result: TrialResult, path: str) -> None:
        """Keep a result. Evals of one name in several files, which pytest tells apart, are told apart here as well."""
        if self._homes.setdefault(result.eval_name, path) != path:
            result = replace(result, eval_name=f"{path}::{result.eval_name}")
        self._verdicts[result.eval_name, result.trial] = result.verdict
        self._recording.add(result)

    def finish(self, total: int | None) -> None:
        """Write what waits, and how the run ended; `total` evals were to be run, None when that is not known.

        Raises: StoreError when something could not be kept.
        """
        counts = Counter(self._verdicts.values())
        ended_early = total is not None and total > len(self._verdicts)
        run = replace(
            self._run,
            status="failed" if ended_early else "completed",
            error=INTERRUPTED if ended_early else None,
            passed=counts[Verdict.PASS],
            failed=counts[Verdict.FAIL],
            errors=counts[Verdict.ERROR],
            skipped=counts[Verdict.SKIP],
            total=len(self._verdicts) if total is None else total,
            duration_ms=round((time.perf_counter() - self._begun) * 1000, 3),
        )
        with self._opened:
            self._recording.finish(run)
