"""Results of trials are written once, and only by the worker that holds the run."""

import json
from collections.abc import Callable

import pytest
from sqlalchemy import func, select
from tests.doubles.service_runs import add_dataset, add_run, passed

from audition.service.grading import result_of
from audition.store.service import runs, trials
from audition.store.service.database import Database
from audition.store.service.runs import Claim, Holding
from audition.store.service.tables import RESULTS


@pytest.fixture
def claim(database: Database) -> Claim:
    """Return the claim of a worker to a run of two cases."""

    def make(connection: runs.Connection) -> Claim:
        run_id = add_run(connection, add_dataset(connection, 2), cases=2)
        begun = runs.begin(connection, database.now_s, run_id, generation=0, worker="a")
        assert begun is not None
        return begun.claim

    return database.write(make)


def saved(database: Database, claim: Claim, case_id: int = 1, *, number: int = 1) -> str:
    """Return what became of a result that is to be saved."""
    row = result_of(case_id, passed(case_id, number))
    return database.write(lambda connection: trials.save(connection, database.insert, claim, row))


def started(database: Database, claim: Claim) -> int | None:
    """Return how often the first trial was begun, once it is begun again."""
    return database.write(lambda connection: trials.start(connection, database.insert, claim, 1, 1))


def lose(database: Database, claim: Claim) -> None:
    """Have somebody take the run over."""
    database.write(lambda connection: runs.take_over(connection, Holding(claim.run_id, claim.generation, claim.worker)))


def test_a_result_is_saved_once(database: Database, claim: Claim) -> None:
    first, second = saved(database, claim), saved(database, claim)

    assert (first, second) == ("saved", "there")
    assert database.read(lambda connection: trials.count(connection, claim.run_id)) == 1
    assert database.read(lambda connection: trials.done(connection, claim.run_id)) == {(1, 1)}


def test_each_trial_of_a_case_has_a_result_of_its_own(database: Database, claim: Claim) -> None:
    for number in (1, 2):
        saved(database, claim, number=number)

    assert database.read(lambda connection: trials.done(connection, claim.run_id)) == {(1, 1), (1, 2)}


def test_a_worker_that_lost_the_run_saves_nothing(database: Database, claim: Claim) -> None:
    saved(database, claim, 1)
    lose(database, claim)
    before = database.read(lambda connection: runs.events_after(connection, claim.run_id, 0))

    found = [saved(database, claim, 1), saved(database, claim, 2)]

    assert found == ["lost", "lost"]
    assert database.read(lambda connection: trials.done(connection, claim.run_id)) == {(1, 1)}
    assert database.read(lambda connection: runs.events_after(connection, claim.run_id, 0)) == before


def test_a_result_of_a_run_at_its_end_is_not_saved(database: Database, claim: Claim) -> None:
    database.write(lambda connection: runs.finish(connection, claim))

    assert saved(database, claim) == "lost"
    assert database.read(lambda connection: connection.execute(select(func.count(RESULTS.c.id))).scalar_one()) == 0


def test_beginnings_of_a_trial_are_counted(database: Database, claim: Claim) -> None:
    assert [started(database, claim) for _ in range(3)] == [1, 2, 3]


def test_a_beginning_that_was_given_up_is_not_counted(database: Database, claim: Claim) -> None:
    started(database, claim)
    database.write(lambda connection: trials.uncount(connection, claim, 1, 1))

    assert started(database, claim) == 1


def cancel(database: Database, claim: Claim) -> None:
    """Have somebody cancel the run."""
    database.write(lambda connection: runs.request_cancel(connection, claim.run_id, by="anna@example.com"))


def finish(database: Database, claim: Claim) -> None:
    """End the run."""
    database.write(lambda connection: runs.finish(connection, claim))


@pytest.mark.parametrize("stop", [lose, cancel, finish])
def test_no_trial_begins_once_the_run_is_not_to_go_on(
    database: Database, claim: Claim, stop: Callable[[Database, Claim], None]
) -> None:
    stop(database, claim)

    assert started(database, claim) is None


def test_what_happens_in_a_trial_is_told_in_order(database: Database, claim: Claim) -> None:
    started(database, claim)
    saved(database, claim)

    found = database.read(lambda connection: runs.events_after(connection, claim.run_id, 0))

    assert [event.type for event in found] == ["run.claimed", "case.started", "case.judged", "run.progress"]
    assert json.loads(found[2].data) | {"result_id": 0} == {
        "case_id": 1,
        "trial": 1,
        "result_id": 0,
        "verdict": "pass",
        "outcome": "pass",
    }
    assert json.loads(found[3].data) == {"done": 1, "of": 2}


def test_results_come_back_as_they_were(database: Database, claim: Claim) -> None:
    saved(database, claim, 2)
    saved(database, claim, 1)

    found = database.read(lambda connection: list(trials.results_of(connection, claim.run_id)))

    assert found == [passed(2), passed(1)]
    assert database.read(lambda connection: trials.outcomes(connection, claim.run_id)) == [("pass", None)] * 2
