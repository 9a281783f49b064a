"""Recordings of tool results: kept by run, trial and call, and found again."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from audition.errors import StoreError
from audition.store.service.database import Database
from audition.store.service.tool_recordings import ToolRecordings


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = f"sqlite:///{tmp_path}/service.db" if request.param == "sqlite" else request.getfixturevalue("postgres")
    opened = Database(url)
    yield opened
    opened.close()


@pytest.fixture
def run_id(request: pytest.FixtureRequest) -> int:
    """Return a run of this test alone: the server is shared."""
    return abs(hash(request.node.name)) % 1_000_000


def test_an_outcome_is_found_whatever_the_order_of_the_arguments(database: Database, run_id: int):
    kept = ToolRecordings(database, run_id)
    kept.keep("case-7#2", "lookup", {"a": 1, "b": [None, "ü\x00\ud800"]}, 1, {"result": {"x": "\x00"}})

    found = ToolRecordings(database, run_id).find("case-7#2", "lookup", {"b": [None, "ü\x00\ud800"], "a": 1}, 1)

    assert found == {"result": {"x": "\x00"}}


OTHERS = [
    pytest.param("case-7#1", "lookup", {"id": 7}, 1, id="another trial"),
    pytest.param("case-8#2", "lookup", {"id": 7}, 1, id="another case"),
    pytest.param("case-7#2", "find", {"id": 7}, 1, id="another tool"),
    pytest.param("case-7#2", "lookup", {"id": "7"}, 1, id="other arguments"),
    pytest.param("case-7#2", "lookup", {"id": 7}, 2, id="another time"),
]


@pytest.mark.parametrize(("trial", "name", "arguments", "nth"), OTHERS)
def test_nothing_else_is_found(database: Database, run_id: int, trial: str, name: str, arguments, nth: int):
    kept = ToolRecordings(database, run_id)
    kept.keep("case-7#2", "lookup", {"id": 7}, 1, {"result": 1})

    assert kept.find(trial, name, arguments, nth) is None


def test_another_run_has_its_own(database: Database, run_id: int):
    ToolRecordings(database, run_id).keep("case-7", "lookup", {}, 1, {"result": 1})

    assert ToolRecordings(database, run_id + 1_000_000).find("case-7", "lookup", {}, 1) is None


def test_a_trial_that_is_done_again_is_recorded_again(database: Database, run_id: int):
    kept = ToolRecordings(database, run_id)
    kept.keep("case-7", "lookup", {}, 1, {"result": 1})

    kept.keep("case-7#1", "lookup", {}, 1, {"error": "gone"})

    assert kept.find("case-7", "lookup", {}, 1) == {"error": "gone"}


def test_the_calls_of_a_trial_are_told(database: Database, run_id: int):
    kept = ToolRecordings(database, run_id)
    kept.keep("case-7", "lookup", {"id": 7}, 1, {"result": 1})
    kept.keep("case-7", "lookup", {"id": 7}, 2, {"result": 2})
    kept.keep("case-8", "lookup", {"id": 9}, 1, {"result": 3})

    assert kept.calls("case-7") == [("lookup", {"id": 7}, 1), ("lookup", {"id": 7}, 2)]


def test_what_is_no_trial_of_a_case_is_refused(database: Database, run_id: int):
    with pytest.raises(StoreError, match="greeting"):
        ToolRecordings(database, run_id).find("greeting#1", "lookup", {}, 1)
