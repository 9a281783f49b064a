"""What a check means: a rule looks at what was seen and either decides or asks a question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from audition.documents.shape import Shape
from audition.evals import Check
from audition.results import Verdict
from audition.transcript import Exchange, State, Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule decided. `expected` and `actual` are texts for people; `reason` is a sentence or None."""

    verdict: Verdict
    expected: str | None = None
    actual: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One thing said or done in a conversation. `speaker` is `user`, `event`, `agent` or `tool`."""

    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a rule asks a judge: does `response` meet `criterion`, on a scale of 1 to 5?

    `conversation` is what came before `response`, the turn's own message last. The check passes when the grade is at
    least `threshold` (1..5).
    """

    criterion: str
    response: str
    conversation: tuple[Line, ...]
    threshold: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one check may look at: the exchange of its turn, or the whole conversation when `turn` is None.

    `turn` counts from 0. `judge_pass_threshold` is 1 to 5.
    """

    transcript: Transcript
    turn: int | None
    judge_pass_threshold: int

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

    def evaluate(self, seen: Seen) -> "Finding | Question":
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
    """A check that waits for a judge: the question, and what its result will say."""

    check: Check
    description: str
    turn: int | None
    question: Question
