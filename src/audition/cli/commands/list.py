"""`audition list`: the evals there are."""

import json
from collections.abc import Sequence

import click

from audition.cli.commands import _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._table import table
from audition.engine.plan import Selection, choose
from audition.errors import ExitCode
from audition.evals import Eval


@click.command("list")
@click.argument("targets", nargs=-1, metavar="[NAME|PATH]...")
@options.selection_options
@options.code_options
@click.option("--format", "report", type=click.Choice(["text", "json"]), default="text", help="How they are written.")
def command(
    targets: tuple[str, ...],
    *,
    tags: tuple[str, ...],
    type_: str | None,
    allow_code: bool,
    no_exec: bool,
    report: str,
) -> int:
    """List evals: name, type, tags, turns, and where each is written. Nothing is run.

    \b
    Examples:
      audition list                          all evals of the project
      audition list evals/refunds.eval.yaml  those of one file
      audition list 'refund*' --tag smoke    those of a name and a tag
      audition list --format json            for scripts
    """
    paths, names = _project.sort_targets(targets)
    gathered = _project.load_evals(_project.project_settings(), paths, allow_code=allow_code, no_exec=no_exec)
    with _project.faults_first(gathered):
        chosen = choose(gathered.suite.evals, Selection(names=names, tags=tags, type=type_))
    click.echo(_as_json(chosen) if report == "json" else table([_row(one) for one in chosen]))
    return ExitCode.ASKED_WRONGLY if gathered.faults else ExitCode.PASSED


def _as_json(evals: Sequence[Eval]) -> str:
    listed = [
        {
            "name": one.name,
            "description": one.description,
            "type": one.type,
            "tags": list(one.tags),
            "turns": len(one.turns),
            "where": _place(one),
        }
        for one in evals
    ]
    return json.dumps(listed, ensure_ascii=False, indent=2)


def _row(one: Eval) -> tuple[str, ...]:
    turns = "1 turn" if len(one.turns) == 1 else f"{len(one.turns)} turns"
    return one.name, one.type or "-", ", ".join(one.tags) or "-", turns, _place(one) or "-"


def _place(one: Eval) -> str | None:
    """Return `path:line`, which editors open."""
    if one.where is None:
        return None
    return one.where.path if one.where.line is None else f"{one.where.path}:{one.where.line}"
