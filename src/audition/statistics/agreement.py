"""How far a judge agrees with people: the four counts of a table of two by two, and what follows from them."""

from dataclasses import dataclass

from audition.statistics.intervals import wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often a judge and people said pass and fail of the same; people are taken to be right.

    A `false_pass` is a fail that the judge let pass, a `false_fail` a pass that it did not.
    """

    true_pass: int = 0
    false_pass: int = 0
    false_fail: int = 0
    true_fail: int = 0

    def __post_init__(self) -> None:
        if min(self.true_pass, self.false_pass, self.false_fail, self.true_fail) < 0:
            raise ValueError("a count cannot be negative")

    @property
    def total(self) -> int:
        """Return how many were compared."""
        return self.passes + self.fails

    @property
    def passes(self) -> int:
        """Return how many people let pass."""
        return self.true_pass + self.false_fail

    @property
    def fails(self) -> int:
        """Return how many people let fail."""
        return self.true_fail + self.false_pass


def accuracy(seen: Confusion) -> float | None:
    """Return the share (0..1) of the same verdict; None when nothing was compared."""
    return _share(seen.true_pass + seen.true_fail, seen.total)


def base_rate(seen: Confusion) -> float | None:
    """Return the share (0..1) that people let pass, without which no agreement means anything; None of nothing."""
    return _share(seen.passes, seen.total)


def kappa(seen: Confusion) -> float | None:
    """Return the agreement beyond chance, -1..1; None when there is nothing to be had beyond it (one verdict only).

    Source: Cohen, A coefficient of agreement for nominal scales (1960).

    >>> round(kappa(Confusion(true_pass=20, false_pass=10, false_fail=5, true_fail=15)), 3)
    0.4
    """
    if not seen.total:
        return None
    observed = (seen.true_pass + seen.true_fail) / seen.total
    judged = (seen.true_pass + seen.false_pass) / seen.total
    labelled = seen.passes / seen.total
    by_chance = judged * labelled + (1 - judged) * (1 - labelled)
    return None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def sensitivity(seen: Confusion) -> float | None:
    """Return the share (0..1) of what people let pass that the judge let pass too; None without any.

    Source: Yerushalmy, Statistical problems in assessing methods of medical diagnosis (1947).
    """
    return _share(seen.true_pass, seen.passes)


def specificity(seen: Confusion) -> float | None:
    """Return the share (0..1) of what people let fail that the judge let fail too; None without any.

    Source: as for `sensitivity`.
    """
    return _share(seen.true_fail, seen.fails)


def sensitivity_interval(seen: Confusion) -> tuple[float, float]:
    """Return Wilson's 95 % interval of the sensitivity; (0, 1) without any pass."""
    return wilson(seen.true_pass, seen.passes)


def specificity_interval(seen: Confusion) -> tuple[float, float]:
    """Return Wilson's 95 % interval of the specificity; (0, 1) without any fail."""
    return wilson(seen.true_fail, seen.fails)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
