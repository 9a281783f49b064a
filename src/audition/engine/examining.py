"""Questions put to a judge for their own sake, outside any run: by its doctor, and to compare it with people."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from audition.errors import JudgeError
from audition.judges import Grade, Judge
from audition.scoring.rule import Question
from audition.transcript import Usage, total


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a judge answered, in the order of the questions.

    Of each either the score and its reason are None, or the problem: why there was no answer. `usage` is what the
    answers cost, None when none says.
    """

    scores: tuple[int | None, ...]
    reasons: tuple[str | None, ...]
    problems: tuple[str | None, ...]
    usage: Usage | None


async def ask_all(judge: Judge, questions: Sequence[Question], *, at_once: int) -> Answers:
    """Put all questions to a judge, `at_once` at a time; one that it cannot answer stops none of the others."""
    turns = asyncio.Semaphore(at_once)

    async def ask(question: Question) -> Grade | str:
        async with turns:
            try:
                return await judge.grade(question)
            except JudgeError as error:
                return error.message

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(ask(question)) for question in questions]
    answers = [task.result() for task in asked]
    grades = [None if isinstance(answer, str) else answer for answer in answers]
    spent = [grade.usage for grade in grades if grade is not None and grade.usage is not None]
    return Answers(
        scores=tuple(None if grade is None else grade.score for grade in grades),
        reasons=tuple(None if grade is None else grade.reason for grade in grades),
        problems=tuple(answer if isinstance(answer, str) else None for answer in answers),
        usage=total(spent) if spent else None,
    )
