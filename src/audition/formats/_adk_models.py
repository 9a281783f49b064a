"""The models that a config of ADK's names, as our settings know them."""

import re
from contextlib import suppress
from dataclasses import dataclass

from audition.errors import SettingsError
from audition.formats._adk_config import Config
from audition.llm import Models
from audition.settings import Settings

_OPENAI = re.compile(r"gpt-|o\d")
"""Names that ADK, too, takes for models of OpenAI's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The models to use for judging and for simulating users, None for none; `remarks` say what is not as ADK's."""

    judge: str | None
    user: str | None
    remarks: tuple[str, ...]


def models_for(settings: Settings, config: Config, *, judge: str | None = None, user: str | None = None) -> Named:
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
