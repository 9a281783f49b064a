"""The audit log: who changed what, in rows that are only ever added and each of which vouches for those before it."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select

from audition.store.service.database import utc
from audition.store.service.people import Principal
from audition.store.service.tables import AUDIT
from audition.wire import to_json

_LOCK = 0x61756469
"""The number under which writers of the log wait for each other in PostgreSQL."""

_HASHED = tuple(column.name for column in AUDIT.c if column.name not in ("id", "hash"))
_SECRET = re.compile(r"authorization|cookie|passw|secret|token|credential|api[-_]?key|access[-_]?key", re.IGNORECASE)
MASK = "***"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row of the log. `actor_kind`: member, token (an API token, whose id follows the address) or system."""

    id: int
    created_at: str
    actor_kind: str
    actor: str
    role: str | None
    action: str
    resource_kind: str
    resource_id: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    request_id: str
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which entries are wanted; None: whatever it is. `since` (inclusive) and `until` (exclusive) as `utc` has them."""

    actor: str | None = None
    action: str | None = None
    resource_kind: str | None = None
    resource_id: str | None = None
    since: str | None = None
    until: str | None = None


def record(
    connection: Connection,
    principal: Principal | None,
    *,
    action: str,
    resource_kind: str,
    resource_id: object,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
    request_id: str,
) -> None:
    """Add an entry, in the transaction of the change it tells of.

    `principal` None: the service itself did it. `before` None: there was nothing; `after` None: nothing is left. Values
    whose names sound like secrets are masked.
    """
    if connection.dialect.name == "postgresql":  # SQLite's BEGIN IMMEDIATE lets one writer in at a time anyway
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    previous = connection.execute(select(AUDIT.c.hash).order_by(AUDIT.c.id.desc()).limit(1)).scalar_one_or_none()
    row = {
        "created_at": utc(),
        **_actor(principal),
        "action": action,
        "resource_kind": resource_kind,
        "resource_id": str(resource_id),
        "before": None if before is None else to_json(_masked(before)),
        "after": None if after is None else to_json(_masked(after)),
        "request_id": request_id,
        "previous_hash": previous or "",
    }
    connection.execute(insert(AUDIT).values(**row, hash=_hash(row)))


def entries(connection: Connection, wanted: Filter, *, after: int = 0, limit: int) -> tuple[list[Entry], int]:
    """Return entries in the order they were made, those after an id, and how many there are in all."""
    conditions = _conditions(wanted)
    total = connection.execute(select(func.count()).select_from(AUDIT).where(*conditions)).scalar_one()
    query = select(AUDIT).where(*conditions, AUDIT.c.id > after).order_by(AUDIT.c.id).limit(limit)
    return [_entry(row) for row in connection.execute(query)], total


def verify(connection: Connection) -> int | None:
    """Return the id of the first entry that was changed, or before which one is missing; None when all is in order.

    Entries cut off at the end leave no trace; who must notice that keeps the last hash elsewhere.
    """
    previous = ""
    query = select(AUDIT).order_by(AUDIT.c.id).execution_options(yield_per=1000)
    with connection.execute(query) as rows:
        for row in rows:
            kept = row._mapping
            if kept["previous_hash"] != previous or kept["hash"] != _hash({name: kept[name] for name in _HASHED}):
                return int(kept["id"])
            previous = kept["hash"]
    return None


def _actor(principal: Principal | None) -> Mapping[str, str | None]:
    if principal is None:
        return {"actor_kind": "system", "actor": "audition", "role": None}
    if principal.token_id is None:
        return {"actor_kind": "member", "actor": principal.email, "role": principal.role}
    return {"actor_kind": "token", "actor": f"{principal.email}#{principal.token_id}", "role": principal.role}


def _hash(row: Mapping[str, object]) -> str:
    canonical = json.dumps(row, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _masked(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            key: MASK if isinstance(inner, str) and _SECRET.search(str(key)) else _masked(inner)
            for key, inner in value.items()
        }
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_masked(inner) for inner in value]
    return value


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    equal = {name: getattr(wanted, name) for name in ("actor", "action", "resource_kind", "resource_id")}
    conditions: list[ColumnElement[bool]] = [AUDIT.c[name] == value for name, value in equal.items() if value]
    if wanted.since:
        conditions.append(AUDIT.c.created_at >= wanted.since)
    if wanted.until:
        conditions.append(AUDIT.c.created_at < wanted.until)
    return conditions


def _entry(row: Row[Any]) -> Entry:
    kept = dict(row._mapping)
    for name in ("before", "after"):
        kept[name] = None if kept[name] is None else json.loads(kept[name])
    return Entry(**kept)
