"""Asking a judge whether any response can meet a text."""

import pytest

from audition.engine.doubting import doubt
from audition.errors import JudgeError
from audition.evals import Check, Eval, Turn
from audition.judges import Grade
from audition.judges.fixed import Fixed
from audition.scoring.lint import judged_texts
from audition.scoring.rule import Question

pytestmark = pytest.mark.anyio

TURN = Turn(
    user="Where is my order?",
    checks=tuple(Check(category="response", spec={"llm_judge": text}) for text in ("fine", "wrong", "odd")),
)
TEXTS = tuple(judged_texts(Eval(name="a", turns=(TURN,))))


def answer(question: Question) -> Grade | Exception:
    """Return what the judge says of each of the texts."""
    answers: dict[str, Grade | Exception] = {
        "fine": Grade(score=1, reason="can be met"),
        "wrong": Grade(score=0, reason="nobody knows"),
        "odd": JudgeError("it is empty"),
    }
    return answers[question.response]


async def test_a_no_is_a_finding_and_an_unread_answer_is_neither():
    found = await doubt(TEXTS, Fixed(answer), at_once=2)

    (finding,) = found.findings
    assert (finding.text, finding.finding.code, finding.finding.severity) == ("wrong", "D1", "error")
    assert finding.finding.message == "the judge: nobody knows"
    assert found.problems == ("a: the judge could not tell: it is empty",)


async def test_the_judge_is_shown_the_text_and_what_the_case_gives():
    judge = Fixed(Grade(score=1, reason="can be met"))

    await doubt(TEXTS[:1], judge, at_once=1)

    (asked,) = judge.questions
    assert (asked.response, asked.scale) == ("fine", "yes_no")
    assert [line.text for line in asked.conversation] == ["Where is my order?"]
