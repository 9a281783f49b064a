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


CLAUSE = Question(
    criterion="greets", response="R2:\n    Hi there\nR3:\n    Bye", conversation=(), threshold=1, scale="clause"
)


@pytest.mark.parametrize(("answer", "status"), [(True, "met"), (False, "unmet"), (1, "met"), (0, "unmet")])
async def test_yes_and_no_say_what_became_of_a_clause(answer, status):
    grade = await Fixed(answer).grade(CLAUSE)

    assert (grade.score, grade.answer["status"]) == (None, status)
    assert grade.answer["evidence"] == [{"source": "R2", "quote": "Hi there"}]


async def test_criteria_are_one_clause_unless_a_split_is_prepared():
    asked = replace(CLAUSE, scale="clauses")
    prepared = {"clauses": [{"text": "greets", "type": "style"}]}

    assert (await Fixed(True).grade(asked)).answer == {"clauses": [{"text": "greets", "type": "coverage"}]}
    assert (await Fixed(lambda question: prepared).grade(asked)).answer == prepared


async def test_an_object_is_no_grade():
    with pytest.raises(JudgeError, match="answered with a number"):
        await Fixed({"greets": {"status": "met"}}).grade(replace(CLAUSE, scale="grade"))
