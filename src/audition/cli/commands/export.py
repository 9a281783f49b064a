"""`audition export`: evals of any kind, written as the files of another tool."""

import json
from pathlib import Path

import click

from audition.cli.commands import _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._reporting import tell, write_text
from audition.errors import ExitCode, NothingSelected
from audition.evals import Eval
from audition.formats.adk import write_eval_set


@click.command("export")
@click.argument("target", type=click.Choice(["adk"]), metavar="adk")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--id", "set_id", metavar="ID", help="What the eval set is called; otherwise as its file or its source.")
@options.output_option
@options.code_options
def command(
    target: str,  # noqa: ARG001  # there is one, so far
    paths: tuple[Path, ...],
    *,
    set_id: str | None,
    output: Path | None,
    allow_code: bool,
    no_exec: bool,
) -> int:
    """Write evals as one eval set that Google's ADK loads, and that audition reads as the same evals again.

    What ADK has no place for, such as checks, tags and mocked tools, stands under the key "audition" of each case, and
    ADK keeps it. Criteria that came from a config are left out: they stay in the config. Without a PATH, all evals of
    the project are written; without --output, to the terminal.

    \b
    Examples:
      audition export adk evals --output evals.evalset.json
      audition export adk evals/refunds.eval.yaml --id refunds
    """
    settings = _project.project_settings()
    gathered = _project.load_evals(settings, paths, allow_code=allow_code, no_exec=no_exec)
    if gathered.faults:
        return ExitCode.ASKED_WRONGLY
    if not gathered.suite.evals:
        raise NothingSelected("there is no eval to export")
    written = write_eval_set(gathered.suite, eval_set_id=set_id)
    write_text([json.dumps(written, ensure_ascii=False, indent=2), "\n"], output)
    for one in gathered.suite.evals:
        _remark(one)
    if output is not None:
        count = len(gathered.suite.evals)
        click.echo(f"wrote {output}: {count} eval{'' if count == 1 else 's'}")
    return ExitCode.PASSED


def _remark(one: Eval) -> None:
    events = [str(number) for number, turn in enumerate(one.turns, 1) if turn.event is not None]
    if events:
        tell(f"warning: {one.name}: ADK cannot push events, so there turn {', '.join(events)} says nothing")
