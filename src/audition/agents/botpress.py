"""A Botpress bot: `botpress:WEBHOOK_ID`, the webhook id of its chat integration, or `botpress:URL` of its chat API.

`botpress:bot` asks the bot that `token_env` and `bot_id` name for its webhook id.

What can be seen depends on what is configured:

    chat only                          replies, timing
    … and a token                      and state, workflows
    … and a dev server                 and tools, workflows, usage (and a turn's end is known, not guessed)

    [agent]
    use = "botpress:f4011114-…"
    dev_server = "http://localhost:3001"     # adk dev
    token_env = "BP_TOKEN"                   # or: credentials = "adk"
    bot_id = "…"                             # or: agent_path = "my-agent"

Each trial has a new user and a new conversation. Bot state is shared by all: an eval that seeds it gets it for itself,
and what was there before is put back when the trial ends. That is why trials run one after another, unless `at_once`
says otherwise; then an eval that seeds bot state is an error.

A turn is over when the bot's handler has ended and nothing has been traced for `settle_ms`; without traces, when the
bot has said something and then nothing for `quiet_ms`. Silence is listened for until the handler has ended, and
without traces for `silence_window_ms`. What the bot says of its own accord before the first turn is no reply to it.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from uuid import uuid4

from audition.agents import Facet, Session, Surroundings
from audition.agents._botpress_calls import Caller, Refused
from audition.agents._botpress_chat import ChatUser, connect
from audition.agents._botpress_cloud import Cloud
from audition.agents._botpress_line import Line
from audition.agents._botpress_options import OPTIONS, BotpressOptions, read_botpress_options
from audition.agents._botpress_spans import Spans, tool_calls, usage_of
from audition.agents._botpress_streams import Bell
from audition.agents._botpress_turn import Before, TurnTaker, refuse_late_at_the_end
from audition.agents._botpress_workflows import Workflows
from audition.agents._json import copy_object
from audition.errors import AgentError
from audition.evals import SeedState, Setup, Turn
from audition.llm.transport import Transport
from audition.transcript import Exchange, State, Trouble

__all__ = ["OPTIONS", "BotpressAgent", "agent"]

_TIMEOUT_S = 30.0
_ATTEMPTS = 4
_NEEDS_TOKEN = "set 'token_env' and 'bot_id'"

_log = logging.getLogger(__name__)


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> "BotpressAgent":
    """Return the bot behind a webhook id, or behind the URL of its chat API.

    Raises: SettingsError for wrong options, and for a key that is not in the environment.
    """
    transport = Transport(timeout_s=_TIMEOUT_S, attempts=_ATTEMPTS, offline=around.offline)
    return BotpressAgent(read_botpress_options(where, options, around), transport=transport)


class BotpressAgent:
    """A Botpress bot. `new_id` makes the ids of users where the bot has an encryption key. Close it at the end."""

    def __init__(
        self,
        chosen: BotpressOptions,
        *,
        transport: Transport | None = None,
        new_id: Callable[[], str] = lambda: uuid4().hex,
    ) -> None:
        self._chosen, self._new_id = chosen, new_id
        self._transport = transport or Transport(timeout_s=_TIMEOUT_S, attempts=_ATTEMPTS)
        self._cloud = Cloud(self._transport, chosen.account) if chosen.account else None
        self._dev_headers = {"X-Agent-Path": chosen.agent_path} if chosen.agent_path else {}
        self._bot_state = _BotState(self._cloud) if self._cloud else None
        self._checked = False
        self._chat = chosen.chat_url

    @property
    def observes(self) -> frozenset[Facet]:
        """Return what can be seen with what is configured."""
        facets: set[Facet] = {"replies", "timing"}
        if self._cloud:
            facets |= {"state", "workflows"}
        if self._chosen.dev_server:
            facets |= {"tools", "workflows", "usage"}
        return frozenset(facets)

    @property
    def at_once(self) -> int:
        """Return how many sessions may run side by side: one, unless the option says more."""
        return self._chosen.at_once

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:  # noqa: ARG002  # the protocol's
        """Open a session; bot state that it seeds is put back when it ends.

        Raises: AgentError for a setup that cannot be made, and when bot state cannot be put back.
        """
        self._refuse(setup)
        await self._check()
        if self._bot_state is None:
            async with self._session(setup) as session:
                yield session
            return
        async with self._bot_state.kept(seeded=setup.state.bot is not None), self._session(setup) as session:
            yield session

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _refuse(self, setup: Setup) -> None:
        if setup.tools:
            raise AgentError("a Botpress bot calls its own tools: they cannot be mocked", by_agent=False)
        seed = setup.state
        if self._cloud is None and (setup.workflow or any(one is not None for one in _scopes(seed))):
            message = "the setup cannot be made: seeding state and triggering a workflow need a token"
            raise AgentError(message, by_agent=False, hint=_NEEDS_TOKEN)
        if seed.bot is not None and self.at_once > 1:
            message = "bot state is shared, and cannot be seeded while other trials run"
            raise AgentError(message, by_agent=False, hint="leave 'at_once' at 1")

    async def _check(self) -> None:
        """Make sure, once, that the dev server's agent listens to the chat at all.

        Raises: AgentError when it does not, or when there is no dev server.
        """
        if self._checked or self._chosen.dev_server is None:
            return
        caller = Caller(self._transport, self._chosen.dev_server, headers=self._dev_headers, secrets=(), hints={})
        try:
            told = (await caller.call("GET", "/api/agent")).content.get("conversations")
        except Refused as refused:
            if refused.status is not None:  # it answers: then the trace stream will tell what is wrong
                return
            raise AgentError(refused.message, by_agent=False, hint="is adk dev running? see 'dev_server'") from None
        conversations = [one for one in told if isinstance(one, Mapping)] if isinstance(told, list) else []
        if conversations and not any(_takes_chat(one.get("channel")) for one in conversations):
            hint = "bind a conversation of the agent to the channel 'chat.channel', or to '*'"
            raise AgentError("no conversation of the bot listens to the chat", by_agent=False, hint=hint)
        self._checked = True

    async def _chat_url(self) -> str:
        """Return where the bot's chat is, asked for once when the reference does not say.

        Raises: AgentError when the bot does not tell.
        """
        if self._chat is None and self._cloud is not None:
            self._chat = f"{self._chosen.chat_api_url}/{await self._cloud.webhook_id()}"
        assert self._chat is not None  # the options insist on an account where there is no address
        return self._chat

    @asynccontextmanager
    async def _session(self, setup: Setup) -> AsyncIterator["_BotpressSession"]:
        keys = (self._chosen.encryption_key, self._chosen.account.token if self._chosen.account else None)
        user = await connect(
            self._transport,
            await self._chat_url(),
            encryption_key=self._chosen.encryption_key,
            new_id=self._new_id(),
            secrets=tuple(key for key in keys if key),
        )
        session = _BotpressSession(self._chosen, self._transport, self._dev_headers, user, self._cloud)
        try:
            await session.begin(setup)
            yield session
            await session.end()
        finally:
            await session.close()


class _BotpressSession:
    """One user's conversations with a bot."""

    def __init__(
        self,
        chosen: BotpressOptions,
        transport: Transport,
        dev_headers: Mapping[str, str],
        user: ChatUser,
        cloud: Cloud | None,
    ) -> None:
        self._chosen, self._transport, self._dev_headers = chosen, transport, dev_headers
        self._user, self._cloud = user, cloud
        self._cloud_user = user.id
        self._bell, self._workflows = Bell(), Workflows()
        self._spans = Spans() if chosen.dev_server else None
        self._line: Line | None = None
        self._before: Before | None = None
        self._taker = TurnTaker(chosen.windows, self._workflows, cloud)

    async def begin(self, setup: Setup) -> None:
        """Open the conversation, seed its state and trigger its workflow.

        Raises: AgentError.
        """
        line = await self._open_line()
        if self._cloud is None:
            return
        if self._user.foreign:
            self._cloud_user = await self._user_as_the_cloud_knows_it(self._cloud, line)
        for scope, seed in zip(("bot", "user", "conversation"), _scopes(setup.state), strict=True):
            if seed is not None:
                await self._cloud.set_state(scope, self._id_of(scope, line), seed)
        if setup.workflow is not None:
            row = await self._cloud.trigger(setup.workflow, user=self._cloud_user, conversation=line.conversation)
            self._workflows.hear(row)

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Send one turn, and wait until the bot is done with it."""
        try:
            line = await self._line_for(turn)
        except AgentError as error:
            return Exchange(user=turn.user, event=turn.event, trouble=_trouble(error))
        if self._before is None and self._spans is not None:
            self._spans.take()  # what the setup provoked is no doing of the first turn
        course = await self._taker.take(line, turn, self._before, idle_timeout_s)
        state, trouble = None, course.trouble
        number = self._before.number if self._before else 0
        self._before = Before(number + 1, silent=turn.expect_silence and trouble is None)
        if self._cloud is not None and trouble is None:
            try:
                state = await self.state()
            except AgentError as error:
                trouble = _trouble(error)
        spans = self._spans.take() if self._spans is not None else []
        return Exchange(
            user=turn.user,
            event=turn.event,
            replies=course.replies,
            tool_calls=tool_calls(spans),
            workflows=self._workflows.take(),
            state=state,
            response_ms=course.response_ms(),
            usage=usage_of(spans) if self._spans is not None else None,
            trouble=trouble,
        )

    async def state(self) -> State:
        """Return the state as the API tells it.

        Raises: AgentError when it cannot be read.
        """
        if self._cloud is None or self._line is None:
            raise AgentError("the state of a Botpress bot cannot be seen without a token", by_agent=False)
        cloud, line = self._cloud, self._line
        bot, user, conversation = await asyncio.gather(
            *(cloud.state(scope, self._id_of(scope, line)) for scope in ("bot", "user", "conversation"))
        )
        return State(
            bot=copy_object(bot or {}), user=copy_object(user or {}), conversation=copy_object(conversation or {})
        )

    async def end(self) -> None:
        """Refuse what came too late.

        Raises: AgentError when the bot has spoken after a last turn that was to stay silent.
        """
        if self._line is not None:
            await refuse_late_at_the_end(self._line, self._before)

    async def close(self) -> None:
        """Stop listening."""
        if self._line is not None:
            await self._line.close()

    async def _line_for(self, turn: Turn) -> Line:
        if self._line is None:
            return await self._open_line()
        if turn.new_conversation and self._before is not None:
            await self.end()  # of this conversation: nothing of it is heard any more
            return await self._open_line()
        return self._line

    async def _open_line(self) -> Line:
        await self.close()
        conversation = await self._user.start_conversation()
        self._line = Line(self._user, conversation, self._bell, self._spans)
        await self._line.open(self._transport, self._chosen.dev_server, self._dev_headers)
        return self._line

    async def _user_as_the_cloud_knows_it(self, cloud: Cloud, line: Line) -> str:
        """Return the id of a user whose chat id we chose: the only one who takes part in its new conversation.

        Source: Botpress chat API (an id that is chosen is a foreign id, another than the other APIs know).
        """
        ids = await cloud.participants(line.conversation)
        if len(ids) != 1:
            message = f"the user of the conversation cannot be told: {len(ids)} take part in it"
            raise AgentError(message, by_agent=False)
        return ids[0]

    def _id_of(self, scope: str, line: Line) -> str:
        bot_id = self._cloud.bot_id if self._cloud else ""
        return {"bot": bot_id, "user": self._cloud_user, "conversation": line.conversation}[scope]


class _BotState:
    """Keeps the state that all conversations of a bot share as it was."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._owed: tuple[Mapping[str, object] | None] | None = None
        """What an earlier trial could not put back; None when nothing is owed."""

    @asynccontextmanager
    async def kept(self, *, seeded: bool) -> AsyncIterator[None]:
        """Put the state back at the end, when it is seeded in between.

        Raises: AgentError when it cannot be read, or put back: now, or after an earlier trial.
        """
        if self._owed is not None:
            await self._put_back(self._owed[0])
        if not seeded:
            yield
            return
        before = await self._cloud.state("bot", self._cloud.bot_id)
        try:
            yield
        except AgentError as error:
            await self._put_back_after(error, before)
            raise
        except BaseException:
            # cancelled: whoever did that must hear of nothing else; what goes wrong is logged, and owed
            with suppress(AgentError):
                await self._put_back(before)
            raise
        await self._put_back(before)

    async def _put_back_after(self, error: AgentError, before: Mapping[str, object] | None) -> None:
        try:
            await self._put_back(before)
        except AgentError as second:
            message = f"{error.message}; and {second.message}"
            raise AgentError(message, by_agent=error.by_agent, detail=error.detail, hint=error.hint) from error

    async def _put_back(self, before: Mapping[str, object] | None) -> None:
        self._owed = (before,)
        try:
            await self._cloud.set_state("bot", self._cloud.bot_id, before)
        except AgentError as error:
            message = f"the bot state that an eval seeded could not be put back: {error.message}"
            _log.warning(message)
            raise AgentError(message, by_agent=False, hint=error.hint) from error
        self._owed = None


def _scopes(seed: SeedState) -> tuple[Mapping[str, object] | None, ...]:
    return seed.bot, seed.user, seed.conversation


def _trouble(error: AgentError) -> Trouble:
    return Trouble(message=str(error), by_agent=error.by_agent, detail=error.detail)


def _takes_chat(channel: object) -> bool:
    channels = channel if isinstance(channel, list) else [channel]
    return "chat.channel" in channels or "*" in channels
