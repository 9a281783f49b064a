"""What a callable holds of its conversation: the state, and the ways to record what it does."""

import time
from collections.abc import Mapping
from types import TracebackType

from audition.agents._json import NotJson, copy_json, copy_object
from audition.evals import Data, SeedState
from audition.transcript import State, ToolCall, WorkflowEvent


class AgentTurn:
    """A turn as the agent hears it, without what is expected of it: `user` or `event`, the other one is None."""

    __slots__ = ("event", "new_conversation", "user")

    def __init__(self, user: str | None, event: Data | None, new_conversation: bool) -> None:
        self.user, self.new_conversation = user, new_conversation
        self.event = None if event is None else copy_object(event)


class LiveState:
    """The three scopes of state as ordinary dicts, to be read and changed at will."""

    __slots__ = ("bot", "conversation", "user")

    def __init__(self, seed: SeedState) -> None:
        self.bot = copy_object(seed.bot or {})
        self.user = copy_object(seed.user or {})
        self.conversation = copy_object(seed.conversation or {})


class FunctionSession:
    """What a callable is given beside the turn.

    `state.bot`, `state.user` and `state.conversation` hold the seeded state; `scratch` is the agent's own and is seen
    by nobody. A new conversation empties `state.conversation` and `scratch`.
    """

    __slots__ = ("_notes", "scratch", "state")

    def __init__(self, state: LiveState, notes: "Notes") -> None:
        self.state, self._notes = state, notes
        self.scratch: dict[str, object] = {}

    def tool(
        self, name: str, args: Mapping[str, object] | None = None, result: object = None, *, error: str | None = None
    ) -> object:
        """Record a tool call and return its result; `error` is its failure, if it failed.

        Raises: TypeError when the arguments or the result are not JSON-like data.
        """
        try:
            arguments, kept = copy_object(args or {}), copy_json(result)
        except NotJson as fault:
            raise TypeError(f"tool {name!r}: {fault}") from None
        self._notes.call(name, arguments, kept, error)
        return result

    def workflow(self, name: str, input: Mapping[str, object] | None = None) -> "Workflow":
        """Record a workflow around a `with` block: entered, then completed, or failed when the block raises.

        Raises: TypeError when the input is not JSON-like data.
        """
        try:
            return Workflow(self._notes, name, None if input is None else copy_object(input))
        except NotJson as fault:
            raise TypeError(f"workflow {name!r}: {fault}") from None


class Workflow:
    """A workflow under way; see `FunctionSession.workflow`."""

    __slots__ = ("_input", "_name", "_notes")

    def __init__(self, notes: "Notes", name: str, input: Data | None) -> None:
        self._notes, self._name, self._input = notes, name, input

    def __enter__(self) -> None:
        self._notes.event(self._name, "entered", self._input)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ended = "completed" if kind is None else "failed" if issubclass(kind, Exception) else "cancelled"
        self._notes.event(self._name, ended, self._input)


class Notes:
    """What was recorded of one turn, timed from its beginning."""

    __slots__ = ("_began", "_calls", "_events")

    def __init__(self) -> None:
        self._calls: list[ToolCall] = []
        self._events: list[WorkflowEvent] = []
        self._began = time.perf_counter()

    def begin(self) -> None:
        """Set the clock of the turn to zero."""
        self._began = time.perf_counter()

    def elapsed_ms(self) -> float:
        """Return the milliseconds since the turn began."""
        return (time.perf_counter() - self._began) * 1000

    def call(self, name: str, arguments: Data, result: object, error: str | None) -> None:
        """Record a tool call that has just ended."""
        at_ms = self.elapsed_ms()
        self._calls.append(ToolCall(name=name, arguments=arguments, result=result, error=error, ended_ms=at_ms))

    def event(self, name: str, status: str, input: Data | None) -> None:
        """Record one event of a workflow."""
        self._events.append(WorkflowEvent(name=name, status=status, input=input, at_ms=self.elapsed_ms()))

    def mentions(self, workflow: str) -> bool:
        """Return whether anything has been recorded of that workflow."""
        return any(event.name == workflow for event in self._events)

    def take(self) -> tuple[tuple[ToolCall, ...], tuple[WorkflowEvent, ...]]:
        """Return what has been recorded since it was last taken."""
        taken = tuple(self._calls), tuple(self._events)
        self._calls, self._events = [], []
        return taken


def snapshot(live: LiveState) -> State:
    """Return a copy of the state as it is now.

    Raises: NotJson when the agent has put something into it that is not JSON-like data.
    """
    return State(
        bot=_scope("bot", live.bot),
        user=_scope("user", live.user),
        conversation=_scope("conversation", live.conversation),
    )


def _scope(name: str, value: object) -> dict[str, object]:
    try:
        return copy_object(value)
    except NotJson as fault:
        raise fault.under(name).under("state") from None
