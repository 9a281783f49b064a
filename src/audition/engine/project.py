"""What a project's settings name, ready for use: its models, its agent, its judge and its limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from audition.agents import Agent, Surroundings, open_agent
from audition.engine.plan import Defaults
from audition.judges import Judge
from audition.llm import Around, Models
from audition.llm.budget import Budget
from audition.llm.limits import Limits
from audition.providers import Allowance
from audition.settings import Settings, environment, options_for, providers_of
from audition.transcript import Transcript

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette

AT_ONCE = 8
"""How many trials run side by side when nobody says."""


def models_of(
    settings: Settings,
    *,
    budget: Budget | None = None,
    cassette: "Cassette | None" = None,
    around: Sequence[Around] = (),
) -> Models:
    """Return the language models that the project names, held to its providers' limits.

    All that share limits and budget (None: that of the settings) are to come from one call of this: a run's agent,
    judge and users. `cassette` records or replays their calls: what is replayed waits for nothing and spends nothing.
    `around` is put around each of them, outside of both.
    """
    limits = Limits(Budget(settings.budget) if budget is None else budget)
    providers = providers_of(settings)
    if cassette is None:
        return Models(settings.models, providers, around=(limits.around, *around))
    if cassette.mode == "replay":  # nobody is asked, so what could ask is not even made
        providers = {name: replace(one, protocol="scripted") for name, one in providers.items()}
    secrets = [secret for one in providers.values() for secret in one.secrets]
    put_around = (limits.around, cassette.around(secrets), *around)
    return Models(settings.models, providers, around=put_around, recorded=True)


def budget_of(
    settings: Settings,
    *,
    max_cost_usd: float | None = None,
    max_calls: int | None = None,
    max_tokens: int | None = None,
) -> Budget:
    """Return the budget of a run: what is given here, else what settings allow."""
    allowed = settings.budget
    return Budget(
        Allowance(
            max_cost_usd=allowed.max_cost_usd if max_cost_usd is None else max_cost_usd,
            max_calls=allowed.max_calls if max_calls is None else max_calls,
            max_tokens=allowed.max_tokens if max_tokens is None else max_tokens,
        )
    )


def agent_of(
    settings: Settings,
    reference: str,
    *,
    models: Models | None = None,
    options: Mapping[str, object] | None = None,
    transcripts: Callable[[str], Mapping[str, Transcript]] | None = None,
) -> Agent:
    """Return the agent of that reference, with `options`, or with those that settings give to its kind.

    `models`: those of the run, None for models of the agent's own. `transcripts` gives those of a stored run, for
    agents that replay; None without a history.

    Raises: SettingsError and UnknownName for a reference or options that are none.
    """
    around = Surroundings(
        root=settings.root,
        models=models or models_of(settings),
        transcripts=transcripts,
        secrets=environment(),
        offline=settings.offline,
    )
    return open_agent(reference, options_for(settings, reference) if options is None else options, around)


def judge_of(settings: Settings, reference: str | None, *, models: Models | None = None) -> Judge | None:
    """Return the judge that a model reference names; None for None. `models`: those of the run, None for its own.

    Raises: SettingsError for a model that settings do not name.
    """
    if reference is None:
        return None
    from audition.judges.cached import Cached  # most runs ask no judge
    from audition.judges.llm import LlmJudge
    from audition.judges.majority import Majority

    opened = models or models_of(settings)
    together = settings.judge_models if reference == settings.judge_model else ()
    judges = [LlmJudge(opened.open(name), name=name) for name in together or (reference,)]
    votes = settings.judge_votes or len(judges)
    judge = judges[0] if votes == 1 else Majority(judges * (votes // len(judges)))
    return Cached(judge, {}, scales=("clauses",))  # criteria are split once in a run


def limits_of(
    settings: Settings, *, trials: int | None = None, idle_timeout_ms: int | None = None, timeout_s: float | None = None
) -> Defaults:
    """Return what holds where an eval says nothing: what is given here, else what settings say."""
    return Defaults(
        trials=settings.trials if trials is None else trials,
        idle_timeout_ms=idle_timeout_ms or settings.idle_timeout_ms,
        judge_pass_threshold=settings.judge_pass_threshold,
        timeout_s=timeout_s or settings.timeout_s,
    )


def side_by_side(settings: Settings, agent: Agent, wanted: int | None = None) -> int:
    """Return how many trials run at once: what is wanted, else what settings say, and no more than the agent takes."""
    return min(wanted or settings.concurrency or AT_ONCE, agent.at_once)
