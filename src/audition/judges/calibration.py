"""Calibration: what people's labels make of a judge, and when it may be called certified.

Source: service specification, section 5.8 (calibration as a resource); the bounds are ours, and explained in the how-to
on judges.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from audition.judges.labels import Labelled
from audition.statistics.agreement import (
    Confusion,
    kappa,
    sensitivity_interval,
    specificity_interval,
)

Status = Literal["uncalibrated", "provisional", "certified"]
"""How far a judge has been compared with people: not enough, well enough to go on with, well enough to rely on."""

FEWEST_LABELS, FEWEST_OF_EACH, LEAST_KAPPA = 20, 5, 0.4
"""What a provisional judge needs: answered labels, of them passes and fails each, and agreement beyond chance."""

MANY_LABELS, MANY_OF_EACH, GOOD_KAPPA = 100, 30, 0.6
LEAST_BOUND = 0.7
"""What the lower 95 % bounds of sensitivity and specificity of a certified judge must reach."""

MOST_UNANSWERED = 0.05
"""The largest share of labels that a certified judge may leave unanswered: they may be the hard ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A judge compared with people; `unanswered` labels are in no count of `seen`."""

    seen: Confusion
    unanswered: int

    @property
    def enough(self) -> bool:
        """Say whether there are labels enough to say anything at all."""
        return self.seen.total >= FEWEST_LABELS and min(self.seen.passes, self.seen.fails) >= FEWEST_OF_EACH


def compare(rows: Sequence[Labelled], scores: Sequence[int | None], threshold: int) -> Compared:
    """Return the comparison; `scores` are the judge's, one for each row, None where it gave no answer.

    The judge lets pass what it scores at least `threshold`.
    """
    pairs = [(row.passes, score >= threshold) for row, score in zip(rows, scores, strict=True) if score is not None]
    seen = Confusion(
        true_pass=pairs.count((True, True)),
        false_pass=pairs.count((False, True)),
        false_fail=pairs.count((True, False)),
        true_fail=pairs.count((False, False)),
    )
    return Compared(seen=seen, unanswered=len(rows) - len(pairs))


def status_of(compared: Compared, *, examined: bool) -> tuple[Status, tuple[str, ...]]:
    """Return a judge's status, and what keeps it from the next one; `examined`: the doctor found nothing wrong."""
    missing = _missing(compared, FEWEST_LABELS, FEWEST_OF_EACH, LEAST_KAPPA)
    if missing:
        return "uncalibrated", missing
    missing = (*_missing(compared, MANY_LABELS, MANY_OF_EACH, GOOD_KAPPA), *_not_certain(compared, examined=examined))
    return ("provisional", missing) if missing else ("certified", ())


def _missing(compared: Compared, labels: int, of_each: int, least_kappa: float) -> tuple[str, ...]:
    seen, agreement = compared.seen, kappa(compared.seen)
    wants = {
        f"answered labels: {seen.total}, at least {labels} are needed": seen.total >= labels,
        f"passes among them: {seen.passes}, at least {of_each} are needed": seen.passes >= of_each,
        f"fails among them: {seen.fails}, at least {of_each} are needed": seen.fails >= of_each,
        f"kappa: {_number(agreement)}, at least {least_kappa} is needed": agreement is not None
        and agreement >= least_kappa,
    }
    return tuple(reason for reason, holds in wants.items() if not holds)


def _not_certain(compared: Compared, *, examined: bool) -> tuple[str, ...]:
    seen, rows = compared.seen, compared.seen.total + compared.unanswered
    (passes_from, _), (fails_from, _) = sensitivity_interval(seen), specificity_interval(seen)
    wants = {
        f"sensitivity may be as low as {passes_from:.2f}, at least {LEAST_BOUND} is needed": (
            passes_from >= LEAST_BOUND
        ),
        f"specificity may be as low as {fails_from:.2f}, at least {LEAST_BOUND} is needed": (fails_from >= LEAST_BOUND),
        f"{compared.unanswered} of {rows} labels were not answered": compared.unanswered <= MOST_UNANSWERED * rows,
        "audition judge doctor has not passed this judge": examined,
    }
    return tuple(reason for reason, holds in wants.items() if not holds)


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.2f}"
