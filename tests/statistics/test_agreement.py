"""How far a judge agrees with people: known tables, and what cannot be said."""

import pytest

from audition.statistics.agreement import (
    Confusion,
    accuracy,
    base_rate,
    kappa,
    sensitivity,
    sensitivity_interval,
    specificity,
    specificity_interval,
)


def table(true_pass: int, false_pass: int, false_fail: int, true_fail: int) -> Confusion:
    """Return a table by its four counts."""
    return Confusion(true_pass=true_pass, false_pass=false_pass, false_fail=false_fail, true_fail=true_fail)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        pytest.param(table(20, 10, 5, 15), 0.4, id="grants of two readers"),
        pytest.param(table(45, 25, 15, 15), 0.1304, id="same accuracy, skewed alike"),
        pytest.param(table(25, 5, 35, 35), 0.2593, id="same accuracy, skewed against each other"),
        pytest.param(table(10, 0, 0, 10), 1.0, id="always the same"),
        pytest.param(table(0, 10, 10, 0), -1.0, id="never the same"),
        pytest.param(table(5, 5, 5, 5), 0.0, id="by chance"),
        pytest.param(table(90, 10, 0, 0), 0.0, id="a judge that lets all pass"),
    ],
)
def test_kappa_of_known_tables(seen: Confusion, expected: float) -> None:
    assert kappa(seen) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("seen", [table(0, 0, 0, 0), table(9, 0, 0, 0), table(0, 0, 0, 9)])
def test_there_is_no_kappa_where_nothing_can_differ(seen: Confusion) -> None:
    assert kappa(seen) is None


def test_rates_of_a_table() -> None:
    seen = table(18, 3, 2, 7)

    assert (seen.total, seen.passes, seen.fails) == (30, 20, 10)
    assert (accuracy(seen), base_rate(seen)) == pytest.approx((25 / 30, 20 / 30))
    assert (sensitivity(seen), specificity(seen)) == (0.9, 0.7)


def test_intervals_are_wilsons() -> None:
    # 81 of 263 is the example of Newcombe, Two-sided confidence intervals for the single proportion (1998).
    assert sensitivity_interval(table(81, 0, 182, 0)) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert specificity_interval(table(0, 0, 0, 10)) == pytest.approx((0.7225, 1.0), abs=5e-5)


def test_nothing_compared_says_nothing() -> None:
    nothing = table(0, 0, 0, 0)

    assert [rate(nothing) for rate in (accuracy, base_rate, sensitivity, specificity)] == [None] * 4
    assert [sensitivity_interval(nothing), specificity_interval(nothing)] == [(0.0, 1.0), (0.0, 1.0)]


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        table(-1, 0, 0, 0)
