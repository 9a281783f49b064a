"""Recording beside a run: batches, failures, endings."""

import threading
from collections.abc import Sequence

import pytest

from audition.errors import StoreError
from audition.results import Run, TrialResult, Verdict
from audition.store.memory import MemoryStore
from audition.store.recording import Recording

RUN = Run(id="r1", started_at="2026-01-01T00:00:00+00:00", agent="scripted:a.yaml", total=3)
FINISHED = Run(id="r1", started_at=RUN.started_at, agent=RUN.agent, status="completed", passed=3, total=3)
LONG_S = 30.0
"""Longer than anything here takes: a wait that ends by itself is a failure."""


class Watched(MemoryStore):
    """A store that notes its batches and the threads that write them, and lets a test wait for a batch."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.threads: set[str] = set()
        self.saved = threading.Event()

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        super().save(run_id, results)
        self.batches.append(len(results))
        self.threads.add(threading.current_thread().name)
        self.saved.set()


class Full(Watched):
    """A store whose disk is full for its first `refusals` batches."""

    def __init__(self, refusals: int, error: Exception) -> None:
        super().__init__()
        self.refusals, self.error = refusals, error
        self.refused = threading.Event()

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        if self.refusals > 0:
            self.refusals -= 1
            self.refused.set()
            raise self.error
        super().save(run_id, results)


class Endless(MemoryStore):
    """A store that takes results, but not the end of a run."""

    def finish(self, run: Run) -> None:
        raise StoreError("the disk is full")


DISK_FULL = StoreError("the disk is full", hint="free some space")


def result(name: str = "greeting", trial: int = 1) -> TrialResult:
    """Return a result."""
    return TrialResult(eval_name=name, trial=trial, verdict=Verdict.PASS)


def names(store: MemoryStore) -> list[str]:
    """Return the names of the results a store holds."""
    return [kept.eval_name for kept in store.results("r1")]


def break_off(recording: Recording, error: BaseException) -> None:
    """Record one result, then let an error end the run."""
    with recording:
        recording.add(result())
        raise error


def test_a_run_is_noted_before_its_first_result() -> None:
    store = MemoryStore()

    with Recording(store, RUN):
        assert store.run("r1") == RUN


def test_a_result_is_written_while_the_run_goes_on() -> None:
    store = Watched()

    with Recording(store, RUN) as recording:
        recording.add(result())

        assert store.saved.wait(LONG_S)
        assert names(store) == ["greeting"]


def test_a_full_batch_is_written_at_once() -> None:
    store = Watched()

    with Recording(store, RUN, delay_s=3600, batch=2) as recording:
        recording.add(result("a"))
        recording.add(result("b"))

        assert store.saved.wait(LONG_S)


def test_results_are_written_in_batches_by_a_thread_of_their_own() -> None:
    store = Watched()

    with Recording(store, RUN, delay_s=3600, batch=500) as recording:
        for number in range(1200):
            recording.add(result(trial=number + 1))

    assert sum(store.batches) == 1200
    assert max(store.batches) == 500
    assert store.threads == {"recording of run r1"}


def test_nothing_is_left_behind_when_a_run_is_finished() -> None:
    store = MemoryStore()

    with Recording(store, RUN, delay_s=3600) as recording:
        for name in ("a", "b", "c"):
            recording.add(result(name))
        recording.finish(FINISHED)

    assert names(store) == ["a", "b", "c"]
    assert store.run("r1") == FINISHED


def test_no_thread_outlives_its_recording() -> None:
    with Recording(MemoryStore(), RUN) as recording:
        recording.add(result())
        recording.finish(FINISHED)

    assert "recording of run r1" not in {thread.name for thread in threading.enumerate()}


def test_what_finished_is_kept_when_the_run_breaks_off() -> None:
    store = MemoryStore()

    with pytest.raises(KeyboardInterrupt):
        break_off(Recording(store, RUN, delay_s=3600), KeyboardInterrupt())

    assert names(store) == ["greeting"]


def test_a_run_that_cannot_be_noted_is_not_begun() -> None:
    class Closed(MemoryStore):
        def begin(self, run: Run) -> None:
            raise DISK_FULL

    with pytest.raises(StoreError, match="the disk is full"), Recording(Closed(), RUN):
        pytest.fail("the run began")


def test_a_full_disk_does_not_disturb_the_run_and_is_told_at_its_end() -> None:
    store = Full(10**6, DISK_FULL)

    with Recording(store, RUN, batch=1) as recording:
        recording.add(result("a"))
        assert store.refused.wait(LONG_S)
        recording.add(result("b", trial=2))

        with pytest.raises(StoreError) as caught:
            recording.finish(FINISHED)

    assert caught.value.message == "2 results of run 'r1' not saved (a#1, b#2): the disk is full"
    assert caught.value.hint == "free some space"
    assert store.run("r1") == FINISHED


def test_many_lost_results_are_counted_and_some_are_named() -> None:
    with Recording(Full(10**6, DISK_FULL), RUN) as recording:
        for trial in range(1, 6):
            recording.add(result(trial=trial))

        with pytest.raises(StoreError, match=r"5 results .*\(greeting#1, greeting#2, greeting#3 and 2 more\)"):
            recording.finish(FINISHED)


def test_results_that_could_not_be_written_are_written_once_there_is_space_again() -> None:
    store = Full(1, DISK_FULL)

    with Recording(store, RUN, batch=1) as recording:
        recording.add(result("a"))
        assert store.refused.wait(LONG_S)
        recording.add(result("b"))
        recording.finish(FINISHED)

    assert names(store) == ["a", "b"]


def test_a_fault_of_the_store_itself_is_told_as_loss_too() -> None:
    with Recording(Full(10**6, RuntimeError("odd")), RUN) as recording:
        recording.add(result())

        with pytest.raises(StoreError, match=r"1 result of run 'r1' not saved \(greeting#1\): RuntimeError\('odd'\)"):
            recording.finish(FINISHED)


def test_a_loss_is_told_when_nobody_finished_the_run() -> None:
    with pytest.raises(StoreError, match="1 result"), Recording(Full(10**6, DISK_FULL), RUN) as recording:
        recording.add(result())


def test_a_loss_does_not_hide_the_error_that_ended_the_run() -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        break_off(Recording(Full(10**6, DISK_FULL), RUN), ZeroDivisionError())

    assert "1 result of run 'r1' not saved" in caught.value.__notes__[0]


def test_an_end_that_cannot_be_written_is_told() -> None:
    store = Endless()

    with Recording(store, RUN) as recording:
        recording.add(result())

        with pytest.raises(StoreError, match="the end of run 'r1' was not saved: the disk is full"):
            recording.finish(FINISHED)

    assert names(store) == ["greeting"]
