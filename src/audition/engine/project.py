"""What a project's settings name, ready for use: its models, its agent, its judge and its limits."""

from collections.abc import Callable, Mapping

from audition.agents import Agent, Surroundings, open_agent
from audition.engine.plan import Defaults
from audition.judges import Judge
from audition.llm import Models
from audition.settings import Settings, environment, options_for
from audition.transcript import Transcript

AT_ONCE = 8
"""How many trials run side by side when nobody says."""


def models_of(settings: Settings) -> Models:
    """Return the language models that the project names."""
    return Models(settings.models, settings.providers)


def agent_of(
    settings: Settings,
    reference: str,
    *,
    options: Mapping[str, object] | None = None,
    transcripts: Callable[[str], Mapping[str, Transcript]] | None = None,
) -> Agent:
    """Return the agent of that reference, with `options`, or with those that settings give to its kind.

    `transcripts` gives those of a stored run, for agents that replay; None without a history.

    Raises: SettingsError and UnknownName for a reference or options that are none.
    """
    around = Surroundings(
        root=settings.root, models=models_of(settings), transcripts=transcripts, secrets=environment()
    )
    return open_agent(reference, options_for(settings, reference) if options is None else options, around)


def judge_of(settings: Settings, reference: str | None) -> Judge | None:
    """Return the judge that a model reference names; None for None.

    Raises: SettingsError for a model that settings do not name.
    """
    if reference is None:
        return None
    from audition.judges.llm import LlmJudge  # most runs ask no judge

    return LlmJudge(models_of(settings).open(reference))


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
