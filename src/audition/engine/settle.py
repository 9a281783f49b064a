"""Settling: the open checks of a transcript are put to the judge, side by side."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from audition.errors import JudgeError
from audition.judges import Judge
from audition.llm import total
from audition.results import CheckResult, Verdict
from audition.scoring.rule import OpenCheck, Opinion, Question
from audition.scoring.score import settled, unsettled
from audition.text import shorten
from audition.transcript import Usage

_SHOWN_CHARACTERS = 500
NO_JUDGE = "no judge is configured; set [judge] model in audition.toml, or pass --judge-model (or --no-judge to skip)"


async def settle(
    scored: Sequence[CheckResult | OpenCheck], judge: Judge | None, *, judging: bool = True
) -> tuple[CheckResult, ...]:
    """Return the results of all checks, in their order. A judge that fails leaves an error, never a pass.

    `judging` False: somebody chose not to ask, so open checks are skipped.
    """
    if not any(isinstance(one, OpenCheck) for one in scored):
        return tuple(one for one in scored if isinstance(one, CheckResult))
    async with asyncio.TaskGroup() as group:
        asked = [
            group.create_task(_ask(one, judge, judging=judging)) if isinstance(one, OpenCheck) else one
            for one in scored
        ]
    return tuple(one.result() if isinstance(one, asyncio.Task) else one for one in asked)


async def _ask(one: OpenCheck, judge: Judge | None, *, judging: bool) -> CheckResult:
    if not judging:
        return unsettled(one, Verdict.SKIP, "judging is switched off")
    if judge is None:
        return unsettled(one, Verdict.ERROR, NO_JUDGE)
    if isinstance(one.question, Question):
        return await _ask_one(one, one.question, judge)
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(_opinion(question, judge)) for question in one.question.questions]
    answers = [task.result() for task in asked]
    return settled(one, [opinion for opinion, _ in answers], total(usage for _, usage in answers if usage))


async def _ask_one(one: OpenCheck, question: Question, judge: Judge) -> CheckResult:
    try:
        grade = await judge.grade(question)
    except JudgeError as error:
        said = None if error.raw is None else f"the judge said: {shorten(error.raw, _SHOWN_CHARACTERS)}"
        return replace(unsettled(one, Verdict.ERROR, str(error)), actual=said)
    return settled(one, [Opinion(score=grade.score, reason=grade.reason)], grade.usage)


async def _opinion(question: Question, judge: Judge) -> tuple[Opinion, Usage | None]:
    try:
        grade = await judge.grade(question)
    except JudgeError as error:
        return Opinion(score=None, reason=str(error)), None
    return Opinion(score=grade.score, reason=grade.reason), grade.usage
