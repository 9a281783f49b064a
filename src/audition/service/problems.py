"""What is answered when something cannot be done: problem details with stable codes. Source: RFC 9457."""

import logging
from collections.abc import Mapping, MutableMapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Match, Route

from audition.errors import (
    AuditionError,
    Conflict,
    LoadError,
    MissingExtra,
    NotFound,
    PlanError,
    SettingsError,
    StoreError,
    UnknownName,
)
from audition.wire import to_json

MEDIA_TYPE = "application/problem+json"

_log = logging.getLogger(__name__)

CODES: Mapping[int, str] = {
    400: "bad_request",
    401: "not_authenticated",
    403: "not_allowed",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    408: "too_slow",
    409: "conflict",
    412: "precondition_failed",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    428: "precondition_required",
    429: "too_many_requests",
    500: "our_fault",
    503: "unavailable",
    507: "storage_full",
}
"""The code that goes with a status where nothing more exact is known."""

_TITLES: Mapping[int, str] = {413: "Content Too Large", 422: "Unprocessable Content"}
"""Where Python's own phrases differ by version. Source: RFC 9110."""

_STATUS_OF: Sequence[tuple[type[AuditionError], int]] = (
    (NotFound, 404),
    (Conflict, 409),
    (UnknownName, 404),
    (LoadError, 422),
    (PlanError, 422),
    (SettingsError, 400),
    (MissingExtra, 500),
    (StoreError, 503),
)
"""Source: architecture, section 9."""

Detail = Mapping[str, str]
"""One thing wrong with a body: `pointer` is a JSON pointer into it (RFC 6901), `detail` says what."""


class Problem(Exception):  # the word of RFC 9457
    """What is raised wherever a request cannot be carried out.

    `detail` is a sentence for the person who reads it, `code` a stable word for programs, by default that of the
    status. `headers` go with the answer; `extra` are members of the body beside those of the RFC.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        code: str | None = None,
        errors: Sequence[Detail] = (),
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.code = status, detail, code or CODES.get(status, "error")
        self.errors, self.headers, self.extra = tuple(errors), dict(headers or {}), dict(extra or {})


def not_found(noun: str) -> Problem:
    """Return the answer for what does not exist, is deleted, or belongs to somebody else: all alike."""
    return Problem(404, f"there is no such {noun}")


def install(app: FastAPI) -> None:
    """Have an app answer all its errors as problems."""
    app.add_exception_handler(Problem, _on_problem)
    app.add_exception_handler(AuditionError, _on_error)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(HTTPException, _on_http)
    app.add_exception_handler(Exception, _on_fault)


def as_response(problem: Problem, path: str, request_id: str) -> Response:
    """Return a problem as it is sent."""
    body: dict[str, object] = {
        "type": f"urn:audition:problem:{problem.code}",
        "title": title(problem.status),
        "status": problem.status,
        "detail": problem.detail,
        "instance": path,
        "code": problem.code,
    }
    if problem.errors:
        body["errors"] = list(problem.errors)
    body |= {**problem.extra, "request_id": request_id}
    return Response(to_json(body), problem.status, headers=problem.headers, media_type=MEDIA_TYPE)


def title(status: int) -> str:
    """Return the words that go with a status."""
    return _TITLES.get(status) or HTTPStatus(status).phrase


def problem_of(error: AuditionError) -> Problem:
    """Return one of audition's own errors as a problem."""
    status = next((status for kind, status in _STATUS_OF if isinstance(error, kind)), 500)
    if isinstance(error, StoreError) and "disk is full" in error.message:
        status = 507
    if status in (500, 503, 507):  # where the database is, is nobody's business but the operator's
        _log.error("%s", error)
        return Problem(status, "the service's database cannot be used now" if status != 500 else error.message)
    return Problem(status, f"{error.message}; {error.hint}" if error.hint else error.message)


def _answer(request: Request, problem: Problem) -> Response:
    return as_response(problem, request.url.path, getattr(request.state, "request_id", ""))


async def _on_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    return _answer(request, error)


async def _on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, AuditionError)
    return _answer(request, problem_of(error))


async def _on_invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        {"pointer": _pointer(one["loc"]), "detail": str(one["msg"]).removeprefix("Value error, ")}
        for one in error.errors()
    ]
    first = errors[0] if errors else {"pointer": "", "detail": "invalid"}
    return _answer(request, Problem(422, f"{first['pointer'] or 'the body'}: {first['detail']}", errors=errors))


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = ", ".join(methods_at(request.app.routes, request.scope))
        return _answer(request, Problem(405, f"this path takes {allowed}", headers={"Allow": allowed}))
    detail = "there is nothing at this path" if error.status_code == 404 else str(error.detail)
    return _answer(request, Problem(error.status_code, detail, headers=error.headers))


def methods_at(routes: Sequence[BaseRoute], scope: MutableMapping[str, Any]) -> list[str]:
    """Return the methods that the path of a request takes, sorted; none when there is nothing at it."""
    found = [route for route in routes if isinstance(route, Route) and route.matches(scope)[0] != Match.NONE]
    methods = {method for route in found for method in route.methods or ()}
    return sorted(methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())) if found else []


async def _on_fault(request: Request, error: Exception) -> Response:
    _log.error("%s %s broke", request.method, request.url.path, exc_info=error)
    return _answer(request, Problem(500, "audition made a mistake; the log of the service says more"))


def _pointer(place: Sequence[object]) -> str:
    """Return where something stands: a JSON pointer into the body, or the name of a parameter."""
    kind, *steps = place or ("body",)
    escaped = [str(step).replace("~", "~0").replace("/", "~1") for step in steps]
    return "".join(f"/{step}" for step in escaped) if kind == "body" else ".".join([str(kind), *map(str, steps)])
