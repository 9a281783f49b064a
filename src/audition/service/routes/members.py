"""Members: who may use the service, and as what."""

from typing import Annotated

from fastapi import APIRouter, Path, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from audition.service.context import Administrator, Here
from audition.service.conventions import Body, Paged, created, listed, reply, seconds
from audition.service.openapi import answers
from audition.service.passwords import NewPassword
from audition.service.problems import Problem
from audition.store.service import audit, people
from audition.store.service.database import Connection
from audition.store.service.people import Member, Principal, Role

_ROUTER = APIRouter(prefix="/api/v1/members", tags=["members"])

Id = Annotated[int, Path(ge=1, le=2**63 - 1)]
Email = Annotated[
    str, Field(max_length=254, pattern=r"^[^@\s]+@[^@\s]+$", examples=["editor@example.com"], description="unique")
]
Name = Annotated[str, Field(min_length=1, max_length=120, examples=["Ada"])]


def routers() -> list[APIRouter]:
    """Return the routers of these endpoints."""
    return [_ROUTER]


class NewMember(Body):
    """Somebody who may use the service from now on. Without a password they log in elsewhere (OIDC)."""

    email: Email
    name: Name
    role: Role
    password: NewPassword | None = None


class MemberChange(Body):
    """What is to be different; what is left out stays. A new password ends the member's sessions."""

    name: Name | None = None
    role: Role | None = None
    password: NewPassword | None = None


class MemberOut(BaseModel):
    """A member."""

    id: int
    email: str
    name: str
    role: Role
    created_at: str
    updated_at: str


def member_out(member: Member) -> dict[str, object]:
    """Return a member as it is shown."""
    return {
        "id": member.id,
        "email": member.email,
        "name": member.name,
        "role": member.role,
        "created_at": seconds(member.created_at),
        "updated_at": seconds(member.updated_at),
    }


@_ROUTER.get("", responses=answers(list[MemberOut], 401, 403))
def list_members(here: Here, request: Request, page: Paged, _: Administrator) -> Response:
    """Return the members."""
    found, total = here.database.read(
        lambda connection: people.members(connection, after=page.after, limit=page.limit + 1)
    )
    shown = found[: page.limit]
    last = shown[-1].id if len(found) > page.limit else None
    return listed(request, [member_out(one) for one in shown], page, total=total, last=last)


@_ROUTER.post("", status_code=201, responses=answers(MemberOut, 401, 403, 409, status=201))
def add_member(here: Here, request: Request, principal: Administrator, body: NewMember) -> Response:
    """Add a member. Only an owner may add owners and admins."""
    _insist_on_owner(principal, body.role)
    password_hash = here.passwords.hash(body.password) if body.password is not None else None

    def adding(connection: Connection) -> Member:
        member_id = people.add_member(
            connection, email=body.email, name=body.name, role=body.role, password_hash=password_hash
        )
        made = people.member(connection, member_id)
        _note(connection, principal, request, "member.add", made.id, after=_noted(made))
        return made

    made = here.database.write(adding)
    return created(member_out(made), f"/api/v1/members/{made.id}")


@_ROUTER.get("/{member_id}", responses=answers(MemberOut, 401, 403, 404))
def get_member(here: Here, _: Administrator, member_id: Id) -> Response:
    """Return a member."""
    return reply(member_out(here.database.read(lambda connection: people.member(connection, member_id))))


@_ROUTER.patch("/{member_id}", responses=answers(MemberOut, 401, 403, 404, 409))
def change_member(
    here: Here, request: Request, principal: Administrator, member_id: Id, body: MemberChange
) -> Response:
    """Change a member. Only an owner may change owners and admins, or make somebody one; the last owner stays one."""
    changes = {name: value for name, value in (("name", body.name), ("role", body.role)) if value is not None}
    if body.password is not None:
        changes["password_hash"] = here.passwords.hash(body.password)

    def changing(connection: Connection) -> Member:
        before = people.member(connection, member_id)
        _insist_on_owner(principal, before.role, body.role)
        after = people.change_member(connection, member_id, changes) if changes else before
        noted = _noted(after) | ({"has_new_password": True} if body.password is not None else {})
        _note(connection, principal, request, "member.change", member_id, before=_noted(before), after=noted)
        return after

    changed = here.database.write(changing)
    here.known.forget()
    return reply(member_out(changed))


@_ROUTER.delete("/{member_id}", status_code=204, responses=answers(None, 401, 403, 404, 409, status=204))
def remove_member(here: Here, request: Request, principal: Administrator, member_id: Id) -> Response:
    """Remove a member, with their sessions and tokens. Only an owner may remove owners and admins."""

    def removing(connection: Connection) -> None:
        before = people.member(connection, member_id)
        _insist_on_owner(principal, before.role)
        people.remove_member(connection, member_id)
        _note(connection, principal, request, "member.remove", member_id, before=_noted(before))

    here.database.write(removing)
    here.known.forget()
    return Response(status_code=204)


def _insist_on_owner(principal: Principal, *roles: Role | None) -> None:
    if principal.role != "owner" and any(role in ("owner", "admin") for role in roles):
        raise Problem(403, "only an owner may make or change owners and admins")


def _noted(member: Member) -> dict[str, object]:
    return {"email": member.email, "name": member.name, "role": member.role}


def _note(
    connection: Connection,
    principal: Principal,
    request: Request,
    action: str,
    member_id: int,
    *,
    before: dict[str, object] | None = None,
    after: dict[str, object] | None = None,
) -> None:
    audit.record(
        connection,
        principal,
        action=action,
        resource_kind="member",
        resource_id=member_id,
        before=before,
        after=after,
        request_id=request.state.request_id,
    )
