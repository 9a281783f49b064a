"""A judge whose grades are prepared: the public fake."""

import re
from collections.abc import Callable, Mapping

from audition.errors import JudgeError
from audition.evals import Data
from audition.judges import Grade
from audition.scoring.rule import Question

Answer = Grade | int | bool | Data | Exception
"""A grade, its score alone, an error that is raised; or yes or no, which as a grade is 5 or 1.

To a question about clauses it is an object, as `audition.scoring.clauses` reads it. Yes means that the clause is met,
with what the agent said first as evidence, and no that it is unmet; criteria are one clause then.
"""


class Fixed:
    """Gives one answer to all questions, one by criterion, or what a function makes of the question.

        judge = Fixed({"greets the customer": 5, "names a price": 2})

    `questions` holds what it was asked, in order.
    """

    def __init__(self, grades: Grade | int | Exception | Mapping[str, Answer] | Callable[[Question], Answer]) -> None:
        self.questions: list[Question] = []
        self._grades = grades

    async def grade(self, question: Question) -> Grade:
        """Return the grade prepared for a question, or raise it.

        Raises: JudgeError when none is prepared for its criterion, or one that is no answer on its scale.
        """
        self.questions.append(question)
        answer = self._answer(question)
        if isinstance(answer, Exception):
            raise answer
        grade = answer if isinstance(answer, Grade) else _grade(answer, question)
        if question.scale == "yes_no" and grade.score not in (0, 1):
            raise JudgeError(f"a grade of {grade.score} is prepared for a question of yes or no")
        return grade

    def _answer(self, question: Question) -> Answer:
        if isinstance(self._grades, Mapping):
            missing = JudgeError(f"no grade is prepared for {question.criterion!r}")
            return self._grades.get(question.criterion, missing)
        return self._grades(question) if callable(self._grades) else self._grades


def _grade(answer: int | Data, question: Question) -> Grade:
    if question.scale in ("clauses", "clause"):
        said = answer if isinstance(answer, Mapping) else _about_clauses(question, holds=bool(answer))
        return Grade(score=None, answer=said, reason="prepared answer")
    if isinstance(answer, Mapping):
        raise JudgeError("an object is prepared for a question that is answered with a number")
    if isinstance(answer, bool):
        yes, no = (5, 1) if question.scale == "grade" else (1, 0)
        answer = yes if answer else no
    return Grade(score=answer, reason="prepared grade")


def _about_clauses(question: Question, *, holds: bool) -> Data:
    """Return criteria as one clause; or a clause as met or unmet, the first line of what was said as its evidence."""
    if question.scale == "clauses":
        return {"clauses": [{"text": question.criterion, "type": "coverage"}]}
    pieces = re.findall(r"^(R\d+):\n(.*)", question.response, re.MULTILINE)
    return {
        "evidence": [{"source": label, "quote": text.strip()} for label, text in pieces[:1] if text.strip()],
        "reasoning": "prepared answer",
        "call": "none",
        "faithful": "none",
        "status": "met" if holds else "unmet",
    }
