"""Runs are queued with the transaction that creates them, and carried out by a worker in this process."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.doubles.service_runs import add_dataset, add_run, ends, passed, run_of, until

from audition.errors import NotFound, SettingsError, StoreError
from audition.results import TrialResult
from audition.service.conducting import Performance
from audition.service.runs import DurableRuns, Runs
from audition.store.service import runs, trials
from audition.store.service.database import Database

Open = Callable[[Database, runs.Begun], Performance]


class Passing:
    """A performance of two cases that pass."""

    trials = ((1, 1), (2, 1))
    at_once = 2
    max_duration_s = None

    async def perform(self, case_id: int, number: int) -> TrialResult:
        """Return that the case passed."""
        return passed(case_id, number)

    def refusal(self) -> str | None:
        """Return that nothing is refused."""
        return None


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    opened = Database(f"sqlite:///{tmp_path}/service.db")
    yield opened
    opened.close()


@contextmanager
def working(database: Database, open_run: Open) -> Iterator[DurableRuns]:
    """Return a worker that is at work in this process."""
    durable = DurableRuns(database, open_run, at_once=2)
    durable.launch()
    try:
        yield durable
    finally:
        durable.drain()
        durable.close()


def queued(database: Database, queue: Runs) -> int:
    """Return the id of a run that was created and queued."""

    def make(connection: runs.Connection) -> int:
        run_id = add_run(connection, add_dataset(connection, 2), cases=2)
        queue.enqueue(connection, run_id)
        return run_id

    return database.write(make)


def workflows(database: Database) -> list[tuple[str, str, str]]:
    """Return the id, status and format of what is in the queue, or was."""
    with closing(sqlite3.connect(str(database.url.database))) as connection, connection:
        query = "SELECT workflow_uuid, status, serialization FROM workflow_status ORDER BY workflow_uuid"
        return connection.execute(query).fetchall()


def test_a_run_is_queued_when_its_transaction_is_committed(database: Database) -> None:
    queue = Runs(database)

    run_id = queued(database, queue)

    assert workflows(database) == [(f"run-{run_id}.0", "ENQUEUED", "portable_json")]
    queue.close()


def test_a_run_is_not_queued_when_its_transaction_is_not_committed(database: Database) -> None:
    queue = Runs(database)

    def breaks(connection: runs.Connection) -> None:
        queue.enqueue(connection, add_run(connection, add_dataset(connection, 1)))
        raise NotFound("stop")

    with pytest.raises(NotFound):
        database.write(breaks)

    assert workflows(database) == []
    with pytest.raises(NotFound):
        run_of(database, 1)
    queue.close()


def test_a_queued_run_is_carried_out(database: Database) -> None:
    with working(database, lambda database, begun: Passing()) as durable:
        run = ends(database, queued(database, durable))

    assert (run.status, run.generation) == ("completed", 1)
    assert database.read(lambda connection: trials.done(connection, run.id)) == {(1, 1), (2, 1)}
    assert [name for name, *_ in workflows(database)] == ["run-1.0", "run-1.0:1:1", "run-1.0:2:1"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (SettingsError("no judge is configured", key="judge", hint="set one"), "no judge is configured; set one"),
        (KeyError("x"), "audition made a mistake: KeyError: 'x'"),
    ],
    ids=["what is asked wrongly", "a mistake of ours"],
)
def test_a_run_that_cannot_be_carried_out_failed_and_says_why(
    database: Database, error: Exception, message: str
) -> None:
    def refuse(database: Database, begun: runs.Begun) -> Performance:
        raise error

    with working(database, refuse) as durable:
        run = ends(database, queued(database, durable))

    assert (run.status, run.error_message) == ("failed", message)


def test_a_run_whose_database_was_not_to_be_had_is_carried_out_later(database: Database) -> None:
    troubles = iter([StoreError("the database cannot be used: the connection was cut")])

    def open_run(_database: Database, _begun: runs.Begun) -> Performance:
        for trouble in troubles:
            raise trouble
        return Passing()

    with working(database, open_run) as durable:
        run_id = queued(database, durable)

        run = ends(database, run_id)

    assert (run.status, run.error_message) == ("completed", None)


def test_a_run_that_is_held_by_nobody_here_is_begun_anew(database: Database) -> None:
    with working(database, lambda database, begun: Passing()) as durable:
        dropped = database.write(lambda connection: add_run(connection, add_dataset(connection, 2), cases=2))
        begin = {"run_id": dropped, "generation": 0, "worker": durable.me}
        database.write(lambda connection: runs.begin(connection, database.now_s, **begin))

        run = ends(database, dropped)

    assert (run.status, run.generation) == ("completed", 3)


def test_what_ended_long_ago_is_not_kept_in_the_queue(database: Database) -> None:
    with working(database, lambda database, begun: Passing()) as durable:
        ends(database, queued(database, durable))
        until(lambda: {status for _, status, _ in workflows(database)} == {"SUCCESS"})
        with closing(sqlite3.connect(str(database.url.database))) as connection, connection:
            connection.execute("UPDATE workflow_status SET completed_at = 1")

        durable._tidy()

        assert workflows(database) == []


_WITH_A_WITNESS = """
import runpy, sys
sys.addaudithook(lambda event, told: print("connects", told[1], flush=True) if event == "socket.connect" else None)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_a_worker_on_sqlite_calls_nobody(database: Database, tmp_path: Path) -> None:
    queue = Runs(database)
    run_id = queued(database, queue)
    double = str(Path(__file__).parents[1] / "doubles" / "service_worker.py")
    program = [sys.executable, "-c", _WITH_A_WITNESS, double, str(database.url), str(tmp_path / "log")]
    process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    ends(database, run_id)

    process.terminate()
    said, _ = process.communicate(timeout=30)
    assert said == "ready\n"
    queue.close()
