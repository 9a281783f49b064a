"""`audition check`: whether the evals load and suit the agent, without running anything."""

from pathlib import Path

import click

from audition.cli.commands import _project
from audition.cli.commands import _run_options as options
from audition.engine.plan import Defaults, Selection, choose, plan
from audition.errors import ExitCode
from audition.evals import Eval


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--agent", metavar="KIND:WHERE", help="The agent the evals are meant for.")
@options.code_options
def command(paths: tuple[Path, ...], *, agent: str | None, allow_code: bool, no_exec: bool) -> int:
    """Load all evals and settings, and tell everything that is wrong with them. Nothing is run.

    When an agent is named, here or in the settings, it is also checked that it shows all that the evals look at.

    \b
    Examples:
      audition check                                all evals of the project
      audition check evals/refunds.eval.yaml        one file
      audition check --agent http:http://127.0.0.1:8000/turn
    """
    settings = _project.project_settings()
    gathered = _project.load_evals(settings, paths, allow_code=allow_code, no_exec=no_exec)
    if gathered.faults:
        return ExitCode.ASKED_WRONGLY
    evals = choose(gathered.suite.evals, Selection())
    reference = agent or settings.agent
    if reference:
        plan(evals, Defaults(), _project.ready_agent(settings, reference).observes)
    beside = "" if reference else " (no agent was named, so nobody knows whether it shows all that they look at)"
    click.echo(f"{_summary(evals)}: ok{beside}")
    return ExitCode.PASSED


def _summary(evals: tuple[Eval, ...]) -> str:
    files = len({one.where.path for one in evals if one.where})
    return f"{_counted(len(evals), 'eval')} in {_counted(files, 'file')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
