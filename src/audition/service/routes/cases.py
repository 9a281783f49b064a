"""Cases: what a dataset asks of its subject, and what a good response does. Source: evals REST API."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from audition.service.bodies import MOST, IfMatch, IfNoneMatch, id_in_path, refuse, subject_id_in_path
from audition.service.context import Editor, Here, Reader
from audition.service.conventions import STRICT, Paged, etag, insist_on_version, listed, reply, tagged
from audition.service.dataset_bodies import (
    BatchIn,
    CaseOut,
    CasePatch,
    CheckedOut,
    NewCaseIn,
    View,
    case_body,
    case_seen,
    draft_of,
    faults_of_case,
    full_case_body,
    patched_case,
)
from audition.service.linting import insist_on_passable, lint_case, tool_names
from audition.service.openapi import answers
from audition.settings import Settings
from audition.store.service import audit
from audition.store.service import cases as store
from audition.store.service.cases import Case
from audition.store.service.database import Connection
from audition.store.service.datasets import Dataset, dataset, version
from audition.store.service.people import Principal
from audition.store.service.subjects import NOUNS, tree
from audition.subjects import Family

_TAG = {"ETag": "its version"}
_MADE = {"Location": "where it is to be found"}
_LISTED = {"X-Total-Count": "how many there are in all", "Link": "where the next page is"}
_Version = Annotated[int | None, Query(ge=1, le=MOST, description="as this version of the dataset has it")]


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    return [_router("agents"), _router("orchestrators")]


def _router(family: Family) -> APIRouter:
    prefix = f"/api/v1/{family}/{{{NOUNS[family]}_id}}/eval-datasets/{{dataset_id}}/cases"
    router = APIRouter(prefix=prefix, tags=["cases"])
    _add_reading(router, family)
    _add_creating(router, family)
    _add_changing(router, family)
    return router


def _add_reading(router: APIRouter, family: Family) -> None:
    in_path, dataset_in_path, case_in_path = subject_id_in_path(family), id_in_path("dataset_id"), id_in_path("case_id")

    @router.get("", responses=answers(list[CaseOut], 401, 404, headers=_LISTED))
    def list_cases(
        request: Request,
        here: Here,
        _reader: Reader,
        page: Paged,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        at: Annotated[_Version, Query(alias="version")] = None,
        tag: Annotated[str | None, Query(max_length=200, description="only those with this tag")] = None,
        view: View = None,
    ) -> Response:
        """List the cases of a dataset in the order of their ids."""

        def action(connection: Connection) -> tuple[list[Case], int]:
            found = dataset(connection, family, subject_id, dataset_id)
            number = version(connection, found, at).version if at else found.version
            return store.page_of_cases(connection, found.id, number, after=page.after, limit=page.limit + 1, tag=tag)

        found, total = here.database.read(action)
        shown = found[: page.limit]
        last = shown[-1].id if len(found) > page.limit else None
        body = full_case_body if view else case_body
        return listed(request, [body(dataset_id, case) for case in shown], page, total=total, last=last)

    @router.get("/{case_id}", responses=answers(CaseOut, 304, 401, 404, headers=_TAG))
    def get_case(
        request: Request,
        here: Here,
        _reader: Reader,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        case_id: int = case_in_path,
        at: Annotated[_Version, Query(alias="version")] = None,
        view: View = None,
        _if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Return a case."""

        def action(connection: Connection) -> Case:
            found = dataset(connection, family, subject_id, dataset_id)
            number = version(connection, found, at).version if at else None
            return store.case_in(connection, found, case_id, version=number)

        found = here.database.read(action)
        body = full_case_body if view else case_body
        return tagged(request, body(dataset_id, found), version=case_seen(dataset_id, found))


def _add_creating(router: APIRouter, family: Family) -> None:
    in_path, dataset_in_path = subject_id_in_path(family), id_in_path("dataset_id")

    @router.post(
        "",
        status_code=201,
        responses=answers(CaseOut, 400, 401, 403, 404, 409, status=201, headers=_MADE) | answers(CheckedOut),
    )
    def create_case(
        request: Request,
        here: Here,
        editor: Editor,
        body: NewCaseIn,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        view: View = None,
    ) -> Response:
        """Add a case, which makes a version of the dataset; with `validate_only`, only say what lint finds: 200."""
        draft = draft_of(body)
        refuse(faults_of_case(draft))

        def action(connection: Connection) -> tuple[Case, list[dict[str, object]]]:
            found = dataset(connection, family, subject_id, dataset_id, to_change=True)
            linted = view is not None or body.validate_only
            (findings,) = _lint(connection, here.settings, found, {"": draft}, wanted=linted)
            if body.validate_only:
                return draft, findings
            (made,) = store.add_cases(connection, found, [draft], most=here.settings.service.max_cases)
            _record(connection, editor, request, "create", made.id, None, full_case_body(found.id, made))
            return made, findings

        made, findings = here.database.write(action)
        if body.validate_only:
            return reply({"valid": True, "lint": findings})
        headers = {"Location": f"{request.url.path.rstrip('/')}/{made.id}", "ETag": etag(case_seen(dataset_id, made))}
        return reply(_body(dataset_id, made, findings, view=view), 201, headers=headers)

    @router.post("/batch", status_code=201, responses=answers(list[CaseOut], 400, 401, 403, 404, 409, status=201))
    def create_cases(
        request: Request,
        here: Here,
        editor: Editor,
        body: BatchIn,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        view: View = None,
    ) -> Response:
        """Add up to 500 cases, all of them or none; they make one version of the dataset."""
        drafts = [draft_of(one) for one in body.cases]
        refuse([fault for index, one in enumerate(drafts) for fault in faults_of_case(one, f"/cases/{index}")])

        def action(connection: Connection) -> list[tuple[Case, list[dict[str, object]]]]:
            found = dataset(connection, family, subject_id, dataset_id, to_change=True)
            places = {f"/cases/{index}": draft for index, draft in enumerate(drafts)}
            findings = _lint(connection, here.settings, found, places, wanted=view is not None)
            made = store.add_cases(connection, found, drafts, most=here.settings.service.max_cases)
            told = {"case_ids": [case.id for case in made], "dataset_version": found.version + 1}
            _record(connection, editor, request, "create_many", found.id, None, told, kind="dataset")
            return [*zip(made, findings, strict=True)]

        made = here.database.write(action)
        return reply([_body(dataset_id, case, findings, view=view) for case, findings in made], 201)


def _add_changing(router: APIRouter, family: Family) -> None:
    in_path, dataset_in_path, case_in_path = subject_id_in_path(family), id_in_path("dataset_id"), id_in_path("case_id")

    @router.patch("/{case_id}", responses=answers(CaseOut, 400, 401, 403, 404, 409, 412, 428, headers=_TAG))
    def patch_case(
        request: Request,
        here: Here,
        editor: Editor,
        body: CasePatch,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        case_id: int = case_in_path,
        view: View = None,
        _if_match: IfMatch = None,
    ) -> Response:
        """Change a case by a merge patch (RFC 7396): it keeps its id, and the dataset gets a version."""

        def action(connection: Connection) -> tuple[Case, list[dict[str, object]]]:
            found = dataset(connection, family, subject_id, dataset_id, to_change=True)
            before = store.case_in(connection, found, case_id)
            insist_on_version(request, case_seen(dataset_id, before))
            after = patched_case(before, body)
            refuse(faults_of_case(after))
            (findings,) = _lint(connection, here.settings, found, {"": after}, wanted=view is not None)
            if after != before:
                store.change_case(connection, found, after)
                told = (full_case_body(dataset_id, before), full_case_body(dataset_id, after))
                _record(connection, editor, request, "update", case_id, *told)
            return after, findings

        after, findings = here.database.write(action)
        headers = {"ETag": etag(case_seen(dataset_id, after))}
        return reply(_body(dataset_id, after, findings, view=view), headers=headers)

    @router.delete("/{case_id}", status_code=204, responses=answers(None, 401, 403, 404, 409, 412, status=204))
    def delete_case(
        request: Request,
        here: Here,
        editor: Editor,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        case_id: int = case_in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Take a case out of a dataset, from a new version on; runs that began keep it."""

        def action(connection: Connection) -> None:
            found = dataset(connection, family, subject_id, dataset_id, to_change=True)
            before = store.case_in(connection, found, case_id)
            insist_on_version(request, case_seen(dataset_id, before))
            store.remove_case(connection, found, case_id)
            _record(connection, editor, request, "delete", case_id, full_case_body(dataset_id, before), None)

        here.database.write(action)
        return Response(status_code=204)


def _lint(
    connection: Connection, settings: Settings, found: Dataset, cases: Mapping[str, Case], *, wanted: bool
) -> list[list[dict[str, object]]]:
    """Return what lint says of each case, by its place in the body, when somebody wants to know; else nothing of each.

    Raises: Problem 422 when no response can pass one, and the client asks to be told of everything.
    """
    if not wanted and not STRICT.get():
        return [[] for _ in cases]
    names = tool_names(tree(connection, found.family, found.subject_id))
    findings = [lint_case(settings, case, names) for case in cases.values()]
    insist_on_passable(dict(zip(cases, findings, strict=True)))
    return findings


def _body(dataset_id: int, case: Case, findings: list[dict[str, object]], *, view: str | None) -> dict[str, object]:
    return {**full_case_body(dataset_id, case), "lint": findings} if view else case_body(dataset_id, case)


def _record(
    connection: Connection,
    editor: Principal,
    request: Request,
    verb: str,
    resource_id: int,
    before: Mapping[str, object] | None,
    after: Mapping[str, object] | None,
    *,
    kind: str = "case",
) -> None:
    audit.record(
        connection,
        editor,
        action=f"case.{verb}",
        resource_kind=kind,
        resource_id=resource_id,
        before=before,
        after=after,
        request_id=request.state.request_id,
    )
