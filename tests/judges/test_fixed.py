"""The judge that we ship as a fake."""

import pytest

from audition.errors import JudgeError
from audition.judges import Grade
from audition.judges.fixed import Fixed
from audition.scoring.rule import Question

pytestmark = pytest.mark.anyio

GREETS = Question(criterion="greets", response="Hi", conversation=(), threshold=3)


@pytest.mark.parametrize(
    "grades",
    [4, Grade(score=4, reason="fine"), {"greets": 4, "pays": 1}, lambda question: 2 * len(question.response)],
    ids=["a score", "a grade", "by criterion", "a function"],
)
async def test_a_grade_is_given(grades):
    grade = await Fixed(grades).grade(GREETS)

    assert grade.score == 4
    assert grade.reason


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        (JudgeError("down"), "down"),
        ({"greets": JudgeError("down")}, "down"),
        ({"pays": 5}, "no grade is prepared for 'greets'"),
        (lambda question: JudgeError(f"no idea about {question.criterion}"), "no idea about greets"),
    ],
    ids=["for all", "by criterion", "an unknown criterion", "from a function"],
)
async def test_an_error_is_raised(grades, message):
    with pytest.raises(JudgeError, match=message):
        await Fixed(grades).grade(GREETS)


async def test_questions_are_remembered():
    judge = Fixed(5)

    await judge.grade(GREETS)

    assert judge.questions == [GREETS]
