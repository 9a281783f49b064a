"""Whether a simulated user kept to its scenario."""

from dataclasses import replace

import pytest

from audition.evals import Scenario
from audition.results import Verdict

SCENARIO = Scenario(
    starting_prompt="I want a refund.", plan="Name order 7 when asked. Thank the agent.", persona="NOVICE"
)


def test_each_message_after_the_first_is_asked_about_and_so_is_the_end(asked, turn) -> None:
    spoken = [turn("I want a refund. ", "Which order?"), turn("7", "Done.")]

    result = asked.result("simulated_user", {}, spoken, scenario=SCENARIO)

    message, ending = asked.questions
    assert (result.verdict, result.score, result.turn_scores) == (Verdict.PASS, 1.0, (1.0, 1.0))
    assert (message.response, [line.text for line in message.conversation]) == (
        "7",
        ["I want a refund. ", "Which order?"],
    )
    assert SCENARIO.plan in message.criterion
    assert "Is new to the subject" in message.criterion
    assert ending.response.endswith("agent:\n    Done.")


def test_a_first_message_that_is_not_the_starting_prompt_is_wrong_without_asking(asked, turn) -> None:
    result = asked.result("simulated_user", {}, [turn("Hello", "Hi")], scenario=SCENARIO)

    assert (result.verdict, asked.questions, result.reason) == (
        Verdict.FAIL,
        [],
        "turn 1: it is not the starting prompt",
    )


def test_an_end_that_came_too_soon_spoils_the_last_turn_alone(asked, turn) -> None:
    spoken = [turn("I want a refund.", "Which order?"), turn("7", "Done.")]

    result = asked.result(
        "simulated_user", {"threshold": 0.6}, spoken, lambda asking: bool(asking.conversation), scenario=SCENARIO
    )

    assert (result.verdict, result.turn_scores) == (Verdict.FAIL, (1.0, 0.0))


def test_an_end_by_the_limit_is_not_the_users(asked, turn) -> None:
    spoken = [turn("I want a refund.", "Which order?"), turn("7", "Done.")]

    asked.result("simulated_user", {}, spoken, scenario=replace(SCENARIO, max_turns=2))

    assert [question.response for question in asked.questions] == ["7"]


def test_a_turn_that_could_not_be_judged_is_an_error(asked, turn) -> None:
    spoken = [turn("I want a refund.", "Which order?"), turn("7", "Done.")]

    assert asked.result("simulated_user", {}, spoken, None, scenario=SCENARIO).verdict is Verdict.ERROR


@pytest.mark.parametrize(
    ("persona", "described"),
    [
        (None, "Answers what the agent asks"),
        ("EXPERT", "Tells the agent when it is wrong"),
        ("evaluator", "Puts the agent to the test"),
        ("A sailor in a hurry.", "A sailor in a hurry."),
    ],
)
def test_the_person_is_part_of_what_is_asked(asked, turn, persona, described) -> None:
    asked.result("simulated_user", {}, [turn("I want a refund.", "No.")], scenario=replace(SCENARIO, persona=persona))

    assert described in asked.questions[0].criterion


def test_written_turns_are_nobodys_simulation(asked, turn) -> None:
    result = asked.result("simulated_user", {}, [turn("a", "x")])

    assert (result.verdict, result.reason) == (
        Verdict.ERROR,
        "the eval has no scenario, so no user was simulated",
    )
