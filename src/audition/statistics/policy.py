"""What several trials of one eval come to, by how many of them must pass."""

from collections.abc import Sequence

from audition.results import Verdict


def needed_passes(policy: str | int, trials: int) -> int:
    """Return how many of the trials must pass: all of them, the majority, or that number of them.

    >>> needed_passes("all", 5), needed_passes("majority", 5), needed_passes("majority", 4), needed_passes(2, 5)
    (5, 3, 3, 2)
    """
    if isinstance(policy, int):
        return policy
    return trials if policy == "all" else trials // 2 + 1


def verdict_of_trials(verdicts: Sequence[Verdict], *, needed: int, trials: int) -> Verdict:
    """Return what the trials of one eval come to: an error unless no missing one could change the verdict.

    `verdicts` are those that are there, `trials` how many were planned. An error is never counted as a pass, nor as a
    fail.

    >>> verdict_of_trials([Verdict.PASS, Verdict.ERROR, Verdict.PASS], needed=2, trials=3)
    <Verdict.PASS: 'pass'>
    >>> verdict_of_trials([Verdict.PASS, Verdict.ERROR], needed=2, trials=2)
    <Verdict.ERROR: 'error'>
    """
    if verdicts.count(Verdict.PASS) >= needed:
        return Verdict.PASS
    if trials - verdicts.count(Verdict.FAIL) < needed:
        return Verdict.FAIL
    return Verdict.ERROR
