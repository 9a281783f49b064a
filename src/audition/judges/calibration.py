"""Calibration: what people's labels make of a judge, and when it may be called certified.

Source: service specification, section 5.8 (certified: the lower bounds of both rates reach the gate's limits, and the
canaries are clean). What a provisional judge needs is ours, as no source names it; the how-to on judges explains it.
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

LEAST_BOUND = 0.8
"""What the lower 95 % bounds of sensitivity and specificity of a certified judge must reach when nobody says.

Source: AWS Labs, calibrated-agent-evaluation (a judge may score once both bounds are at least 0.80).
"""

MOST_UNANSWERED = 0.05
"""The largest share of labels that a certified judge may leave unanswered: they may be the hard ones. This is ours."""


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


def status_of(
    compared: Compared, *, examined: bool, least_bound: float = LEAST_BOUND
) -> tuple[Status, tuple[str, ...]]:
    """Return a judge's status, and what keeps it from the next one.

    `examined`: the doctor found nothing wrong. `least_bound` (above 0.5, which a coin reaches, and below 1) is what the
    lower 95 % bounds of both rates must reach.
    """
    too_few = _too_few(compared)
    if too_few:
        return "uncalibrated", too_few
    missing = _not_certain(compared, examined=examined, least_bound=least_bound)
    if not missing:
        return "certified", ()
    agreement = kappa(compared.seen)
    if agreement is None or round(agreement, 9) < LEAST_KAPPA:  # 0.7 - 0.3 is less than 0.4
        return "uncalibrated", (f"kappa: {_number(agreement)}, at least {LEAST_KAPPA} is needed",)
    return "provisional", missing


def _too_few(compared: Compared) -> tuple[str, ...]:
    counts = (
        ("answered labels", compared.seen.total, FEWEST_LABELS),
        ("passes among them", compared.seen.passes, FEWEST_OF_EACH),
        ("fails among them", compared.seen.fails, FEWEST_OF_EACH),
    )
    return tuple(f"{what}: {count}, at least {least} are needed" for what, count, least in counts if count < least)


def _not_certain(compared: Compared, *, examined: bool, least_bound: float) -> tuple[str, ...]:
    seen, rows = compared.seen, compared.seen.total + compared.unanswered
    (passes_from, _), (fails_from, _) = sensitivity_interval(seen), specificity_interval(seen)
    bounds = (("sensitivity", passes_from), ("specificity", fails_from))
    # In four digits: a bound of 0.7999 that is shown as 0.80 would seem to reach 0.8.
    missing = [
        f"{rate} may be as low as {bound:.4f}, at least {least_bound:g} is needed"
        for rate, bound in bounds
        if bound < least_bound
    ]
    if compared.unanswered > MOST_UNANSWERED * rows:
        missing.append(f"{compared.unanswered} of {rows} labels were not answered")
    if not examined:
        missing.append("audition judge doctor has not passed this judge")
    return tuple(missing)


def _number(value: float | None) -> str:
    return "not known" if value is None else f"{value:.3f}"
