"""A language model as a judge: what it is asked, how often, and what it cost."""

import itertools
from dataclasses import replace

import pytest

from audition.errors import JudgeError, ModelError
from audition.judges.llm import LlmJudge
from audition.judges.prompt import SCHEMA, YES_NO_SCHEMA, messages
from audition.llm import Completion
from audition.llm.scripted import Scripted
from audition.scoring.rule import Question
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

QUESTION = Question(criterion="States the opening hours", response="At 9.", conversation=(), threshold=3)
GOOD = '{"reason": "It says 9.", "score": 5}'
PROSE = "I would say 4."


def spending(text: str, tokens: int) -> Completion:
    """Return a reply that spent so many tokens."""
    return Completion(text=text, usage=Usage(calls=1, input_tokens=tokens, output_tokens=1))


async def test_a_model_is_asked_for_a_grade_with_the_schema():
    model = Scripted([GOOD])

    grade = await LlmJudge(model, nonce=lambda: "n0").grade(QUESTION)

    assert (grade.score, grade.reason, grade.raw) == (5, "It says 9.", GOOD)
    assert model.requests[0].messages == messages(QUESTION, "n0")
    assert model.requests[0].schema == SCHEMA
    assert model.requests[0].tools == ()


async def test_a_question_of_yes_or_no_has_its_own_schema_and_answers():
    asked = replace(QUESTION, scale="yes_no", threshold=1)
    model = Scripted(["Rather yes.", '{"reason": "It says 9.", "answer": "yes"}'])

    grade = await LlmJudge(model, nonce=lambda: "n0").grade(asked)

    assert (grade.score, grade.reason) == (1, "It says 9.")
    assert [request.schema for request in model.requests] == [YES_NO_SCHEMA, YES_NO_SCHEMA]
    assert "no JSON object with an answer" in model.requests[1].messages[-1].content
    assert '"answer": <"yes" or "no">' in model.requests[1].messages[-1].content


@pytest.mark.parametrize("reply", ["maybe", '{"reason": "r", "answer": "unknown"}'])
async def test_what_is_neither_yes_nor_no_is_an_error_after_one_more_try(reply):
    model = Scripted([reply, reply])

    with pytest.raises(JudgeError, match="no answer can be read") as caught:
        await LlmJudge(model).grade(replace(QUESTION, scale="yes_no"))

    assert (len(model.requests), caught.value.raw) == (2, reply)


async def test_an_unreadable_reply_is_asked_again_once_with_the_problem_told():
    model = Scripted([spending(PROSE, 10), spending(GOOD, 20)])

    grade = await LlmJudge(model, nonce=lambda: "n0").grade(QUESTION)

    *before, told, complaint = model.requests[1].messages
    assert grade.score == 5
    assert grade.usage == Usage(calls=2, input_tokens=30, output_tokens=2)
    assert tuple(before) == messages(QUESTION, "n0")
    assert (told.role, told.content) == ("assistant", PROSE)
    assert complaint.role == "user"
    assert "no JSON object with a score" in complaint.content


@pytest.mark.parametrize(
    "second",
    [PROSE, "", '{"score": 99, "reason": "x"}', Completion(text=GOOD, finish_reason="length")],
    ids=["prose", "nothing", "out of range", "cut"],
)
async def test_two_unreadable_replies_are_an_error_that_keeps_the_last(second):
    model = Scripted([PROSE, second])

    with pytest.raises(JudgeError, match="no grade can be read") as caught:
        await LlmJudge(model).grade(QUESTION)

    assert len(model.requests) == 2
    assert caught.value.raw == (second if isinstance(second, str) else GOOD)


async def test_a_cut_reply_is_asked_again():
    model = Scripted([Completion(text=GOOD, finish_reason="length"), '{"reason": "No hours.", "score": 1}'])

    grade = await LlmJudge(model).grade(QUESTION)

    assert grade.score == 1
    assert "cut short" in model.requests[1].messages[-1].content


async def test_a_long_reply_is_not_sent_back_whole():
    model = Scripted(["x" * 100_000, GOOD])

    await LlmJudge(model).grade(QUESTION)

    assert len(model.requests[1].messages[-2].content) == 2000


@pytest.mark.parametrize(
    ("answers", "raw"),
    [
        ([ModelError("down", status=503, hint="wait")], None),
        ([PROSE, ModelError("down", status=503, hint="wait")], PROSE),
    ],
    ids=["at once", "on the second try"],
)
async def test_a_model_that_gives_no_answer_is_an_error(answers, raw):
    with pytest.raises(JudgeError, match="the judge gave no answer: down") as caught:
        await LlmJudge(Scripted(answers)).grade(QUESTION)

    assert (caught.value.raw, caught.value.hint) == (raw, "wait")


async def test_each_question_has_its_own_nonce():
    model = Scripted([GOOD, GOOD])
    numbers = itertools.count()
    judge = LlmJudge(model, nonce=lambda: f"nonce{next(numbers)}")

    await judge.grade(QUESTION)
    await judge.grade(QUESTION)

    assert ["nonce0" in request.messages[1].content for request in model.requests] == [True, False]
    assert "nonce1" in model.requests[1].messages[1].content


async def test_nonces_are_random_by_default():
    model = Scripted([GOOD, GOOD])
    judge = LlmJudge(model)

    await judge.grade(QUESTION)
    await judge.grade(QUESTION)

    assert model.requests[0].messages[1] != model.requests[1].messages[1]
