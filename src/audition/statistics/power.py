"""What a run can show: the smallest difference between two candidates that it would notice."""

from math import sqrt
from statistics import NormalDist

BETWEEN_CASES = 0.02
WITHIN_CASES = 0.12
"""Variances of the difference between two candidates from case to case, and of one trial of one case, where nothing
better is known."""


def smallest_difference(
    cases: int,
    trials: int,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    between: float = BETWEEN_CASES,
    within: float = WITHIN_CASES,
) -> float:
    """Return the smallest true difference of two pass rates (0..1) that a paired comparison would notice.

    Both candidates are tried on the same `cases` (>= 1), `trials` (>= 1) times each. `alpha` is how often no difference
    is taken for one, two-sided, `power` how often a difference of this size is noticed.

    Raises: ValueError without cases or trials.

    Source: Miller, Adding error bars to evals (2024), solved for the difference.

    >>> round(smallest_difference(50, 1), 2), round(smallest_difference(50, 3), 3)
    (0.2, 0.125)
    """
    if cases < 1 or trials < 1:
        raise ValueError(f"{cases} cases in {trials} trials show nothing")
    normal = NormalDist()
    z = normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)
    return min(1.0, z * sqrt((between + 2 * within / trials) / cases))
