"""Workers are known by their heartbeats."""

from sqlalchemy import update
from tests.doubles.service_runs import add_dataset, add_run

from audition.store.service import runs, workers
from audition.store.service.database import Database
from audition.store.service.tables import WORKERS
from audition.store.service.workers import Worker

A, B = (Worker(id=name, host="here", pid=pid, version="audition-1") for name, pid in (("a", 1), ("b", 2)))


def beat(database: Database, worker: Worker) -> None:
    """Give a heartbeat."""
    database.write(lambda connection: workers.beat(connection, database.insert, database.now_s, worker))


def age(database: Database, worker: Worker, seconds: float) -> None:
    """Make a worker's last heartbeat older."""
    older = update(WORKERS).where(WORKERS.c.id == worker.id).values(heartbeat_s=WORKERS.c.heartbeat_s - seconds)
    database.write(lambda connection: connection.execute(older))


def known(database: Database) -> list[str]:
    """Return the names of the workers that are known."""
    found = database.read(lambda connection: workers.everyone(connection, database.now_s))
    return sorted(one.worker.id for one in found)


def test_a_worker_is_known_from_its_first_heartbeat(database: Database) -> None:
    beat(database, A)
    beat(database, A)

    (found,) = database.read(lambda connection: workers.everyone(connection, database.now_s))

    assert (found.worker, found.has_stopped) == (A, False)
    assert 0 <= found.silent_s < 60


def test_a_heartbeat_ends_a_silence(database: Database) -> None:
    beat(database, A)
    age(database, A, 1000)
    before = database.read(lambda connection: workers.silent_s(connection, database.now_s, "a"))

    beat(database, A)

    after = database.read(lambda connection: workers.silent_s(connection, database.now_s, "a"))
    assert before is not None
    assert before > 999
    assert after is not None
    assert after < 60


def test_of_a_worker_that_nobody_knows_no_silence_is_known(database: Database) -> None:
    assert database.read(lambda connection: workers.silent_s(connection, database.now_s, "x")) is None


def test_a_worker_that_has_stopped_is_known_as_such(database: Database) -> None:
    beat(database, A)
    beat(database, B)

    database.write(lambda connection: workers.stop(connection, "a"))

    found = database.read(lambda connection: workers.everyone(connection, database.now_s))
    assert {one.worker.id: one.has_stopped for one in found} == {"a": True, "b": False}


def test_workers_are_forgotten_after_a_day_unless_they_hold_a_run(database: Database) -> None:
    def hold(connection: runs.Connection) -> None:
        run_id = add_run(connection, add_dataset(connection, 1))
        runs.begin(connection, database.now_s, run_id, generation=0, worker="b")

    beat(database, A)
    beat(database, B)
    database.write(hold)
    age(database, A, 90_000)
    age(database, B, 90_000)

    database.write(lambda connection: workers.forget(connection, database.now_s))

    assert known(database) == ["b"]
