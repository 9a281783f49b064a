"""Requests that are sent twice and carried out once."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from sqlalchemy import select, update

from audition.service.app import create_app
from audition.service.context import Service
from audition.service.problems import Problem
from audition.store.service import idempotency, people
from audition.store.service.tables import IDEMPOTENCY, MEMBERS

PATH = "/api/v1/members"
ADA = {"email": "ada@example.com", "name": "Ada", "role": "viewer"}


@pytest.fixture
def owner(client_as: Callable[[str], TestClient]) -> TestClient:
    """Return a client of an owner."""
    return client_as("owner")


def post(client: TestClient, key: str = "key-1", body: object = ADA, path: str = PATH) -> Response:
    """Send a request with a key."""
    return client.post(path, json=body, headers={"Idempotency-Key": key})


def kept(service: Service) -> list[Any]:
    """Return what is kept."""
    return service.database.read(lambda connection: list(connection.execute(IDEMPOTENCY.select())))


def test_the_same_request_gets_the_same_answer(owner: TestClient) -> None:
    first, second = post(owner), post(owner)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert first.headers["Location"] == second.headers["Location"]
    assert first.headers["Content-Type"] == second.headers["Content-Type"]
    assert "Idempotency-Replayed" not in first.headers
    assert second.headers["Idempotency-Replayed"] == "true"


def test_it_is_carried_out_once(owner: TestClient, service: Service) -> None:
    post(owner)
    post(owner)

    assert service.database.read(people.count_members) == 2


@pytest.mark.parametrize("query", ["", "?view=full"], ids=["another body", "another query"])
def test_another_request_with_the_key_is_refused(owner: TestClient, query: str) -> None:
    post(owner)

    answer = post(owner, body=ADA if query else {**ADA, "name": "Eve"}, path=PATH + query)

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency_key_reused")


def test_another_key_is_another_request(owner: TestClient) -> None:
    post(owner)

    assert post(owner, "key-2").status_code == 409


def test_a_key_belongs_to_the_token_and_the_path(owner: TestClient, client_as: Callable[[str], TestClient]) -> None:
    post(owner)

    assert post(client_as("admin")).status_code == 409
    assert post(owner, path="/api/v1/agents", body={}).status_code == 422


def test_a_refusal_is_kept_as_well(owner: TestClient) -> None:
    first, second = post(owner, body={}), post(owner, body={})

    assert first.status_code == second.status_code == 422
    assert first.content == second.content
    assert second.headers["Content-Type"] == "application/problem+json"


def test_an_unknown_token_keeps_nothing(client_as: Callable[[str | None], TestClient], service: Service) -> None:
    client = client_as(None)

    for headers in ({}, {"Authorization": "Bearer nonsense"}):
        assert client.post(PATH, json=ADA, headers={"Idempotency-Key": "k", **headers}).status_code == 401

    assert kept(service) == []


def _app_with(service: Service, endpoint: Callable[[], object]) -> FastAPI:
    app = create_app(service)
    app.post("/api/v1/extra")(endpoint)
    return app


@pytest.mark.parametrize("fault", [RuntimeError("no luck"), Problem(503, "not now"), Problem(429, "slowly")])
def test_what_came_to_nothing_can_be_tried_again(service: Service, fault: Exception) -> None:
    def failing() -> object:
        raise fault

    client = TestClient(_app_with(service, failing), raise_server_exceptions=False)
    headers = {"Idempotency-Key": "k", "Authorization": "Bearer any"}

    answer = client.post("/api/v1/extra", headers=headers)

    assert answer.status_code in (500, 503, 429)
    assert answer.json()["request_id"]
    assert kept(service) == []


def test_while_the_first_is_not_answered_others_are_told_so(service: Service) -> None:
    client: TestClient
    seen: list[Response] = []

    def meanwhile() -> object:
        if not seen:
            seen.append(client.post("/api/v1/extra", headers=headers))
        return {"id": 1}

    client = TestClient(_app_with(service, meanwhile))
    headers = {"Idempotency-Key": "k", "Authorization": "Bearer any"}

    first = client.post("/api/v1/extra", headers=headers)

    assert first.status_code == 200
    assert (seen[0].status_code, seen[0].json()["code"]) == (409, "idempotency_key_in_use")
    assert seen[0].headers["Retry-After"] == "1"


def test_of_a_hundred_at_once_one_is_carried_out(owner: TestClient, service: Service) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: post(owner), range(100)))

    assert {answer.status_code for answer in answers} <= {201, 409}
    in_use = {answer.json().get("code") for answer in answers if answer.status_code == 409}
    assert in_use <= {"idempotency_key_in_use"}
    rows = service.database.read(lambda connection: list(connection.execute(select(MEMBERS.c.email))))
    assert [row.email for row in rows].count("ada@example.com") == 1


@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "é".encode()], ids=["empty", "space", "long", "not ASCII"])
def test_a_key_that_is_none_is_refused(owner: TestClient, key: str | bytes) -> None:
    answer = owner.post(PATH, json=ADA, headers={"Idempotency-Key": key})

    assert answer.status_code == 400


@pytest.mark.parametrize("path", ["/api/v1/auth/login", "/api/v1/auth/password", "/api/v1/api-tokens"])
def test_answers_that_show_a_secret_take_no_key(owner: TestClient, service: Service, path: str) -> None:
    answer = post(owner, body={"name": "ci"}, path=path)

    assert answer.status_code == 400
    assert "never stored" in answer.json()["detail"]
    assert kept(service) == []


def test_neither_token_nor_key_are_kept(owner: TestClient, service: Service) -> None:
    post(owner, "key-that-is-mine")

    rows = str(kept(service))
    assert "key-that-is-mine" not in rows
    assert owner.headers["Authorization"].removeprefix("Bearer ") not in rows


def test_reading_takes_no_notice_of_a_key(owner: TestClient, service: Service) -> None:
    assert owner.get(PATH, headers={"Idempotency-Key": "k"}).status_code == 200
    assert kept(service) == []


def test_old_answers_are_forgotten(owner: TestClient, service: Service) -> None:
    post(owner)
    day = update(IDEMPOTENCY).values(created_s=IDEMPOTENCY.c.created_s - idempotency.KEPT_S - 1)
    service.database.write(lambda connection: connection.execute(day))

    TestClient(create_app(service)).post("/api/v1/x", headers={"Idempotency-Key": "k", "Authorization": "Bearer x"})

    assert len(kept(service)) == 1
