"""Recording into a local history file with the standard library alone: loading SQLAlchemy takes 0.4 s of CPU."""

from collections.abc import Callable, Sequence
from pathlib import Path

from audition.errors import StoreError
from audition.results import Run, TrialResult
from audition.store import sqlite
from audition.store.rows import result_row, run_row

_KEEP_RUN = """
INSERT INTO runs (id, started_at, status, passed, failed, errors, skipped, total, document)
VALUES (:id, :started_at, :status, :passed, :failed, :errors, :skipped, :total, :document)
ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, status = excluded.status, passed = excluded.passed,
failed = excluded.failed, errors = excluded.errors, skipped = excluded.skipped, total = excluded.total,
document = excluded.document
"""

_KEEP_RESULT = """
INSERT INTO results (run_id, eval_name, trial, verdict, document)
VALUES (:run_id, :eval_name, :trial, :verdict, :document)
ON CONFLICT (run_id, eval_name, trial) DO UPDATE SET verdict = excluded.verdict, document = excluded.document
"""

_NEW_TABLES = f"""
CREATE TABLE runs (
    id TEXT NOT NULL, started_at TEXT NOT NULL, status TEXT NOT NULL, passed INTEGER NOT NULL, failed INTEGER NOT NULL,
    errors INTEGER NOT NULL, skipped INTEGER NOT NULL, total INTEGER NOT NULL, document TEXT NOT NULL, PRIMARY KEY (id)
);
CREATE INDEX ix_runs_started_at ON runs (started_at);
CREATE TABLE results (
    position INTEGER NOT NULL, run_id TEXT NOT NULL, eval_name TEXT NOT NULL, trial INTEGER NOT NULL,
    verdict TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (position),
    CONSTRAINT results_once UNIQUE (run_id, eval_name, trial)
);
CREATE INDEX results_in_order ON results (run_id, position);
CREATE TABLE audition_version (
    version_num VARCHAR(32) NOT NULL, CONSTRAINT audition_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO audition_version (version_num) VALUES ('{sqlite.VERSION:04}');
PRAGMA user_version = {sqlite.VERSION}
"""  # noqa: S608 (the only thing filled in is a number of ours)
"""What the migrations come to for a new file, so that a first run need not load them (0.8 s of CPU)."""

_Rows = Sequence[dict[str, str | int]]


class SqliteRecorder:
    """Takes down runs in the history file at `path`; `sql.SqlStore` reads them.

    `patience_s`: how long it tries while others keep the file locked, seconds.

    Raises: StoreError when the file cannot be opened, is no history, or was made by a newer audition.
    """

    def __init__(self, path: Path, *, patience_s: float = sqlite.PATIENCE_S) -> None:
        self._path, self._patience_s = path, patience_s
        self._connection = sqlite.connect(path, patience_s=patience_s)
        try:
            self._prepare()
        except StoreError:
            self._connection.close()
            raise

    def begin(self, run: Run) -> None:
        """Note that a run has begun."""
        self._keep(_KEEP_RUN, [run_row(run)])

    def save(self, run_id: str, results: Sequence[TrialResult]) -> None:
        """Keep results, all of them or none; one that is there already (same eval, same trial) is replaced."""
        self._keep(_KEEP_RESULT, [result_row(run_id, result) for result in results])

    def finish(self, run: Run) -> None:
        """Keep the run's last status and counts."""
        self._keep(_KEEP_RUN, [run_row(run)])

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _prepare(self) -> None:
        if self._patiently(self._is_new):
            self._patiently(self._make_tables)
        found = self._patiently(lambda: sqlite.version(self._connection))
        if found > sqlite.VERSION:
            raise sqlite.newer(self._path)
        if found < sqlite.VERSION:
            from audition.store.sql import SqlStore, sqlite_url  # only when tables have to be changed

            SqlStore(sqlite_url(self._path), patience_s=self._patience_s).close()

    def _is_new(self) -> bool:
        return self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is None

    def _make_tables(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            # Another process may have been faster: whoever has the lock looks again.
            if self._is_new():
                for statement in _NEW_TABLES.split(";"):
                    self._connection.execute(statement)

    def _keep(self, statement: str, rows: _Rows) -> None:
        self._patiently(lambda: self._write(statement, rows))

    def _write(self, statement: str, rows: _Rows) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        with self._connection:
            self._connection.executemany(statement, rows)

    def _patiently(self, action: Callable[[], sqlite.Answer]) -> sqlite.Answer:
        return sqlite.patiently(action, self._path, patience_s=self._patience_s)
