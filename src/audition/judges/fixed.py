"""A judge whose grades are prepared: the public fake."""

from collections.abc import Callable, Mapping

from audition.errors import JudgeError
from audition.judges import Grade
from audition.scoring.rule import Question

Answer = Grade | int | bool | Exception
"""A grade, its score alone, an error that is raised; or yes or no, which as a grade is 5 or 1."""


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

        Raises: JudgeError when none is prepared for its criterion, or one that is no answer on its scale.
        """
        self.questions.append(question)
        answer = self._answer(question)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, bool):
            yes, no = (5, 1) if question.scale == "grade" else (1, 0)
            answer = yes if answer else no
        grade = Grade(score=answer, reason="prepared grade") if isinstance(answer, int) else answer
        if question.scale == "yes_no" and grade.score not in (0, 1):
            raise JudgeError(f"a grade of {grade.score} is prepared for a question of yes or no")
        return grade

    def _answer(self, question: Question) -> Answer:
        if isinstance(self._grades, Mapping):
            missing = JudgeError(f"no grade is prepared for {question.criterion!r}")
            return self._grades.get(question.criterion, missing)
        return self._grades(question) if callable(self._grades) else self._grades
