"""Logging in and out."""

from datetime import timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from audition.service.context import Here, Person, Reader, Service
from audition.service.conventions import Body, reply, seconds
from audition.service.openapi import answers
from audition.service.passwords import LONGEST, NewPassword
from audition.service.problems import Problem
from audition.service.routes.members import MemberOut, member_out
from audition.store.service import audit, people, rates
from audition.store.service.database import Connection, utc

_ROUTER = APIRouter(prefix="/api/v1/auth", tags=["auth"])


def routers() -> list[APIRouter]:
    """Return the routers of these endpoints."""
    return [_ROUTER]


class Login(Body):
    """Who logs in."""

    email: Annotated[str, Field(max_length=254, examples=["owner@example.com"])]
    password: Annotated[str, Field(max_length=LONGEST, examples=["correct horse battery staple"])]


class PasswordChange(Body):
    """A new password, and the one it takes the place of."""

    current_password: Annotated[str, Field(max_length=LONGEST)]
    password: NewPassword


class SessionOut(BaseModel):
    """A session that was opened; its token is shown here and never again."""

    token: str
    expires_at: str
    member: MemberOut


class MeOut(BaseModel):
    """Who asks, and what they may do."""

    member: MemberOut
    role: Literal["owner", "admin", "editor", "viewer"] = Field(description="the member's, or the token's if less")
    scopes: list[str] | None = Field(description="what the API token is for; null for a session")


@_ROUTER.post("/login", responses=answers(SessionOut, 401, headers={"Cache-Control": "no-store"}))
def log_in(here: Here, request: Request, body: Login) -> Response:
    """Open a session: its token goes into `Authorization: Bearer` of all other requests."""
    return opened(here, request, _checked(here, request, body.email, body.password))


def opened(here: Service, request: Request, member: people.Member) -> Response:
    """Open a session of a member who has shown who they are, and return it as it is sent."""

    def opening(connection: Connection) -> tuple[str, str]:
        token = people.open_session(
            connection, here.database.now_s, member.id, hours=here.settings.service.session_hours
        )
        people.purge_sessions(connection, here.database.now_s)
        rates.purge_tries(connection, here.database.now_s)
        who = people.Principal(member_id=member.id, email=member.email, role=member.role)
        _note(connection, who, request, "auth.login")
        return token, utc(people.session_end(connection, token))

    token, expires_at = here.database.write(opening)
    return reply({"token": token, "expires_at": seconds(expires_at), "member": member_out(member)})


@_ROUTER.post("/logout", status_code=204, responses=answers(None, 401, 403, status=204))
def log_out(here: Here, request: Request, principal: Person) -> Response:
    """End the session whose token this is."""
    token = request.headers["authorization"].partition(" ")[2].strip()

    def closing(connection: Connection) -> None:
        people.close_session(connection, token)
        _note(connection, principal, request, "auth.logout")

    here.database.write(closing)
    here.known.forget()
    return Response(status_code=204)


@_ROUTER.get("/me", responses=answers(MeOut, 401, 403))
def get_me(here: Here, principal: Reader) -> Response:
    """Return who asks."""
    member = here.database.read(lambda connection: people.member(connection, principal.member_id))
    scopes = None if principal.token_id is None else list(principal.scopes)
    return reply({"member": member_out(member), "role": principal.role, "scopes": scopes})


@_ROUTER.post("/password", status_code=204, responses=answers(None, 401, 403, status=204))
def change_password(here: Here, request: Request, principal: Person, body: PasswordChange) -> Response:
    """Change one's own password; all one's sessions end."""
    _checked(here, request, principal.email, body.current_password)
    password_hash = here.passwords.hash(body.password)

    def changing(connection: Connection) -> None:
        people.change_member(connection, principal.member_id, {"password_hash": password_hash})
        _note(connection, principal, request, "auth.password")

    here.database.write(changing)
    here.known.forget()
    return Response(status_code=204)


def _checked(here: Service, request: Request, email: str, password: str) -> people.Member:
    """Return the member whose password this is. Raises: Problem 401, 429 or 503."""
    database, address = here.database, request.client.host if request.client else ""
    try:
        attempt, member = database.write(
            lambda connection: (
                rates.count_try(database, connection, email, address),
                people.member_with(connection, email),
            )
        )
    except rates.TooManyTries as error:
        here.metrics.count_login_failure("too_many_tries")
        wait_s = round(error.wait_s + 0.5)
        detail = f"too many tries to log in to this account; the next in {timedelta(seconds=wait_s)}"
        raise Problem(429, detail, headers={"Retry-After": str(wait_s)}) from error
    try:
        is_right = here.passwords.holds(password, member.password_hash if member else None)
    except Problem:  # it was not checked, so it does not count
        here.metrics.count_login_failure("busy")
        database.write(lambda connection: rates.forgive(database, connection, attempt, succeeded=False))
        raise
    if member is None or member.password_hash is None or not is_right:
        here.metrics.count_login_failure("wrong")
        raise Problem(401, "the address or the password is wrong", headers={"WWW-Authenticate": "Bearer"})
    database.write(lambda connection: rates.forgive(database, connection, attempt))
    if here.passwords.is_outdated(member.password_hash):
        old, new = member.password_hash, here.passwords.hash(password)
        database.write(lambda connection: people.replace_hash(connection, member.id, old=old, new=new))
    return member


def _note(connection: Connection, who: people.Principal, request: Request, action: str) -> None:
    audit.record(
        connection,
        who,
        action=action,
        resource_kind="member",
        resource_id=who.member_id,
        request_id=request.state.request_id,
    )
