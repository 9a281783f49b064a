"""The language models of commands that ask a judge outside of any run: on a cassette, within a budget, offline."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from audition.cli.commands._cassette import cassette_of
from audition.engine.project import budget_of, models_of
from audition.llm import Models
from audition.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelWishes:
    """What the options of `_run_options.model_options` say."""

    record: Path | None
    replay: Path | None
    record_missing: bool
    offline: bool
    max_cost_usd: float | None
    max_calls: int | None
    max_tokens: int | None

    @property
    def any_cassette(self) -> bool:
        """Say whether a cassette is asked for."""
        return bool(self.record or self.replay or self.record_missing)


@contextmanager
def asked_models(settings: Settings, wishes: ModelWishes) -> Iterator[Models]:
    """Return the models, held to what is wished; a cassette is closed at the end.

    Raises: click.UsageError for options that contradict each other, SettingsError for a cassette that will not do.
    """
    budget = budget_of(
        settings, max_cost_usd=wishes.max_cost_usd, max_calls=wishes.max_calls, max_tokens=wishes.max_tokens
    )
    with cassette_of(wishes.record, wishes.replay, record_missing=wishes.record_missing) as cassette:
        yield models_of(settings, budget=budget, cassette=cassette)
