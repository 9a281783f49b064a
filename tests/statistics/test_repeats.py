from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.results import Verdict
from audition.statistics.repeats import pass_at_k, pass_hat_k, stability

COUNTS = st.integers(1, 40).flatmap(
    lambda trials: st.tuples(st.integers(0, trials), st.just(trials), st.integers(1, trials))
)


@pytest.mark.parametrize(
    ("passes", "trials", "k", "at", "hat"),
    [
        pytest.param(1, 4, 2, 0.5, 0.0, id="1 of 4, 2 tries"),
        pytest.param(3, 4, 2, 1.0, 0.5, id="3 of 4, 2 tries"),
        pytest.param(5, 10, 3, 11 / 12, 1 / 12, id="5 of 10, 3 tries"),
        pytest.param(0, 5, 5, 0.0, 0.0, id="none"),
        pytest.param(5, 5, 5, 1.0, 1.0, id="all"),
    ],
)
def test_known_chances(passes: int, trials: int, k: int, at: float, hat: float) -> None:
    assert pass_at_k(passes, trials, k) == pytest.approx(at)
    assert pass_hat_k(passes, trials, k) == pytest.approx(hat)


@pytest.mark.parametrize(("passes", "trials", "k"), [(3, 2, 1), (-1, 2, 1), (1, 2, 3), (1, 2, 0), (0, 0, 1)])
def test_impossible_counts_are_refused(passes: int, trials: int, k: int) -> None:
    with pytest.raises(ValueError, match=r"cannot be|k must be"):
        pass_at_k(passes, trials, k)
    with pytest.raises(ValueError, match=r"cannot be|k must be"):
        pass_hat_k(passes, trials, k)


@given(COUNTS)
def test_all_of_k_is_never_likelier_than_one_of_k(counts: tuple[int, int, int]) -> None:
    passes, trials, k = counts

    assert 0 <= pass_hat_k(passes, trials, k) <= passes / trials + 1e-12
    assert passes / trials - 1e-12 <= pass_at_k(passes, trials, k) <= 1


@given(COUNTS)
def test_one_of_k_passing_is_not_all_of_k_failing(counts: tuple[int, int, int]) -> None:
    passes, trials, k = counts

    assert pass_at_k(passes, trials, k) == pytest.approx(1 - pass_hat_k(trials - passes, trials, k))


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        pytest.param(["pass", "pass"], "stable pass", id="passes"),
        pytest.param(["fail"], "stable fail", id="fails"),
        pytest.param(["pass", "fail", "error"], "flaky", id="both"),
        pytest.param(["pass", "error"], "error", id="some could not tell"),
        pytest.param(["pass", "skip"], "stable pass", id="skipped ones say nothing"),
        pytest.param([], "error", id="none"),
        pytest.param(["skip"], "error", id="only skipped"),
    ],
)
def test_how_trials_agree(verdicts: Sequence[str], expected: str) -> None:
    assert stability(map(Verdict, verdicts)) == expected
