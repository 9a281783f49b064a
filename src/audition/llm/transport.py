"""JSON over HTTP, and streams of events, tried again when that may help: the only file that knows the HTTP client.

What an answer means is for the caller to say.
"""

import asyncio
import json
import random as chance
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from audition.errors import AuditionError
from audition.llm._loopback import LoopbackResolver, RefusedConnection, loopback_socket
from audition.llm._persisting import Broken, GaveUp, Persistence
from audition.llm._persisting import HttpReply as HttpReply
from audition.llm._sse import EventReader, TooLong
from audition.llm._sse import ServerEvent as ServerEvent
from audition.llm.egress import Egress, Guard

if TYPE_CHECKING:
    import aiohttp

_ATTEMPTS_TO_CONNECT = 3
"""A refused connection or an unknown host rarely gets better, so it is tried less often than a busy server."""

_LONGEST_TO_CONNECT_S = 10.0

_EXCERPT_BYTES = 500


class TransportError(AuditionError):
    """No reply is to be had.

    `status`: that of the last reply, None when there was none. `attempts`: how many were made, >= 1. `timed_out`: the
    last attempt took longer than its limit. `body`: the beginning of the last reply; it may hold anything, so it is
    not part of the message.
    """

    def __init__(
        self, message: str, *, status: int | None = None, attempts: int = 1, timed_out: bool = False, body: bytes = b""
    ) -> None:
        super().__init__(message)
        self.status, self.attempts, self.timed_out, self.body = status, attempts, timed_out, body


class Transport:
    """Speaks JSON, over connections that are kept and shared; one client per running loop, closed with its loop.

    `timeout_s`: longest wait for one attempt, its body included, seconds. `attempts`: how often 429, 5xx and broken
    connections are tried, >= 1. `headers` go with every request. `offline`: no connection leaves this machine.
    `egress`: where connections may go, None for anywhere. How many requests run at once is for the caller to limit.
    `sleep`, `random` (0..1) and `now` (seconds since the epoch) are for tests.
    """

    def __init__(
        self,
        *,
        timeout_s: float,
        attempts: int = 6,
        max_reply_bytes: int = 10_000_000,
        headers: Mapping[str, str] | None = None,
        offline: bool = False,
        egress: Egress | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = chance.random,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._timeout_s, self._max_reply_bytes = timeout_s, max_reply_bytes
        self._headers = {"Content-Type": "application/json", **(headers or {})}
        self._persistence = Persistence(attempts, sleep=sleep, random=random, now=now)
        self._offline, self._egress = offline, egress
        self._clients: dict[asyncio.AbstractEventLoop, tuple[aiohttp.ClientSession, AsyncGenerator[None]]] = {}

    async def post_json(
        self,
        url: str,
        body: bytes | Mapping[str, object],
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> HttpReply:
        """Return the reply to a JSON body that may be posted again: see `request_json`."""
        return await self.request_json("POST", url, body, headers=headers, timeout_s=timeout_s)

    async def request_json(
        self,
        method: str,
        url: str,
        body: bytes | Mapping[str, object] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
        repeatable: bool = True,
    ) -> HttpReply:
        """Return the reply to a request (a body of bytes is sent as it is); redirects are not followed.

        429 and 503 are tried again when Retry-After says (at most 60 s later, and up to five times as often as
        `attempts`), other 5xx and broken connections after a growing, jittered wait. Every other status is a reply. A
        request that is not `repeatable` is made again only when the server has certainly not acted on it: after 429,
        503 and where no connection came about.

        Raises: TransportError after the last attempt, for an attempt that takes longer than `timeout_s` (None: the
        transport's) and for a reply that is cut short or too long. It holds neither headers nor the URL's query.
        """
        data = encode(body) if isinstance(body, Mapping) else body
        sent = {**self._headers, **headers} if headers else self._headers
        limit_s = self._timeout_s if timeout_s is None else timeout_s

        async def once(attempt: int) -> HttpReply:
            return await self._attempt(method, url, data, headers=sent, limit_s=limit_s, attempt=attempt)

        return await self._persist(url, once, repeatable=repeatable)

    @asynccontextmanager
    async def stream(
        self, url: str, *, headers: Mapping[str, str] | None = None, silence_s: float
    ) -> AsyncIterator[AsyncIterator[ServerEvent]]:
        """Open a stream of server-sent events, with the retries of `request_json`; it ends when the server ends it.

        `silence_s`: longest time without a sign of life (comments are one), seconds.

        Raises: TransportError when it cannot be opened (any status but 200), and from the stream when it breaks.
        """
        opened: list[aiohttp.ClientResponse] = []

        async def once(attempt: int) -> HttpReply:
            return await self._open_stream(url, headers or {}, silence_s, attempt, opened)

        reply = await self._persist(url, once, repeatable=True)
        if not opened:
            raise _refused(url, reply)
        try:
            yield self._events(url, opened[0])
        finally:
            opened[0].close()

    async def close(self) -> None:
        """Close the connections of the running loop; the next request opens new ones."""
        held = self._clients.pop(asyncio.get_running_loop(), None)
        if held is not None:
            await held[1].aclose()

    async def _persist(self, url: str, once: Callable[[int], Awaitable[HttpReply]], *, repeatable: bool) -> HttpReply:
        """Return what an attempt gives, made as often as that may help."""
        try:
            return await self._persistence.persist(once, repeatable=repeatable)
        except GaveUp as error:
            if error.broken is not None:
                raise _given_up(url, error.broken, error.attempts) from None
            if error.reply is not None:
                raise _refused(url, error.reply) from None
            raise

    async def _attempt(
        self, method: str, url: str, data: bytes | None, *, headers: Mapping[str, str], limit_s: float, attempt: int
    ) -> HttpReply:
        import aiohttp  # 0.1 s of CPU: only when something is sent

        client = await self._client()
        # No connection is not a slow answer, so connecting has a limit of its own, and it is the shorter one.
        timeout = aiohttp.ClientTimeout(connect=min(_LONGEST_TO_CONNECT_S, limit_s * 0.8))
        started = time.perf_counter()
        status = None
        try:
            self._insist_on(url)
            async with asyncio.timeout(limit_s):
                asking = client.request(method, url, data=data, headers=headers, timeout=timeout, allow_redirects=False)
                async with asking as response:
                    status = response.status
                    body = await self._read(response)
        except aiohttp.ConnectionTimeoutError:
            raise _no_connection_in_time() from None
        except TimeoutError:
            raise Broken(f"took longer than {limit_s:g} s", at_most=1, status=status, timed_out=True) from None
        except (OSError, ValueError, aiohttp.ClientError) as error:
            raise _broken(error, status) from None
        return HttpReply(status, body, (time.perf_counter() - started) * 1000, attempt, response.headers)

    async def _open_stream(
        self,
        url: str,
        headers: Mapping[str, str],
        silence_s: float,
        attempt: int,
        opened: "list[aiohttp.ClientResponse]",
    ) -> HttpReply:
        """Add a response with status 200 to `opened`; return its head, or the whole of any other."""
        import aiohttp

        client = await self._client()
        timeout = aiohttp.ClientTimeout(connect=min(_LONGEST_TO_CONNECT_S, silence_s), sock_read=silence_s)
        sent = {**self._headers, **headers, "Accept": "text/event-stream"}
        started, body = time.perf_counter(), b""
        try:
            self._insist_on(url)
            response = await client.get(url, headers=sent, timeout=timeout, allow_redirects=False)
            if response.status == 200:
                opened.append(response)
            else:
                async with response:
                    body = await self._read(response)
        except aiohttp.ConnectionTimeoutError:
            raise _no_connection_in_time() from None
        except TimeoutError:
            raise Broken(f"was silent for longer than {silence_s:g} s", at_most=1, timed_out=True) from None
        except (OSError, ValueError, aiohttp.ClientError) as error:
            raise _broken(error, None) from None
        return HttpReply(response.status, body, (time.perf_counter() - started) * 1000, attempt, response.headers)

    async def _events(self, url: str, response: "aiohttp.ClientResponse") -> AsyncIterator[ServerEvent]:
        import aiohttp

        reader = EventReader(self._max_reply_bytes)
        try:
            async for piece in response.content.iter_any():
                for event in reader.feed(piece):
                    yield event
        except TooLong:
            broken = Broken(f"sent an event of more than {self._max_reply_bytes:,} bytes", status=200)
            raise _given_up(url, broken, 1) from None
        except TimeoutError:
            raise _given_up(url, Broken("was silent for too long", status=200, timed_out=True), 1) from None
        except (OSError, ValueError, aiohttp.ClientError) as error:
            raise _given_up(url, _broken(error, 200), 1) from None

    def _insist_on(self, url: str) -> None:
        if self._egress is not None:
            self._egress.insist(url)

    async def _read(self, response: "aiohttp.ClientResponse") -> bytes:
        """Return the body, read no further than its limit."""
        chunks, size = [], 0
        async for chunk in response.content.iter_any():
            chunks.append(chunk)
            size += len(chunk)
            if size > self._max_reply_bytes:
                raise Broken(f"sent more than {self._max_reply_bytes:,} bytes", at_most=1, status=response.status)
        return b"".join(chunks)

    async def _client(self) -> "aiohttp.ClientSession":
        loop = asyncio.get_running_loop()
        held = self._clients.get(loop)
        if held is None or held[0].closed:
            self._clients = {other: kept for other, kept in self._clients.items() if not other.is_closed()}
            client = _new_client(offline=self._offline, egress=self._egress)
            keeper = _closing(client)
            await anext(keeper)
            held = self._clients[loop] = client, keeper
        return held[0]


def encode(body: Mapping[str, object]) -> bytes:
    """Return a JSON object as bytes; mappings of every kind are objects."""
    return _ENCODER.encode(body).encode()


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=dict)
"""Made once: `json.dumps` with options makes a new one for each call."""


def shown(url: str) -> str:
    """Return a URL without what may be secret: user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        return "(not a URL)"
    return f"{parts.scheme}://{host}{parts.path}"


def _new_client(*, offline: bool, egress: Egress | None) -> "aiohttp.ClientSession":
    import aiohttp

    stays: Any = {}
    if egress is not None:
        guard = Guard(egress)
        stays = {"resolver": guard, "socket_factory": guard.socket}
    if offline:
        stays = {"resolver": LoopbackResolver(), "socket_factory": loopback_socket}
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, **stays),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


async def _closing(client: "aiohttp.ClientSession") -> AsyncGenerator[None]:
    """Hold a client until its loop ends: a loop closes the generators begun in it, and this one closes the client."""
    try:
        yield
    finally:
        await client.close()


def _no_connection_in_time() -> Broken:
    return Broken("cannot be reached: no connection in time", at_most=_ATTEMPTS_TO_CONNECT, heard=False)


def _broken(error: Exception, status: int | None) -> Broken:
    """Return what a client's error means, in our words: its own may hold the whole URL."""
    import aiohttp

    match error:
        case RefusedConnection(strerror=why) | aiohttp.ClientConnectorError(os_error=RefusedConnection(strerror=why)):
            return Broken(f"is not asked: {why}", at_most=1, heard=False)
        case aiohttp.ClientConnectorCertificateError():
            return Broken("shows a certificate that is not trusted", at_most=1, heard=False)
        case aiohttp.ClientConnectorDNSError():
            return Broken("cannot be reached: its host is not known", at_most=_ATTEMPTS_TO_CONNECT, heard=False)
        case aiohttp.ClientConnectorError():
            reason = error.strerror or "no connection"
            return Broken(f"cannot be reached: {reason}", at_most=_ATTEMPTS_TO_CONNECT, heard=False)
        case aiohttp.ClientPayloadError():
            return Broken("sent a reply that is cut short or garbled", status=status)
        case aiohttp.ClientResponseError():
            return Broken("sent something that is not HTTP", status=status)
        case ValueError() | aiohttp.NonHttpUrlClientError():
            return Broken("cannot be asked: the URL or a header is not valid", at_most=1)
        case _:
            return Broken("broke the connection", status=status)


def _given_up(url: str, broken: Broken, attempts: int) -> TransportError:
    return TransportError(
        f"{shown(url)} {broken.why}{_after(attempts)}",
        status=broken.status,
        attempts=attempts,
        timed_out=broken.timed_out,
    )


def _refused(url: str, reply: HttpReply) -> TransportError:
    message = f"{shown(url)} answered {reply.status}{_after(reply.attempts)}"
    return TransportError(message, status=reply.status, attempts=reply.attempts, body=reply.body[:_EXCERPT_BYTES])


def _after(attempts: int) -> str:
    return f" (after {attempts} attempts)" if attempts > 1 else ""
