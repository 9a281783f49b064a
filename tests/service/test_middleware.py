"""What happens to every request: ids, limits, headers, methods, the log and the counts."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.responses import StreamingResponse

from audition.service.app import create_app
from audition.service.context import Service


@pytest.fixture
def app(service: Service) -> FastAPI:
    """Return the service's app with an endpoint that breaks and one that never ends."""
    small = replace(service.settings, service=replace(service.settings.service, max_body_bytes=1000))
    app = create_app(replace(service, settings=small))

    @app.get("/broken")
    def broken() -> None:
        raise RuntimeError("out of luck")

    @app.get("/endless")
    async def endless() -> StreamingResponse:
        async def forever() -> Iterator[bytes]:  # type: ignore[misc]
            while True:
                yield b"tick\n"

        return StreamingResponse(forever())

    return app


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    """Return a client without a token."""
    return TestClient(app, raise_server_exceptions=False)


@pytest.mark.parametrize("given", ["abc-1", "A.b:c_9", "x" * 128])
def test_a_request_keeps_an_id_that_is_sane(client: TestClient, given: str) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"] == given


@pytest.mark.parametrize("given", ["", "a b", "x" * 129, "<script>", "é".encode()])
def test_any_other_id_is_replaced(client: TestClient, given: str | bytes) -> None:
    found = client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"]

    assert len(found) == 16


@pytest.mark.parametrize("path", ["/healthz", "/nothing", "/broken", "/api/v1/members", "/docs"])
def test_every_answer_has_an_id_and_the_headers_that_protect_browsers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["X-Request-ID"]


def test_a_fault_of_ours_tells_nothing_but_the_id_of_the_request(client: TestClient) -> None:
    answer = client.get("/broken")

    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert answer.json()["request_id"] == answer.headers["X-Request-ID"]
    assert "luck" not in answer.text


@pytest.mark.parametrize(
    ("path", "kept"),
    [("/api/v1/auth/me", "no-store"), ("/api/v1/api-tokens", "no-store"), ("/api/v1/agents", "private, no-cache")],
)
def test_answers_with_secrets_are_kept_nowhere(client: TestClient, path: str, kept: str) -> None:
    assert client.get(path).headers["Cache-Control"] == kept


@pytest.mark.parametrize(
    "content",
    [b"x" * 1001, (b"x" * 100 for _ in range(11))],
    ids=["with its length", "chunked"],
)
def test_a_body_that_is_too_large_is_refused(client: TestClient, content: bytes) -> None:
    answer = client.post("/api/v1/auth/login", content=content)

    assert answer.status_code == 413
    assert answer.json()["code"] == "too_large"
    assert "1000 bytes" in answer.json()["detail"]


@pytest.mark.parametrize("content", [b" " * 1000, (b" " * 100 for _ in range(10))], ids=["with its length", "chunked"])
def test_a_body_that_just_fits_is_read(client: TestClient, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}

    assert client.post("/api/v1/auth/login", content=content, headers=headers).status_code == 422


def test_a_length_that_lies_does_not_help(client: TestClient) -> None:
    headers = {"Content-Length": "10", "Transfer-Encoding": "chunked"}

    assert client.post("/api/v1/auth/login", content=b"x" * 2000, headers=headers).status_code == 413


def test_a_query_with_a_null_character_is_refused(client: TestClient) -> None:
    assert client.get("/api/v1/audit-log?actor=a%00b").status_code == 422


def test_head_answers_as_get_does_without_a_body(client: TestClient) -> None:
    got, head = client.get("/healthz"), client.head("/healthz")

    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == got.headers["Content-Length"]


def test_head_of_a_stream_ends(client: TestClient) -> None:
    assert client.head("/endless").status_code == 200


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/healthz", "GET, HEAD, OPTIONS"), ("/api/v1/members/1", "DELETE, GET, HEAD, OPTIONS, PATCH")],
)
def test_options_and_wrong_methods_are_told_what_there_is(client: TestClient, path: str, allowed: str) -> None:
    options, wrong = client.options(path), client.put(path)

    assert (options.status_code, options.headers["Allow"]) == (204, allowed)
    assert (wrong.status_code, wrong.headers["Allow"]) == (405, allowed)


def test_options_of_nothing_is_not_found(client: TestClient) -> None:
    assert client.options("/nothing").status_code == 404


def test_a_preference_that_was_followed_is_told(client: TestClient) -> None:
    headers = {"Prefer": "handling=strict"}

    assert client.get("/healthz", headers=headers).headers["Preference-Applied"] == "handling=strict"
    assert "Preference-Applied" not in client.get("/healthz").headers


def test_a_preference_holds_for_one_request(client: TestClient) -> None:
    body = {"email": "a@b", "password": "x", "other": 1}

    assert client.post("/api/v1/auth/login", json=body, headers={"Prefer": "handling=strict"}).status_code == 422
    assert client.post("/api/v1/auth/login", json=body).status_code == 401


def test_the_log_tells_of_a_request_without_its_query_body_and_token(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="audition")

    client.post(
        "/api/v1/auth/login?key=in-the-query",
        json={"email": "a@b", "password": "in-the-body"},
        headers={"Authorization": "Bearer in-the-header"},
    )

    (record,) = [one for one in caplog.records if one.name == "audition.service.middleware"]
    told = vars(record)
    assert (told["method"], told["path"], told["status"]) == ("POST", "/api/v1/auth/login", 401)
    assert told["duration_ms"] >= 0
    assert not any(secret in str(told) for secret in ("in-the-query", "in-the-body", "in-the-header"))


def test_the_log_says_which_member_asked(
    client_as: Callable[[str], TestClient], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="audition")

    client_as("viewer").get("/api/v1/auth/me")

    (record,) = [one for one in caplog.records if one.name == "audition.service.middleware"]
    assert vars(record)["member_id"] == 1


def test_what_is_asked_every_few_seconds_is_not_told(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="audition")

    client.get("/healthz")

    assert [one for one in caplog.records if one.name == "audition.service.middleware"] == []


def test_requests_are_counted_by_the_path_of_the_route(client: TestClient, service: Service) -> None:
    client.get("/api/v1/members/77")
    client.get("/nothing/at/all")

    text = service.metrics.render(({"runs": {}, "results": {}}, 0))
    assert 'audition_http_requests_total{method="GET",route="/api/v1/members/{member_id}",status="401"} 1' in text
    assert 'audition_http_requests_total{method="GET",route="unmatched",status="404"} 1' in text
