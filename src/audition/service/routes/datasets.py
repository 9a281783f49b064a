"""Datasets: named collections of cases for one subject. Source: evals REST API."""

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from audition.service.bodies import IfMatch, IfNoneMatch, PartOfName, id_in_path, said, subject_id_in_path
from audition.service.context import Editor, Here, Reader
from audition.service.conventions import Paged, etag, insist_on_version, listed, reply, tagged
from audition.service.dataset_bodies import (
    CloneIn,
    DatasetIn,
    DatasetOut,
    DatasetPatch,
    DatasetVersionOut,
    DiffOut,
    FindingOut,
    View,
    dataset_body,
    dataset_seen,
    full_case_body,
    full_dataset_body,
    patch_of_dataset,
    version_body,
)
from audition.service.linting import lint_cases, tool_names
from audition.service.openapi import answers
from audition.service.problems import Problem
from audition.store.service import audit
from audition.store.service import datasets as store
from audition.store.service.cases import Case, add_cases, case_in, cases_at
from audition.store.service.database import Connection
from audition.store.service.datasets import Dataset
from audition.store.service.people import Principal
from audition.store.service.runs import request_cancel
from audition.store.service.subjects import NOUNS, tree
from audition.subjects import Family, Subject

_TAG = {"ETag": "its version"}
_MADE = {"Location": "where it is to be found"}
_LISTED = {"X-Total-Count": "how many there are in all", "Link": "where the next page is"}


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    return [_router("agents"), _router("orchestrators")]


def _router(family: Family) -> APIRouter:
    router = APIRouter(prefix=f"/api/v1/{family}/{{{NOUNS[family]}_id}}/eval-datasets", tags=["datasets"])
    _add_listing(router, family)
    _add_single(router, family)
    _add_versions(router, family)
    _add_whole(router, family)
    return router


def _add_listing(router: APIRouter, family: Family) -> None:
    in_path = subject_id_in_path(family)

    @router.get("", responses=answers(list[DatasetOut], 401, 404, headers=_LISTED))
    def list_datasets(
        request: Request,
        here: Here,
        _reader: Reader,
        page: Paged,
        subject_id: int = in_path,
        q: PartOfName = None,
        view: View = None,
    ) -> Response:
        """List the datasets of a subject in the order of their ids."""

        def action(connection: Connection) -> tuple[list[dict[str, object]], int, int | None]:
            found, total = store.datasets(
                connection, family, subject_id, after=page.after, limit=page.limit + 1, named=q
            )
            shown = found[: page.limit]
            counts = store.case_counts(connection, shown) if view else {}
            bodies = [full_dataset_body(one, counts.get(one.id, 0)) if view else dataset_body(one) for one in shown]
            return bodies, total, shown[-1].id if len(found) > page.limit else None

        bodies, total, last = here.database.read(action)
        return listed(request, bodies, page, total=total, last=last)

    @router.post("", status_code=201, responses=answers(DatasetOut, 400, 401, 403, 404, 409, status=201, headers=_MADE))
    def create_dataset(
        request: Request, here: Here, editor: Editor, body: DatasetIn, subject_id: int = in_path
    ) -> Response:
        """Add a dataset without cases."""

        def action(connection: Connection) -> Dataset:
            made = store.create(connection, family, subject_id, **said(body))
            _record(connection, editor, request, "create", None, made)
            return made

        return _made(here.database.write(action))


def _add_single(router: APIRouter, family: Family) -> None:
    in_path, dataset_in_path = subject_id_in_path(family), id_in_path("dataset_id")

    @router.get("/{dataset_id}", responses=answers(DatasetOut, 304, 401, 404, headers=_TAG))
    def get_dataset(
        request: Request,
        here: Here,
        _reader: Reader,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        view: View = None,
        _if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Return a dataset."""

        def action(connection: Connection) -> tuple[Dataset, dict[str, object]]:
            found = store.dataset(connection, family, subject_id, dataset_id)
            return found, full_dataset_body(found, store.case_count(connection, found)) if view else dataset_body(found)

        found, body = here.database.read(action)
        return tagged(request, body, version=dataset_seen(found))

    @router.patch("/{dataset_id}", responses=answers(DatasetOut, 400, 401, 403, 404, 409, 412, 428, headers=_TAG))
    def patch_dataset(
        request: Request,
        here: Here,
        editor: Editor,
        body: DatasetPatch,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        view: View = None,
        _if_match: IfMatch = None,
    ) -> Response:
        """Change what a dataset says of itself, by a merge patch (RFC 7396); its cases stay as they are."""

        def action(connection: Connection) -> tuple[Dataset, int]:
            before = store.dataset(connection, family, subject_id, dataset_id, to_change=True)
            insist_on_version(request, dataset_seen(before), required=True)
            patch = patch_of_dataset(body)
            after = store.change(connection, before, patch) if patch else before
            _record(connection, editor, request, "update", before, after)
            return after, store.case_count(connection, after)

        after, count = here.database.write(action)
        shown = full_dataset_body(after, count) if view else dataset_body(after)
        return reply(shown, headers={"ETag": etag(dataset_seen(after))})

    @router.delete("/{dataset_id}", status_code=204, responses=answers(None, 401, 403, 404, 409, 412, status=204))
    def delete_dataset(
        request: Request,
        here: Here,
        editor: Editor,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        _if_match: IfMatch = None,
    ) -> Response:
        """Delete a dataset; its unfinished runs are cancelled."""

        def action(connection: Connection) -> None:
            before = store.dataset(connection, family, subject_id, dataset_id, to_change=True)
            insist_on_version(request, dataset_seen(before))
            for run_id in store.unfinished_runs(connection, [dataset_id]):
                request_cancel(connection, run_id, by=editor.email)
            store.delete(connection, before)
            _record(connection, editor, request, "delete", before, None)

        here.database.write(action)
        return Response(status_code=204)


def _add_versions(router: APIRouter, family: Family) -> None:
    in_path, dataset_in_path = subject_id_in_path(family), id_in_path("dataset_id")
    number_in_path = id_in_path("number")

    @router.get("/{dataset_id}/versions", responses=answers(list[DatasetVersionOut], 401, 404, headers=_LISTED))
    def list_dataset_versions(
        request: Request,
        here: Here,
        _reader: Reader,
        page: Paged,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
    ) -> Response:
        """List the versions of a dataset's cases, the oldest first."""

        def action(connection: Connection) -> tuple[Dataset, list[store.DatasetVersion]]:
            found = store.dataset(connection, family, subject_id, dataset_id)
            return found, store.versions(connection, found, after=page.after, limit=page.limit)

        found, versions = here.database.read(action)
        last = versions[-1].version if versions and versions[-1].version < found.version else None
        return listed(request, [version_body(one) for one in versions], page, total=found.version, last=last)

    @router.get("/{dataset_id}/versions/{number}", responses=answers(DatasetVersionOut, 401, 404))
    def get_dataset_version(
        here: Here,
        _reader: Reader,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        number: int = number_in_path,
    ) -> Response:
        """Return one version of a dataset: how many cases it has, and how many differ from the version before."""

        def action(connection: Connection) -> store.DatasetVersion:
            found = store.dataset(connection, family, subject_id, dataset_id)
            return store.version(connection, found, number)

        return reply(version_body(here.database.read(action)))

    @router.get("/{dataset_id}/versions/{number}/diff", responses=answers(DiffOut, 401, 404))
    def get_dataset_diff(
        here: Here,
        _reader: Reader,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
        number: int = number_in_path,
    ) -> Response:
        """Return how the cases of a version differ from those of the version before."""

        def action(connection: Connection) -> dict[str, object]:
            found = store.dataset(connection, family, subject_id, dataset_id)
            return _diff(connection, found, store.version(connection, found, number))

        return reply(here.database.read(action))


def _add_whole(router: APIRouter, family: Family) -> None:
    in_path, dataset_in_path = subject_id_in_path(family), id_in_path("dataset_id")

    @router.post(
        "/{dataset_id}/clone",
        status_code=201,
        responses=answers(DatasetOut, 400, 401, 403, 404, 409, status=201, headers=_MADE),
    )
    def clone_dataset(
        request: Request,
        here: Here,
        editor: Editor,
        body: CloneIn,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
    ) -> Response:
        """Copy a dataset with its cases, to the same subject or to another of either family."""
        if body.agent_id is not None and body.orchestrator_id is not None:
            raise Problem(422, "/orchestrator_id: a dataset has one subject; give agent_id or orchestrator_id")

        def action(connection: Connection) -> Dataset:
            source = store.dataset(connection, family, subject_id, dataset_id)
            made = _clone(connection, source, body, most=here.settings.service.max_cases)
            _record(connection, editor, request, "clone", source, made)
            return made

        return _made(here.database.write(action))

    @router.post("/{dataset_id}/lint", responses=answers(list[FindingOut], 401, 403, 404))
    def lint_dataset(
        here: Here,
        _editor: Editor,
        subject_id: int = in_path,
        dataset_id: int = dataset_in_path,
    ) -> Response:
        """Return what is wrong with the criteria of a dataset's cases; nothing is changed."""

        def action(connection: Connection) -> tuple[Subject, list[Case]]:
            found = store.dataset(connection, family, subject_id, dataset_id)
            return tree(connection, family, subject_id), cases_at(connection, found.id, found.version)

        subject, cases = here.database.read(action)
        return reply(lint_cases(here.settings, cases, tool_names(subject)))


def _diff(connection: Connection, found: Dataset, version: store.DatasetVersion) -> dict[str, object]:
    number = version.version

    def shown(case_id: int, at: int) -> dict[str, object]:
        return full_case_body(found.id, case_in(connection, found, case_id, version=at))

    return {
        "version": number,
        "added": [shown(case_id, number) for case_id in version.added],
        "changed": [
            {"before": shown(case_id, number - 1), "after": shown(case_id, number)} for case_id in version.changed
        ],
        "removed": [shown(case_id, number - 1) for case_id in version.removed],
    }


def _clone(connection: Connection, source: Dataset, body: CloneIn, *, most: int) -> Dataset:
    version = store.version(connection, source, body.version).version if body.version else source.version
    family, subject_id = source.family, source.subject_id
    if body.agent_id is not None:
        family, subject_id = "agents", body.agent_id
    elif body.orchestrator_id is not None:
        family, subject_id = "orchestrators", body.orchestrator_id
    made = store.create(
        connection,
        family,
        subject_id,
        body.name or source.name,
        description=source.description,
        tags=source.tags,
        external_id=source.external_id,
    )
    cases = cases_at(connection, source.id, version)
    add_cases(connection, made, [replace(case, id=0) for case in cases], most=most)
    return store.dataset(connection, family, subject_id, made.id)


def _made(made: Dataset) -> Response:
    place = f"/api/v1/{made.family}/{made.subject_id}/eval-datasets/{made.id}"
    return reply(dataset_body(made), 201, headers={"Location": place, "ETag": etag(dataset_seen(made))})


def _record(
    connection: Connection,
    editor: Principal,
    request: Request,
    verb: str,
    before: Dataset | None,
    after: Dataset | None,
) -> None:
    one = after or before
    assert one is not None
    audit.record(
        connection,
        editor,
        action=f"dataset.{verb}",
        resource_kind="dataset",
        resource_id=one.id,
        before=None if before is None else _told(before),
        after=None if after is None else _told(after),
        request_id=request.state.request_id,
    )


def _told(one: Dataset) -> dict[str, object]:
    return {
        **dataset_body(one),
        "description": one.description,
        "tags": one.tags,
        "external_id": one.external_id,
        "version": one.version,
    }
