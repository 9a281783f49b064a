"""The cases of datasets: what each says, version by version."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, func, insert, or_, select, update

from audition.errors import Conflict, NotFound
from audition.store.service.database import utc
from audition.store.service.datasets import Dataset, case_count, next_version
from audition.store.service.tables import CASE_REVISIONS, CASES

_AT_ONCE = 1000
"""How many ids one statement names; there are limits, which differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case as one version of its dataset has it.

    `scenario` and `expected_criteria` are the seed's. `must_pass`: a candidate may not lose it. `cluster` groups
    variants of one scenario. `context` holds values for the scenario's reader, shown to the judge. `tool_fixtures` are
    tools with canned results, as `setup.tools` of an eval file has them. `eval` is a whole eval, as eval files have it,
    that is run in place of the plain scenario; None for cases that are a scenario and criteria. `id` 0: not kept yet.
    `audition.service.case_evals.to_eval` makes of a case what a run performs.
    """

    id: int
    scenario: str
    expected_criteria: str
    must_pass: bool = False
    tags: tuple[str, ...] = ()
    cluster: str | None = None
    external_id: str | None = None
    context: Mapping[str, object] = field(default_factory=dict)
    tool_fixtures: tuple[Mapping[str, object], ...] = ()
    eval: Mapping[str, object] | None = None
    created_at: str = ""


def cases_at(
    connection: Connection, dataset_id: int, version: int, *, ids: Collection[int] = (), tags: Collection[str] = ()
) -> list[Case]:
    """Return the cases of a version of a dataset in their order; `ids` and `tags` (any of them) narrow the choice."""
    rows = connection.execute(_at(dataset_id, version).order_by(CASE_REVISIONS.c.case_id))
    found = [case_of(row.case_id, row.document) for row in rows]
    return [case for case in found if (not ids or case.id in ids) and (not tags or set(case.tags) & set(tags))]


def page_of_cases(
    connection: Connection, dataset_id: int, version: int, *, after: int, limit: int, tag: str | None = None
) -> tuple[list[Case], int]:
    """Return cases of a version in their order, those after an id, and how many there are in all.

    `tag`: only those that have it.
    """
    if tag is not None:
        fitting = cases_at(connection, dataset_id, version, tags=[tag])
        return [case for case in fitting if case.id > after][:limit], len(fitting)
    query = _at(dataset_id, version)
    total = connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()
    page = query.where(CASE_REVISIONS.c.case_id > after).order_by(CASE_REVISIONS.c.case_id).limit(limit)
    return [case_of(row.case_id, row.document) for row in connection.execute(page)], total


def case_in(connection: Connection, dataset: Dataset, case_id: int, *, version: int | None = None) -> Case:
    """Return a case as a version of its dataset has it (None: as it is now).

    Raises: NotFound when it is not in that version.
    """
    query = _at(dataset.id, version or dataset.version).where(CASE_REVISIONS.c.case_id == case_id)
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound("there is no such case")
    return case_of(found.case_id, found.document)


def ids_by_external_id(connection: Connection, dataset: Dataset) -> Mapping[str, int]:
    """Return the ids of the cases that a dataset has now, by the ids they have elsewhere, for those that have one."""
    revisions = CASE_REVISIONS.c
    query = select(revisions.external_id, revisions.case_id).where(
        revisions.dataset_id == dataset.id, revisions.to_version.is_(None), revisions.external_id.is_not(None)
    )
    return {str(row.external_id): row.case_id for row in connection.execute(query)}


def add_cases(connection: Connection, dataset: Dataset, drafts: Sequence[Case], *, most: int) -> list[Case]:
    """Add cases to a dataset that was got to be changed, all in one new version; return them with their ids.

    `most`: how many it may have. Raises: Conflict when there are too many, or an external id is taken.
    """
    return write_cases(connection, dataset, drafts, (), most=most)


def change_case(connection: Connection, dataset: Dataset, after: Case) -> Case:
    """Have a case, known by its id, say something else from a new version of its dataset on.

    The dataset was got to be changed. Raises: Conflict when an external id is taken.
    """
    write_cases(connection, dataset, (), (after,), most=0)
    return after


def write_cases(
    connection: Connection, dataset: Dataset, drafts: Sequence[Case], changed: Sequence[Case], *, most: int
) -> list[Case]:
    """Add cases and change others, known by their ids, in one new version; return the new ones with their ids.

    The dataset was got to be changed. Raises: Conflict when there are too many, or an external id is taken.
    """
    if not drafts and not changed:
        return []
    if drafts and case_count(connection, dataset) + len(drafts) > most:
        raise Conflict(f"a dataset may have {most:,} cases at most")
    _check_external_ids(connection, dataset, [*drafts, *changed])
    version, now = next_version(connection, dataset), utc()
    rows = [{"dataset_id": dataset.id, "created_at": now} for _ in drafts]
    made: list[Case] = []
    if rows:
        ids = connection.execute(insert(CASES).returning(CASES.c.id, sort_by_parameter_order=True), rows).scalars()
        made = [replace(draft, id=case_id, created_at=now) for draft, case_id in zip(drafts, ids, strict=True)]
    _close(connection, [case.id for case in changed], version)
    connection.execute(insert(CASE_REVISIONS), [_revision(dataset, case, version) for case in (*made, *changed)])
    return made


def remove_case(connection: Connection, dataset: Dataset, case_id: int) -> None:
    """Take a case out of a dataset that was got to be changed, from a new version on; older ones still have it."""
    _close(connection, [case_id], next_version(connection, dataset))


def case_of(case_id: int, document: str) -> Case:
    """Return a case from the document that is kept of it."""
    kept = json.loads(document)
    return Case(
        id=case_id,
        **kept | {"tags": tuple(kept.get("tags", ())), "tool_fixtures": tuple(kept.get("tool_fixtures", ()))},
    )


def document_of(case: Case) -> dict[str, Any]:
    """Return what a case says as data, without its id and what is at its default."""
    said = asdict(case)
    return {name: value for name, value in said.items() if name != "id" and value not in (None, False, "", (), {})}


def _at(dataset_id: int, version: int) -> Select[tuple[int, str]]:
    revisions = CASE_REVISIONS.c
    holds: tuple[ColumnElement[bool], ...] = (
        revisions.dataset_id == dataset_id,
        revisions.from_version <= version,
        or_(revisions.to_version.is_(None), revisions.to_version > version),
    )
    return select(revisions.case_id, revisions.document).where(*holds)


def _close(connection: Connection, ids: Sequence[int], version: int) -> None:
    """Have the present revisions of cases end before a version."""
    revisions = CASE_REVISIONS.c
    for start in range(0, len(ids), _AT_ONCE):
        is_present = revisions.case_id.in_(ids[start : start + _AT_ONCE]) & revisions.to_version.is_(None)
        connection.execute(update(CASE_REVISIONS).where(is_present).values(to_version=version))


def _check_external_ids(connection: Connection, dataset: Dataset, cases: Sequence[Case]) -> None:
    if all(case.external_id is None for case in cases):
        return
    taken = dict(ids_by_external_id(connection, dataset))
    leaving = {case.id for case in cases}
    taken = {name: case_id for name, case_id in taken.items() if case_id not in leaving}
    for case in cases:
        if case.external_id is None:
            continue
        if case.external_id in taken:
            other = taken[case.external_id]
            named = f"the case {other}" if other else "another of these cases"
            raise Conflict(f"the external_id {case.external_id!r} is taken by {named}")
        taken[case.external_id] = case.id


def _revision(dataset: Dataset, case: Case, version: int) -> Mapping[str, object]:
    return {
        "case_id": case.id,
        "from_version": version,
        "dataset_id": dataset.id,
        "external_id": case.external_id,
        "document": json.dumps(document_of(case)),
    }
