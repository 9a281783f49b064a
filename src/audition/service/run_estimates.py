"""What a run would take and could show, before anything is spent."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from audition.errors import SettingsError
from audition.evals import Eval
from audition.llm import Models
from audition.providers import is_loopback
from audition.scoring.lint import judged_texts
from audition.service.case_evals import to_eval
from audition.service.linting import lint_cases, tool_names
from audition.service.run_creation import Choice
from audition.settings import Settings
from audition.statistics.power import smallest_difference
from audition.store.service.cases import Case
from audition.subjects import Subject, everyone

_PART = re.compile(r"[.;,](?=\s)|\band\b")
"""Where criteria may come apart; a judge splits them in the run."""

_MOST_LINTED = 500


class EstimateOut(BaseModel):
    """What a run would take; nothing was begun. Calls and costs are ranges, null where nobody knows."""

    valid: bool
    cases: int
    trials: int
    agent_calls: int
    judge_calls: dict[str, Any]
    cost_usd: dict[str, Any] | None
    smallest_detectable_difference: float
    judge: str | None
    missing: list[str]
    lint: list[dict[str, Any]]
    lint_complete: bool


def estimate(
    settings: Settings, choice: Choice, cases: Sequence[Case], tree: Subject, past: Sequence[tuple[str, int]]
) -> dict[str, object]:
    """Return what a run would take, in the words of the API.

    `past` are the latest completed runs of the dataset: what their models took, as runs keep it, and for how many
    trials. Raises: PlanError for a case that cannot be run.
    """
    evals = [to_eval(case) for case in cases]
    texts = [judged.criterion.text for one in evals for judged in judged_texts(one)]
    linted = cases[:_MOST_LINTED]
    return {
        "valid": True,
        "cases": choice.count,
        "trials": choice.options.trials,
        "agent_calls": sum(map(_turns, evals)) * choice.options.trials,
        "judge_calls": _judge_calls(settings, choice, texts, past),
        "cost_usd": _range(_costs(past), choice.planned),
        "smallest_detectable_difference": round(smallest_difference(choice.count, choice.options.trials), 4),
        "judge": choice.judge,
        "missing": [*_missing(settings, choice, tree, is_judged=bool(texts))],
        "lint": lint_cases(settings, linted, tool_names(tree)),
        "lint_complete": len(linted) == len(cases),
    }


def _turns(one: Eval) -> int:
    return max(1, len(one.turns))


def _judge_calls(
    settings: Settings, choice: Choice, texts: Sequence[str], past: Sequence[tuple[str, int]]
) -> dict[str, object]:
    """Return how often a judge will be asked: as in past runs, else from one clause a text to as many as it may have.

    Each text is split once in a run, and each clause is asked about in each trial.
    """
    if not texts:
        return {"low": 0, "high": 0, "from": "cases"}
    if known := _range([calls / count for calls, count in _past(past, "judge", "calls")], choice.planned):
        return {"low": round(known["low"]), "high": round(known["high"]), "from": "past runs"}
    votes = choice.options.judge_votes or settings.judge_votes or max(1, len(settings.judge_models))
    asked = choice.options.trials * votes
    parts = sum(1 + len(_PART.findall(text)) for text in texts)
    return {"low": len(texts) * (1 + asked), "high": len(texts) + 2 * parts * asked, "from": "cases"}


def _costs(past: Sequence[tuple[str, int]]) -> list[float]:
    """Return what a trial cost in each past run of which that is known, US dollars."""
    costs = []
    for usage, count in past:
        spent = json.loads(usage)
        parts = [one.get("cost_usd") for one in (spent.get("agent"), spent.get("judge")) if one is not None]
        if parts and count and None not in parts:
            costs.append(sum(parts) / count)
    return costs


def _past(past: Sequence[tuple[str, int]], who: str, what: str) -> Iterator[tuple[float, int]]:
    for usage, count in past:
        spent = json.loads(usage).get(who) or {}
        if count and spent.get(what):
            yield float(spent[what]), count


def _range(each: Sequence[float], planned: int) -> dict[str, Any] | None:
    """Return what so many trials come to by the cheapest, the mean and the dearest of past runs; None without any."""
    if not each:
        return None
    low, mean, high = (round(one * planned, 6) for one in (min(each), sum(each) / len(each), max(each)))
    return {"low": low, "mean": mean, "high": high, "past_runs": len(each)}


def _missing(settings: Settings, choice: Choice, tree: Subject, *, is_judged: bool) -> Iterator[str]:
    if is_judged and choice.judge is None:
        yield "no judge is configured: give judge, or set [judge] model in audition.toml"
    models = [choice.options.subject_model or tree.model, *(one.model for one in [*everyone(tree)][1:])]
    asked = [*models, *([choice.judge] if choice.judge is not None and is_judged else [])]
    yield from _missing_keys(settings, dict.fromkeys(asked))


def _missing_keys(settings: Settings, references: Iterable[str]) -> Iterator[str]:
    known = Models(settings.models, settings.providers)
    for reference in references:
        names = settings.judge_models if reference == settings.judge_model else ()
        for name in names or (reference,):
            if name.startswith("scripted:"):
                continue
            try:
                provider, _ = known.resolve(name)
            except SettingsError as error:  # the subject may be older than the settings
                yield "; ".join(filter(None, (error.message, error.hint)))
                continue
            is_here = is_loopback(urlsplit(provider.base_url).hostname or "")
            if provider.api_key_env and not provider.api_key and not is_here:
                yield f"{provider.api_key_env} is not set, which {name} needs"
