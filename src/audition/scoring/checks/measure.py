"""What a turn took: tool calls, model calls, tokens or seconds. Source: ADK, the four efficiency metrics.

Without a bound it only tells, and neither passes nor fails: the verdict is `skip`, and the score is the mean over the
turns. What is not known has no score, and never counts as 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from audition.documents.shape import Choice, Field, Number, Record
from audition.results import Verdict
from audition.scoring.matchers import Matcher, matcher
from audition.scoring.metric import METRIC, mean, shown_score
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.scoring.trajectory import own_calls
from audition.transcript import Exchange

FACET = "replies"
PLACES = frozenset({"turn", "outcome"})


def _tool_calls(exchange: Exchange) -> float | None:
    return len(own_calls(exchange))


def _model_calls(exchange: Exchange) -> float | None:
    return exchange.usage.calls if exchange.usage else None


def _tokens(exchange: Exchange) -> float | None:
    usage = exchange.usage
    if usage is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens


def _duration_s(exchange: Exchange) -> float | None:
    return None if exchange.response_ms is None else exchange.response_ms / 1000


_MEASURES: Mapping[str, Callable[[Exchange], float | None]] = {
    "tool_calls": _tool_calls,
    "model_calls": _model_calls,
    "tokens": _tokens,
    "duration_s": _duration_s,
}

CHECK = Spec(
    Record(
        "measure check",
        measure=Field(Choice(tuple(_MEASURES)), required=True, doc="What is measured; tokens are input and output."),
        gte=Field(Number(), doc="The mean per turn must be at least this."),
        lte=Field(Number(), doc="The mean per turn must be at most this."),
        metric=METRIC,
    )
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a measure check means."""
    return _MeasureRule(str(spec["measure"]), matcher(spec))


@dataclass(frozen=True, slots=True)
class _MeasureRule:
    """`wanted` with nothing in it: nothing is demanded."""

    measure: str
    wanted: Matcher

    def describe(self) -> str:
        return f"{self.measure}: {self.wanted.describe() or 'no bound'}"

    def evaluate(self, seen: Seen) -> Finding:
        scores = self._scores(seen)
        score = mean(scores)
        if not self.wanted.wanted:
            told = f"{self.measure} is not known" if score is None else f"mean {shown_score(score)}"
            return Finding(verdict=Verdict.SKIP, reason=told, score=score, turn_scores=scores)
        expected = f"mean {self.wanted.describe()}"
        if score is None or None in scores:
            reason = f"{self.measure} is not known of every turn"
            return Finding(verdict=Verdict.ERROR, expected=expected, reason=reason, turn_scores=scores)
        actual = f"mean {shown_score(score)}"
        return replace(self.wanted.match(score), expected=expected, actual=actual, score=score, turn_scores=scores)

    def _scores(self, seen: Seen) -> tuple[float | None, ...]:
        observes = seen.transcript.observes
        if self.measure == "tool_calls" and observes is not None and "tools" not in observes:
            return (None,) * len(seen.exchanges)  # no call was listed, since nobody looked
        return tuple(_MEASURES[self.measure](exchange) for exchange in seen.exchanges)
