"""What the tests of judged checks share: a check asked and concluded in one line, without a judge."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from audition.documents.shape import read_all
from audition.evals import Check, Eval, Reference, Scenario, Turn
from audition.results import CheckResult
from audition.scoring.checks import CATEGORIES
from audition.scoring.rule import Inquiry, OpenCheck, Opinion, Question
from audition.scoring.score import score, settled
from audition.transcript import Exchange, Reply, ToolCall, Transcript

Answers = Callable[[Question], bool | None]
"""What a judge says to each question; None: nothing that can be read."""


def exchange(user: str, *replies: str, calls: Sequence[ToolCall] = ()) -> Exchange:
    """Return a turn that was taken."""
    return Exchange(user=user, replies=tuple(Reply(text=text) for text in replies), tool_calls=tuple(calls))


@dataclass
class Asked:
    """A check of an outcome, and what was asked for it. `questions` holds them in their order."""

    questions: list[Question] = field(default_factory=list)

    def result(
        self,
        category: str,
        written: Mapping[str, object],
        exchanges: Sequence[Exchange],
        answers: Answers | bool | None = True,
        *,
        references: Sequence[str | None] = (),
        scenario: Scenario | None = None,
        turns: Sequence[Turn] | None = None,
        observes: tuple[str, ...] | None = None,
    ) -> CheckResult:
        """Return what becomes of a check, written as in a file, when a judge answers so."""
        spec, faults = read_all(CATEGORIES.get(category).CHECK, written)
        assert faults == []
        if turns is None:
            said = [*references, *[None] * (len(exchanges) - len(references))]
            turns = [
                Turn(user=one.user, reference=Reference(response=text))
                for one, text in zip(exchanges, said, strict=True)
            ]
        check = Check(category=category, spec=spec)
        one = Eval(name="e", turns=() if scenario else tuple(turns), scenario=scenario, outcome=(check,))
        transcript = Transcript(exchanges=tuple(exchanges), observes=observes)
        row = score(one, transcript, judge_pass_threshold=3)[-1]
        return self._concluded(row, answers) if isinstance(row, OpenCheck) else row

    def _concluded(self, row: OpenCheck, answers: Answers | bool | None) -> CheckResult:
        assert isinstance(row.question, Inquiry)
        self.questions = list(row.question.questions)
        opinions = []
        for question in self.questions:
            said = answers(question) if callable(answers) else answers
            reason = "it cannot be read" if said is None else f"the judge says {'yes' if said else 'no'}"
            opinions.append(Opinion(score=None if said is None else int(said), reason=reason))
        return settled(row, opinions)


@pytest.fixture
def asked() -> Asked:
    """Return what puts a check to answers that are prepared."""
    return Asked()


@pytest.fixture
def turn() -> Callable[..., Exchange]:
    """Return what makes a turn that was taken: `turn("hi", "hello")`."""
    return exchange
