"""`audition adk`: what `adk eval` and `adk eval_set` of Google's ADK do, with our engine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from audition.cli.commands import _run_options as options

_F = TypeVar("_F", bound=Callable[..., Any])

_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def _refuse_storage(_context: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        raise click.BadParameter("eval sets and results are kept in files and in audition's history, not in a bucket")


def _adk_options(function: _F) -> _F:
    """Add the options that all commands of ADK take."""
    function = click.option(
        "--log_level",
        type=click.Choice(_LEVELS, case_sensitive=False),
        help="What is logged on standard error.",
    )(function)
    return click.option(
        "--eval_storage_uri", metavar="URI", callback=_refuse_storage, expose_value=False, help="Refused: no buckets."
    )(function)


_agent_folder = click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="AGENT")


@click.group("adk")
def command() -> None:
    """Evaluate agents of Google's ADK, with the arguments that its own command line takes.

    \b
    Examples:
      audition adk eval home_automation single_turn.test.json
      audition adk eval_set create home_automation smoke
    """


@command.command("eval")
@click.argument("agent", metavar="AGENT")
@click.argument("sets", nargs=-1, required=True, metavar="FILE[:CASE,CASE]...")
@click.option(
    "--config_file_path", type=click.Path(path_type=Path), metavar="FILE", help="The criteria, as a JSON file."
)
@click.option(
    "--print_detailed_results", is_flag=True, help="Print each criterion, and each turn beside its reference."
)
@_adk_options
@click.option("--enable_features", multiple=True, metavar="NAMES", help="Features of ADK to switch on.")
@click.option("--disable_features", multiple=True, metavar="NAMES", help="Features of ADK to switch off.")
@options.count_option("--num_runs", help="Run each case this often.")
@options.count_option("--concurrency", help="Run at most this many side by side.")
@click.option(
    "--format",
    "report",
    metavar="text|json|junit",
    callback=options.report_name,
    help="Write a report of audition instead of the summary of adk eval.",
)
@options.output_option
@click.option(
    "--adk-compat",
    type=click.Choice(["note", "strict"]),
    help="Note where ADK judges otherwise (the default), or judge as it does.",
)
@click.option("--adk-history", is_flag=True, help="Write result files that adk web reads, too.")
@click.option("--judge-model", metavar="MODEL", help="The model that judges, before the one of the criteria.")
@click.option("--user-model", metavar="MODEL", help="The model that simulates users.")
@options.budget_options
@options.cassette_options
@options.offline_option
@click.option("--allow-code", is_flag=True, help="Let custom metrics run the code they name.")
@click.option("--no-history", is_flag=True, help="Keep no record of this run.")
@click.option("-v", "--verbose", is_flag=True, help="Show more, such as tracebacks of the agent.")
def evaluate(**given: Any) -> int:
    """Run eval cases against an agent, as adk eval does, and say what holds.

    AGENT is the folder of an ADK agent, or any other agent as KIND:WHERE. What follows are files of eval sets
    (.evalset.json and .test.json alike), or ids of sets in the agent's folder. Without --config_file_path, the
    test_config.json beside a single file holds, and else ADK's two criteria.

    Exit codes are ADK's: 0 all passed, 1 something did not pass or could not be evaluated, 2 asked wrongly.

    \b
    Examples:
      audition adk eval home_automation single_turn.test.json
      audition adk eval home_automation sets.evalset.json:lights,heating --print_detailed_results
      audition adk eval home_automation smoke --num_runs 3     the set smoke.evalset.json of the agent's folder
      audition adk eval function:shop.bot:reply sets.evalset.json --format junit --output results.xml
    """
    from audition.cli.commands._adk_evaluating import Asked, evaluate  # help needs nothing of it

    return evaluate(Asked(**given))


@command.group("eval_set")
def eval_set() -> None:
    """Make eval sets in an agent's folder."""


@eval_set.command("create")
@_agent_folder
@click.argument("set_id", metavar="ID")
@_adk_options
def create(*, folder: Path, set_id: str, log_level: str | None) -> None:  # noqa: ARG001  (ADK takes it)
    """Write an empty eval set ID.evalset.json into the agent's folder."""
    from audition.cli.commands._adk_sets import create_set

    create_set(folder, set_id)


@eval_set.command("add_eval_case")
@_agent_folder
@click.argument("set_id", metavar="ID")
@click.option(
    "--scenarios_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help='Conversation scenarios, as {"scenarios": [...]}.',
)
@click.option(
    "--session_input_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="The session that each of them begins with.",
)
@_adk_options
def add_eval_case(
    *,
    folder: Path,
    set_id: str,
    scenarios_file: Path,
    session_input_file: Path,
    log_level: str | None,  # noqa: ARG001
) -> None:
    """Add a case to the eval set ID for each scenario, unless it holds that one already."""
    from audition.cli.commands._adk_sets import add_scenarios

    add_scenarios(folder, set_id, scenarios_file, session_input_file)
