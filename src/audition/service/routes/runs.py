"""Runs: a candidate tried on the cases of a dataset. Source: evals REST API."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Query, Request
from starlette.responses import Response

from audition.results import RunStatus
from audition.service.bodies import IfNoneMatch, Label
from audition.service.context import Editor, Here, Reader, Service
from audition.service.conventions import Moment, Paged, created, listed, reply
from audition.service.dataset_bodies import View
from audition.service.openapi import answers
from audition.service.run_bodies import FullRunOut, RunOut, RunWithResultsOut, run_body
from audition.service.run_creation import RunIn, audited, cases_of, choose, create
from audition.service.run_estimates import EstimateOut, estimate
from audition.service.run_pages import Pages
from audition.service.run_places import LISTED, MADE, TAG, Place, RunId, place_in, router_of
from audition.service.run_reading import Watching, quick_route
from audition.service.run_watching import Seats, wait_of
from audition.store.service import audit
from audition.store.service.database import Connection
from audition.store.service.datasets import dataset
from audition.store.service.linked_runs import forget
from audition.store.service.run_views import Filter, line_of, past_runs, runs_of
from audition.store.service.subjects import tree
from audition.subjects import Family

_SHA = r"^[0-9a-f]{64}$"


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    pages, seats = Pages(), Seats(most=500, most_each=100)
    return [_router(family, pages, seats) for family in ("agents", "orchestrators")]


def _router(family: Family, pages: Pages, seats: Seats) -> APIRouter:
    router = router_of(family)
    _add_listing(router, family)
    _add_creating(router, family)
    _add_reading(router, family, pages, seats)
    _add_deleting(router, family)
    return router


def _add_listing(router: APIRouter, family: Family) -> None:
    find = place_in(family)

    @router.get("", responses=answers(list[RunOut], 401, 403, 404, headers=LISTED))
    def list_runs(
        request: Request,
        here: Here,
        _reader: Reader,
        place: Annotated[Place, Depends(find)],
        page: Paged,
        status: RunStatus | None = None,
        label: Label | None = None,
        since: Annotated[Moment | None, Query(description="only those created then or later")] = None,
        prompt_sha: Annotated[
            str | None, Query(pattern=_SHA, description="only those of the candidate with this SHA-256")
        ] = None,
    ) -> Response:
        """List the runs of a dataset in the order of their ids, without results."""
        wanted = Filter(status=status, label=label, since=since, prompt_sha=prompt_sha)

        def action(connection: Connection) -> tuple[list[dict[str, object]], int, int | None]:
            dataset(connection, family, place.subject_id, place.dataset_id)
            found, total = runs_of(connection, place.dataset_id, wanted, after=page.after, limit=page.limit + 1)
            shown = found[: page.limit]
            return [run_body(one) for one in shown], total, shown[-1].id if len(found) > page.limit else None

        bodies, total, last = here.database.read(action)
        return listed(request, bodies, page, total=total, last=last)


def _add_creating(router: APIRouter, family: Family) -> None:
    find = place_in(family)
    responses = answers(RunOut, 401, 403, 404, 409, status=201, headers=MADE)
    responses[200] = {"description": "What the run would take; nothing was begun", "model": EstimateOut}

    @router.post("", status_code=201, responses=responses)
    def create_run(
        request: Request, here: Here, editor: Editor, place: Annotated[Place, Depends(find)], body: RunIn
    ) -> Response:
        """Have a candidate tried on a dataset; a worker does it. With `validate_only`, say what that would take."""
        if body.validate_only:
            return reply(_estimated(here, place, body))

        def action(connection: Connection) -> dict[str, object]:
            chosen = dataset(connection, family, place.subject_id, place.dataset_id)
            choice = choose(connection, here, chosen, body)
            run_id = create(connection, here, choice, body, by=editor)
            audit.record(
                connection,
                editor,
                action="create",
                resource_kind="run",
                resource_id=run_id,
                after=audited(choice, body),
                request_id=request.state.request_id,
            )
            return run_body(line_of(connection, run_id))

        made = here.database.write(action)
        return created(made, place.path_of(int(str(made["id"]))))


def _estimated(here: Service, place: Place, body: RunIn) -> dict[str, object]:
    def action(connection: Connection) -> tuple[Any, ...]:
        chosen = dataset(connection, place.family, place.subject_id, place.dataset_id)
        choice = choose(connection, here, chosen, body)
        whole = tree(connection, place.family, place.subject_id)
        return choice, cases_of(connection, choice), whole, past_runs(connection, chosen.id)

    choice, cases, whole, past = here.database.read(action)
    return estimate(here.settings, choice, cases, whole, past)


def _add_reading(router: APIRouter, family: Family, pages: Pages, seats: Seats) -> None:
    find = place_in(family)
    watching = Watching(pages, seats)

    async def get_run(
        request: Request,
        here: Here,
        reader: Reader,
        place: Annotated[Place, Depends(find)],
        run_id: RunId,
        view: View = None,
        prefer: Annotated[str | None, Header(description="wait=SECONDS, up to 60: for a change, or the end")] = None,
        _if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Return a run with the results it has so far."""
        wait_s = wait_of(prefer) if prefer else 0
        return await watching.answer(request, here, place, run_id, view=view, wait_s=wait_s, reader=reader)

    router.add_api_route(
        "/{run_id}",
        get_run,
        methods=["GET"],
        responses=answers(RunWithResultsOut | FullRunOut, 304, 401, 403, 404, headers=TAG),
        route_class_override=quick_route(family, pages),
    )


def _add_deleting(router: APIRouter, family: Family) -> None:
    find = place_in(family)

    @router.delete("/{run_id}", status_code=204, responses=answers(None, 401, 403, 404, 409, status=204))
    def delete_run(
        request: Request, here: Here, editor: Editor, place: Annotated[Place, Depends(find)], run_id: RunId
    ) -> Response:
        """Delete a run that is at its end, with its results."""

        def action(connection: Connection) -> None:
            run = place.run(connection, run_id)
            forget(connection, run)
            audit.record(
                connection,
                editor,
                action="delete",
                resource_kind="run",
                resource_id=run_id,
                before=run_body(run),
                request_id=request.state.request_id,
            )

        here.database.write(action)
        return Response(status_code=204)
