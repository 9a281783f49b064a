from collections.abc import Callable

import pytest

from audition.results import CheckResult, Verdict
from audition.scoring.checks.timing import CHECK
from audition.scoring.rule import OpenCheck
from audition.transcript import Exchange, Reply

Decide = Callable[..., CheckResult | OpenCheck]


def took(response_ms: float | None) -> Exchange:
    """Return an exchange whose reply took so long."""
    return Exchange(user="hi", replies=(Reply(text="pong"),), response_ms=response_ms)


@pytest.mark.parametrize(
    ("written", "response_ms", "verdict"),
    [
        pytest.param({"lte": 500}, 120.0, Verdict.PASS, id="fast enough"),  # case: empirical-run/empirical#166
        pytest.param({"lte": 5000}, 5000.1, Verdict.FAIL, id="too slow"),
        pytest.param({"gte": 100}, 99.0, Verdict.FAIL, id="suspiciously fast"),
        pytest.param({"gte": 100, "lte": 5000}, 6000.0, Verdict.FAIL, id="both bounds count"),  # M38
        pytest.param({"gte": 100, "lte": 5000}, 250.0, Verdict.PASS, id="within both bounds"),
        pytest.param({"lte": 500}, float("nan"), Verdict.FAIL, id="no number"),
    ],
)
def test_the_response_time_is_compared(
    decide: Decide, written: dict[str, object], response_ms: float, verdict: Verdict
) -> None:
    assert decide("timing", {"response_time": written}, took(response_ms)).verdict is verdict


@pytest.mark.parametrize("written", [{"lte": 500}, {"gte": 50}], ids=str)
def test_a_time_that_was_not_measured_is_an_error(decide: Decide, written: dict[str, object]) -> None:
    result = decide("timing", {"response_time": written}, took(None))  # case: promptfoo/promptfoo#10605

    assert result.verdict is Verdict.ERROR
    assert result.reason == "no response time was measured (a replayed or cached answer, or no reply)"


def test_a_failed_check_says_the_times(decide: Decide) -> None:
    result = decide("timing", {"responseTime": {"lte": 5000}}, took(6000.4))

    assert (result.check, result.expected, result.actual) == ("response_time: lte 5000", "lte 5000 ms", "6000.4 ms")


def test_a_time_is_compared_with_numbers_only(faults_of: Callable[..., list[str]]) -> None:
    assert faults_of(CHECK, {"response_time": {"matches": "5"}}) != []
    assert faults_of(CHECK, {"response_time": {"lte": "5000"}}) == [
        "response_time.lte: 'lte' must be a number, not a text ('5000'); None"
    ]
    assert faults_of(CHECK, {}) == [": the timing check has no 'response_time'; None"]
