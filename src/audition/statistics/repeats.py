"""What repeated trials of one eval say about it."""

from collections.abc import Iterable
from math import comb
from typing import Literal

from audition.results import Verdict

Stability = Literal["stable pass", "stable fail", "flaky", "error"]
"""How the trials of one eval agree; `error` means that some of them could not tell, so that nobody knows."""


def pass_at_k(passes: int, trials: int, k: int) -> float:
    """Return the chance (0..1) that at least one of `k` trials passes, estimated without bias.

    Raises: ValueError unless 0 <= passes <= trials and 1 <= k <= trials.

    Source: Chen et al., Evaluating large language models trained on code (2021).

    >>> pass_at_k(1, 4, 2)
    0.5
    """
    _require(passes, trials, k)
    return 1 - comb(trials - passes, k) / comb(trials, k)


def pass_hat_k(passes: int, trials: int, k: int) -> float:
    """Return the chance (0..1) that all of `k` trials pass (pass^k), estimated without bias.

    Raises: ValueError unless 0 <= passes <= trials and 1 <= k <= trials.

    Source: Yao et al., tau-bench (2024).

    >>> pass_hat_k(3, 4, 2)
    0.5
    """
    _require(passes, trials, k)
    return comb(passes, k) / comb(trials, k)


def stability(verdicts: Iterable[Verdict]) -> Stability:
    """Return how the verdicts of one eval's trials agree; skipped ones say nothing."""
    seen = set(verdicts) - {Verdict.SKIP}
    if {Verdict.PASS, Verdict.FAIL} <= seen:
        return "flaky"
    if seen == {Verdict.PASS}:
        return "stable pass"
    return "stable fail" if seen == {Verdict.FAIL} else "error"


def _require(passes: int, trials: int, k: int) -> None:
    if not 0 <= passes <= trials:
        raise ValueError(f"{passes} passes in {trials} trials cannot be")
    if not 1 <= k <= trials:
        raise ValueError(f"k must be from 1 to the {trials} trials made, not {k}")
