"""Reports: each file turns a run and its results into text. They print nothing and know no terminal."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from audition.registry import Folder
from audition.results import Run, TrialResult

REPORTS = Folder("report format", "audition.reports")


class Report(Protocol):
    """What a module of this folder offers."""

    def render(self, run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:
        """Return the report in pieces; `results` may be longer than memory, so it is gone through once."""
        ...
