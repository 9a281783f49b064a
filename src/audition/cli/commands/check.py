"""`audition check`: whether the evals load and suit the agent, without running anything."""

from pathlib import Path

import click

from audition.cli.commands import _linting, _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._reporting import tell
from audition.engine.plan import Defaults, Selection, choose, plan
from audition.errors import ExitCode
from audition.evals import Eval


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--agent", metavar="KIND:WHERE", help="The agent the evals are meant for.")
@click.option("--strict", is_flag=True, help="Take what lint finds, warnings too, for a fault: exit with 2.")
@options.code_options
def command(paths: tuple[Path, ...], *, agent: str | None, strict: bool, allow_code: bool, no_exec: bool) -> int:
    """Load all evals and settings, and tell everything that is wrong with them. Nothing is run.

    When an agent is named, here or in the settings, it is also checked that it shows all that the evals look at. What
    lint finds in the texts for judges is told too, and changes nothing without --strict.

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
    findings = _linting.findings_of(settings, evals, _linting.codes_wanted(settings))
    for finding in findings:
        tell(_linting.in_lines(finding))
    beside = "" if reference else " (no agent was named, so nobody knows whether it shows all that they look at)"
    if findings and strict:
        click.echo(f"{_summary(evals)}: refused, since lint finds fault with them")
        return ExitCode.ASKED_WRONGLY
    click.echo(f"{_summary(evals)}: ok{beside}")
    return ExitCode.PASSED


def _summary(evals: tuple[Eval, ...]) -> str:
    files = len({one.where.path for one in evals if one.where})
    return f"{_counted(len(evals), 'eval')} in {_counted(files, 'file')}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
