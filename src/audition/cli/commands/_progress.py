"""How far a run has come, on a terminal; nothing at all elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from audition.cli.commands._reporting import Write, echo
from audition.results import TrialResult, Verdict


@dataclass(frozen=True, slots=True)
class Progress:
    """What is called with each result as it comes in, and how lines are written meanwhile."""

    advance: Callable[[TrialResult], None]
    write: Write


@contextmanager
def progress(total: int, *, colour: bool) -> Iterator[Progress]:
    """Draw a bar on standard error while results come in; what is written meanwhile appears above it."""
    if not sys.stderr.isatty():
        yield Progress(lambda _: None, echo)
        return
    # rich costs 100 ms of CPU, and only terminals are drawn on.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar
    from rich.text import Text

    console = Console(stderr=True, no_color=not colour)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    # Nothing is redirected behind our back: what goes to a pipe stays there, and long lines stay whole.
    with Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task, not_passed = bar.add_task("", total=total), 0

        def advance(result: TrialResult) -> None:
            nonlocal not_passed
            not_passed += result.verdict in (Verdict.FAIL, Verdict.ERROR)
            bar.update(task, advance=1, description=f"{not_passed} not passed" if not_passed else "")

        def write(text: str) -> None:
            console.print(Text.from_ansi(text.removesuffix("\n")), soft_wrap=True, highlight=False)

        yield Progress(advance, write if sys.stdout.isatty() else echo)
