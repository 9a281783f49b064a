"""Agents and orchestrators: what datasets try out."""

from collections.abc import Mapping
from typing import Any, Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from audition.errors import Conflict
from audition.service.bodies import (
    IfMatch,
    IfNoneMatch,
    PartOfName,
    given,
    id_in_path,
    patched,
    refuse,
    said,
    subject_id_in_path,
)
from audition.service.context import Editor, Here, Reader, Service
from audition.service.conventions import Paged, etag, insist_on_version, listed, reply, tagged
from audition.service.openapi import answers
from audition.service.subject_bodies import (
    EMPTY,
    AgentIn,
    AgentOut,
    AgentPatch,
    OrchestratorIn,
    OrchestratorOut,
    OrchestratorPatch,
    SubOrchestratorsIn,
    VersionOut,
    checked,
    children_of,
    document_of,
    fields_of,
    subject_body,
    version_body,
)
from audition.store.service import audit
from audition.store.service import subjects as store
from audition.store.service.database import Connection
from audition.store.service.datasets import unfinished_runs_of
from audition.store.service.people import Principal
from audition.store.service.runs import request_cancel
from audition.store.service.subjects import NOUNS, StoredSubject
from audition.subjects import Family

_OUT: Final[Mapping[Family, Any]] = {"agents": AgentOut, "orchestrators": OrchestratorOut}
_LIST_OUT: Final[Mapping[Family, Any]] = {"agents": list[AgentOut], "orchestrators": list[OrchestratorOut]}
_CHILD_FIELDS: Final[Mapping[Family, str]] = {"orchestrators": "sub_orchestrators", "agents": "agents"}
_TAG = {"ETag": "its version"}
_MADE = {"Location": "where it is to be found"} | _TAG
_LISTED = {"X-Total-Count": "how many there are in all", "Link": "where the next page is"}


def routers() -> list[APIRouter]:
    """Return the routers of both families, and what only one of them has."""
    return [_router("agents"), _router("orchestrators"), _agents(), _orchestrators()]


def _router(family: Family) -> APIRouter:
    router = APIRouter(prefix=f"/api/v1/{family}", tags=[family])
    in_path = subject_id_in_path(family)
    one = f"/{{{NOUNS[family]}_id}}"

    @router.get("", responses=answers(_LIST_OUT[family], 401, headers=_LISTED))
    def list_subjects(
        request: Request,
        here: Here,
        _reader: Reader,
        page: Paged,
        q: PartOfName = None,
    ) -> Response:
        """List them in the order of their ids."""
        found, total = here.database.read(
            lambda connection: store.subjects(connection, family, after=page.after, limit=page.limit + 1, named=q)
        )
        shown = found[: page.limit]
        last = shown[-1].id if len(found) > page.limit else None
        return listed(request, [subject_body(subject) for subject in shown], page, total=total, last=last)

    @router.get(one, responses=answers(_OUT[family], 304, 401, 404, headers=_TAG))
    def get_subject(
        request: Request,
        here: Here,
        _reader: Reader,
        subject_id: int = in_path,
        _if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Return one as it is now."""
        found = here.database.read(lambda connection: store.subject(connection, family, subject_id))
        return tagged(request, subject_body(found), version=_seen(found))

    @router.delete(one, status_code=204, responses=answers(None, 401, 403, 404, 409, 412, status=204))
    def delete_subject(
        request: Request,
        here: Here,
        editor: Editor,
        subject_id: int = in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Delete one that is below no orchestrator; its unfinished runs are cancelled."""

        def action(connection: Connection) -> None:
            before = store.subject(connection, family, subject_id, to_change=True)
            insist_on_version(request, _seen(before))
            store.delete(connection, before)
            for run_id in unfinished_runs_of(connection, family, subject_id):
                request_cancel(connection, run_id, by=editor.email)
            _record(connection, editor, request, "delete", before, None)

        here.database.write(action)
        return Response(status_code=204)

    _add_versions(router, family)
    return router


def _add_versions(router: APIRouter, family: Family) -> None:
    in_path, number_in_path = subject_id_in_path(family), id_in_path("number")
    versions = f"/{{{NOUNS[family]}_id}}/versions"

    @router.get(versions, responses=answers(list[VersionOut], 401, 404, headers=_LISTED))
    def list_versions(
        request: Request, here: Here, _reader: Reader, page: Paged, subject_id: int = in_path
    ) -> Response:
        """List all that it has been, the oldest first."""

        def action(connection: Connection) -> tuple[list[store.SubjectVersion], int]:
            store.subject(connection, family, subject_id)
            return store.versions(connection, family, subject_id, after=page.after, limit=page.limit + 1)

        found, total = here.database.read(action)
        shown = found[: page.limit]
        last = shown[-1].version if len(found) > page.limit else None
        return listed(request, [version_body(family, version) for version in shown], page, total=total, last=last)

    @router.get(f"{versions}/{{number}}", responses=answers(VersionOut, 401, 404))
    def get_version(here: Here, _reader: Reader, subject_id: int = in_path, number: int = number_in_path) -> Response:
        """Return what it was in one version."""

        def action(connection: Connection) -> store.SubjectVersion:
            store.subject(connection, family, subject_id)
            return store.version(connection, family, subject_id, number)

        return reply(version_body(family, here.database.read(action)))

    @router.post(
        f"{versions}/{{number}}/restore", responses=answers(_OUT[family], 401, 403, 404, 409, 412, headers=_TAG)
    )
    def restore_version(
        request: Request,
        here: Here,
        editor: Editor,
        subject_id: int = in_path,
        number: int = number_in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Have it be again what it was in one version; that makes a new version."""

        def action(connection: Connection) -> StoredSubject:
            before = store.subject(connection, family, subject_id, to_change=True)
            insist_on_version(request, _seen(before))
            old = store.version(connection, family, subject_id, number)
            if faults := _faults_of_children(connection, family, subject_id, old.document):
                raise Conflict(f"version {number} cannot be restored: {faults[0][1]}")
            after = store.change(connection, before, old.name, old.document, by=editor.email)
            _record(connection, editor, request, "restore", before, after)
            return after

        return _changed(here.database.write(action))


def _agents() -> APIRouter:
    router = APIRouter(prefix="/api/v1/agents", tags=["agents"])
    in_path = subject_id_in_path("agents")

    @router.post("", status_code=201, responses=answers(AgentOut, 400, 401, 403, 409, status=201, headers=_MADE))
    def create_agent(request: Request, here: Here, editor: Editor, body: AgentIn) -> Response:
        """Add an agent."""
        return _create(request, here, editor, "agents", said(body))

    @router.patch("/{agent_id}", responses=answers(AgentOut, 400, 401, 403, 404, 409, 412, 428, headers=_TAG))
    def patch_agent(
        request: Request,
        here: Here,
        editor: Editor,
        body: AgentPatch,
        subject_id: int = in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Change an agent by a merge patch (RFC 7396); each change makes a version."""
        return _patch(request, here, editor, "agents", subject_id, given(body))

    return router


def _orchestrators() -> APIRouter:
    router = APIRouter(prefix="/api/v1/orchestrators", tags=["orchestrators"])
    in_path = subject_id_in_path("orchestrators")
    changed = answers(OrchestratorOut, 400, 401, 403, 404, 409, 412, 428, headers=_TAG)

    @router.post("", status_code=201, responses=answers(OrchestratorOut, 400, 401, 403, 409, status=201, headers=_MADE))
    def create_orchestrator(request: Request, here: Here, editor: Editor, body: OrchestratorIn) -> Response:
        """Add an orchestrator with what is below it."""
        return _create(request, here, editor, "orchestrators", said(body))

    @router.patch("/{orchestrator_id}", responses=changed)
    def patch_orchestrator(
        request: Request,
        here: Here,
        editor: Editor,
        body: OrchestratorPatch,
        subject_id: int = in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Change an orchestrator by a merge patch (RFC 7396); each change makes a version."""
        return _patch(request, here, editor, "orchestrators", subject_id, given(body))

    @router.put("/{orchestrator_id}/sub-orchestrators", responses=changed)
    def put_sub_orchestrators(
        request: Request,
        here: Here,
        editor: Editor,
        body: SubOrchestratorsIn,
        subject_id: int = in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Say which orchestrators are below one, all of them."""
        return _patch(request, here, editor, "orchestrators", subject_id, said(body))

    return router


def _create(request: Request, here: Service, editor: Principal, family: Family, fields: Mapping[str, Any]) -> Response:
    whole = checked(here.settings, {**fields_of(family, None), **fields}, None)
    document = document_of(family, whole)

    def action(connection: Connection) -> StoredSubject:
        refuse(_faults_of_children(connection, family, None, document))
        made = store.create(connection, family, whole["name"], document, by=editor.email)
        _record(connection, editor, request, "create", None, made)
        return made

    made = here.database.write(action)
    headers = {"Location": f"/api/v1/{family}/{made.id}", "ETag": etag(_seen(made))}
    return reply(subject_body(made), 201, headers=headers)


def _patch(
    request: Request, here: Service, editor: Principal, family: Family, subject_id: int, patch: Mapping[str, Any]
) -> Response:
    def action(connection: Connection) -> StoredSubject:
        before = store.subject(connection, family, subject_id, to_change=True)
        insist_on_version(request, _seen(before), required=True)
        fields = checked(here.settings, patched(fields_of(family, before), patch, EMPTY), before)
        document = document_of(family, fields)
        refuse(_faults_of_children(connection, family, subject_id, document))
        after = store.change(connection, before, fields["name"], document, by=editor.email)
        if after is not before:
            _record(connection, editor, request, "update", before, after)
        return after

    return _changed(here.database.write(action))


def _faults_of_children(
    connection: Connection, family: Family, subject_id: int | None, document: Mapping[str, Any]
) -> list[tuple[str, str]]:
    if family == "agents":
        return []
    found = store.faults_of_children(connection, subject_id, children_of(document))
    return [(f"/{_CHILD_FIELDS[kind]}/{index}", message) for kind, index, message in found]


def _changed(after: StoredSubject) -> Response:
    return reply(subject_body(after), headers={"ETag": etag(_seen(after))})


def _seen(one: StoredSubject) -> list[object]:
    """Return what differs whenever a subject does."""
    return [one.family, one.id, one.version]


def _record(
    connection: Connection,
    editor: Principal,
    request: Request,
    verb: str,
    before: StoredSubject | None,
    after: StoredSubject | None,
) -> None:
    one = after or before
    assert one is not None
    noun = NOUNS[one.family]
    audit.record(
        connection,
        editor,
        action=f"{noun}.{verb}",
        resource_kind=noun,
        resource_id=one.id,
        before=None if before is None else subject_body(before),
        after=None if after is None else subject_body(after),
        request_id=request.state.request_id,
    )
