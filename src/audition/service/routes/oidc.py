"""Logging in through an OpenID Connect provider: the way there, and the way back."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from audition.errors import SettingsError
from audition.service import oidc
from audition.service.context import Here, Service
from audition.service.openapi import answers
from audition.service.problems import Problem
from audition.service.routes.auth import SessionOut, opened
from audition.settings import environment
from audition.settings_service import Oidc
from audition.store.service import audit, people
from audition.store.service.database import Connection

_ROUTER = APIRouter(prefix="/api/v1/auth/oidc", tags=["auth"])

_COOKIE = "audition_oidc"
_PATH = "/api/v1/auth/oidc"
_MINUTES = 10
"""How long somebody may take at the provider."""

_Word = Annotated[str | None, Query(max_length=4096)]


def routers() -> list[APIRouter]:
    """Return the routers of these endpoints."""
    return [_ROUTER]


@_ROUTER.get(
    "/login", status_code=302, responses=answers(None, 404, status=302, headers={"Location": "the provider's page"})
)
def go_to_provider(here: Here, request: Request) -> Response:
    """Send the browser to the provider; 404 when none is configured."""
    settings = _settings(here)
    url, ticket = oidc.way_to_provider(settings, _secret(settings), redirect_uri=_redirect_uri(request))
    response = RedirectResponse(url, 302)
    response.set_cookie(
        _COOKIE,
        ticket.encode(),
        max_age=_MINUTES * 60,
        path=_PATH,
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return response


@_ROUTER.get("/callback", responses=answers(SessionOut, 401, 403, 404))
def return_from_provider(
    here: Here, request: Request, code: _Word = None, state: _Word = None, error: _Word = None
) -> Response:
    """Open a session for whom the provider has sent back, as a login with a password does."""
    settings, ticket = _settings(here), oidc.decode_ticket(request.cookies.get(_COOKIE, ""))
    if error is not None or not code:
        raise Problem(401, "the provider did not log you in; begin again")
    if ticket is None or state != ticket.state:
        raise Problem(401, "this login was not begun in this browser, or too long ago; begin again")
    identity = oidc.identity_of(settings, _secret(settings), ticket, code, redirect_uri=_redirect_uri(request))
    member = here.database.write(lambda connection: _member(connection, settings, identity, request))
    response = opened(here, request, member)
    response.delete_cookie(_COOKIE, path=_PATH)
    return response


def _settings(here: Service) -> Oidc:
    if here.settings.service.oidc is None:
        raise Problem(404, "this service has no provider to log in through")
    return here.settings.service.oidc


def _secret(settings: Oidc) -> str | None:
    return environment().get(settings.client_secret_env) if settings.client_secret_env else None


def _redirect_uri(request: Request) -> str:
    return str(request.url_for("return_from_provider"))


def _member(connection: Connection, settings: Oidc, identity: oidc.Identity, request: Request) -> people.Member:
    """Return the member with this address; somebody new becomes one only where the settings say as what."""
    found = people.member_with(connection, identity.email)
    if found is not None:
        return found
    if settings.role is None:
        raise Problem(403, "you are not a member here; ask an owner or admin to add you")
    if settings.role not in people.RANK:
        raise SettingsError(f"there is no role {settings.role!r}", key="service.oidc.role")
    role = people.RANK[people.RANK.index(settings.role)]
    made = people.add_member(connection, email=identity.email, name=identity.name, role=role, password_hash=None)
    audit.record(
        connection,
        None,
        action="member.add",
        resource_kind="member",
        resource_id=made,
        after={"email": identity.email, "name": identity.name, "role": role},
        request_id=request.state.request_id,
    )
    return people.member(connection, made)
