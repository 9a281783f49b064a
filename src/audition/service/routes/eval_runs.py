"""Runs of all subjects, the newest first."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from audition.results import RunStatus
from audition.service.bodies import Label
from audition.service.context import Here, Reader
from audition.service.conventions import Moment, Paged, listed
from audition.service.openapi import answers
from audition.service.run_bodies import RunOut, listed_run_body
from audition.service.run_places import LISTED
from audition.store.service.database import Connection
from audition.store.service.run_views import Filter, latest_runs


class ListedRunOut(RunOut):
    """A run, and whose it is."""

    agent_id: int | None
    orchestrator_id: int | None
    label: str | None
    kind: Literal["evaluate", "retry", "resume", "rejudge"]
    parent_id: int | None
    planned: int
    created_by: str
    started_at: str | None
    finished_at: str | None


def routers() -> list[APIRouter]:
    """Return the router."""
    router = APIRouter(prefix="/api/v1/eval-runs", tags=["runs"])

    @router.get("", responses=answers(list[ListedRunOut], 401, 403, headers=LISTED))
    def list_all_runs(
        request: Request,
        here: Here,
        _reader: Reader,
        page: Paged,
        status: RunStatus | None = None,
        label: Label | None = None,
        since: Annotated[Moment | None, Query(description="only those created then or later")] = None,
    ) -> Response:
        """List runs of all agents and orchestrators."""
        wanted = Filter(status=status, label=label, since=since)

        def action(connection: Connection) -> tuple[list[dict[str, object]], int, int | None]:
            found, total = latest_runs(connection, wanted, before=page.after, limit=page.limit + 1)
            shown = found[: page.limit]
            return [listed_run_body(*one) for one in shown], total, shown[-1][0].id if len(found) > page.limit else None

        bodies, total, last = here.database.read(action)
        return listed(request, bodies, page, total=total, last=last)

    return [router]
