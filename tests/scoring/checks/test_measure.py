"""Measure checks: what is counted, that nothing is judged without a bound, and what is not known."""

from collections.abc import Callable

import pytest

from audition.evals import Check, Eval, Turn
from audition.results import CheckResult, Verdict, roll_up
from audition.scoring.checks import measure
from audition.scoring.score import score
from audition.transcript import Exchange, ToolCall, Transcript, Usage

CALL = ToolCall(name="search")
BUSY = Exchange(
    user="hi",
    tool_calls=(CALL, CALL, ToolCall(name="look_up", within="expert")),
    usage=Usage(calls=3, input_tokens=30, output_tokens=10),
    response_ms=1500,
)
QUIET = Exchange(user="hi", usage=Usage(calls=1, input_tokens=40, output_tokens=4), response_ms=500)
UNKNOWN = Exchange(user="hi")


def measured(spec: dict[str, object], *exchanges: Exchange, observes: tuple[str, ...] | None = None) -> CheckResult:
    """Return what a measure check of the outcome comes to."""
    check = Check(category="measure", spec=spec)
    turns = tuple(Turn(user="hi", response_optional=True) for _ in exchanges)
    transcript = Transcript(exchanges=exchanges, observes=observes)
    result = score(Eval(name="e", turns=turns, outcome=(check,)), transcript, judge_pass_threshold=3)[-1]
    assert isinstance(result, CheckResult)
    return result


@pytest.mark.parametrize(
    ("name", "scores", "mean"),
    [
        # calls inside an agent that was a tool are that tool's doing
        ("tool_calls", (2.0, 0.0), 1.0),
        ("model_calls", (3.0, 1.0), 2.0),
        # case: google/adk-python#6725: 40 and 44
        ("tokens", (40.0, 44.0), 42.0),
        ("duration_s", (1.5, 0.5), 1.0),
    ],
)
def test_a_measure_without_a_bound_is_told_and_not_judged(name: str, scores: tuple[float, ...], mean: float) -> None:
    result = measured({"measure": name}, BUSY, QUIET)

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.SKIP, mean, scores)
    assert result.reason == f"mean {mean:g}"


@pytest.mark.parametrize("name", ["model_calls", "tokens", "duration_s"])
def test_what_is_not_known_is_not_zero(name: str) -> None:
    result = measured({"measure": name}, UNKNOWN)

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.SKIP, None, (None,))


def test_tokens_of_one_kind_alone_are_not_known() -> None:
    assert measured({"measure": "tokens"}, Exchange(user="hi", usage=Usage(input_tokens=4))).score is None


def test_tool_calls_that_nobody_could_see_are_not_known() -> None:
    assert measured({"measure": "tool_calls"}, UNKNOWN, observes=("replies",)).score is None
    assert measured({"measure": "tool_calls"}, UNKNOWN, observes=("replies", "tools")).score == 0


def test_the_mean_is_over_the_turns_that_are_known() -> None:
    assert measured({"measure": "tokens"}, BUSY, UNKNOWN).score == 40


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        ({"lte": 1}, Verdict.PASS),
        ({"lte": 0.5}, Verdict.FAIL),
        ({"gte": 1, "lte": 5}, Verdict.PASS),
        ({"gte": 2}, Verdict.FAIL),
    ],
)
def test_with_a_bound_it_is_a_check(bound: dict[str, object], verdict: Verdict) -> None:
    result = measured({"measure": "tool_calls"} | bound, BUSY, QUIET)

    assert (result.verdict, result.actual, result.score) == (verdict, "mean 1", 1.0)


def test_a_bound_on_what_is_not_known_of_every_turn_cannot_be_judged() -> None:
    result = measured({"measure": "tokens", "lte": 1000}, BUSY, UNKNOWN)

    assert (result.verdict, result.reason) == (Verdict.ERROR, "tokens is not known of every turn")


def test_measures_alone_evaluate_nothing() -> None:
    assert roll_up([measured({"measure": "tokens"}, BUSY).verdict]) is Verdict.ERROR


def test_a_measure_that_nobody_knows_is_refused(faults_of: Callable[..., list[str]]) -> None:
    (fault,) = faults_of(measure.CHECK, {"measure": "tool_call"})

    assert "did you mean 'tool_calls'?" in fault
