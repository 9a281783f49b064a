"""The cases of datasets: what each says, version by version."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, or_, select

from audition.store.service.tables import CASE_REVISIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A case as one version of its dataset has it.

    `scenario` and `expected_criteria` are the seed's. `must_pass`: a candidate may not lose it. `cluster` groups
    variants of one scenario. `context` holds values for the scenario's reader, shown to the judge. `tool_fixtures` are
    tools with canned results, as `setup.tools` of an eval file has them. `eval` is a whole eval, as eval files have it,
    that is run in place of the plain scenario; None for cases that are a scenario and criteria.
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
    revisions = CASE_REVISIONS.c
    query = (
        select(revisions.case_id, revisions.document)
        .where(revisions.dataset_id == dataset_id, revisions.from_version <= version)
        .where(or_(revisions.to_version.is_(None), revisions.to_version > version))
        .order_by(revisions.case_id)
    )
    found = [case_of(row.case_id, row.document) for row in connection.execute(query)]
    return [case for case in found if (not ids or case.id in ids) and (not tags or set(case.tags) & set(tags))]


def case_of(case_id: int, document: str) -> Case:
    """Return a case from the document that is kept of it."""
    kept = json.loads(document)
    return Case(
        id=case_id,
        **kept | {"tags": tuple(kept.get("tags", ())), "tool_fixtures": tuple(kept.get("tool_fixtures", ()))},
    )
