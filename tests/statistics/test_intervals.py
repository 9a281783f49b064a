import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.statistics.intervals import wilson


@pytest.mark.parametrize(
    ("successes", "trials", "expected"),
    [
        pytest.param(2, 3, (0.2077, 0.9385), id="2 of 3"),
        pytest.param(5, 10, (0.2366, 0.7634), id="half"),
        pytest.param(0, 10, (0.0, 0.2775), id="none"),
        pytest.param(10, 10, (0.7225, 1.0), id="all"),
        pytest.param(0, 0, (0.0, 1.0), id="nothing is known"),
    ],
)
def test_known_intervals(successes: int, trials: int, expected: tuple[float, float]) -> None:
    assert wilson(successes, trials) == pytest.approx(expected, abs=5e-5)


def test_more_confidence_takes_a_wider_interval() -> None:
    narrow, wide = wilson(5, 10, 0.8), wilson(5, 10, 0.99)

    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@pytest.mark.parametrize(("successes", "trials"), [(2, 1), (-1, 3)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        wilson(successes, trials)


@given(st.integers(1, 500).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_the_rate_lies_in_its_interval_and_the_interval_in_0_to_1(counts: tuple[int, int]) -> None:
    successes, trials = counts

    low, high = wilson(successes, trials)

    assert 0 <= low <= successes / trials <= high <= 1


@given(st.integers(1, 200).flatmap(lambda trials: st.tuples(st.integers(0, trials), st.just(trials))))
def test_failures_have_the_mirrored_interval(counts: tuple[int, int]) -> None:
    successes, trials = counts

    low, high = wilson(successes, trials)

    assert wilson(trials - successes, trials) == pytest.approx((1 - high, 1 - low))
