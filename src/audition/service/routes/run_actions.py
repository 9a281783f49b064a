"""What can be done with runs: end them, and go on from them in new ones."""

from collections.abc import Callable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import Response

from audition.service.context import Editor, Here, Service
from audition.service.conventions import Body, created, reply
from audition.service.openapi import answers
from audition.service.run_bodies import RunLinkedOut, RunOut, linked_run_body, run_body
from audition.service.run_creation import Model, Votes, insist_on_room, with_judge
from audition.service.run_places import MADE, Place, RunId, place_in, router_of
from audition.store.service import audit
from audition.store.service.database import Connection
from audition.store.service.linked_runs import Scope, rejudge, resume, retry
from audition.store.service.people import Principal
from audition.store.service.runs import Run, request_cancel, run_at
from audition.subjects import Family

_AGAIN = answers(RunLinkedOut, 401, 403, 404, 409, status=201, headers=MADE)


class RetryIn(Body):
    """Which results are to be done again: those without a verdict, also those that failed, or all."""

    scope: Scope = Field(default="errors", description="what is not in it is taken over from the run")


class RejudgeIn(Body):
    """Who is to judge; what is left out stays as it was."""

    judge: Model | None = None
    judge_votes: Votes | None = None


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    return [_router("agents"), _router("orchestrators")]


def _router(family: Family) -> APIRouter:
    router = router_of(family)
    _add_cancel(router, family)
    _add_again(router, family)
    _add_rejudge(router, family)
    return router


def _add_cancel(router: APIRouter, family: Family) -> None:
    find = place_in(family)

    @router.post("/{run_id}/cancel", status_code=202, responses=answers(RunOut, 401, 403, 404, status=202))
    def cancel_run(
        request: Request, here: Here, editor: Editor, place: Annotated[Place, Depends(find)], run_id: RunId
    ) -> Response:
        """End a run as soon as can be; what it has is kept. A run at its end stays as it is."""

        def action(connection: Connection) -> dict[str, object]:
            before = place.run(connection, run_id)
            request_cancel(connection, run_id, by=editor.email)
            after = run_at(connection, run_id)
            if (before.status, before.cancelled) != (after.status, after.cancelled):
                _record(connection, editor, request, "cancel", after, before=before)
            return run_body(after)

        return reply(here.database.write(action), 202)


def _add_again(router: APIRouter, family: Family) -> None:
    find = place_in(family)

    @router.post("/{run_id}/retry", status_code=201, responses=_AGAIN)
    def retry_run(
        request: Request,
        here: Here,
        editor: Editor,
        place: Annotated[Place, Depends(find)],
        run_id: RunId,
        body: RetryIn | None = None,
    ) -> Response:
        """Do results of a run again, in a new run that takes over the others."""
        scope = (body or RetryIn()).scope

        def begin(connection: Connection, parent: Run) -> int:
            return retry(connection, parent, scope, by=editor.email)

        return _linked(request, here, editor, place, run_id, begin)

    @router.post("/{run_id}/resume", status_code=201, responses=_AGAIN)
    def resume_run(
        request: Request, here: Here, editor: Editor, place: Annotated[Place, Depends(find)], run_id: RunId
    ) -> Response:
        """Go on with a run that failed or was cancelled, in a new run that takes over all results with a verdict."""

        def begin(connection: Connection, parent: Run) -> int:
            return resume(connection, parent, by=editor.email)

        return _linked(request, here, editor, place, run_id, begin)


def _add_rejudge(router: APIRouter, family: Family) -> None:
    find = place_in(family)

    @router.post("/{run_id}/rejudge", status_code=201, responses=_AGAIN)
    def rejudge_run(
        request: Request,
        here: Here,
        editor: Editor,
        place: Annotated[Place, Depends(find)],
        run_id: RunId,
        body: RejudgeIn | None = None,
    ) -> Response:
        """Have the conversations of a run judged again, in a new run; no agent is asked."""
        wanted = body or RejudgeIn()

        def begin(connection: Connection, parent: Run) -> int:
            options = with_judge(here.settings, parent.options, wanted.judge, wanted.judge_votes)
            judge = wanted.judge or parent.judge or here.settings.judge_model
            return rejudge(connection, parent, options, judge=judge, by=editor.email)

        return _linked(request, here, editor, place, run_id, begin)


def _linked(
    request: Request,
    here: Service,
    editor: Principal,
    place: Place,
    run_id: int,
    begin: Callable[[Connection, Run], int],
) -> Response:
    """Keep a run that goes on from another, have it enqueued, and return it."""

    def action(connection: Connection) -> dict[str, object]:
        parent = place.run(connection, run_id)
        insist_on_room(connection, here, editor)
        made = run_at(connection, begin(connection, parent))
        here.runs.enqueue(connection, made.id)
        _record(connection, editor, request, made.kind, made)
        return linked_run_body(made)

    made = here.database.write(action)
    return created(made, place.path_of(int(str(made["id"]))))


def _record(
    connection: Connection, editor: Principal, request: Request, action: str, run: Run, *, before: Run | None = None
) -> None:
    audit.record(
        connection,
        editor,
        action=action,
        resource_kind="run",
        resource_id=run.id,
        before=None if before is None else {"status": before.status, "cancelled": before.cancelled},
        after={"status": run.status, "cancelled": run.cancelled, "kind": run.kind, "parent_id": run.parent_id},
        request_id=request.state.request_id,
    )
