"""Agents and orchestrators, version by version, and the trees they form."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Table, func, insert, select, update

from audition.errors import Conflict, NotFound
from audition.store.service.database import utc
from audition.store.service.tables import AGENTS, ORCHESTRATORS, SUBJECT_VERSIONS
from audition.subjects import Family, Subject

TABLES: Mapping[Family, Table] = {"agents": AGENTS, "orchestrators": ORCHESTRATORS}
NOUNS: Mapping[Family, str] = {"agents": "agent", "orchestrators": "orchestrator"}

_LOCK = 0x61756473_74726565
"""The number under which changes of subjects wait for each other in PostgreSQL: else two could close a circle."""

MOST_IN_A_TREE = 500
MOST_LEVELS = 20
"""What a tree may hold at most, a subject that hangs in it twice counted twice."""

Children = Mapping[Family, Sequence[int]]
"""The ids of what hangs below an orchestrator, by family."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSubject:
    """A subject as it is kept, or one version of it: `document` holds description, instruction, model and tools.

    An orchestrator's document also holds the ids in `sub_orchestrators` and `agents`. Times are as in the tables.
    """

    family: Family
    id: int
    name: str
    document: Mapping[str, Any]
    version: int
    created_at: str
    updated_at: str

    @property
    def children(self) -> Children:
        """Return the ids of what hangs below it."""
        return {
            "orchestrators": self.document.get("sub_orchestrators", ()),
            "agents": self.document.get("agents", ()),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectVersion:
    """What a subject was in one version, and who made it so."""

    version: int
    name: str
    document: Mapping[str, Any]
    created_at: str
    created_by: str


def subject(connection: Connection, family: Family, subject_id: int, *, to_change: bool = False) -> StoredSubject:
    """Return a subject. `to_change`: nobody else changes subjects until the transaction ends.

    Raises: NotFound when there is none, or it was deleted.
    """
    if to_change:
        _one_at_a_time(connection)
    table = TABLES[family]
    query = select(table).where(table.c.id == subject_id, table.c.deleted_at.is_(None))
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"there is no such {NOUNS[family]}")
    return _stored(family, found)


def subjects(
    connection: Connection, family: Family, *, after: int = 0, limit: int, named: str | None = None
) -> tuple[list[StoredSubject], int]:
    """Return the subjects of a family in the order of their ids, those after an id, and how many there are in all.

    `named`: only those with this text in their names, in any case.
    """
    table = TABLES[family]
    wanted: list[ColumnElement[bool]] = [table.c.deleted_at.is_(None)]
    if named:
        wanted.append(func.lower(table.c.name).contains(named.lower(), autoescape=True))
    total = connection.execute(select(func.count()).select_from(table).where(*wanted)).scalar_one()
    query = select(table).where(*wanted, table.c.id > after).order_by(table.c.id).limit(limit)
    return [_stored(family, row) for row in connection.execute(query)], total


def create(connection: Connection, family: Family, name: str, document: Mapping[str, Any], *, by: str) -> StoredSubject:
    """Add a subject; its children were found to be in order by `faults_of_children` in this transaction."""
    now, table = utc(), TABLES[family]
    values = {"name": name, "document": json.dumps(document), "version": 1, "created_at": now, "updated_at": now}
    made = _stored(family, connection.execute(insert(table).values(**values).returning(table)).one())
    _keep_version(connection, made, by=by)
    return made


def change(
    connection: Connection, before: StoredSubject, name: str, document: Mapping[str, Any], *, by: str
) -> StoredSubject:
    """Give a subject another name or document, which makes a new version; nothing is done when nothing changes.

    `before` was got to be changed, and its children were found to be in order by `faults_of_children`.
    """
    if name == before.name and document == before.document:
        return before
    table = TABLES[before.family]
    values = {"name": name, "document": json.dumps(document), "version": before.version + 1, "updated_at": utc()}
    query = update(table).where(table.c.id == before.id).values(**values).returning(table)
    changed = _stored(before.family, connection.execute(query).one())
    _keep_version(connection, changed, by=by)
    return changed


def delete(connection: Connection, before: StoredSubject) -> None:
    """Delete a subject; it was got to be changed. Raises: Conflict when an orchestrator has it as a child."""
    for parent in _all_orchestrators(connection):
        if before.id in parent.children[before.family]:
            noun = NOUNS[before.family]
            raise Conflict(
                f"the {noun} {before.name!r} is below the orchestrator {parent.name!r} ({parent.id})",
                hint="take it out there first",
            )
    table = TABLES[before.family]
    connection.execute(update(table).where(table.c.id == before.id).values(deleted_at=utc()))


def versions(
    connection: Connection, family: Family, subject_id: int, *, after: int = 0, limit: int
) -> tuple[list[SubjectVersion], int]:
    """Return the versions of a subject, the oldest first, those after one, and how many there are in all."""
    table = SUBJECT_VERSIONS.c
    wanted = (table.family == family, table.subject_id == subject_id)
    total = connection.execute(select(func.count()).select_from(SUBJECT_VERSIONS).where(*wanted)).scalar_one()
    query = select(SUBJECT_VERSIONS).where(*wanted, table.version > after).order_by(table.version).limit(limit)
    return [_version(row) for row in connection.execute(query)], total


def version(connection: Connection, family: Family, subject_id: int, number: int) -> SubjectVersion:
    """Return one version of a subject. Raises: NotFound when there is none of that number."""
    table = SUBJECT_VERSIONS.c
    query = select(SUBJECT_VERSIONS).where(
        table.family == family, table.subject_id == subject_id, table.version == number
    )
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound(f"there is no such version of this {NOUNS[family]}")
    return _version(found)


def tree(connection: Connection, family: Family, subject_id: int) -> Subject:
    """Return a subject with all that hangs below it, as of now.

    Raises: NotFound when there is none, or it was deleted; Conflict when more hangs below it than can be run.
    """
    return _Planter(connection).tree(family, subject_id, level=1)


def faults_of_children(
    connection: Connection, subject_id: int | None, children: Children
) -> list[tuple[Family, int, str]]:
    """Return what is wrong with the children an orchestrator is to have: which family, which position in it, and what.

    `subject_id` None: it is yet to be made. Nobody else changes subjects until the transaction ends.
    """
    _one_at_a_time(connection)
    faults: list[tuple[Family, int, str]] = []
    for kind, ids in children.items():
        table = TABLES[kind]
        query = select(table.c.id).where(table.c.id.in_(ids), table.c.deleted_at.is_(None))
        found = set(connection.execute(query).scalars())
        faults += [
            (kind, index, f"there is no {NOUNS[kind]} {child}") for index, child in enumerate(ids) if child not in found
        ]
    below = {one.id: one.children["orchestrators"] for one in _all_orchestrators(connection)}
    for index, child in enumerate(children["orchestrators"]):
        if subject_id is not None and (way := _way(below, child, subject_id)):
            shown = " > ".join(map(str, (subject_id, *way)))
            faults.append(("orchestrators", index, f"an orchestrator cannot be below itself: {shown}"))
    return faults


def encode_subject(one: Subject) -> str:
    """Return a subject with all below it as JSON; the secrets of its tools are in it."""
    return json.dumps(asdict(one))


def decode_subject(text: str) -> Subject:
    """Return the subject that was encoded."""
    return _decoded(json.loads(text))


def _decoded(kept: Mapping[str, Any]) -> Subject:
    below = tuple(_decoded(child) for child in kept["children"])
    return Subject(**{**kept, "tools": tuple(kept["tools"]), "children": below})


class _Planter:
    """Builds a tree; each subject is got once, however often it hangs in it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._known: dict[tuple[Family, int], StoredSubject] = {}
        self._left = MOST_IN_A_TREE

    def tree(self, family: Family, subject_id: int, *, level: int) -> Subject:
        """Return a subject with all below it; `level` 1 is the root."""
        self._left -= 1
        if level > MOST_LEVELS or self._left < 0:
            raise Conflict(
                f"the tree is too large: at most {MOST_IN_A_TREE} agents and orchestrators, on {MOST_LEVELS} levels"
            )
        if (family, subject_id) not in self._known:
            self._known[family, subject_id] = subject(self._connection, family, subject_id)
        one = self._known[family, subject_id]
        below = [self.tree(kind, child, level=level + 1) for kind, ids in one.children.items() for child in ids]
        return Subject(
            family=family,
            id=one.id,
            name=one.name,
            instruction=one.document["instruction"],
            model=one.document["model"],
            description=one.document.get("description", ""),
            tools=tuple(one.document.get("tools", ())),
            children=tuple(below),
            version=one.version,
        )


def _way(below: Mapping[int, Sequence[int]], start: int, goal: int) -> list[int]:
    """Return the ids on a way down from one orchestrator to another, both included; empty when there is none."""
    ways = [[start]]
    seen = {start}
    for way in ways:  # it grows meanwhile
        if way[-1] == goal:
            return way
        fresh = [child for child in below.get(way[-1], ()) if child not in seen]
        seen.update(fresh)
        ways += [[*way, child] for child in fresh]
    return []


def _all_orchestrators(connection: Connection) -> list[StoredSubject]:
    query = select(ORCHESTRATORS).where(ORCHESTRATORS.c.deleted_at.is_(None))
    return [_stored("orchestrators", row) for row in connection.execute(query)]


def _keep_version(connection: Connection, one: StoredSubject, *, by: str) -> None:
    values = {
        "family": one.family,
        "subject_id": one.id,
        "version": one.version,
        "name": one.name,
        "document": json.dumps(one.document),
        "created_at": one.updated_at,
        "created_by": by,
    }
    connection.execute(insert(SUBJECT_VERSIONS).values(**values))


def _one_at_a_time(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":  # SQLite lets one writer in at a time anyway
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))


def _stored(family: Family, row: Row[Any]) -> StoredSubject:
    return StoredSubject(
        family=family,
        id=row.id,
        name=row.name,
        document=json.loads(row.document),
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _version(row: Row[Any]) -> SubjectVersion:
    return SubjectVersion(
        version=row.version,
        name=row.name,
        document=json.loads(row.document),
        created_at=row.created_at,
        created_by=row.created_by,
    )
