"""Prepared answers: what a scripted agent does on a turn, and on which turns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from audition.documents.located import Path, plain
from audition.documents.shape import (
    Anything,
    Choice,
    Faults,
    Field,
    ListOf,
    MapOf,
    Number,
    Record,
    Schema,
    Shape,
    Text,
)
from audition.evals import Turn
from audition.results import Verdict
from audition.scoring.matchers import OPERATORS, Matcher, matcher
from audition.scoring.paths import value_at
from audition.transcript import ToolCall, WorkflowEvent

_OBJECT = MapOf(Anything())


@dataclass(frozen=True, slots=True)
class _OrNothing:
    """What a shape takes, or null."""

    shape: Shape

    def read(self, value: object, path: Path, faults: Faults) -> object:
        return None if value is None else self.shape.read(value, path, faults)

    def schema(self) -> Schema:
        return {"anyOf": [self.shape.schema(), {"type": "null"}]}


class _AnswerShape:
    """One answer, whose keys must go together."""

    def __init__(self, record: Record, *, in_turn: bool) -> None:
        self._record, self._in_turn = record, in_turn

    def read(self, value: object, path: Path, faults: Faults) -> object:
        read = self._record.read(value, path, faults)
        when = read.get("when")
        if isinstance(when, dict) and {"user", "event"} <= when.keys():
            faults.add("a turn is said or pushed, never both: 'user' or 'event'", (*path, "when"))
        if self._in_turn and "when" in read:
            faults.add("answers of a conversation are taken in turn: 'when' has no place here", (*path, "when"))
        if "unreachable" in read and read.keys() - {"unreachable", "when"}:
            faults.add("an agent that is 'unreachable' does nothing else", (*path, "unreachable"))
        return read

    def schema(self) -> Schema:
        return self._record.schema()


_ANSWER = Record(
    "answer",
    "What a scripted agent does on a turn.",
    when=Field(
        Record(
            "'when'",
            user=Field(OPERATORS, doc="What the user says."),
            event=Field(MapOf(OPERATORS), doc="Parts of the event."),
        ),
        doc="The turns it is for: operators on what the user says, or on parts of an event by dotted path.",
    ),
    say=Field(_OrNothing(ListOf(Text(), or_one=True)), doc="The replies; null or nothing is silence."),
    tools=Field(
        ListOf(
            Record(
                "tool call",
                name=Field(Text(min_length=1), required=True, doc="The tool's name."),
                args=Field(_OBJECT, doc="What it is called with."),
                result=Field(Anything(), doc="What it answers."),
                error=Field(Text(), doc="What it fails with."),
                malformed=Field(Text(), doc="Arguments that are no JSON object, as the agent wrote them."),
            )
        ),
        doc="The tools it calls, in order.",
    ),
    state=Field(
        Record(
            "state",
            bot=Field(_OBJECT, doc="For everybody."),
            user=Field(_OBJECT, doc="For this user."),
            conversation=Field(_OBJECT, doc="For this conversation."),
        ),
        doc="What is written into the state, by dotted path; everything else stays.",
    ),
    workflows=Field(
        ListOf(
            Record(
                "workflow event",
                name=Field(Text(min_length=1), required=True, doc="The workflow's name."),
                input=Field(_OBJECT, doc="What it is started with."),
                status=Field(
                    Choice(("entered", "completed", "failed", "cancelled", "timedout")), doc="By default entered."
                ),
            )
        ),
        doc="What workflows do, in order.",
    ),
    delayMs=Field(Number(minimum=0), doc="How long the agent takes before it replies, milliseconds."),
    error=Field(Text(min_length=1), doc="The agent crashes, with these words."),
    unreachable=Field(Text(min_length=1), doc="The agent cannot be reached, for this reason."),
)

ANSWERS = Record(
    "file of answers",
    "What a scripted agent does.",
    replies=Field(
        ListOf(_AnswerShape(_ANSWER, in_turn=False)), doc="Answers; the first that is meant for a turn is taken."
    ),
    conversations=Field(
        MapOf(ListOf(_AnswerShape(_ANSWER, in_turn=True))), doc="Answers by eval or trial, taken in turn."
    ),
)
"""What a file of answers may hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a scripted agent does on a turn.

    `user` and `event` (by dotted path) say which turns it is for; both None: all. `writes`: values by scope and dotted
    path. `crash` and `unreachable` are reasons, None without such a trouble.
    """

    user: Matcher | None
    event: Sequence[tuple[str, Matcher]] | None
    texts: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...]
    writes: Mapping[str, Mapping[str, object]]
    workflows: tuple[WorkflowEvent, ...]
    delay_s: float
    crash: str | None
    unreachable: str | None

    def is_for(self, turn: Turn) -> bool:
        """Return whether the answer is meant for a turn."""
        if self.user is not None:
            return turn.user is not None and _holds(self.user, turn.user)
        if self.event is not None:
            return turn.event is not None and all(_holds(one, value_at(turn.event, path)) for path, one in self.event)
        return True


def read_answers(values: object) -> tuple[Answer, ...]:
    """Return answers that a shape of this module has read without a fault."""
    return tuple([_answer(cast(dict[str, Any], plain(value))) for value in cast(Sequence[object], values)])


def _answer(value: dict[str, Any]) -> Answer:
    when, say = value.get("when", {}), value.get("say")
    event = when.get("event")
    return Answer(
        user=matcher(when["user"]) if "user" in when else None,
        event=None if event is None else [(path, matcher(spec)) for path, spec in event.items()],
        texts=tuple(say or ()),
        tool_calls=tuple([_tool_call(**call) for call in value.get("tools", ())]),
        writes=value.get("state", {}),
        workflows=tuple([WorkflowEvent(**({"status": "entered"} | event)) for event in value.get("workflows", ())]),
        delay_s=value.get("delayMs", 0) / 1000,
        crash=value.get("error"),
        unreachable=value.get("unreachable"),
    )


def _tool_call(name: str, args: Mapping[str, object] | None = None, **rest: Any) -> ToolCall:
    return ToolCall(name=name, arguments=args or {}, **rest)


def _holds(wanted: Matcher, value: object) -> bool:
    return wanted.match(value).verdict is Verdict.PASS
