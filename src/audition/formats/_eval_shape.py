"""What an eval dict may hold: its shape, and the rules between its keys. Source: Botpress eval format."""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from audition.documents.located import Path
from audition.documents.shape import (
    Anything,
    Choice,
    Faults,
    Field,
    Flag,
    ListOf,
    MapOf,
    Number,
    Record,
    Schema,
    Shape,
    Text,
    snake_case,
)
from audition.formats._scenario_shape import SCENARIO
from audition.scoring.checks import CATEGORIES
from audition.scoring.matchers import OPERATORS

MAX_IDLE_TIMEOUT_MS = 86_400_000
"""The longest idle timeout: a day."""

_DATA = MapOf(Anything())

Rule = Callable[[dict[str, Any], Mapping[str, object], Path, Faults], None]
"""Reports what is wrong between the keys of a record, given it as read, as written, and its place."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """A record with rules between its keys; `schema_rule` says in JSON Schema what of them can be said there."""

    record: Record
    rule: Rule
    schema_rule: Schema = field(default_factory=dict)

    def read(self, value: object, path: Path, faults: Faults) -> object:
        found = self.record.read(value, path, faults)
        if isinstance(value, Mapping):
            self.rule(found, value, path, faults)
        return found

    def schema(self) -> Schema:
        return self.record.schema() | self.schema_rule


def _one_of(*keys: str) -> Schema:
    return {"oneOf": [{"required": [key]} for key in keys]}


@dataclass(frozen=True, slots=True)
class _Name:
    """A name that can stand on one line of a report."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        Text().read(value, path, faults)
        if isinstance(value, str):
            if not value.strip():
                faults.add("'name' must not be empty", path)
            elif not value.isprintable() and any(unicodedata.category(char) in _UNPRINTABLE for char in value):
                faults.add("'name' must be one line, without control characters", path)
        return value

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1}


_UNPRINTABLE = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True, slots=True)
class _Milliseconds:
    """A time above 0, up to a day; comes out whole."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        before = len(faults.found)
        Number(above=0).read(value, path, faults)
        if len(faults.found) > before or not isinstance(value, int | float):
            return value
        if value > MAX_IDLE_TIMEOUT_MS:
            faults.add(f"{path[-1]!r} must be at most {MAX_IDLE_TIMEOUT_MS:,} milliseconds, which is a day", path)
        return max(1, round(value))

    def schema(self) -> Schema:
        return Number(above=0, maximum=MAX_IDLE_TIMEOUT_MS).schema()


class _Checks:
    """The checks of one place, `turn` or `outcome`: a list for each category that may stand there."""

    def __init__(self, noun: str, place: str) -> None:
        offered = {name: CATEGORIES.get(name) for name in CATEGORIES.names()}
        here = {name: category for name, category in offered.items() if place in category.PLACES}
        self._place, self._elsewhere = place, offered.keys() - here.keys()
        fields = {name: Field(ListOf(category.CHECK, or_one=True)) for name, category in here.items()}
        self._record = Record(noun, **fields)

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, Mapping):
            return self._record.read(value, path, faults)
        allowed = value
        if not self._elsewhere.isdisjoint(value):
            allowed = {name: checks for name, checks in value.items() if name not in self._elsewhere}
            for name in value.keys() & self._elsewhere:
                self._misplaced(name, (*path, name), faults)
        for name, checks in allowed.items():
            if isinstance(checks, list | tuple) and not checks and name in self._record.fields:
                prefix = f"{_turn(path[:-1])}: assert" if self._place == "turn" else "outcome"
                faults.add(f"{prefix}.{name} is empty: it checks nothing", (*path, name))
        return self._record.read(allowed, path, faults)

    def schema(self) -> Schema:
        return self._record.schema()

    def _misplaced(self, name: str, path: Path, faults: Faults) -> None:
        if self._place == "turn":
            faults.add(f"{name!r} checks are about the whole conversation", path, "move them to the eval's 'outcome'")
        else:
            faults.add(f"{name!r} checks are per-turn only", path, "move them to the 'assert' of a turn")


def _turn(path: Path) -> str:
    """Return what a turn is called in messages; turns are counted from 1."""
    return f"turn {path[-1] + 1}" if path and isinstance(path[-1], int) else "the turn"


def _turn_rules(turn: dict[str, Any], written: Mapping[str, object], path: Path, faults: Faults) -> None:
    has_user, has_event = turn.get("user", "") != "", "event" in turn
    if has_user and has_event:
        hint = "make two turns of it"
        faults.add(f"{_turn(path)} has both 'user' and 'event'", (*path, "event"), hint)
    elif not has_user and not has_event and written.keys() <= _TURN_KEYS:
        problem = "'user' is empty" if "user" in turn else "neither 'user' nor 'event' is given"
        faults.add(f"{_turn(path)}: {problem}", path, "say what the user says, or which event is pushed")
    if turn.get("expectSilence") is True:
        if "response" in turn.get("assert", {}):
            hint = "a silent turn has no response to check: take one of the two out"
            message = f"{_turn(path)}: 'expectSilence' and 'assert.response' exclude each other"
            faults.add(message, (*path, "assert", "response"), hint)
        if turn.get("responseOptional") is True:
            message = f"{_turn(path)}: 'expectSilence' and 'responseOptional' exclude each other"
            faults.add(message, path, "take one of the two out")


def _event_rules(event: dict[str, Any], written: Mapping[str, object], path: Path, faults: Faults) -> None:
    if "payload" not in event and "type" not in event and written.keys() <= {"payload", "type"}:
        faults.add("the event has no 'payload'", path, "write event: {payload: {...}}")


def _result_rules(result: dict[str, Any], written: Mapping[str, object], path: Path, faults: Faults) -> None:
    given = [key for key in ("result", "error", "results") if key in written]
    if len(given) != 1:
        problem = " and ".join(map(repr, given)) + " exclude each other" if given else "no result is given"
        what = f"the tool {result['name']!r}" if "name" in result else "this result"
        faults.add(f"{what}: {problem}", path, "give a 'result' or an 'error'")


def _eval_rules(read: dict[str, Any], _written: Mapping[str, object], path: Path, faults: Faults) -> None:
    unclear = any(fault.path[len(path)] not in _ASIDE for fault in faults.found if len(fault.path) > len(path))
    turns, outcome = read.get("conversation", []), read.get("outcome", {})
    if "scenario" in read:
        _scenario_rules(turns, outcome, path, faults, unclear=unclear)
        return
    if "conversation" not in read:
        faults.add("the eval has no 'conversation'", path)
    asserts = any(outcome.values()) or any(
        turn.get("expectSilence") is True or any(turn.get("assert", {}).values()) for turn in turns
    )
    if unclear or "conversation" not in read:
        return
    if not asserts:
        hint = "add a check under a turn's 'assert' or under 'outcome', or expectSilence: true"
        faults.add("the eval asserts nothing: it could not fail", path, hint)
    elif not turns and not read.get("setup"):
        hint = "give it a turn, or a 'setup' to start from"
        faults.add(
            "the conversation is empty and there is no setup: nothing would happen", (*path, "conversation"), hint
        )


def _scenario_rules(turns: object, outcome: dict[str, Any], path: Path, faults: Faults, *, unclear: bool) -> None:
    if turns:
        hint = "leave one out: a simulated user holds the conversation of a scenario"
        faults.add("'conversation' and 'scenario' exclude each other", (*path, "scenario"), hint)
    elif not unclear and not any(outcome.values()):
        faults.add("the eval asserts nothing: it could not fail", path, "add a check under 'outcome'")


def _setup_rules(setup: dict[str, Any], _written: Mapping[str, object], path: Path, faults: Faults) -> None:
    seen: set[str] = set()
    for index, tool in enumerate(setup.get("tools", [])):
        name = tool.get("name")
        if isinstance(name, str) and name in seen:
            faults.add(f"the tool {name!r} is given twice", (*path, "tools", index))
        seen.add(str(name))


_EVENT = Ruled(
    Record(
        "event",
        payload=Field(_DATA, doc="What the agent gets."),
        type=Field(Text(), doc="Taken for old files, and ignored."),
    ),
    _event_rules,
)

_REFERENCE = Record(
    "reference",
    response=Field(Text(), doc="What a good agent answered."),
    toolCalls=Field(
        ListOf(
            Record(
                "tool call",
                name=Field(Text(min_length=1), required=True, doc="The tool's name."),
                arguments=Field(_DATA, doc="What it was called with; left out when that does not matter."),
            )
        ),
        doc="The tools a good agent called, in order.",
    ),
)

_MOCK_RESULT = Ruled(
    Record(
        "result",
        when=Field(MapOf(OPERATORS), doc="Operators by parameter; without it, the result is given for every call."),
        result=Field(Anything(), doc="What the tool answers."),
        error=Field(Text(), doc="The text the call fails with."),
    ),
    _result_rules,
    _one_of("result", "error"),
)

_TOOL = Ruled(
    Record(
        "tool",
        name=Field(Text(min_length=1), required=True, doc="The tool's name."),
        description=Field(Text(), doc="What the model is told about it."),
        parameters=Field(_DATA, doc="The JSON Schema of its arguments."),
        result=Field(Anything(), doc="What the tool answers to every call."),
        error=Field(Text(), doc="The text every call fails with."),
        results=Field(ListOf(_MOCK_RESULT, min_items=1), doc="The first whose 'when' matches a call is its answer."),
    ),
    _result_rules,
    _one_of("result", "error", "results"),
)

_SETUP = Ruled(
    Record(
        "setup",
        state=Field(
            Record(
                "state",
                bot=Field(_DATA, doc="What the agent keeps for everybody."),
                user=Field(_DATA, doc="What it keeps for this user."),
                conversation=Field(_DATA, doc="What it keeps for this conversation."),
            ),
            doc="State put in place before the conversation, in place of what was there.",
        ),
        workflow=Field(
            Record(
                "workflow",
                trigger=Field(Text(min_length=1), required=True, doc="The workflow's name."),
                input=Field(_DATA, doc="What it is started with."),
            ),
            doc="A workflow started before the conversation.",
        ),
        tools=Field(ListOf(_TOOL), doc="Tools whose results are canned."),
        session=Field(_DATA, doc="What the session is opened with, by agents that know it: app_name, user_id."),
    ),
    _setup_rules,
)

_OPTIONS = Record(
    "options",
    idleTimeout=Field(_Milliseconds(), doc="Longest wait for the agent on one turn, in milliseconds."),
    judgePassThreshold=Field(
        Number(minimum=1, maximum=5, whole=True), doc="The grade llm_judge needs to pass, 1 to 5."
    ),
)

_TURN_FIELDS = {
    "user": Field(Text(), doc="What the user says."),
    "event": Field(_EVENT, doc="An event pushed instead."),
    "expectSilence": Field(Flag(), doc="The agent must not reply."),
    "responseOptional": Field(Flag(), doc="The agent may reply or not; without it, it must."),
    "newConversation": Field(Flag(), doc="The turn opens a new conversation of the same user."),
    "reference": Field(_REFERENCE, doc="What a good agent did on this turn once."),
    "extra": Field(_DATA, doc="What another tool's file said of the turn beyond this, kept for writing it again."),
}

_TURN_KEYS = {spelling for name in (*_TURN_FIELDS, "assert") for spelling in (name, snake_case(name))}

_ASIDE = frozenset({"name", "description", "type", "tags", "setup", "options", "extra"})
"""The keys of an eval that say nothing about what it asserts."""


@cache
def eval_shape() -> Shape:
    """Return the shape of one eval, with the check categories that are there now."""
    checks = Field(_Checks("assert", "turn"), doc="What must hold after this turn, by category.")
    turn = Ruled(Record("turn", **_TURN_FIELDS, **{"assert": checks}), _turn_rules, _one_of("user", "event"))
    record = Record(
        "eval",
        **{"$schema": Field(Text(), doc="The JSON Schema an editor checks the file with; otherwise ignored.")},
        name=Field(_Name(), required=True, doc="What it is called; unique across a run."),
        description=Field(Text(), doc="What it is about, for people."),
        type=Field(
            Choice(("capability", "regression")), doc="Something new, or something that must stay; to select by."
        ),
        tags=Field(ListOf(Text(min_length=1)), doc="Words to select by."),
        setup=Field(_SETUP, doc="The state of the world before the first turn."),
        conversation=Field(ListOf(turn), doc="The turns, in order."),
        scenario=Field(SCENARIO, doc="What a simulated user is to do, in place of the turns."),
        outcome=Field(_Checks("outcome", "outcome"), doc="What must hold when all turns are done, by category."),
        options=Field(_OPTIONS, doc="Settings of this eval alone."),
        extra=Field(_DATA, doc="What another tool's file said beyond this, kept for writing it again."),
    )
    return Ruled(record, _eval_rules, {"anyOf": [{"required": ["conversation"]}, {"required": ["scenario"]}]})


def schema() -> Schema:
    """Return the JSON Schema of an eval file: an eval, a list of evals, or an object with a list under `evals`."""
    one: Schema = {"$ref": "#/$defs/eval"}
    several: Schema = {"type": "array", "items": one, "minItems": 1}
    file: Schema = {
        "type": "object",
        "properties": {"evals": several, "$schema": {"type": "string"}},
        "required": ["evals"],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "audition evals",
        "anyOf": [one, several, file],
        "$defs": {"eval": eval_shape().schema()},
    }
