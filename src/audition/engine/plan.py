"""Planning: which evals, how often, with what limits; every choice is made here, or refused."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from audition.agents import Facet
from audition.errors import NothingSelected, PlanError
from audition.evals import Check, Eval
from audition.scoring.checks import CATEGORIES
from audition.text import nearest

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which evals: each of `names` (globs), `tags` and `type` narrows the choice; empty and None leave it alone.

    Source: Botpress eval format (type and tags are for filtering); any of several names, any of several tags.
    """

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds where an eval says nothing: the settings' word, or audition's.

    `idle_timeout_ms` > 0 and `judge_pass_threshold` 1..5 as in the Botpress eval format (30 000 and 3); `timeout_s` is
    the limit for one whole trial, its conversation and its judging together, None for no limit; `trials` >= 1 is how
    often each eval is run.
    """

    trials: int = 1
    idle_timeout_ms: int = 30_000
    judge_pass_threshold: int = 3
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One eval to be run once: trial `number` of `of`, both from 1; limits in seconds.

    `searches`: a check may take a second or more: it searches by pattern, or calls a function.
    """

    eval: Eval
    number: int
    of: int
    idle_timeout_s: float
    timeout_s: float | None
    judge_pass_threshold: int
    searches: bool = False

    @property
    def label(self) -> str:
        """Return what the trial is called: the eval's name, with the trial's number when there are several."""
        return self.eval.name if self.of == 1 else f"{self.eval.name}#{self.number}"


def choose(evals: Sequence[Eval], selection: Selection) -> tuple[Eval, ...]:
    """Return the evals that a selection means, in their order.

    Raises: NothingSelected when a name or a tag matches no eval, or all together leave none.
    """
    if not evals:
        raise NothingSelected("there is no eval to run", hint="write one, or say where they are: audition run PATH")
    _insist("name", selection.names, [one.name for one in evals])
    _insist("tag", selection.tags, [tag for one in evals for tag in one.tags])
    chosen = tuple(one for one in evals if _selected(one, selection))
    if not chosen:
        raise NothingSelected("no eval has all that was asked for", hint=f"there are {len(evals)}: audition list")
    return chosen


def plan(evals: Iterable[Eval], defaults: Defaults, observes: frozenset[Facet]) -> list[Trial]:
    """Return the trials of the evals, all trials of one eval side by side.

    Raises: PlanError when a check looks at a side of the agent that cannot be observed.
    """
    evals = tuple(evals)
    _refuse_what_cannot_be_seen(evals, observes)
    return [trial for one in evals for trial in _trials(one, defaults)]


def _trials(one: Eval, defaults: Defaults) -> Iterator[Trial]:
    idle_ms, threshold = one.options.idle_timeout_ms, one.options.judge_pass_threshold
    searches = any(check.category == "custom" or _mentions(check.spec, "matches") for check in _checks(one))
    for number in range(1, defaults.trials + 1):
        yield Trial(
            eval=one,
            number=number,
            of=defaults.trials,
            idle_timeout_s=(defaults.idle_timeout_ms if idle_ms is None else idle_ms) / 1000,
            timeout_s=defaults.timeout_s,
            judge_pass_threshold=defaults.judge_pass_threshold if threshold is None else threshold,
            searches=searches,
        )


def _selected(one: Eval, selection: Selection) -> bool:
    return (
        (not selection.names or any(fnmatchcase(one.name, pattern) for pattern in selection.names))
        and (not selection.tags or any(tag in one.tags for tag in selection.tags))
        and (selection.type is None or one.type == selection.type)
    )


def _insist(noun: str, wanted: Iterable[str], known: Sequence[str]) -> None:
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in known):
            near = nearest(pattern, known)
            names = ", ".join(sorted(set(known))[:_SHOWN])
            hint = f"did you mean {near!r}?" if near else (f"there are: {names}" if names else f"no eval has a {noun}")
            raise NothingSelected(f"no eval has the {noun} {pattern!r}", hint=hint)


def _refuse_what_cannot_be_seen(evals: tuple[Eval, ...], observes: frozenset[Facet]) -> None:
    facets: dict[str, str] = {}
    refused: list[str] = []
    for one in evals:
        for check in _checks(one):
            if check.category not in facets:
                facets[check.category] = CATEGORIES.get(check.category).FACET
            if facets[check.category] not in observes:
                place = check.where or f"eval {one.name!r}"
                refused.append(f"{place}: the agent cannot be observed for {check.category!r} checks")
        if "replies" not in observes and any(turn.expect_silence for turn in one.turns):
            refused.append(f"eval {one.name!r}: the agent's replies cannot be observed, so neither can silence")
    if refused:
        shown, more = refused[:_SHOWN], len(refused) - _SHOWN
        text = "\n".join(shown) + (f"\n… and {more} more" if more > 0 else "")
        hint = f"this agent shows: {', '.join(sorted(observes))}; leave those checks out, or use another agent"
        raise PlanError(text, hint=hint)


def _mentions(spec: object, key: str) -> bool:
    return isinstance(spec, Mapping) and (key in spec or any(_mentions(item, key) for item in spec.values()))


def _checks(one: Eval) -> Iterable[Check]:
    for turn in one.turns:
        yield from turn.checks
    yield from one.outcome
