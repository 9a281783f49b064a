"""What those who run the service ask it: whether it lives, is ready, what it counts, and what it offers."""

from typing import Literal

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from audition.errors import StoreError
from audition.service import metrics
from audition.service.context import Here, Service
from audition.service.conventions import reply
from audition.service.docs_page import docs_page
from audition.service.openapi import answers
from audition.store.service import overview
from audition.store.service.database import Connection

_ROUTER = APIRouter(tags=["operations"])


def routers() -> list[APIRouter]:
    """Return the routers of these endpoints."""
    return [_ROUTER]


class LiveOut(BaseModel):
    """The process lives."""

    status: Literal["ok"]


class ReadyOut(BaseModel):
    """Whether requests can be answered, and runs carried out."""

    status: Literal["ready", "not_ready"]
    database: Literal["ok", "unavailable"]
    judge: Literal["configured", "missing"] = Field(description="missing: runs fail with that reason")
    workers: int = Field(description="how many workers are alive; runs wait while there are none")


@_ROUTER.get("/healthz", responses=answers(LiveOut))
async def is_alive() -> Response:
    """Say that the process lives."""
    return reply({"status": "ok"})


@_ROUTER.get("/readyz", responses=answers(ReadyOut) | {503: {"model": ReadyOut, "description": "Not ready"}})
def is_ready(here: Here) -> Response:
    """Say whether requests can be answered; 503 when not."""
    judge = "configured" if here.settings.judge_model else "missing"
    try:
        workers = here.database.read(lambda connection: overview.workers_alive(connection, here.database.now_s))
    except StoreError:
        return reply({"status": "not_ready", "database": "unavailable", "judge": judge, "workers": 0}, 503)
    return reply({"status": "ready", "database": "ok", "judge": judge, "workers": workers})


@_ROUTER.get("/metrics", response_class=Response, responses=answers(None, media_type="text/plain"))
def get_metrics(here: Here) -> Response:
    """Return what is counted, for Prometheus."""
    counted = here.metrics.lately(lambda: here.database.read(lambda connection: _counted(here, connection)))
    return Response(here.metrics.render(counted), media_type=metrics.MEDIA_TYPE)


def _counted(here: Service, connection: Connection) -> metrics.Found:
    return overview.counts(connection), overview.workers_alive(connection, here.database.now_s)


@_ROUTER.get("/openapi.json", include_in_schema=False)
async def get_openapi(request: Request) -> Response:
    """Return the OpenAPI document."""
    return reply(request.app.openapi())


@_ROUTER.get("/docs", include_in_schema=False)
async def get_docs(request: Request) -> Response:
    """Return a page with all endpoints."""
    page, headers = docs_page(request.app.openapi())
    return Response(page, headers=headers, media_type="text/html")
