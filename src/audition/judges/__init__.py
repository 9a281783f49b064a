"""Judges: they answer a question with a grade and a reason, or with an error, never with a guess.

`llm` puts the question to a language model, `majority` to several, `fixed` gives prepared grades, `cached` remembers
another judge's grades.
"""

from dataclasses import dataclass
from typing import Protocol

from audition.evals import Data
from audition.results import Vote
from audition.scoring.rule import Question
from audition.transcript import Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """A judge's answer, and why. `raw` is the reply it was read from.

    `score` is from 1 (not at all) to 5 (fully); to a question of yes or no it is 1 or 0. To a question about clauses
    it is None, and `answer` is the object that `audition.scoring.clauses` reads. `votes` are the answers that this one
    was made of, one for each model or sample that was asked.
    """

    score: int | None
    reason: str
    raw: str | None = None
    usage: Usage | None = None
    answer: Data | None = None
    votes: tuple[Vote, ...] = ()


class Judge(Protocol):
    """Who answers questions."""

    async def grade(self, question: Question) -> Grade:
        """Return the grade.

        Raises: JudgeError when there is none to be had (the check is then an error).
        """
        ...
