"""The audit log: who changed what and when."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from audition.service.context import Administrator, Here
from audition.service.conventions import Moment, Paged, listed, reply
from audition.service.openapi import answers
from audition.store.service import audit
from audition.store.service.audit import Entry, Filter
from audition.wire import to_json

_ROUTER = APIRouter(prefix="/api/v1/audit-log", tags=["audit-log"])

JSON_LINES = "application/jsonl"


def routers() -> list[APIRouter]:
    """Return the routers of these endpoints."""
    return [_ROUTER]


class EntryOut(BaseModel):
    """Something that somebody did."""

    id: int
    created_at: str
    actor_kind: Literal["member", "token", "system"]
    actor: str = Field(description="an address; that of an API token with # and its id")
    role: str | None
    action: str
    resource_kind: str
    resource_id: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    request_id: str
    previous_hash: str = Field(description="the hash of the entry before; empty for the first")
    hash: str = Field(description="SHA-256 over the entry and previous_hash")


class CheckOut(BaseModel):
    """Whether the log is as it was written."""

    intact: bool
    first_broken_id: int | None = Field(description="the first entry that was changed, or follows one that is missing")


_Text = Annotated[str | None, Query(max_length=300)]
_LISTED = answers(list[EntryOut], 401, 403)
_LISTED[200]["content"] = {JSON_LINES: {"schema": {"type": "string"}}}


@_ROUTER.get("", responses=_LISTED)
def list_entries(
    here: Here,
    request: Request,
    page: Paged,
    _: Administrator,
    actor: _Text = None,
    action: _Text = None,
    resource_kind: _Text = None,
    resource_id: _Text = None,
    since: Annotated[Moment | None, Query(description="from then on")] = None,
    until: Annotated[Moment | None, Query(description="before then")] = None,
    format: Annotated[Literal["json", "jsonl"], Query(description="jsonl: one entry a line")] = "json",
) -> Response:
    """Return what was done, the oldest first."""
    wanted = Filter(
        actor=actor,
        action=action,
        resource_kind=resource_kind,
        resource_id=resource_id,
        since=since,
        until=until,
    )
    found, total = here.database.read(
        lambda connection: audit.entries(connection, wanted, after=page.after, limit=page.limit + 1)
    )
    shown = found[: page.limit]
    last = shown[-1].id if len(found) > page.limit else None
    answer = listed(request, [_out(entry) for entry in shown], page, total=total, last=last)
    if format == "json":
        return answer
    lines = "".join(to_json(_out(entry)) + "\n" for entry in shown)
    headers = {name: value for name, value in answer.headers.items() if name in ("link", "x-total-count")}
    return Response(lines, headers=headers, media_type=JSON_LINES)


@_ROUTER.get("/check", responses=answers(CheckOut, 401, 403))
def check_log(here: Here, _: Administrator) -> Response:
    """Say whether the entries are as they were written: each vouches for those before it."""
    broken = here.database.read(audit.verify)
    return reply({"intact": broken is None, "first_broken_id": broken})


def _out(entry: Entry) -> dict[str, object]:
    return asdict(entry)  # the time as exact as it is kept: the hash covers it
