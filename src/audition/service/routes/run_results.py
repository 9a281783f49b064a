"""The results of runs with everything in them, page by page; and the conversation behind each."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from audition.reports.json import eval_data
from audition.service.context import Here, Reader
from audition.service.conventions import Paged, listed, reply, seconds
from audition.service.openapi import answers
from audition.service.run_bodies import FullResultOut
from audition.service.run_pages import cases_of, full_results
from audition.service.run_places import LISTED, Place, ResultId, RunId, place_in, router_of
from audition.store.service.database import Connection, utc
from audition.store.service.run_views import WholeResult, result_in
from audition.store.service.trials import Outcome
from audition.subjects import Family
from audition.wire import decode_result


class TraceOut(BaseModel):
    """The conversation of a trial: what was said, which tools were called with what result, and what it took."""

    result_id: int
    run_id: int
    case_id: int
    trial: int
    turns: list[dict[str, Any]]
    outcome: list[dict[str, Any]]
    trouble: dict[str, Any] | None
    usage: dict[str, Any]
    duration_ms: float
    started_at: str


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    return [_router("agents"), _router("orchestrators")]


def _router(family: Family) -> APIRouter:
    router, find = router_of(family), place_in(family)

    @router.get("/{run_id}/results", responses=answers(list[FullResultOut], 401, 403, 404, headers=LISTED))
    def list_results(
        request: Request,
        here: Here,
        _reader: Reader,
        place: Annotated[Place, Depends(find)],
        run_id: RunId,
        page: Paged,
        outcome: Annotated[Outcome | None, Query(description="only those with it")] = None,
    ) -> Response:
        """List the results of a run in the order of the cases, each with its clauses and trials."""

        def action(connection: Connection) -> tuple[list[dict[str, object]], int, int | None]:
            cases = cases_of(connection, place.run(connection, run_id))
            fitting = [case for case in cases if outcome in (None, case.outcome)]
            left = [case for case in fitting if case.case_id > page.after]
            shown = left[: page.limit]
            last = shown[-1].case_id if len(left) > page.limit else None
            return full_results(connection, run_id, shown), len(fitting), last

        bodies, total, last = here.database.read(action)
        return listed(request, bodies, page, total=total, last=last)

    @router.get("/{run_id}/results/{result_id}/trace", responses=answers(TraceOut, 401, 403, 404))
    def get_trace(
        here: Here, _reader: Reader, place: Annotated[Place, Depends(find)], run_id: RunId, result_id: ResultId
    ) -> Response:
        """Return the conversation behind the result of a trial."""

        def action(connection: Connection) -> WholeResult:
            return result_in(connection, place.run(connection, run_id).id, result_id)

        return reply(_trace(run_id, here.database.read(action)))

    return router


def _trace(run_id: int, one: WholeResult) -> dict[str, object]:
    result = decode_result(one.document, row=f"result {one.line.id}")
    data = eval_data(result)
    return {
        "result_id": one.line.id,
        "run_id": run_id,
        "case_id": one.line.case_id,
        "trial": one.line.trial,
        "turns": data["turns"],
        "outcome": data["outcome"],
        "trouble": data.get("trouble"),
        "usage": data["usage"],
        "duration_ms": data["duration_ms"],
        "started_at": _moment(result.started_at),
    }


def _moment(started_at: str) -> str:
    """Return when a trial began, as the API shows times; results keep it with an offset, or empty for not known."""
    return seconds(utc(datetime.fromisoformat(started_at))) if started_at else started_at
