"""Runs are begun, taken over, cancelled and ended by whoever may, and by nobody else."""

import json

import pytest
from sqlalchemy import select, update
from tests.doubles.service_runs import add_dataset, add_run

from audition.errors import NotFound
from audition.store.service import runs, workers
from audition.store.service.database import Database
from audition.store.service.run_options import RunOptions
from audition.store.service.runs import Begun, Claim, Holding
from audition.store.service.tables import RUNS, WORKERS

A = workers.Worker(id="a", host="here", pid=1, version="audition-1")


def made(database: Database, **said: object) -> int:
    """Return the id of a pending run."""
    return database.write(lambda connection: add_run(connection, add_dataset(connection, 1), **said))  # type: ignore[arg-type]  # as add_run takes it


def begun(database: Database, run_id: int, *, generation: int = 0, worker: str = "a") -> Begun | None:
    """Return what a worker gets that begins a run."""
    return database.write(
        lambda connection: runs.begin(connection, database.now_s, run_id, generation=generation, worker=worker)
    )


def claimed(database: Database, run_id: int, *, generation: int = 0, worker: str = "a") -> Claim:
    """Return the claim of a worker that begins a run."""
    found = begun(database, run_id, generation=generation, worker=worker)
    assert found is not None
    return found.claim


def state(database: Database, run_id: int) -> tuple[str, int, str | None, str | None]:
    """Return a run's status, generation, worker and error."""
    run = database.read(lambda connection: runs.run_at(connection, run_id))
    return run.status, run.generation, run.worker, run.error_message


def events(database: Database, run_id: int) -> list[str]:
    """Return the types of a run's events, in order."""
    return [event.type for event in database.read(lambda connection: runs.events_after(connection, run_id, 0))]


def test_a_run_comes_back_as_it_was_created(database: Database) -> None:
    options = RunOptions(trials=3, case_ids=(4, 5), max_calls=7)

    run_id = made(database, options=options)

    run = database.read(lambda connection: runs.run_at(connection, run_id))
    assert (run.status, run.generation, run.worker, run.cancelled, run.options) == ("pending", 0, None, False, options)
    assert (run.created_by, run.planned, run.kind) == ("editor@example.com", 3, "evaluate")


def test_a_run_that_nobody_created_is_not_found(database: Database) -> None:
    with pytest.raises(NotFound):
        database.read(lambda connection: runs.run_at(connection, 99))


def test_a_run_is_begun_once(database: Database) -> None:
    run_id = made(database)

    first, second = begun(database, run_id), begun(database, run_id, worker="b")

    assert first is not None
    assert first.claim == Claim(run_id=run_id, generation=1, worker="a")
    assert second is None
    assert state(database, run_id) == ("running", 1, "a", None)


@pytest.mark.parametrize("generation", [1, 2, 7])
def test_a_run_is_not_begun_by_who_was_queued_for_another_generation(database: Database, generation: int) -> None:
    run_id = made(database)

    assert begun(database, run_id, generation=generation) is None
    assert state(database, run_id) == ("pending", 0, None, None)


def test_the_time_since_a_run_began_goes_on_when_it_is_taken_over(database: Database) -> None:
    run_id = made(database)
    first = begun(database, run_id)
    database.write(lambda connection: connection.execute(update(RUNS).values(started_at="2026-01-01T00:00:00.000Z")))
    database.write(lambda connection: runs.take_over(connection, Holding(run_id, 1, "a")))

    second = begun(database, run_id, generation=2, worker="b")

    assert first is not None
    assert first.elapsed_s < 5
    assert second is not None
    assert second.elapsed_s > 1000
    assert second.run.started_at == "2026-01-01T00:00:00.000Z"


def test_a_run_taken_over_is_no_longer_its_first_workers(database: Database) -> None:
    run_id = made(database)
    claim = claimed(database, run_id)

    generation = database.write(lambda connection: runs.take_over(connection, Holding(run_id, 1, "a")))

    assert generation == 2
    assert database.read(lambda connection: runs.standing(connection, claim)) == "lost"
    assert not database.write(lambda connection: runs.finish(connection, claim))
    assert state(database, run_id) == ("running", 2, None, None)


@pytest.mark.parametrize(("generation", "worker"), [(0, "a"), (2, "a"), (1, "b")])
def test_a_run_is_taken_only_from_the_worker_and_the_generation_that_were_seen(
    database: Database, generation: int, worker: str
) -> None:
    run_id = made(database)
    claimed(database, run_id)

    taken = database.write(lambda connection: runs.take_over(connection, Holding(run_id, generation, worker)))

    assert taken is None
    assert state(database, run_id) == ("running", 1, "a", None)


# case: bytedance/deer-flow#4424
def test_a_worker_that_gives_a_heartbeat_after_it_was_found_dead_keeps_its_run(database: Database) -> None:
    run_id = made(database)
    claim = claimed(database, run_id)
    database.write(lambda connection: workers.beat(connection, database.insert, database.now_s, A))
    (seen,) = database.read(lambda connection: workers.everyone(connection, database.now_s))
    database.write(
        lambda connection: connection.execute(update(WORKERS).values(heartbeat_s=WORKERS.c.heartbeat_s + 0.001))
    )

    taken = database.write(
        lambda connection: runs.take_over(connection, Holding(run_id, 1, "a"), seen_s=seen.heartbeat_s)
    )

    assert taken is None
    assert database.read(lambda connection: runs.standing(connection, claim)) == "held"


def test_a_worker_that_was_silent_since_it_was_found_dead_loses_its_run(database: Database) -> None:
    run_id = made(database)
    claimed(database, run_id)
    database.write(lambda connection: workers.beat(connection, database.insert, database.now_s, A))
    (seen,) = database.read(lambda connection: workers.everyone(connection, database.now_s))

    taken = database.write(
        lambda connection: runs.take_over(connection, Holding(run_id, 1, "a"), seen_s=seen.heartbeat_s)
    )

    assert taken == 2


def test_a_pending_run_is_failed_as_soon_as_it_is_cancelled(database: Database) -> None:
    run_id = made(database)

    found = database.write(lambda connection: runs.request_cancel(connection, run_id, by="anna@example.com"))

    assert found == "failed"
    assert state(database, run_id) == ("failed", 0, None, "cancelled by anna@example.com")
    assert events(database, run_id) == ["run.cancelled"]
    assert begun(database, run_id) is None


def test_a_running_run_that_is_cancelled_ends_when_its_worker_ends_it(database: Database) -> None:
    run_id = made(database)
    claim = claimed(database, run_id)

    found = database.write(lambda connection: runs.request_cancel(connection, run_id, by="anna@example.com"))

    assert found == "running"
    assert database.read(lambda connection: runs.standing(connection, claim)) == "cancelled"
    assert database.write(lambda connection: runs.finish(connection, claim, error="cancelled"))
    assert state(database, run_id) == ("failed", 1, "a", "cancelled by anna@example.com")
    assert events(database, run_id) == ["run.claimed", "run.cancelled"]


def test_a_cancelled_run_whose_worker_died_ends_when_it_is_taken_over(database: Database) -> None:
    run_id = made(database)
    claimed(database, run_id)
    database.write(lambda connection: runs.request_cancel(connection, run_id, by="anna@example.com"))

    taken = database.write(lambda connection: runs.take_over(connection, Holding(run_id, 1, "a")))

    assert taken is None
    assert state(database, run_id) == ("failed", 2, None, "cancelled by anna@example.com")


def test_a_run_that_waits_for_another_worker_is_failed_as_soon_as_it_is_cancelled(database: Database) -> None:
    run_id = made(database)
    claimed(database, run_id)
    database.write(lambda connection: runs.take_over(connection, Holding(run_id, 1, "a")))

    found = database.write(lambda connection: runs.request_cancel(connection, run_id, by="anna@example.com"))

    assert found == "failed"


@pytest.mark.parametrize("error", [None, "no judge is configured"], ids=["completed", "failed"])
def test_a_run_at_its_end_stays_as_it_is(database: Database, error: str | None) -> None:
    run_id = made(database)
    claim = claimed(database, run_id)
    database.write(lambda connection: runs.finish(connection, claim, error=error))
    before = state(database, run_id)

    database.write(lambda connection: runs.request_cancel(connection, run_id, by="anna@example.com"))
    again = database.write(lambda connection: runs.finish(connection, claim, error="something else"))
    taken = database.write(lambda connection: runs.take_over(connection, Holding(run_id, 1, "a")))

    assert (again, taken, begun(database, run_id, generation=1)) == (False, None, None)
    assert state(database, run_id) == before == ("failed" if error else "completed", 1, "a", error)


def test_a_run_that_is_complete_is_not_cancelled_after_all(database: Database) -> None:
    run_id = made(database)
    claim = claimed(database, run_id)
    database.write(lambda connection: runs.request_cancel(connection, run_id, by="anna@example.com"))

    database.write(lambda connection: runs.finish(connection, claim))

    run = database.read(lambda connection: runs.run_at(connection, run_id))
    assert (run.status, run.error_message, run.cancelled) == ("completed", None, False)


def test_only_runs_that_nobody_holds_wait(database: Database) -> None:
    waits, held, handed_over, ended = (made(database) for _ in range(4))
    claimed(database, held)
    claimed(database, handed_over)
    database.write(lambda connection: runs.take_over(connection, Holding(handed_over, 1, "a")))
    database.write(lambda connection: runs.request_cancel(connection, ended, by="anna@example.com"))

    found = database.read(lambda connection: runs.waiting(connection, database.now_s, young_s=30))

    assert [(one.run_id, one.generation, one.is_young) for one in found] == [(waits, 0, True), (handed_over, 2, True)]
    assert database.read(runs.held) == [Holding(held, 1, "a")]


def test_a_run_that_waits_in_vain_is_renewed_once(database: Database) -> None:
    run_id = made(database)
    database.write(lambda connection: connection.execute(update(RUNS).values(created_at="2026-01-01T00:00:00.000Z")))
    (one,) = database.read(lambda connection: runs.waiting(connection, database.now_s, young_s=30))

    found = [database.write(lambda connection: runs.renew(connection, one)) for _ in range(2)]

    assert not one.is_young
    assert found == [1, None]
    assert begun(database, run_id, generation=0) is None
    assert begun(database, run_id, generation=1) is not None


def test_the_open_runs_of_a_member_are_counted(database: Database) -> None:
    pending, running, ended = (made(database) for _ in range(3))
    claimed(database, running)
    database.write(lambda connection: runs.request_cancel(connection, ended, by="anna@example.com"))

    counts = [
        database.read(lambda connection, who=who: runs.open_runs_of(connection, who))  # type: ignore[misc]  # bound at once
        for who in ("editor@example.com", "anna@example.com")
    ]

    assert counts == [2, 0]
    assert pending


def test_events_are_read_on_from_where_a_reader_was(database: Database) -> None:
    run_id = made(database)
    claim = claimed(database, run_id)
    database.write(lambda connection: runs.finish(connection, claim, error="no judge is configured"))

    first, second = database.read(lambda connection: runs.events_after(connection, run_id, 0))
    later = database.read(lambda connection: runs.events_after(connection, run_id, first.id))

    assert later == [second]
    assert json.loads(second.data) == {"error_message": "no judge is configured"}


def test_a_rolled_back_change_leaves_no_event(database: Database) -> None:
    run_id = made(database)

    def breaks(connection: object) -> None:
        runs.begin(connection, database.now_s, run_id, generation=0, worker="a")  # type: ignore[arg-type]  # a connection
        raise NotFound("stop")

    with pytest.raises(NotFound):
        database.write(breaks)

    assert events(database, run_id) == []
    assert database.read(lambda connection: connection.execute(select(RUNS.c.status)).scalar_one()) == "pending"
