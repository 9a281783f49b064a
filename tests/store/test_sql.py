"""The full store: what it refuses, what it names, what it never shows. What it promises is in the contract."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from audition.errors import MissingExtra, StoreError
from audition.results import Run, TrialResult, Verdict
from audition.store.sql import SqlStore, sqlite_url

RUN = Run(id="r1", started_at="2026-01-01T10:00:00+00:00", agent="a:b", total=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    store = SqlStore(sqlite_url(path))
    yield store
    store.close()


def change(path: Path, statement: str) -> None:
    """Do something to a history behind its store's back."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_a_history_is_kept_in_wal_mode(store: SqlStore, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_results_can_be_read_while_another_writes(store: SqlStore, path: Path) -> None:
    store.begin(RUN)
    store.save("r1", [TrialResult(eval_name="e", verdict=Verdict.PASS)])

    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")

        assert [kept.eval_name for kept in store.results("r1")] == ["e"]


def test_a_history_that_stays_locked_is_busy(path: Path) -> None:
    with closing(SqlStore(sqlite_url(path), patience_s=0)) as store, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match=f"the history {path} is busy"):
            store.begin(RUN)


def test_a_damaged_result_is_named(store: SqlStore, path: Path) -> None:
    store.begin(RUN)
    store.save("r1", [TrialResult(eval_name=name, verdict=Verdict.PASS) for name in ("a", "b")])
    change(path, "UPDATE results SET document = substr(document, 1, 30) WHERE eval_name = 'b'")
    found = store.results("r1")

    assert next(found).eval_name == "a"
    with pytest.raises(StoreError, match=rf"result 'b' \(trial 1\) of run 'r1' in {path} is damaged"):
        next(found)


def test_a_damaged_run_is_named(store: SqlStore, path: Path) -> None:
    store.begin(RUN)
    change(path, "UPDATE runs SET document = '{}'")

    with pytest.raises(StoreError, match=f"run 'r1' in {path} is damaged"):
        store.runs(limit=1)


def test_a_history_of_a_newer_audition_is_left_alone(path: Path) -> None:
    SqlStore(sqlite_url(path)).close()
    change(path, "PRAGMA user_version = 99")

    with pytest.raises(StoreError, match="was made by a newer audition"):
        SqlStore(sqlite_url(path))


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    change(path, "CREATE TABLE runs (distance_km)")

    with pytest.raises(StoreError, match=f"{path} is a database of something else"):
        SqlStore(sqlite_url(path))

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("runs",)]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("what is this", "the history's URL cannot be read"),
        ("oracle://host/x", "no history can be kept in 'oracle'"),
        ("mysql://host/x", "no history can be kept in 'mysql'"),
    ],
)
def test_an_address_where_no_history_can_be_is_refused(url: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason) as caught:
        SqlStore(url)

    assert "postgresql://" in str(caught.value.hint)


@pytest.mark.skipif(find_spec("psycopg") is not None, reason="psycopg is installed")
def test_postgresql_without_its_package_says_what_to_install() -> None:
    with pytest.raises(MissingExtra, match="a history in PostgreSQL needs a package") as caught:
        SqlStore("postgresql://host/x")

    assert caught.value.hint == "pip install 'audition[server]'"


@pytest.mark.skipif(find_spec("psycopg") is None, reason="needs the package psycopg")
def test_a_server_that_is_not_there_is_told_without_the_password() -> None:
    with pytest.raises(StoreError, match="cannot be used") as caught:
        SqlStore("postgresql://me:s3cret@127.0.0.1:1/x")

    assert "s3cret" not in str(caught.value)


def test_a_run_in_progress_that_ends_keeps_the_counts_it_ends_with(store: SqlStore) -> None:
    store.begin(RUN)
    store.save("r1", [TrialResult(eval_name="a", verdict=Verdict.PASS)])

    store.finish(replace(RUN, status="failed", failed=2))

    assert (store.run("r1").passed, store.run("r1").failed) == (0, 2)
