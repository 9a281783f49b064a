"""A judge that puts the question to a language model."""

import hashlib
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from audition.errors import JudgeError, ModelError
from audition.judges import Grade, criteria_prompt, prompt
from audition.judges.criteria_reply import read_split, read_status
from audition.judges.echo import without_echoes
from audition.judges.reply import read_answer, read_grade
from audition.llm import Completion, JsonSchema, LanguageModel, Message
from audition.results import Vote
from audition.scoring.rule import Question
from audition.text import shorten
from audition.transcript import Usage, total

_NOUNS = {"grade": "grade", "yes_no": "answer", "clauses": "split of the criteria", "clause": "answer"}


def _new_nonce() -> str:
    return secrets.token_hex(8)


class LlmJudge:
    """Asks a language model, and once more when its reply cannot be read.

    `nonce` makes the random text that fences what is graded, anew for each question. `name` is what votes call the
    model when it does not say its own name.
    """

    def __init__(self, model: LanguageModel, *, nonce: Callable[[], str] = _new_nonce, name: str | None = None) -> None:
        self._model, self._nonce, self._name = model, nonce, name

    async def grade(self, question: Question) -> Grade:
        """Return the model's answer on the scale of the question, with the vote that it is.

        Raises: JudgeError, with the last reply, when the model gives no answer or two that cannot be read.
        """
        asked = messages_for(question, self._nonce())
        first = await self._ask(asked, question, before=None)
        try:
            return self._voted(_read(question, first), question, first)
        except JudgeError as error:
            asked_again = (*asked, _answered(first), _complaint(error.message, question))
        second = await self._ask(asked_again, question, before=first)
        try:
            return self._voted(_read(question, second), question, first, second)
        except JudgeError as error:
            problem = f"no {_NOUNS[question.scale]} can be read from the judge's reply: {error.message}"
            vote = self._vote(question, problem, first, second)
            raise JudgeError(problem, raw=error.raw, votes=[vote]) from None

    async def _ask(self, asked: Sequence[Message], question: Question, *, before: Completion | None) -> Completion:
        try:
            return await self._model.complete(asked, schema=_schema(question))
        except ModelError as error:
            problem, raw = f"the judge gave no answer: {error.message}", before.text if before else None
            vote = self._vote(question, problem, *([before] if before else []))
            raise JudgeError(problem, raw=raw, hint=error.hint, votes=[vote]) from error

    def _voted(self, grade: Grade, question: Question, *completions: Completion) -> Grade:
        vote = self._vote(question, grade.reason, *completions)
        return replace(grade, usage=vote.usage, votes=(replace(vote, score=grade.score, answer=grade.answer),))

    def _vote(self, question: Question, reason: str, *completions: Completion) -> Vote:
        """Return a vote without an answer; `completions` are the model's replies, none when there was none."""
        last = completions[-1] if completions else None
        return Vote(
            reason=reason,
            model=(last.model if last else None) or self._name,
            prompt_hash=prompt_hash(question),
            usage=_spent(completions),
            raw=last.text if last else None,
        )


def messages_for(question: Question, nonce: str) -> tuple[Message, Message]:
    """Return what a judge is asked, on the scale of the question; `nonce` belongs to this call alone."""
    if question.scale in ("clauses", "clause"):
        return criteria_prompt.messages(question, nonce)
    return prompt.messages(question, nonce)


def prompt_hash(question: Question) -> str:
    """Return the SHA-256, in hexadecimal, of what a judge is told and of the schema, with one nonce for all calls."""
    told = [[asdict(message) for message in messages_for(question, "nonce")], dict(_schema(question))]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _schema(question: Question) -> JsonSchema:
    if question.scale == "clauses" or question.scale == "clause":
        return criteria_prompt.SCHEMAS[question.scale]
    return prompt.SCHEMAS[question.scale]


def _complaint(problem: str, question: Question) -> Message:
    if question.scale == "clauses" or question.scale == "clause":
        return criteria_prompt.complaint(problem, question.scale)
    return prompt.complaint(problem, question.scale)


def _read(question: Question, completion: Completion) -> Grade:
    text, finish_reason = without_echoes(completion.text, question), completion.finish_reason
    if question.scale == "clauses":
        return read_split(text, finish_reason, question.criterion)
    if question.scale == "clause":
        return read_status(text, finish_reason)
    return (read_grade if question.scale == "grade" else read_answer)(text, finish_reason)


def _answered(completion: Completion) -> Message:
    return Message(role="assistant", content=shorten(completion.text, 2000) or "(nothing)")


def _spent(completions: Sequence[Completion]) -> Usage | None:
    return total(completion.usage for completion in completions) if completions else None
