"""Asking judges: a conversation as lines, several opinions on one thing, and what the answers to many come to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from json import JSONEncoder
from typing import Literal

from audition.documents.shape import Field, Number
from audition.results import Verdict
from audition.scoring.metric import mean, reaches, shown_score
from audition.scoring.rule import Finding, Inquiry, Line, Opinion, Question
from audition.text import shorten
from audition.transcript import Exchange, ToolCall

SAMPLES = Field(
    Number(minimum=1, maximum=100, whole=True),
    doc="How often the judge is asked the same; the majority decides, a tie is a no. 1 by default.",
)

_LONGEST_DATA = 20_000
"""Characters of a tool's arguments or result that a judge is shown: what it cannot see, it cannot find support in."""

_LONGEST_REASON = 300
_REASONS = 10
_json = JSONEncoder(ensure_ascii=False, default=str).encode


def dialogue(exchanges: Iterable[Exchange]) -> Iterator[Line]:
    """Yield a conversation as lines: what opened each turn, its tool calls by number, and what the agent said."""
    for exchange in exchanges:
        yield opening(exchange)
        yield from tool_lines(exchange)
        for reply in exchange.replies:
            yield Line(speaker="agent", text=reply.text)


def opening(exchange: Exchange) -> Line:
    """Return what the user said, or the event that was pushed."""
    if exchange.user is not None:
        return Line(speaker="user", text=exchange.user)
    return Line(speaker="event", text=_data(exchange.event))


def tool_lines(exchange: Exchange) -> Iterator[Line]:
    """Yield the tool calls of a turn with what they returned, numbered from 1."""
    for number, call in enumerate(exchange.tool_calls, 1):
        yield Line(speaker="tool", text=f"{number}. {told(call)}")


def told(call: ToolCall) -> str:
    """Return a tool call with what it came to, in a line: `get({"room": "hall"}) -> 18`."""
    given = call.malformed if call.malformed is not None else _data(call.arguments)
    within = "" if call.within is None else f" (called by {call.within})"
    return f"{call.name}({given}){within} -> {outcome_of(call)}"


def outcome_of(call: ToolCall) -> str:
    """Return what a tool call came to, as a judge is shown it: its result, or its failure."""
    return f"error: {call.error}" if call.error is not None else _data(call.result)


def as_text(lines: Iterable[Line]) -> str:
    """Return lines as one text, what was said being set in, so that nothing said can begin a line of its own."""
    return "\n".join("\n".join([f"{line.speaker}:", *map(_set_in, line.text.splitlines())]) for line in lines)


def majority(opinions: Sequence[Opinion]) -> bool | None:
    """Return what most of those who answered say, a tie being a no; None when more than half gave no answer.

    Source: ADK, LLM judges (ties count as negative).
    """
    yes = sum(opinion.score == 1 for opinion in opinions)
    no = sum(opinion.score == 0 for opinion in opinions)
    if not yes + no or 2 * (yes + no) < len(opinions):
        return None
    return yes > no


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that holds or not: all its parts must. A part is asked, or known without asking (an opinion).

    `name` is what a reason calls it; `turn` counts from 0, and says whose score it goes into.
    """

    name: str
    turn: int
    parts: tuple[Question | Opinion, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came of an item; `holds` None: could not tell. `unread` of its samples gave no answer."""

    holds: bool | None
    reason: str
    unread: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """Items that are asked about, each `samples` times, and the share that must hold.

    `turns` is how many turns there are. `average` says what the score is the mean of: the scores of the `turns`, or
    all `items`, so that a turn with more of them weighs more. `unscored` is the reason when there is no item at all.
    """

    items: tuple[Item, ...]
    turns: int
    samples: int
    threshold: float
    average: Literal["turns", "items"]
    unscored: str

    def finding_or_inquiry(self) -> Finding | Inquiry:
        """Return the questions, or the finding when nothing has to be asked."""
        asked = [part for item in self.items for part in item.parts if isinstance(part, Question)]
        if not asked:
            return self.conclude(())
        questions = (replace(part, sample=number) for part in asked for number in range(1, self.samples + 1))
        return Inquiry(questions=tuple(questions), conclude=self.conclude, expected=self._expected)

    def conclude(self, opinions: Sequence[Opinion]) -> Finding:
        """Return what the opinions come to; those on one question stand side by side, questions in their order.

        An item without an answer leaves the check undecided, unless the verdict is the same whatever the answer is.
        """
        left = iter(opinions)
        answers = [self._answer(item, left) for item in self.items]
        if all(answer.holds is None for answer in answers):
            return self._undecided(answers)
        if reaches(self._score(answers, unknown=False), self.threshold):
            return self._decided(answers, Verdict.PASS)
        if not reaches(self._score(answers, unknown=True), self.threshold):
            return self._decided(answers, Verdict.FAIL)
        return self._undecided(answers)

    @property
    def _expected(self) -> str:
        return f"a score of at least {shown_score(self.threshold)}"

    def _answer(self, item: Item, opinions: Iterator[Opinion]) -> Answer:
        parts = [
            _settled(part) if isinstance(part, Opinion) else _voted(tuple(islice(opinions, self.samples)))
            for part in item.parts
        ]
        for holds in (False, None):
            for part in parts:
                if part.holds is holds:
                    return part
        return Answer(holds=True, reason="", unread=sum(part.unread for part in parts))

    def _score(self, answers: Sequence[Answer], *, unknown: bool | None = None) -> float:
        """Return the score; items without an answer count as `unknown`, or not at all when that is None."""
        if self.average == "turns":
            return mean(self._turn_scores(answers, unknown=unknown)) or 0.0
        return mean(_worth(answer, unknown) for answer in answers) or 0.0

    def _turn_scores(self, answers: Sequence[Answer], *, unknown: bool | None = None) -> tuple[float | None, ...]:
        of_turn: list[list[float | None]] = [[] for _ in range(self.turns)]
        for item, answer in zip(self.items, answers, strict=True):
            of_turn[item.turn].append(_worth(answer, unknown))
        return tuple(mean(worths) for worths in of_turn)

    def _decided(self, answers: Sequence[Answer], verdict: Verdict) -> Finding:
        score, turn_scores = self._score(answers), self._turn_scores(answers)
        turns = f" (turns: {', '.join(map(shown_score, turn_scores))})" if len(turn_scores) > 1 else ""
        return Finding(
            verdict=verdict,
            expected=self._expected,
            actual=shown_score(score) + turns,
            reason=None if verdict is Verdict.PASS else self._reasons(answers, False),
            score=score,
            threshold=self.threshold,
            turn_scores=turn_scores,
            note=_remark(answers),
        )

    def _undecided(self, answers: Sequence[Answer]) -> Finding:
        missing = sum(answer.holds is None for answer in answers)
        answered = len(answers) - missing
        lines = [f"{missing} of {len(answers)} could not be answered", self._reasons(answers, None)]
        return Finding(
            verdict=Verdict.ERROR,
            expected=self._expected,
            actual=f"{shown_score(self._score(answers))} over the {answered} that were answered" if answered else None,
            reason="\n".join(lines) if answers else self.unscored,
            threshold=self.threshold,
            turn_scores=self._turn_scores(answers),
        )

    def _reasons(self, answers: Sequence[Answer], holds: bool | None) -> str:
        told = [
            f"{item.name}: {shorten(answer.reason, _LONGEST_REASON)}"
            for item, answer in zip(self.items, answers, strict=True)
            if answer.holds is holds
        ]
        more = [f"… and {len(told) - _REASONS} more"] if len(told) > _REASONS else []
        return "\n".join(told[:_REASONS] + more)


def _settled(opinion: Opinion) -> Answer:
    return Answer(holds=None if opinion.score is None else opinion.score == 1, reason=opinion.reason)


def _voted(opinions: Sequence[Opinion]) -> Answer:
    holds = majority(opinions)
    agreeing = [one for one in opinions if one.score == (None if holds is None else int(holds))]
    unread = sum(one.score is None for one in opinions)
    reason = agreeing[0].reason
    if len(opinions) > 1:
        outcome = "could not be read" if holds is None else f"said {'yes' if holds else 'no'}"
        spoilt = f", {unread} could not be read" if unread and holds is not None else ""
        reason = f"{reason} ({len(agreeing)} of {_times(len(opinions), 'sample')} {outcome}{spoilt})"
    return Answer(holds=holds, reason=reason, unread=unread)


def _remark(answers: Sequence[Answer]) -> str | None:
    """Return what an answer that is decided leaves open, None when that is nothing."""
    missing = sum(answer.holds is None for answer in answers)
    unread = sum(answer.unread for answer in answers)
    if missing:
        return f"{missing} of {len(answers)} could not be answered, which changes nothing"
    return f"{_times(unread, 'sample')} of the judge could not be read" if unread else None


def _worth(answer: Answer, unknown: bool | None) -> float | None:
    holds = unknown if answer.holds is None else answer.holds
    return None if holds is None else float(holds)


def _times(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _set_in(part: str) -> str:
    return f"    {part}"


def _data(value: object) -> str:
    return shorten(value if isinstance(value, str) else _json(value), _LONGEST_DATA)
