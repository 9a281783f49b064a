"""What a check means: a rule looks at what was seen and either decides or asks a question."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from audition.documents.shape import Shape
from audition.evals import Check, Data, Scenario, Turn
from audition.results import Verdict
from audition.transcript import Exchange, State, Transcript

Scale = Literal["grade", "yes_no", "clauses", "clause"]
"""How a judge answers: with a grade from 1 to 5, or with 1 (yes) or 0 (no).

To `clauses` it splits the criterion into parts, and to `clause` it says what became of one, with evidence: these
answers are objects, which `audition.scoring.clauses` reads.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule decided. `expected` and `actual` are texts for people; `reason` is a sentence or None.

    A rule that measures gives `score` (a metric's is 0..1, a count has no bound), the `threshold` it is held against,
    and `turn_scores`, one per turn in order, None for a turn that has none. All are None or empty for plain checks.
    `note` is a remark in one line that changes no verdict.
    """

    verdict: Verdict
    expected: str | None = None
    actual: str | None = None
    reason: str | None = None
    score: float | None = None
    threshold: float | None = None
    turn_scores: tuple[float | None, ...] = ()
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing said or done in a conversation. `speaker` is `user`, `event`, `agent` or `tool`."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a rule asks a judge: does `response` meet `criterion`?

    `conversation` is what came before `response`, the turn's own message last. On the scale `grade` the answer is 1 to
    5, on `yes_no` it is 1 or 0; the check passes when it is at least `threshold`. `reference` is a response that is
    known to be good, None without one. `sample` tells apart several askings of the same question, from 1.
    """

    criterion: str
    response: str
    conversation: tuple[Line, ...]
    threshold: int
    scale: Scale = "grade"
    reference: str | None = None
    sample: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """A judge's answer to one question of several.

    `score` None: none could be had, and `reason` says why; but on the scales `clauses` and `clause` it always is None,
    and `answer` is what the judge said, None when nothing could be had.
    """

    score: int | None
    reason: str
    answer: Data | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """Several questions whose answers decide together.

    `conclude` is given one opinion for each question, in order, and is pure. It decides, or asks what follows from the
    answers, at most twice. `expected` is what the check wants, in words, for a result without answers.
    """

    questions: tuple[Question, ...]
    conclude: Callable[[Sequence[Opinion]], "Finding | Inquiry"]
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one check may look at: the exchange of its turn, or the whole conversation when `turn` is None.

    `turn` counts from 0. `judge_pass_threshold` is 1 to 5. `turns` are the eval's as written, with their references:
    one for each exchange, in order, or none when a simulated user held the conversation by `scenario`.
    """

    transcript: Transcript
    turn: int | None
    judge_pass_threshold: int
    turns: tuple[Turn, ...] = ()
    scenario: Scenario | None = None

    @property
    def exchanges(self) -> Sequence[Exchange]:
        """Return the exchanges the check is about: one for a turn, all for an outcome."""
        exchanges = self.transcript.exchanges
        return exchanges if self.turn is None else exchanges[self.turn : self.turn + 1]

    @property
    def state_before(self) -> State | None:
        """Return the state before the turn (for an outcome: before the first turn); None when it was not observed."""
        if not self.turn:
            return self.transcript.baseline
        return self.transcript.exchanges[self.turn - 1].state

    @property
    def state_after(self) -> State | None:
        """Return the state after the turn (for an outcome: at the end); None when it was not observed."""
        exchanges = self.exchanges
        return exchanges[-1].state if exchanges else self.transcript.baseline


class Rule(Protocol):
    """What a check means."""

    def describe(self) -> str:
        """Return the check in words, as `kind: value`."""
        ...

    def evaluate(self, seen: Seen) -> "Finding | Question | Inquiry":
        """Decide, or ask. Never raises on what the agent did."""
        ...


class Category(Protocol):
    """What a module of `scoring/checks/` offers."""

    FACET: str
    """What an agent must let us observe for these checks: a member of `agents.Facet`."""

    PLACES: frozenset[str]
    """Where these checks may be written: `turn`, `outcome`, or both."""

    CHECK: Shape
    """What one check of this category may hold."""

    def rule(self, spec: Mapping[str, object]) -> Rule:
        """Return what a check means; `spec` has been read by `CHECK` without a fault."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenCheck:
    """A check that waits for a judge: the question or questions, and what its result will say."""

    check: Check
    description: str
    turn: int | None
    question: Question | Inquiry
