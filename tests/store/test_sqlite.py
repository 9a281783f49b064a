"""Opening history files, waiting for them, and what their errors mean."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from audition.errors import StoreError
from audition.store.sqlite import connect, patiently, store_error, version


def full(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA max_page_count = 2")
        connection.execute("CREATE TABLE t AS SELECT zeroblob(100000)")


def read_only(path: Path) -> None:
    sqlite3.connect(path).close()
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.execute("CREATE TABLE t (a)")


def not_a_database(path: Path) -> None:
    path.write_bytes(b"evals: []\n" * 100)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM sqlite_master")


def a_folder(path: Path) -> None:
    path.mkdir()
    sqlite3.connect(path)


def damaged(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        connection.commit()
    path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 4096)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM t").fetchall()


def locked(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as first:
        first.execute("BEGIN EXCLUSIVE")
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as second:
            second.execute("BEGIN EXCLUSIVE")


def without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM runs")


def closed(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.close()
    connection.execute("SELECT 1")


@pytest.mark.parametrize(
    ("do", "meaning", "hint"),
    [
        pytest.param(full, "cannot grow: the disk is full", "free some space", id="full"),
        pytest.param(read_only, "is read-only", "permissions", id="read-only"),
        pytest.param(not_a_database, "is not a database", "move that file away", id="not a database"),
        pytest.param(a_folder, "cannot be opened", "that it is a file", id="a folder"),
        pytest.param(damaged, "is damaged", "recover", id="damaged"),
        pytest.param(locked, "is busy", "wait until other runs have ended", id="locked"),
        pytest.param(without_tables, "cannot be used: no such table: runs", "choose another", id="without tables"),
        pytest.param(closed, "cannot be used: Cannot operate on a closed database", "choose another", id="closed"),
    ],
)
def test_an_error_says_what_it_means_for_the_history_and_what_to_do(
    do: Callable[[Path], None], meaning: str, hint: str, tmp_path: Path
) -> None:
    path = tmp_path / "history.db"
    with pytest.raises(sqlite3.Error) as caught:
        do(path)

    error = store_error(caught.value, path)

    assert error.message.startswith(f"the history {path} {meaning}")
    assert hint in str(error.hint)


def test_a_history_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / ".audition" / "history.db"

    with closing(connect(path)) as connection:
        assert version(connection) == 0

    assert path.exists()


def test_a_history_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(StoreError, match="cannot be made"):
        connect(tmp_path / "file" / "history.db")


def test_a_busy_history_is_tried_again_until_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    tries = []

    def write() -> str:
        tries.append(1)
        if len(tries) == 3:
            holder.close()
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as connection:
            connection.execute("BEGIN EXCLUSIVE")
        return "written"

    assert patiently(write, path) == "written"
    assert len(tries) == 3


def test_patience_has_an_end(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is busy: others kept it locked"):
        patiently(lambda: locked(tmp_path / "history.db"), tmp_path / "history.db", patience_s=0)


def test_what_waiting_does_not_mend_is_not_tried_again(tmp_path: Path) -> None:
    tries = []

    def write() -> None:
        tries.append(1)
        full(tmp_path / "history.db")

    with pytest.raises(StoreError, match="the disk is full"):
        patiently(write, tmp_path / "history.db")

    assert len(tries) == 1
