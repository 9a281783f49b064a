"""Runs as they are read, from each kind of database."""

import pytest
from sqlalchemy import Connection
from tests.doubles.service_runs import add_dataset, add_run, passed

from audition.errors import NotFound
from audition.service.grading import result_of
from audition.store.service import datasets, linked_runs, runs, trials
from audition.store.service.database import Database
from audition.store.service.run_options import RunOptions
from audition.store.service.run_views import (
    Filter,
    beat_of,
    latest_runs,
    past_runs,
    recording_for,
    result_in,
    results_of,
    run_in,
    runs_of,
    some_results,
    state_of,
    whole_results,
)
from audition.store.service.subjects import create
from audition.store.service.workers import Worker, beat

USAGE = '{"agent":{"cost_usd":0.5},"judge":null}'


@pytest.fixture
def dataset_id(database: Database) -> int:
    """Return the id of a dataset with three cases, of an agent."""

    def add(connection: Connection) -> int:
        create(connection, "agents", "Desk", {"instruction": "Hi.", "model": "scripted:x"}, by="somebody")
        return add_dataset(connection, 3)

    return database.write(add)


def finished(database: Database, dataset_id: int, cases: tuple[int, ...] = (1, 2, 3), **said: object) -> int:
    """Return the id of a completed run in which these cases passed."""

    def act(connection: Connection) -> int:
        run_id = add_run(connection, dataset_id, cases=3, **said)  # type: ignore[arg-type]  # as add_run takes it
        begun = runs.begin(connection, database.now_s, run_id, generation=0, worker="w")
        assert begun is not None
        for case_id in cases:
            trials.save(connection, database.insert, begun.claim, result_of(case_id, passed(case_id)))
        runs.finish(connection, begun.claim, usage=USAGE)
        return run_id

    return database.write(act)


def test_a_runs_state_tells_how_many_results_it_has(database: Database, dataset_id: int) -> None:
    run_id = finished(database, dataset_id)

    found = database.read(lambda connection: state_of(connection, "agents", 1, dataset_id, run_id))

    assert (found.status, found.results, found.is_final, bool(found.cancelled)) == ("completed", 3, True, False)


@pytest.mark.parametrize(
    "place", [("agents", 2, 1, 1), ("agents", 1, 2, 1), ("agents", 1, 1, 2), ("orchestrators", 1, 1, 1)]
)
def test_a_run_is_found_only_where_it_is(database: Database, dataset_id: int, place: tuple[str, int, int, int]) -> None:
    finished(database, dataset_id)

    with pytest.raises(NotFound):
        database.read(lambda connection: run_in(connection, *place))  # type: ignore[arg-type]  # a family


def test_a_deleted_run_is_found_nowhere(database: Database, dataset_id: int) -> None:
    run_id = finished(database, dataset_id)
    database.write(lambda connection: linked_runs.forget(connection, runs.run_at(connection, run_id)))

    with pytest.raises(NotFound):
        database.read(lambda connection: state_of(connection, "agents", 1, dataset_id, run_id))
    assert database.read(lambda c: runs_of(c, dataset_id, Filter(), after=0, limit=9)) == ([], 0)
    assert database.read(lambda c: latest_runs(c, Filter(), before=0, limit=9)) == ([], 0)


def test_runs_are_found_by_what_they_are(database: Database, dataset_id: int) -> None:
    first = finished(database, dataset_id)
    second = database.write(lambda connection: add_run(connection, dataset_id))
    run = database.read(lambda connection: runs.run_at(connection, first))

    def ids(wanted: Filter) -> list[int]:
        found, total = database.read(lambda connection: runs_of(connection, dataset_id, wanted, after=0, limit=9))
        assert total == len(found)
        return [one.id for one in found]

    assert ids(Filter(status="completed")) == [first]
    assert ids(Filter(status="pending")) == [second]
    assert ids(Filter(prompt_sha=run.prompt_sha, since=run.created_at)) == [first, second]
    assert ids(Filter(since="2999-01-01T00:00:00.000Z")) == []
    assert ids(Filter(label="x")) == []


def test_the_latest_runs_leave_out_those_of_deleted_datasets(database: Database, dataset_id: int) -> None:
    run_id = finished(database, dataset_id)
    assert [one.id for one, *_ in database.read(lambda c: latest_runs(c, Filter(), before=0, limit=9))[0]] == [run_id]

    database.write(
        lambda connection: datasets.delete(connection, datasets.dataset(connection, "agents", 1, dataset_id))
    )

    assert database.read(lambda c: latest_runs(c, Filter(), before=0, limit=9)) == ([], 0)


def test_results_come_in_the_order_of_their_cases(database: Database, dataset_id: int) -> None:
    run_id = finished(database, dataset_id, (3, 1, 2))

    lines = database.read(lambda connection: results_of(connection, run_id))
    some = database.read(lambda connection: whole_results(connection, run_id, [1, 3]))

    assert [line.case_id for line in lines] == [1, 2, 3]
    assert [one.line.case_id for one in some] == [1, 3]
    assert database.read(lambda c: result_in(c, run_id, lines[0].id)).line == lines[0]


def test_results_are_read_page_by_page_without_those_that_came_later(database: Database, dataset_id: int) -> None:
    run_id = finished(database, dataset_id, (3, 1, 2))
    known = database.read(lambda connection: results_of(connection, run_id))
    up_to = sorted(line.id for line in known)[1]

    first = database.read(lambda c: some_results(c, run_id, after=(0, 0), up_to=up_to, limit=1))
    second = database.read(lambda c: some_results(c, run_id, after=(1, 1), up_to=up_to, limit=9))

    assert [one.line.case_id for one in first + second] == [1, 3]


def test_past_runs_tell_what_they_took_for_how_many_trials(database: Database, dataset_id: int) -> None:
    finished(database, dataset_id, (1, 2))
    database.write(lambda connection: add_run(connection, dataset_id))

    assert database.read(lambda connection: past_runs(connection, dataset_id)) == [(USAGE, 2)]


def test_a_recording_is_found_by_its_mode_not_by_a_word_in_its_options(database: Database, dataset_id: int) -> None:
    recorded = finished(database, dataset_id, options=RunOptions(tool_mode="record"))
    other = finished(database, dataset_id, options=RunOptions(tags=("record",)))

    assert database.read(lambda connection: recording_for(connection, dataset_id, None)) == recorded
    assert database.read(lambda connection: recording_for(connection, dataset_id, other)) is None


def test_a_worker_is_known_by_its_last_sign_of_life(database: Database) -> None:
    worker = Worker(id="w", host="h", pid=1, version="1")
    database.write(lambda connection: beat(connection, database.insert, database.now_s, worker))

    found = database.read(lambda connection: beat_of(connection, database.now_s, "w"))

    assert found is not None
    assert found.silent_s < 60
    assert not found.has_stopped
    assert database.read(lambda connection: beat_of(connection, database.now_s, "x")) is None
