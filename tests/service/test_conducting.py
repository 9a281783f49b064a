"""A run in the hands of one worker: what is carried out, saved and left alone."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from sqlalchemy import insert
from tests.doubles.service_runs import add_dataset, add_run, passed, run_of

from audition.errors import Conflict, StoreError
from audition.results import CheckResult, TrialResult, Verdict
from audition.service import conducting
from audition.service.conducting import Conducting, Trial, lasting
from audition.store.service import runs, trials
from audition.store.service.database import Database
from audition.store.service.run_options import RunOptions
from audition.store.service.tables import ATTEMPTS

pytestmark = pytest.mark.anyio

CASES = 6


class Acted:
    """A performance that does what a function says in each trial; `calls` are the trials in their order."""

    def __init__(self, act: Callable[[int], TrialResult | None], *, at_once: int = 1, limit_s: float | None = None):
        self.trials: Sequence[Trial] = [(case, 1) for case in range(1, CASES + 1)]
        self.at_once, self.max_duration_s = at_once, limit_s
        self.calls: list[int] = []
        self.most = self._now = 0
        self.spent: str | None = None
        self._act = act

    async def perform(self, case_id: int, number: int) -> TrialResult:
        """Note the call; None from the function: never end."""
        self.calls.append(case_id)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await asyncio.sleep(0)
            result = self._act(case_id)
            if result is None:
                await asyncio.Event().wait()
            assert result is not None
            return result
        finally:
            self._now -= 1

    def refusal(self) -> str | None:
        """Return what a test has put there."""
        return self.spent


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    opened = Database(f"sqlite:///{tmp_path}/service.db")
    yield opened
    opened.close()


@pytest.fixture
def begun(database: Database) -> runs.Begun:
    """Return a run of six cases that a worker has begun."""

    def make(connection: runs.Connection) -> runs.Begun | None:
        run_id = add_run(connection, add_dataset(connection, CASES), cases=CASES, options=RunOptions())
        return runs.begin(connection, database.now_s, run_id, generation=0, worker="a")

    found = database.write(make)
    assert found is not None
    return found


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have workers look often and wait little."""
    monkeypatch.setattr(conducting, "LOOK_S", 0.01)
    monkeypatch.setattr(conducting, "_AGAIN_S", 0.01)
    monkeypatch.setattr(conducting, "_PATIENCE_S", dict.fromkeys(conducting._PATIENCE_S, 0.0))


def failing(case_id: int) -> TrialResult:
    """Return a result of an agent that could not be reached."""
    check = CheckResult(category="agent", check="finishes the turn", verdict=Verdict.ERROR, reason="refused")
    return TrialResult(eval_name=f"case-{case_id}", verdict=Verdict.ERROR, checks=(check,), error="refused")


async def conducted(database: Database, begun: runs.Begun, performance: Acted) -> tuple[str | None, runs.Run]:
    """Return how a run was stopped, and the run."""
    one = Conducting(database, begun, performance)
    return await one.to_the_end(one.one), run_of(database, begun.run.id)


def results(database: Database, begun: runs.Begun) -> set[int]:
    """Return the cases that have a result."""
    return {case for case, _ in database.read(lambda connection: trials.done(connection, begun.run.id))}


async def test_all_cases_are_carried_out_one_after_another(database: Database, begun: runs.Begun) -> None:
    performance = Acted(passed)

    stopped, run = await conducted(database, begun, performance)

    assert (stopped, run.status, run.error_message) == (None, "completed", None)
    assert (performance.calls, performance.most) == ([1, 2, 3, 4, 5, 6], 1)
    assert results(database, begun) == {1, 2, 3, 4, 5, 6}


async def test_as_many_cases_as_allowed_are_carried_out_side_by_side(database: Database, begun: runs.Begun) -> None:
    performance = Acted(passed, at_once=3)

    _, run = await conducted(database, begun, performance)

    assert (run.status, sorted(performance.calls)) == ("completed", [1, 2, 3, 4, 5, 6])
    assert performance.most <= 3


async def test_cases_that_have_a_result_are_not_carried_out_again(database: Database, begun: runs.Begun) -> None:
    row = conducting.result_of(2, passed(2))
    database.write(lambda connection: trials.save(connection, database.insert, begun.claim, row))
    performance = Acted(passed)

    _, run = await conducted(database, begun, performance)

    assert (run.status, performance.calls) == ("completed", [1, 3, 4, 5, 6])


async def test_trouble_of_one_case_is_its_own(database: Database, begun: runs.Begun) -> None:
    _, run = await conducted(database, begun, Acted(lambda case: failing(case) if case == 2 else passed(case)))

    found = database.read(lambda connection: trials.outcomes(connection, begun.run.id))
    assert run.status == "completed"
    assert found[1] == ("subject_error", "refused")
    assert len(found) == CASES


async def test_a_run_all_of_whose_cases_ended_in_trouble_failed(database: Database, begun: runs.Begun) -> None:
    _, run = await conducted(database, begun, Acted(failing))

    assert (run.status, run.error_message) == ("failed", "every case ended in an error; the first: refused")
    assert len(results(database, begun)) == CASES


async def test_a_cancelled_run_begins_no_further_case_and_keeps_what_there_is(
    database: Database, begun: runs.Begun
) -> None:
    def act(case: int) -> TrialResult:
        if case == 3:
            database.write(lambda connection: runs.request_cancel(connection, begun.run.id, by="anna@example.com"))
        return passed(case)

    performance = Acted(act)

    stopped, run = await conducted(database, begun, performance)

    assert (stopped, run.status, run.error_message) == ("cancelled", "failed", "cancelled by anna@example.com")
    assert (performance.calls, results(database, begun)) == ([1, 2, 3], {1, 2, 3})


async def test_a_case_that_does_not_end_is_given_up_when_its_run_is_cancelled(
    database: Database, begun: runs.Begun
) -> None:
    def act(case: int) -> None:
        database.write(lambda connection: runs.request_cancel(connection, begun.run.id, by="anna@example.com"))

    stopped, run = await conducted(database, begun, Acted(act))

    assert (stopped, run.status, results(database, begun)) == ("cancelled", "failed", set())


async def test_a_worker_that_lost_its_run_stops_and_changes_nothing(database: Database, begun: runs.Begun) -> None:
    holding = runs.Holding(begun.run.id, begun.claim.generation, "a")

    def act(case: int) -> TrialResult:
        if case == 3:
            database.write(lambda connection: runs.take_over(connection, holding))
        return passed(case)

    performance = Acted(act)

    stopped, run = await conducted(database, begun, performance)

    assert (stopped, run.status, run.worker) == ("lost", "running", None)
    assert (performance.calls, results(database, begun)) == ([1, 2, 3], {1, 2})


async def test_a_worker_that_is_to_end_leaves_the_run_as_it_is(database: Database, begun: runs.Begun) -> None:
    def act(case: int) -> TrialResult | None:
        if case == 2:
            one.stop_soon("draining")
            return None
        return passed(case)

    one = Conducting(database, begun, Acted(act))

    stopped = await one.to_the_end(one.one)

    attempts = database.read(lambda connection: connection.execute(ATTEMPTS.select()).all())
    assert stopped == "draining"
    assert run_of(database, begun.run.id).status == "running"
    assert results(database, begun) == {1}
    assert [(row.case_id, row.attempts) for row in attempts] == [(1, 1), (2, 0)]


async def test_a_run_ends_when_its_budget_is_spent(database: Database, begun: runs.Begun) -> None:
    def act(case: int) -> TrialResult:
        if case == 3:
            performance.spent = "the budget of 2 calls is spent"
            return failing(case)
        return passed(case)

    performance = Acted(act)

    _, run = await conducted(database, begun, performance)

    assert (run.status, run.error_message) == ("failed", "the budget of 2 calls is spent")
    assert (performance.calls, results(database, begun)) == ([1, 2, 3], {1, 2})


async def test_a_run_ends_when_its_time_is_over(database: Database, begun: runs.Begun) -> None:
    performance = Acted(lambda case: None if case == 2 else passed(case), limit_s=0.2)

    _, run = await conducted(database, begun, performance)

    assert (run.status, run.error_message) == ("failed", "the budget of 0.2 s is spent")
    assert results(database, begun) <= {1}


async def test_a_case_in_which_workers_died_again_and_again_is_an_error(database: Database, begun: runs.Begun) -> None:
    died = {"run_id": begun.run.id, "case_id": 2, "trial": 1, "attempts": 5, "worker": "x"}
    database.write(lambda connection: connection.execute(insert(ATTEMPTS).values(died)))
    performance = Acted(passed)

    _, run = await conducted(database, begun, performance)

    found = database.read(lambda connection: trials.outcomes(connection, begun.run.id))
    assert (run.status, performance.calls) == ("completed", [1, 3, 4, 5, 6])
    assert found[1] == (
        "subject_error",
        "the worker ended 5 times while it carried out this case, so it is not begun again",
    )


async def test_a_run_whose_engine_breaks_is_left_to_be_begun_anew(database: Database, begun: runs.Begun) -> None:
    one = Conducting(database, begun, Acted(passed))

    async def start(case_id: int, number: int) -> None:
        if case_id == 2:
            raise OSError("the queue is gone")
        await one.one(case_id, number)

    stopped = await one.to_the_end(start)

    assert stopped == "broken"
    assert (run_of(database, begun.run.id).status, results(database, begun)) == ("running", {1})


async def test_what_a_database_out_of_reach_refuses_is_done_again_until_it_is_back() -> None:
    answers = iter([StoreError("the disk is full"), StoreError("the disk is full"), "kept"])

    def do(action: Callable[[runs.Connection], str]) -> str:
        answer = next(answers)
        if isinstance(answer, StoreError):
            raise answer
        return answer

    assert await lasting(do, lambda connection: "never called") == "kept"


async def test_what_a_database_does_not_allow_is_not_done_again() -> None:
    def do(action: Callable[[runs.Connection], str]) -> str:
        raise Conflict("what is stored does not allow this change")

    with pytest.raises(Conflict):
        await lasting(do, lambda connection: "never called")
