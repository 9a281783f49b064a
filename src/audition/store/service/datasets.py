"""Datasets: named collections of cases for one subject, and what became of them version by version."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, Connection, Row, func, insert, select, update

from audition.errors import NotFound
from audition.store.service.database import utc
from audition.store.service.subjects import subject
from audition.store.service.tables import CASE_REVISIONS, DATASETS, RUNS
from audition.subjects import Family


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A dataset as it is kept. Exactly one of `agent_id` and `orchestrator_id` is not None.

    `version` goes up by one with each change of its cases. Times are as in the tables.
    """

    id: int
    agent_id: int | None
    orchestrator_id: int | None
    name: str
    description: str | None
    tags: tuple[str, ...]
    external_id: str | None
    version: int
    created_at: str
    updated_at: str

    @property
    def family(self) -> Family:
        """Return the family of its subject."""
        return "agents" if self.agent_id is not None else "orchestrators"

    @property
    def subject_id(self) -> int:
        """Return the id of its subject."""
        return self.agent_id or self.orchestrator_id or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetVersion:
    """One version of a dataset: how many cases it has, and the ids of those that differ from the version before."""

    version: int
    case_count: int
    added: tuple[int, ...]
    changed: tuple[int, ...]
    removed: tuple[int, ...]


def dataset(
    connection: Connection, family: Family, subject_id: int, dataset_id: int, *, to_change: bool = False
) -> Dataset:
    """Return a dataset of a subject. `to_change`: nobody else changes it until the transaction ends.

    Raises: NotFound when the subject has none of that id, it was deleted, or the subject was.
    """
    subject(connection, family, subject_id)
    query = select(DATASETS).where(
        DATASETS.c.id == dataset_id, _owner(family) == subject_id, DATASETS.c.deleted_at.is_(None)
    )
    found = connection.execute(query.with_for_update() if to_change else query).one_or_none()
    if found is None:
        raise NotFound("there is no such dataset")
    return _dataset(found)


def datasets(
    connection: Connection, family: Family, subject_id: int, *, after: int = 0, limit: int, named: str | None = None
) -> tuple[list[Dataset], int]:
    """Return the datasets of a subject in the order of their ids, those after an id, and how many there are in all.

    `named`: only those with this text in their names, in any case. Raises: NotFound when there is no such subject.
    """
    subject(connection, family, subject_id)
    wanted = [_owner(family) == subject_id, DATASETS.c.deleted_at.is_(None)]
    if named:
        wanted.append(func.lower(DATASETS.c.name).contains(named.lower(), autoescape=True))
    total = connection.execute(select(func.count()).select_from(DATASETS).where(*wanted)).scalar_one()
    query = select(DATASETS).where(*wanted, DATASETS.c.id > after).order_by(DATASETS.c.id).limit(limit)
    return [_dataset(row) for row in connection.execute(query)], total


def create(
    connection: Connection,
    family: Family,
    subject_id: int,
    name: str,
    *,
    description: str | None = None,
    tags: Sequence[str] = (),
    external_id: str | None = None,
) -> Dataset:
    """Add a dataset without cases. Raises: NotFound when there is no such subject."""
    subject(connection, family, subject_id)
    now = utc()
    values = {
        "name": name,
        "description": description,
        "tags": json.dumps(list(tags)),
        "external_id": external_id,
        _owner(family).name: subject_id,
        "version": 1,
        "created_at": now,
        "updated_at": now,
    }
    return _dataset(connection.execute(insert(DATASETS).values(**values).returning(DATASETS)).one())


def change(connection: Connection, before: Dataset, given: Mapping[str, Any]) -> Dataset:
    """Change what a dataset says of itself: name, description, tags, external_id. `before` was got to be changed."""
    values = dict(given)
    if "tags" in values:
        values["tags"] = json.dumps(list(values["tags"]))
    query = update(DATASETS).where(DATASETS.c.id == before.id).values(**values, updated_at=utc()).returning(DATASETS)
    return _dataset(connection.execute(query).one())


def delete(connection: Connection, before: Dataset) -> None:
    """Delete a dataset; its rows stay for the runs and the audit log."""
    connection.execute(update(DATASETS).where(DATASETS.c.id == before.id).values(deleted_at=utc()))


def unfinished_runs(connection: Connection, dataset_ids: Collection[int]) -> list[int]:
    """Return the ids of the runs of datasets that wait or are under way."""
    is_open = RUNS.c.status.in_(("pending", "running"))
    query = select(RUNS.c.id).where(RUNS.c.dataset_id.in_(dataset_ids), is_open).order_by(RUNS.c.id)
    return [*connection.execute(query).scalars()]


def unfinished_runs_of(connection: Connection, family: Family, subject_id: int) -> list[int]:
    """Return the ids of the runs of a subject that wait or are under way."""
    query = select(DATASETS.c.id).where(_owner(family) == subject_id, DATASETS.c.deleted_at.is_(None))
    return unfinished_runs(connection, [*connection.execute(query).scalars()])


def next_version(connection: Connection, before: Dataset) -> int:
    """Begin another version of a dataset's cases, and return its number. `before` was got to be changed."""
    values = {"version": DATASETS.c.version + 1, "updated_at": utc()}
    query = update(DATASETS).where(DATASETS.c.id == before.id).values(**values).returning(DATASETS.c.version)
    return int(connection.execute(query).scalar_one())


def case_count(connection: Connection, one: Dataset) -> int:
    """Return how many cases a dataset has now."""
    return _case_counts(connection, [one.id]).get(one.id, 0)


def case_counts(connection: Connection, several: Sequence[Dataset]) -> Mapping[int, int]:
    """Return how many cases datasets have now, by their ids; those without any are left out."""
    return _case_counts(connection, [one.id for one in several])


def versions(connection: Connection, one: Dataset, *, after: int = 0, limit: int) -> list[DatasetVersion]:
    """Return the versions of a dataset, the oldest first, those after one."""
    revisions = CASE_REVISIONS.c
    columns = (revisions.case_id, revisions.from_version, revisions.to_version)
    rows = [*connection.execute(select(*columns).where(revisions.dataset_id == one.id).order_by(revisions.case_id))]
    began, ended = defaultdict[int, list[int]](list), defaultdict[int, list[int]](list)
    for row in rows:
        began[row.from_version].append(row.case_id)
        if row.to_version is not None:
            ended[row.to_version].append(row.case_id)
    found, count = [], 0
    for number in range(1, min(after + limit, one.version) + 1):
        count += len(began[number]) - len(ended[number])
        if number > after:
            found.append(_version(number, count, frozenset(began[number]), frozenset(ended[number])))
    return found


def version(connection: Connection, one: Dataset, number: int) -> DatasetVersion:
    """Return one version of a dataset. Raises: NotFound when there is none of that number."""
    if not 1 <= number <= one.version:
        raise NotFound("there is no such version of this dataset")
    return versions(connection, one, after=number - 1, limit=1)[0]


def _version(number: int, count: int, began: frozenset[int], ended: frozenset[int]) -> DatasetVersion:
    return DatasetVersion(
        version=number,
        case_count=count,
        added=tuple(sorted(began - ended)),
        changed=tuple(sorted(began & ended)),
        removed=tuple(sorted(ended - began)),
    )


def _case_counts(connection: Connection, ids: Sequence[int]) -> Mapping[int, int]:
    revisions = CASE_REVISIONS.c
    query = (
        select(revisions.dataset_id, func.count())
        .where(revisions.dataset_id.in_(ids), revisions.to_version.is_(None))
        .group_by(revisions.dataset_id)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def _owner(family: Family) -> Column[int]:
    return DATASETS.c.agent_id if family == "agents" else DATASETS.c.orchestrator_id


def _dataset(row: Row[Any]) -> Dataset:
    kept = {name: value for name, value in row._mapping.items() if name != "deleted_at"}
    return Dataset(**{**kept, "tags": tuple(json.loads(kept["tags"]))})
