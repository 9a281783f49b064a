"""The service's database: SQLite in a file for one machine, PostgreSQL for many."""

import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Engine,
    Float,
    create_engine,
    event,
    func,
    inspect,
    literal_column,
    make_url,
    select,
)
from sqlalchemy import Connection as Connection
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from audition.errors import Conflict, MissingExtra, StoreError
from audition.store import sqlite
from audition.store.service.migrations import FOLDER, VERSION

VERSION_TABLE = "audition_service_version"
"""Where alembic notes the schema."""

_UPGRADE_LOCK = 0x61756473
"""The number under which processes wait for each other in PostgreSQL while one of them changes the tables."""

_INSERTS: Final[Mapping[str, Callable[..., Any]]] = {
    "sqlite": sqlite_dialect.insert,
    "postgresql": postgresql.insert,
}
_NOW: Final[Mapping[str, str]] = {
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    "postgresql": "extract(epoch from clock_timestamp())",
}
_AGAIN = frozenset({"40001", "40P01"})
"""PostgreSQL's codes for a transaction that lost against others and is to be done again."""

_TIMES = 10

_DISK_FULL = "53100"
_OF_THE_SERVER = ("25006", "53", "57", "58")
"""PostgreSQL's codes for what is the server's and may pass: read-only, out of resources, stopped, broken."""
_FROZEN_S = 10
"""How long a transaction may stand still in PostgreSQL, whole seconds; ours never wait for anything outside of it."""

Answer = TypeVar("Answer")


class Database:
    """The database that `url` names: `sqlite:////folder/service.db` or `postgresql://USER@HOST/DATABASE`.

    Its tables are made, or brought up to date, when it is opened. All methods block.

    Raises: StoreError when it cannot be reached, is something else's, or was made by a newer audition; MissingExtra
    when the package that reaches it is not installed.
    """

    def __init__(self, url: str, *, patience_s: float = sqlite.PATIENCE_S) -> None:
        self.url, self._patience_s = _known_url(url), patience_s
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._path = Path(self.url.database or "")
        self._turn = threading.Lock() if self.is_sqlite else nullcontext()
        self.insert = _INSERTS[self.url.get_backend_name()]
        self.now_s: ColumnElement[float] = literal_column(_NOW[self.url.get_backend_name()], Float)
        _teach_sqlite()
        try:
            self._engine = create_engine(self.url, **self._arguments())
            if not self.is_sqlite:
                event.listen(self._engine, "connect", _let_go_of_locks)
        except ModuleNotFoundError as error:
            raise MissingExtra("server", needed_for="a database in PostgreSQL") from error
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def read(self, action: Callable[[Connection], Answer]) -> Answer:
        """Return what an action finds, all of it at one moment."""

        def bare() -> Answer:
            with self._engine.connect() as connection:
                if self.is_sqlite:
                    connection.exec_driver_sql("BEGIN")
                return action(connection)

        return self._do(bare)

    def write(self, action: Callable[[Connection], Answer]) -> Answer:
        """Return what an action returns, with all it changed committed, or nothing of it.

        The action may be called again when others were in the way, so it must change nothing but the database.
        """

        def bare() -> Answer:
            with self._turn, self._engine.begin() as connection:
                if self.is_sqlite:
                    connection.exec_driver_sql("BEGIN IMMEDIATE")
                return action(connection)

        return self._do(bare)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def shown(self) -> str:
        """Return where it is, for people, without a password."""
        return str(self._path) if self.is_sqlite else self.url.render_as_string(hide_password=True)

    def _arguments(self) -> dict[str, Any]:
        if not self.is_sqlite:
            return {"pool_size": 20, "max_overflow": 20, "pool_pre_ping": True}
        return {
            "creator": lambda: sqlite.connect(self._path, patience_s=self._patience_s, noun="database"),
            "pool_size": 20,
            "max_overflow": 40,
        }

    def _prepare(self) -> None:
        found = self.read(_version)
        if found > VERSION:
            hint = "upgrade audition (pip install --upgrade audition), or choose another database"
            raise StoreError(f"the database {self.shown()} was made by a newer audition", hint=hint)
        if found == 0 and self.is_sqlite and self.read(lambda connection: inspect(connection).get_table_names()):
            raise StoreError(f"{self.shown()} is a database of something else", hint="choose another file")
        if found < VERSION:
            self._upgrade()

    def _upgrade(self) -> None:
        from audition.store.migrations import upgrade  # alembic is slow to load and rarely needed

        if self.is_sqlite:
            with self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")

        def steps(connection: Connection) -> None:
            if not self.is_sqlite:
                connection.execute(select(func.pg_advisory_xact_lock(_UPGRADE_LOCK)))
            # Another process may have been faster: whoever has the lock looks again.
            if _version(connection) < VERSION:
                upgrade(connection, version_table=VERSION_TABLE, folder=FOLDER)

        self.write(steps)

    def _do(self, action: Callable[[], Answer]) -> Answer:
        def bare() -> Answer:
            for left in reversed(range(_TIMES)):
                try:
                    return action()
                except IntegrityError as error:
                    raise Conflict("what is stored does not allow this change") from error
                except DBAPIError as error:
                    if isinstance(error.orig, sqlite3.Error):
                        raise error.orig from error
                    code = getattr(error.orig, "sqlstate", None)
                    if left and code in _AGAIN:
                        continue
                    if code is not None and not code.startswith(_OF_THE_SERVER) and not error.connection_invalidated:
                        raise
                    raise self._unusable(str(error.orig), is_full=code == _DISK_FULL) from error
            raise AssertionError

        if not self.is_sqlite:
            return bare()
        return sqlite.patiently(bare, self._path, patience_s=self._patience_s, noun="database")

    def _unusable(self, said: str, *, is_full: bool) -> StoreError:
        if is_full:
            hint = "free some space; what was saved before is still there"
            return StoreError(f"the database {self.shown()} cannot grow: the disk is full", hint=hint)
        reason = said.strip().partition("\n")[0]
        hint = "check that the database is running and that you may use it"
        return StoreError(f"the database {self.shown()} cannot be used: {reason}", hint=hint)


def _teach_sqlite() -> None:
    """Have all connections to SQLite know `unixepoch('subsec')`, which it has of itself from 3.42 on.

    DBOS takes it for granted from Python 3.12 on, and older systems have an older SQLite.
    """
    if sqlite3.sqlite_version_info < (3, 42) and not event.contains(Engine, "connect", _teach):
        event.listen(Engine, "connect", _teach)


def _teach(connection: Any, _record: object) -> None:
    bare = getattr(connection, "driver_connection", connection)
    if isinstance(bare, sqlite3.Connection):
        bare.create_function("unixepoch", 1, _since_1970)


def _since_1970(wanted: str) -> float:
    return time.time() if wanted.startswith("subsec") else int(time.time())


def utc(moment: datetime | None = None) -> str:
    """Return a moment (None: now) as the tables keep it: `2026-01-15T10:00:00.123Z`."""
    return f"{(moment or datetime.now(UTC)).astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def _let_go_of_locks(connection: Any, _record: object) -> None:
    """Have the server end a transaction whose process does not go on: else a frozen worker keeps a run from others."""
    connection.execute(f"SET idle_in_transaction_session_timeout = '{_FROZEN_S}s'")
    connection.commit()


def _known_url(text: str) -> URL:
    hint = "write sqlite:////folder/service.db or postgresql://USER@HOST/DATABASE"
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise StoreError("the database's URL cannot be read", hint=hint) from error
    if url.get_backend_name() not in _INSERTS:
        raise StoreError(f"nothing can be kept in {url.get_backend_name()!r}", hint=hint)
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def _version(connection: Connection) -> int:
    """Return the schema of the tables, 0 when there are none of ours."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return 0
    return int(connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar_one())  # noqa: S608
