"""A judge whose grades are prepared: the public fake."""

from collections.abc import Callable, Mapping

from audition.errors import JudgeError
from audition.judges import Grade
from audition.scoring.rule import Question

Answer = Grade | int | Exception
"""A grade, its score alone, or an error that is raised."""


class Fixed:
    """Gives one answer to all questions, one by criterion, or what a function makes of the question.

        judge = Fixed({"greets the customer": 5, "names a price": 2})

    `questions` holds what it was asked, in order.
    """

    def __init__(self, grades: Answer | Mapping[str, Answer] | Callable[[Question], Answer]) -> None:
        self.questions: list[Question] = []
        self._grades = grades

    async def grade(self, question: Question) -> Grade:
        """Return the grade prepared for a question, or raise it.

        Raises: JudgeError when none is prepared for its criterion.
        """
        self.questions.append(question)
        answer = self._answer(question)
        if isinstance(answer, Exception):
            raise answer
        return Grade(score=answer, reason="prepared grade") if isinstance(answer, int) else answer

    def _answer(self, question: Question) -> Answer:
        if isinstance(self._grades, Mapping):
            missing = JudgeError(f"no grade is prepared for {question.criterion!r}")
            return self._grades.get(question.criterion, missing)
        return self._grades(question) if callable(self._grades) else self._grades
