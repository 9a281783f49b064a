"""A judge made of several: each is asked the same, all are heard, and most of them decide."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import median_low

from audition.errors import JudgeError
from audition.evals import Data
from audition.judges import Grade, Judge
from audition.results import Vote
from audition.scoring.rule import Question
from audition.transcript import total

_GRADES = (1, 2, 3, 4, 5)
_DECIDES = ("status", "call", "faithful")
"""The parts of an answer about a clause on which the votes must agree."""


class Majority:
    """Asks each of an odd number of judges once, whatever the others say; the same judge may stand there repeatedly.

    The grade is the median of the grades; a yes or no, and what became of a clause, is what more than half say. A vote
    that cannot be read might have been any: when it could have changed the outcome there is none. Criteria are split
    by the first judge alone, since the others could only split them otherwise.
    """

    def __init__(self, judges: Sequence[Judge]) -> None:
        if len(judges) % 2 == 0:
            raise ValueError(f"an odd number of judges can decide, not {len(judges)}")
        self._judges = tuple(judges)

    async def grade(self, question: Question) -> Grade:
        """Return what the judges say together; its votes are those of all.

        Raises: JudgeError, with all votes, when they say nothing together.
        """
        if question.scale == "clauses":
            return await self._judges[0].grade(question)
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(_asked(judge, question, number)) for number, judge in enumerate(self._judges)]
        heard = [task.result() for task in asked]
        votes = [vote for _, cast in heard for vote in cast]
        answers = [answer for answer, _ in heard if isinstance(answer, Grade)]
        decide: Callable[[Sequence[Grade], int], Grade | None] = _median if question.scale == "grade" else _most
        decided = decide(answers, len(self._judges))
        if decided is None:
            raise JudgeError(_undecided(heard, question), raw=_raw(heard), votes=votes)
        usages = [vote.usage for vote in votes if vote.usage]
        return replace(decided, usage=total(usages) if usages else None, votes=tuple(votes))


_Heard = tuple[Grade | JudgeError, tuple[Vote, ...]]


async def _asked(judge: Judge, question: Question, number: int) -> _Heard:
    """Return a judge's answer and its votes; a sample of its own, so that no cache takes two votes for one."""
    try:
        grade = await judge.grade(replace(question, sample=question.sample + number * _SAMPLES_APART))
    except JudgeError as error:
        return error, error.votes or (Vote(reason=error.message, raw=error.raw),)
    own = Vote(score=grade.score, answer=grade.answer, reason=grade.reason, usage=grade.usage, raw=grade.raw)
    return grade, grade.votes or (own,)


_SAMPLES_APART = 1000
"""More than the samples that a check may ask for, so that those of different votes are told apart."""


def _median(answers: Sequence[Grade], votes: int) -> Grade | None:
    """Return the answer with the median grade, None when votes that are missing could have moved it."""
    missing = votes - len(answers)
    given = [answer.score for answer in answers if answer.score is not None]
    low, high = (median_low(given + [edge] * missing) for edge in (_GRADES[0], _GRADES[-1]))
    if low != high:
        return None
    middle = next(answer for answer in answers if answer.score == low)
    return _counted(middle, sum(score == low for score in given), votes)


def _most(answers: Sequence[Grade], votes: int) -> Grade | None:
    """Return the first of the answers that more than half of all votes give, None without such a majority."""
    counts = Counter(map(_said, answers))
    for said, times in counts.items():
        if 2 * times > votes:
            first = next(answer for answer in answers if _said(answer) == said)
            return _counted(first, times, votes)
    return None


def _counted(grade: Grade, times: int, votes: int) -> Grade:
    return replace(grade, reason=f"{grade.reason} ({times} of {votes} votes)") if votes > 1 else grade


def _said(grade: Grade) -> tuple[object, ...]:
    """Return what an answer comes to: two that give different reasons or quotes for it say the same."""
    if grade.answer is None:
        return (grade.score,)
    answer: Data = grade.answer
    return tuple(answer.get(key) for key in _DECIDES) if answer.get("status") == "void" else (answer.get("status"),)


def _undecided(heard: Sequence[_Heard], question: Question) -> str:
    """Return why the votes decide nothing, with what each said."""
    said = []
    for answer, _ in heard:
        if isinstance(answer, JudgeError):
            said.append(f"none ({answer.message})")
        else:
            said.append(str(answer.score if answer.answer is None else answer.answer.get("status")))
    noun = "grade" if question.scale == "grade" else "majority"
    return f"the votes give no {noun}: {', '.join(said)}"


def _raw(heard: Sequence[_Heard]) -> str | None:
    return next((answer.raw for answer, _ in heard if isinstance(answer, JudgeError)), None)
