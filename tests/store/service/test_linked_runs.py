"""Runs that go on from others."""

import pytest
from sqlalchemy import Connection
from tests.doubles.service_runs import add_dataset, add_run, passed, run_of

from audition.service.grading import result_of
from audition.store.service import linked_runs, runs, trials
from audition.store.service.database import Database
from audition.store.service.run_views import results_of

USAGE = '{"agent":{"cost_usd":0.5},"judge":null}'


@pytest.fixture
def dataset_id(database: Database) -> int:
    """Return the id of a dataset with three cases."""
    return database.write(lambda connection: add_dataset(connection, 3))


def finished(database: Database, dataset_id: int) -> int:
    """Return the id of a completed run in which all three passed."""

    def act(connection: Connection) -> int:
        run_id = add_run(connection, dataset_id, cases=3)
        begun = runs.begin(connection, database.now_s, run_id, generation=0, worker="w")
        assert begun is not None
        for case_id in (1, 2, 3):
            trials.save(connection, database.insert, begun.claim, result_of(case_id, passed(case_id)))
        runs.finish(connection, begun.claim, usage=USAGE)
        return run_id

    return database.write(act)


@pytest.mark.parametrize(("scope", "kept"), [("errors", 3), ("failed", 3), ("all", 0)])
def test_a_retry_takes_results_over_in_one_go(database: Database, dataset_id: int, scope: str, kept: int) -> None:
    parent = run_of(database, finished(database, dataset_id))

    run_id = database.write(lambda c: linked_runs.retry(c, parent, scope, by="x@example.com"))  # type: ignore[arg-type]

    assert len(database.read(lambda connection: results_of(connection, run_id))) == kept
    child = run_of(database, run_id)
    assert (child.kind, child.parent_id, child.options.scope, child.planned) == ("retry", parent.id, scope, 3)


def test_what_a_chain_of_runs_took_ends_at_a_run_judged_again(database: Database, dataset_id: int) -> None:
    first = run_of(database, finished(database, dataset_id))
    judged_id = database.write(lambda c: linked_runs.rejudge(c, first, first.options, judge="m", by="x"))
    judged = run_of(database, judged_id)
    again_id = database.write(lambda c: linked_runs.retry(c, first, "all", by="x"))
    again = run_of(database, again_id)

    assert database.read(lambda connection: linked_runs.effort_of(connection, judged)).usages == (None,)
    effort = database.read(lambda connection: linked_runs.effort_of(connection, again))
    assert (effort.usages, effort.started_at) == ((None, USAGE), first.started_at)
