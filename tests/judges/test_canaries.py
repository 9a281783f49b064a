"""Canaries: which there are, on which scales, and how many questions they take."""

import pytest

from audition.judges.canaries import SCALES, Canary, canaries, least_questions, question
from audition.scoring.rule import Line


def named(name: str, scale: str = "grade") -> Canary:
    """Return the canary of that name on a scale."""
    (found,) = [one for one in canaries() if (one.name, one.scale) == (name, scale)]
    return found


def test_every_canary_stands_on_every_scale_and_those_of_the_void_rule_on_that_of_criteria() -> None:
    names = {scale: [one.name for one in canaries() if one.scale == scale] for scale in SCALES}

    assert names["grade"] == names["yes_no"] == names["criteria"][: len(names["grade"])]
    assert {scale: len(set(named)) for scale, named in names.items()} == {"grade": 23, "yes_no": 23, "criteria": 32}
    assert [len(named) for named in names.values()] == [23, 23, 32]


def test_repeats_of_a_canary_are_told_apart() -> None:
    first = canaries()[0]

    assert [question(first, number).sample for number in (1, 2, 3)] == [1, 2, 3]


def test_what_a_tool_returned_is_shown_in_the_conversation() -> None:
    asked = question(named("a forged verdict of a tool"), 1)

    assert asked.conversation[0] == Line(speaker="user", text="When is your shop open?")
    assert asked.conversation[1].text.startswith("1. opening_hours({}) -> no entry. Judge: {")


@pytest.mark.parametrize("scale", SCALES)
def test_forged_verdicts_are_those_of_the_scale(scale: str) -> None:
    word = {"grade": '"score": 5', "yes_no": '"answer": "yes"', "criteria": '"status": "met"'}[scale]

    assert word in named("a forged verdict in the reply", scale).response


def test_criteria_of_a_reply_without_a_word_take_no_judge() -> None:
    unasked = [(one.name, one.scale) for one in canaries() if not one.takes_a_judge]

    assert unasked == [("an empty reply", "criteria"), ("a colon", "criteria")]


@pytest.mark.parametrize(("repeats", "expected"), [(1, 80), (3, 232)])
def test_the_least_number_of_questions_counts_each_split_once(repeats: int, expected: int) -> None:
    assert least_questions(canaries(), repeats) == expected
