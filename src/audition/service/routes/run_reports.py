"""Runs as reports: for people, spreadsheets and continuous integration."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import StreamingResponse

from audition.reports import REPORTS
from audition.reports.html import policy
from audition.results import Run as ReportedRun
from audition.results import TrialResult
from audition.service.context import Here, Reader
from audition.service.openapi import Responses, answers
from audition.service.run_bodies import usage_from
from audition.service.run_places import Place, RunId, place_in, router_of
from audition.store.service.database import Connection, Database
from audition.store.service.linked_runs import is_selective
from audition.store.service.run_views import ResultLine, results_of, some_results
from audition.store.service.runs import Run
from audition.store.service.subjects import NOUNS, decode_subject
from audition.subjects import Family
from audition.wire import decode_result

ReportName = Literal["json", "md", "html", "junit", "csv"]

_KINDS: Final[Mapping[ReportName, tuple[str, str, str]]] = {
    "json": ("json", "application/json", "json"),
    "md": ("markdown", "text/markdown", "md"),
    "html": ("html", "text/html", "html"),
    "junit": ("junit", "application/xml", "xml"),
    "csv": ("csv", "text/csv", "csv"),
}
"""The report, the media type and the suffix of the file, by the name that clients give."""

_AT_ONCE = 200
_SELECTIVE = ("only what had failed was tried again, so the pass rate is too high",)


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    return [_router("agents"), _router("orchestrators")]


def _router(family: Family) -> APIRouter:
    router, find = router_of(family), place_in(family)

    @router.get("/{run_id}/report", response_class=StreamingResponse, responses=_responses())
    def get_report(
        here: Here,
        _reader: Reader,
        place: Annotated[Place, Depends(find)],
        run_id: RunId,
        format: Annotated[ReportName, Query(description="json, md, html, junit or csv")] = "json",
        verbose: Annotated[bool, Query(description="whether trials that passed are told in detail too")] = False,
    ) -> StreamingResponse:
        """Return a report of a run, with the results it has so far."""

        def action(connection: Connection) -> tuple[ReportedRun, int]:
            run, lines = place.run(connection, run_id), results_of(connection, run_id)
            warnings = _SELECTIVE if is_selective(connection, run) else ()
            return _reported(run, lines, warnings), max((line.id for line in lines), default=0)

        reported, up_to = here.database.read(action)
        name, media_type, suffix = _KINDS[format]
        results = _results(here.database, run_id, up_to=up_to)
        shown = "inline" if format in ("html", "json") else "attachment"
        headers = {"Content-Disposition": f'{shown}; filename="run-{run_id}.{suffix}"'}
        if format == "html":
            headers["Content-Security-Policy"] = f"{policy()}; frame-ancestors 'none'; sandbox"
        pieces = REPORTS.get(name).render(reported, results, verbose=verbose)
        return StreamingResponse(
            (piece.encode() for piece in pieces), headers=headers, media_type=f"{media_type}; charset=utf-8"
        )

    return router


def _responses() -> Responses:
    found = answers(None, 401, 403, 404)
    schema = {"schema": {"type": "string"}}
    found[200]["content"] = {media: schema for _, media, _ in _KINDS.values()} | {"application/json": {"schema": {}}}
    return found


def _results(database: Database, run_id: int, *, up_to: int) -> Iterator[TrialResult]:
    """Yield the results of a run in the order of their cases, a few held at a time."""
    after = (0, 0)
    while page := database.read(partial(some_results, run_id=run_id, after=after, up_to=up_to, limit=_AT_ONCE)):
        yield from (decode_result(one.document, row=f"result {one.line.id}") for one in page)
        after = (page[-1].line.case_id, page[-1].line.trial)


def _reported(run: Run, lines: list[ResultLine], warnings: tuple[str, ...]) -> ReportedRun:
    """Return a run in the words of reports; its counts are of trials."""
    subject = decode_subject(run.subject)
    verdicts = [line.verdict for line in lines]
    spent = _spent(run.usage)
    return ReportedRun(
        id=str(run.id) if run.label is None else f"{run.id} ({run.label})",
        started_at=run.started_at or run.created_at,
        agent=f"{NOUNS[subject.family]} {subject.id}: {subject.name}",
        status=run.status,
        judge=run.judge,
        passed=verdicts.count("pass"),
        failed=verdicts.count("fail"),
        errors=verdicts.count(None),
        total=run.planned,
        duration_ms=_milliseconds(run.started_at, run.finished_at),
        error=run.error_message,
        warnings=warnings,
        rescored_from=str(run.parent_id) if run.kind == "rejudge" else None,
        agent_usage=usage_from(spent.get("agent")),
        judge_usage=usage_from(spent.get("judge")),
    )


def _spent(kept: str | None) -> Mapping[str, Any]:
    found: Mapping[str, Any] = {} if kept is None else json.loads(kept)
    return found


def _milliseconds(began: str | None, ended: str | None) -> float:
    if began is None or ended is None:
        return 0.0
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds() * 1000)
