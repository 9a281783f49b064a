"""Members, their sessions and their tokens. Of tokens only a hash is kept."""

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, insert, select

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

    `role` is the member's, or the token's own when that is less. `scopes` narrow what a token is for; empty: nothing.
    """

    member_id: int
    email: str
    role: Role
    token_id: int | None = None
    scopes: tuple[str, ...] = ()


def new_token(prefix: str) -> str:
    """Return a token that nobody can guess: 256 random bits behind a prefix that says what it is."""
    return prefix + secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return what is kept of a token. It is random, so a plain SHA-256 will do."""
    return hashlib.sha256(token.encode()).hexdigest()


def add_member(connection: Connection, *, email: str, name: str, role: Role, password_hash: str | None) -> int:
    """Add a member and return their id. Raises: Conflict when the address is taken."""
    now = utc()
    values = {"email": email.lower(), "name": name, "role": role, "password_hash": password_hash}
    made = connection.execute(insert(MEMBERS).values(**values, created_at=now, updated_at=now).returning(MEMBERS.c.id))
    return int(made.scalar_one())


def open_session(connection: Connection, now_s: ColumnElement[float], member_id: int, *, hours: float) -> str:
    """Open a session of a member and return its token, which is kept nowhere."""
    token = new_token(SESSION_PREFIX)
    row = {"token_hash": token_hash(token), "member_id": member_id, "created_at": utc()}
    connection.execute(insert(SESSIONS).values(**row, expires_s=now_s + hours * 3600))
    return token


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
    return Principal(member_id=found.member_id, email=found.email, role=role, token_id=found.id)
