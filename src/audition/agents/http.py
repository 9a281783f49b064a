"""An agent behind HTTP: `http:URL`, to which each turn is posted as JSON.

The request, and the answer with status 200:

    {"protocol": 1, "session": "5f0c…", "trial": "greeting", "index": 0,
     "turn": {"user": "Hello"},                              or {"event": {…}}
     "new_conversation": false,
     "setup": {"state": {"user": {…}}, "workflow": {"trigger": "…", "input": {…}}, "tools": […]}}

    {"replies": ["Hi", {"text": "How can I help?"}],         [] is silence
     "tool_calls": [{"name": "…", "arguments": {…}, "result": …, "error": "…"}],
     "state": {"bot": {…}, "user": {…}, "conversation": {…}},
     "workflows": [{"name": "…", "status": "entered", "input": {…}}],
     "usage": {"calls": 1, "input_tokens": 12, "output_tokens": 3, "cost_usd": 0.001}}

`session` is new for each trial, with a fresh user and conversation. `index` counts its turns from 0; after a broken
connection the same index may come again and is then the same turn. `setup` goes with the first turn only, and only with
what an eval sets up. State begins as seeded, and empty where nothing is seeded. `new_conversation`: same user, new
conversation, whose state is empty again. A workflow's `status` is `entered`, `completed`, `failed`, `cancelled` or
`timedout`.

The option `observes` lists what the server reports, any of `tools`, `state`, `workflows` (these three by default) and
`usage`. Each of them must be in every answer: nothing said about tools is not the same as no tool called.

`{"error": "RuntimeError: model overloaded"}` says that the agent itself failed, and its trial fails. Everything else
that is not the protocol (another status, HTML, a refused connection) is trouble on the way, and an error.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import cast, get_args
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

from audition.agents import Facet, Session, Surroundings
from audition.agents._http_protocol import Answer, NotTheProtocol, read_answer, turn_body
from audition.agents._json import copy_object
from audition.agents._options import read_options
from audition.documents.shape import Choice, Field, ListOf, MapOf, Number, Record, Text
from audition.errors import SettingsError
from audition.evals import Setup, Turn
from audition.llm.transport import HttpReply, Transport, TransportError, shown
from audition.text import printable, shorten
from audition.transcript import Exchange, Reply, State, Trouble

OPTIONS = Record(
    "http agent",
    "Settings of an agent behind HTTP.",
    headers=Field(MapOf(Text()), doc="Headers sent with every request; never shown."),
    attempts=Field(Number(minimum=1, whole=True), doc="How often a turn is sent on 429, 5xx and broken connections."),
    observes=Field(ListOf(Choice(get_args(Facet))), doc="What the server reports; default tools, state, workflows."),
    at_once=Field(Number(minimum=1, whole=True), doc="How many trials may run side by side."),
)

_ALWAYS: frozenset[Facet] = frozenset({"replies", "timing"})
_USUALLY: frozenset[Facet] = frozenset({"tools", "state", "workflows"})
_ATTEMPTS = 6
_AT_ONCE = 1000
_TIMEOUT_S = 30.0
_EXCERPT = 200
_LONGEST_MESSAGE = 500
_SHORTEST_SECRET = 4


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> "HttpAgent":
    """Return the agent behind a URL; `//host/path` is taken for `http://host/path`.

    Raises: SettingsError for what is no URL, and for wrong options.
    """
    read = read_options("http", OPTIONS, options)
    observes = cast("list[Facet] | None", read.get("observes"))
    return HttpAgent(
        f"http:{where}" if where.startswith("//") else where,
        headers=cast("dict[str, str]", read.get("headers", {})),
        transport=Transport(
            timeout_s=_TIMEOUT_S, attempts=cast(int, read.get("attempts", _ATTEMPTS)), offline=around.offline
        ),
        observes=_USUALLY if observes is None else frozenset(observes),
        at_once=cast(int, read.get("at_once", _AT_ONCE)),
    )


class HttpAgent:
    """An agent behind a URL.

    `headers` go with every request and are never shown. `observes`: what the server reports beside replies.
    `at_once`: how many trials may run side by side, >= 1. `new_id` makes the ids of sessions. Close it when no more is
    to be sent.

    Raises: SettingsError for what is no URL.
    """

    def __init__(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        transport: Transport | None = None,
        observes: frozenset[Facet] = _USUALLY,
        at_once: int = _AT_ONCE,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        if not _is_url(url):
            hint = "write http:URL, for example http:http://127.0.0.1:8000/turn"
            raise SettingsError(f"{shorten(url, 60)!r} is no URL", key="agent", hint=hint)
        self.observes, self.at_once = _ALWAYS | observes, at_once
        self._new_id = new_id
        self._line = _Line(url, headers or {}, transport or Transport(timeout_s=_TIMEOUT_S, attempts=_ATTEMPTS))

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:
        """Open a session; nothing is sent before its first turn."""
        yield _HttpSession(self._line, setup, observes=self.observes, trial=trial, id=self._new_id())

    async def close(self) -> None:
        """Close the connections."""
        await self._line.close()


class _HttpSession:
    """One conversation with a server."""

    def __init__(self, line: "_Line", setup: Setup, *, observes: frozenset[Facet], trial: str, id: str) -> None:
        self._line, self._setup, self._observes, self._trial, self._id = line, setup, observes, trial, id
        seed = setup.state
        self._state = State(bot=seed.bot or {}, user=seed.user or {}, conversation=seed.conversation or {})
        self._index = 0

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Post one turn."""
        body = turn_body(turn, session=self._id, trial=self._trial, index=self._index, setup=self._setup)
        self._index += 1
        reply = await self._line.post(body, idle_timeout_s)
        if isinstance(reply, Trouble):
            return Exchange(user=turn.user, event=turn.event, trouble=reply)
        try:
            answer = read_answer(reply.body, self._observes)
        except NotTheProtocol as wrong:
            return Exchange(user=turn.user, event=turn.event, trouble=self._line.refused(reply, str(wrong)))
        self._state = answer.state or self._state
        return _exchange(turn, answer, reply.elapsed_ms)

    async def state(self) -> State:
        """Return the state as last reported, and as seeded before that."""
        now = self._state
        return State(bot=copy_object(now.bot), user=copy_object(now.user), conversation=copy_object(now.conversation))


class _Line:
    """The way to a server: what goes wrong on it is told without the secrets that are sent along."""

    def __init__(self, url: str, headers: Mapping[str, str], transport: Transport) -> None:
        self._url, self._headers, self._transport = url, headers, transport
        self._secrets = _secrets(url, headers)

    async def post(self, body: Mapping[str, object], idle_timeout_s: float) -> HttpReply | Trouble:
        """Return the answer with a status that says that it is one, or what kept it from coming."""
        try:
            reply = await self._transport.post_json(self._url, body, headers=self._headers, timeout_s=idle_timeout_s)
        except TransportError as error:
            if error.timed_out:
                return Trouble(message=f"no answer within {idle_timeout_s:g} s", by_agent=True)
            return Trouble(message=self._excerpted(error.message, error.body), by_agent=False)
        return reply if 200 <= reply.status < 300 else self.refused(reply, str(reply.status))

    def refused(self, reply: HttpReply, why: str) -> Trouble:
        """Return the trouble that an answer is none."""
        message = self._excerpted(f"{shown(self._url)} answered {why}", reply.body)
        return Trouble(message=message, by_agent=False)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _excerpted(self, message: str, body: bytes) -> str:
        text = self._masked(" ".join(body.decode("utf-8", "replace").split()))
        told = shorten(self._masked(message), _LONGEST_MESSAGE)
        return printable(f"{told}: {shorten(text, _EXCERPT)}" if text else told)

    def _masked(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def _exchange(turn: Turn, answer: Answer, elapsed_ms: float) -> Exchange:
    return Exchange(
        user=turn.user,
        event=turn.event,
        replies=tuple([Reply(text=text, at_ms=elapsed_ms) for text in answer.texts]),
        tool_calls=answer.tool_calls,
        workflows=answer.workflows,
        state=answer.state,
        response_ms=elapsed_ms if answer.texts else None,
        usage=answer.usage,
        trouble=Trouble(message=shorten(answer.error, _LONGEST_MESSAGE), by_agent=True) if answer.error else None,
    )


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _secrets(url: str, headers: Mapping[str, str]) -> list[str]:
    """Return what must not be told, the longest first: header values and their last words, passwords, the query."""
    parts = urlsplit(url)
    held = [parts.query, parts.password or "", *(value for _, value in parse_qsl(parts.query))]
    for value in headers.values():
        held += [value, *value.split()[-1:]]
    return sorted({text for text in held if len(text) >= _SHORTEST_SECRET}, key=len, reverse=True)
