"""The result files that `adk web` reads."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audition.evals import Check, Eval, Reference, Setup, ToolCallReference, Turn
from audition.results import CheckResult, TrialResult, Verdict
from audition.store.adk_history import SUFFIX, CaseRun, file_name, metrics_of, set_result
from audition.transcript import Exchange, Reply, ToolCall, Transcript

TRAJECTORY = Check(category="trajectory", spec={"metric": "tool_trajectory_avg_score"})
CALLS = Check(category="measure", spec={"metric": "tool_call_count_v1"})

EVAL = Eval(
    name="set/lights",
    setup=Setup(session={"app_name": "home", "user_id": "ann"}),
    turns=(
        Turn(
            user="Light on",
            reference=Reference(
                response="It is on.", tool_calls=(ToolCallReference(name="switch", arguments={"on": 1}),)
            ),
        ),
    ),
    outcome=(TRAJECTORY, CALLS),
)
EXCHANGE = Exchange(
    user="Light on",
    replies=(Reply(text="Done."),),
    tool_calls=(ToolCall(name="switch", arguments={"on": 0}, result="off"),),
    response_ms=1500.0,
)
HELD = CheckResult(
    category="trajectory",
    check="…",
    verdict=Verdict.FAIL,
    score=0.0,
    threshold=1.0,
    turn_scores=(0.0,),
    reason="on is 0",
)
COUNTED = CheckResult(category="measure", check="…", verdict=Verdict.SKIP, score=1.0, turn_scores=(1.0,))
RESULT = TrialResult(
    eval_name="set/lights",
    verdict=Verdict.FAIL,
    checks=(HELD, COUNTED),
    transcript=Transcript(exchanges=(EXCHANGE,)),
)
CASE = CaseRun(set_id="set", eval_id="lights", eval=EVAL, result=RESULT)


def written(*cases: CaseRun) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads("".join(set_result("home", "set", cases, created_at_s=12.5)))
    return whole


def test_a_file_holds_the_set_and_its_cases() -> None:
    whole = written(CASE)

    (case,) = whole.pop("eval_case_results")
    assert whole == {
        "eval_set_result_id": "home_set_12.500000",
        "eval_set_result_name": "home_set_12.500000",
        "eval_set_id": "set",
        "creation_timestamp": 12.5,
    }
    assert (case["eval_set_id"], case["eval_id"], case["user_id"]) == ("set", "lights", "ann")
    assert case["final_eval_status"] == 2


def test_criteria_stand_by_the_names_that_adk_has_for_them_and_say_why_they_failed() -> None:
    trajectory, calls = written(CASE)["eval_case_results"][0]["overall_eval_metric_results"]

    assert trajectory == {
        "metric_name": "tool_trajectory_avg_score",
        "eval_status": 2,
        "threshold": 1.0,
        "score": 0.0,
        "details": {"rubric_scores": [{"rubric_id": "reason", "rationale": "on is 0"}]},
    }
    assert calls == {"metric_name": "tool_call_count_v1", "eval_status": 4, "score": 1.0}


def test_a_turn_holds_what_happened_beside_what_was_expected() -> None:
    (turn,) = written(CASE)["eval_case_results"][0]["eval_metric_result_per_invocation"]

    assert turn["actual_invocation"] == {
        "invocation_id": "turn-1",
        "user_content": {"role": "user", "parts": [{"text": "Light on"}]},
        "intermediate_data": {
            "tool_uses": [{"name": "switch", "args": {"on": 0}}],
            "tool_responses": [{"name": "switch", "response": {"result": "off"}}],
        },
        "final_response": {"role": "model", "parts": [{"text": "Done."}]},
        "duration": 1.5,
    }
    assert turn["expected_invocation"]["final_response"]["parts"] == [{"text": "It is on."}]
    assert turn["expected_invocation"]["intermediate_data"] == {"tool_uses": [{"name": "switch", "args": {"on": 1}}]}
    assert [one["eval_status"] for one in turn["eval_metric_results"]] == [2, 4]


def test_an_agent_that_crashed_is_told_with_its_reason() -> None:
    crash = CheckResult(category="agent", check="finishes the turn", verdict=Verdict.FAIL, turn=0, reason="boom")
    unseen = replace(HELD, verdict=Verdict.ERROR, score=None, turn_scores=(), reason="the turn did not finish")
    result = replace(RESULT, checks=(crash, unseen, replace(unseen, category="measure")))

    metrics = metrics_of(replace(CASE, result=result))

    assert [(one.name, one.status) for one in metrics] == [
        ("tool_trajectory_avg_score", "NOT_EVALUATED"),
        ("tool_call_count_v1", "NOT_EVALUATED"),
        ("agent", "FAILED"),
    ]


def test_a_turn_is_held_against_the_threshold_by_its_own_score() -> None:
    held = replace(HELD, verdict=Verdict.PASS, score=0.5, threshold=0.5, turn_scores=(1.0, 0.0, None))
    (metric, _) = metrics_of(replace(CASE, result=replace(RESULT, checks=(held, COUNTED))))

    assert [metric.turn_status(turn) for turn in range(4)] == ["PASSED", "FAILED", "NOT_EVALUATED", "NOT_EVALUATED"]


# case: google/adk-python#5039
@pytest.mark.parametrize(
    "set_id", ["../../etc/passwd", "/home/someone/eval.test.json", "C:\\x", "x\0", "..", "", "ü b", "a" * 300]
)
def test_whatever_an_id_holds_the_file_has_a_name_and_no_path(set_id: str) -> None:
    name = file_name("home", set_id, 1.0)

    assert Path(name).name == name
    assert name.removesuffix(SUFFIX).replace(".", "").replace("_", "").replace("-", "").isascii()
    assert "\0" not in name
    assert len(name) < 255
    assert name.endswith(f"_1.000000{SUFFIX}")
