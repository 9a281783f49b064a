"""Scores from turn to turn: their mean, what they are held against, and how both are told."""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum

from audition.documents.shape import Field, Number, Text
from audition.evals import Reference
from audition.results import Verdict
from audition.scoring.rule import Finding, Seen
from audition.text import shorten
from audition.transcript import Exchange

TOLERANCE = 1e-9
"""Ten turns that score 0.6 each must reach 0.6, whatever adding them up makes of it."""

_SHOWN_CHARACTERS = 500

METRIC = Field(Text(min_length=1), doc="What another tool calls this; reports show it.")


def threshold(default: float) -> Field:
    """Return the key that says which mean score passes, 0 to 1."""
    return Field(
        Number(minimum=0, maximum=1), doc=f"The lowest mean score that passes, 0 to 1; {default:g} by default."
    )


def referenced(seen: Seen) -> Iterator[tuple[int, Exchange, Reference]]:
    """Yield what a check may look at, turn by turn: its number from 1, what happened, and what a good agent did.

    A turn without a reference, as one of a simulated user, gets an empty one.
    """
    first = seen.turn or 0
    for index, exchange in enumerate(seen.exchanges, first):
        turn = seen.turns[index] if index < len(seen.turns) else None
        yield index + 1, exchange, (turn.reference if turn else None) or Reference()


def mean(scores: Iterable[float | None]) -> float | None:
    """Return the mean of the scores there are, None without any."""
    known = [score for score in scores if score is not None]
    return fsum(known) / len(known) if known else None


def reaches(score: float, bound: float) -> bool:
    """Tell whether a score is at least `bound`, rounding errors forgiven."""
    return score >= bound - TOLERANCE


def concluded(
    scores: Sequence[float | None],
    bound: float,
    *,
    unscored: str,
    reasons: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Finding:
    """Return what the scores of the turns come to: their mean is held against `bound`.

    `unscored` is why there is no score when no turn has one; `reasons` say what was wrong with turns, `notes` what else
    there is to know.
    """
    score = mean(scores)
    expected = f"a score of at least {shown_score(bound)}"
    if score is None:
        return Finding(
            verdict=Verdict.ERROR, expected=expected, reason=unscored, threshold=bound, turn_scores=tuple(scores)
        )
    held = reaches(score, bound)
    turns = f" (turns: {', '.join(map(shown_score, scores))})" if len(scores) > 1 else ""
    return Finding(
        verdict=Verdict.PASS if held else Verdict.FAIL,
        expected=expected,
        actual=shown_score(score) + turns,
        reason=None if held else _joined(reasons),
        score=score,
        threshold=bound,
        turn_scores=tuple(scores),
        note=_joined(notes),
    )


def shown_score(score: float | None) -> str:
    """Return a score with at most six digits; None is a dash."""
    return "–" if score is None else f"{score:.6g}"


def _joined(parts: Sequence[str]) -> str | None:
    return shorten("; ".join(parts), _SHOWN_CHARACTERS) if parts else None
