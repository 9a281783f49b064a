"""What happens in a run, as it happens. Source: HTML, server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from audition.errors import AuditionError
from audition.service.bodies import MOST
from audition.service.context import Here, Reader, Service
from audition.service.openapi import Responses, answers
from audition.service.problems import Problem
from audition.service.run_places import Place, RunId, place_in, router_of
from audition.service.run_watching import AT_ONCE, Batch, Seats, stream
from audition.store.service.database import Connection
from audition.store.service.runs import events_after
from audition.subjects import Family


def routers() -> list[APIRouter]:
    """Return the routers of both families."""
    seats = Seats(most=500, most_each=50)
    return [_router(family, seats) for family in ("agents", "orchestrators")]


def _router(family: Family, seats: Seats) -> APIRouter:
    router, find = router_of(family), place_in(family)

    @router.get(
        "/{run_id}/events",
        response_class=_Stream,
        status_code=200,
        responses=_responses(),
    )
    async def watch_run(
        request: Request,
        here: Here,
        reader: Reader,
        place: Annotated[Place, Depends(find)],
        run_id: RunId,
        last: Annotated[str | None, Header(alias="Last-Event-ID", description="the last event you have")] = None,
        last_event_id: Annotated[int | None, Query(ge=0, le=MOST, description="as the header Last-Event-ID")] = None,
    ) -> StreamingResponse:
        """Stream what happened in a run after an event (by default from the beginning) and what happens, to its end."""
        after = _number(last) if last else last_event_id or 0

        def look(after: int) -> Batch:
            def action(connection: Connection) -> Batch:
                state = place.state_of(connection, run_id)  # first: then no event comes after an end that is seen
                return Batch(events_after(connection, run_id, after, limit=AT_ONCE), state.is_final)

            return here.database.read(action)

        async def read(after: int) -> Batch:
            return await run_in_threadpool(look, after)

        await read(MOST)  # a run that is not there is told before the stream begins
        seats.take(reader.member_id)
        events = stream(read, after, may_listen=lambda: _may_listen(request, here))
        return _Stream(events, seats=seats, member_id=reader.member_id)

    return router


def _responses() -> Responses:
    found = answers(None, 401, 403, 404)
    names = {name: {"type": "string"} for name in ("id", "event", "data")}
    schema = {"type": "object", "properties": names, "description": "an event; `data` is JSON"}
    example = 'id: 7\nevent: run.progress\ndata: {"done":1,"of":2}\n\n'
    found[200]["content"] = {"text/event-stream": {"schema": schema, "example": example}}
    return found


class _Stream(StreamingResponse):
    """A stream that gives its seat back when it ends, however that comes."""

    media_type = "text/event-stream"

    def __init__(self, events: AsyncIterator[bytes], *, seats: Seats, member_id: int) -> None:
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        super().__init__(events, headers=headers)
        self._seats, self._member_id = seats, member_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._seats.leave(self._member_id)


async def _may_listen(request: Request, here: Service) -> bool:
    token = request.headers.get("authorization", "").partition(" ")[2].strip()
    try:
        return await run_in_threadpool(here.known.find, token, here.database) is not None
    except AuditionError:
        return False


def _number(last: str) -> int:
    if not (last.isascii() and last.isdigit() and int(last[:30]) <= MOST):
        raise Problem(422, "header.Last-Event-ID: this is the id of no event")
    return int(last)
