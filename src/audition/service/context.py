"""The service as its endpoints see it, and who asks: the parameters that endpoints take beside those of the request."""

import threading
import time
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Protocol, cast

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers

from audition.errors import StoreError
from audition.service.limits import Allowed, Limiter
from audition.service.metrics import Metrics
from audition.service.passwords import Passwords
from audition.service.problems import Problem
from audition.service.recent import Recent
from audition.settings import Settings
from audition.store.service.api_tokens import Scope, touch_token
from audition.store.service.database import Connection, Database
from audition.store.service.people import Principal, Role, principal_of, token_hash


class Starter(Protocol):
    """What carries runs out; it is told of a run in the transaction that creates it."""

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Have a worker begin a pending run, if and when the transaction is committed."""
        ...


class Known:
    """Who was let in a moment ago, so that not every request asks the database. Safe for several threads.

    What this process changes about people holds at once, by `forget`; what another process changes, after `KEPT_S`.
    """

    KEPT_S = 2.0
    _MOST = 10_000

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._principals: dict[str, tuple[Principal, float]] = {}
        self._touched: dict[int, float] = {}
        self._forgotten = 0

    def get(self, token: str) -> Principal | None:
        """Return who a token stood for a moment ago; None: ask the database."""
        principal, until = self._principals.get(token_hash(token), (None, 0.0))
        return principal if self._clock() < until else None

    def find(self, token: str, database: Database) -> Principal | None:
        """Return who a token stands for, from the database, and remember it."""
        before = self._forgotten
        principal = database.read(lambda connection: principal_of(connection, database.now_s, token))
        with self._lock:
            if principal is not None and before == self._forgotten:  # else it may be outdated already
                if len(self._principals) >= self._MOST:
                    self._principals.clear()
                self._principals[token_hash(token)] = principal, self._clock() + self.KEPT_S
        if principal is not None and principal.token_id is not None:
            self._touch(principal.token_id, database)
        return principal

    def forget(self) -> None:
        """Forget everybody: to be called after a change of members, sessions or tokens is committed."""
        with self._lock:
            self._forgotten += 1
            self._principals.clear()

    def _touch(self, token_id: int, database: Database) -> None:
        now = self._clock()
        if now - self._touched.get(token_id, -60.0) < 60.0:
            return
        self._touched[token_id] = now
        try:
            database.write(lambda connection: touch_token(connection, token_id))
        except StoreError:  # a full disk is no reason to refuse a request that only reads
            self._touched.pop(token_id, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What all endpoints share. Everything in it is safe to use from several threads."""

    database: Database
    settings: Settings
    runs: Starter
    passwords: Passwords = field(default_factory=Passwords)
    known: Known = field(default_factory=Known)
    recent: Recent = field(default_factory=Recent)
    limiter: Limiter = field(default_factory=Limiter)
    metrics: Metrics = field(default_factory=Metrics)


async def service_of(request: Request) -> Service:  # async, as are those below: plain functions get a thread each
    """Return the service that a request is for."""
    return cast(Service, request.app.state.service)


Here = Annotated[Service, Depends(service_of)]
"""A parameter of every endpoint."""

_TOLD = "the token of a session (POST /api/v1/auth/login) or an API token"
_bearer = HTTPBearer(auto_error=False, scheme_name="token", description=_TOLD)


async def who_asks(
    request: Request, here: Here, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Principal:
    """Return who asks, by the Bearer token.

    Raises: Problem 401 without a token that is valid now, 429 when the member has sent too many requests.
    """
    token = given.credentials.strip() if given else ""
    if not token:
        raise _unknown("this needs a token: Authorization: Bearer TOKEN")
    principal = here.known.get(token) or await run_in_threadpool(here.known.find, token, here.database)
    if principal is None:
        raise _unknown("the token is not known, has expired or was revoked")
    allowed = count_in(here, principal, request.scope["state"])
    if allowed.wait_s:
        raise Problem(429, f"too many requests; wait {allowed.wait_s} seconds", headers=allowed.headers())
    return principal


def bearer(headers: Headers) -> HTTPAuthorizationCredentials | None:
    """Return the token that a request comes with, None without any."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        return None
    return HTTPAuthorizationCredentials(scheme=scheme, credentials=token)


def count_in(here: Service, principal: Principal, state: MutableMapping[str, Any]) -> Allowed:
    """Count a request of a member, note both in the request's state, and return what the member has left."""
    allowed = here.limiter.take(principal.member_id, here.settings.service.requests_per_minute)
    state["principal"], state["allowed"] = principal, allowed
    return allowed


def _unknown(detail: str) -> Problem:
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def may(principal: Principal, scope: Scope) -> bool:
    """Say whether somebody's token is for this. Sessions are for everything."""
    return principal.token_id is None or scope in principal.scopes


def insist_on_scope(principal: Principal, scope: Scope) -> None:
    """Refuse an API token that is not for this. Raises: Problem 403."""
    if not may(principal, scope):
        held = ", ".join(principal.scopes) or "none"
        raise Problem(403, f"this needs an API token with the scope {scope}; this token's: {held}")


_Asking = Annotated[Principal, Depends(who_asks)]


async def _who_reads(principal: _Asking) -> Principal:
    insist_on_scope(principal, "read")
    return principal


Reader = Annotated[Principal, Depends(_who_reads)]
"""Anybody with a token: for endpoints that only read."""


def _who_may(*roles: Role, scope: Scope | None = None) -> object:
    async def check(request: Request, principal: _Asking) -> Principal:
        if principal.role not in roles:
            raise Problem(403, f"this needs the role {' or '.join(roles)}; yours is {principal.role}")
        insist_on_scope(principal, scope or _scope_of(request))
        return principal

    return Depends(check)


def _scope_of(request: Request) -> Scope:
    """Return the scope of a change: that of runs is one of its own, so that a CI job needs no more."""
    return "runs" if "/runs" in request.scope["route"].path else "write"


Editor = Annotated[Principal, _who_may("owner", "admin", "editor")]
"""Somebody who may change things. Source: evals REST API, Authentication and roles."""

Administrator = Annotated[Principal, _who_may("owner", "admin", scope="admin")]
"""Somebody who may manage people and read the audit log."""


async def _person(principal: _Asking) -> Principal:
    if principal.token_id is not None:
        raise Problem(403, "this needs the token of a session; an API token will not do")
    return principal


Person = Annotated[Principal, Depends(_person)]
"""Anybody who has logged in: for what API tokens must not do, such as making others."""
