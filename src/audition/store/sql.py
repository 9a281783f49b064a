"""The history in an SQL database: SQLite in a file, or PostgreSQL."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Index,
    Insert,
    Integer,
    MetaData,
    Row,
    Select,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    func,
    inspect,
    make_url,
    select,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects import sqlite as sqlite_dialect
from sqlalchemy.exc import ArgumentError, DBAPIError

from audition.errors import MissingExtra, StoreError
from audition.results import Run, TrialResult, Verdict
from audition.store import sqlite
from audition.store.memory import UNFINISHED, only_id, with_counts
from audition.store.rows import result_row, run_row
from audition.wire import decode_result, decode_run

VERSION_TABLE = "audition_version"
"""Where alembic notes the schema; SQLite has it in `PRAGMA user_version` too, which costs nothing to look at."""

METADATA = MetaData()
"""The tables as they are now; `migrations/versions` says how a history gets there."""

RUNS = Table(
    "runs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("started_at", Text, nullable=False, index=True),
    Column("status", Text, nullable=False),
    Column("passed", Integer, nullable=False),
    Column("failed", Integer, nullable=False),
    Column("errors", Integer, nullable=False),
    Column("skipped", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("document", Text, nullable=False),
)
"""One row a run: what lists need in columns, and the whole as JSON in `document`."""

RESULTS = Table(
    "results",
    METADATA,
    Column("position", Integer, primary_key=True),
    Column("run_id", Text, nullable=False),
    Column("eval_name", Text, nullable=False),
    Column("trial", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("document", Text, nullable=False),
    UniqueConstraint("run_id", "eval_name", "trial", name="results_once"),
    Index("results_in_order", "run_id", "position"),
)
"""One row a trial. `position` grows as results are first saved, over all runs; saving one again leaves it alone."""

_PAGE = 200
"""How many results are held at once while a run is read."""

_UPGRADE_LOCK = 0x61756469
"""The number under which processes wait for each other in PostgreSQL while one of them changes the tables."""

_INSERTS: Final[Mapping[str, Callable[..., Any]]] = {
    "sqlite": sqlite_dialect.insert,
    "postgresql": postgresql.insert,
}
"""How each kind of database inserts a row or changes the one that is there."""


class SqlStore:
    """A history in the database that `url` names, such as `sqlite:////tmp/history.db` or `postgresql://db/audition`.

    Its tables are made, or brought up to date, when it is opened. `patience_s`: how long a locked SQLite file is
    waited for, seconds.

    Raises: StoreError when the database cannot be reached, is no history, or was made by a newer audition;
    MissingExtra when the package that reaches it is not installed.
    """

    def __init__(self, url: str, *, patience_s: float = sqlite.PATIENCE_S) -> None:
        self._url, self._patience_s = _known_url(url), patience_s
        self._is_sqlite = self._url.get_backend_name() == "sqlite"
        self._path = Path(self._url.database or "")
        self._engine = self._open()
        self._insert = _INSERTS[self._url.get_backend_name()]
        try:
            self._do(self._prepare)
        except BaseException:
            self.close()
            raise

    def begin(self, run: Run) -> None:
        """Note that a run has begun."""
        self._upsert(RUNS, ["id"], [run_row(run)])

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        """Keep results, all of them or none; one that is there already (same eval, same trial) is replaced."""
        rows = [result_row(run_id, result) for result in results]
        if rows:
            self._upsert(RESULTS, ["run_id", "eval_name", "trial"], rows)

    def finish(self, run: Run) -> None:
        """Keep the run's last status and counts."""
        self._upsert(RUNS, ["id"], [run_row(run)])

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def runs(self, *, limit: int) -> list[Run]:
        """Return the latest runs, newest first.

        Raises: StoreError when one of them cannot be read.
        """
        latest = select(RUNS.c.id, RUNS.c.document).order_by(RUNS.c.started_at.desc(), RUNS.c.id.desc()).limit(limit)
        return [self._run(row.id, row.document) for row in self._read(latest)]

    def run(self, run_id: str) -> Run:
        """Return the run of that id, or of the only id that begins so.

        Raises: NotFound when there is none, Conflict when several begin so.
        """
        begins_so = func.substr(RUNS.c.id, 1, len(run_id)) == run_id
        found = only_id(run_id, [row.id for row in self._read(select(RUNS.c.id).where(begins_so).order_by(RUNS.c.id))])
        document = self._read(select(RUNS.c.document).where(RUNS.c.id == found))[0].document
        return self._run(found, document)

    def results(self, run_id: str) -> Iterator[TrialResult]:
        """Return the results of a run in the order in which they were first saved, without holding them all at once.

        Raises: StoreError, naming the row, when one of them cannot be read.
        """
        of_run = select(RESULTS).where(RESULTS.c.run_id == run_id).order_by(RESULTS.c.position).limit(_PAGE)
        last = -1
        while rows := self._read(of_run.where(RESULTS.c.position > last)):
            for row in rows:
                name = f"result {row.eval_name!r} (trial {row.trial}) of {self._name(run_id)}"
                yield decode_result(row.document, row=name)
            last = rows[-1].position

    def _open(self) -> Engine:
        if self._is_sqlite:
            return create_engine(self._url, creator=lambda: sqlite.connect(self._path, patience_s=self._patience_s))
        try:
            return create_engine(self._url)
        except ModuleNotFoundError as error:
            raise MissingExtra("server", needed_for="a history in PostgreSQL") from error

    def _prepare(self) -> None:
        with self._engine.connect() as connection:
            found = _version(connection)
            if found == 0:
                _refuse_foreign(connection, self._shown())
        if found > sqlite.VERSION:
            raise sqlite.newer(self._shown())
        if found < sqlite.VERSION:
            self._upgrade()

    def _upgrade(self) -> None:
        from audition.store.migrations import upgrade  # alembic is slow to load and rarely needed

        if self._is_sqlite:
            with self._engine.connect() as connection:
                connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        with self._writing() as connection:
            if not self._is_sqlite:
                connection.execute(select(func.pg_advisory_xact_lock(_UPGRADE_LOCK)))
            # Another process may have been faster: whoever has the lock looks again.
            if _version(connection) < sqlite.VERSION:
                upgrade(connection, version_table=VERSION_TABLE)
                if self._is_sqlite:
                    connection.exec_driver_sql(f"PRAGMA user_version = {sqlite.VERSION}")

    def _upsert(self, table: Table, key: Sequence[str], rows: Sequence[Mapping[str, object]]) -> None:
        statement = self._insert(table)
        changed = {name: statement.excluded[name] for name in rows[0] if name not in key}
        self._do(lambda: self._write(statement.on_conflict_do_update(index_elements=key, set_=changed), rows))

    def _write(self, statement: Insert, rows: Sequence[Mapping[str, object]]) -> None:
        with self._writing() as connection:
            connection.execute(statement, rows)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            if self._is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection

    def _run(self, run_id: str, document: str) -> Run:
        run = decode_run(document, row=self._name(run_id))
        if run.status not in UNFINISHED:
            return run
        counted = select(RESULTS.c.verdict, func.count().label("trials")).group_by(RESULTS.c.verdict)
        rows = self._read(counted.where(RESULTS.c.run_id == run_id))
        return with_counts(run, {Verdict(row.verdict): row.trials for row in rows})

    def _read(self, query: Select[Any]) -> Sequence[Row[Any]]:
        def rows() -> Sequence[Row[Any]]:
            with self._engine.connect() as connection:
                return connection.execute(query).all()

        return self._do(rows)

    def _do(self, action: Callable[[], sqlite.Answer]) -> sqlite.Answer:
        """Return what an action on the database returns; its errors become ours, a locked file is tried again."""

        def bare() -> sqlite.Answer:
            try:
                return action()
            except DBAPIError as error:
                if isinstance(error.orig, sqlite3.Error):
                    raise error.orig from error
                hint = "check that the database is running and that you may use it"
                reason = str(error.orig).strip().partition("\n")[0]
                raise StoreError(f"the history {self._shown()} cannot be used: {reason}", hint=hint) from error

        return sqlite.patiently(bare, self._path, patience_s=self._patience_s)

    def _shown(self) -> str:
        return str(self._path) if self._is_sqlite else self._url.render_as_string(hide_password=True)

    def _name(self, run_id: str) -> str:
        return f"run {run_id!r} in {self._shown()}"


def _known_url(text: str) -> URL:
    hint = "write sqlite:////folder/history.db or postgresql://USER@HOST/DATABASE"
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise StoreError("the history's URL cannot be read", hint=hint) from error
    backend = url.get_backend_name()
    if backend not in _INSERTS:
        raise StoreError(f"no history can be kept in {backend!r}", hint=hint)
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url


def _version(connection: Connection) -> int:
    """Return the schema of the tables, 0 when there are none of ours."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    if not inspect(connection).has_table(VERSION_TABLE):
        return 0
    return int(connection.exec_driver_sql(f"SELECT version_num FROM {VERSION_TABLE}").scalar_one())  # noqa: S608


def _refuse_foreign(connection: Connection, shown: str) -> None:
    """Raise StoreError when the database is somebody else's: an SQLite file with tables, or our names taken."""
    tables = set(inspect(connection).get_table_names())
    taken = tables if connection.dialect.name == "sqlite" else tables & METADATA.tables.keys()
    if taken and VERSION_TABLE not in tables:
        raise StoreError(f"{shown} is a database of something else", hint="choose another history")


def sqlite_url(path: Path) -> str:
    """Return the URL of a history file."""
    return URL.create("sqlite", database=str(path)).render_as_string()
