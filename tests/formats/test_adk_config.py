"""ADK's eval configs: which checks their criteria become, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from audition.documents.shape import Faults
from audition.evals import Check, Eval, Scenario, Turn
from audition.formats.adk import Config, ConfigReading, default_config, read_config, with_criteria
from audition.scoring.checks import CATEGORIES


@pytest.fixture
def reading(tmp_path: Path) -> Any:
    """Return a function that reads a config."""

    def read(content: object, **how: bool) -> ConfigReading:
        path = tmp_path / "test_config.json"
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        return read_config(path, **how)

    return read


@pytest.fixture
def config(reading: Any) -> Any:
    """Return a function that makes the config of some criteria, which must have no fault."""

    def make(criteria: dict[str, object], **more: object) -> Config:
        found = reading({"criteria": criteria, **more}, allow_code=True)
        assert [str(fault) for fault in found.faults] == []
        made: Config = found.config
        return made

    return make


def checks_of(config: Config, one: Eval | None = None) -> list[Check]:
    (found,) = with_criteria([one or Eval(name="a", turns=(Turn(user="hi"),))], config)
    return [check for check in found.outcome if check.category != "measure"]


def rubric(id: str, text: str = "is short", type: str | None = None) -> dict[str, object]:
    written: dict[str, object] = {"rubric_id": id, "rubric_content": {"text_property": text}}
    return written if type is None else {**written, "type": type}


OURS = {"id": "r", "text": "is short"}
QUALITY = "rubric_based_final_response_quality_v1"
JUDGED = {"threshold": 0.5, "judgeModelOptions": {"judgeModel": "gpt-4o", "numSamples": 3}}


@pytest.mark.parametrize(
    ("name", "criterion", "category", "spec"),
    [
        (
            "tool_trajectory_avg_score",
            1,
            "trajectory",
            {"threshold": 1.0, "match_type": "EXACT", "ignore_args": False},
        ),
        (
            "tool_trajectory_avg_score",
            {"threshold": 1.0, "matchType": "in-order", "ignoreArgs": True},
            "trajectory",
            {"threshold": 1.0, "match_type": "IN_ORDER", "ignore_args": True},
        ),
        (
            "tool_trajectory_avg_score",
            {"threshold": 0.5, "match_type": 2, "args": {"f": "subset"}, "graded": True},
            "trajectory",
            {"threshold": 0.5, "match_type": "ANY_ORDER", "args": {"f": "subset"}, "graded": True},
        ),
        ("response_match_score", "0.6", "overlap", {"threshold": 0.6}),
        ("response_match_score", True, "overlap", {"threshold": 1.0}),
        ("final_response_match_v2", 0.8, "reference_match", {"threshold": 0.8, "samples": 5}),
        ("final_response_match_v2", JUDGED, "reference_match", {"threshold": 0.5, "samples": 3}),
        (
            QUALITY,
            {**JUDGED, "rubrics": [rubric("r")]},
            "rubric",
            {"about": "response", "rubrics": [OURS], "threshold": 0.5, "samples": 3},
        ),
        (
            "rubric_based_tool_use_quality_v1",
            {"threshold": 1.0, "rubrics": [rubric("r", type="anything")]},
            "rubric",
            {"about": "tools", "rubrics": [OURS], "threshold": 1.0, "samples": 5},
        ),
        (
            "rubric_based_multi_turn_trajectory_quality_v1",
            {"threshold": 1.0, "rubrics": [rubric("r")]},
            "rubric",
            {"about": "conversation", "rubrics": [OURS], "threshold": 1.0, "samples": 5},
        ),
        (
            "hallucinations_v1",
            {"threshold": 0.5, "evaluate_intermediate_nl_responses": True},
            "grounding",
            {"threshold": 0.5, "intermediate": True},
        ),
        ("hallucinations_v1", 0.5, "grounding", {"threshold": 0.5, "intermediate": False}),
        ("per_turn_user_simulator_quality_v1", 1.0, "simulated_user", {"threshold": 1.0, "samples": 5}),
    ],
    ids=str,
)
def test_a_criterion_is_a_check(
    config: Any, name: str, criterion: object, category: str, spec: dict[str, object]
) -> None:
    (check,) = checks_of(config({name: criterion}))

    assert (check.category, check.spec) == (category, {"metric": name, **spec})


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("safety_v1", "response"),
        ("response_evaluation_score", "response"),
        ("multi_turn_task_success_v1", "conversation"),
        ("multi_turn_trajectory_quality_v1", "conversation"),
        ("multi_turn_tool_use_quality_v1", "conversation"),
    ],
)
def test_what_vertex_decides_in_adk_our_judge_decides_and_that_is_said(reading: Any, name: str, about: str) -> None:
    found = reading({"criteria": {name: 1.0}})

    (check,) = checks_of(found.config)
    assert (check.category, check.spec["about"]) == ("rubric", about)
    assert "in ADK Vertex AI decides this; here it is our judge" in found.warnings[0]


def test_a_grade_from_one_to_five_becomes_a_share(config: Any) -> None:
    (check,) = checks_of(config({"response_evaluation_score": 3}))

    assert check.spec["threshold"] == 0.5


EVERY = {
    "tool_trajectory_avg_score": {"threshold": 1.0, "params": {"f": {"q": {"contains": "x"}}}},
    "response_match_score": 0.8,
    "final_response_match_v2": 1.0,
    QUALITY: {"threshold": 1.0, "rubrics": [rubric("r")]},
    "rubric_based_tool_use_quality_v1": {"threshold": 1.0, "rubrics": [rubric("r")]},
    "rubric_based_multi_turn_trajectory_quality_v1": {"threshold": 1.0, "rubrics": [rubric("r")]},
    "hallucinations_v1": 1.0,
    "per_turn_user_simulator_quality_v1": 1.0,
    "safety_v1": 1.0,
    "multi_turn_task_success_v1": 1.0,
    "multi_turn_trajectory_quality_v1": 1.0,
    "multi_turn_tool_use_quality_v1": 1.0,
    "response_evaluation_score": 4,
    "mine": 0.5,
}


def test_every_check_is_one_that_could_have_been_written(config: Any) -> None:
    made = config(EVERY, custom_metrics={"mine": {"code_config": {"name": "math.floor"}}})
    (one,) = with_criteria([Eval(name="a")], made)
    faults = Faults()

    read = [CATEGORIES.get(check.category).CHECK.read(check.spec, (), faults) for check in one.outcome]

    assert faults.found == []
    assert read == [check.spec for check in one.outcome]


def test_what_is_always_measured_comes_last(config: Any) -> None:
    (one,) = with_criteria([Eval(name="a")], config({"response_match_score": 0.8}))

    assert [check.spec for check in one.outcome[1:]] == [
        {"metric": "tool_call_count_v1", "measure": "tool_calls"},
        {"metric": "inference_call_count_v1", "measure": "model_calls"},
        {"metric": "token_usage_v1", "measure": "tokens"},
        {"metric": "invocation_duration_v1", "measure": "duration_s"},
    ]


def test_rubrics_of_the_case_and_of_every_turn_join_the_criterion_of_their_type(config: Any) -> None:
    fitting, other = "FINAL_RESPONSE_QUALITY", "TOOL_USE_QUALITY"
    turns = (
        Turn(user="a", extra={"rubrics": [rubric("t0", type=fitting)]}),
        Turn(user="b"),
        Turn(user="c", extra={"rubrics": [rubric("t2", type=fitting), rubric("x", type=other)]}),
    )
    one = Eval(name="a", turns=turns, extra={"rubrics": [rubric("c", type=fitting), rubric("y")]})

    (check,) = checks_of(config({QUALITY: {"threshold": 1.0, "rubrics": [rubric("r")]}}), one)

    assert check.spec["rubrics"] == [OURS, {"id": "c", "text": "is short"}]
    assert check.spec["turns"] == {
        "0": [{"id": "t0", "text": "is short"}],
        "2": [{"id": "t2", "text": "is short"}],
    }


@pytest.mark.parametrize(("written", "expected"), [(5, 5), (-1, None), (None, 20)], ids=["five", "no_limit", "usual"])
def test_a_simulated_user_goes_on_as_long_as_the_config_says(
    config: Any, written: int | None, expected: int | None
) -> None:
    simulator = {} if written is None else {"maxAllowedInvocations": written}
    made = config({"safety_v1": 1.0}, userSimulatorConfig={"model": "gpt-4o", **simulator})
    one = Eval(name="a", scenario=Scenario(starting_prompt="Hi", plan="Ask."))

    (found,) = with_criteria([one], made)

    assert found.scenario is not None
    assert found.scenario.max_turns == expected
    assert made.user_model == "gpt-4o"


def test_the_judge_that_is_named_is_told(config: Any) -> None:
    assert config({"final_response_match_v2": JUDGED}).judge_model == "gpt-4o"
    assert default_config().judge_model is None


@pytest.mark.parametrize(
    ("content", "path", "expected"),
    [
        (
            {"criteria": {"response_match_scor": 1}},
            "criteria.response_match_scor",
            "did you mean 'response_match_score'?",
        ),
        ({"criterias": {}}, "criterias", "did you mean 'criteria'?"),
        ({"response_match_score": 0.8}, "response_match_score", "put it in 'criteria'"),
        (
            {"criteria": {"tool_trajectory_avg_score": {"threshold": 1, "match_typ": "EXACT"}}},
            "criteria.tool_trajectory_avg_score.match_typ",
            "did you mean 'match_type'?",
        ),
        (
            {"criteria": {"tool_trajectory_avg_score": {"threshold": 1, "match_type": "INORDER"}}},
            "criteria.tool_trajectory_avg_score.match_type",
            "did you mean 'IN_ORDER'?",
        ),
        (
            {"criteria": {"tool_trajectory_avg_score": {"threshold": 1, "match_type": "1"}}},
            "criteria.tool_trajectory_avg_score.match_type",
            "must be one of EXACT, IN_ORDER, ANY_ORDER, not '1'",
        ),
        ({"criteria": {"tool_trajectory_avg_score": {"match_type": "EXACT"}}}, "criteria.tool_", "has no 'threshold'"),
        ({"criteria": {"response_match_score": None}}, "criteria.response_match_score", "a number is expected"),
        ({"criteria": {"response_match_score": -3}}, "criteria.response_match_score", "must be from 0 to 1, not -3"),
        ({"criteria": {"response_match_score": "high"}}, "criteria.response_match_score", "a number is expected"),
        (
            {"criteria": {"final_response_match_v2": {"threshold": 1, "judge_model_options": {"num_samples": 0}}}},
            "criteria.final_response_match_v2.judge_model_options.num_samples",
            "must be from 1 to 100, not 0",
        ),
        ({"criteria": {"token_usage_v1": 100}}, "criteria.token_usage_v1", "only tells, and takes no threshold"),
        (
            {"criteria": {QUALITY: {"threshold": 1, "rubrics": [rubric("r"), rubric("r", "is kind")]}}},
            f"criteria.{QUALITY}.rubrics[1]",
            "the rubric_id 'r' is given twice",
        ),
        (
            {"criteria": {"mine": 1}, "custom_metrics": {"mine": {"code_config": {"name": "a.b"}}}},
            "criteria.mine",
            "--allow-code allows it",
        ),
        ({"criteria": {"mine": 1}, "custom_metrics": {"mine": {}}}, "custom_metrics.mine", "has no 'code_config'"),
        ({"user_simulator_config": {"type": "llm_bakced"}}, "user_simulator_config.type", "did you mean 'llm_backed'?"),
        ({"user_simulator_config": {"max_allowed_invocations": 0}}, "user_simulator_config.max_", "at least one turn"),
        ([], "", "an object is expected (eval config), not a list"),
    ],
    ids=str,
)
def test_a_slip_in_a_config_is_a_fault(reading: Any, content: object, path: str, expected: str) -> None:
    faults = [fault for fault in reading(content).faults if fault.message.startswith(path)]

    assert len(faults) == 1
    assert expected in str(faults[0])


def test_a_config_that_is_named_must_be_there(tmp_path: Path) -> None:
    (fault,) = read_config(tmp_path / "missing.json").faults

    assert fault.message == "the file cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({}, "the config names no criteria"),
        (
            {"criteria": {"response_match_score": {"threshold": 1, "include_intermediate_responses_in_final": True}}},
            "'include_intermediate_responses_in_final' changes nothing",
        ),
        (
            {
                "criteria": {
                    "final_response_match_v2": {"threshold": 1, "judge_model_options": {"parallelism_limit": 3}}
                }
            },
            "'parallelism_limit' is not used",
        ),
        (
            {
                "criteria": {
                    "final_response_match_v2": JUDGED,
                    "hallucinations_v1": {"threshold": 1, "judge_model_options": {"judge_model": "other"}},
                }
            },
            "one judge judges all criteria: 'gpt-4o', and not 'other'",
        ),
        (
            {"criteria": {"safety_v1": 1}, "custom_metrics": {"mine": {"code_config": {"name": "a.b"}}}},
            "no criterion uses the custom metric 'mine'",
        ),
        ({"live_model_config": {"timeout_seconds": 300}}, "'live_model_config' is not used"),
        ({"user_simulator_config": {"type": "llm_audio"}}, "audio is not made"),
        ({"user_simulator_config": {"custom_instructions": "x"}}, "'custom_instructions' is not used"),
    ],
    ids=["no_criteria", "intermediate", "parallelism", "two_judges", "unused_metric", "live", "audio", "instructions"],
)
def test_what_changes_nothing_is_told(reading: Any, content: object, expected: str) -> None:
    found = reading(content)

    assert found.faults == ()
    assert expected in "\n".join(found.warnings)
