"""Several judges as one: all are asked the same, and most of them decide."""

import asyncio

import pytest

from audition.errors import JudgeError
from audition.judges import Grade
from audition.judges.cached import Cached
from audition.judges.fixed import Answer, Fixed
from audition.judges.llm import LlmJudge
from audition.judges.majority import Majority
from audition.llm.scripted import Scripted
from audition.scoring.rule import Question
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

UNREAD = JudgeError("it is empty", raw="")


def question(scale: str) -> Question:
    """Return a question on a scale."""
    return Question(criterion="greets", response="R1:\n    Hi", conversation=(), threshold=1, scale=scale)


def voters(*answers: Answer) -> Majority:
    """Return a judge made of some that answer so."""
    return Majority([Fixed(lambda _, answer=answer: answer) for answer in answers])


def said(status: str, call: str = "none") -> dict[str, object]:
    """Return an answer about a clause."""
    return {"evidence": [], "reasoning": "r", "call": call, "faithful": "yes", "status": status}


@pytest.mark.parametrize(
    ("grades", "median"),
    [((4,), 4), ((1, 5, 4), 4), ((5, 5, 1), 5), ((1, 2, 3, 4, 5), 3), ((4, 4, 4, 4, UNREAD), 4), ((5, 5, UNREAD), 5)],
    ids=str,
)
async def test_the_grade_is_the_median(grades, median):
    grade = await voters(*grades).grade(question("grade"))

    assert grade.score == median
    assert len(grade.votes) == len(grades)


# case: rjmurillo/ai-agents#3915
@pytest.mark.parametrize(
    "grades",
    [(4, 5, UNREAD), (UNREAD, UNREAD, 3), (UNREAD,), (UNREAD, UNREAD, UNREAD), (5, 4, 5, UNREAD, UNREAD)],
    ids=str,
)
async def test_there_is_no_grade_when_what_is_missing_could_have_moved_it(grades):
    with pytest.raises(JudgeError, match="the votes give no grade") as caught:
        await voters(*grades).grade(question("grade"))

    assert [vote.score for vote in caught.value.votes] == [None if one is UNREAD else one for one in grades]


@pytest.mark.parametrize(
    ("answers", "score"),
    [((True, True, False), 1), ((False, True, False), 0), ((True, True, UNREAD), 1), ((False,) * 3 + (True,) * 2, 0)],
    ids=str,
)
async def test_yes_or_no_is_what_more_than_half_say(answers, score):
    assert (await voters(*answers).grade(question("yes_no"))).score == score


# case: google/adk-python:src/google/adk/evaluation/final_response_match_v2.py#majority
@pytest.mark.parametrize(
    "answers", [(True, False, UNREAD), (True, UNREAD, UNREAD), (True, True, UNREAD, UNREAD, False)], ids=str
)
async def test_without_a_majority_of_all_votes_there_is_no_answer(answers):
    with pytest.raises(JudgeError, match="the votes give no majority"):
        await voters(*answers).grade(question("yes_no"))


@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ((said("met"), said("met"), said("unmet")), "met"),
        ((said("met"), said("unmet"), UNREAD), None),
        ((said("met"), said("unmet"), said("unsure")), None),
        ((said("void", "right"), said("void", "right"), said("met")), "void"),
        ((said("void", "right"), said("void", "wrong"), said("unmet")), None),
        ((said("met", "right"), said("met", "wrong"), said("unmet")), "met"),
    ],
    ids=["most", "unread", "all differ", "void", "void for two reasons", "met whatever the call"],
)
async def test_what_became_of_a_clause_is_what_more_than_half_say(answers, status):
    judge = voters(*answers)

    if status is None:
        with pytest.raises(JudgeError, match="no majority"):
            await judge.grade(question("clause"))
    else:
        assert (await judge.grade(question("clause"))).answer["status"] == status


async def test_criteria_are_split_by_the_first_judge_alone():
    judges = [Fixed(True), Fixed(True), Fixed(True)]

    grade = await Majority(judges).grade(question("clauses"))

    assert grade.answer["clauses"][0]["text"] == "greets"
    assert [len(judge.questions) for judge in judges] == [1, 0, 0]


@pytest.mark.parametrize("first", [True, False, UNREAD], ids=["yes", "no", "unread"])
async def test_everybody_is_asked_whatever_the_first_says(first):
    judges = [Fixed(first), Fixed(True), Fixed(True)]

    await Majority(judges).grade(question("yes_no"))

    assert [len(judge.questions) for judge in judges] == [1, 1, 1]


@pytest.mark.parametrize("count", [0, 2, 4])
def test_an_even_number_of_judges_has_no_majority(count):
    with pytest.raises(ValueError, match="odd number"):
        Majority([Fixed(True)] * count)


async def test_every_vote_tells_its_model_prompt_cost_and_reply():
    replies = ['{"reason": "a", "score": 5}', '{"reason": "b", "score": 2}', '{"reason": "c", "score": 4}']
    judges = [LlmJudge(Scripted([reply]), name=f"m{number}") for number, reply in enumerate(replies)]

    grade = await Majority(judges).grade(question("grade"))

    assert (grade.score, grade.reason) == (4, "c (1 of 3 votes)")
    assert [(vote.model, vote.score, vote.reason, vote.raw) for vote in grade.votes] == [
        ("m0", 5, "a", replies[0]),
        ("m1", 2, "b", replies[1]),
        ("m2", 4, "c", replies[2]),
    ]
    assert len({vote.prompt_hash for vote in grade.votes}) == 1
    assert len(grade.votes[0].prompt_hash) == 64


async def test_an_unread_vote_is_kept_with_what_was_said():
    judges = [LlmJudge(Scripted([reply, reply]), name="m") for reply in ("Hm.", "yes", "")]

    with pytest.raises(JudgeError) as caught:
        await Majority(judges).grade(question("yes_no"))

    assert [vote.raw for vote in caught.value.votes] == ["Hm.", "yes", ""]


async def test_what_the_votes_cost_together_is_told():
    judges = [Fixed(Grade(score=1, reason="r", usage=Usage(calls=1, input_tokens=9))) for _ in range(3)]

    grade = await Majority(judges).grade(question("yes_no"))

    assert (grade.usage.calls, grade.usage.input_tokens, grade.usage.cost_usd) == (3, 27, None)


async def test_the_votes_of_one_judge_are_not_one_vote_remembered():
    judge = Fixed(True)

    await Majority([Cached(judge, {})] * 3).grade(question("yes_no"))

    assert len(judge.questions) == 3


class Together:
    """Answers only when as many as it waits for are asked."""

    def __init__(self, count: int) -> None:
        self._barrier = asyncio.Barrier(count)

    async def grade(self, question: Question) -> Grade:
        await self._barrier.wait()
        return Grade(score=1, reason="r")


async def test_votes_are_cast_side_by_side():
    judge = Together(3)

    assert (await Majority([judge] * 3).grade(question("yes_no"))).score == 1
