"""One conversation with an ADK agent, turn by turn; ADK's runner and services come in from `adk.py`."""

import asyncio
import traceback
from collections.abc import Callable, Mapping
from contextlib import aclosing
from types import TracebackType
from typing import Any

from audition.agents._adk_events import TurnNotes
from audition.agents._adk_state import scopes_of
from audition.agents._adk_watching import WATCHING, Watch
from audition.errors import AgentError
from audition.evals import Turn
from audition.text import shorten
from audition.transcript import Exchange, State, Trouble

_LONGEST_MESSAGE = 500
_NOT_THE_AGENTS = frozenset({408, 429})
"""Statuses of a model's endpoint that say nothing of the agent; those from 500 on do not either."""

_FRAMEWORK = ("audition.agents.", "google.adk.", "asyncio.", "contextlib", "opentelemetry.")


class AdkSession:
    """A conversation.

    `runner` is ADK's, with a session service that belongs to this trial alone; `content_of` makes a turn into ADK's
    content.
    """

    def __init__(self, runner: Any, watch: Watch, user_id: str, content_of: Callable[[Turn], Any]) -> None:
        self._runner, self._watch = runner, watch
        self._user_id, self._content_of = user_id, content_of
        self._id = ""

    async def begin(self, state: Mapping[str, Any], session_id: str | None = None) -> None:
        """Open a session of ADK's; `session_id` None: a fresh id."""
        opened = await self._runner.session_service.create_session(
            app_name=self._runner.app_name, user_id=self._user_id, state=dict(state), session_id=session_id
        )
        self._id = opened.id
        self._watch.opened(opened.id)

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Have the runner answer one turn."""
        if turn.event is not None:
            refused = Trouble(message="an ADK agent takes what a user says, and no events", by_agent=False)
            return Exchange(event=turn.event, trouble=refused)
        try:
            content = self._content_of(turn)
        except ValueError as error:
            return Exchange(user=turn.user, trouble=Trouble(message=f"user_content: {error}", by_agent=False))
        if turn.new_conversation:
            await self.begin({})
        notes = self._watch.notes = TurnNotes()
        trouble = await self._run(content, notes, idle_timeout_s)
        replies = notes.replies()
        return Exchange(
            user=turn.user,
            replies=replies,
            remarks=notes.remarks(),
            tool_calls=notes.tool_calls(),
            state=await self.state(),
            response_ms=replies[-1].at_ms if replies else None,
            usage=notes.usage(),
            trouble=trouble or notes.trouble(),
        )

    async def state(self) -> State:
        """Return a copy of the state in its three scopes."""
        return scopes_of(self._runner.session_service.kept(self._runner.app_name, self._user_id, self._id))

    async def _run(self, content: Any, notes: TurnNotes, idle_timeout_s: float) -> Trouble | None:
        watching = WATCHING.set(self._watch)
        try:
            async with asyncio.timeout(idle_timeout_s) as limit:
                answering = self._runner.run_async(user_id=self._user_id, session_id=self._id, new_message=content)
                async with aclosing(answering) as events:
                    async for event in events:
                        notes.event(event)
        except BaseException as error:
            if not _is_crash(error):
                raise
            return self._undecided() or (_late(idle_timeout_s) if limit.expired() else self._trouble(error))
        finally:
            WATCHING.reset(watching)
        return self._undecided() or (_late(idle_timeout_s) if limit.expired() else None)

    def _undecided(self) -> Trouble | None:
        """Return why something that was to come from us did not come, whatever the agent has made of that."""
        undecided = self._watch.undecided
        return Trouble(message=str(undecided), by_agent=False) if undecided else None

    def _trouble(self, error: BaseException) -> Trouble:
        by_agent = not (error is self._watch.model_error and _lay_on_the_way(error))
        return crashed(error, by_agent=by_agent)


async def called(what: str, callback: Callable[[], Any]) -> Any:
    """Call one of the agent's own callables, sync or async, and return what it gives.

    Raises: AgentError, by the agent, when it raises.
    """
    try:
        given = callback()
        return await given if hasattr(given, "__await__") else given
    except BaseException as error:
        if not _is_crash(error):
            raise
        trouble = crashed(error)
        raise AgentError(f"{what}: {trouble.message}", by_agent=True, detail=trouble.detail) from error


def crashed(error: BaseException, *, by_agent: bool = True) -> Trouble:
    """Return an error that came out of an agent as trouble, with its traceback from where the agent's code begins."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    detail = "".join(traceback.format_exception(type(error), error, _agents_frames(error)))
    return Trouble(message=shorten(text, _LONGEST_MESSAGE), by_agent=by_agent, detail=detail)


def _agents_frames(error: BaseException) -> TracebackType | None:
    """Return the traceback from the first frame that is not of a framework, all of it when there is none."""
    frames = error.__traceback__
    while frames and str(frames.tb_frame.f_globals.get("__name__")).startswith(_FRAMEWORK):
        frames = frames.tb_next
    return frames or error.__traceback__


def _lay_on_the_way(error: BaseException) -> bool:
    """Say whether a model could not be reached: its endpoint refused, was overloaded or broken."""
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    statuses = [getattr(error, name, None) for name in ("code", "status_code")]  # of google-genai, of other clients
    return any(isinstance(status, int) and (status in _NOT_THE_AGENTS or status >= 500) for status in statuses)


def _late(idle_timeout_s: float) -> Trouble:
    return Trouble(message=f"no answer within {idle_timeout_s:g} s", by_agent=True)


def _is_crash(error: BaseException) -> bool:
    """Say whether an error is the agent's own: any but an interruption from outside."""
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or not task.cancelling()
    return isinstance(error, Exception | SystemExit)
