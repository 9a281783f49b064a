"""Eval sets of ADK's as files: which are read, what is in them, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import pytest

from audition.evals import Eval, ToolCallReference
from audition.formats import gather
from audition.formats.adk import config_beside, default_config, eval_set_of, read, read_cases, read_with_config


def turn(text: str = "hi", **more: object) -> dict[str, object]:
    return {"user_content": {"role": "user", "parts": [{"text": text}]}, **more}


def said(text: str) -> dict[str, object]:
    return {"role": "model", "parts": [{"text": text}]}


def case(eval_id: str = "c1", *turns: dict[str, object], **more: object) -> dict[str, object]:
    return {"eval_id": eval_id, "conversation": list(turns) or [turn()], **more}


def eval_set(*cases: dict[str, object], **more: object) -> dict[str, object]:
    return {"eval_set_id": "s", "eval_cases": list(cases), **more}


@pytest.fixture
def put(tmp_path: Path) -> Any:
    """Return a function that writes a file of JSON and returns its path."""

    def write(content: object, name: str = "s.evalset.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
        return path

    return write


def evals_in(path: Path) -> tuple[Eval, ...]:
    reading = read_cases(path)
    assert [str(fault) for fault in reading.faults] == []
    return reading.evals


def messages(path: Path) -> list[str]:
    return [fault.message for fault in read_cases(path).faults]


# Which files


@pytest.mark.parametrize("name", ["s.evalset.json", "s.test.json", "S.TEST.JSON", "whatever.json"])
def test_a_file_is_known_by_what_is_in_it(put: Any, name: str) -> None:
    path = put(eval_set(case()), name)

    assert [one.name for one in gather([path]).suite.evals] == ["c1"]


def test_a_folder_is_searched_for_the_two_usual_names_alone(put: Any, tmp_path: Path) -> None:
    put(eval_set(case("a")), "a.evalset.json")
    put(eval_set(case("b")), "b.test.json")
    put(eval_set(case("c")), "c.json")

    assert [one.name for one in gather([tmp_path]).suite.evals] == ["a", "b"]


def test_files_of_our_own_keep_their_name(put: Any) -> None:
    path = put({"name": "mine", "conversation": [{"user": "hi", "expectSilence": True}]}, "mine.eval.json")

    assert [one.name for one in gather([path]).suite.evals] == ["mine"]


def test_a_byte_order_mark_is_no_error(put: Any) -> None:
    path = put(eval_set(case()))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())

    assert len(evals_in(path)) == 1


def test_the_same_id_in_two_files_is_reported_with_both_places(put: Any, tmp_path: Path) -> None:
    put(eval_set(case()), "a.test.json")
    put(eval_set(case()), "b.test.json")

    (fault,) = gather([tmp_path]).faults

    assert "'c1' is taken" in fault.message
    assert "a.test.json" in fault.message
    assert "b.test.json" in str(fault.where)


# What is in them


def test_keys_may_be_in_camel_case_below_the_set_itself(put: Any) -> None:
    snake = case(
        "c1",
        turn(final_response=said("yes"), intermediate_data={"tool_uses": [{"name": "f", "args": {"a_b": 1}}]}),
        session_input={"app_name": "a", "user_id": "u"},
    )
    camel = {
        "evalId": "c1",
        "conversation": [
            {
                "userContent": {"role": "user", "parts": [{"text": "hi"}]},
                "finalResponse": said("yes"),
                "intermediateData": {"toolUses": [{"name": "f", "args": {"a_b": 1}}]},
            }
        ],
        "sessionInput": {"appName": "a", "userId": "u"},
    }

    (one,), (other,) = evals_in(put(eval_set(snake))), evals_in(put(eval_set(camel)))

    assert (one.turns[0].user, one.turns[0].reference) == (other.turns[0].user, other.turns[0].reference)
    assert one.setup == other.setup


def test_thoughts_are_no_part_of_what_is_said(put: Any) -> None:
    # case: google/adk-python#7091
    parts = [{"text": "Let me think.", "thought": True}, {"text": "The answer"}, {"text": "is 42"}]
    path = put(eval_set(case("c1", turn(final_response={"role": "model", "parts": parts}))))

    (one,) = evals_in(path)

    assert one.turns[0].reference is not None
    assert one.turns[0].reference.response == "The answer\nis 42"


@pytest.mark.parametrize("args", [{}, None, "left out"], ids=["empty", "null", "left_out"])
def test_a_call_without_arguments_has_none_however_that_is_written(put: Any, args: object) -> None:
    # case: microsoft/agent-framework#8609
    call = {"name": "f"} if args == "left out" else {"name": "f", "args": args}
    path = put(eval_set(case("c1", turn(intermediate_data={"tool_uses": [call]}))))

    (one,) = evals_in(path)

    assert one.turns[0].reference is not None
    assert one.turns[0].reference.tool_calls == (ToolCallReference(name="f", arguments={}),)


def test_calls_are_read_from_events_as_well(put: Any) -> None:
    # case: google/adk-python#5410
    call = {"function_call": {"id": "adk-1", "name": "run_sql", "args": {"query": "select 1"}}}
    response = {"function_response": {"id": "adk-1", "name": "run_sql", "response": {"rows": [[1]]}}}
    events = [
        {"author": "root", "content": {"role": "model", "parts": [{"text": "Checking."}, call]}, "invocationIndex": 0},
        {"author": "root", "content": {"role": "user", "parts": [response]}},
    ]
    path = put(eval_set(case("c1", turn(intermediate_data={"invocation_events": events}))))

    (one,) = evals_in(path)

    assert one.turns[0].reference is not None
    assert one.turns[0].reference.tool_calls == (ToolCallReference(name="run_sql", arguments={"query": "select 1"}),)


def test_nothing_said_of_calls_is_not_the_same_as_no_calls(put: Any) -> None:
    path = put(eval_set(case("c1", turn(final_response=said("a"), intermediate_data=None), turn(intermediate_data={}))))

    (one,) = evals_in(path)

    assert [one.turns[0].reference.tool_calls, one.turns[1].reference.tool_calls] == [None, ()]  # type: ignore[union-attr]  # both have one


def test_state_is_seeded_by_scope_and_its_end_is_checked(put: Any) -> None:
    session = {"app_name": "home", "user_id": "", "state": {"user:name": "Ann", "app:mode": "eco", "n": 1}}
    path = put(eval_set(case("c1", session_input=session, final_session_state={"user:name": "Bob", "a.b": None})))

    (one,) = evals_in(path)

    assert one.setup.session == {"app_name": "home", "user_id": ""}
    assert (one.setup.state.user, one.setup.state.bot) == ({"name": "Ann"}, {"mode": "eco"})
    assert one.setup.state.conversation == {"n": 1}
    assert [(check.category, check.spec) for check in one.outcome] == [
        ("state", {"path": "user.name", "equals": "Bob"}),
        ("state", {"path": "conversation.a.b", "equals": None}),
    ]


@pytest.mark.parametrize("persona", ["EXPERT", None])
def test_a_scenario_has_no_turns(put: Any, persona: str | None) -> None:
    scenario = {"starting_prompt": "Hello", "conversation_plan": "Ask for the time.", "user_persona": persona}
    path = put(eval_set({"eval_id": "c1", "conversation_scenario": scenario}))

    (one,) = evals_in(path)

    assert one.turns == ()
    assert one.scenario is not None
    assert (one.scenario.starting_prompt, one.scenario.persona, one.scenario.max_turns) == ("Hello", persona, 20)


def test_a_persona_may_be_described(put: Any) -> None:
    behavior = {
        "name": "asks back",
        "description": "Asks back.",
        "behavior_instructions": ["Ask why."],
        "violation_rubrics": [],
    }
    persona = {"id": "curious", "description": "Wants to know.", "behaviors": [behavior]}
    scenario = {"starting_prompt": "Hello", "conversation_plan": "Ask.", "user_persona": persona}
    path = put(eval_set({"eval_id": "c1", "conversation_scenario": scenario}))

    (one,) = evals_in(path)

    assert one.scenario is not None
    assert one.scenario.persona == "Wants to know.\nasks back: Asks back.\n  * Ask why."


def test_an_id_may_look_like_a_path_and_parts_may_be_full_of_nulls(put: Any) -> None:
    # case: google/adk-samples:contrib/python/travel-concierge/eval/data/inspire.test.json
    part = {"video_metadata": None, "thought": None, "inline_data": None, "function_call": None, "text": "Ideas?"}
    call = {"id": None, "name": "transfer_to_agent", "args": {"agent_name": "ideas"}}
    content = {"invocation_id": "", "user_content": {"role": "user", "parts": [part]}, "final_response": None}
    invocation = content | {"intermediate_data": {"tool_uses": [call], "intermediate_responses": []}}
    session = {"app_name": "trip", "user_id": "", "state": {"origin": ""}}
    path = put(eval_set(case("/home/someone/ideas.test.json", invocation, session_input=session), name=None))

    (one,) = evals_in(path)

    assert one.name == "/home/someone/ideas.test.json"
    assert one.turns[0].user == "Ideas?"


def test_what_we_have_no_word_for_is_kept(put: Any) -> None:
    rubric = {"rubric_id": "r", "rubric_content": {"text_property": "is short"}, "type": "FINAL_RESPONSE_QUALITY"}
    path = put(eval_set(case("c1", turn(invocation_id="i1", rubrics=[rubric]), rubrics=[rubric], priority="high")))

    (one,) = evals_in(path)

    assert one.turns[0].extra == {"invocation_id": "i1", "rubrics": [rubric]}
    assert one.extra["priority"] == "high"
    assert one.extra["rubrics"] == [rubric]
    assert eval_set_of(one.extra) == {"eval_set_id": "s"}


def test_evals_and_turns_know_where_they_stand(put: Any) -> None:
    path = put(eval_set(case("c1", turn(), turn())))

    (one,) = evals_in(path)

    assert [str(one.where), str(one.turns[1].where)] == [f"{path}:4:3", f"{path}:17:5"]


# What is wrong with them


def test_a_file_of_another_kind_is_named_as_such(put: Any) -> None:
    # case: google/adk-python:contributing/samples/security_agent/evaluation/datasets/vpcsc_dry_run.evalset.json
    path = put({"name": "Perimeter checks", "version": "1.0", "test_cases": [{"id": "p1"}]})

    assert messages(path) == [
        "not an EvalSet: eval_set_id and eval_cases are missing (found: name, version, test_cases)"
    ]


@pytest.mark.parametrize(
    ("invocation", "expected"),
    [
        (
            turn(expected_tools=[]),
            "eval_cases[0].conversation[0].expected_tools: unknown key 'expected_tools' in invocation",
        ),
        (
            turn(intermediate_data={"tool_use": []}),
            "eval_cases[0].conversation[0].intermediate_data.tool_use: unknown key 'tool_use' in intermediate data",
        ),
        (
            turn(intermediate_data={"tool_uses": [{"name": "f", "arguments": {}}]}),
            "eval_cases[0].conversation[0].intermediate_data.tool_uses[0].arguments: unknown key 'arguments' in",
        ),
        (
            {"userContent": {"role": "user", "text": "hi"}},
            "eval_cases[0].conversation[0].userContent.text: unknown key 'text' in content",
        ),
        (
            {"user_content": "hi"},
            "eval_cases[0].conversation[0].user_content: an object is expected (content), not a text",
        ),
        (turn(rubrics=[{"rubric_id": "r"}]), "eval_cases[0].conversation[0].rubrics[0]: the rubric has no "),
        (
            turn(intermediate_data={"tool_uses": [], "invocation_events": []}),
            "eval_cases[0].conversation[0].intermediate_data.tool_uses: unknown key 'tool_uses' in intermediate data",
        ),
        (
            turn(finalResponse=None, final_response=None),
            "eval_cases[0].conversation[0].final_response: 'final_response' is given twice, as 'finalResponse' and",
        ),
        (
            turn(invocation_id=None),
            "eval_cases[0].conversation[0].invocation_id: 'invocation_id' must be a text, not nothing",
        ),
    ],
    ids=["invocation", "data", "call", "content", "bare_text", "rubric", "both_forms", "both_spellings", "null"],
)
def test_a_fault_in_an_invocation_has_its_path(put: Any, invocation: dict[str, object], expected: str) -> None:
    # case: google/adk-python:src/google/adk/evaluation/eval_case.py
    (message,) = messages(put(eval_set(case("c1", invocation))))

    assert message.startswith(expected)


def test_a_slip_of_the_pen_is_recognised(put: Any) -> None:
    path = put(eval_set(case("c1", turn(finalResponce=None))))

    (fault,) = read_cases(path).faults

    assert fault.hint == "did you mean 'final_response'?"
    assert str(fault.where) == f"{path}:16:6"


def test_an_id_that_is_used_twice_is_rejected(put: Any) -> None:
    # case: UKGovernmentBEIS/inspect_ai#972
    (message,) = messages(put(eval_set(case("c1"), case("c1", turn("bye")))))

    assert "eval_id c1 is used twice (cases 1 and 2)" in message


def test_a_key_that_is_given_twice_is_rejected(put: Any) -> None:
    # case: OWASP/ASVS:5.0/en/0x10-V1-Encoding-and-Sanitization.md#1.5.3
    path = put({})
    path.write_text('{"eval_set_id":"a","eval_cases":[],"eval_set_id":"b"}', encoding="utf-8")

    (message,) = messages(path)

    assert message == "the key 'eval_set_id' is given twice, first at 1:2"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (eval_set(), "eval_cases: the eval set has no cases"),
        ({"evalSetId": "s", "eval_cases": []}, "'evalSetId' must be written 'eval_set_id'"),
        ({"eval_set_id": "s", "evalCases": []}, "'evalCases' must be written 'eval_cases'"),
        ({"eval_set_id": "s"}, "the eval set has no 'eval_cases'"),
        (eval_set({"eval_id": "c"}), "eval_cases[0]: the eval case has no conversation"),
        (
            eval_set(case("c", conversation_scenario={"starting_prompt": "a", "conversation_plan": "b"})),
            "eval_cases[0]: the eval case has both 'conversation' and 'conversation_scenario'",
        ),
        (
            eval_set(
                {
                    "eval_id": "c",
                    "conversation_scenario": {
                        "starting_prompt": "a",
                        "conversation_plan": "b",
                        "user_persona": "EXPRT",
                    },
                }
            ),
            "no persona called 'EXPRT'",
        ),
        (eval_set(case("c", session_input={})), "eval_cases[0].session_input: the session input has no 'app_name'"),
        ("text", "not an EvalSet: an object with eval_set_id and eval_cases is expected"),
        ([], "the list holds no cases"),
        ([{"query": "a"}, {"name": "b"}], "[1]: not an EvalSet"),
    ],
    ids=[
        "no_cases",
        "camel_id",
        "camel_cases",
        "cases_missing",
        "no_conversation",
        "both_conversations",
        "unknown_persona",
        "empty_session",
        "text",
        "empty_list",
        "mixed_list",
    ],
)
def test_what_is_no_eval_set_is_rejected(put: Any, content: object, expected: str) -> None:
    assert expected in "\n".join(messages(put(content)))


def test_all_faults_of_a_file_are_told_at_once_and_in_order(put: Any) -> None:
    path = put(eval_set(case("c1", turn(x=1)), case("c2", turn(y=1))))

    assert [message.partition(":")[0] for message in messages(path)] == [
        "eval_cases[0].conversation[0].x",
        "eval_cases[1].conversation[0].y",
    ]


def test_what_adk_drops_and_what_no_criterion_uses_is_told(put: Any) -> None:
    rubric = {"rubric_id": "r", "rubric_content": {"text_property": "is short"}}
    path = put(eval_set(case("c1", rubrics=[rubric]), {"eval_id": "c2", "conversation": []}, owner="me"))

    warnings = "\n".join(read_cases(path).warnings)

    assert "owner: ADK does not know this key of an eval set, and drops it" in warnings
    assert "the rubric 'r' has no type, so that no criterion uses it" in warnings
    assert "the eval case 'c2' has no turns" in warnings


# The two old forms

OLD_TURN = {
    "query": "Roll two dice",
    "expected_tool_use": [{"tool_name": "roll", "tool_input": {"sides": 6}}],
    "reference": "5 and 6",
    "mock_tool_output": "ignored",
}


def test_a_list_of_cases_is_read(put: Any) -> None:
    path = put([{"name": "dice", "data": [OLD_TURN, {"query": "Bye"}], "initial_session": {"state": {"a": 1}}}])

    (one,) = evals_in(path)

    assert one.name == "dice"
    assert one.setup.session == {"app_name": "", "user_id": ""}
    assert one.setup.state.conversation == {"a": 1}
    assert one.turns[0].reference is not None
    assert one.turns[0].reference.response == "5 and 6"
    assert one.turns[0].reference.tool_calls == (ToolCallReference(name="roll", arguments={"sides": 6}),)
    assert (one.turns[1].user, one.turns[1].reference) == ("Bye", None)
    assert read_cases(path).warnings == (f"{path}:1:1: ignored, as ADK does: mock_tool_output",)


def test_a_bare_list_of_turns_is_one_case_called_as_its_file(put: Any) -> None:
    path = put([OLD_TURN, OLD_TURN])

    (one,) = evals_in(path)

    assert one.name == str(path)
    assert len(one.turns) == 2
    assert eval_set_of(one.extra) == {"eval_set_id": "s"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ([{"data": [OLD_TURN]}], "[0]: the case has no 'name'"),
        (
            [{"name": "a", "data": [{"query": "x", "expected_tool_use": [{"tool_name": "f"}]}]}],
            "[0].data[0].expected_tool_use[0]: the tool use has no 'tool_input'",
        ),
        ([{"query": 5}], "[0].query: 'query' must be a text, not a number (5)"),
        ([{"name": "a", "data": [OLD_TURN]}, {"name": "a", "data": [OLD_TURN]}], "eval_id a is used twice"),
    ],
    ids=["no_name", "no_input", "no_text", "twice"],
)
def test_an_old_form_has_faults_of_its_own(put: Any, content: object, expected: str) -> None:
    (message,) = messages(put(content))

    assert expected in message


# The config beside them


def categories(one: Eval) -> list[str]:
    return [check.category for check in one.outcome]


def test_without_a_config_adks_own_two_criteria_hold(put: Any) -> None:
    (one,) = read(put(eval_set(case()))).evals

    assert categories(one) == ["trajectory", "overlap", "measure", "measure", "measure", "measure"]
    assert one.outcome[0].spec["threshold"] == 1.0
    assert one.outcome[1].spec["threshold"] == 0.8


def test_the_config_beside_a_file_holds_and_is_where_its_checks_stand(put: Any, tmp_path: Path) -> None:
    config = put({"criteria": {"response_match_score": 0.5}}, "test_config.json")
    put({"criteria": {}}, "eval_config.json")

    (one,) = read(put(eval_set(case()))).evals

    assert categories(one)[0] == "overlap"
    assert str(one.outcome[0].where) == f"{config}:3:3"


def test_a_config_that_adk_would_not_use_unasked_is_named(put: Any) -> None:
    config = put({"criteria": {"response_match_score": 0.5}}, "eval_config.json")

    reading = read(put(eval_set(case())))

    assert categories(reading.evals[0])[0] == "overlap"
    assert reading.warnings == (f"{config}: these criteria hold; adk eval uses such a file only when it is named",)


def test_a_config_with_faults_stops_all_files_beside_it_and_is_told_once(put: Any, tmp_path: Path) -> None:
    put({"criteria": {"response_match_scor": 0.5}}, "test_config.json")
    put(eval_set(case("a")), "a.test.json")
    put(eval_set(case("b")), "b.test.json")

    gathered = gather([tmp_path])

    assert gathered.suite.evals == ()
    assert [fault.message for fault in gathered.faults] == [
        "criteria.response_match_scor: no criterion called 'response_match_scor'",
        "the config beside this file has faults",
    ]


def test_custom_metrics_run_only_where_code_is_allowed(put: Any) -> None:
    metric = {"code_config": {"name": "math.floor"}}
    put({"criteria": {"mine": 0.5}, "custom_metrics": {"mine": metric}}, "test_config.json")
    path = put(eval_set(case("a"), case("b")))

    refused, allowed = gather([path]), gather([path], allow_code=True)

    assert [fault.message for fault in refused.faults] == ["a custom check runs the function it names"]
    assert allowed.faults == ()
    assert categories(allowed.suite.evals[0])[0] == "custom"


def test_a_config_may_be_named(put: Any, tmp_path: Path) -> None:
    path = put(eval_set(case()))

    assert config_beside(path) is None
    assert read_with_config(path, default_config()) == read(path)
