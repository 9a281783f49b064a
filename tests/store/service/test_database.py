"""The service's database: how it comes to be, what it refuses, and what its troubles are called."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, insert, select, text

from audition.errors import Conflict, StoreError
from audition.store.service.database import VERSION_TABLE, Connection, Database
from audition.store.service.migrations import FOLDER, VERSION
from audition.store.service.tables import MEMBERS, METADATA

MEMBER = {"email": "a@example.com", "name": "A", "role": "viewer", "created_at": "", "updated_at": ""}


def add_member(connection: Connection) -> None:
    connection.execute(insert(MEMBERS).values(MEMBER))


def names(database: Database) -> list[str]:
    return database.read(lambda connection: [*connection.execute(select(MEMBERS.c.name)).scalars()])


def test_the_steps_come_to_the_tables_that_are_used(database: Database) -> None:
    def differences(connection: Connection) -> object:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        return compare_metadata(context, METADATA)

    assert database.read(differences) == []


def test_the_version_is_the_number_of_the_last_step() -> None:
    assert ScriptDirectory(str(FOLDER)).get_current_head() == f"{VERSION:04}"


def test_what_was_written_is_there_when_it_is_opened_again(database: Database) -> None:
    database.write(add_member)

    with closing(Database(database.url.render_as_string(hide_password=False))) as again:
        assert names(again) == ["A"]


def test_a_change_that_breaks_half_way_is_none(database: Database) -> None:
    def half(connection: Connection) -> None:
        add_member(connection)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        database.write(half)

    assert names(database) == []


def test_what_may_be_there_once_is_a_conflict_the_second_time(database: Database) -> None:
    database.write(add_member)

    with pytest.raises(Conflict):
        database.write(add_member)


def test_a_database_of_a_newer_audition_is_refused(database: Database) -> None:
    database.write(lambda connection: connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")))

    with pytest.raises(StoreError, match="was made by a newer audition") as caught:
        Database(database.url.render_as_string(hide_password=False))

    assert "pip install --upgrade audition" in str(caught.value.hint)


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE songs (name TEXT)")

    with pytest.raises(StoreError, match="is a database of something else"):
        Database(f"sqlite:///{tmp_path}/other.db")

    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("songs",)]


@pytest.mark.parametrize("url", ["", "mysql://host/x", "not a url"], ids=repr)
def test_what_is_no_database_of_ours_says_what_to_write(url: str) -> None:
    with pytest.raises(StoreError) as caught:
        Database(url)

    assert "sqlite:///" in str(caught.value.hint)


def test_a_server_that_is_not_there_is_told_without_its_password() -> None:
    with pytest.raises(StoreError, match="cannot be used") as caught:
        Database("postgresql://me:s3cret@127.0.0.1:1/x")

    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("code", "said"),
    [("53100", "cannot grow: the disk is full"), ("25006", "cannot be used"), ("57P01", "cannot be used")],
    ids=["disk full", "read-only", "shut down"],
)
def test_troubles_of_the_server_are_told_as_such(postgres: str, code: str, said: str) -> None:
    broken = text(f"DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '{code}'; END $$")

    with closing(Database(postgres)) as database, pytest.raises(StoreError, match=said):
        database.write(lambda connection: connection.execute(broken))


def test_every_connection_to_sqlite_knows_milliseconds_however_old_sqlite_is(tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{tmp_path}/service.db")):
        engine = create_engine("sqlite://")

        with engine.connect() as connection:
            now = connection.execute(text("SELECT unixepoch('subsec')")).scalar_one()
        engine.dispose()

    assert now == pytest.approx(time.time(), abs=60)
