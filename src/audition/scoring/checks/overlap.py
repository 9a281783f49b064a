"""How many words the agent's replies share with the reference: ROUGE-1. Source: ADK, response_match_score.

The score of a turn is the F-measure of the shared words, whatever their order: no measure of truth. `note` says where a
reply that scores well has other numbers or negations than the reference.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from audition.documents.shape import Record
from audition.scoring.matchers import shown
from audition.scoring.metric import METRIC, concluded, referenced, shown_score, threshold
from audition.scoring.overlap import shared, told_apart, words
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.text import shorten
from audition.transcript import response_text

FACET = "replies"
PLACES = frozenset({"turn", "outcome"})

DEFAULT_THRESHOLD = 0.8
CHECK = Spec(Record("overlap check", threshold=threshold(DEFAULT_THRESHOLD), metric=METRIC))

_UNSCORED = "no reference text: a turn has something to compare with when its reference has a 'response' with words"
_SHOWN_CHARACTERS = 120


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what an overlap check means."""
    bound = spec.get("threshold")
    return _Overlap(bound if isinstance(bound, int | float) else DEFAULT_THRESHOLD)


@dataclass(frozen=True, slots=True)
class _Overlap:
    threshold: float

    def describe(self) -> str:
        return f"threshold: {shown_score(self.threshold)}"

    def evaluate(self, seen: Seen) -> Finding:
        scores: list[float | None] = []
        reasons, notes = [], []
        for number, exchange, reference in referenced(seen):
            wanted, said = reference.response or "", response_text(exchange)
            wanted_words = words(wanted)
            score = shared(wanted_words, words(said)) if wanted_words else None
            scores.append(score)
            if score is None:
                continue
            if score < self.threshold:
                reasons.append((score, f"turn {number}: expected {_cut(wanted)}, got {_cut(said)}"))
            elif differences := told_apart(wanted, said):
                notes.append(f"turn {number}: {differences}")
        worst = [reason for _, reason in sorted(reasons, key=lambda reason: reason[0])[:1]]
        return concluded(scores, self.threshold, unscored=_UNSCORED, reasons=worst, notes=notes)


def _cut(text: str) -> str:
    return shown(shorten(text, _SHOWN_CHARACTERS)) if text.strip() else "nothing"
