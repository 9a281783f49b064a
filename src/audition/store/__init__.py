"""Where runs and their results are kept: `memory` for tests and libraries, `sql` for the history of a project."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from audition.results import Run, TrialResult


class Recorder(Protocol):
    """What takes down a run as it goes. Its methods block: `recording.Recording` calls them from its own thread."""

    def begin(self, run: Run) -> None:
        """Note that a run has begun."""
        ...

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        """Keep results, all of them or none; one that is there already (same eval, same trial) is replaced."""
        ...

    def finish(self, run: Run) -> None:
        """Keep the run's last status and counts."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


class Store(Recorder, Protocol):
    """A recorder that can also be asked what it holds."""

    def runs(self, *, limit: int) -> list[Run]:
        """Return the latest runs, newest first."""
        ...

    def run(self, run_id: str) -> Run:
        """Return the run of that id, or of the only id that begins so.

        Raises: NotFound when there is none, Conflict when several begin so.
        """
        ...

    def results(self, run_id: str) -> Iterator[TrialResult]:
        """Return the results of a run in the order in which they were first saved, without holding them all."""
        ...
