"""Judging evals where Google's ADK and audition disagree."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from audition.cli.commands._reporting import tell
from audition.engine.perform import Scorer
from audition.errors import LoadError
from audition.evals import Eval
from audition.formats import Readers, adk
from audition.formats.adk import ConfigReading, eval_set_of, read_config, read_with_config
from audition.results import TrialResult
from audition.scoring.score import score

_F = TypeVar("_F", bound=Callable[..., Any])

STRICT_REMARK = "judged as ADK judges, and not as audition does (--adk-compat strict)"
"""What a run says of itself when its verdicts are ADK's."""


def compat_option(function: _F) -> _F:
    """Add the option that says what to do where ADK would judge otherwise."""
    return click.option(
        "--adk-compat",
        type=click.Choice(["note", "strict"]),
        help="Note where ADK would give another verdict or number, or give its verdicts.",
    )(function)


def config_option(function: _F) -> _F:
    """Add the option that names a config of ADK's."""
    return click.option(
        "--config_file_path",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="The criteria for eval sets of ADK, in place of the config beside them.",
    )(function)


def readers(config: Path | None, *, allow_code: bool) -> Readers | None:
    """Return how files of ADK's are read when they are held against a config; None for the one beside them.

    Raises: LoadError with all that is wrong with the config.
    """
    if config is None:
        return None
    found = named_config(config, allow_code=allow_code)
    for remark in found.warnings:
        tell(f"warning: {remark}")
    return {adk: partial(read_with_config, config=found.config)}


def named_config(path: Path, *, allow_code: bool) -> ConfigReading:
    """Return what is in a config.

    Raises: LoadError with all that is wrong with it.
    """
    reading = read_config(path, allow_code=allow_code)
    if reading.faults:
        raise LoadError(reading.faults)
    return reading


def scorer(compat: str | None) -> Scorer:
    """Return how transcripts are judged."""
    if compat != "strict":
        return score
    from audition.scoring import adk_strict  # few runs want it

    return adk_strict.score


def remarks(compat: str | None) -> tuple[str, ...]:
    """Return what a run has to say of how it was judged."""
    return (STRICT_REMARK,) if compat == "strict" else ()


def noted(
    results: AsyncGenerator[TrialResult], evals: Mapping[str, Eval], compat: str | None, *, always: bool
) -> AsyncGenerator[TrialResult]:
    """Return the results, with notes for the evals (by name) that come from ADK's files; of all where they are wanted.

    There are none unless they are asked for or `always` made, and none where ADK's verdicts are given.
    """
    wanted = {
        name: one for name, one in evals.items() if compat == "note" or (compat is None and always and is_adk(one))
    }
    return _noted(results, wanted) if wanted else results


async def _noted(results: AsyncGenerator[TrialResult], evals: Mapping[str, Eval]) -> AsyncGenerator[TrialResult]:
    from audition.scoring.adk_strict import with_notes  # few runs want it

    async with aclosing(results):
        async for result in results:
            one = evals.get(result.eval_name)
            yield result if one is None else with_notes(one, result)


def is_adk(one: Eval) -> bool:
    """Say whether an eval comes from a file of ADK's."""
    return bool(eval_set_of(one.extra))
