"""The service as its endpoints see it, and who asks: the parameters that endpoints take beside those of the request."""

from dataclasses import dataclass
from typing import Annotated, Protocol, cast

from fastapi import Depends, Request
from sqlalchemy import Connection

from audition.service.problems import Problem
from audition.settings import Settings
from audition.store.service.database import Database
from audition.store.service.people import Principal, Role, principal_of


class Starter(Protocol):
    """What carries runs out; it is told of a run in the transaction that creates it."""

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Have a worker begin a pending run, if and when the transaction is committed."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What all endpoints share. Everything in it is safe to use from several threads."""

    database: Database
    settings: Settings
    runs: Starter


def service_of(request: Request) -> Service:
    """Return the service that a request is for."""
    return cast(Service, request.app.state.service)


Here = Annotated[Service, Depends(service_of)]
"""A parameter of every endpoint."""


def who_asks(request: Request, here: Here) -> Principal:
    """Return who asks, by the Bearer token.

    Raises: Problem 401 without a token that is valid now.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unknown("this needs a token: Authorization: Bearer TOKEN")
    principal = here.database.read(lambda connection: principal_of(connection, here.database.now_s, token.strip()))
    if principal is None:
        raise _unknown("the token is not known, has expired or was revoked")
    request.state.principal = principal
    return principal


def _unknown(detail: str) -> Problem:
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


Reader = Annotated[Principal, Depends(who_asks)]
"""Anybody with a token: for endpoints that only read."""


def _who_may(*roles: Role) -> object:
    def check(principal: Reader) -> Principal:
        if principal.role not in roles:
            raise Problem(403, f"this needs the role {' or '.join(roles)}; yours is {principal.role}")
        return principal

    return Depends(check)


Editor = Annotated[Principal, _who_may("owner", "admin", "editor")]
"""Somebody who may change things. Source: evals REST API, Authentication and roles."""

Administrator = Annotated[Principal, _who_may("owner", "admin")]
"""Somebody who may manage people and read the audit log."""
