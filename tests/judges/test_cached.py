"""A judge that remembers grades, and only grades."""

import asyncio
from dataclasses import replace

import pytest

from audition.errors import JudgeError
from audition.judges import Grade
from audition.judges.cached import Cached, cache_key
from audition.judges.fixed import Fixed
from audition.scoring.rule import Line, Question
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

GREETS = Question(criterion="greets", response="Hi", conversation=(Line(speaker="user", text="Hey"),), threshold=3)


class SlowJudge:
    """Answers when it is let to; `asked` says how often it was asked."""

    def __init__(self, *answers: int | Exception) -> None:
        self.let, self.asked, self._answers = asyncio.Event(), 0, iter(answers)

    async def grade(self, question: Question) -> Grade:
        self.asked += 1
        await self.let.wait()
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return Grade(score=answer, reason="r")


async def test_the_same_question_is_asked_once_and_costs_once():
    judge = Fixed(Grade(score=4, reason="fine", usage=Usage(calls=1, input_tokens=9)))
    cached = Cached(judge, {})

    first, second = await cached.grade(GREETS), await cached.grade(replace(GREETS))

    assert judge.questions == [GREETS]
    assert (first.score, second.score, second.reason) == (4, 4, "fine")
    assert (first.usage.input_tokens, second.usage.input_tokens) == (9, 0)


@pytest.mark.parametrize(
    "change",
    [
        {"criterion": "greets warmly"},
        {"response": "Hi!"},
        {"conversation": ()},
        {"conversation": (Line(speaker="agent", text="Hey"),)},
        {"threshold": 4},
        {"scale": "yes_no"},
        {"reference": "Hello"},
        {"sample": 2},
    ],
    ids=str,
)
async def test_a_question_that_differs_is_another_question(change):
    judge = Fixed(True)
    cached = Cached(judge, {})

    await cached.grade(GREETS)
    await cached.grade(replace(GREETS, **change))

    assert len(judge.questions) == 2


async def test_a_cache_outlives_the_judge():
    cache: dict[str, Grade] = {}

    await Cached(Fixed(4), cache).grade(GREETS)
    grade = await Cached(Fixed(JudgeError("down")), cache).grade(GREETS)

    assert grade.score == 4
    assert list(cache) == [cache_key(GREETS)]


async def test_errors_are_not_remembered():
    answers = iter([JudgeError("down"), 5])
    cached = Cached(Fixed(lambda question: next(answers)), {})

    with pytest.raises(JudgeError):
        await cached.grade(GREETS)
    grade = await cached.grade(GREETS)

    assert grade.score == 5


async def test_identical_questions_side_by_side_are_asked_once():
    judge = SlowJudge(4)
    cached = Cached(judge, {})

    asking = asyncio.gather(cached.grade(GREETS), cached.grade(GREETS), cached.grade(GREETS))
    judge.let.set()
    grades = await asking

    assert [grade.score for grade in grades] == [4, 4, 4]
    assert judge.asked == 1


async def test_one_who_stops_waiting_takes_nothing_from_the_others():
    judge = SlowJudge(4)
    cached = Cached(judge, {})

    first, second = asyncio.create_task(cached.grade(GREETS)), asyncio.create_task(cached.grade(GREETS))
    await asyncio.sleep(0)
    first.cancel()
    judge.let.set()
    grade = await second

    assert grade.score == 4
    assert first.cancelled()


def test_the_key_of_a_question_does_not_change_between_versions():
    assert cache_key(GREETS) == "07da2db9f7eb60e15c70d49b093848e4ec4f39e60a28d276239494c1e1c45c78"
