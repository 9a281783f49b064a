"""Takes down a run beside it: results are handed over at once and written in batches by a thread."""

import threading
from types import TracebackType
from typing import Self

from audition.errors import StoreError
from audition.results import Run, TrialResult
from audition.store import Recorder

_NAMED = 3
"""How many lost results a message names."""


class Recording:
    """One run being recorded; the recorder stays open afterwards, for whoever opened it to close.

    A result is written at most `delay_s` seconds after it was added, or as soon as `batch` results wait. Results that
    could not be written are tried again with those that follow; what is lost in the end is said at the end.

        with Recording(recorder, run) as recording:
            async for result in perform(...):
                recording.add(result)
            recording.finish(final_run)
    """

    def __init__(self, recorder: Recorder, run: Run, *, delay_s: float = 0.4, batch: int = 500) -> None:
        self._recorder, self._run = recorder, run
        self._delay_s, self._batch = delay_s, batch
        self._changed = threading.Condition()
        self._added: list[TrialResult] = []
        self._unsaved: list[TrialResult] = []
        self._ending = False
        self._trouble: Exception | None = None
        self._thread = threading.Thread(target=self._work, name=f"recording of run {run.id}")

    def __enter__(self) -> Self:
        """Note that the run has begun.

        Raises: StoreError when it cannot be noted, so that nothing is spent on a run that would be lost.
        """
        self._recorder.begin(self._run)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Write what waits. The run keeps its status unless `finish` was called.

        Raises: StoreError when results are lost; another error on its way out is kept, with a note.
        """
        if self._ending:
            return
        self._stop()
        if self._trouble is not None:
            if error is None:
                raise self._loss(self._trouble)
            error.add_note(str(self._loss(self._trouble)))

    def add(self, result: TrialResult) -> None:
        """Hand over a result; never blocks on the disk and never raises."""
        with self._changed:
            self._added.append(result)
            if len(self._added) in (1, self._batch):
                self._changed.notify()

    def finish(self, run: Run) -> None:
        """Write what waits, then the run's last status and counts.

        Raises: StoreError when results, or the run's end, could not be written.
        """
        self._stop()
        try:
            self._recorder.finish(run)
        except StoreError as error:
            self._trouble = self._trouble or error
        if self._trouble is not None:
            raise self._loss(self._trouble) from self._trouble

    def _stop(self) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        ending = False
        while not ending:
            with self._changed:
                self._changed.wait_for(lambda: self._added or self._ending)
                self._changed.wait_for(lambda: len(self._added) >= self._batch or self._ending, self._delay_s)
                ending, added, self._added = self._ending, self._added, []
            self._unsaved += added
            self._save()

    def _save(self) -> None:
        try:
            while self._unsaved:
                self._recorder.save(self._run.id, self._unsaved[: self._batch])
                del self._unsaved[: self._batch]
        except Exception as error:  # a recorder that fails must not end the thread: later results may be saved again
            self._trouble = error
        else:
            self._trouble = None

    def _loss(self, trouble: Exception) -> StoreError:
        message, hint = (trouble.message, trouble.hint) if isinstance(trouble, StoreError) else (repr(trouble), None)
        if not self._unsaved:
            return StoreError(f"the end of run {self._run.id!r} was not saved: {message}", hint=hint)
        names = ", ".join(f"{result.eval_name}#{result.trial}" for result in self._unsaved[:_NAMED])
        rest = len(self._unsaved) - _NAMED
        more = f" and {rest} more" if rest > 0 else ""
        count = f"{len(self._unsaved)} result{'s' if len(self._unsaved) > 1 else ''}"
        return StoreError(f"{count} of run {self._run.id!r} not saved ({names}{more}): {message}", hint=hint)
