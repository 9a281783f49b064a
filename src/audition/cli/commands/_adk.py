"""Judging evals where Google's ADK and audition disagree, and the models that an ADK config names."""

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from audition.cli.commands._reporting import tell
from audition.engine.perform import Scorer
from audition.errors import LoadError, SettingsError
from audition.evals import Eval
from audition.formats import Readers, adk
from audition.formats.adk import Config, ConfigReading, eval_set_of, read_config, read_with_config
from audition.llm import Models
from audition.results import TrialResult
from audition.scoring.score import score
from audition.settings import Settings

_F = TypeVar("_F", bound=Callable[..., Any])

_OPENAI = re.compile(r"gpt-|o\d")
"""Names that ADK, too, takes for models of OpenAI's."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The models to use for judging and for simulating users, None for none; `remarks` say what is not as ADK's."""

    judge: str | None
    user: str | None
    remarks: tuple[str, ...]


def models_for(settings: Settings, config: Config, *, judge: str | None, user: str | None) -> Named:
    """Return the models to use: those given, else those of a config where the settings can open them, else theirs."""
    models = Models(settings.models, settings.providers)
    judge = judge or _usable(models, config.judge_model) or settings.judge_model
    user = user or _usable(models, config.user_model) or settings.user_model
    named = (("judges", config.judge_model, judge), ("plays users", config.user_model, user))
    remarks = tuple(
        f"{config.path}: {wanted!r} {does} only where the settings name it; now {used or 'no model'} {does}"
        for does, wanted, used in named
        if wanted is not None and (used is None or used != _usable(models, wanted))
    )
    return Named(judge=judge, user=user, remarks=remarks)


def _usable(models: Models, named: str | None) -> str | None:
    """Return the reference by which settings open a model that a config of ADK's names, None when they cannot.

    ADK writes `openai/gpt-4o` or `gpt-4o` where we write `openai:gpt-4o`.
    """
    if named is None:
        return None
    openai = [f"openai:{named}"] if _OPENAI.match(named) else []
    for reference in (named, named.replace("/", ":", 1), *openai):
        with suppress(SettingsError):
            provider, _ = models.resolve(reference)
            if provider.api_key or not provider.api_key_env:
                return reference
    return None
