"""A judge that puts the question to a language model."""

import secrets
from collections.abc import Callable, Sequence

from audition.errors import JudgeError, ModelError
from audition.judges import Grade
from audition.judges.prompt import SCHEMAS, complaint, messages
from audition.judges.reply import read_answer, read_grade
from audition.llm import Completion, JsonSchema, LanguageModel, Message, total
from audition.scoring.rule import Question
from audition.text import shorten


def _new_nonce() -> str:
    return secrets.token_hex(8)


class LlmJudge:
    """Asks a language model, and once more when its reply cannot be read.

    `nonce` makes the random text that fences what is graded, anew for each question.
    """

    def __init__(self, model: LanguageModel, *, nonce: Callable[[], str] = _new_nonce) -> None:
        self._model, self._nonce = model, nonce

    async def grade(self, question: Question) -> Grade:
        """Return the model's grade, or its yes or no.

        Raises: JudgeError, with the last reply, when the model gives no answer or two that cannot be read.
        """
        read = read_grade if question.scale == "grade" else read_answer
        schema = SCHEMAS[question.scale]
        asked = messages(question, self._nonce())
        first = await self._ask(asked, schema, before=None)
        try:
            return _with_usage(read(first.text, first.finish_reason), first)
        except JudgeError as error:
            asked_again = (*asked, _answered(first), complaint(error.message, question.scale))
        second = await self._ask(asked_again, schema, before=first)
        try:
            return _with_usage(read(second.text, second.finish_reason), first, second)
        except JudgeError as error:
            noun = "grade" if question.scale == "grade" else "answer"
            raise JudgeError(f"no {noun} can be read from the judge's reply: {error.message}", raw=error.raw) from None

    async def _ask(self, asked: Sequence[Message], schema: JsonSchema, *, before: Completion | None) -> Completion:
        try:
            return await self._model.complete(asked, schema=schema)
        except ModelError as error:
            raw = before.text if before else None
            raise JudgeError(f"the judge gave no answer: {error.message}", raw=raw, hint=error.hint) from error


def _answered(completion: Completion) -> Message:
    return Message(role="assistant", content=shorten(completion.text, 2000) or "(nothing)")


def _with_usage(grade: Grade, *completions: Completion) -> Grade:
    usage = total(completion.usage for completion in completions)
    return Grade(score=grade.score, reason=grade.reason, raw=grade.raw, usage=usage)
