"""Asking judges: what they are shown, what several answers come to, and when nothing can be told."""

from itertools import product

import pytest

from audition.results import Verdict
from audition.scoring.asking import Item, Poll, as_text, dialogue, majority
from audition.scoring.rule import Finding, Inquiry, Line, Opinion, Question
from audition.transcript import Exchange, Reply, ToolCall

QUESTION = Question(criterion="is polite", response="Hello", conversation=(), threshold=1, scale="yes_no")
YES, NO, UNREAD = (
    Opinion(score=score, reason=reason) for score, reason in ((1, "it is"), (0, "it is not"), (None, "?"))
)


def poll(*turns: int, samples: int = 1, threshold: float = 1.0, average: str = "turns") -> Poll:
    """Return a poll with so many items in each turn."""
    items = tuple(
        Item(name=f"turn {turn + 1}.{index + 1}", turn=turn, parts=(QUESTION,))
        for turn, count in enumerate(turns)
        for index in range(count)
    )
    return Poll(
        items=items, turns=len(turns), samples=samples, threshold=threshold, average=average, unscored="nothing to ask"
    )


def test_a_conversation_is_shown_with_its_tool_calls_numbered_and_their_results() -> None:
    calls = (
        ToolCall(name="find", arguments={"q": "Ada"}, result={"id": 7}),
        ToolCall(name="find", malformed='{"q": ', error="bad arguments"),
        ToolCall(name="rank", result=[1], within="find"),
    )
    spoken = Exchange(user="Who?", tool_calls=calls, replies=(Reply(text="Ada"), Reply(text="Bye")))

    lines = list(dialogue([spoken, Exchange(event={"kind": "ping"})]))

    assert lines == [
        Line(speaker="user", text="Who?"),
        Line(speaker="tool", text='1. find({"q": "Ada"}) -> {"id": 7}'),
        Line(speaker="tool", text='2. find({"q": ) -> error: bad arguments'),
        Line(speaker="tool", text="3. rank({}) (called by find) -> [1]"),
        Line(speaker="agent", text="Ada"),
        Line(speaker="agent", text="Bye"),
        Line(speaker="event", text='{"kind": "ping"}'),
    ]


def test_nothing_said_can_begin_a_line_of_another_speaker() -> None:
    assert (
        as_text([Line(speaker="user", text="Hi\nagent:\r\n    9 to 5")]) == "user:\n    Hi\n    agent:\n        9 to 5"
    )


@pytest.mark.parametrize(
    ("opinions", "holds"),
    [
        ([YES], True),
        ([NO], False),
        ([UNREAD], None),
        ([], None),
        ([YES, YES, NO], True),
        ([YES, NO, NO], False),
        # case: google/adk-python:src/google/adk/evaluation/final_response_match_v2.py#majority
        ([YES, NO, YES, NO], False),
        ([YES, UNREAD, UNREAD, UNREAD], None),
        ([YES, UNREAD], True),
        ([YES, NO, UNREAD, UNREAD], False),
        ([YES, YES, UNREAD, UNREAD, UNREAD], None),
    ],
)
def test_the_majority_of_those_who_answered_decides(opinions: list[Opinion], holds: bool | None) -> None:
    assert majority(opinions) is holds


def test_each_question_is_asked_as_often_as_there_are_samples_and_no_two_askings_are_the_same() -> None:
    inquiry = poll(1, 1, samples=3).finding_or_inquiry()

    assert isinstance(inquiry, Inquiry)
    assert [question.sample for question in inquiry.questions] == [1, 2, 3, 1, 2, 3]


def test_a_vote_is_told_with_its_counts() -> None:
    found = poll(1, samples=5).conclude([NO, YES, NO, NO, UNREAD])

    assert (found.verdict, found.score) == (Verdict.FAIL, 0.0)
    assert found.reason == "turn 1.1: it is not (3 of 5 samples said no, 1 could not be read)"


def test_one_readable_sample_of_four_is_no_pass() -> None:
    # case: google/adk-python:src/google/adk/evaluation/final_response_match_v2.py#majority
    found = poll(1, samples=4).conclude([YES, UNREAD, UNREAD, UNREAD])

    assert (found.verdict, found.score) == (Verdict.ERROR, None)
    assert found.reason == "1 of 1 could not be answered\nturn 1.1: ? (3 of 4 samples could not be read)"


def test_a_pass_tells_of_the_samples_that_could_not_be_read() -> None:
    found = poll(1, samples=3).conclude([YES, UNREAD, YES])

    assert (found.verdict, found.note) == (Verdict.PASS, "1 sample of the judge could not be read")


@pytest.mark.parametrize(
    ("average", "score", "turn_scores"), [("turns", 0.75, (0.5, 1.0)), ("items", 0.666667, (0.5, 1.0))]
)
def test_a_score_is_the_mean_of_the_turns_or_of_all_items(
    average: str, score: float, turn_scores: tuple[float, ...]
) -> None:
    found = poll(2, 1, threshold=0.5, average=average).conclude([YES, NO, YES])

    assert found.verdict is Verdict.PASS
    assert found.score == pytest.approx(score, abs=1e-6)
    assert found.turn_scores == turn_scores


def test_a_turn_without_an_item_has_no_score_and_does_not_count() -> None:
    found = poll(1, 0, 1).conclude([YES, YES])

    assert (found.verdict, found.score, found.turn_scores) == (Verdict.PASS, 1.0, (1.0, None, 1.0))


# case: rjmurillo/ai-agents#3915
def test_what_could_not_be_answered_makes_an_error_with_the_count_and_is_never_a_zero() -> None:
    found = poll(5, threshold=0.8, average="items").conclude([YES, YES, YES, UNREAD, UNREAD])

    assert (found.verdict, found.score) == (Verdict.ERROR, None)
    assert found.actual == "1 over the 3 that were answered"
    assert found.reason.startswith("2 of 5 could not be answered\n")


@pytest.mark.parametrize(
    ("opinions", "threshold", "verdict"),
    [
        ([YES, YES, UNREAD], 0.6, Verdict.PASS),
        ([YES, NO, UNREAD], 0.8, Verdict.FAIL),
        ([YES, NO, UNREAD], 0.6, Verdict.ERROR),
        ([NO, NO, UNREAD], 0.4, Verdict.FAIL),
        ([UNREAD, UNREAD, UNREAD], 0.0, Verdict.ERROR),
    ],
)
def test_a_verdict_that_stands_whatever_is_missing_is_given(
    opinions: list[Opinion], threshold: float, verdict: Verdict
) -> None:
    assert poll(3, threshold=threshold, average="items").conclude(opinions).verdict is verdict


@pytest.mark.parametrize("average", ["turns", "items"])
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.75, 1.0])
def test_no_missing_answer_could_have_changed_a_verdict_that_was_given(average: str, threshold: float) -> None:
    asked = poll(2, 1, threshold=threshold, average=average)
    decided = 0

    for opinions in product((YES, NO, UNREAD), repeat=3):
        found = asked.conclude(opinions)
        choices = [(YES, NO) if one is UNREAD else (one,) for one in opinions]
        possible = {asked.conclude(full).verdict for full in product(*choices)}
        answered = any(one is not UNREAD for one in opinions)
        assert (found.verdict is not Verdict.ERROR) == (len(possible) == 1 and answered)
        decided += found.verdict is not Verdict.ERROR

    assert decided > 8


def test_a_mean_just_under_the_threshold_by_rounding_reaches_it() -> None:
    # case: google/adk-python:src/google/adk/evaluation/final_response_match_v1.py
    found = poll(*[10] * 3, threshold=0.7).conclude(([YES] * 7 + [NO] * 3) * 3)

    assert found.verdict is Verdict.PASS


def test_nothing_to_ask_about_is_an_error_and_no_pass() -> None:
    found = poll(0, threshold=0.0).finding_or_inquiry()

    assert isinstance(found, Finding)
    assert (found.verdict, found.reason) == (Verdict.ERROR, "nothing to ask")


@pytest.mark.parametrize(
    ("parts", "opinions", "verdict"),
    [
        ((YES, QUESTION), [YES], Verdict.PASS),
        ((YES, QUESTION), [NO], Verdict.FAIL),
        ((YES, QUESTION), [UNREAD], Verdict.ERROR),
        ((NO, QUESTION), [UNREAD], Verdict.FAIL),
        ((QUESTION, QUESTION), [UNREAD, NO], Verdict.FAIL),
    ],
)
def test_all_parts_of_an_item_must_hold(parts: tuple[object, ...], opinions: list[Opinion], verdict: Verdict) -> None:
    item = Item(name="turn 1", turn=0, parts=parts)
    asked = Poll(items=(item,), turns=1, samples=1, threshold=1.0, average="turns", unscored="")

    assert asked.conclude(opinions).verdict is verdict


def test_a_long_list_of_reasons_is_cut() -> None:
    found = poll(12).conclude([NO] * 12)

    assert found.reason.splitlines()[-1] == "… and 2 more"
