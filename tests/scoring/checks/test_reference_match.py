"""Replies held against references by a judge."""

import pytest

from audition.evals import Reference, Turn
from audition.results import Verdict
from audition.scoring.checks.reference_match import CHECK
from audition.scoring.rule import Line


def test_every_turn_with_a_reference_is_asked_about_with_what_came_before(asked, turn) -> None:
    spoken = [turn("Kitchen?", "It is 24."), turn("And the hall?", "18 degrees", "Anything else?")]

    result = asked.result("reference_match", {}, spoken, references=["24 degrees", "18"])

    first, second = asked.questions
    assert (result.verdict, result.score, result.threshold, result.turn_scores) == (Verdict.PASS, 1.0, 1.0, (1.0, 1.0))
    assert (first.response, first.reference, first.scale) == ("It is 24.", "24 degrees", "yes_no")
    assert first.conversation == (Line(speaker="user", text="Kitchen?"),)
    assert second.response == "18 degrees\nAnything else?"
    assert [line.text for line in second.conversation] == ["Kitchen?", "It is 24.", "And the hall?"]


def test_the_score_is_the_mean_of_the_turns_and_a_reply_that_differs_is_told(asked, turn) -> None:
    spoken = [turn("a", "right"), turn("b", "wrong")]

    result = asked.result(
        "reference_match", {"threshold": 0.6}, spoken, lambda asking: asking.response == "right", references=["x", "y"]
    )

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.FAIL, 0.5, (1.0, 0.0))
    assert (result.expected, result.actual) == ("a score of at least 0.6", "0.5 (turns: 1, 0)")
    assert result.reason == "turn 2: the judge says no"


def test_a_turn_without_a_reference_is_left_out(asked, turn) -> None:
    result = asked.result("reference_match", {}, [turn("a", "x"), turn("b", "y")], references=[None, "y"])

    assert (result.verdict, result.turn_scores, len(asked.questions)) == (Verdict.PASS, (None, 1.0), 1)


@pytest.mark.parametrize("references", [[None], [""], [" \n"]], ids=["none", "empty", "blank"])
def test_without_any_reference_nothing_can_be_told(asked, turn, references) -> None:
    result = asked.result("reference_match", {"threshold": 0}, [turn("a", "x")], references=references)

    assert result.verdict is Verdict.ERROR
    assert result.reason == "no turn has a reference with a 'response' to compare with"


def test_an_agent_that_says_nothing_matches_nothing_and_no_judge_is_asked(asked, turn) -> None:
    silent = [Turn(user="a", response_optional=True, reference=Reference(response="24"))]

    result = asked.result("reference_match", {}, [turn("a")], turns=silent)

    assert (result.verdict, result.score, asked.questions) == (Verdict.FAIL, 0.0, [])
    assert result.reason == "turn 1: the agent said nothing"


# measured false results: M28
def test_one_turn_that_cannot_be_judged_leaves_the_others_undecided(asked, turn) -> None:
    spoken = [turn("a", "x"), turn("b", "y")]

    result = asked.result(
        "reference_match", {}, spoken, lambda asking: None if asking.response == "y" else True, references=["x", "y"]
    )

    assert (result.verdict, result.score, result.turn_scores) == (Verdict.ERROR, None, (1.0, None))
    assert result.reason == "1 of 2 could not be answered\nturn 2: it cannot be read"


def test_a_turn_that_failed_already_decides_whatever_another_would_say(asked, turn) -> None:
    spoken = [turn("a", "x"), turn("b", "y")]

    result = asked.result(
        "reference_match", {}, spoken, lambda asking: None if asking.response == "y" else False, references=["x", "y"]
    )

    assert (result.verdict, result.note) == (Verdict.FAIL, "1 of 2 could not be answered, which changes nothing")


def test_samples_vote_and_a_tie_is_no(asked, turn) -> None:
    # case: google/adk-python:src/google/adk/evaluation/final_response_match_v2.py#majority
    result = asked.result(
        "reference_match", {"samples": 4}, [turn("a", "x")], lambda asking: asking.sample % 2 == 1, references=["x"]
    )

    assert (result.verdict, len(asked.questions)) == (Verdict.FAIL, 4)
    assert result.reason == "turn 1: the judge says no (2 of 4 samples said no)"


@pytest.mark.parametrize(
    "written", [{"threshold": 1.5}, {"threshold": -1}, {"samples": 0}, {"samples": 2.5}, {"treshold": 1}], ids=str
)
def test_what_cannot_be_meant_is_a_fault(faults_of, written) -> None:
    assert faults_of(CHECK, written)
