"""Properties of replies, of tool use and of whole conversations, asked of a judge."""

import pytest

from audition.evals import Scenario, Turn
from audition.results import Verdict
from audition.scoring.checks.rubric import CHECK
from audition.transcript import ToolCall

POLITE, SHORT = {"id": "polite", "text": "The agent is polite."}, {"id": "short", "text": "The answer is short."}
LOOKED_UP = ToolCall(name="get", arguments={"room": "hall"}, result=18)


def test_each_property_is_asked_of_each_turn(asked, turn) -> None:
    spoken = [turn("a", "x", calls=[LOOKED_UP]), turn("b", "y")]

    result = asked.result("rubric", {"about": "response", "rubrics": [POLITE, SHORT]}, spoken)

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.PASS, 1.0, (1.0, 1.0))
    assert [(one.response, one.criterion.partition("\n")[0]) for one in asked.questions] == [
        ("x", POLITE["text"]),
        ("x", SHORT["text"]),
        ("y", POLITE["text"]),
        ("y", SHORT["text"]),
    ]
    assert [line.text for line in asked.questions[0].conversation] == ["a", '1. get({"room": "hall"}) -> 18']
    assert [line.speaker for line in asked.questions[2].conversation] == ["user", "tool", "agent", "user"]


def test_the_score_is_the_share_of_all_answers_so_that_a_turn_with_more_properties_weighs_more(asked, turn) -> None:
    written = {"about": "response", "threshold": 0.6, "rubrics": [POLITE], "turns": {"1": [SHORT]}}

    result = asked.result(
        "rubric", written, [turn("a", "x"), turn("b", "y")], lambda asking: "short" not in asking.criterion
    )

    assert result.verdict is Verdict.PASS
    assert result.score == pytest.approx(2 / 3)
    assert result.turn_scores == (1.0, 0.5)


# Rubrics of one turn work on every turn: ADK loses all but those of the last.
def test_properties_of_one_turn_are_asked_of_that_turn_alone(asked, turn) -> None:
    written = {"about": "response", "turns": {"0": [POLITE], "1": [SHORT]}}

    result = asked.result(
        "rubric", written, [turn("a", "x"), turn("b", "y")], lambda asking: "polite" not in asking.criterion
    )

    assert [(one.response, one.criterion.partition("\n")[0]) for one in asked.questions] == [
        ("x", POLITE["text"]),
        ("y", SHORT["text"]),
    ]
    assert (result.verdict, result.turn_scores) == (Verdict.FAIL, (0.0, 1.0))
    assert result.reason == "turn 1, polite: the judge says no"


def test_tool_use_is_shown_call_by_call_without_the_answer_it_led_to(asked, turn) -> None:
    spoken = [turn("a", "It is 18.", calls=[LOOKED_UP, LOOKED_UP]), turn("b", "Bye")]

    asked.result("rubric", {"about": "tools", "rubrics": [POLITE]}, spoken)

    first, second = asked.questions
    assert first.response == '1. get({"room": "hall"}) -> 18\n2. get({"room": "hall"}) -> 18'
    assert [line.text for line in first.conversation] == ["a"]
    assert second.response == ""


def test_tool_use_that_nobody_could_see_is_not_judged(asked, turn) -> None:
    result = asked.result(
        "rubric", {"about": "tools", "rubrics": [POLITE]}, [turn("a", "x")], observes=("replies", "timing")
    )

    assert (result.verdict, asked.questions) == (Verdict.ERROR, [])
    assert "did not show its tools" in result.reason


def test_a_conversation_is_judged_once_as_a_whole_and_its_score_stands_at_the_last_turn(asked, turn) -> None:
    spoken = [turn("a\nagent:\n    I am done", "x", calls=[LOOKED_UP]), turn("b", "y")]

    result = asked.result("rubric", {"about": "conversation", "rubrics": [POLITE]}, spoken, False)

    (question,) = asked.questions
    assert question.conversation == ()
    assert question.response.splitlines() == [
        "user:",
        "    a",
        "    agent:",
        "        I am done",
        "tool:",
        '    1. get({"room": "hall"}) -> 18',
        "agent:",
        "    x",
        "user:",
        "    b",
        "agent:",
        "    y",
    ]
    assert (result.verdict, result.turn_scores, result.reason) == (
        Verdict.FAIL,
        (None, 0.0),
        "polite: the judge says no",
    )


def test_a_conversation_that_a_simulated_user_held_is_judged_too(asked, turn) -> None:
    scenario = Scenario(starting_prompt="a", plan="Ask.")

    result = asked.result("rubric", {"about": "response", "rubrics": [POLITE]}, [turn("a", "x")], scenario=scenario)

    assert (result.verdict, result.turn_scores) == (Verdict.PASS, (1.0,))


def test_an_agent_that_says_nothing_has_no_property_and_no_judge_is_asked(asked, turn) -> None:
    result = asked.result("rubric", {"about": "response", "rubrics": [POLITE]}, [turn("a")])

    assert (result.verdict, asked.questions, result.reason) == (
        Verdict.FAIL,
        [],
        "turn 1, polite: the agent said nothing",
    )


@pytest.mark.parametrize("allowed", ["expect_silence", "response_optional"])
def test_a_turn_that_may_be_silent_and_is_does_not_count(asked, turn, allowed) -> None:
    turns = [Turn(user="a", **{allowed: True}), Turn(user="b")]

    result = asked.result(
        "rubric", {"about": "response", "rubrics": [POLITE]}, [turn("a"), turn("b", "x")], turns=turns
    )

    assert (result.verdict, result.turn_scores) == (Verdict.PASS, (None, 1.0))


def test_a_property_that_could_not_be_judged_does_not_raise_the_share_of_the_others(asked, turn) -> None:
    written = {"about": "response", "threshold": 0.6, "rubrics": [POLITE, SHORT]}

    result = asked.result(
        "rubric", written, [turn("a", "x")], lambda asking: None if "polite" in asking.criterion else True
    )

    assert (result.verdict, result.score) == (Verdict.ERROR, None)
    assert result.reason == "1 of 2 could not be answered\nturn 1, polite: it cannot be read"


def test_a_property_of_a_turn_that_was_not_taken_is_an_error(asked, turn) -> None:
    written = {"about": "response", "turns": {"2": [POLITE]}}

    result = asked.result("rubric", written, [turn("a", "x")])

    assert result.verdict is Verdict.ERROR
    assert result.reason == "the rubric 'polite' is of turn 2 (from 0), and there were 1 turns"


def test_a_property_may_hold_braces(asked, turn) -> None:
    rubric = {"id": "json", "text": 'It says {"text": 1} and {text}.'}

    asked.result("rubric", {"about": "response", "rubrics": [rubric]}, [turn("a", "x")])

    assert asked.questions[0].criterion.startswith(rubric["text"])


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ({"about": "response"}, "this check says nothing that could fail"),
        ({"about": "response", "rubrics": []}, "this check says nothing that could fail"),
        ({"about": "response", "rubrics": [POLITE, POLITE]}, "the rubric 'polite' is given twice"),
        ({"about": "tools", "rubrics": [POLITE], "turns": {"0": [POLITE]}}, "the rubric 'polite' is given twice"),
        ({"about": "conversation", "turns": {"0": [POLITE], "1": [POLITE]}}, "the rubric 'polite' is given twice"),
        ({"about": "tools", "turns": {"first": [POLITE]}}, "'first' is not the number of a turn"),
        ({"about": "answer", "rubrics": [POLITE]}, "'about' must be one of"),
        ({"rubrics": [POLITE]}, "has no 'about'"),
        ({"about": "response", "rubrics": [{"id": "a"}]}, "has no 'text'"),
        ({"about": "response", "rubrics": [POLITE], "sampels": 3}, "unknown key 'sampels'"),
    ],
)
def test_what_cannot_be_meant_is_a_fault(faults_of, written, fault) -> None:
    (found,) = faults_of(CHECK, written)

    assert fault in found


def test_two_turns_may_have_properties_of_one_name(faults_of) -> None:
    assert faults_of(CHECK, {"about": "response", "turns": {"0": [POLITE], "1": [POLITE]}}) == []
