"""How the tables of a history come to be: steps, several processes at once, and processes that are killed."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from audition.store import migrations, sqlite
from audition.store.sql import METADATA, VERSION_TABLE, SqlStore, sqlite_url

OPEN = """
import os, signal, sys
from sqlalchemy import Engine, event
from audition.store.sql import SqlStore
said = []
def count(connection, cursor, statement, *rest):
    said.append(statement)
    if len(said) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
event.listen(Engine, "before_cursor_execute", count)
SqlStore(sys.argv[1]).close()
"""
"""Opens a history, and is killed before its n-th statement."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def opening(path: Path, killed_at: int) -> "subprocess.Popen[bytes]":
    """Start a process that opens a history and is killed before its n-th statement, -1 for never."""
    return subprocess.Popen([sys.executable, "-c", OPEN, sqlite_url(path), str(killed_at)])


def test_the_steps_come_to_the_tables_that_the_store_uses(path: Path) -> None:
    SqlStore(sqlite_url(path)).close()
    engine = create_engine(sqlite_url(path))

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        differences = compare_metadata(context, METADATA)
    engine.dispose()

    assert differences == []


def test_the_version_is_the_number_of_the_last_step() -> None:
    steps = ScriptDirectory(str(Path(migrations.__file__).parent))

    assert steps.get_current_head() == f"{sqlite.VERSION:04}"


def test_a_history_that_is_up_to_date_does_not_load_alembic(path: Path) -> None:
    SqlStore(sqlite_url(path)).close()
    code = f"{OPEN}\nprint('alembic' in sys.modules)"

    said = subprocess.run([sys.executable, "-c", code, sqlite_url(path), "-1"], capture_output=True, check=True).stdout

    assert said == b"False\n"


def test_two_processes_may_make_the_same_history(path: Path) -> None:
    processes = [opening(path, -1) for _ in range(2)]

    assert [process.wait(60) for process in processes] == [0, 0]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall() == [("0001",)]


@pytest.mark.parametrize("statement", [5, 8, 11, 13])
def test_a_process_killed_while_it_makes_a_history_leaves_nothing_half_made(path: Path, statement: int) -> None:
    assert opening(path, statement).wait(60) == -9

    SqlStore(sqlite_url(path)).close()

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert sqlite.version(connection) == sqlite.VERSION
