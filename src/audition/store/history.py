"""Opens the history that settings name: the path of a file, or the URL of a database."""

from pathlib import Path

from audition.errors import NotFound
from audition.store import Recorder, Store


def open_recorder(history: str) -> Recorder:
    """Return what takes down runs in a history, made when there is none.

    Raises: StoreError when it cannot be opened.
    """
    if "://" in history:
        return open_store(history)
    from audition.store.sqlite_recorder import SqliteRecorder

    return SqliteRecorder(Path(history))


def open_store(history: str) -> Store:
    """Return a history to read from.

    Raises: NotFound when there is no such file yet, StoreError when it cannot be opened.
    """
    from audition.store.sql import SqlStore, sqlite_url  # SQLAlchemy takes 0.4 s of CPU

    if "://" in history:
        return SqlStore(history)
    path = Path(history)
    if not path.exists():
        raise NotFound(f"there is no history at {path} yet", hint="audition run makes one")
    return SqlStore(sqlite_url(path))
