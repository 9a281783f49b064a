"""API tokens: what programs send in place of the token of a session."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from audition.service.context import Here, Person, Reader
from audition.service.conventions import Body, Moment, Paged, created, listed, reply, seconds
from audition.service.openapi import answers
from audition.service.problems import Problem, not_found
from audition.service.routes.members import Id, Name
from audition.store.service import api_tokens, audit, people
from audition.store.service.api_tokens import ApiToken, Scope
from audition.store.service.database import Connection, utc
from audition.store.service.people import RANK, Principal, Role

_ROUTER = APIRouter(prefix="/api/v1/api-tokens", tags=["api-tokens"])


def routers() -> list[APIRouter]:
    """Return the routers of these endpoints."""
    return [_ROUTER]


class NewToken(Body):
    """A token to be made. `role` is the most it may do, by default what its member may; without `expires_at` it
    does not expire."""

    name: Name
    role: Role | None = None
    scopes: list[Scope] = Field(default=["read"], min_length=1, max_length=len(api_tokens.SCOPES))
    expires_at: Moment | None = None


class TokenOut(BaseModel):
    """A token, without what makes it one."""

    id: int
    member_id: int
    name: str
    prefix: str = Field(description="how the token begins, to tell it from others")
    role: Role
    scopes: list[Scope]
    expires_at: str | None
    created_at: str
    last_used_at: str | None = Field(description="to the minute")


class MadeTokenOut(TokenOut):
    """A token that was made: `token` is shown here and never again."""

    token: str


@_ROUTER.get("", responses=answers(list[TokenOut], 401, 403))
def list_tokens(
    here: Here,
    request: Request,
    page: Paged,
    principal: Reader,
    of: Annotated[str | None, Query(pattern="^all$", description="`all`: those of everybody (owners, admins)")] = None,
) -> Response:
    """Return one's own tokens that are not revoked."""
    if of is not None and not _is_administrator(principal):
        raise Problem(403, "only owners and admins may see the tokens of others")
    found, total = here.database.read(
        lambda connection: api_tokens.api_tokens(
            connection, None if of else principal.member_id, after=page.after, limit=page.limit + 1
        )
    )
    shown = found[: page.limit]
    last = shown[-1].id if len(found) > page.limit else None
    return listed(request, [_out(one) for one in shown], page, total=total, last=last)


@_ROUTER.post("", status_code=201, responses=answers(MadeTokenOut, 401, 403, status=201))
def make_token(here: Here, request: Request, principal: Person, body: NewToken) -> Response:
    """Make a token of one's own; it is shown in this answer only."""
    role = body.role or principal.role
    if RANK.index(role) > RANK.index(principal.role):
        raise Problem(403, f"a token may do no more than its member; your role is {principal.role}")
    if body.expires_at is not None and body.expires_at <= utc():
        raise Problem(422, "/expires_at: this is in the past")
    expires_s = None if body.expires_at is None else datetime.fromisoformat(body.expires_at).timestamp()

    def making(connection: Connection) -> tuple[ApiToken, str]:
        made, secret = api_tokens.create_token(
            connection,
            principal.member_id,
            name=body.name,
            role=role,
            scopes=list(dict.fromkeys(body.scopes)),
            expires_s=expires_s,
        )
        _note(connection, principal, request, "api_token.create", made, is_made=True)
        return made, secret

    made, secret = here.database.write(making)
    return created(_out(made) | {"token": secret}, f"/api/v1/api-tokens/{made.id}")


@_ROUTER.get("/{token_id}", responses=answers(TokenOut, 401, 403, 404))
def get_token(here: Here, principal: Reader, token_id: Id) -> Response:
    """Return a token of one's own; owners and admins, anybody's."""
    found = here.database.read(lambda connection: api_tokens.api_token(connection, token_id))
    if found.member_id != principal.member_id and not _is_administrator(principal):
        raise not_found("token")
    return reply(_out(found))


@_ROUTER.delete("/{token_id}", status_code=204, responses=answers(None, 401, 403, 404, status=204))
def revoke_token(here: Here, request: Request, principal: Person, token_id: Id) -> Response:
    """Revoke a token of one's own; owners anybody's, admins those of editors and viewers."""

    def revoking(connection: Connection) -> None:
        found = api_tokens.api_token(connection, token_id)
        if found.member_id != principal.member_id:
            if not _is_administrator(principal):
                raise not_found("token")
            if principal.role == "admin" and people.member(connection, found.member_id).role in ("owner", "admin"):
                raise Problem(403, "only an owner may revoke the tokens of owners and admins")
        api_tokens.revoke_token(connection, token_id)
        _note(connection, principal, request, "api_token.revoke", found, is_made=False)

    here.database.write(revoking)
    here.known.forget()
    return Response(status_code=204)


def _is_administrator(principal: Principal) -> bool:
    may = principal.token_id is None or "admin" in principal.scopes
    return may and principal.role in ("owner", "admin")


def _out(token: ApiToken) -> dict[str, object]:
    ends = None if token.expires_s is None else utc(datetime.fromtimestamp(token.expires_s, UTC))
    return {
        "id": token.id,
        "member_id": token.member_id,
        "name": token.name,
        "prefix": token.prefix,
        "role": token.role,
        "scopes": list(token.scopes),
        "expires_at": None if ends is None else seconds(ends),
        "created_at": seconds(token.created_at),
        "last_used_at": None if token.last_used_at is None else seconds(token.last_used_at),
    }


def _note(
    connection: Connection, principal: Principal, request: Request, action: str, token: ApiToken, *, is_made: bool
) -> None:
    what = {name: value for name, value in _out(token).items() if name not in ("id", "last_used_at")}
    audit.record(
        connection,
        principal,
        action=action,
        resource_kind="api_token",
        resource_id=token.id,
        before=None if is_made else what,
        after=what if is_made else None,
        request_id=request.state.request_id,
    )
