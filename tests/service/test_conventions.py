"""Bodies, pages, entity tags and times, as all endpoints have them."""

from collections.abc import Callable

import pytest
from fastapi import APIRouter, FastAPI, Request
from fastapi.testclient import TestClient
from starlette.responses import Response

from audition.service import problems
from audition.service.conventions import (
    STRICT,
    Body,
    Moment,
    Paged,
    etag,
    insist_on_version,
    listed,
    prefers_strict,
    reply,
    seconds,
    tagged,
)


class Inner(Body):
    """A part of a body."""

    text: str = ""


class Outer(Body):
    """A body with parts and with data of any shape."""

    inner: Inner | None = None
    data: dict[str, object] | None = None


@pytest.fixture
def client() -> TestClient:
    """Return a client of an app with one endpoint for each convention."""
    app, router = FastAPI(), APIRouter()
    problems.install(app)

    @router.post("/body")
    def take(body: Outer) -> Response:
        return reply({"data": body.data})

    @router.get("/moment")
    def at(since: Moment | None = None) -> Response:
        return reply(since)

    @router.get("/list")
    def numbers(request: Request, page: Paged) -> Response:
        found = [n for n in range(1, 8) if n > page.after][: page.limit]
        return listed(request, found, page, total=7, last=found[-1] if found and found[-1] < 7 else None)

    @router.get("/thing")
    def thing(request: Request) -> Response:
        return tagged(request, {"a": 1}, version=1)

    @router.patch("/thing")
    def change(request: Request, required: bool = False) -> Response:
        insist_on_version(request, 1, required=required)
        return reply({"a": 2})

    app.include_router(router)
    return TestClient(app)


@pytest.mark.parametrize(
    ("prefer", "is_strict"),
    [
        ("handling=strict", True),
        ('Handling = "strict"', True),
        ("wait=60, handling=strict", True),
        ("return=minimal; handling=strict", True),
        ("handling=lenient", False),
        ("mishandling=strict", False),
        ("", False),
    ],
)
def test_a_client_may_prefer_to_be_told_of_unknown_fields(prefer: str, is_strict: bool) -> None:
    assert prefers_strict(prefer) is is_strict


@pytest.mark.parametrize("body", [{"extra": 1}, {"inner": {"extra": 1}}], ids=["outside", "within"])
def test_unknown_fields_are_ignored_unless_the_client_prefers_otherwise(
    client: TestClient, body: dict[str, object]
) -> None:
    assert client.post("/body", json=body).status_code == 200
    token = STRICT.set(True)
    refused = client.post("/body", json=body)
    STRICT.reset(token)

    assert refused.status_code == 422
    assert "unknown fields: extra" in refused.json()["detail"]


@pytest.mark.parametrize(
    "text",
    [
        r'{"inner": {"text": "a\u0000"}}',
        r'{"data": {"a": ["\ud800"]}}',
        r'{"data": {"\udfff": 1}}',
        r'{"data": {"a": {"b": "\u0000"}}}',
    ],
    ids=["null", "half a pair", "in a key", "deep"],
)
def test_text_that_no_database_takes_is_refused(client: TestClient, text: str) -> None:
    answer = client.post("/body", content=text, headers={"Content-Type": "application/json"})

    assert answer.status_code == 422
    assert "U+0000" in answer.json()["detail"]


@pytest.mark.parametrize("text", ["a\\u0000", "😀", "é\n"], ids=["an escape", "outside the BMP", "accents"])
def test_other_text_comes_back_as_it_was(client: TestClient, text: str) -> None:
    assert client.post("/body", json={"data": {"a": text}}).json() == {"data": {"a": text}}


# case: langchain-ai/langsmith-sdk#2567
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("2026-01-15T10:00:00Z", "2026-01-15T10:00:00.000Z"),
        ("2026-01-15t10:00:00.5z", "2026-01-15T10:00:00.500Z"),
        ("2026-01-15T10:00:00+02:00", "2026-01-15T08:00:00.000Z"),
        ("2026-01-15T10:00:00-05:30", "2026-01-15T15:30:00.000Z"),
    ],
)
def test_a_time_with_an_offset_becomes_utc(client: TestClient, given: str, kept: str) -> None:
    assert client.get("/moment", params={"since": given}).json() == kept


# case: langchain-ai/langsmith-sdk#2567
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("2026-01-15T10:00:00", "add an offset"),
        ("2026-01-15", "this is no time"),
        ("1736899200", "this is no time"),
        ("2026-13-15T10:00:00Z", "there is no such time"),
        ("0001-01-01T00:00:00+10:00", "there is no such time"),
    ],
)
def test_a_time_without_an_offset_is_refused_and_says_what_is_missing(
    client: TestClient, given: str, told: str
) -> None:
    answer = client.get("/moment", params={"since": given})

    assert answer.status_code == 422
    assert told in answer.json()["detail"]


def test_pages_lead_to_the_end(client: TestClient) -> None:
    found, link = [], "/list?limit=3&q=a b"
    for _ in range(3):
        answer = client.get(link)
        found.append(answer.json())
        link = answer.links["next"]["url"] if "next" in answer.links else ""

    assert (found, link) == ([[1, 2, 3], [4, 5, 6], [7]], "")
    assert answer.headers["X-Total-Count"] == "7"


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "cursor=!!", "cursor=LTU", "cursor=eA"])
def test_a_page_that_is_none_is_refused(client: TestClient, query: str) -> None:
    assert client.get(f"/list?{query}").status_code == 422


def test_who_has_a_resource_already_gets_no_body(client: TestClient) -> None:
    tag = client.get("/thing").headers["ETag"]

    for given, status in ((tag, 304), (f'"x", W/{tag}', 304), ('"x"', 200)):
        assert client.get("/thing", headers={"If-None-Match": given}).status_code == status


@pytest.mark.parametrize(
    ("given", "required", "status"),
    [(None, False, 200), (None, True, 428), ('"old"', False, 412), (etag(1), True, 200), ("*", True, 200)],
    ids=["none", "none where it is required", "another", "the right one", "any"],
)
def test_a_change_is_refused_when_the_resource_is_another_now(
    client: TestClient, given: str | None, required: bool, status: int
) -> None:
    headers: dict[str, str] = {} if given is None else {"If-Match": given}

    assert client.patch("/thing", params={"required": required}, headers=headers).status_code == status


def test_moments_are_shown_to_the_second(client: TestClient) -> None:
    show: Callable[[str], str] = seconds

    assert show("2026-01-15T10:00:00.999Z") == "2026-01-15T10:00:00Z"
