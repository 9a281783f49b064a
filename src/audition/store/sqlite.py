"""What every use of a history file shares: how it is opened, how long a locked one is waited for, what errors mean."""

import random
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from audition.errors import StoreError

VERSION = 1
"""The schema of the tables, as `PRAGMA user_version` says it: the number of the last file in `migrations/versions`."""

PATIENCE_S = 60.0
"""How long a writer tries to get a turn, seconds. Source: 16 writers at once needed up to 9 s, and 5 s lost rows."""

_LOCK_WAIT_S = 5.0
"""How long SQLite itself waits for a lock at each try. Its waiting is not fair, hence several tries."""

_MEANINGS = {
    sqlite3.SQLITE_BUSY: ("is busy: others kept it locked", "wait until other runs have ended, then try again"),
    sqlite3.SQLITE_LOCKED: ("is busy: others kept it locked", "wait until other runs have ended, then try again"),
    sqlite3.SQLITE_FULL: ("cannot grow: the disk is full", "free some space; what was saved before is still there"),
    sqlite3.SQLITE_IOERR: ("cannot be written: the disk reports an error", "check the disk's space, limits and health"),
    sqlite3.SQLITE_READONLY: ("is read-only", "check the permissions of the file and of its folder"),
    sqlite3.SQLITE_PERM: ("may not be opened", "check the permissions of the file and of its folder"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "check that its folder can be written to, and that it is a file"),
    sqlite3.SQLITE_NOTADB: ("is not a database", "move that file away, or choose another history"),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "move it away; `sqlite3 FILE .recover` may bring back what is in it"),
}
"""What SQLite's primary error codes mean to somebody who only wants a history, and what to do."""

Answer = TypeVar("Answer")


def connect(path: Path, *, patience_s: float = PATIENCE_S, noun: str = "history") -> sqlite3.Connection:
    """Open a database file, made with its folder when there is none. Transactions are begun by hand.

    `noun` is what messages call it.

    Raises: StoreError when the file cannot be opened.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(
            path, timeout=min(patience_s, _LOCK_WAIT_S), isolation_level=None, check_same_thread=False
        )
        try:
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error:
            connection.close()
            raise
    except sqlite3.Error as error:
        raise store_error(error, path, noun) from error
    except OSError as error:
        hint = "check that the folder can be written to"
        raise StoreError(f"the {noun} {path} cannot be made: {error.strerror}", hint=hint) from error
    return connection


def version(connection: sqlite3.Connection) -> int:
    """Return the schema of the tables in a history file, 0 for a new one."""
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return found


def newer(path: object) -> StoreError:
    """Return the error for a history whose tables this audition does not know."""
    hint = "upgrade audition (pip install --upgrade audition), or choose another history"
    return StoreError(f"the history {path} was made by a newer audition", hint=hint)


def patiently(
    action: Callable[[], Answer], path: Path, *, patience_s: float = PATIENCE_S, noun: str = "history"
) -> Answer:
    """Return what `action` returns; while others hold the lock, do it again for up to `patience_s` seconds.

    Raises: StoreError for whatever SQLite finds wrong, and when the patience has run out.
    """
    deadline = time.monotonic() + patience_s
    while True:
        try:
            return action()
        except sqlite3.Error as error:
            if _code(error) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED) or time.monotonic() >= deadline:
                raise store_error(error, path, noun) from error
        # Nobody tells when a lock is free; waiting for different times keeps many writers from meeting again.
        time.sleep(random.uniform(0.01, 0.1))  # noqa: S311 (no secret)


def store_error(error: sqlite3.Error, path: Path, noun: str = "history") -> StoreError:
    """Return what an error of SQLite means for the history, or another `noun`, at `path`."""
    meaning, hint = _MEANINGS.get(_code(error), (f"cannot be used: {error}", "move it away, or choose another history"))
    return StoreError(f"the {noun} {path} {meaning}", hint=hint)


def _code(error: sqlite3.Error) -> int:
    # Errors of Python's own module, such as using a closed connection, carry no code.
    extended: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return extended & 0xFF
