"""One turn with a bot: sent, waited for until the bot is done with it, and written down."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from audition.agents._botpress_chat import Said
from audition.agents._botpress_cloud import Cloud
from audition.agents._botpress_line import Line
from audition.agents._botpress_options import Windows
from audition.agents._botpress_spans import Key, Span, Spans, duration_ms
from audition.agents._botpress_workflows import Workflows, awaited
from audition.errors import AgentError
from audition.evals import Turn
from audition.text import shorten
from audition.transcript import Reply, Trouble

_LONGEST_SILENCE_S = 5.0
_HANDLER_STARTS_S = 30.0
"""A subscribed handler starts at once; for an event that nobody has taken up by then, nobody will. Source: engine."""

_GRACE_S = 0.6
"""How long a message may come after its span. Source: Botpress engine (four looks, 150 ms apart)."""

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Before:
    """The turn before: its number, from 1, and whether it was to stay silent."""

    number: int
    silent: bool


@dataclass(slots=True)
class Course:
    """How a turn went. `handlers`: the spans in which the bot dealt with it; none without traces.

    `known`: the spans that were there before it was sent. `sent_s` and `created_ms`: when that was, by the loop's clock
    and by the server's.
    """

    replies: tuple[Reply, ...] = ()
    handlers: Sequence[Span] = ()
    trouble: Trouble | None = None
    known: frozenset[Key] = frozenset()
    sent_s: float = 0.0
    created_ms: float | None = None

    def response_ms(self) -> float | None:
        """Return how long the bot took: its handler's time, else from sending to the last reply; None for silence."""
        if not self.replies:
            return None
        handled = duration_ms(self.handlers)
        return self.replies[-1].at_ms if handled is None else handled


class TurnTaker:
    """Takes the turns of one session. `cloud` None: nothing can be asked of the API."""

    def __init__(self, windows: Windows, workflows: Workflows, cloud: Cloud | None) -> None:
        self._windows, self._workflows, self._cloud = windows, workflows, cloud
        self._conversations: dict[str, None] = {}

    async def take(self, line: Line, turn: Turn, before: Before | None, idle_timeout_s: float) -> Course:
        """Return how a turn went; trouble is part of it."""
        course = Course()
        try:
            await self._take(line, turn, before, idle_timeout_s, course)
        except AgentError as error:
            course.trouble = Trouble(message=str(error), by_agent=error.by_agent, detail=error.detail)
        _write_down(line, course)
        return course

    async def _take(self, line: Line, turn: Turn, before: Before | None, idle_timeout_s: float, course: Course) -> None:
        course.known = line.spans.keys() if line.spans is not None else frozenset()
        _refuse_late(line, before, line.untaken())
        sent = await line.send(turn)
        course.sent_s, course.created_ms = _now_s() - sent.elapsed_ms / 1000, sent.created_ms
        if line.spans is None:
            await self._until_quiet(line, turn, idle_timeout_s)
            await self._until_workflows(line, turn, idle_timeout_s)
        else:
            await self._until_handled(line, line.spans, turn, idle_timeout_s, course)
            _refuse_crash(course.handlers)
            await self._until_workflows(line, turn, idle_timeout_s)
            await self._hear_out(line, line.spans, turn, course, idle_timeout_s)
        _refuse_late(line, before, line.late())

    async def _until_quiet(self, line: Line, turn: Turn, idle_timeout_s: float) -> None:
        """Wait, without traces, until the bot has said something and then nothing more for a while.

        Raises: AgentError when it has said nothing, and was not to stay silent.
        """
        window_s = idle_timeout_s
        if turn.expect_silence:
            window_s = min(idle_timeout_s, self._windows.silence_s or _LONGEST_SILENCE_S)
        until_s = _now_s() + window_s
        if not await line.bell.wait_for(lambda: bool(line.fresh()) or line.broken(), until_s):
            await line.insist(_now_s() + idle_timeout_s)
            await line.catch_up()
        count = -1
        while count != len(line.fresh()):  # a stream that broke may have brought more when it came back
            await self._quiet(line, max(until_s, _now_s() + self._windows.quiet_s))
            count = len(line.fresh())
            await line.insist(_now_s() + idle_timeout_s)
        if not (line.fresh() or turn.expect_silence or turn.response_optional):
            raise AgentError(f"no answer within {idle_timeout_s:g} s", by_agent=True)

    async def _quiet(self, line: Line, until_s: float) -> None:
        """Wait until no message has come for a while."""
        while (heard := line.fresh()) and _now_s() < until_s:
            over_s = min(until_s, max(said.arrived_s for said in heard) + self._windows.quiet_s)
            if not await line.bell.wait_for(partial(_more_than, line, len(heard)), over_s):
                return

    async def _until_handled(self, line: Line, spans: Spans, turn: Turn, idle_timeout_s: float, course: Course) -> None:
        """Wait until the bot's handler has come to its end, and nothing more is traced.

        Raises: AgentError when it does not.
        """
        kind = "handler.conversation" if turn.event is None else "handler.event"
        until_s = course.sent_s + idle_timeout_s

        def handlers() -> list[Span]:
            return [span for span in spans.all() if span.name == kind and span.key not in course.known]

        if turn.event is not None and idle_timeout_s > _HANDLER_STARTS_S:
            starts_s = course.sent_s + _HANDLER_STARTS_S
            if not await line.bell.wait_for(lambda: bool(handlers()) or line.broken(), starts_s):
                until_s = starts_s
        while not _all_ended(course.handlers):
            await line.bell.wait_for(lambda: _all_ended(handlers()) or line.broken(), until_s)
            await line.insist(_now_s() + idle_timeout_s)
            if not _all_ended(handlers()):
                raise _unhandled(turn, kind, handlers(), line.fresh(), until_s - course.sent_s)
            await self._settle(line, spans)
            course.handlers = handlers()

    async def _settle(self, line: Line, spans: Spans) -> None:
        """Wait until no span has come for a while."""
        cap_s = _now_s() + self._windows.settle_cap_s
        while (now_s := _now_s()) < cap_s:
            over_s = min(cap_s, now_s + self._windows.settle_s)
            if not await line.bell.wait_for(partial(_went_on, spans, spans.changes), over_s):
                return

    async def _until_workflows(self, line: Line, turn: Turn, idle_timeout_s: float) -> None:
        """Look at the workflows, for as long as one that the turn asks about has more to show."""
        wanted = awaited(turn)
        until_s = _now_s() + idle_timeout_s
        while True:
            await self._look_at_workflows(line)
            now_s = _now_s()
            if self._workflows.shows(wanted) or now_s >= until_s:
                return
            await line.bell.wait(min(until_s, now_s + self._windows.poll_s))

    async def _look_at_workflows(self, line: Line) -> None:
        if line.spans is not None:
            self._workflows.trace(line.spans.all())
        if self._cloud is not None:
            self._conversations[line.conversation] = None
            for conversation in self._conversations:
                for row in await self._cloud.workflows(conversation):
                    self._workflows.hear(row)

    async def _hear_out(self, line: Line, spans: Spans, turn: Turn, course: Course, idle_timeout_s: float) -> None:
        """Make sure of what was said: a message may come after its span, and a stream that broke brings none."""
        new = [span for span in spans.all() if span.key not in course.known]
        announced = sum(span.name == "chat.sendMessage" and span.status == "ok" for span in new)
        wanted = max(announced, 0 if turn.expect_silence or turn.response_optional else 1)
        grace_s = min(_GRACE_S, self._windows.settle_s)
        await line.bell.wait_for(lambda: len(line.fresh()) >= wanted, _now_s() + grace_s)
        await line.insist(_now_s() + idle_timeout_s)
        if len(line.fresh()) < max(wanted, 1):
            await line.catch_up()


async def refuse_late_at_the_end(line: Line, before: Before | None) -> None:
    """Refuse what was said after a last turn that was to stay silent.

    Raises: AgentError.
    """
    if before is not None and before.silent:
        await line.catch_up()
        _refuse_late(line, before, line.untaken())


def _refuse_late(line: Line, before: Before | None, late: Sequence[Said]) -> None:
    """Deal with what was said before a turn was sent: it belongs to the turn before, which is written down already.

    Before the first turn it is the setup's, and is left out. After a turn that was to stay silent it is the bot's
    fault. Without traces it tells that the bot was not done; with them, the bot spoke of its own accord, and is heard.

    Raises: AgentError.
    """
    if not late or (before is not None and not before.silent and line.spans is not None):
        return
    line.take(late)
    if before is None:
        return
    text = shorten(late[0].text, _SHOWN)
    if before.silent:
        raise AgentError(f"turn {before.number} was to stay silent, and the bot said after it: {text!r}", by_agent=True)
    hint = "raise 'quiet_ms': the bot pauses for longer than that between its messages"
    raise AgentError(f"turn {before.number} was not over: the bot went on with {text!r}", by_agent=False, hint=hint)


def _refuse_crash(handlers: Sequence[Span]) -> None:
    """Refuse a turn on which the bot failed.

    Raises: AgentError.
    """
    crashed = next((span for span in handlers if span.status == "error"), None)
    if crashed is not None:
        raise AgentError(f"the bot's handler failed: {crashed.error or 'it gave no reason'}", by_agent=True)


def _write_down(line: Line, course: Course) -> None:
    said = line.untaken()
    line.take(said)
    course.replies = tuple([Reply(text=one.text, at_ms=_after_ms(course, one)) for one in said])


def _after_ms(course: Course, said: Said) -> float:
    """Return when something was said, after its turn was sent: by the server's clock where we only asked for it."""
    if said.listed and said.created_ms is not None and course.created_ms is not None:
        return max(0.0, said.created_ms - course.created_ms)
    return max(0.0, (said.arrived_s - course.sent_s) * 1000)


def _more_than(line: Line, count: int) -> bool:
    return len(line.fresh()) > count


def _went_on(spans: Spans, changes: int) -> bool:
    return spans.changes > changes


def _all_ended(handlers: Sequence[Span]) -> bool:
    return bool(handlers) and all(span.ended for span in handlers)


def _unhandled(turn: Turn, kind: str, handlers: Sequence[Span], said: Sequence[Said], waited_s: float) -> AgentError:
    if handlers:
        return AgentError(f"no answer within {waited_s:g} s", by_agent=True)
    what = "conversation" if turn.event is None else "event"
    message = f"no {what} handler took the turn up within {waited_s:g} s"
    if said:
        hint = f"the bot replied, but no {kind} span was seen: is 'dev_server' the server this bot runs on?"
        return AgentError(message, by_agent=False, hint=hint)
    hint = (
        "is a conversation subscribed to the channel 'chat.channel'?"
        if turn.event is None
        else "is a conversation on 'chat.channel' subscribed to the event 'chat:custom'?"
    )
    # without a handler, silence says nothing: nobody was there to keep it
    return AgentError(message, by_agent=not turn.expect_silence, hint=hint)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
