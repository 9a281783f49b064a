"""Streams of server-sent events that are opened again when they break, and a bell that rings when something came."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping

from audition.errors import AgentError
from audition.llm.transport import ServerEvent, Transport, TransportError

_REOPENED_AT_MOST = 5
_LONGEST_TO_OPEN_S = 10.0
_SILENCE_S = 75.0
"""Both servers send a sign of life every 30 s."""


class Bell:
    """Wakes those who wait for something to come."""

    def __init__(self) -> None:
        self._rung = asyncio.Event()

    def ring(self) -> None:
        """Wake all who wait."""
        self._rung.set()
        self._rung = asyncio.Event()

    async def wait(self, until_s: float) -> bool:
        """Wait for the next ring; False when the loop's clock comes to `until_s` before it."""
        try:
            async with asyncio.timeout_at(until_s):
                await self._rung.wait()
        except TimeoutError:
            return False
        return True

    async def wait_for(self, holds: Callable[[], bool], until_s: float) -> bool:
        """Wait until something holds; return whether it does."""
        while not holds():
            if not await self.wait(until_s):
                return holds()
        return True


class Listener:
    """Reads one stream in the background, and opens it again when it breaks after it was in use.

    `on_event` gets the name and the JSON object of each event. `on_reopen` is awaited after each break, when the stream
    is open again: nothing that was sent meanwhile is sent again. `begins_with`: the event that tells that the stream
    is in use, None: that it is open tells it. `silence_s`: longest time without a sign of life.
    """

    def __init__(
        self,
        transport: Transport,
        url: str,
        headers: Mapping[str, str],
        bell: Bell,
        *,
        on_event: Callable[[str, Mapping[str, object]], None],
        on_reopen: Callable[[], Awaitable[None]] | None = None,
        begins_with: str | None = None,
        silence_s: float = _SILENCE_S,
    ) -> None:
        self._transport, self._url, self._headers, self._bell = transport, url, headers, bell
        self._on_event, self._on_reopen, self._begins_with = on_event, on_reopen, begins_with
        self._silence_s = silence_s
        self._task: asyncio.Task[None] | None = None
        self._begun = self._up = False
        self.trouble: str | None = None
        """Why nothing more comes; None while it does."""

    async def start(self) -> None:
        """Begin to read; return when the stream is in use.

        Raises: AgentError when it cannot be opened.
        """
        until_s = asyncio.get_running_loop().time() + _LONGEST_TO_OPEN_S
        self._task = asyncio.create_task(self._listen())  # it outlives this call: `stop` ends it
        await self._bell.wait_for(lambda: self._begun or self.trouble is not None, until_s)
        if not self._begun:
            raise AgentError(
                self.trouble or f"the stream was not in use within {_LONGEST_TO_OPEN_S:g} s", by_agent=False
            )

    async def stop(self) -> None:
        """Stop reading."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def insist(self, until_s: float) -> None:
        """Return when the stream is open: after a break, nothing is known until it is.

        Raises: AgentError when it does not come back.
        """
        await self._bell.wait_for(lambda: self._up or self.trouble is not None, until_s)
        if not self._up:
            raise AgentError(self.trouble or "the stream broke and did not come back in time", by_agent=False)

    async def _listen(self) -> None:
        why = "the stream is not read any more"
        try:
            why = await self._keep_listening()
        finally:
            self.trouble, self._up = why, False
            self._bell.ring()

    async def _keep_listening(self) -> str:
        """Read until the stream is lost for good; return why it is."""
        breaks = 0
        while True:
            try:
                async with self._transport.stream(
                    self._url, headers=self._headers, silence_s=self._silence_s
                ) as events:
                    if self._begun and self._on_reopen is not None:
                        await self._on_reopen()
                    self._begin(opened=True)
                    async for event in events:
                        breaks = 0
                        self._note(event)
                why = "the server ended the stream"
            except TransportError as error:
                why = error.message
                breaks += _REOPENED_AT_MOST if error.status is not None and 400 <= error.status < 500 else 0
            except AgentError as error:
                why = error.message
            self._up = False
            breaks += 1
            if breaks > _REOPENED_AT_MOST or not self._begun:
                return why
            await asyncio.sleep(0.5 * 2 ** (breaks - 2) if breaks > 1 else 0)

    def _note(self, event: ServerEvent) -> None:
        try:
            content = json.loads(event.data)
        except (ValueError, RecursionError):
            content = None  # a sign of life, such as `ping`
        if isinstance(content, dict):
            self._on_event(event.name, content)
        self._begin(event=event.name)

    def _begin(self, *, opened: bool = False, event: str | None = None) -> None:
        self._up = self._up or opened
        self._begun = self._begun or event == self._begins_with
        self._bell.ring()
