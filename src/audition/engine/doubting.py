"""Asking a judge about the texts that judges are asked about: whether any response can meet them (`lint --deep`)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from audition.errors import JudgeError
from audition.judges import Judge
from audition.llm.trial import of_trial
from audition.scoring.lint import EvalFinding, JudgedText, LintFinding
from audition.scoring.rule import Line, Question

CODE = "D1"
"""The code of what a judge finds; `L` numbers are the rules'."""

_ASKED = (
    "The response block holds no answer of an agent. It holds a criterion by which an answer will be judged. It is met "
    "if one single answer, given after the situation that the conversation shows, could meet every clause of it. It is "
    "not if some clause cannot be met: it predicts what a lookup returns, wants a value that nobody gave, needs an "
    "answer that the user has not given yet, or contradicts another clause. What the agent itself may know, such as "
    "prices and rules, counts as given. In the reason, quote the clause that cannot be met."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """What a judge found: texts that no response can meet, and why it could not tell of others."""

    findings: tuple[EvalFinding, ...]
    problems: tuple[str, ...]


async def doubt(texts: Sequence[JudgedText], judge: Judge, *, at_once: int) -> Doubts:
    """Return which texts no response can meet, as a judge sees it; `at_once` are asked about side by side.

    On a cassette, the texts of each eval are a trial of their own, as `lint: greeting`.
    """
    turns = asyncio.Semaphore(at_once)

    async def ask(one: JudgedText) -> EvalFinding | str | None:
        async with turns:
            try:
                with of_trial(f"lint: {one.eval_name}", 1):
                    grade = await judge.grade(_question(one))
            except JudgeError as error:
                return f"{one.where or one.eval_name}: the judge could not tell: {error.message}"
        return _finding(one, grade.reason) if grade.score == 0 else None

    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(ask(one)) for one in texts]
    answers = [task.result() for task in asked]
    return Doubts(
        findings=tuple(one for one in answers if isinstance(one, EvalFinding)),
        problems=tuple(one for one in answers if isinstance(one, str)),
    )


def _question(one: JudgedText) -> Question:
    given = one.criterion.scenario
    return Question(
        criterion=_ASKED,
        response=one.criterion.text,
        conversation=(Line(speaker="user", text=given),) if given else (),
        threshold=1,
        scale="yes_no",
    )


def _finding(one: JudgedText, reason: str) -> EvalFinding:
    text = one.criterion.text
    found = LintFinding(code=CODE, severity="error", start=0, end=len(text), message=f"the judge: {reason}")
    return EvalFinding(eval_name=one.eval_name, key=one.key, text=text, where=one.where, finding=found)
