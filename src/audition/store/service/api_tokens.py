"""API tokens: what programs use in place of a session. They are shown once; only a hash is kept."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update

from audition.errors import NotFound
from audition.store.service.database import utc
from audition.store.service.people import TOKEN_PREFIX, Role, new_token, token_hash
from audition.store.service.tables import API_TOKENS

Scope = Literal["read", "write", "runs", "admin"]
"""What a token may be for: `read` everything its role may read; `write` subjects, datasets and cases; start, stop and
repeat `runs`; `admin`: people and the audit log."""

SCOPES: tuple[Scope, ...] = ("read", "write", "runs", "admin")

_SHOWN = len(TOKEN_PREFIX) + 4
"""How much of a token is kept to tell it from others."""

_TOUCH_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A token without what makes it one. `role` is the most it may do; `expires_s` None: it does not expire."""

    id: int
    member_id: int
    name: str
    prefix: str
    role: Role
    scopes: tuple[Scope, ...]
    expires_s: float | None
    created_at: str
    last_used_at: str | None


def create_token(
    connection: Connection, member_id: int, *, name: str, role: Role, scopes: Sequence[Scope], expires_s: float | None
) -> tuple[ApiToken, str]:
    """Make a token of a member and return it with its secret, which is kept nowhere. `expires_s` as in the tables."""
    secret = new_token(TOKEN_PREFIX)
    values = {"member_id": member_id, "name": name, "role": role, "expires_s": expires_s, "created_at": utc()}
    kept = {"prefix": secret[:_SHOWN], "token_hash": token_hash(secret), "scopes": json.dumps(list(scopes))}
    made = connection.execute(insert(API_TOKENS).values(**values, **kept).returning(*_SHOWN_COLUMNS))
    return _token(made.one()), secret


def api_tokens(
    connection: Connection, member_id: int | None, *, after: int = 0, limit: int
) -> tuple[list[ApiToken], int]:
    """Return the tokens that were not revoked, of a member or (None) of all, and how many there are."""
    wanted: list[ColumnElement[bool]] = [API_TOKENS.c.revoked_at.is_(None)]
    if member_id is not None:
        wanted.append(API_TOKENS.c.member_id == member_id)
    total = connection.execute(select(func.count()).select_from(API_TOKENS).where(*wanted)).scalar_one()
    query = select(*_SHOWN_COLUMNS).where(*wanted, API_TOKENS.c.id > after).order_by(API_TOKENS.c.id).limit(limit)
    return [_token(row) for row in connection.execute(query)], total


def api_token(connection: Connection, token_id: int) -> ApiToken:
    """Return a token that was not revoked. Raises: NotFound."""
    query = select(*_SHOWN_COLUMNS).where(API_TOKENS.c.id == token_id, API_TOKENS.c.revoked_at.is_(None))
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound("there is no such token")
    return _token(found)


def revoke_token(connection: Connection, token_id: int) -> None:
    """End a token for good."""
    connection.execute(update(API_TOKENS).where(API_TOKENS.c.id == token_id).values(revoked_at=utc()))


def touch_token(connection: Connection, token_id: int) -> None:
    """Note that a token is in use, at most once a minute."""
    stale = utc(datetime.now(UTC) - timedelta(seconds=_TOUCH_S))
    is_stale = API_TOKENS.c.last_used_at.is_(None) | (API_TOKENS.c.last_used_at < stale)
    connection.execute(update(API_TOKENS).where(API_TOKENS.c.id == token_id, is_stale).values(last_used_at=utc()))


_SHOWN_COLUMNS = [API_TOKENS.c[name] for name in ApiToken.__slots__]


def _token(row: Row[Any]) -> ApiToken:
    return ApiToken(**{**row._mapping, "scopes": tuple(json.loads(row.scopes))})
