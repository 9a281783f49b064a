"""Calibration: the comparison with people, and the bounds of each status."""

import pytest

from audition.judges.calibration import Compared, compare, status_of
from audition.judges.labels import Labelled
from audition.statistics.agreement import Confusion


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
        pytest.param(compared(50, 3, 3, 50), True, "certified", (), id="good"),
        pytest.param(
            compared(50, 3, 3, 50),
            False,
            "provisional",
            ("audition judge doctor has not passed this judge",),
            id="not examined",
        ),
        pytest.param(
            compared(48, 1, 1, 49), True, "provisional", ("answered labels: 99, at least 100 are needed",), id="too few"
        ),
        pytest.param(
            compared(90, 0, 0, 29),
            True,
            "provisional",
            ("fails among them: 29, at least 30 are needed",),
            id="too few fails",
        ),
        pytest.param(
            compared(60, 10, 2, 40),
            True,
            "provisional",
            ("specificity may be as low as 0.67, at least 0.7 is needed",),
            id="lenient",
        ),
        pytest.param(
            compared(47, 3, 3, 47, unanswered=6),
            True,
            "provisional",
            ("6 of 106 labels were not answered",),
            id="unanswered",
        ),
        pytest.param(
            compared(10, 0, 0, 10),
            True,
            "provisional",
            (
                "answered labels: 20, at least 100 are needed",
                "passes among them: 10, at least 30 are needed",
                "fails among them: 10, at least 30 are needed",
            ),
            id="few, all right",
        ),
        pytest.param(
            compared(9, 0, 0, 10), True, "uncalibrated", ("answered labels: 19, at least 20 are needed",), id="very few"
        ),
        pytest.param(
            compared(100, 0, 0, 4),
            True,
            "uncalibrated",
            ("fails among them: 4, at least 5 are needed",),
            id="one class",
        ),
        pytest.param(
            compared(50, 50, 0, 0), True, "uncalibrated", ("kappa: 0.00, at least 0.4 is needed",), id="lets all pass"
        ),
    ],
)
def test_the_bounds_of_a_status(found: Compared, examined: bool, expected: str, missing: tuple[str, ...]) -> None:
    assert status_of(found, examined=examined) == (expected, missing)


def test_no_labels_are_not_enough() -> None:
    status, missing = status_of(compared(0, 0, 0, 0), examined=True)

    assert (status, len(missing)) == ("uncalibrated", 4)
    assert "kappa: not known, at least 0.4 is needed" in missing
