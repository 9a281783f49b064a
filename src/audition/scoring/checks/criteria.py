"""What a good answer does, in a few sentences: it passes or fails. Source: evals REST API, `expected_criteria`.

A judge splits the criteria into clauses, without seeing the conversation. Then it is asked about each clause: first for
quotes as evidence, then for its reasoning, and last whether the clause is met. Code looks every quote up and computes
the verdict: it passes when each clause is met, and fails when one is not. A clause that says what a tool returns, and
that the real result contradicts, is void and left out. When all are void, or it cannot be told whether one is met, the
check is an error. Under a turn the replies of that turn are judged, under `outcome` those of the whole conversation;
what was said and done before is there as evidence.
"""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from audition.documents.located import Path
from audition.documents.shape import Faults, Field, Number, Record, Schema, Text
from audition.results import Verdict
from audition.scoring.asking import as_text
from audition.scoring.clauses import Clause, Unusable, read_clause_answer, read_clauses
from audition.scoring.evidence import Sources, sources_of
from audition.scoring.matchers import shown
from audition.scoring.rule import Finding, Inquiry, Line, Opinion, Question, Rule, Seen
from audition.scoring.ruling import DOUBTS, Ruling, rule_on
from audition.scoring.spec import Spec
from audition.text import shorten
from audition.transcript import Exchange

FACET = "replies"
PLACES = frozenset({"turn", "outcome"})


def _review(found: Mapping[str, Any], path: Path, faults: Faults) -> None:
    if not str(found["criteria"]).strip():
        faults.add("'criteria' must say what a good answer does", (*path, "criteria"))
    if found.get("samples", 1) % 2 == 0:
        faults.add("'samples' must be odd, so that there is a majority", (*path, "samples"), "write 3")


_RECORD = Spec(
    Record(
        "criteria check",
        criteria=Field(Text(min_length=1), required=True, doc="What a good answer does, in a few sentences."),
        samples=Field(
            Number(minimum=1, maximum=99, whole=True),
            doc="How often the judge is asked about each clause; odd, and the majority decides. 1 by default.",
        ),
        scenario=Field(Text(min_length=1), doc="The situation, for the judge, where the conversation does not tell."),
    ),
    _review,
)


class _CriteriaShape:
    """A criteria check; a text is one that says no more than its criteria."""

    __slots__ = ()

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, str):
            return _RECORD.read(value, path, faults)
        if not value.strip():
            faults.add("the criteria must say what a good answer does", path)
        return {"criteria": value}

    def schema(self) -> Schema:
        return _RECORD.schema() | {"type": ["object", "string"], "minLength": 1}


CHECK = _CriteriaShape()

_EXPECTED = "every clause of the criteria met"
_UNSEEN_TOOLS = "The agent's tool calls could not be observed. That none is listed does not mean that none was made."
VOID_NOTE = "a void clause predicts what a tool returns; say what to do with whichever result comes"
"""The note of a result that leaves a void clause out."""

ALL_VOID = "nothing was evaluated: every clause is void, since the tools' real results contradict it"
"""Why a check is an error whose clauses are all void."""

_LONGEST_QUOTE = 120
_LONGEST_REASON = 300


def rule(spec: Mapping[str, Any]) -> Rule:
    """Return what a criteria check means."""
    return _CriteriaRule(spec["criteria"], spec.get("samples", 1), spec.get("scenario"))


@dataclass(frozen=True, slots=True)
class _CriteriaRule:
    criteria: str
    samples: int
    scenario: str | None

    def describe(self) -> str:
        return shown(self.criteria)

    def evaluate(self, seen: Seen) -> Finding | Inquiry:
        if not any(map(_did_something, seen.exchanges)):
            reason = "the agent said nothing and called no tool, so there is nothing that could meet the criteria"
            return Finding(verdict=Verdict.FAIL, expected=_EXPECTED, reason=reason)
        turn, exchanges = seen.turn, seen.transcript.exchanges
        observes = seen.transcript.observes
        sources = sources_of(
            exchanges if turn is None else exchanges[: turn + 1],
            judged_from=turn or 0,
            scenario=self.scenario,
            tools_seen=observes is None or "tools" in observes,
        )
        asking = _Asking(self.criteria, self.samples, sources, whole=turn is None)
        split = Question(criterion=self.criteria, response="", conversation=(), threshold=1, scale="clauses")
        return Inquiry(questions=(split,), conclude=asking.asked_of_clauses, expected=_EXPECTED)


def _did_something(exchange: Exchange) -> bool:
    """Tell whether an agent did anything that can be judged: it called a tool, or said more than marks and spaces."""
    said = "".join(reply.text for reply in exchange.replies)
    return bool(exchange.tool_calls) or any(char.isalnum() or unicodedata.category(char) == "So" for char in said)


@dataclass(frozen=True, slots=True)
class _Asking:
    """The rounds of questions: how to split, what became of each clause, and once more where an answer does not hold.

    `whole`: the whole conversation is judged, and not the last turn of it.
    """

    criteria: str
    samples: int
    sources: Sources
    whole: bool

    def asked_of_clauses(self, opinions: Sequence[Opinion]) -> Finding | Inquiry:
        """Return the questions about the clauses that the criteria were split into."""
        (split,) = opinions
        problem = split.reason
        if split.answer is not None:
            try:
                clauses = read_clauses(split.answer, self.criteria)
            except Unusable as error:
                problem = str(error)
            else:
                asked = tuple(self._question(clause, number) for clause in clauses for number in self._numbers)
                return Inquiry(questions=asked, conclude=partial(self._ruled, clauses), expected=_EXPECTED)
        reason = f"the criteria could not be split into clauses: {problem}"
        return Finding(verdict=Verdict.ERROR, expected=_EXPECTED, reason=reason)

    def _ruled(self, clauses: Sequence[Clause], opinions: Sequence[Opinion]) -> Finding | Inquiry:
        """Decide, or ask once more where the evidence does not hold."""
        asked = [clause for clause in clauses for _ in self._numbers]
        rulings = [self._ruling(clause, opinion) for clause, opinion in zip(asked, opinions, strict=True)]
        if not any(ruling.doubt for ruling in rulings):
            return self._decided(clauses, rulings)
        again = tuple(
            self._question(asked[index], 1 + index % self.samples, DOUBTS[ruling.doubt])
            for index, ruling in enumerate(rulings)
            if ruling.doubt
        )
        return Inquiry(questions=again, conclude=partial(self._ruled_again, clauses, rulings), expected=_EXPECTED)

    def _ruled_again(self, clauses: Sequence[Clause], first: Sequence[Ruling], opinions: Sequence[Opinion]) -> Finding:
        left = iter(opinions)
        asked = [clause for clause in clauses for _ in self._numbers]
        rulings = [
            self._ruling(clause, next(left)) if ruling.doubt else ruling
            for clause, ruling in zip(asked, first, strict=True)
        ]
        return self._decided(clauses, rulings)

    @property
    def _numbers(self) -> range:
        return range(1, self.samples + 1)

    def _question(self, clause: Clause, number: int, doubt: str | None = None) -> Question:
        criterion = [clause.text]
        if clause.text.strip() != self.criteria.strip():
            criterion.append(f"It is one of the clauses of these criteria, which tell what it means:\n{self.criteria}")
        if doubt is not None:
            criterion.append(f"An earlier answer could not be used: {doubt}. Copy every quote character by character.")
        judged = [line for line in self.sources.lines if self.whole or line.speaker in self.sources.judged]
        before = [line for line in self.sources.lines if line not in judged]
        if not self.sources.tools_seen:
            before.append(Line(speaker="note", text=_UNSEEN_TOOLS))
        return Question(
            criterion="\n\n".join(criterion),
            response=as_text(judged),
            conversation=tuple(before),
            threshold=1,
            scale="clause",
            sample=number,
        )

    def _ruling(self, clause: Clause, opinion: Opinion) -> Ruling:
        if opinion.answer is None:
            return Ruling(status="unsure", reason=opinion.reason)
        try:
            answer = read_clause_answer(opinion.answer)
        except Unusable as error:
            return Ruling(status="unsure", reason=f"the judge's answer cannot be used: {error}")
        return rule_on(clause, answer, self.sources)

    def _decided(self, clauses: Sequence[Clause], rulings: Sequence[Ruling]) -> Finding:
        final = [_voted(rulings[start : start + self.samples]) for start in range(0, len(rulings), self.samples)]
        counts: Counter[str] = Counter(ruling.status for ruling in final)
        lines = [_told(clause, ruling) for clause, ruling in zip(clauses, final, strict=True)]
        if counts["unmet"]:
            verdict = Verdict.FAIL
        elif counts["unsure"] or not counts["met"]:
            verdict = Verdict.ERROR
            lines.insert(0, _undecided(counts, len(final)))
        else:
            verdict = Verdict.PASS
        return Finding(
            verdict=verdict,
            expected=_EXPECTED,
            actual=_counted(counts, len(final)),
            reason="\n".join(lines),
            note=VOID_NOTE if counts["void"] else None,
        )


def _voted(rulings: Sequence[Ruling]) -> Ruling:
    """Return what more than half of the samples say of a clause; without a majority it cannot be told."""
    counts = Counter(ruling.status for ruling in rulings)
    (status, times), *_ = counts.most_common()
    agreeing = next(ruling for ruling in rulings if ruling.status == status)
    if len(rulings) == 1:
        return agreeing
    if 2 * times <= len(rulings):
        said = ", ".join(f"{word} {count}" for word, count in counts.items())
        return Ruling(status="unsure", reason=f"the samples do not agree: {said}")
    return replace(agreeing, reason=f"{agreeing.reason} ({times} of {len(rulings)} samples)")


def _told(clause: Clause, ruling: Ruling) -> str:
    """Return a clause in one line: `met: gives the opening hours ("9am to 5pm", R1): it names both times`."""
    quote = ruling.quote
    cited = f' ("{shorten(" ".join(quote.text.split()), _LONGEST_QUOTE)}", {quote.source})' if quote else ""
    reason = shorten(" ".join(ruling.reason.split()), _LONGEST_REASON)
    return f"{ruling.status}: {shorten(' '.join(clause.text.split()), _LONGEST_REASON)}{cited}: {reason}"


def _undecided(counts: Mapping[str, int], total: int) -> str:
    if counts["unsure"]:
        return f"it cannot be told whether {counts['unsure']} of {total} clauses are met"
    return ALL_VOID


def _counted(counts: Mapping[str, int], total: int) -> str:
    others = [f", {counts[word]} {word}" for word in ("unmet", "void", "unsure") if counts[word]]
    return f"{counts['met']} of {total} clauses met{''.join(others)}"
