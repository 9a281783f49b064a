"""An agent that is a Python callable: `function:package.module:callable`.

    def reply(turn, session):
        if turn.event is not None:
            return None                                        # silence
        order = session.tool("find_order", {"id": 7}, result={"status": "sent"})
        session.state.conversation["order"] = order
        return f"Your order is {order['status']}."             # a text, or a list of texts

The callable may be `async def`; one that is not runs in a thread. The project's folder is importable.

A workflow that an eval's setup triggers is looked up in `workflows`, a mapping of names to callables
`(input, session)`, which is an attribute of the callable or of its module. Without it such an eval is an error.

Trials share the process: what a module keeps in variables of its own passes from one trial to the next. The option
`reset` names a callable of the module that puts such variables back; it is called before each trial, and trials then
run one after another.
"""

import asyncio
import inspect
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import cast

from audition.agents import Facet, Session, Surroundings
from audition.agents._function_session import AgentTurn, FunctionSession, LiveState, Notes, snapshot
from audition.agents._json import NotJson, copy_object
from audition.agents._loading import callable_of, load_module
from audition.agents._options import read_options
from audition.agents._workers import Workers
from audition.documents.shape import Field, Number, Record, Text
from audition.errors import AgentError, SettingsError
from audition.evals import Setup, Turn, WorkflowTrigger
from audition.text import nearest, shorten
from audition.transcript import Exchange, Reply, State, Trouble

__all__ = ["OPTIONS", "AgentTurn", "FunctionAgent", "FunctionSession", "agent"]

Callback = Callable[..., object]
"""A callable of the agent's, sync or async."""

OPTIONS = Record(
    "function agent",
    "Settings of an agent that is a Python callable.",
    at_once=Field(Number(minimum=1, whole=True), doc="How many trials may run side by side."),
    reset=Field(Text(min_length=1), doc="A callable of the module, called before each trial."),
)

_ASYNC_AT_ONCE = 64
_THREADS = 32
_LONGEST_MESSAGE = 500

_Answer = tuple[tuple[Reply, ...], float | None, Trouble | None]


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> "FunctionAgent":
    """Return the agent that `package.module:callable` names.

    Raises: SettingsError when there is no such callable, and for wrong options.
    """
    read = read_options("function", OPTIONS, options)
    module_name, _, name = where.partition(":")
    if not (module_name and name):
        hint = "write function:MODULE:CALLABLE, for example function:shop.bot:reply"
        raise SettingsError(f"{where!r} does not name a callable", key="agent", hint=hint)
    module = load_module(module_name, around.root)
    reply = callable_of(module, name)
    return FunctionAgent(
        reply,
        workflows=_workflows_of(reply) or _workflows_of(module),
        reset=callable_of(module, str(read["reset"])) if "reset" in read else None,
        at_once=cast(int | None, read.get("at_once")),
    )


class FunctionAgent:
    """An agent that is a callable `reply(turn, session)`.

    `workflows`: what an eval's setup may trigger; None for the callable's own attribute of that name. `reset`: called
    before each trial. `at_once`: how many trials may run side by side, >= 1; None for 64 when async, else 32.
    """

    observes: frozenset[Facet] = frozenset({"replies", "tools", "state", "workflows", "timing"})

    def __init__(
        self,
        reply: Callback,
        *,
        workflows: Mapping[str, Callback] | None = None,
        reset: Callback | None = None,
        at_once: int | None = None,
    ) -> None:
        self._reply, self._reset = reply, reset
        self._workflows = _workflows_of(reply) if workflows is None else workflows
        self._is_async = _is_async(reply)
        self.at_once = 1 if reset else at_once or (_ASYNC_AT_ONCE if self._is_async else _THREADS)
        self._workers: dict[asyncio.AbstractEventLoop, Workers] = {}

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:  # noqa: ARG002  # the protocol's
        """Open a session on a copy of the seeded state.

        Raises: AgentError for mocked tools, for a workflow that cannot be triggered, and for one that fails at once.
        """
        if setup.tools:
            names = ", ".join(repr(tool.name) for tool in setup.tools)
            raise AgentError(f"a function agent calls its own tools: {names} cannot be mocked", by_agent=False)
        workers = self._workers_here()
        if self._reset:
            await _called(workers, "reset", self._reset)
        session = _FunctionSession(self._reply, self._is_async, workers, setup)
        if setup.workflow:
            await session.trigger(setup.workflow, self._triggered_by(setup.workflow))
        yield session

    def _triggered_by(self, trigger: WorkflowTrigger) -> Callback:
        if not self._workflows:
            hint = "give the module a mapping 'workflows' of names to callables (input, session)"
            raise AgentError(f"cannot trigger workflow {trigger.name!r}", by_agent=False, hint=hint)
        if trigger.name not in self._workflows:
            guess = nearest(trigger.name, self._workflows)
            hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(self._workflows)}"
            raise AgentError(f"cannot trigger workflow {trigger.name!r}", by_agent=False, hint=hint)
        return self._workflows[trigger.name]

    def _workers_here(self) -> Workers:
        loop = asyncio.get_running_loop()
        if loop not in self._workers:
            self._workers = {other: kept for other, kept in self._workers.items() if not other.is_closed()}
            self._workers[loop] = Workers(loop)
        return self._workers[loop]


class _FunctionSession:
    """One conversation with a callable."""

    def __init__(self, reply: Callback, is_async: bool, workers: Workers, setup: Setup) -> None:
        self._reply, self._is_async, self._workers = reply, is_async, workers
        self._notes, self._live = Notes(), LiveState(setup.state)
        self._session = FunctionSession(self._live, self._notes)
        self._left_running = False

    async def trigger(self, trigger: WorkflowTrigger, callback: Callback) -> None:
        """Start a workflow; what it records belongs to the first turn."""
        await _called(self._workers, f"workflow {trigger.name!r}", callback, copy_object(trigger.input), self._session)
        if not self._notes.mentions(trigger.name):
            self._notes.event(trigger.name, "entered", trigger.input)

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Call the callable with one turn."""
        if turn.new_conversation:
            self._live.conversation, self._session.scratch = {}, {}
        heard = AgentTurn(turn.user, turn.event, turn.new_conversation)
        replies, response_ms, trouble = await self._answer(heard, idle_timeout_s)
        calls, events = self._notes.take()
        state = None
        try:
            state = None if self._left_running else snapshot(self._live)
        except NotJson as fault:
            trouble = trouble or Trouble(message=str(fault), by_agent=True)
        return Exchange(
            user=turn.user,
            event=turn.event,
            replies=replies,
            tool_calls=calls,
            workflows=events,
            state=state,
            response_ms=response_ms,
            trouble=trouble,
        )

    async def state(self) -> State:
        """Return a copy of the state."""
        try:
            return snapshot(self._live)
        except NotJson as fault:
            raise AgentError(str(fault), by_agent=True) from None

    async def _answer(self, heard: AgentTurn, idle_timeout_s: float) -> _Answer:
        try:
            async with asyncio.timeout(idle_timeout_s) as limit:
                said, response_ms = await (self._ask(heard) if self._is_async else self._ask_in_a_thread(heard))
            texts = _texts(said)
        except BaseException as error:
            if not _is_crash(error):
                raise
            return (), None, self._late(idle_timeout_s) if limit.expired() else _crash(error)
        if limit.expired():  # the callable caught its cancellation and answered all the same
            return (), None, self._late(idle_timeout_s)
        return tuple([Reply(text=text, at_ms=response_ms) for text in texts]), response_ms if texts else None, None

    def _late(self, idle_timeout_s: float) -> Trouble:
        # its thread goes on and may change the state at any moment
        self._left_running = not self._is_async
        return Trouble(message=f"no answer within {idle_timeout_s:g} s", by_agent=True)

    async def _ask(self, heard: AgentTurn) -> tuple[object, float]:
        self._notes.begin()
        said = await cast(Awaitable[object], self._reply(heard, self._session))
        return said, self._notes.elapsed_ms()

    async def _ask_in_a_thread(self, heard: AgentTurn) -> tuple[object, float]:
        said, elapsed_ms = await self._workers.run(partial(self._timed, heard))
        if inspect.isawaitable(said):
            return await said, self._notes.elapsed_ms()
        return said, elapsed_ms

    def _timed(self, heard: AgentTurn) -> tuple[object, float]:
        """Call the callable and measure it where it runs: the loop may be busy when it is done."""
        self._notes.begin()
        return self._reply(heard, self._session), self._notes.elapsed_ms()


async def _called(workers: Workers, what: str, callback: Callback, *args: object) -> None:
    """Call one of the agent's callables other than its reply.

    Raises: AgentError, by the agent, when it raises.
    """
    try:
        given = callback(*args) if _is_async(callback) else await workers.run(partial(callback, *args))
        if inspect.isawaitable(given):
            await given
    except BaseException as error:
        if not _is_crash(error):
            raise
        crash = _crash(error)
        raise AgentError(f"{what}: {crash.message}", by_agent=True, detail=crash.detail) from error


def _workflows_of(holder: object) -> Mapping[str, Callback] | None:
    held = getattr(holder, "workflows", None)
    return held if isinstance(held, Mapping) else None  # a module may be called that, too


def _texts(said: object) -> list[str]:
    """Return what a callable said as texts.

    Raises: TypeError when it is no text, no list of texts and not None.
    """
    if said is None:
        return []
    if isinstance(said, str):
        return [said]
    wrong: object = said
    if isinstance(said, list | tuple):
        others = [text for text in said if not isinstance(text, str)]
        if not others:
            return list(said)
        wrong = others[0]
    held = "" if wrong is said else f"a {type(said).__name__} that holds "
    raise _WrongAnswer(f"returned {held}{type(wrong).__name__}, expected None, a text or a list of texts")


class _WrongAnswer(Exception):
    """A callable returned what is no answer."""


def _is_crash(error: BaseException) -> bool:
    """Say whether an error is the agent's own: any but an interruption from outside.

    `sys.exit(0)` in an agent must not end our process as if all were well, and a cancellation is ours only when our
    own task is being cancelled.
    """
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or not task.cancelling()
    return isinstance(error, Exception | SystemExit)


def _crash(error: BaseException) -> Trouble:
    if isinstance(error, _WrongAnswer):
        return Trouble(message=str(error), by_agent=True)
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    detail = "".join(traceback.format_exception(type(error), error, _agents_frames(error)))
    return Trouble(message=shorten(text, _LONGEST_MESSAGE), by_agent=True, detail=detail)


def _agents_frames(error: BaseException) -> TracebackType | None:
    """Return the traceback from where the agent's own code begins."""
    frames = error.__traceback__
    while frames and str(frames.tb_frame.f_globals.get("__name__")).startswith("audition.agents."):
        frames = frames.tb_next
    return frames


def _is_async(callback: Callback) -> bool:
    return inspect.iscoroutinefunction(callback) or inspect.iscoroutinefunction(type(callback).__call__)
