"""Questions put to a judge for their own sake, outside any run: by its doctor, and to compare it with people."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from audition.engine.settle import settle
from audition.errors import JudgeError
from audition.evals import Check, Eval, Turn
from audition.judges import Judge
from audition.judges.canaries import PASSES_FROM, VOID, Canary, question
from audition.llm.trial import of_trial
from audition.results import CheckResult, Verdict
from audition.scoring.checks.criteria import ALL_VOID, VOID_NOTE
from audition.scoring.rule import Question
from audition.scoring.score import score
from audition.transcript import Transcript, Usage, total


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


async def ask_all(judge: Judge, questions: Sequence[Question], *, at_once: int, names: Sequence[str]) -> Answers:
    """Put all questions to a judge, `at_once` at a time; one that it cannot answer stops none of the others.

    `names` says of each question what it is asked for, as `label: 7`: on a cassette, each name and sample is a trial of
    its own.
    """
    asked = [(name, one.sample, partial(_asked, judge, one)) for one, name in zip(questions, names, strict=True)]
    return await _all(asked, at_once)


async def ask_canaries(judge: Judge, chosen: Sequence[Canary], repeats: int, *, at_once: int) -> Answers:
    """Put each canary to a judge so often, `at_once` at a time: the repeats of one side by side, in their order.

    Criteria go the way that they go in a run: split, each clause asked about, and the answers verified by code. Their
    score is 1 when they are met, 0 when not, and `VOID`. On a cassette, each canary and each repeat is a trial of its
    own, as `canary: a colon`.
    """
    asked = [
        (
            f"canary: {one.name}",
            number,
            partial(_by_criteria, judge, one)
            if one.scale == "criteria"
            else partial(_asked, judge, question(one, number)),
        )
        for one in chosen
        for number in range(1, repeats + 1)
    ]
    return await _all(asked, at_once)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One answer: a score and its reason, or the problem."""

    score: int | None = None
    reason: str | None = None
    problem: str | None = None
    usage: Usage | None = None


async def _all(asked: Sequence[tuple[str, int, Callable[[], Awaitable[_Answer]]]], at_once: int) -> Answers:
    """Return all answers; what is asked has a name, and a number from 1 among those of that name."""
    turns = asyncio.Semaphore(at_once)

    async def ask(name: str, number: int, asking: Callable[[], Awaitable[_Answer]]) -> _Answer:
        async with turns:
            with of_trial(name, number):
                return await asking()

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(ask(*one)) for one in asked]
    answers = [task.result() for task in tasks]
    spent = [answer.usage for answer in answers if answer.usage is not None]
    return Answers(
        scores=tuple(answer.score for answer in answers),
        reasons=tuple(answer.reason for answer in answers),
        problems=tuple(answer.problem for answer in answers),
        usage=total(spent) if spent else None,
    )


async def _asked(judge: Judge, asked: Question) -> _Answer:
    try:
        grade = await judge.grade(asked)
    except JudgeError as error:
        return _Answer(problem=error.message)
    return _Answer(score=grade.score, reason=grade.reason, usage=grade.usage)


async def _by_criteria(judge: Judge, canary: Canary) -> _Answer:
    check = Check(category="criteria", spec={"criteria": canary.criterion})
    one = Eval(name=canary.name, turns=(Turn(user=canary.exchange.user, checks=(check,)),))
    transcript = Transcript(exchanges=(canary.exchange,))
    rows = score(one, transcript, judge_pass_threshold=PASSES_FROM["grade"])
    (result,) = [row for row in await settle(rows, judge) if row.category == "criteria"]
    found = _score_of(result)
    if found is None:
        return _Answer(problem=result.reason, usage=result.judge_usage)
    return _Answer(score=found, reason=result.reason, usage=result.judge_usage)


def _score_of(result: CheckResult) -> int | None:
    """Return what became of criteria; those of which a clause is void, and none unmet or unsure, are void."""
    if result.verdict is Verdict.FAIL:
        return 0
    if result.verdict is Verdict.PASS:
        return VOID if result.note == VOID_NOTE else 1
    return VOID if (result.reason or "").startswith(ALL_VOID) else None
