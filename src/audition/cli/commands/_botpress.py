"""Judging evals where the Botpress engine of today and its documentation disagree."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from audition.cli.commands._compat import Compatibility
from audition.evals import Eval
from audition.formats.botpress import SUFFIXES

_F = TypeVar("_F", bound=Callable[..., Any])


def compat_option(function: _F) -> _F:
    """Add the option that says what to do about the Botpress engine."""
    return click.option(
        "--botpress-compat",
        type=click.Choice(["note", "strict"]),
        help="Note with -v where today's Botpress engine would give another verdict, or give its verdicts.",
    )(function)


def _is_theirs(one: Eval) -> bool:
    return one.where is not None and one.where.path.lower().endswith(SUFFIXES)


ENGINE = Compatibility(
    engine="audition.scoring.botpress_engine",
    strict_remark="judged as the Botpress engine of today judges, not as its documentation says"
    " (--botpress-compat strict)",
    is_theirs=_is_theirs,
)
"""The Botpress engine of today."""
