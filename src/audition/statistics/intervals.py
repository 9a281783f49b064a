"""How sure a rate is: confidence intervals for proportions."""

from math import sqrt
from statistics import NormalDist


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval, within 0..1, that holds the true rate with the given confidence (0 < confidence < 1).

    No trials say nothing: the interval is then (0, 1).

    Raises: ValueError when there are more successes than trials, or either is negative.

    Source: Wilson, Probable inference, the law of succession, and statistical inference (1927).

    >>> tuple(round(bound, 4) for bound in wilson(2, 3))
    (0.2077, 0.9385)
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} successes in {trials} trials cannot be")
    if trials == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    rate, share = successes / trials, z * z / trials
    centre = rate + share / 2
    spread = z * sqrt((rate * (1 - rate) + share / 4) / trials)
    low = 0.0 if successes == 0 else (centre - spread) / (1 + share)
    high = 1.0 if successes == trials else (centre + spread) / (1 + share)
    return low, high
