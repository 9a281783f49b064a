"""How long the agent took to respond. Source: Botpress eval format, Timing."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from audition.documents.shape import Field, Record
from audition.results import Verdict
from audition.scoring.matchers import NUMERIC_OPERATORS, Matcher, matcher
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec

FACET = "timing"
PLACES = frozenset({"turn"})
CHECK = Spec(
    Record(
        "timing check",
        response_time=Field(
            NUMERIC_OPERATORS, required=True, doc="Milliseconds from sending the turn to the last reply."
        ),
    )
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a timing check means."""
    return _ResponseTime(matcher(spec["response_time"]))


@dataclass(frozen=True, slots=True)
class _ResponseTime:
    wanted: Matcher

    def describe(self) -> str:
        return f"response_time: {self.wanted.describe()}"

    def evaluate(self, seen: Seen) -> Finding:
        measured = seen.exchanges[0].response_ms
        if measured is None:
            reason = "no response time was measured (a replayed or cached answer, or no reply)"
            return Finding(verdict=Verdict.ERROR, expected=f"{self.wanted.describe()} ms", reason=reason)
        found = self.wanted.match(measured)
        return replace(found, expected=f"{found.expected} ms", actual=f"{measured:.1f} ms")
