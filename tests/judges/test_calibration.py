"""Calibration: the comparison with people, and the bounds of each status."""

from math import nextafter

import pytest

from audition.judges.calibration import LEAST_BOUND, Compared, compare, status_of
from audition.judges.labels import Labelled
from audition.statistics.agreement import Confusion
from audition.statistics.intervals import wilson


def compared(true_pass: int, false_pass: int, false_fail: int, true_fail: int, unanswered: int = 0) -> Compared:
    """Return a comparison with those counts."""
    seen = Confusion(true_pass=true_pass, false_pass=false_pass, false_fail=false_fail, true_fail=true_fail)
    return Compared(seen=seen, unanswered=unanswered)


def test_unanswered_labels_are_counted_apart() -> None:
    rows = [Labelled(criterion="c", response="r", passes=passes) for passes in (True, True, False, False, True)]

    found = compare(rows, [3, 2, 5, 1, None], 3)

    assert found == compared(1, 1, 1, 1, unanswered=1)


@pytest.mark.parametrize(
    ("found", "examined", "expected", "missing"),
    [
        pytest.param(compared(16, 0, 0, 16), True, "certified", (), id="16 of each, all right: the fewest labels"),
        pytest.param(
            compared(15, 0, 0, 16),
            True,
            "provisional",
            ("sensitivity may be as low as 0.7961, at least 0.8 is needed",),
            id="15 passes are too few",
        ),
        pytest.param(
            compared(16, 0, 0, 15),
            True,
            "provisional",
            ("specificity may be as low as 0.7961, at least 0.8 is needed",),
            id="15 fails are too few",
        ),
        pytest.param(compared(61, 7, 7, 61), True, "certified", (), id="0.90 of 68 of each"),
        pytest.param(
            compared(61, 8, 7, 60),
            True,
            "provisional",
            ("specificity may be as low as 0.7847, at least 0.8 is needed",),
            id="lenient",
        ),
        pytest.param(
            compared(60, 7, 8, 61),
            True,
            "provisional",
            ("sensitivity may be as low as 0.7847, at least 0.8 is needed",),
            id="strict",
        ),
        pytest.param(
            compared(61, 7, 7, 61),
            False,
            "provisional",
            ("audition judge doctor has not passed this judge",),
            id="not examined",
        ),
        pytest.param(compared(95, 0, 0, 95, unanswered=10), True, "certified", (), id="5 % unanswered"),
        pytest.param(
            compared(95, 0, 0, 95, unanswered=11),
            True,
            "provisional",
            ("11 of 201 labels were not answered",),
            id="more than 5 % unanswered",
        ),
        pytest.param(compared(900, 0, 100, 20), True, "certified", (), id="few fails, all right, and a low kappa"),
        pytest.param(
            compared(10, 0, 0, 10),
            True,
            "provisional",
            (
                "sensitivity may be as low as 0.7225, at least 0.8 is needed",
                "specificity may be as low as 0.7225, at least 0.8 is needed",
            ),
            id="the fewest labels of a provisional judge",
        ),
        pytest.param(
            compared(9, 0, 0, 10), True, "uncalibrated", ("answered labels: 19, at least 20 are needed",), id="very few"
        ),
        pytest.param(
            compared(100, 0, 0, 4),
            True,
            "uncalibrated",
            ("fails among them: 4, at least 5 are needed",),
            id="4 fails",
        ),
        pytest.param(
            compared(4, 0, 0, 100),
            True,
            "uncalibrated",
            ("passes among them: 4, at least 5 are needed",),
            id="4 passes",
        ),
        pytest.param(
            compared(50, 50, 0, 0), True, "uncalibrated", ("kappa: 0.000, at least 0.4 is needed",), id="lets all pass"
        ),
        pytest.param(
            compared(35, 16, 15, 34), True, "uncalibrated", ("kappa: 0.380, at least 0.4 is needed",), id="kappa 0.38"
        ),
    ],
)
def test_the_bounds_of_a_status(found: Compared, examined: bool, expected: str, missing: tuple[str, ...]) -> None:
    assert status_of(found, examined=examined) == (expected, missing)


def test_a_kappa_of_just_enough_is_provisional() -> None:
    status, _ = status_of(compared(35, 15, 15, 35), examined=True)

    assert status == "provisional"


# AWS Labs, calibrated-agent-evaluation.
def test_the_limit_is_that_of_the_practice_it_is_taken_from() -> None:
    assert LEAST_BOUND == 0.80


def test_a_bound_that_just_reaches_the_limit_is_enough_and_one_just_below_is_not() -> None:
    exactly, _ = wilson(61, 68)

    at, below = (
        status_of(compared(61, 7, 7, 61), examined=True, least_bound=limit)
        for limit in (exactly, nextafter(exactly, 1))
    )

    assert (at[0], below[0]) == ("certified", "provisional")


@pytest.mark.parametrize(("limit", "expected"), [(0.7, "certified"), (0.9, "provisional")])
def test_the_limit_is_the_callers_to_set(limit: float, expected: str) -> None:
    status, _ = status_of(compared(61, 7, 7, 61), examined=True, least_bound=limit)

    assert status == expected


def test_no_labels_are_not_enough() -> None:
    status, missing = status_of(compared(0, 0, 0, 0), examined=True, least_bound=0.51)

    assert (status, len(missing)) == ("uncalibrated", 3)
