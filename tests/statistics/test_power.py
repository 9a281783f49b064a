"""What a run can show."""

import pytest

from audition.statistics.power import smallest_difference


@pytest.mark.parametrize(
    ("cases", "trials", "points"),
    [
        (20, 1, 32), (50, 1, 20), (50, 3, 12.5), (50, 5, 10.3), (50, 10, 8.3), (100, 1, 14), (100, 3, 8.9),
        (200, 1, 10), (200, 10, 4.2), (500, 1, 6.4), (1000, 3, 2.8),
    ],
)  # fmt: skip
def test_the_published_table(cases: int, trials: int, points: float) -> None:
    assert smallest_difference(cases, trials) * 100 == pytest.approx(points, rel=0.03)


def test_no_difference_is_larger_than_all() -> None:
    assert smallest_difference(1, 1) == 1.0


@pytest.mark.parametrize(("cases", "trials"), [(0, 1), (1, 0)])
def test_nothing_shows_nothing(cases: int, trials: int) -> None:
    with pytest.raises(ValueError, match="show nothing"):
        smallest_difference(cases, trials)
