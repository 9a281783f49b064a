"""Watching the tools and models of one trial of an ADK agent, and answering those of its tools that are mocked.

ADK's own objects come in here as they are; only `adk.py` knows their types.
"""

from collections.abc import Mapping
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Protocol

from audition.agents._adk_events import TurnNotes
from audition.agents._adk_mocks import Mocks, response_of
from audition.errors import AgentError, ModelError
from audition.llm import Completion

WATCHING: ContextVar["Watch"] = ContextVar("audition_adk_watching")
"""The watch of the trial under way, for agents that no plugin reaches."""


class Calls(Protocol):
    """The way to the models of an agent."""

    async def answer(self, model: str, request: Any) -> tuple[list[Any], Completion]:
        """Return a model's responses and what they came to. Raises: ModelError when it may not be asked."""
        ...


class Watch:
    """What is seen of one trial.

    `notes` are those of the turn under way. `calls` is the way to its models, None when they are asked directly.
    `model_error` is the last error of a model, None without one; `undecided` says why no canned result could be chosen,
    or why a model could not be asked (nothing recorded, nothing left to spend).
    """

    def __init__(self, mocks: Mocks, calls: Calls | None = None) -> None:
        self.notes = TurnNotes()
        self.calls = calls
        self.model_error: Exception | None = None
        self.undecided: AgentError | ModelError | None = None
        self._mocks = mocks
        self._session_ids: set[str] = set()
        self._tool_of: dict[str, str] = {}

    def opened(self, session_id: str) -> None:
        """Learn that a session is one of the conversation itself."""
        self._session_ids.add(session_id)

    def run_begins(self, session_id: str, agent_name: str) -> None:
        """Learn which agent runs in a session: in one that is not the conversation's, an agent called as a tool."""
        if session_id not in self._session_ids:
            self._tool_of[session_id] = agent_name

    def sees(self, session_id: str) -> bool:
        """Say whether what happens in a session is told by a plugin."""
        return session_id in self._session_ids or session_id in self._tool_of

    def event(self, session_id: str, event: Any) -> None:
        """Note an event of an agent called as a tool; those of the conversation itself come from its runner."""
        if session_id in self._tool_of:
            self.notes.event(event, within=self._tool_of[session_id])

    def tool_begins(self, tool: Any, arguments: Any, context: Any) -> dict[str, Any] | None:
        """Note that a tool begins to run, and return what is to be its answer when it is mocked.

        Raises: AgentError when it cannot be told which canned result is meant.
        """
        _hold_back_exits(tool)
        call_id = context.function_call_id
        self.notes.started(call_id, tool.name, arguments, within=self._within(context))
        if tool.name not in self._mocks.names:
            return None
        try:
            canned = self._mocks.call(tool.name, arguments, at_ms=self.notes.elapsed_ms())
        except AgentError as error:
            self.undecided = error
            raise
        self.notes.mocked(call_id, canned)
        return response_of(canned)

    def tool_ended(self, context: Any, result: Any) -> None:
        """Note what a tool returned."""
        self.notes.ended(context.function_call_id, result)

    def tool_failed(self, tool: Any, arguments: Any, context: Any, error: BaseException) -> None:
        """Note that a tool failed."""
        self.notes.failed(context.function_call_id, tool.name, arguments, error, within=self._within(context))

    def _within(self, context: Any) -> str | None:
        session_id = context.session.id
        if session_id in self._session_ids:
            return None
        agent_name: str = context.agent_name
        return self._tool_of.get(session_id, agent_name)


class ToolExit(Exception):
    """A tool wanted to end the process."""


def _hold_back_exits(tool: Any) -> None:
    """Turn a tool's `sys.exit` into an error: in a task of ADK's it would end our process, as if all were well."""
    if "run_async" in getattr(tool, "__dict__", {}):
        return
    run = tool.run_async

    async def held_back(**given: Any) -> Any:
        try:
            return await run(**given)
        except SystemExit as error:
            raise ToolExit(f"the tool {tool.name!r} called sys.exit({error.code!r})") from error

    with suppress(AttributeError, TypeError, ValueError):  # a tool that lets nobody change it
        tool.run_async = held_back


def watch_hidden(agent: Any) -> None:
    """Have an agent tell of its tools and models by itself; for those that run without their caller's plugins."""
    if before_hidden_tool in agent.canonical_before_tool_callbacks:
        return
    agent.before_tool_callback = [before_hidden_tool, *agent.canonical_before_tool_callbacks]
    agent.after_tool_callback = [_after_hidden_tool, *agent.canonical_after_tool_callbacks]
    agent.on_tool_error_callback = [_on_hidden_tool_error, *agent.canonical_on_tool_error_callbacks]
    agent.after_model_callback = [_after_hidden_model, *agent.canonical_after_model_callbacks]


def before_hidden_tool(tool: Any, args: Mapping[str, Any], tool_context: Any) -> dict[str, Any] | None:
    """Tell the watch that a tool begins to run."""
    watch = _watch_on(tool_context)
    return watch.tool_begins(tool, args, tool_context) if watch else None


def _after_hidden_tool(tool: Any, args: Any, tool_context: Any, tool_response: Any) -> None:  # noqa: ARG001  # ADK's
    if watch := _watch_on(tool_context):
        watch.tool_ended(tool_context, tool_response)


def _on_hidden_tool_error(tool: Any, args: Any, tool_context: Any, error: Exception) -> None:
    if watch := _watch_on(tool_context):
        watch.tool_failed(tool, args, tool_context, error)


def _after_hidden_model(callback_context: Any, llm_response: Any) -> None:
    watch = _watch_on(callback_context)
    if watch and not llm_response.partial:
        watch.notes.spent(llm_response)


def _watch_on(context: Any) -> Watch | None:
    """Return the watch of the trial under way, None outside of one and where a plugin tells it already."""
    watch = WATCHING.get(None)
    return None if watch is None or watch.sees(context.session.id) else watch
