"""Members and their sessions; who a token stands for. Of tokens only a hash is kept."""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, delete, func, insert, select, update

from audition.errors import Conflict, NotFound
from audition.store.service.database import utc
from audition.store.service.tables import API_TOKENS, MEMBERS, SESSIONS

Role = Literal["owner", "admin", "editor", "viewer"]
"""What a member may do, from the most to the least. Source: evals REST API, Authentication and roles."""

RANK: tuple[Role, ...] = ("viewer", "editor", "admin", "owner")

SESSION_PREFIX = "aud_s_"
TOKEN_PREFIX = "aud_t_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Who asks: a member, by a session or by an API token (`token_id`; None for a session).

    `role` is the member's, or the token's own when that is less. `scopes` are all that an API token is for; a session
    has none, and is not narrowed.
    """

    member_id: int
    email: str
    role: Role
    token_id: int | None = None
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """Somebody who may use the service. `password_hash` None: logs in elsewhere only."""

    id: int
    email: str
    name: str
    role: Role
    password_hash: str | None
    created_at: str
    updated_at: str


def new_token(prefix: str) -> str:
    """Return a token that nobody can guess: 256 random bits behind a prefix that says what it is."""
    return prefix + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return what is kept of a token. It is random, so a plain SHA-256 will do."""
    return hashlib.sha256(token.encode()).hexdigest()


def add_member(connection: Connection, *, email: str, name: str, role: Role, password_hash: str | None) -> int:
    """Add a member and return their id. Raises: Conflict when the address is taken."""
    now, address = utc(), email.lower()
    if member_with(connection, address):
        raise Conflict("there is a member with this address already")
    values = {"email": address, "name": name, "role": role, "password_hash": password_hash}
    made = connection.execute(insert(MEMBERS).values(**values, created_at=now, updated_at=now).returning(MEMBERS.c.id))
    return int(made.scalar_one())


def members(connection: Connection, *, after: int = 0, limit: int) -> tuple[list[Member], int]:
    """Return the members after an id, in the order they came, and how many there are in all."""
    query = _MEMBERS.where(MEMBERS.c.id > after).order_by(MEMBERS.c.id).limit(limit)
    return [_member(row) for row in connection.execute(query)], count_members(connection)


def count_members(connection: Connection) -> int:
    """Return how many members there are."""
    count = select(func.count()).select_from(MEMBERS).where(MEMBERS.c.deleted_at.is_(None))
    return int(connection.execute(count).scalar_one())


def member(connection: Connection, member_id: int) -> Member:
    """Return a member. Raises: NotFound."""
    found = connection.execute(_MEMBERS.where(MEMBERS.c.id == member_id)).one_or_none()
    if found is None:
        raise NotFound("there is no such member")
    return _member(found)


def member_with(connection: Connection, email: str) -> Member | None:
    """Return the member with an address, None when there is none."""
    found = connection.execute(_MEMBERS.where(MEMBERS.c.email == email.lower())).one_or_none()
    return _member(found) if found else None


def change_member(connection: Connection, member_id: int, changes: Mapping[str, str]) -> Member:
    """Change a member's `name`, `role` or `password_hash`; a new password ends the sessions.

    Raises: NotFound; Conflict when no owner would be left.
    """
    if changes.get("role", "owner") != "owner":
        _leave_an_owner(connection, member_id)
    query = update(MEMBERS).where(MEMBERS.c.id == member_id, MEMBERS.c.deleted_at.is_(None))
    if connection.execute(query.values(**changes, updated_at=utc())).rowcount == 0:
        raise NotFound("there is no such member")
    if "password_hash" in changes:
        close_sessions(connection, member_id)
    return member(connection, member_id)


def remove_member(connection: Connection, member_id: int) -> None:
    """Remove a member with their sessions and tokens; their address is free again.

    Raises: NotFound; Conflict when no owner would be left.
    """
    gone = member(connection, member_id)
    _leave_an_owner(connection, member_id)
    now = utc()
    values = {"deleted_at": now, "updated_at": now, "email": f"{gone.email}#{gone.id}", "password_hash": None}
    connection.execute(update(MEMBERS).where(MEMBERS.c.id == member_id).values(**values))
    close_sessions(connection, member_id)
    tokens = API_TOKENS.c.member_id == member_id, API_TOKENS.c.revoked_at.is_(None)
    connection.execute(update(API_TOKENS).where(*tokens).values(revoked_at=now))


def replace_hash(connection: Connection, member_id: int, *, old: str, new: str) -> None:
    """Keep another hash of the same password, unless the password was changed in the meantime."""
    query = update(MEMBERS).where(MEMBERS.c.id == member_id, MEMBERS.c.password_hash == old)
    connection.execute(query.values(password_hash=new))


def _leave_an_owner(connection: Connection, member_id: int) -> None:
    # The lock keeps two owners of one database from removing each other at the same moment.
    query = select(MEMBERS.c.id).where(MEMBERS.c.role == "owner", MEMBERS.c.deleted_at.is_(None)).with_for_update()
    if [row.id for row in connection.execute(query)] == [member_id]:
        raise Conflict("this is the last owner", hint="make somebody else an owner first")


_MEMBERS = select(*(MEMBERS.c[name] for name in Member.__slots__)).where(MEMBERS.c.deleted_at.is_(None))


def _member(row: Row[Any]) -> Member:
    return Member(**row._mapping)


def open_session(connection: Connection, now_s: ColumnElement[float], member_id: int, *, hours: float) -> str:
    """Open a session of a member and return its token, which is kept nowhere."""
    token = new_token(SESSION_PREFIX)
    row = {"token_hash": token_hash(token), "member_id": member_id, "created_at": utc()}
    connection.execute(insert(SESSIONS).values(**row, expires_s=now_s + hours * 3600))
    return token


def session_end(connection: Connection, token: str) -> datetime:
    """Return when a session expires. Raises: NotFound."""
    query = select(SESSIONS.c.expires_s).where(SESSIONS.c.token_hash == token_hash(token))
    ends_s = connection.execute(query).scalar_one_or_none()
    if ends_s is None:
        raise NotFound("there is no such session")
    return datetime.fromtimestamp(ends_s, UTC)


def close_session(connection: Connection, token: str) -> None:
    """End a session, if it is one."""
    connection.execute(delete(SESSIONS).where(SESSIONS.c.token_hash == token_hash(token)))


def close_sessions(connection: Connection, member_id: int) -> None:
    """End all sessions of a member."""
    connection.execute(delete(SESSIONS).where(SESSIONS.c.member_id == member_id))


def purge_sessions(connection: Connection, now_s: ColumnElement[float]) -> None:
    """Forget sessions that have expired."""
    connection.execute(delete(SESSIONS).where(SESSIONS.c.expires_s <= now_s))


def principal_of(connection: Connection, now_s: ColumnElement[float], token: str) -> Principal | None:
    """Return who a token stands for; None for one that is unknown, expired or revoked, or whose member is gone."""
    if token.startswith(TOKEN_PREFIX):
        return _by_api_token(connection, now_s, token)
    query = (
        select(MEMBERS.c.id, MEMBERS.c.email, MEMBERS.c.role)
        .join(SESSIONS, SESSIONS.c.member_id == MEMBERS.c.id)
        .where(SESSIONS.c.token_hash == token_hash(token), SESSIONS.c.expires_s > now_s, MEMBERS.c.deleted_at.is_(None))
    )
    found = connection.execute(query).one_or_none()
    return Principal(member_id=found.id, email=found.email, role=found.role) if found else None


def _by_api_token(connection: Connection, now_s: ColumnElement[float], token: str) -> Principal | None:
    is_valid = API_TOKENS.c.expires_s.is_(None) | (API_TOKENS.c.expires_s > now_s)
    query = (
        select(
            API_TOKENS.c.id,
            API_TOKENS.c.role,
            API_TOKENS.c.scopes,
            MEMBERS.c.id.label("member_id"),
            MEMBERS.c.email,
            MEMBERS.c.role.label("own"),
        )
        .join(MEMBERS, API_TOKENS.c.member_id == MEMBERS.c.id)
        .where(API_TOKENS.c.token_hash == token_hash(token), API_TOKENS.c.revoked_at.is_(None), is_valid)
        .where(MEMBERS.c.deleted_at.is_(None))
    )
    found: Any = connection.execute(query).one_or_none()
    if found is None:
        return None
    role = min(found.role, found.own, key=RANK.index)
    scopes = tuple(json.loads(found.scopes))
    return Principal(member_id=found.member_id, email=found.email, role=role, token_id=found.id, scopes=scopes)
