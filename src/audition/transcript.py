"""What happened: the exchanges of one conversation, written down and not judged."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

Data = Mapping[str, object]
"""A JSON object, read-only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One message of the agent. `at_ms`: milliseconds since its turn was sent, None when not known."""

    text: str
    at_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One tool call, finished or not. `started_ms` and `ended_ms` count from the start of its turn; None: not known.

    `malformed` holds the raw argument text when the agent wrote arguments that are no JSON object (`arguments` is
    then empty). `error` is the tool's failure, None when it succeeded. `within` names the tool in whose run the call
    was made, when that tool is an agent itself; None: the call was made by the conversation's own agents. `transfer`:
    the call does nothing but hand the conversation to another agent.
    """

    name: str
    arguments: Data = field(default_factory=dict)
    result: object = None
    error: str | None = None
    malformed: str | None = None
    started_ms: float | None = None
    ended_ms: float | None = None
    within: str | None = None
    transfer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowEvent:
    """A workflow entered, or come to its end.

    `status` is one of `entered`, `completed`, `failed`, `cancelled`, `timedout`; only `completed` means that it
    finished as it should. `input` is None when not known.
    """

    name: str
    status: str
    input: Data | None = None
    at_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The three scopes of state at one moment. Copies: nothing the agent does later changes them."""

    bot: Data = field(default_factory=dict)
    user: Data = field(default_factory=dict)
    conversation: Data = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What models were spent: None means not known, never zero by default. `cost_usd` in US dollars."""

    calls: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why an exchange (or a whole conversation) did not come to its end.

    `by_agent`: the agent's own doing (crash, time-out, endless tool loop), so the trial fails; otherwise the trouble
    lay on the way to it, and the trial is an error. `detail`: more text for `-v`.
    """

    message: str
    by_agent: bool
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A turn and all that it provoked, up to the moment the agent was done with it.

    `response_ms`: milliseconds from sending the turn to the last reply, without our own waiting, retries or judging;
    None when not measured (replayed or cached answers, silence). `state`: as it is after the turn, None when it cannot
    be observed. `trouble`: the turn did not come to its end. `remarks`: what the agent's model wrote on the way to its
    replies (before a tool call, in an earlier step), in order; no part of the answer.
    """

    user: str | None = None
    event: Data | None = None
    replies: tuple[Reply, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    workflows: tuple[WorkflowEvent, ...] = ()
    state: State | None = None
    response_ms: float | None = None
    usage: Usage | None = None
    trouble: Trouble | None = None
    remarks: tuple[Reply, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """A conversation: the state before its first turn (None: cannot be observed) and its exchanges, in order.

    `trouble`: the conversation could not be opened, or was cut short between turns. An exchange with trouble is the
    last one. `observes`: the sides of the agent that could be seen (`tools`, `state` …), so that nothing is concluded
    from what nobody could see; None when that is not known.
    """

    baseline: State | None = None
    exchanges: tuple[Exchange, ...] = ()
    trouble: Trouble | None = None
    observes: tuple[str, ...] | None = None


def response_text(exchange: Exchange) -> str:
    """Return all replies of an exchange, joined by line breaks. Source: Botpress engine (how several messages join)."""
    replies = exchange.replies
    if len(replies) == 1:
        return replies[0].text
    return "\n".join(reply.text for reply in replies)


_Count = TypeVar("_Count", int, float)


def total(usages: Iterable[Usage]) -> Usage:
    """Return what several usages come to; a count that one of them does not know is not known (None)."""
    spent = tuple(usages)
    return Usage(
        calls=_sum([usage.calls for usage in spent]),
        input_tokens=_sum([usage.input_tokens for usage in spent]),
        output_tokens=_sum([usage.output_tokens for usage in spent]),
        cost_usd=_sum([usage.cost_usd for usage in spent]),
    )


def _sum(counts: Sequence[_Count | None]) -> _Count | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
