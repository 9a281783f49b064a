"""What happens to every request before and after its endpoint: ids, limits, headers, the log and the counts."""

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final, cast

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute

from audition.service.context import Service, bearer, count_in, may
from audition.service.conventions import STRICT, prefers_strict
from audition.service.problems import Problem, as_response, methods_at
from audition.service.recent import Recent, sent

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
"""The words of ASGI."""

_log = logging.getLogger(__name__)

_REQUEST_ID: Final = re.compile(r"[\w.:-]{1,128}", re.ASCII)
_BODY_PATIENCE_S = 60.0
"""How long the body of a request may be on its way, seconds; a client that sends a byte now and then waits in vain."""

_QUIET = ("/healthz", "/readyz", "/metrics")
"""What is asked every few seconds, and nobody wants to read about."""

_SECRET_PATHS = ("/api/v1/auth", "/api/v1/api-tokens", "/api/v1/members", "/api/v1/audit-log")
"""Answers below these are kept nowhere."""

_NOT_PLAIN = ("prefer", "content-length", "transfer-encoding")
"""Headers of requests that are no plain questions."""

_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""What every answer says unless it says something else itself. Source: OWASP REST Security Cheat Sheet."""


class Conventions:
    """Gives each request an id and its preferences, each answer the headers of all, and tells log and counts of it."""

    def __init__(self, app: App, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # A copy, for the server has to know that it was HEAD.
        inner = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        state = inner.setdefault("state", {})
        state["request_id"] = _request_id(inner)
        is_strict = prefers_strict(header(inner, b"prefer"))
        STRICT.set(is_strict)
        state["is_strict"] = is_strict
        sending = _Sending(inner, send, self._service.recent, is_head=scope["method"] == "HEAD")
        began = time.perf_counter()
        try:
            await self._app(inner, receive, sending)
        except ClientDisconnect:
            if not sending.is_done:
                raise
        finally:
            self._tell(scope["method"], inner, sending.status, time.perf_counter() - began)

    def _tell(self, method: str, scope: Scope, status: int, duration_s: float) -> None:
        route = getattr(scope.get("route"), "path", None) or "unmatched"
        self._service.metrics.count_request(method, route, status, duration_s)
        level = logging.DEBUG if scope["path"] in _QUIET else logging.INFO
        if not _log.isEnabledFor(level):
            return
        principal = scope["state"].get("principal")
        told = {
            "request_id": scope["state"]["request_id"],
            "method": method,
            "path": scope["path"],
            "status": status,
            "duration_ms": round(duration_s * 1000, 1),
            "member_id": principal.member_id if principal else None,
        }
        _log.log(level, "request", extra=told)


class _Sending:
    """Sends an answer with the headers of all; for HEAD, only its head."""

    def __init__(self, scope: Scope, send: Send, recent: Recent, *, is_head: bool) -> None:
        self._scope, self._send, self._recent, self._is_head = scope, send, recent, is_head
        self.status, self.is_done = 500, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self._scope["method"] != "GET":
                self._recent.forget()
            await self._send({**message, "headers": self._with_ours(message["headers"])})
        elif not self._is_head:
            await self._send(message)
        elif not self.is_done:
            self.is_done = True
            await self._send({"type": "http.response.body", "body": b""})
            if message.get("more_body"):
                raise OSError("the client wants no body")  # this is how streams are told to stop

    def _with_ours(self, given: Any) -> list[tuple[bytes, bytes]]:
        headers = [(bytes(name), bytes(value)) for name, value in given]
        state, path = self._scope["state"], self._scope["path"]
        ours = [*_HEADERS, (b"x-request-id", state["request_id"].encode())]
        if path.startswith("/api/"):
            kept = b"no-store" if path.startswith(_SECRET_PATHS) else b"private, no-cache"
            ours += [(b"cache-control", kept), (b"vary", b"Authorization")]
        if state["is_strict"]:
            ours.append((b"preference-applied", b"handling=strict"))
        if "allowed" in state:
            ours += [(name.lower().encode(), value.encode()) for name, value in state["allowed"].headers().items()]
        names = {name.lower() for name, _ in headers}
        return headers + [(name, value) for name, value in ours if name not in names]


class Again:
    """Sends what was sent a moment ago once more to whoever may read it; leaves all else to the application."""

    def __init__(self, app: App, service: Service) -> None:
        self._app, self._service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        answer = self._answer(scope) if scope["type"] == "http" and scope["method"] == "GET" else None
        await (answer or self._app)(scope, receive, send)

    def _answer(self, scope: Scope) -> Response | None:
        kept = None if scope["query_string"] else self._service.recent.get(scope["path"])
        if kept is None:
            return None
        headers = Headers(scope=scope)
        given = bearer(headers)
        principal = self._service.known.get(given.credentials.strip()) if given else None
        if principal is None or not may(principal, "read") or any(name in headers for name in _NOT_PLAIN):
            return None
        if count_in(self._service, principal, scope["state"]).wait_s:  # the application finds the same, and says so
            return None
        scope["route"] = kept.route
        return sent(headers, kept.page)


class Bodies:
    """Reads the body of each request up to the limit, and answers what needs no endpoint."""

    def __init__(
        self, app: App, service: Service, routes: list[BaseRoute], *, patience_s: float = _BODY_PATIENCE_S
    ) -> None:
        self._app, self._routes, self._patience_s = app, routes, patience_s
        self._most = service.settings.service.max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "OPTIONS" and (methods := methods_at(self._routes, scope)):
            await Response(status_code=204, headers={"Allow": ", ".join(methods)})(scope, receive, send)
            return
        try:
            if b"%00" in scope["query_string"]:
                raise Problem(422, "the query holds the character U+0000")
            body = await self._body(scope, receive)
        except Problem as problem:
            await refuse(problem, scope, receive, send)
            return
        scope["state"]["body"] = body
        await self._app(scope, _again(body, receive), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        length = header(scope, b"content-length")
        if not length and not header(scope, b"transfer-encoding"):
            return b""
        if length.isdigit() and int(length) > self._most:
            raise self._too_large()
        try:
            async with asyncio.timeout(self._patience_s):
                return await self._read(receive)
        except TimeoutError:
            told = f"the body did not come to its end within {self._patience_s:g} s"
            raise Problem(408, told, headers={"Connection": "close"}) from None

    async def _read(self, receive: Receive) -> bytes:
        body, has_more = bytearray(), True
        while has_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            has_more = message.get("more_body", False)
            if len(body) > self._most:
                raise self._too_large()
        return bytes(body)

    def _too_large(self) -> Problem:
        return Problem(413, f"the body is larger than {self._most} bytes", headers={"Connection": "close"})


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that was read already, and then what comes after it."""
    is_given = False

    async def receiving() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def header(scope: Scope, name: bytes) -> str:
    """Return a header of a request, several of a name joined by commas; empty when there is none."""
    return ", ".join(value.decode("latin-1") for given, value in scope["headers"] if given == name)


async def refuse(problem: Problem, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with a problem."""
    response = as_response(problem, scope["path"], cast(str, scope["state"]["request_id"]))
    await response(scope, receive, send)


def _request_id(scope: Scope) -> str:
    given = header(scope, b"x-request-id")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)
