"""Settling: the open checks of a transcript are put to the judge, side by side."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from audition.errors import JudgeError
from audition.judges import Grade, Judge
from audition.judges.cached import Cached
from audition.results import CheckResult, Verdict, Vote
from audition.scoring.rule import OpenCheck, Opinion, Question
from audition.scoring.score import settled, unsettled
from audition.text import shorten
from audition.transcript import Usage, total

ROUNDS = 3
"""How often the answers of one check may lead to further questions, the first ones counted."""

_SHOWN_CHARACTERS = 500
_ASKED_CHARACTERS = 120
NO_JUDGE = "no judge is configured; set [judge] model in audition.toml, or pass --judge-model (or --no-judge to skip)"


async def settle(
    scored: Sequence[CheckResult | OpenCheck],
    judge: Judge | None,
    *,
    judging: bool = True,
    within_s: float | None = None,
) -> tuple[CheckResult, ...]:
    """Return the results of all checks, in their order. A judge that fails leaves an error, never a pass.

    `judging` False: somebody chose not to ask, so open checks are skipped. What two checks ask alike is asked once.
    `within_s`: the time that all have together, waits and repeated attempts of the judge's model included, seconds;
    None for no limit. A check that is still open then is an error.
    """
    if not any(isinstance(one, OpenCheck) for one in scored):
        return tuple(one for one in scored if isinstance(one, CheckResult))
    asker = None if judge is None else Cached(judge, {}, within_trial=True)
    async with asyncio.TaskGroup() as group:
        asked = [
            group.create_task(_ask(one, asker, judging=judging, within_s=within_s))
            if isinstance(one, OpenCheck)
            else one
            for one in scored
        ]
    return tuple(one.result() if isinstance(one, asyncio.Task) else one for one in asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered:
    """What came of one question: `usage` None when nobody knows what it cost, `raw` is of a judge that gave no answer.

    `error` None: it was answered.
    """

    opinion: Opinion
    votes: tuple[Vote, ...]
    usage: Usage | None
    error: str | None = None
    raw: str | None = None


async def _ask(one: OpenCheck, judge: Judge | None, *, judging: bool, within_s: float | None) -> CheckResult:
    if not judging:
        return unsettled(one, Verdict.SKIP, "judging is switched off")
    if judge is None:
        return unsettled(one, Verdict.ERROR, NO_JUDGE)
    asking = _Asking(judge)
    try:
        async with asyncio.timeout(within_s) as limit:
            row = await asking.to_the_end(one)
    except TimeoutError:
        if not limit.expired():
            raise
        late = f"judging did not end in the time that the eval may take ({within_s:.3g} s were left for it)"
        row = asking.undecided(one, late)
    return replace(row, warning=asking.warning)


class _Asking:
    """The rounds of questions of one check: what was answered so far, also when they are broken off."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._answered: list[_Answered] = []
        self.warning: str | None = None

    async def to_the_end(self, one: OpenCheck) -> CheckResult:
        from audition.scoring.verdict_like import remark  # its patterns take 9 ms of CPU, and most runs ask no judge

        row: CheckResult | OpenCheck = one
        for _ in range(ROUNDS):
            if isinstance(row, CheckResult):
                break
            self.warning = self.warning or remark(row.question)
            answers = await self._round(row)
            if isinstance(row.question, Question) and answers[0].error is not None:
                return _unanswered(row, answers[0])
            opinions = [answer.opinion for answer in answers]
            row = settled(row, opinions, _spent(self._answered), self._votes())
        if isinstance(row, OpenCheck):
            return self.undecided(one, f"the check would ask more than {ROUNDS} rounds of questions")
        return row

    def undecided(self, one: OpenCheck, reason: str) -> CheckResult:
        """Return that the check is an error, with what was answered and spent all the same."""
        row = unsettled(one, Verdict.ERROR, reason)
        return replace(row, judge_usage=_spent(self._answered), votes=tuple(self._votes()))

    async def _round(self, one: OpenCheck) -> list[_Answered]:
        questions = (one.question,) if isinstance(one.question, Question) else one.question.questions
        asked: list[asyncio.Task[_Answered]] = []
        before = len(self._answered)
        try:
            async with asyncio.TaskGroup() as group:
                asked += [group.create_task(_answer(question, self._judge)) for question in questions]
        finally:
            # When they are broken off, what was answered already was paid for.
            self._answered += [task.result() for task in asked if not task.cancelled() and task.exception() is None]
        return self._answered[before:]

    def _votes(self) -> list[Vote]:
        return [vote for answer in self._answered for vote in answer.votes]


async def _answer(question: Question, judge: Judge) -> _Answered:
    try:
        grade = await judge.grade(question)
    except JudgeError as error:
        votes = error.votes or (Vote(reason=error.message, raw=error.raw),)
        return _Answered(
            opinion=Opinion(score=None, reason=str(error)),
            votes=_named(votes, question),
            usage=total(vote.usage for vote in error.votes if vote.usage) if error.votes else None,
            error=str(error),
            raw=error.raw,
        )
    opinion = Opinion(score=grade.score, reason=grade.reason, answer=grade.answer)
    return _Answered(opinion=opinion, votes=_named(_votes_of(grade), question), usage=grade.usage)


def _votes_of(grade: Grade) -> tuple[Vote, ...]:
    """Return the votes of a grade; that of a judge of one's own, which tells of none, is one."""
    own = Vote(score=grade.score, answer=grade.answer, reason=grade.reason, usage=grade.usage, raw=grade.raw)
    return grade.votes or (own,)


def _named(votes: Sequence[Vote], question: Question) -> tuple[Vote, ...]:
    asked = shorten(question.criterion.partition("\n")[0], _ASKED_CHARACTERS)
    return tuple(replace(vote, asked=asked) for vote in votes)


def _spent(answered: Sequence[_Answered]) -> Usage | None:
    """Return what all answers cost, None when none says."""
    known = [answer.usage for answer in answered if answer.usage]
    return total(known) if known else None


def _unanswered(one: OpenCheck, answer: _Answered) -> CheckResult:
    said = None if answer.raw is None else f"the judge said: {shorten(answer.raw, _SHOWN_CHARACTERS)}"
    unread = unsettled(one, Verdict.ERROR, answer.error or "")
    return replace(unread, actual=said, votes=answer.votes, judge_usage=answer.usage)
