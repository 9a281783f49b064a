"""`audition runs`: the history."""

import json
from collections.abc import Sequence
from pathlib import Path

import click

from audition.cli.commands import _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._history import history_of
from audition.cli.commands._reporting import write_report
from audition.cli.commands._table import table
from audition.errors import ExitCode, NotFound
from audition.results import Run
from audition.store import Store

_KEYS = (
    "id", "started_at", "agent", "judge", "status", "passed", "failed", "errors", "skipped", "total", "duration_ms",
    "error", "rescored_from",
)  # fmt: skip
"""What a list of runs says of each as JSON; the names are those of the report of a run."""


@click.command("runs")
@click.argument("run_id", required=False, metavar="[ID | import")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="PATH...]")
@click.option("--latest", is_flag=True, help="Show the latest run.")
@options.count_option("--limit", default=10, help="List at most this many runs.")
@options.report_options
def command(
    run_id: str | None,
    paths: tuple[Path, ...],
    *,
    latest: bool,
    limit: int,
    report: str,
    output: Path | None,
    verbose: bool,
) -> ExitCode:
    """List the runs of the history, newest first, or show one of them again.

    The beginning of an ID will do where only one run begins so. Whatever a run came to, showing it exits with 0.

    With the word import, take the runs of adk evals (its reports, a folder of them, or its database) into the history
    under their own IDs. Doing so twice changes nothing. What cannot be read is told, and the exit code is then 2.

    \b
    Examples:
      audition runs                               the last ten runs
      audition runs --limit 100 --format json     more of them, for scripts
      audition runs --latest -v                   the last one again, with all that was checked
      audition runs 0197a3 --format junit         one run as a report for continuous integration
      audition runs import .adk/evals/evals.db    what Botpress has kept, to be shown and compared
    """
    if latest and run_id:
        raise click.UsageError("give an ID or --latest, not both")
    if run_id == "import":
        return _import(paths)
    if paths:
        raise click.UsageError("give one ID; paths belong to: audition runs import PATH...")
    with history_of(_project.project_settings()) as history:
        if latest or run_id:
            run = history.run(run_id) if run_id else _latest(history)
            write_report(report, run, history.results(run.id), verbose=verbose, output=output)
        else:
            _list(history.runs(limit=limit), report, output)
    return ExitCode.PASSED


def _import(paths: tuple[Path, ...]) -> ExitCode:
    if not paths:
        raise click.UsageError("say what to import: audition runs import .adk/evals/evals.db")
    from audition.cli.commands._importing import import_runs  # rarely wanted

    return import_runs(_project.project_settings(), paths)


def _latest(history: Store) -> Run:
    for run in history.runs(limit=1):
        return run
    raise NotFound("there is no run in the history yet", hint="audition run makes one")


def _list(runs: Sequence[Run], report: str, output: Path | None) -> None:
    if report not in ("text", "json") or output is not None:
        raise click.UsageError("say which run: audition runs ID, or --latest (a list is text or JSON on the terminal)")
    if report == "json":
        listed = [{key: getattr(run, key) for key in _KEYS} for run in runs]
        click.echo(json.dumps(listed, ensure_ascii=False, indent=2))
    elif runs:
        click.echo(table([_row(run) for run in runs]))


def _row(run: Run) -> tuple[str, ...]:
    counts = f"{run.passed} passed, {run.failed} failed, {run.errors} errors, {run.skipped} skipped"
    missing = run.total - run.ran
    remarks = [f"{missing} not run"] if missing else []
    remarks += [run.error] if run.error else []
    remarks += [f"rescored from {run.rescored_from}"] if run.rescored_from else []
    return run.id, run.started_at[:19], run.agent, counts, "; ".join(remarks)
