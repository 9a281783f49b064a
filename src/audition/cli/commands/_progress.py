"""How far a run has come, on a terminal; nothing at all elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from audition.results import TrialResult, Verdict

OnResult = Callable[[TrialResult], None]
"""What is called with each result as it comes in."""


@contextmanager
def progress(total: int, *, colour: bool) -> Iterator[OnResult]:
    """Draw a bar on standard error while results come in; what is printed meanwhile appears above it."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    # rich costs 100 ms of CPU, and only terminals are drawn on.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True, no_color=not colour)
    # Only a terminal is shared with the bar: what goes to a pipe must not be redirected to standard error.
    with Progress(*columns, console=console, transient=True, redirect_stdout=sys.stdout.isatty()) as bar:
        task, failed = bar.add_task("", total=total), 0

        def advance(result: TrialResult) -> None:
            nonlocal failed
            failed += result.verdict in (Verdict.FAIL, Verdict.ERROR)
            bar.update(task, advance=1, description=f"{failed} not passed" if failed else "")

        yield advance
