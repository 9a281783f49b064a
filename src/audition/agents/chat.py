"""A chat model as an agent: an instruction, a language model, and tools whose results are canned."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from audition.agents import Agent, Facet, Session, Surroundings
from audition.agents._chat_options import OPTIONS, read_chat_options
from audition.agents._mocks import MockedTools
from audition.errors import AgentError, ModelError
from audition.evals import SeedState, Setup, ToolMock, Turn
from audition.llm import Completion, LanguageModel, Message, ToolRequest
from audition.transcript import Exchange, Reply, State, ToolCall, Trouble, Usage, total

__all__ = ["OPTIONS", "Chat", "agent"]

_FACETS: frozenset[Facet] = frozenset({"replies", "tools", "timing", "usage"})


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> Agent:
    """Return the agent that `chat:openai:gpt-4o-mini` names: `where` is a model reference or an alias of one.

    Options: `instruction` (a file) or `instruction_text`; `tools` (a list, or a file that holds one); `temperature`,
    `max_tokens`, `seed`; `max_tool_rounds` (default 10); `at_once` (default 1000: sessions share nothing).

    Raises: SettingsError for wrong options or a model that settings do not name, LoadError for a file of tools.
    """
    chosen = read_chat_options(options, around.root)
    return Chat(
        around.models.open(where, **chosen.parameters),
        instruction=chosen.instruction,
        tools=chosen.tools,
        max_tool_rounds=chosen.max_tool_rounds,
        at_once=chosen.at_once,
    )


class Chat:
    """A language model as an agent."""

    def __init__(
        self,
        model: LanguageModel,
        *,
        instruction: str | None = None,
        tools: Sequence[ToolMock] = (),
        max_tool_rounds: int = 10,
        at_once: int = 1000,
    ) -> None:
        self._model, self._instruction, self._tools = model, instruction, tools
        self._max_tool_rounds, self._at_once = max_tool_rounds, at_once

    @property
    def observes(self) -> frozenset[Facet]:
        """Return what a chat model shows: it keeps no state and runs no workflows."""
        return _FACETS

    @property
    def at_once(self) -> int:
        """Return how many sessions may run side by side."""
        return self._at_once

    def open(self, setup: Setup, *, trial: str) -> AbstractAsyncContextManager[Session]:  # noqa: ARG002
        """Open a session, in which the setup's tools take the place of the agent's own of the same name.

        Raises: AgentError for a setup that seeds state or triggers a workflow.
        """
        return self._open(setup)

    @asynccontextmanager
    async def _open(self, setup: Setup) -> AsyncGenerator[Session]:
        if setup.state != SeedState():
            raise AgentError("a chat agent has no state that could be seeded", by_agent=False)
        if setup.workflow is not None:
            raise AgentError("a chat agent has no workflows that could be triggered", by_agent=False)
        tools = MockedTools((*self._tools, *setup.tools))
        yield _Conversation(self._model, self._instruction, tools, self._max_tool_rounds)


class _Conversation:
    """A session: the messages so far."""

    def __init__(self, model: LanguageModel, instruction: str | None, tools: MockedTools, max_tool_rounds: int) -> None:
        self._model, self._tools, self._max_tool_rounds = model, tools, max_tool_rounds
        self._head = () if instruction is None else (Message(role="system", content=instruction),)
        self._history: list[Message] = []

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Say something and let the model use its tools until it is done; waits and retries are not its time."""
        if turn.user is None:
            refusal = Trouble(message="a chat agent cannot receive events", by_agent=False)
            return Exchange(event=turn.event, trouble=refusal)
        if turn.new_conversation:
            self._history.clear()
        self._history.append(Message(role="user", content=turn.user))
        course = _Course()
        trouble = await self._take_turn(course, idle_timeout_s)
        return course.exchange(turn.user, trouble)

    async def state(self) -> State:
        """Refuse: there is none.

        Raises: AgentError always.
        """
        raise AgentError("a chat agent has no state", by_agent=False)

    async def _take_turn(self, course: "_Course", idle_timeout_s: float) -> Trouble | None:
        """Let the model answer and call tools, round by round; return what kept it from coming to its end."""
        for _ in range(self._max_tool_rounds + 1):
            try:
                completion = await self._ask(idle_timeout_s - course.elapsed_ms / 1000)
            except ModelError as error:
                return _trouble(error, idle_timeout_s)
            course.note(completion)
            if not completion.tool_requests:
                self._history.append(Message(role="assistant", content=completion.text))
                return _withheld(completion)
            self._call_tools(completion, course)
        return Trouble(message=f"asked for tools {self._max_tool_rounds + 1} rounds in a row", by_agent=True)

    async def _ask(self, left_s: float) -> Completion:
        if left_s <= 0:
            raise ModelError("no time is left", timed_out=True)
        messages = (*self._head, *self._history)
        return await self._model.complete(messages, tools=self._tools.definitions, timeout_s=left_s)

    def _call_tools(self, completion: Completion, course: "_Course") -> None:
        calls = [self._tools.call(request, at_ms=course.at_ms) for request in completion.tool_requests]
        course.calls += calls
        asked = tuple(
            _well_formed(request, call) for request, call in zip(completion.tool_requests, calls, strict=True)
        )
        self._history.append(Message(role="assistant", content=completion.text, tool_requests=asked))
        for request, call in zip(asked, calls, strict=True):
            self._history.append(Message(role="tool", content=_told(call), tool_call_id=request.id))


class _Course:
    """A turn in the making."""

    def __init__(self) -> None:
        self.elapsed_ms = 0.0
        self._measured = True
        self.replies: list[Reply] = []
        self.calls: list[ToolCall] = []
        self._usages: list[Usage] = []

    @property
    def at_ms(self) -> float | None:
        """Return how far the turn is, None once an answer in it was replayed: nobody waited for that."""
        return self.elapsed_ms if self._measured else None

    def note(self, completion: Completion) -> None:
        """Note one answer of the model; blank text is silence."""
        self.elapsed_ms += completion.elapsed_ms
        self._measured = self._measured and not completion.replayed
        self._usages.append(completion.usage)
        if completion.text.strip():
            self.replies.append(Reply(text=completion.text, at_ms=self.at_ms))

    def exchange(self, user: str, trouble: Trouble | None) -> Exchange:
        return Exchange(
            user=user,
            replies=tuple(self.replies),
            tool_calls=tuple(self.calls),
            response_ms=self.replies[-1].at_ms if self.replies else None,
            usage=total(self._usages) if self._usages else None,
            trouble=trouble,
        )


def _trouble(error: ModelError, idle_timeout_s: float) -> Trouble:
    if error.timed_out:
        return Trouble(message=f"no answer within {idle_timeout_s:g} s", by_agent=True, detail=error.message)
    return Trouble(message=str(error), by_agent=False)


def _withheld(completion: Completion) -> Trouble | None:
    """Return the trouble of an answer that a content filter left nothing of; what it left counts as said."""
    if completion.finish_reason == "content_filter" and not completion.text.strip():
        return Trouble(message="a content filter withheld the answer", by_agent=True)
    return None


def _well_formed(request: ToolRequest, call: ToolCall) -> ToolRequest:
    """Return a request that may be sent back: endpoints refuse a history whose arguments are no JSON."""
    if call.malformed is None:
        return request
    return ToolRequest(id=request.id, name=request.name, arguments="{}")


def _told(call: ToolCall) -> str:
    """Return what the model is told about a call: its result as JSON (text as it is), or its error."""
    if call.error is not None:
        return json.dumps({"error": call.error}, ensure_ascii=False)
    return call.result if isinstance(call.result, str) else json.dumps(call.result, ensure_ascii=False, default=dict)
