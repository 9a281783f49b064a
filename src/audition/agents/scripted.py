"""An agent that does what is written: `scripted:answers.yaml`. It needs no model and no key.

    replies:                                     # the first answer that is meant for a turn is taken
      - when: {user: {contains: refund}}         # operators as in checks; a bare text means equals
        say: I have opened a ticket.             # a text, a list of texts, or null for silence
        tools:
          - {name: open_ticket, args: {about: refund}, result: {id: 7}}
        state:
          conversation: {topic: refund, ticket.id: 7}
        workflows:
          - {name: refund, status: completed}    # entered, completed, failed, cancelled, timedout
        delayMs: 20
      - when: {event: {order.status: shipped}}   # parts of an event, by dotted path
        say: null
      - when: {user: crash}
        error: "RuntimeError: model overloaded"  # the agent's own doing: its trial fails
      - when: {user: offline}
        unreachable: connection refused          # trouble on the way: its trial is an error
      - say: Hello!                              # without `when`: any turn
    conversations:
      greeting: [{say: Hi}, {say: How can I help?}]   # by eval or trial (`greeting#2`), taken in turn

A turn for which nothing is written is an error. A workflow that a setup triggers counts as entered.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast, get_args

from audition.agents import Facet, Session, Surroundings
from audition.agents._answers import ANSWERS, Answer, read_answers
from audition.agents._json import copy_json, copy_object
from audition.agents._options import read_options
from audition.documents.files import read_document
from audition.documents.located import mark_at
from audition.documents.shape import Choice, Field, ListOf, Record, read_all
from audition.errors import Fault, LoadError, SettingsError, Where
from audition.evals import Setup, Turn
from audition.transcript import Exchange, Reply, State, Trouble, WorkflowEvent

__all__ = ["OPTIONS", "Scripted", "agent"]

OPTIONS = Record(
    "scripted agent",
    "Settings of a scripted agent.",
    observes=Field(ListOf(Choice(get_args(Facet))), doc="What can be seen of it; by default all but usage."),
)

_OBSERVES: frozenset[Facet] = frozenset({"replies", "tools", "state", "workflows", "timing"})
_AT_ONCE = 1000


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> "Scripted":
    """Return the agent that does what a file says; a relative path counts from the project's folder.

    Raises: LoadError with every fault of the file, SettingsError for wrong options.
    """
    read = read_options("scripted", OPTIONS, options)
    observes = cast("list[Facet] | None", read.get("observes"))
    answers = _load(around.root / where)
    return Scripted(
        cast("Sequence[Mapping[str, object]]", answers.get("replies", ())),
        conversations=cast("Mapping[str, Sequence[Mapping[str, object]]]", answers.get("conversations", {})),
        observes=_OBSERVES if observes is None else frozenset(observes),
    )


class Scripted:
    """An agent that does what is written; `replies` and `conversations` are as in the file.

    `Scripted([{"when": {"user": "Ping"}, "say": "pong"}, {"say": "Hello!"}])`. `observes`: what can be seen of it.

    Raises: SettingsError with every fault of the answers.
    """

    at_once = _AT_ONCE

    def __init__(
        self,
        replies: Sequence[Mapping[str, object]] = (),
        *,
        conversations: Mapping[str, Sequence[Mapping[str, object]]] | None = None,
        observes: frozenset[Facet] = _OBSERVES,
    ) -> None:
        read, faults = read_all(ANSWERS, {"replies": replies, "conversations": conversations or {}})
        if faults:
            message = "; ".join(f"{'.'.join(map(str, fault.path))}: {fault.message}" for fault in faults)
            raise SettingsError(message, key="agent", hint=faults[0].hint)
        answers = cast("dict[str, dict[str, object]]", read)
        self.observes = observes
        self._replies = read_answers(answers["replies"])
        self._conversations = {name: read_answers(some) for name, some in answers["conversations"].items()}

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:
        """Open a session on a copy of the seeded state."""
        in_turn = self._conversations.get(trial) or self._conversations.get(_eval_name(trial), ())
        yield _ScriptedSession(in_turn, self._replies, setup, sees_state="state" in self.observes)


class _ScriptedSession:
    """One conversation with a scripted agent."""

    def __init__(self, in_turn: Sequence[Answer], replies: Sequence[Answer], setup: Setup, *, sees_state: bool) -> None:
        self._in_turn, self._replies, self._sees_state = iter(in_turn), replies, sees_state
        seed = setup.state
        self._scopes = {
            "bot": copy_object(seed.bot or {}),
            "user": copy_object(seed.user or {}),
            "conversation": copy_object(seed.conversation or {}),
        }
        trigger = setup.workflow
        self._entered = [WorkflowEvent(name=trigger.name, status="entered", input=trigger.input)] if trigger else []

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Do what is written for one turn: tools, state and workflows at once, the replies after the delay."""
        began = time.perf_counter()
        if turn.new_conversation:
            self._scopes["conversation"] = {}
        answer = next(self._in_turn, None) or next((one for one in self._replies if one.is_for(turn)), None)
        if answer is None or answer.unreachable:
            why = "no answer is written for this turn" if answer is None else answer.unreachable
            return Exchange(user=turn.user, event=turn.event, trouble=Trouble(message=str(why), by_agent=False))
        self._write(answer)
        trouble = await _wait(answer.delay_s, idle_timeout_s)
        texts = () if trouble else answer.texts
        elapsed_ms = (time.perf_counter() - began) * 1000
        workflows, self._entered = (*self._entered, *answer.workflows), []
        return Exchange(
            user=turn.user,
            event=turn.event,
            replies=tuple([Reply(text=text, at_ms=elapsed_ms) for text in texts]),
            tool_calls=answer.tool_calls,
            workflows=workflows,
            state=await self.state() if self._sees_state else None,
            response_ms=elapsed_ms if texts else None,
            trouble=trouble or (Trouble(message=answer.crash, by_agent=True) if answer.crash else None),
        )

    async def state(self) -> State:
        """Return a copy of the state."""
        bot, user, conversation = self._scopes.values()
        return State(bot=copy_object(bot), user=copy_object(user), conversation=copy_object(conversation))

    def _write(self, answer: Answer) -> None:
        for scope, values in answer.writes.items():
            for path, value in values.items():
                _write_at(self._scopes[scope], path, copy_json(value))


def _write_at(data: dict[str, object], path: str, value: object) -> None:
    """Put a value at a dotted path; objects on the way are made, and what stands in the way is replaced by one."""
    *way, last = path.split(".")
    for step in way:
        inner = data.get(step)
        if not isinstance(inner, dict):
            inner = data[step] = {}
        data = inner
    data[last] = value


async def _wait(delay_s: float, idle_timeout_s: float) -> Trouble | None:
    """Take the agent's time, or all that it may take: the trouble is then that it took longer."""
    if not delay_s:
        return None
    try:
        async with asyncio.timeout(idle_timeout_s):
            await asyncio.sleep(delay_s)
    except TimeoutError:
        return Trouble(message=f"no answer within {idle_timeout_s:g} s", by_agent=True)
    return None


def _eval_name(trial: str) -> str:
    """Return the name of the eval that a trial such as `greeting#2` is of."""
    name, mark, number = trial.rpartition("#")
    return name if mark and number.isdigit() else trial


def _load(path: Path) -> dict[str, object]:
    """Return what a file of answers holds.

    Raises: LoadError with all its faults.
    """
    documents, faults = read_document(path)
    if not faults and len(documents) != 1:
        faults = [Fault(f"a file of answers holds one document, not {len(documents)}", Where(str(path)))]
    if faults:
        raise LoadError(faults)
    read, wrong = read_all(ANSWERS, documents[0])
    if wrong:
        places = [Where(str(path), *(mark_at(documents[0], fault.path) or ())) for fault in wrong]
        raise LoadError([Fault(one.message, where, one.hint) for one, where in zip(wrong, places, strict=True)])
    return cast("dict[str, object]", read)
