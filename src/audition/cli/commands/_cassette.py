"""`--record`, `--replay` and `--record-missing`: the cassette that the models of a command speak through."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette


@contextmanager
def cassette_of(record: Path | None, replay: Path | None, *, record_missing: bool) -> Iterator["Cassette | None"]:
    """Open the cassette that is asked for, and close it at the end; None when none is.

    Raises: click.UsageError for options that contradict each other, SettingsError for a file that will not do.
    """
    if record and replay:
        raise click.UsageError("--record and --replay exclude each other: give --replay FILE --record-missing")
    if record_missing and not replay:
        raise click.UsageError("--record-missing goes with --replay FILE")
    path = record or replay
    if path is None:
        yield None
        return
    from audition.llm.cassette import Cassette  # most commands need none, nor SQLite for it

    with Cassette(path, "record" if record else "auto" if record_missing else "replay") as cassette:
        yield cassette
