"""One conversation with a bot, listened to: its messages, and its spans where there is a dev server."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from audition.agents._botpress_chat import ChatUser, Said, Sent
from audition.agents._botpress_spans import Spans
from audition.agents._botpress_streams import Bell, Listener
from audition.evals import Turn
from audition.llm.transport import Transport


class Line:
    """A conversation. `spans` None: there is no dev server to show any."""

    def __init__(self, user: ChatUser, conversation: str, bell: Bell, spans: Spans | None) -> None:
        self.user, self.conversation, self.bell, self.spans = user, conversation, bell, spans
        self._since_ms: float | None = None
        self._said: dict[str, Said] = {}
        self._taken: set[str] = set()
        self._listeners: list[Listener] = []

    async def open(self, transport: Transport, dev_server: str | None, headers: Mapping[str, str]) -> None:
        """Begin to listen.

        Raises: AgentError when that cannot be done.
        """
        self._listeners.append(
            Listener(
                transport,
                self.user.listen_url(self.conversation),
                self.user.headers,
                self.bell,
                on_event=self._hear,
                on_reopen=self.catch_up,
            )
        )
        if self.spans is not None:
            self._listeners.append(
                Listener(
                    transport,
                    f"{dev_server}/api/traces/stream?attributeName=conversationId"
                    f"&attributeValue={quote(self.conversation, safe='')}",
                    headers,
                    self.bell,
                    on_event=self.spans.note,
                    begins_with="snapshot",
                )
            )
        for listener in self._listeners:
            await listener.start()

    async def close(self) -> None:
        """Stop listening."""
        for listener in self._listeners:
            await listener.stop()

    async def insist(self, until_s: float) -> None:
        """Return when all that is listened to can be heard.

        Raises: AgentError when it cannot.
        """
        for listener in self._listeners:
            await listener.insist(until_s)

    def broken(self) -> bool:
        """Say whether something that is listened to is lost for good."""
        return any(listener.trouble is not None for listener in self._listeners)

    async def send(self, turn: Turn) -> Sent:
        """Say or push a turn; what the bot said before the server had it is no reply to it.

        Raises: AgentError.
        """
        if turn.event is not None:
            sent = await self.user.push(self.conversation, turn.event)
        else:
            sent = await self.user.say(self.conversation, turn.user or "")
        self._since_ms = sent.created_ms
        return sent

    async def catch_up(self) -> None:
        """Ask for all messages: those that the stream did not bring are added.

        Raises: AgentError.
        """
        self._add(await self.user.messages(self.conversation, _now_s()))

    def untaken(self) -> list[Said]:
        """Return what the bot has said that was not taken yet, in the order in which it was said."""
        return sorted(
            (said for said in self._said.values() if said.id not in self._taken),
            key=lambda said: (said.created_ms or 0.0, said.arrived_s),
        )

    def fresh(self) -> list[Said]:
        """Return what of that came after the last turn was sent."""
        return [said for said in self.untaken() if not self._is_late(said)]

    def late(self) -> list[Said]:
        """Return what of that was said before the last turn was sent, by the server's clock."""
        return [said for said in self.untaken() if self._is_late(said)]

    def take(self, said: Iterable[Said]) -> None:
        """Take messages: they belong to a turn, or to none."""
        self._taken.update(one.id for one in said)

    def _is_late(self, said: Said) -> bool:
        return self._since_ms is not None and said.created_ms is not None and said.created_ms < self._since_ms

    def _hear(self, name: str, content: Mapping[str, Any]) -> None:  # noqa: ARG002  # the stream has one kind of event
        if (said := self.user.heard(content, _now_s())) and content["data"].get("conversationId") in (
            None,
            self.conversation,
        ):
            self._add([said])

    def _add(self, said: Iterable[Said]) -> None:
        for one in said:
            self._said.setdefault(one.id, one)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
