"""Judging evals where the Botpress engine of today and its documentation disagree."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any, TypeVar

import click

from audition.engine.perform import Scorer
from audition.evals import Eval
from audition.formats.botpress import SUFFIXES
from audition.results import TrialResult
from audition.scoring.score import score

_F = TypeVar("_F", bound=Callable[..., Any])

STRICT_REMARK = (
    "judged as the Botpress engine of today judges, not as its documentation says (--botpress-compat strict)"
)
"""What a run says of itself when its verdicts are that engine's."""


def compat_option(function: _F) -> _F:
    """Add the option that says what to do about the Botpress engine."""
    return click.option(
        "--botpress-compat",
        type=click.Choice(["note", "strict"]),
        help="Note with -v where today's Botpress engine would give another verdict, or give its verdicts.",
    )(function)


def scorer(compat: str | None) -> Scorer:
    """Return how transcripts are judged."""
    if compat != "strict":
        return score
    from audition.scoring import botpress_engine  # few runs want it

    return botpress_engine.score


def remarks(compat: str | None) -> tuple[str, ...]:
    """Return what a run has to say of how it was judged."""
    return (STRICT_REMARK,) if compat == "strict" else ()


def noted(
    results: AsyncGenerator[TrialResult], evals: Mapping[str, Eval], compat: str | None, *, verbose: bool
) -> AsyncGenerator[TrialResult]:
    """Return the results, with notes for the evals (by name) of Botpress files; of all files where notes are wanted.

    There are none without `-v`, unless they are asked for, and none where the engine's verdicts are given.
    """
    wanted = {
        name: one for name, one in evals.items() if compat == "note" or (compat is None and verbose and _is_theirs(one))
    }
    return _noted(results, wanted) if wanted else results


async def _noted(results: AsyncGenerator[TrialResult], evals: Mapping[str, Eval]) -> AsyncGenerator[TrialResult]:
    from audition.scoring.botpress_engine import with_notes  # few runs want it

    async with aclosing(results):
        async for result in results:
            one = evals.get(result.eval_name)
            yield result if one is None else with_notes(one, result)


def _is_theirs(one: Eval) -> bool:
    return one.where is not None and one.where.path.lower().endswith(SUFFIXES)
