"""How much of everything there is."""

from audition.store.service import overview
from audition.store.service.database import Connection, Database
from audition.store.service.tables import RESULTS, RUNS, WORKERS


def some(connection: Connection) -> None:
    """Fill in two runs, one deleted, a result and three workers."""
    run = {"dataset_id": 1, "candidate_system_prompt": "", "created_at": "", "dataset_version": 1, "subject": "{}"}
    run |= {"prompt_sha": "", "planned": 1, "created_by": ""}
    connection.execute(RUNS.insert().values(**run, status="pending"))
    connection.execute(RUNS.insert().values(**run, status="failed", deleted_at="x"))
    result = {"run_id": 1, "case_id": 1, "trial": 1, "generation": 1, "document": "{}", "created_at": ""}
    connection.execute(RESULTS.insert().values(**result, outcome="pass"))
    worker = {"host": "h", "pid": 1, "version": "1", "started_at": ""}
    connection.execute(WORKERS.insert().values(**worker, id="live", heartbeat_s=4e9))
    connection.execute(WORKERS.insert().values(**worker, id="dead", heartbeat_s=0.0))
    connection.execute(WORKERS.insert().values(**worker, id="stopped", heartbeat_s=4e9, stopped_at="x"))


def test_runs_and_results_are_counted_without_the_deleted(database: Database) -> None:
    database.write(some)

    assert database.read(overview.counts) == {"runs": {"pending": 1}, "results": {"pass": 1}}


def test_workers_that_beat_and_were_not_stopped_are_alive(database: Database) -> None:
    database.write(some)

    assert database.read(lambda connection: overview.workers_alive(connection, database.now_s)) == 1
