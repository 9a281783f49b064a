"""The options that several commands take, and what their values may be."""

from collections.abc import Callable
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import click

from audition.errors import UnknownName
from audition.reports import REPORTS

_F = TypeVar("_F", bound=Callable[..., Any])


def _at_least_one(_context: click.Context, _parameter: click.Parameter, value: int | None) -> int | None:
    if value is not None and value < 1:
        raise click.BadParameter(f"must be 1 or more, not {value}")
    return value


def _above_zero(_context: click.Context, _parameter: click.Parameter, value: float | None) -> float | None:
    if value is not None and not (isfinite(value) and value > 0):
        raise click.BadParameter(f"must be more than 0, not {value:g}")
    return value


def report_name(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse a report format that nobody offers; None is none, for commands that print something of their own."""
    if value is None:
        return None
    try:
        REPORTS.get(value)
    except UnknownName as error:
        raise click.BadParameter(f"{error.message}; {error.hint}") from error
    return value


def _writable_file(_context: click.Context, _parameter: click.Parameter, value: Path | None) -> Path | None:
    """Refuse, before anything is run, a file that the report could not be kept in afterwards."""
    if value is not None and value.is_dir():
        raise click.BadParameter(f"{value} is a folder")
    if value is not None and not value.parent.is_dir():
        raise click.BadParameter(f"there is no folder {value.parent}")
    return value


def _all_of(*options: Callable[[_F], _F]) -> Callable[[_F], _F]:
    def decorate(function: _F) -> _F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def count_option(name: str, *, help: str, default: int | None = None) -> Callable[[_F], _F]:
    """Return an option that takes a whole number of 1 or more."""
    return click.option(name, type=int, metavar="N", callback=_at_least_one, default=default, help=help)


agent_options = _all_of(
    click.option("--agent", metavar="KIND:WHERE", help="What is auditioned, as function:shop.bot:reply."),
    click.option(
        "--instruction",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="The system prompt of a chat agent.",
    ),
)

selection_options = _all_of(
    click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only evals with this tag (or any of several)."),
    click.option("--type", "type_", type=click.Choice(["capability", "regression"]), help="Only evals of this type."),
)

limit_options = _all_of(
    count_option("--trials", help="Run each eval this often."),
    count_option("--concurrency", help="Run at most this many side by side."),
    click.option(
        "--timeout",
        type=float,
        metavar="SECONDS",
        callback=_above_zero,
        help="Longest time for one eval, judging included.",
    ),
    click.option(
        "--idle-timeout",
        type=int,
        metavar="MS",
        callback=_at_least_one,
        help="Longest wait for the agent on one turn, in milliseconds, where an eval says nothing.",
    ),
)

judging_options = _all_of(
    click.option("--judge-model", metavar="MODEL", help="The model that judges: openai:gpt-4o, or an alias of one."),
    click.option("--no-judge", is_flag=True, help="Skip the checks that need a judge."),
)

user_model_option = click.option(
    "--user-model", metavar="MODEL", help="The model that plays simulated users, named as for --judge-model."
)

cassette_options = _all_of(
    click.option(
        "--record",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Record every call of a language model on this cassette.",
    ),
    click.option(
        "--replay",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Take every answer of a language model from this cassette, and ask none.",
    ),
    click.option("--record-missing", is_flag=True, help="With --replay: ask for what is missing there, and record it."),
)

budget_options = _all_of(
    click.option(
        "--max-cost-usd",
        type=float,
        metavar="DOLLARS",
        callback=_above_zero,
        help="What the language models may cost, all together.",
    ),
    count_option("--max-calls", help="How often they may be called."),
    count_option("--max-tokens", help="How many tokens they may take, both ways."),
)

offline_option = click.option("--offline", is_flag=True, help="Refuse every connection that would leave this machine.")

model_options = _all_of(cassette_options, offline_option, budget_options)

output_option = click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    callback=_writable_file,
    help="Write to this file instead of the terminal.",
)

report_options = _all_of(
    click.option(
        "--format",
        "report",
        metavar="text|json|html|markdown|csv|junit|botpress-json",
        default="text",
        callback=report_name,
        help="How results are written.",
    ),
    output_option,
    click.option("-v", "--verbose", is_flag=True, help="Show passing checks and details too."),
)

code_options = _all_of(
    click.option(
        "--allow-code",
        is_flag=True,
        help="Read the Python eval files of folders too, let node read TypeScript, and run functions of custom checks.",
    ),
    click.option("--no-exec", is_flag=True, help="Run no code to read eval files, not even of those that are named."),
)
