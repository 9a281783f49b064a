"""Questions put to a judge for their own sake."""

import pytest

from audition.engine.examining import ask_all
from audition.errors import JudgeError
from audition.judges import Grade
from audition.judges.fixed import Fixed
from audition.scoring.rule import Question
from audition.transcript import Usage

pytestmark = pytest.mark.anyio


def question(criterion: str) -> Question:
    """Return a question by its criterion."""
    return Question(criterion=criterion, response="r", conversation=(), threshold=3)


async def test_answers_stand_in_the_order_of_the_questions() -> None:
    usage = Usage(calls=1, input_tokens=10, output_tokens=1, cost_usd=None)
    judge = Fixed({"a": Grade(score=5, reason="good", usage=usage), "b": JudgeError("down"), "c": 1})

    answers = await ask_all(judge, [question(name) for name in "cab"], at_once=2)

    assert answers.scores == (1, 5, None)
    assert answers.reasons == ("prepared grade", "good", None)
    assert answers.problems == (None, None, "down")
    assert answers.usage == usage


async def test_nothing_said_of_the_cost_is_not_known() -> None:
    assert (await ask_all(Fixed(5), [question("a")], at_once=1)).usage is None
