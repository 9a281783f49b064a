"""What trials come to by a policy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.results import Verdict
from audition.statistics.policy import needed_passes, verdict_of_trials

P, F, E = Verdict.PASS, Verdict.FAIL, Verdict.ERROR
VERDICTS = st.lists(st.sampled_from([P, F, E]), max_size=8)


@pytest.mark.parametrize(
    ("verdicts", "policy", "trials", "found"),
    [
        ([P, P, P], "all", 3, P),
        ([P, F, P], "all", 3, F),
        ([P, E, P], "all", 3, E),
        ([F, E], "all", 3, F),
        ([P, P], "all", 3, E),
        ([P, F, P], "majority", 3, P),
        ([P, F, E], "majority", 3, E),
        ([F, F, E], "majority", 3, F),
        ([P, P, F, F], "majority", 4, F),
        ([P, F, F, F], 1, 4, P),
        ([F, F, F, E], 1, 4, E),
        ([], "all", 1, E),
        ([E], "all", 1, E),
    ],
)
def test_known_policies(verdicts: list[Verdict], policy: str | int, trials: int, found: Verdict) -> None:
    assert verdict_of_trials(verdicts, needed=needed_passes(policy, trials), trials=trials) is found


@given(VERDICTS, st.integers(1, 8), st.integers(0, 8))
def test_whatever_is_missing_could_not_change_a_verdict(verdicts: list[Verdict], needed: int, missing: int) -> None:
    trials = len(verdicts) + missing
    now = verdict_of_trials(verdicts, needed=needed, trials=trials)

    ends = {verdict_of_trials([*verdicts, *[end] * missing], needed=needed, trials=trials) for end in (P, F, E)}

    assert now is E or ends == {now}


@given(VERDICTS, st.integers(1, 8))
def test_an_error_is_never_worth_a_pass(verdicts: list[Verdict], needed: int) -> None:
    assert verdict_of_trials([E, *verdicts], needed=len(verdicts) + 1, trials=len(verdicts) + 1) is not P
