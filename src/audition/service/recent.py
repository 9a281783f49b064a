"""Answers that nothing changes any more, sent again without a look at the database for as long as they may be."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import Response


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A body as it is sent, and its entity tag. `lasts`: it never changes any more, though it may be deleted."""

    body: bytes
    tag: str
    lasts: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer and the route that gave it."""

    page: Page
    route: Any
    until: float


class Recent:
    """The answers of the last moment by their paths. Belongs to one event loop.

    What a client deletes through this process is gone at once, by `forget`; what is deleted elsewhere, after `KEPT_S`.
    """

    KEPT_S = 1.0
    _MOST, _LARGEST = 100, 200_000

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._kept, self._forgotten = clock, dict[str, Kept](), 0

    def get(self, path: str) -> Kept | None:
        """Return what was answered at a path a moment ago; None: ask the database."""
        kept = self._kept.get(path)
        return kept if kept is not None and self._clock() < kept.until else None

    def noting(self, path: str, route: Any) -> Callable[[Page], None]:
        """Return what keeps an answer that is read from now on: one that was read before a change must not be kept."""
        until, before = self._clock() + self.KEPT_S, self._forgotten

        def note(page: Page) -> None:
            if page.lasts and len(page.body) <= self._LARGEST and before == self._forgotten:
                if len(self._kept) >= self._MOST:
                    self._kept.clear()
                self._kept[path] = Kept(page, route, until)

        return note

    def forget(self) -> None:
        """Forget all: to be called after a change is committed, before its client is answered."""
        self._forgotten += 1
        self._kept.clear()


def sent(headers: Headers, page: Page) -> Response:
    """Return a page as the answer to a request, 304 when the client has it. Source: RFC 9110, 8.8 and 13.1."""
    told = {"ETag": page.tag}
    if page.tag in tags_in(headers):
        return Response(status_code=304, headers=told)
    return Response(page.body, headers=told, media_type="application/json")


def tags_in(headers: Headers) -> set[str]:
    """Return the entity tags of what the client has."""
    given = headers.get("if-none-match")
    return {tag.strip().removeprefix("W/") for tag in given.split(",")} if given else set()
