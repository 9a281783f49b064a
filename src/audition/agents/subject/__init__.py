"""A subject of the service as an agent: the real tree of ADK agents, with our language models and its owner's tools."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

from audition.agents import Agent, Facet, Session
from audition.agents.adk import AdkAgent
from audition.agents.subject._course import Course
from audition.agents.subject._opening import Toolbox
from audition.agents.subject._tool_modes import MALFORMED, Recordings, Results, ToolMode
from audition.agents.subject._tree import Supplies, agent_names, agent_of
from audition.agents.tools import ToolSurroundings
from audition.errors import AgentError, MissingExtra, SettingsError
from audition.evals import Setup, Turn
from audition.llm import LanguageModel, Models
from audition.llm.trial import current_trial
from audition.subjects import Subject, everyone
from audition.transcript import Exchange, State, ToolCall, Trouble

__all__ = ["Recordings", "SubjectSurroundings", "ToolMode", "agent_names", "open_subject"]

_AT_ONCE = 1000
_NO_LIMIT_S = 7 * 86_400.0
"""A turn's time is kept by its course, which does not count our own waiting; ADK's session gets no limit of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectSurroundings:
    """What a subject is tried out with.

    `models`: those of the run, whose budget, limits and cassette hold. `tools`: what its tools may reach. `recordings`
    are needed for the modes `record` and `replay`. `max_steps`: how often models may be asked in one turn, >= 1; a turn
    that takes more is an endless loop, which is the agent's own doing.
    """

    models: Models
    tools: ToolSurroundings = field(default_factory=ToolSurroundings)
    tool_mode: ToolMode = "live"
    recordings: Recordings | None = None
    max_steps: int = 25


def open_subject(subject: Subject, around: SubjectSurroundings) -> Agent:
    """Return a subject, its candidate in place, as an agent; open it once for a run, since its models hold connections.

    Each session has a tree and open tools of its own. Fixtures of an eval (`setup.tools`) take the place of the tools
    of their names, wherever in the tree.

    Raises: SettingsError for a model that cannot be opened and a mode without recordings; LoadError for a script of a
    model with faults.
    """
    if around.tool_mode in ("record", "replay") and around.recordings is None:
        raise SettingsError(f"the tool mode {around.tool_mode!r} needs recordings", key="tool_mode")
    references = dict.fromkeys(one.model for one in everyone(subject))
    return _SubjectAgent(subject, around, {name: around.models.open(name) for name in references})


class _SubjectAgent:
    """A subject as an agent."""

    observes: frozenset[Facet] = AdkAgent.observes
    at_once = _AT_ONCE

    def __init__(self, subject: Subject, around: SubjectSurroundings, models: Mapping[str, LanguageModel]) -> None:
        self._subject, self._around, self._models = subject, around, models

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:
        """Open a session with a tree and tools of its own.

        Raises: AgentError, not by the agent, when its tools cannot be opened or a fixture is of no tool.
        """
        around, course, trial = self._around, Course(self._around.max_steps), current_trial() or trial
        results = Results(around.tool_mode, trial, fixtures=setup.tools, recordings=around.recordings)
        toolbox = Toolbox(
            mode=around.tool_mode,
            around=around.tools,
            recordings=around.recordings,
            trial=trial,
            fixtures=setup.tools,
        )
        async with AsyncExitStack() as stack:
            try:
                tools = await toolbox.open(self._subject, stack)
            except (SettingsError, MissingExtra) as error:
                raise AgentError(error.message, by_agent=False, hint=error.hint) from error
            results.insist({one.definition.name for node in tools for one in node})
            supplies = Supplies(models=self._models, tools=tools, results=results, course=course)
            adk = agent_of(self._subject, supplies)
            session = await stack.enter_async_context(adk.open(replace(setup, tools=()), trial=trial))
            yield _Conversation(session, course)


class _Conversation:
    """A session of ADK's whose turns are held to a course."""

    def __init__(self, session: Session, course: Course) -> None:
        self._session, self._course = session, course

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Have the tree answer one turn."""
        self._course.begin(idle_timeout_s)
        exchange = await self._session.send(turn, idle_timeout_s=_NO_LIMIT_S)
        return replace(
            exchange,
            tool_calls=tuple(map(_as_written, exchange.tool_calls)),
            trouble=self._course.trouble or _not_by_agent(exchange.trouble),
        )

    async def state(self) -> State:
        """Return a copy of the state."""
        return await self._session.state()


def _as_written(call: ToolCall) -> ToolCall:
    """Return a call with the text that stands for its arguments as what it is: no arguments at all."""
    if MALFORMED not in call.arguments:
        return call
    return replace(call, arguments={}, malformed=str(call.arguments[MALFORMED]))


def _not_by_agent(trouble: Trouble | None) -> Trouble | None:
    """Return a crash as nobody's doing: a subject has no code of its own that could crash."""
    return trouble if trouble is None or trouble.detail is None else replace(trouble, by_agent=False)
