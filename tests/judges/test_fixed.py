"""The judge that we ship as a fake."""

from dataclasses import replace

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


@pytest.mark.parametrize(
    ("scale", "prepared", "score"),
    [
        ("yes_no", True, 1),
        ("yes_no", False, 0),
        ("yes_no", 1, 1),
        ("yes_no", 0, 0),
        ("grade", True, 5),
        ("grade", False, 1),
    ],
)
async def test_yes_and_no_are_given_on_either_scale(scale, prepared, score):
    grade = await Fixed(prepared).grade(replace(GREETS, scale=scale, threshold=1))

    assert (grade.score, type(grade.score)) == (score, int)


async def test_a_grade_is_no_answer_to_a_question_of_yes_or_no():
    with pytest.raises(JudgeError, match="a grade of 4 is prepared for a question of yes or no"):
        await Fixed(4).grade(replace(GREETS, scale="yes_no"))


async def test_questions_are_remembered():
    judge = Fixed(5)

    await judge.grade(GREETS)

    assert judge.questions == [GREETS]
