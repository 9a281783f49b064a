"""What all endpoints share: bodies and answers, pages, entity tags, and the tolerance for unknown fields."""

import base64
import binascii
import hashlib
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import Depends, Query, Request
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, WithJsonSchema, model_validator
from starlette.responses import Response

from audition.service.problems import Problem
from audition.store.service.database import utc
from audition.wire import storable, to_json

DEFAULT_LIMIT = 100
MOST = 500

STRICT: ContextVar[bool] = ContextVar("STRICT", default=False)
"""Whether the request says `Prefer: handling=strict` (RFC 7240): unknown fields are refused rather than ignored."""


def prefers_strict(prefer: str) -> bool:
    """Say whether a Prefer header asks to be told of unknown fields."""
    return any(
        "".join(one.split()).lower() in ("handling=strict", 'handling="strict"') for one in re.split("[,;]", prefer)
    )


class Body(BaseModel):
    """The body of a request: types are taken as written. Unknown fields are ignored, unless the client prefers not."""

    model_config = ConfigDict(extra="allow", strict=True, str_strip_whitespace=False, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _text_that_can_be_kept(cls, given: Any) -> Any:
        if not _is_storable(given):
            raise ValueError("text may hold neither the character U+0000 nor half of a surrogate pair")
        return given

    @model_validator(mode="after")
    def _known_fields_only(self) -> "Body":
        if STRICT.get() and self.model_extra:
            unknown = ", ".join(sorted(self.model_extra))
            raise ValueError(f"unknown fields: {unknown}")
        return self


def _is_storable(value: object) -> bool:
    if isinstance(value, str):
        return (value.isascii() and "\0" not in value) or storable(value) == value
    if isinstance(value, Mapping):
        return all(_is_storable(key) and _is_storable(inner) for key, inner in value.items())
    return not isinstance(value, list) or all(map(_is_storable, value))


def reply(body: object, status: int = 200, *, headers: Mapping[str, str] | None = None) -> Response:
    """Return data as it is sent: JSON on one line, keys in the order given."""
    return Response(to_json(body), status, headers=dict(headers or {}), media_type="application/json")


def created(body: object, location: str) -> Response:
    """Return what was made, and where it is to be found."""
    return reply(body, 201, headers={"Location": location})


def tagged(request: Request, body: object, *, version: object) -> Response:
    """Return a resource with its entity tag, or 304 when the client has it already. Source: RFC 9110, 8.8 and 13.1."""
    tag = etag(version)
    if tag in _tags(request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers={"ETag": tag})
    return reply(body, headers={"ETag": tag})


def etag(version: object) -> str:
    """Return the entity tag of a version; `version` is any data that changes whenever the resource does."""
    return f'"{hashlib.sha256(to_json(version).encode()).hexdigest()[:20]}"'


def insist_on_version(request: Request, version: object, *, required: bool = False) -> None:
    """Refuse a change of a resource that is no longer what the client has seen; `version` as it was for `etag`.

    Raises: Problem 412 when If-Match names other versions, 428 when it is required and missing.
    """
    given = request.headers.get("if-match")
    if given is None:
        if required:
            raise Problem(428, "this change needs If-Match with the ETag of what you have seen")
        return
    if given.strip() != "*" and etag(version) not in _tags(given):
        raise Problem(412, "it was changed in the meantime; get it again, then repeat the change on what it is now")


def _tags(header: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Which part of a list: `limit` items at most, those after the one whose id is `after` (0: from the start)."""

    limit: int
    after: int


def _read_cursor(cursor: object) -> int:
    try:
        after = int(base64.urlsafe_b64decode(str(cursor) + "=" * (-len(str(cursor)) % 4)))
    except (ValueError, binascii.Error):
        after = -1
    if not 0 <= after < 2**63:
        raise ValueError("this is no cursor; take it from the Link header of the page before")
    return after


_Cursor = Annotated[int, BeforeValidator(_read_cursor), WithJsonSchema({"type": "string"}, mode="validation")]


async def _page(  # async: for plain functions FastAPI fetches a thread each
    limit: Annotated[int, Query(ge=1, le=MOST, description="how many at most")] = DEFAULT_LIMIT,
    cursor: Annotated[_Cursor | None, Query(description="where to go on: from the page before's Link header")] = None,
) -> Page:
    return Page(limit=limit, after=cursor or 0)


Paged = Annotated[Page, Depends(_page)]
"""A parameter of endpoints that list something."""


def listed(request: Request, items: Sequence[Any], page: Page, *, total: int, last: int | None) -> Response:
    """Return a page as a bare array, with its totals and the way to the next in headers. Source: RFC 8288.

    `last` is the id of the last item, None when no further one exists.
    """
    headers = {"X-Total-Count": str(total)}
    if last is not None:
        others = [(key, value) for key, value in request.query_params.multi_items() if key not in ("cursor", "limit")]
        query = urlencode([*others, ("limit", page.limit), ("cursor", _cursor(last))])
        headers["Link"] = f'<{request.url.path}?{query}>; rel="next"'
    return reply(list(items), headers=headers)


def _cursor(last: int) -> str:
    return base64.urlsafe_b64encode(str(last).encode()).decode().rstrip("=")


_RFC_3339: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?")


def _moment(text: str) -> str:
    found = _RFC_3339.fullmatch(text)
    if found is None:
        raise ValueError("this is no time: write one like 2026-01-15T10:00:00Z (in a URL + is %2B)")
    if not found[2]:
        raise ValueError("this time has no zone: add an offset, as in 2026-01-15T10:00:00Z or …+02:00 (in a URL %2B)")
    try:
        return utc(datetime.fromisoformat(text.upper()))
    except (ValueError, OverflowError) as error:
        raise ValueError("there is no such time") from error


Moment = Annotated[
    str, AfterValidator(_moment), WithJsonSchema({"type": "string", "format": "date-time"}, mode="validation")
]
"""A time that a client gives, with its offset; it becomes UTC as the tables keep it. Source: RFC 3339."""


def seconds(moment: str) -> str:
    """Return a moment of the database as the API shows it: UTC, whole seconds. Source: evals REST API."""
    return moment[:19] + "Z"
