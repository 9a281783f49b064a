"""Answering those who ask for a run, by far the most frequent question: at once, or when the run has changed."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from audition.errors import NotFound
from audition.service.bodies import MOST
from audition.service.context import Service, bearer, insist_on_scope, service_of, who_asks
from audition.service.problems import Problem
from audition.service.recent import Page, sent, tags_in
from audition.service.run_pages import Pages, full
from audition.service.run_places import Place
from audition.service.run_watching import Seats, until
from audition.store.service.database import Connection
from audition.store.service.people import Principal
from audition.store.service.run_views import RunState
from audition.store.service.subjects import NOUNS
from audition.subjects import Family


class Watching:
    """Answers with a run, and has clients wait for one that has changed, as many as there are seats."""

    def __init__(self, pages: Pages, seats: Seats) -> None:
        self._pages, self._seats = pages, seats

    async def answer(
        self,
        request: Request,
        here: Service,
        place: Place,
        run_id: int,
        *,
        view: str | None,
        wait_s: int,
        reader: Principal,
    ) -> Response:
        """Return a run as it is, after `wait_s` seconds at most."""
        show = partial(full, here=here) if view == "full" else self._pages.plain

        async def read() -> Page:
            return await run_in_threadpool(here.database.read, partial(show, place=place, run_id=run_id))

        async def look() -> RunState:
            return await run_in_threadpool(here.database.read, partial(place.state_of, run_id=run_id))

        if not wait_s:
            return sent(request.headers, await read())
        known = tags_in(request.headers)
        if not known or (await read()).tag in known:
            await self._wait(request, look, wait_s=wait_s, reader=reader, for_any=bool(known))
        answer = sent(request.headers, await read())
        answer.headers["Preference-Applied"] = "wait"
        return answer

    async def _wait(
        self,
        request: Request,
        look: Callable[[], Awaitable[RunState]],
        *,
        wait_s: int,
        reader: Principal,
        for_any: bool,
    ) -> None:
        """Wait until a run is at its end, or `for_any` change."""
        try:
            self._seats.take(reader.member_id)
        except Problem:  # a preference may be passed over (RFC 7240)
            return
        try:
            before = await look()
            await until(
                look,
                lambda state: state.is_final or (for_any and state != before),
                wait_s=wait_s,
                has_left=request.is_disconnected,
            )
        finally:
            self._seats.leave(reader.member_id)


class Together:
    """Answers the plain question, those that come at the same time by one visit to the database. For one event loop.

    Each answer is read after its question came.
    """

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._waiting: list[_Asked] = []
        self._turn = asyncio.Lock()

    async def page(self, here: Service, place: Place, run_id: int) -> Page:
        """Return a run with the seed's keys. Raises: NotFound."""
        asked = _Asked(place, run_id)
        self._waiting.append(asked)
        async with self._turn:  # whoever has it reads for all that wait; they find their answers when it is their turn
            if not asked.is_read:
                others = [one for one in self._waiting if one is not asked]
                self._waiting = []
                await run_in_threadpool(here.database.read, partial(self._read, several=[asked, *others]))
        if asked.missing is not None:
            raise asked.missing
        if asked.found is not None:
            return asked.found
        show = partial(self._pages.plain, place=place, run_id=run_id)
        return await run_in_threadpool(here.database.read, show)

    def _read(self, connection: Connection, several: Sequence["_Asked"]) -> None:
        known: dict[tuple[Place, int], Page | NotFound | None] = {}
        for one in several:
            key = (one.place, one.run_id)
            if key not in known:
                known[key] = self._found(connection, *key)
            found = known[key]
            one.found, one.missing = (None, found) if isinstance(found, NotFound) else (found, None)
            one.is_read = True

    def _found(self, connection: Connection, place: Place, run_id: int) -> Page | NotFound | None:
        try:
            return self._pages.kept(connection, place, run_id)
        except NotFound as missing:
            return missing


@dataclass(slots=True, eq=False)
class _Asked:
    """A question, and what was found: the answer, that nothing is there, or neither when it has yet to be made."""

    place: Place
    run_id: int
    is_read: bool = False
    found: Page | None = None
    missing: NotFound | None = None


def quick_route(family: Family, pages: Pages) -> type[APIRoute]:
    """Return a route that answers the plain question itself, and leaves all others to FastAPI.

    Taking a request apart costs FastAPI several times what the answer costs.
    """
    names = (f"{NOUNS[family]}_id", "dataset_id", "run_id")
    together = Together(pages)

    class QuickRoute(APIRoute):
        """The route of one run."""

        def get_route_handler(self) -> Callable[[Request], Any]:
            """Return what answers a request."""
            by_fastapi = super().get_route_handler()

            async def handle(request: Request) -> Response:
                ids = [_id(request.path_params[name]) for name in names]
                if request.scope["query_string"] or "prefer" in request.headers or 0 in ids:
                    answer: Response = await by_fastapi(request)
                    return answer
                here = await service_of(request)
                insist_on_scope(await who_asks(request, here, bearer(request.headers)), "read")
                place = Place(family=family, subject_id=ids[0], dataset_id=ids[1])
                note = here.recent.noting(request.scope["path"], request.scope["route"])
                page = await together.page(here, place, ids[2])
                note(page)
                return sent(request.headers, page)

            return handle

    return QuickRoute


def _id(text: str) -> int:
    """Return an id from a path, 0 for what is none."""
    is_whole = text.isascii() and text.isdigit() and len(text) < 20
    return int(text) if is_whole and int(text) <= MOST else 0
