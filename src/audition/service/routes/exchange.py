"""Datasets from files and as files."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from audition.service.bodies import MOST, id_in_path, subject_id_in_path
from audition.service.context import Editor, Here, Reader
from audition.service.conventions import reply
from audition.service.exporting import ENDINGS, MEDIA_TYPES, ExportFormat, write_cases
from audition.service.importing import ImportFormat, RowFault, Rows, read_rows
from audition.service.openapi import Responses, answers
from audition.service.problems import Problem
from audition.store.service import audit
from audition.store.service import cases as store
from audition.store.service.cases import Case
from audition.store.service.database import Connection
from audition.store.service.datasets import Dataset, case_count, dataset, version
from audition.store.service.subjects import NOUNS
from audition.subjects import Family

OnConflict = Literal["skip", "update", "fail"]
"""What becomes of a row whose `external_id` a case of the dataset has already."""

_FILE = {"schema": {"type": "string"}}
_TAKEN = ("application/octet-stream", "text/plain", *sorted({*MEDIA_TYPES.values()}))
_UPLOAD = {"requestBody": {"required": True, "content": {kind: {"schema": {}} for kind in _TAKEN}}}
"""Any bytes: what is wrong with a file depends on its format, not on its media type."""

_WRITTEN: dict[str, Any] = {
    kind: {"schema": {}} if "json" in kind or "yaml" in kind else _FILE for kind in sorted({*MEDIA_TYPES.values()})
}
_FILES: Responses = {200: {"description": "the file", "content": _WRITTEN}}
_Version = Annotated[int | None, Query(alias="version", ge=1, le=MOST, description="the cases as they were then")]


class RowFaultOut(BaseModel):
    """One thing wrong with a row; `line` counts from 1."""

    line: int
    pointer: str
    detail: str


class ImportOut(BaseModel):
    """What became of the rows, or would become of them."""

    created: int
    updated: int
    skipped: int
    errors: list[RowFaultOut]
    warnings: list[str]


async def _content(request: Request) -> bytes:
    return await request.body()


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    return [_router("agents"), _router("orchestrators")]


def _router(family: Family) -> APIRouter:
    prefix = f"/api/v1/{family}/{{{NOUNS[family]}_id}}/eval-datasets/{{dataset_id}}"
    router = APIRouter(prefix=prefix, tags=["datasets"])
    in_path, dataset_in_path = subject_id_in_path(family), id_in_path("dataset_id")

    @router.post("/import", responses=answers(ImportOut, 400, 401, 403, 404, 409), openapi_extra=_UPLOAD)
    def import_cases(
        request: Request,
        here: Here,
        editor: Editor,
        wanted: Annotated[ImportFormat, Query(alias="format", description="what is uploaded")],
        content: Annotated[bytes, Depends(_content)],
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        on_conflict: Annotated[
            OnConflict, Query(description="what becomes of a row whose external_id a case has")
        ] = "fail",
        dry_run: Annotated[bool, Query(description="only say what would be done")] = False,
    ) -> Response:
        """Add the cases of a file, all of them or none, in one version of the dataset; the body is the file itself."""
        here.database.read(lambda connection: dataset(connection, family, subject_id, dataset_id))
        rows = read_rows(wanted, content)

        def action(connection: Connection) -> _Plan:
            found = dataset(connection, family, subject_id, dataset_id, to_change=True)
            plan = _planned(connection, found, rows, on_conflict)
            plan.insist_on_room(case_count(connection, found), here.settings.service.max_cases)
            if dry_run or plan.faults or not (plan.new or plan.changed):
                return plan
            made = store.write_cases(connection, found, plan.new, plan.changed, most=here.settings.service.max_cases)
            audit.record(
                connection,
                editor,
                action="case.import",
                resource_kind="dataset",
                resource_id=found.id,
                after={
                    "dataset_version": found.version + 1,
                    "created": [case.id for case in made],
                    "updated": [case.id for case in plan.changed],
                },
                request_id=request.state.request_id,
            )
            return plan

        plan = here.database.write(action)
        if plan.faults and not dry_run:
            raise _refused(plan)
        return reply(plan.body(rows.warnings))

    @router.get("/export", responses=answers(None, 401, 404) | _FILES)
    def export_cases(
        here: Here,
        _reader: Reader,
        wanted: Annotated[ExportFormat, Query(alias="format", description="what is to be written")],
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        at: _Version = None,
    ) -> Response:
        """Return the cases of a dataset as a file, which can be imported again."""

        def action(connection: Connection) -> tuple[Dataset, list[Case]]:
            found = dataset(connection, family, subject_id, dataset_id)
            number = version(connection, found, at).version if at else found.version
            return found, store.cases_at(connection, found.id, number)

        found, cases = here.database.read(action)
        text = write_cases(wanted, cases, found.name)
        name = f"dataset-{found.id}{ENDINGS[wanted]}"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(text.encode(), headers=headers, media_type=MEDIA_TYPES[wanted])

    return router


@dataclass(slots=True)
class _Plan:
    """What is to become of the rows of an upload."""

    new: list[Case] = field(default_factory=list)
    changed: list[Case] = field(default_factory=list)
    skipped: int = 0
    faults: list[RowFault] = field(default_factory=list)
    conflicts: int = 0

    def insist_on_room(self, count: int, most: int) -> None:
        """Note a fault when the dataset would have too many cases."""
        if count + len(self.new) > most:
            detail = f"the dataset would have {count + len(self.new):,} cases, and at most {most:,} are allowed"
            self.faults.append(RowFault(line=1, pointer="", detail=detail))

    def body(self, warnings: list[str]) -> dict[str, object]:
        """Return what is answered: nothing is done when anything is wrong."""
        counts = {"created": len(self.new), "updated": len(self.changed), "skipped": self.skipped}
        if self.faults:
            counts = dict.fromkeys(counts, 0)
        return {**counts, "errors": [asdict(fault) for fault in self.faults], "warnings": warnings}


def _planned(connection: Connection, found: Dataset, rows: Rows, on_conflict: OnConflict) -> _Plan:
    plan = _Plan(faults=list(rows.faults))
    known = store.ids_by_external_id(connection, found)
    before = {case.id: case for case in store.cases_at(connection, found.id, found.version)} if known else {}
    for line, draft in rows.drafts:
        case_id = None if draft.external_id is None else known.get(draft.external_id)
        if case_id is None:
            plan.new.append(draft)
        elif on_conflict == "fail":
            plan.conflicts += 1
            detail = f"the external_id {draft.external_id!r} is that of the case {case_id}"
            plan.faults.append(RowFault(line=line, pointer="/external_id", detail=detail))
        elif on_conflict == "skip" or (after := _updated(before[case_id], draft)) == before[case_id]:
            plan.skipped += 1
        else:
            plan.changed.append(after)
    return plan


def _updated(before: Case, draft: Case) -> Case:
    return replace(draft, id=before.id, created_at=before.created_at)


def _refused(plan: _Plan) -> Problem:
    """Return the answer when nothing was written: 409 when all that is wrong is that cases are there already."""
    first = plan.faults[0]
    more = f"; {len(plan.faults) - 1} more faults are listed" if len(plan.faults) > 1 else ""
    extra: Mapping[str, Any] = plan.body([])
    return Problem(
        409 if len(plan.faults) == plan.conflicts else 422,
        f"line {first.line}: {first.pointer and first.pointer + ': '}{first.detail}{more}",
        code="conflict" if len(plan.faults) == plan.conflicts else "invalid_rows",
        extra={name: value for name, value in extra.items() if name != "warnings"},
    )
