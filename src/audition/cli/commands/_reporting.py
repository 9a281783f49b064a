"""Writing what a command has to say: results as they come in, reports when all are there, remarks beside them."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import click

from audition.reports import REPORTS
from audition.reports.text import MARKS
from audition.results import Run, TrialResult, Verdict
from audition.settings import environment, wants_colour
from audition.text import printable

_COLOURS = {MARKS[Verdict.PASS]: "green", MARKS[Verdict.FAIL]: "red", MARKS[Verdict.ERROR]: "yellow"}

Write = Callable[[str], None]
"""How lines are written, each with its line break."""


def tell(text: str) -> None:
    """Write a remark beside the output: a warning, a fault, what happens next."""
    click.echo(printable(text), err=True)


def colour_allowed() -> bool:
    """Say whether the person at the terminal may be shown colours."""
    return wants_colour(environment())


def echo(text: str) -> None:
    """Write text to standard output, and show it at once."""
    # What is written holds no escapes but ours, so click need not look for any.
    click.echo(text, nl=False, color=True)


class Screen:
    """Output as a person reads it: marks are in colour on a terminal. `write` puts lines there."""

    def __init__(self, write: Write = echo) -> None:
        self._write = write
        self._in_colour = sys.stdout is not None and sys.stdout.isatty() and colour_allowed()

    def show(self, text: str) -> None:
        """Write lines of a report."""
        self._write("\n".join(map(_coloured, text.split("\n"))) if self._in_colour else text)


def write_report(
    name: str, run: Run, results: Iterable[TrialResult], *, verbose: bool, output: Path | None = None
) -> None:
    """Write a whole report, to a file or to the terminal."""
    pieces = REPORTS.get(name).render(run, results, verbose=verbose)
    if name == "text" and output is None:
        screen = Screen()
        for piece in pieces:
            screen.show(piece)
    else:
        write_text(pieces, output)


def write_text(pieces: Iterable[str], output: Path | None) -> None:
    """Write text to a file (complete or not at all), or to the terminal when `output` is None."""
    if output is None:
        for piece in pieces:
            echo(piece)
        return
    try:
        _write_file(output.resolve(), pieces)
    except OSError as error:
        raise click.FileError(str(output), error.strerror) from error


def _write_file(path: Path, pieces: Iterable[str]) -> None:
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced by a file
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("x", encoding="utf-8", newline="\n") as stream:
            stream.writelines(pieces)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _coloured(line: str) -> str:
    mark = line.lstrip()[:1]
    if mark not in _COLOURS:
        return line
    return line.replace(mark, click.style(mark, fg=_COLOURS[mark]), 1)
