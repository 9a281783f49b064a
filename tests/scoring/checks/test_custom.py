"""Functions that score a conversation: what they are given, and what becomes of what they give back."""

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from audition.evals import Reference, Scenario, ToolCallReference, Turn
from audition.results import Verdict
from audition.transcript import Exchange, Reply, State, ToolCall

READ = ToolCall(name="get", arguments={"room": "hall"}, result={"celsius": 18})
SPOKEN = Exchange(
    user="Hall?", tool_calls=(READ,), replies=(Reply(text="18"), Reply(text="Bye")), state=State(bot={"n": [1]})
)
WRITTEN = Turn(
    user="Hall?",
    reference=Reference(response="It is 18.", tool_calls=(ToolCallReference(name="get", arguments={"room": "hall"}),)),
)

Judged = Callable[..., Any]


@pytest.fixture
def judged(asked, monkeypatch: pytest.MonkeyPatch) -> Judged:
    """Return what becomes of a custom check whose function is the one given."""
    module = ModuleType("metrics_of_a_test")
    monkeypatch.setitem(sys.modules, module.__name__, module)

    def result(function: object, *exchanges: Exchange, scenario: Scenario | None = None, **spec: object):
        module.function = function
        written = {"function": "metrics_of_a_test.function", **spec}
        return asked.result(
            "custom", written, exchanges or (SPOKEN,), turns=[WRITTEN] * (len(exchanges) or 1), scenario=scenario
        )

    return result


@pytest.mark.parametrize(
    ("returned", "threshold", "verdict", "score"),
    [
        (True, None, Verdict.PASS, 1.0),
        (False, None, Verdict.FAIL, 0.0),
        (False, 0.0, Verdict.FAIL, 0.0),
        (0.7, 0.7, Verdict.PASS, 0.7),
        (0.7 - 1e-12, 0.7, Verdict.PASS, 0.7),
        (0.6, 0.7, Verdict.FAIL, 0.6),
        (3, 2, Verdict.PASS, 3.0),
    ],
)
def test_a_yes_a_no_and_a_number_decide(judged: Judged, returned, threshold, verdict, score) -> None:
    result = judged(lambda conversation: returned, **({} if threshold is None else {"threshold": threshold}))

    assert (result.verdict, result.threshold) == (verdict, threshold)
    assert result.score == pytest.approx(score)


def test_a_function_of_one_argument_gets_plain_data_of_its_own(judged: Judged) -> None:
    given = []

    def metric(conversation):
        given.append(conversation)
        conversation["turns"][0]["state"]["bot"]["n"].append(2)
        conversation["turns"][0]["tool_calls"][0]["arguments"].clear()
        return True

    judged(metric)
    judged(metric)

    assert given[0]["scenario"] is None
    assert given[0]["turns"][0]["response"] == "18\nBye"
    assert given[0]["turns"][0]["reference"]["response"] == "It is 18."
    assert SPOKEN.state == State(bot={"n": [1]})
    assert READ.arguments == {"room": "hall"}


def test_plain_data_holds_all_that_was_seen(judged: Judged) -> None:
    given = []

    judged(lambda conversation: given.append(conversation) or True)

    assert given[0]["turns"] == [
        {
            "user": "Hall?",
            "event": None,
            "response": "18\nBye",
            "tool_calls": [{"name": "get", "arguments": {"room": "hall"}, "result": {"celsius": 18}, "error": None}],
            "state": {"bot": {"n": [1]}, "user": {}, "conversation": {}},
            "reference": {
                "response": "It is 18.",
                "tool_calls": [{"name": "get", "arguments": {"room": "hall"}}],
            },
        }
    ]


def test_a_conversation_by_scenario_has_no_references(judged: Judged) -> None:
    given = []

    judged(
        lambda conversation: given.append(conversation) or True, scenario=Scenario(starting_prompt="Hall?", plan="Ask.")
    )

    assert given[0]["scenario"] == {"starting_prompt": "Hall?", "plan": "Ask."}
    assert given[0]["turns"][0]["reference"] is None


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda conversation: 0.5, "no 'threshold' says what passes"),
        (lambda conversation: float("nan"), "returned nan, which is no score"),
        (lambda conversation: None, "returned NoneType, expected a number, True or False"),
        (lambda conversation: "yes", "returned str, expected"),
        (lambda conversation: {"overall_score": 1}, "returned dict, expected"),
        (lambda conversation: conversation["nothing"], "KeyError: 'nothing'"),
        (lambda one, two: True, "expected one argument, or the four of an ADK metric"),
        (lambda: True, "expected one argument, or the four of an ADK metric"),
        ("no function", "has no function called 'function'"),
    ],
    ids=["no threshold", "nan", "nothing", "text", "dict", "raises", "two arguments", "no argument", "no function"],
)
def test_what_says_nothing_is_an_error_and_no_pass(judged: Judged, function, reason) -> None:
    result = judged(function)

    assert result.verdict is Verdict.ERROR
    assert reason in result.reason


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("no_such_module_of_a_test.metric", "ModuleNotFoundError"),
        ("metric", "names no function: write package.module.function"),
    ],
)
def test_a_function_that_is_not_there_is_an_error(asked, function, reason) -> None:
    result = asked.result("custom", {"function": function}, [SPOKEN])

    assert result.verdict is Verdict.ERROR
    assert reason in result.reason


async def _at_once(conversation):
    return 1.0


async def _later(conversation):
    await _Never()


class _Never:
    def __await__(self):
        yield


def test_an_async_function_may_come_to_its_end_but_not_wait(judged: Judged) -> None:
    ended, waited = judged(_at_once, threshold=1), judged(_later, threshold=1)

    assert ended.verdict is Verdict.PASS
    assert waited.verdict is Verdict.ERROR
    assert "has to be synchronous" in waited.reason


def status(name: object, score: float | None = None, *scores: float | None) -> Callable[..., object]:
    """Return an ADK metric that ends with a status."""
    turns = [SimpleNamespace(score=one) for one in scores]
    result = SimpleNamespace(overall_score=score, overall_eval_status=name, per_invocation_results=turns)
    return lambda eval_metric, actual_invocations, expected_invocations, conversation_scenario: result


# ADK lets a case pass whose metric gave no status, or crashed.
@pytest.mark.parametrize(
    ("given", "verdict", "score"),
    [
        (SimpleNamespace(name="PASSED"), Verdict.PASS, 0.4),
        ("FAILED", Verdict.FAIL, 0.9),
        (1, Verdict.PASS, 0.9),
        (2, Verdict.FAIL, 0.9),
        (SimpleNamespace(name="NOT_EVALUATED"), Verdict.ERROR, 0.9),
        (SimpleNamespace(name="NOT_EVALUATED"), Verdict.ERROR, None),
        (4, Verdict.SKIP, 12.0),
        (7, Verdict.ERROR, None),
        ("GREAT", Verdict.ERROR, 0.9),
    ],
)
def test_the_status_of_an_adk_metric_decides(judged: Judged, given, verdict, score) -> None:
    result = judged(status(given, score), threshold=0.5)

    assert (result.verdict, result.score) == (verdict, score)


def test_an_adk_metric_scores_turns_when_there_is_one_for_each(judged: Judged) -> None:
    each = judged(status("PASSED", 0.5, 0.25, None), SPOKEN, SPOKEN, threshold=0.5)
    fewer = judged(status("PASSED", 0.5, 0.25), SPOKEN, SPOKEN, threshold=0.5)

    assert (each.turn_scores, fewer.turn_scores) == ((0.25, None), ())


@pytest.mark.parity
def test_a_metric_may_answer_with_adks_own_types(judged: Judged) -> None:
    evaluator = pytest.importorskip("google.adk.evaluation.evaluator")

    def metric(eval_metric, actual_invocations, expected_invocations=None, conversation_scenario=None):
        assert eval_metric.criterion.threshold == 0.5
        turns = [evaluator.PerInvocationResult(actual_invocation=one, score=0.75) for one in actual_invocations]
        return evaluator.EvaluationResult(
            overall_score=0.75, overall_eval_status=evaluator.EvalStatus.PASSED, per_invocation_results=turns
        )

    result = judged(metric, threshold=0.5)

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.PASS, 0.75, (0.75,))
