"""What the agent said back. Source: Botpress eval format, Response."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from audition.documents.located import Path
from audition.documents.shape import Faults, Field, Record, Text
from audition.results import Verdict
from audition.scoring.matchers import CASE_SENSITIVE, OPERATOR_TABLE, Matcher, Phrase, matcher, shown
from audition.scoring.rule import Finding, Line, Question, Rule, Seen
from audition.scoring.spec import Spec
from audition.transcript import Exchange, ToolCall, response_text

FACET = "replies"
PLACES = frozenset({"turn"})

_KINDS = ("contains", "not_contains", "matches", "llm_judge")


def _review(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    if not found.keys() & set(_KINDS):
        faults.add("this check says nothing that could fail", path, f"add one of {', '.join(_KINDS)}")
    if not str(found.get("llm_judge", "-")).strip():
        faults.add("'llm_judge' must say what the response must be like", (*path, "llm_judge"))


CHECK = Spec(
    Record(
        "response check",
        contains=Field(Phrase(), doc="The reply holds this text, literally; case and quotes are folded."),
        not_contains=Field(Phrase(), doc="The reply does not hold this text; there must be a reply."),
        matches=Field(OPERATOR_TABLE["matches"].operand, doc=OPERATOR_TABLE["matches"].doc),
        llm_judge=Field(Text(min_length=1), doc="What a judge is asked about the reply, graded 1 to 5."),
        case_sensitive=CASE_SENSITIVE,
    ),
    _review,
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a response check means."""
    criterion = spec.get("llm_judge")
    return _ResponseRule(spec, matcher(spec), criterion if isinstance(criterion, str) else None)


def says_nothing(text: str) -> bool:
    """Tell whether a text has nothing in it that a person could see."""
    return not text[:1].isalnum() and not any(char.isprintable() and char != " " for char in text)


@dataclass(frozen=True, slots=True)
class _ResponseRule:
    """`criterion` None: no judge is asked."""

    spec: Mapping[str, object]
    wanted: Matcher
    criterion: str | None

    def describe(self) -> str:
        words = "; ".join([f"{kind}: {shown(text)}" for kind, text in self.spec.items() if kind in _KINDS])
        return f"{words} (case-sensitive)" if self.wanted.case_sensitive else words

    def evaluate(self, seen: Seen) -> Finding | Question:
        text = response_text(seen.exchanges[0])
        if says_nothing(text):
            reason = "the agent said nothing, so there is no reply to look at"
            return Finding(verdict=Verdict.FAIL, expected=self.describe(), actual=shown(text), reason=reason)
        if self.criterion is None:
            return self.wanted.match(text)
        if self.wanted.wanted:
            found = self.wanted.match(text)
            if found.verdict is not Verdict.PASS:
                return found
        return _question(self.criterion, text, seen)


def _question(criterion: str, text: str, seen: Seen) -> Question:
    turn = seen.turn or 0
    lines = [line for exchange in seen.transcript.exchanges[:turn] for line in _lines(exchange)]
    lines.append(_opening(seen.exchanges[0]))
    return Question(criterion=criterion, response=text, conversation=tuple(lines), threshold=seen.judge_pass_threshold)


def _lines(exchange: Exchange) -> Iterator[Line]:
    yield _opening(exchange)
    for call in exchange.tool_calls:
        yield Line(speaker="tool", text=_told(call))
    for reply in exchange.replies:
        yield Line(speaker="agent", text=reply.text)


def _opening(exchange: Exchange) -> Line:
    if exchange.user is not None:
        return Line(speaker="user", text=exchange.user)
    return Line(speaker="event", text=shown(exchange.event))


def _told(call: ToolCall) -> str:
    given = call.malformed if call.malformed is not None else shown(call.arguments)
    outcome = f"error: {call.error}" if call.error is not None else shown(call.result)
    return f"{call.name}({given}) -> {outcome}"
