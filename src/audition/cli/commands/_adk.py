"""Judging evals where Google's ADK and audition disagree."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from audition.cli.commands._compat import Compatibility
from audition.cli.commands._reporting import tell
from audition.errors import LoadError
from audition.evals import Eval
from audition.formats import Readers, adk
from audition.formats.adk import ConfigReading, eval_set_of, read_config, read_with_config

_F = TypeVar("_F", bound=Callable[..., Any])


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


def is_adk(one: Eval) -> bool:
    """Say whether an eval comes from a file of ADK's."""
    return bool(eval_set_of(one.extra))


ENGINE = Compatibility(
    engine="audition.scoring.adk_strict",
    strict_remark="judged as ADK judges, and not as audition does (--adk-compat strict)",
    is_theirs=is_adk,
)
"""ADK's own way of judging."""
