"""Answers that are kept so that a request which is sent twice is carried out once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, select, update

from audition.store.service.database import Database
from audition.store.service.tables import IDEMPOTENCY

KEPT_S = 86400.0
"""How long an answer is kept, seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What is known of an earlier request with a key. `status` None: it has not been answered."""

    request_hash: str
    status: int | None
    headers: tuple[tuple[str, str], ...]
    body: str


def claim(database: Database, connection: Connection, key_hash: str, request_hash: str) -> Kept | None:
    """Claim a key for a request, in one statement: None for whoever comes first, else what is known of the first."""
    now_s = database.now_s
    fresh: Any = database.insert(IDEMPOTENCY).values(key_hash=key_hash, request_hash=request_hash, created_s=now_s)
    empty = {"request_hash": request_hash, "created_s": now_s, "status": None, "headers": None, "body": None}
    is_old = IDEMPOTENCY.c.created_s <= now_s - KEPT_S
    claimed = fresh.on_conflict_do_update(index_elements=["key_hash"], set_=empty, where=is_old)
    if connection.execute(claimed.returning(IDEMPOTENCY.c.key_hash)).one_or_none() is not None:
        return None
    row = connection.execute(select(IDEMPOTENCY).where(IDEMPOTENCY.c.key_hash == key_hash)).one_or_none()
    if row is None:  # given back a moment ago, by a request that came to nothing: the next try will have it
        return Kept(request_hash=request_hash, status=None, headers=(), body="")
    headers = tuple((name, value) for name, value in json.loads(row.headers or "[]"))
    return Kept(request_hash=row.request_hash, status=row.status, headers=headers, body=row.body or "")


def keep(connection: Connection, key_hash: str, *, status: int, headers: Sequence[tuple[str, str]], body: str) -> None:
    """Keep the answer to the request that claimed a key."""
    query = update(IDEMPOTENCY).where(IDEMPOTENCY.c.key_hash == key_hash)
    connection.execute(query.values(status=status, headers=json.dumps(list(headers)), body=body))


def release(connection: Connection, key_hash: str) -> None:
    """Give a key back whose request came to nothing."""
    connection.execute(delete(IDEMPOTENCY).where(IDEMPOTENCY.c.key_hash == key_hash))


def purge_kept(connection: Connection, now_s: ColumnElement[float]) -> None:
    """Forget answers that are too old to be given."""
    connection.execute(delete(IDEMPOTENCY).where(IDEMPOTENCY.c.created_s <= now_s - KEPT_S))
