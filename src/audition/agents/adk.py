"""An agent built with Google's Agent Development Kit: `adk:FOLDER` as `adk eval` takes it, or `adk:package.module`.

    adk:agents/home_automation         a folder whose package, or its module `agent`, defines the agent
    adk:agents.home_automation.agent   a module by its dotted name, as AgentEvaluator takes it

A folder's `app` (an `App`, with its plugins) is taken before its `root_agent`, and that before `get_agent_async`; of a
dotted module `root_agent` comes first. A file `.env` in the folder or above it is read into the environment before the
agent is imported, as ADK does; variables that are set already keep their values.

Each trial has ADK's own Runner with services in memory and a session of its own, so that nothing of one trial's state
is there in another. Seeded state goes where ADK's prefixes say: `user` to `user:`, `bot` to `app:`. The calls of
agents that are used as tools are seen too, marked with the tool in whose run they were made. Tools that an eval mocks
are answered in place of being run. The calls of the agent's models count against the run's budget, and go on its
cassette.

A module with `reset_data` keeps state of its own: `reset_data` is called before each trial, and trials then run one
after another unless `at_once` says otherwise. Without it trials share the module's variables.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any, cast

from audition.agents import Facet, Session, Surroundings
from audition.agents._adk_calls import ModelCalls, hold_hidden, hold_model
from audition.agents._adk_loading import folder_of, holder_of, load_package, without_collecting
from audition.agents._adk_mocks import Mocks
from audition.agents._adk_session import AdkSession, called
from audition.agents._adk_state import plain, seeded
from audition.agents._adk_watching import Watch, watch_hidden
from audition.agents._loading import load_module
from audition.agents._options import read_options
from audition.documents.shape import Choice, Field, Number, Record, Text
from audition.errors import AgentError, MissingExtra, SettingsError
from audition.evals import Setup, Turn
from audition.text import nearest

with without_collecting():
    try:
        from google.adk.agents import BaseAgent, LlmAgent, LoopAgent, ParallelAgent, SequentialAgent
        from google.adk.agents.callback_context import CallbackContext
        from google.adk.agents.invocation_context import InvocationContext
        from google.adk.apps import App
        from google.adk.artifacts import InMemoryArtifactService
        from google.adk.cli.utils.envs import load_dotenv_for_agent
        from google.adk.events import Event
        from google.adk.flows.llm_flows.auto_flow import AutoFlow
        from google.adk.memory import InMemoryMemoryService
        from google.adk.models.llm_request import LlmRequest
        from google.adk.models.llm_response import LlmResponse
        from google.adk.plugins import BasePlugin
        from google.adk.runners import Runner
        from google.adk.sessions import InMemorySessionService
        from google.adk.sessions import Session as AdkSessionData
        from google.adk.sessions.base_session_service import GetSessionConfig
        from google.adk.tools.agent_tool import AgentTool
        from google.adk.tools.base_tool import BaseTool
        from google.adk.tools.base_toolset import BaseToolset
        from google.adk.tools.tool_context import ToolContext
        from google.adk.workflow import BaseNode, Workflow
        from google.genai import types
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "google":
            raise
        raise MissingExtra("adk", needed_for="an 'adk' agent") from missing

__all__ = ["OPTIONS", "AdkAgent", "agent"]

Callback = Callable[[], object]
"""A callable of the agent's module, sync or async."""

OPTIONS = Record(
    "adk agent",
    "Settings of an agent built with Google ADK.",
    loader=Field(
        Choice(("folder", "module")), doc="How it is named; by default a folder where there is one of that name."
    ),
    agent_name=Field(Text(min_length=1), doc="The sub-agent to audition in place of the root agent."),
    app_name=Field(Text(min_length=1), doc="The app name of sessions, by default the folder's or package's name."),
    user_id=Field(Text(min_length=1), doc="The user of sessions, by default test_user_id."),
    env_file=Field(Text(min_length=1), doc="A file of environment variables to read in place of .env."),
    at_once=Field(Number(minimum=1, whole=True), doc="How many trials may run side by side."),
)

_CHARGED_TO_NO_TURN = (AutoFlow, Workflow)
"""What ADK would import in the middle of the first turn, a quarter of a second long, were it not imported here."""

_COMPOSED = (SequentialAgent, ParallelAgent, LoopAgent)
"""Agents that ask no model themselves."""

_AT_ONCE = 1000
_USER_ID = "test_user_id"
"""ADK's word for the user of cases that name none."""

_NOWHERE = logging.NullHandler()
"""Where ADK's log goes unless somebody asks for it: what went wrong is in the transcript."""

_RETRIES = types.HttpRetryOptions(
    attempts=7, initial_delay=5.0, max_delay=120.0, exp_base=2.0, http_status_codes=[408, 429, 500, 502, 503, 504]
)
"""How often a model is asked again when its agent says nothing of that. Source: `adk eval`."""


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> "AdkAgent":
    """Return the agent that a folder or a dotted module defines; a relative folder counts from the project's.

    Raises: SettingsError when there is none, and for wrong options.
    """
    read = cast(dict[str, Any], read_options("adk", OPTIONS, options))
    folder = folder_of(where, around.root, read.get("loader"))
    if env_file := read.get("env_file"):
        path = around.root / env_file
        if not path.is_file():
            raise SettingsError(f"there is no file {str(path)!r}", key="agent.env_file")
        load_dotenv_for_agent("", str(path.parent), path.name)
    elif folder:
        load_dotenv_for_agent(folder.name, str(folder.parent))
    holder = load_package(folder) if folder else holder_of(load_module(where, around.root))
    source, app = _offered(holder, app_first=folder is not None)
    reset = getattr(holder, "reset_data", None)
    own_name = folder.name if folder else where.removesuffix(".agent").rpartition(".")[2]
    return AdkAgent(
        source,
        app=app,
        agent_name=read.get("agent_name"),
        app_name=read.get("app_name", own_name),
        user_id=read.get("user_id", _USER_ID),
        reset=reset if callable(reset) else None,
        at_once=read.get("at_once"),
        calls=ModelCalls(around.models, around.secrets, LlmResponse.model_validate_json),
    )


def _offered(holder: ModuleType, *, app_first: bool) -> tuple[BaseNode | Callback, App | None]:
    """Return the agent that a module offers, or what gives it, and the app with its settings, None without one.

    Source: `adk eval` takes the app's agent first, AgentEvaluator the module's own.
    """
    app = getattr(holder, "app", None)
    app = app if isinstance(app, App) else None
    root = getattr(holder, "root_agent", None)
    if app and app.root_agent and (app_first or root is None):
        return app.root_agent, app
    source = root or getattr(holder, "get_agent_async", None)
    if isinstance(source, BaseNode) or callable(source):
        return source, app
    hint = "define root_agent, app or get_agent_async there"
    raise SettingsError(f"the module {holder.__name__!r} offers no ADK agent", key="agent", hint=hint)


class AdkAgent:
    """An agent built with Google ADK: its root, or a callable that returns it with an exit stack, as `get_agent_async`.

    `app` gives plugins and settings. `agent_name` names a sub-agent to take in place of the root. `app_name` and
    `user_id` are those of sessions for which an eval says nothing. `reset` is called before each trial; `at_once` None:
    one trial at a time with it, else as many as one likes. `calls` is the way to its models; None: nobody counts or
    records what they are asked.
    """

    observes: frozenset[Facet] = frozenset({"replies", "tools", "state", "timing", "usage"})

    def __init__(
        self,
        source: BaseNode | Callback,
        *,
        app: App | None = None,
        agent_name: str | None = None,
        app_name: str = "audition",
        user_id: str = _USER_ID,
        reset: Callback | None = None,
        at_once: int | None = None,
        calls: ModelCalls | None = None,
    ) -> None:
        logging.getLogger("google_adk").addHandler(_NOWHERE)
        self._source, self._app, self._agent_name = source, app, agent_name
        self._app_name, self._user_id, self._reset, self._calls = app_name, user_id, reset, calls
        self.at_once = at_once or (1 if reset else _AT_ONCE)
        self._root = self._chosen(source) if isinstance(source, BaseNode) else None
        self._asking: tuple[asyncio.AbstractEventLoop, asyncio.Lock] | None = None
        self._open = 0

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:  # noqa: ARG002  # the protocol's
        """Open a session of ADK's with a runner and services of its own, on a copy of the seeded state.

        Raises: AgentError for a workflow to be triggered, for a mock of a tool that the agent does not have, for models
        that no cassette could reach, and when `reset` or `get_agent_async` fails.
        """
        if setup.workflow:
            raise AgentError(f"an ADK agent has no workflow {setup.workflow.name!r} to trigger", by_agent=False)
        root, mocks = await self._root_here(), Mocks(setup.tools)
        if mocks.names and (known := _tool_names(root)) is not None:
            mocks.insist(known)
        if self._calls and self._calls.recorded:
            _insist_on_reach(root)
        if self._reset:
            await called("reset_data", self._reset)
        watch = Watch(mocks, self._calls)
        runner = self._runner(root, watch, str(setup.session.get("app_name") or self._app_name))
        session = AdkSession(runner, watch, str(setup.session.get("user_id", self._user_id)), _content_of)
        self._open += 1
        try:
            await session.begin(seeded(setup.state), cast(str | None, setup.session.get("session_id")))
            yield session
        finally:
            self._open -= 1
            if not self._open:  # toolsets and plugins are shared: they are closed when nobody uses them any more
                await runner.close()

    def _runner(self, root: BaseNode, watch: Watch, app_name: str) -> Runner:
        app = self._app or App(name="audition", root_agent=root)
        # Ours is first: a plugin that answers a call keeps the later ones from seeing it.
        app = app.model_copy(update={"root_agent": root, "plugins": [_Plugin(watch), *app.plugins]})
        return Runner(
            app=app,
            app_name=app_name,
            session_service=_Sessions(),
            artifact_service=InMemoryArtifactService(),
            memory_service=InMemoryMemoryService(),
        )

    async def _root_here(self) -> BaseNode:
        """Return the agent to run; one that is to be asked for is asked for once in each event loop."""
        if isinstance(self._source, BaseNode) and self._root:
            return self._root
        loop = asyncio.get_running_loop()
        if self._asking is None or self._asking[0] is not loop:
            self._asking, self._root = (loop, asyncio.Lock()), None
        async with self._asking[1]:
            if self._root is None:
                given = await called("get_agent_async", cast(Callback, self._source))
                self._root = self._chosen(given[0] if isinstance(given, tuple) else given)
        return self._root

    def _chosen(self, root: BaseNode) -> BaseNode:
        """Return the agent of the given name in a tree, the root without a name.

        Raises: SettingsError when there is none.
        """
        for one, is_hidden in _tree(root):
            if is_hidden and isinstance(one, LlmAgent):
                watch_hidden(one)
                hold_hidden(one)
        if self._agent_name is None:
            return root
        found = root.find_agent(self._agent_name) if isinstance(root, BaseAgent) else None
        if found is None:
            near = nearest(self._agent_name, [one.name for one, _ in _tree(root)])
            hint = f"did you mean {near!r}?" if near else f"the root is {root.name!r}"
            raise SettingsError(f"no sub-agent is called {self._agent_name!r}", key="agent.agent_name", hint=hint)
        return found


class _Plugin(BasePlugin):
    """Tells a watch what happens, in the agents called as tools as well."""

    def __init__(self, watch: Watch) -> None:
        super().__init__(name="audition")
        self._watch = watch

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        agent = invocation_context.agent
        self._watch.run_begins(invocation_context.session.id, agent.name if agent else "")

    async def on_event_callback(self, *, invocation_context: InvocationContext, event: Event) -> None:
        self._watch.event(invocation_context.session.id, event)

    async def before_agent_callback(
        self,
        *,
        agent: BaseAgent,
        callback_context: CallbackContext,  # noqa: ARG002  # ADK's
    ) -> None:
        if isinstance(agent, LlmAgent):
            hold_model(agent)

    async def before_model_callback(
        self,
        *,
        callback_context: CallbackContext,  # noqa: ARG002  # ADK's
        llm_request: LlmRequest,
    ) -> None:
        options = llm_request.config.http_options = llm_request.config.http_options or types.HttpOptions()
        options.retry_options = options.retry_options or _RETRIES

    async def on_model_error_callback(
        self,
        *,
        callback_context: CallbackContext,  # noqa: ARG002  # ADK's
        llm_request: LlmRequest,  # noqa: ARG002  # ADK's
        error: Exception,
    ) -> None:
        self._watch.model_error = error

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        return self._watch.tool_begins(tool, tool_args, tool_context)

    async def after_tool_callback(
        self,
        *,
        tool: BaseTool,  # noqa: ARG002  # ADK's
        tool_args: dict[str, Any],  # noqa: ARG002  # ADK's
        tool_context: ToolContext,
        result: dict[str, Any],
    ) -> None:
        self._watch.tool_ended(tool_context, result)

    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: Exception
    ) -> None:
        self._watch.tool_failed(tool, tool_args, tool_context, error)


class _Sessions(InMemorySessionService):
    """ADK's sessions in memory, without a copy of the whole history for each turn."""

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> AdkSessionData | None:
        if config is not None:
            return await super().get_session(app_name=app_name, user_id=user_id, session_id=session_id, config=config)
        none = GetSessionConfig(num_recent_events=0)
        session = await super().get_session(app_name=app_name, user_id=user_id, session_id=session_id, config=none)
        if session:
            session.events = list(self.sessions[app_name][user_id][session.id].events)
        return session

    def kept(self, app_name: str, user_id: str, session_id: str) -> dict[str, Any]:
        """Return the state as it is kept, under ADK's prefixes."""
        of_user = self.user_state.get(app_name, {}).get(user_id, {})
        shared = {f"app:{key}": value for key, value in self.app_state.get(app_name, {}).items()}
        own = self.sessions[app_name][user_id][session_id].state
        return own | {f"user:{key}": value for key, value in of_user.items()} | shared


def _content_of(turn: Turn) -> types.Content:
    """Return what a user says, with the parts that are no text where a format has kept them.

    Raises: ValueError for parts that ADK does not know.
    """
    kept = turn.extra.get("user_content")
    if kept is not None:
        return types.Content.model_validate(plain(kept))
    return types.Content(role="user", parts=[types.Part(text=turn.user)])


def _tree(root: BaseNode) -> Iterator[tuple[BaseNode, bool]]:
    """Yield all agents of a tree, also those used as tools, and whether they run without their caller's plugins."""
    waiting, seen = [(root, False)], set()
    while waiting:
        one, is_hidden = waiting.pop()
        if (id(one), is_hidden) in seen:
            continue
        seen.add((id(one), is_hidden))
        yield one, is_hidden
        if isinstance(one, BaseAgent):
            waiting += [(inner, is_hidden) for inner in one.sub_agents]
        for tool in one.tools if isinstance(one, LlmAgent) else ():
            if isinstance(tool, AgentTool):
                waiting.append((tool.agent, is_hidden or not tool.include_plugins))


def _insist_on_reach(root: BaseNode) -> None:
    """Insist that the models of all agents can be held.

    Raises: AgentError for an agent used as a tool, without plugins, whose inside nobody can look into.
    """
    for one, is_hidden in _tree(root):
        if is_hidden and not isinstance(one, LlmAgent) and type(one) not in _COMPOSED:
            what = (
                f"the agent {one.name!r} is used as a tool without plugins, so a cassette may miss calls of its models"
            )
            raise AgentError(what, by_agent=False, hint="write AgentTool(…, include_plugins=True)")


def _tool_names(root: BaseNode) -> set[str] | None:
    """Return the names of all tools of a tree, None when some are known only once a toolset is asked."""
    names: set[str] = set()
    for one, _ in _tree(root):
        names.add(one.name)  # an agent may be offered as a tool
        if not isinstance(one, BaseAgent):
            return None
        for tool in one.tools if isinstance(one, LlmAgent) else ():
            if isinstance(tool, BaseToolset):
                return None
            names.add(tool.name if isinstance(tool, BaseTool) else getattr(tool, "__name__", type(tool).__name__))
    return names
