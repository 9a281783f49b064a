"""The JSON that is spoken with an HTTP agent: the body of a turn, and how its answer is read."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, cast

from audition.agents import Facet
from audition.documents.shape import Anything, Choice, Field, ListOf, MapOf, Number, Record, ShapeFault, Text, read_all
from audition.evals import Setup, ToolMock, Turn
from audition.transcript import State, ToolCall, Usage, WorkflowEvent

_Kind = TypeVar("_Kind")

PROTOCOL = 1
"""The version that is spoken; every request carries it."""

STATUSES = ("entered", "completed", "failed", "cancelled", "timedout")
"""What may become of a workflow. Source: transcript.WorkflowEvent."""

_OBJECT = MapOf(Anything())
_COUNT = Number(minimum=0, whole=True)

ANSWER = Record(
    "answer",
    "What an HTTP agent answers to one turn.",
    replies=Field(
        ListOf(Record("reply", text=Field(Text(), required=True, doc="What is said."))),
        doc="Texts, in order; [] is silence.",
    ),
    tool_calls=Field(
        ListOf(
            Record(
                "tool call",
                name=Field(Text(min_length=1), required=True, doc="The tool's name."),
                arguments=Field(_OBJECT, doc="What it was called with."),
                result=Field(Anything(), doc="What it answered."),
                error=Field(Text(), doc="What it failed with."),
            )
        ),
        doc="The tools called on this turn, in order; [] is none.",
    ),
    state=Field(
        Record(
            "state",
            bot=Field(_OBJECT, doc="For everybody."),
            user=Field(_OBJECT, doc="For this user."),
            conversation=Field(_OBJECT, doc="For this conversation."),
        ),
        doc="The whole state after the turn; a scope that is left out is empty.",
    ),
    workflows=Field(
        ListOf(
            Record(
                "workflow event",
                name=Field(Text(min_length=1), required=True, doc="The workflow's name."),
                status=Field(Choice(STATUSES), required=True, doc="What became of it."),
                input=Field(_OBJECT, doc="What it was started with."),
            )
        ),
        doc="What workflows did on this turn, in order; [] is nothing.",
    ),
    usage=Field(
        Record(
            "usage",
            calls=Field(_COUNT, doc="Requests to language models."),
            input_tokens=Field(_COUNT, doc="Tokens sent to them."),
            output_tokens=Field(_COUNT, doc="Tokens they wrote."),
            cost_usd=Field(Number(minimum=0), doc="What that cost, in US dollars."),
        ),
        doc="What the turn took of language models; what is left out is not known.",
    ),
    error=Field(Text(min_length=1), doc="The agent itself failed: why."),
)
"""What may stand in an answer; null means the same as leaving a key out."""

_KEYS: Mapping[Facet, str] = {"tools": "tool_calls", "state": "state", "workflows": "workflows", "usage": "usage"}


class NotTheProtocol(Exception):
    """An answer is not what the protocol says; the message goes on from 'answered'."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an agent answered to one turn; `error` is why it failed, None when it did not."""

    texts: tuple[str, ...]
    tool_calls: tuple[ToolCall, ...]
    workflows: tuple[WorkflowEvent, ...]
    state: State | None
    usage: Usage | None
    error: str | None


def setup_body(setup: Setup) -> dict[str, object]:
    """Return what an eval's setup asks for; what it says nothing about is left out."""
    scopes = {"bot": setup.state.bot, "user": setup.state.user, "conversation": setup.state.conversation}
    body: dict[str, object] = {}
    if state := {scope: seed for scope, seed in scopes.items() if seed is not None}:
        body["state"] = state
    if setup.workflow:
        body["workflow"] = {"trigger": setup.workflow.name, "input": setup.workflow.input}
    if setup.tools:
        body["tools"] = [_mock_body(tool) for tool in setup.tools]
    return body


def turn_body(turn: Turn, *, session: str, trial: str, index: int, setup: Setup) -> dict[str, object]:
    """Return the request for one turn; `index` counts the session's turns from 0, the setup goes with the first."""
    body: dict[str, object] = {
        "protocol": PROTOCOL,
        "session": session,
        "trial": trial,
        "index": index,
        "turn": {"user": turn.user} if turn.event is None else {"event": turn.event},
        "new_conversation": turn.new_conversation,
    }
    return body if index else body | {"setup": setup_body(setup)}


def _mock_body(tool: ToolMock) -> dict[str, object]:
    results = [{"when": one.when, "result": one.result, "error": one.error} for one in tool.results]
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "results": results,
    }


def read_answer(body: bytes, observes: frozenset[Facet]) -> Answer:
    """Return what an answer says.

    Raises: NotTheProtocol when it is none, and when it is silent about something that the agent is said to show:
    nothing heard of tools is not the same as no tool called.
    """
    read, faults = read_all(ANSWER, _tidy(_parsed(body)))
    if faults:
        raise NotTheProtocol("what is not the protocol: " + "; ".join(map(_shown, faults)))
    said = cast(dict[str, object], read)
    if "error" not in said:
        _insist(said, observes)
    return Answer(
        texts=tuple([str(reply["text"]) for reply in _objects(said, "replies")]),
        tool_calls=tuple([ToolCall(**call) for call in _objects(said, "tool_calls")]),
        workflows=tuple([WorkflowEvent(**event) for event in _objects(said, "workflows")]),
        state=_built(State, said, "state"),
        usage=_built(Usage, said, "usage"),
        error=cast("str | None", said.get("error")),
    )


def _parsed(body: bytes) -> object:
    try:
        return _DECODER.decode(body.decode())
    except (ValueError, RecursionError):
        raise NotTheProtocol("what is no JSON") from None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(parse_constant=_refuse)
"""Made once: `json.loads` with options makes a new one for each call."""


def _tidy(value: object) -> object:
    """Return an answer with its nulls left out and each bare text of `replies` as an object."""
    if not isinstance(value, dict):
        return value
    tidied = _without_nulls(value)
    for key, tidy in _TIDY_ITEMS.items():
        if isinstance(tidied.get(key), list):
            tidied[key] = [tidy(item) for item in tidied[key]]
    if "usage" in tidied:
        tidied["usage"] = _without_nulls(tidied["usage"])
    return tidied


def _without_nulls(value: Any) -> Any:
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


def _as_reply(value: object) -> object:
    return {"text": value} if isinstance(value, str) else value


_TIDY_ITEMS: Mapping[str, Callable[[object], object]] = {
    "replies": _as_reply,
    "tool_calls": _without_nulls,
    "workflows": _without_nulls,
}


def _insist(said: Mapping[str, object], observes: frozenset[Facet]) -> None:
    if "replies" not in said:
        raise NotTheProtocol("an object without 'replies' (an empty list is silence)")
    for facet, key in _KEYS.items():
        if facet in observes and key not in said:
            raise NotTheProtocol(
                f"an object without {key!r}: send it, or leave {facet!r} out of the agent's 'observes'"
            )


def _objects(said: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = said.get(key, [])
    return found


def _built(kind: type[_Kind], said: Mapping[str, Any], key: str) -> _Kind | None:
    return kind(**said[key]) if key in said else None


def _shown(fault: ShapeFault) -> str:
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault.path).lstrip(".")
    hint = f" ({fault.hint})" if fault.hint else ""
    # a key at the top is named by the message itself
    return f"{place}: {fault.message}{hint}" if len(fault.path) > 1 else f"{fault.message}{hint}"
