"""Logging in and out."""

import sqlite3
from collections.abc import Callable
from contextlib import closing

import pytest
from argon2 import PasswordHasher
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response

from audition.service.app import create_app
from audition.service.context import Service
from audition.store.service import audit, people
from audition.store.service.people import Role

EMAIL, PASSWORD = "ada@example.com", "correct horse battery"


@pytest.fixture
def app(service: Service) -> FastAPI:
    """Return the app of a service with one owner."""
    password_hash = service.passwords.hash(PASSWORD)
    service.database.write(
        lambda connection: people.add_member(
            connection, email=EMAIL, name="Ada", role="owner", password_hash=password_hash
        )
    )
    return create_app(service)


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    """Return a client without a token."""
    return TestClient(app)


def log_in(client: TestClient, email: str = EMAIL, password: str = PASSWORD) -> Response:
    """Log in."""
    return client.post("/api/v1/auth/login", json={"email": email, "password": password})


def bearer(answer: Response) -> dict[str, str]:
    """Return the header with the token of a login."""
    return {"Authorization": f"Bearer {answer.json()['token']}"}


def test_a_login_gives_a_token_first_and_says_who_and_until_when(client: TestClient) -> None:
    answer = log_in(client)

    body = answer.json()
    assert answer.status_code == 200
    assert list(body) == ["token", "expires_at", "member"]
    assert body["token"].startswith("aud_s_")
    assert body["expires_at"].endswith("Z")
    assert list(body["member"]) == ["id", "email", "name", "role", "created_at", "updated_at"]
    assert (body["member"]["email"], body["member"]["role"]) == (EMAIL, "owner")
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_token_lets_in(client: TestClient) -> None:
    answer = client.get("/api/v1/auth/me", headers=bearer(log_in(client)))

    assert answer.status_code == 200
    assert answer.json()["member"]["email"] == EMAIL
    assert (answer.json()["role"], answer.json()["scopes"]) == ("owner", None)


def test_the_address_may_be_written_in_any_letters(client: TestClient) -> None:
    assert log_in(client, EMAIL.upper()).status_code == 200


@pytest.mark.parametrize(
    ("email", "password"),
    [(EMAIL, "wrong password"), (EMAIL, ""), ("eve@example.com", PASSWORD), ("", PASSWORD), (EMAIL, PASSWORD + " ")],
    ids=["wrong", "empty", "unknown", "no address", "almost"],
)
def test_a_wrong_login_does_not_say_what_is_wrong(client: TestClient, email: str, password: str) -> None:
    answer = log_in(client, email, password)

    assert answer.status_code == 401
    assert answer.json()["detail"] == "the address or the password is wrong"


def test_a_removed_member_cannot_log_in(client: TestClient, service: Service) -> None:
    hashed = service.passwords.hash(PASSWORD)
    gone = service.database.write(
        lambda connection: people.add_member(
            connection, email="gone@example.com", name="G", role="viewer", password_hash=hashed
        )
    )
    service.database.write(lambda connection: people.remove_member(connection, gone))

    assert log_in(client, "gone@example.com").status_code == 401
    assert log_in(client, f"gone@example.com#{gone}").status_code == 401


def test_after_logging_out_the_token_is_worth_nothing(client: TestClient) -> None:
    headers, others = bearer(log_in(client)), bearer(log_in(client))
    client.get("/api/v1/auth/me", headers=headers)

    assert client.post("/api/v1/auth/logout", headers=headers).status_code == 204

    assert client.get("/api/v1/auth/me", headers=headers).status_code == 401
    assert client.get("/api/v1/auth/me", headers=others).status_code == 200


def test_of_a_thousand_wrong_tries_at_most_a_hundred_are_checked_and_the_owner_still_gets_in(
    app: FastAPI, service: Service
) -> None:
    guessing = TestClient(app, client=("10.6.6.6", 1000))
    owning = TestClient(app, client=("10.0.0.1", 1000))

    answers = [log_in(guessing, password=f"guess {number}") for number in range(150)]

    assert len([one for one in answers if one.status_code == 401]) <= 100
    refused = [one for one in answers if one.status_code == 429]
    assert len(refused) >= 50
    assert 3000 < int(refused[-1].headers["Retry-After"]) <= 3600
    assert log_in(guessing).status_code == 429
    assert log_in(owning).status_code == 200
    assert 'reason="too_many_tries"' in service.metrics.render(({"runs": {}, "results": {}}, 0))


def test_unknown_accounts_are_limited_alike_so_that_they_cannot_be_told_apart(client: TestClient) -> None:
    answers = [log_in(client, "nobody@example.com", "guess").status_code for _ in range(22)]

    assert answers == [401] * 20 + [429] * 2


def test_a_hash_with_old_parameters_is_renewed_at_the_next_login(client: TestClient, service: Service) -> None:
    old = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    service.database.write(lambda connection: people.change_member(connection, 1, {"password_hash": old}))

    assert log_in(client).status_code == 200

    kept = service.database.read(lambda connection: people.member(connection, 1)).password_hash
    assert kept is not None
    assert not service.passwords.is_outdated(kept)
    assert log_in(client).status_code == 200


def test_when_too_many_log_in_at_once_the_try_does_not_count(client: TestClient, service: Service) -> None:
    held = [service.passwords._places for _ in range(service.passwords._places._value)]
    for place in held:
        place.acquire()

    answers = [log_in(client) for _ in range(30)]

    for place in held:
        place.release()
    assert {answer.status_code for answer in answers} == {503}
    assert answers[0].headers["Retry-After"] == "1"
    assert log_in(client).status_code == 200


def test_a_password_can_be_changed_by_who_knows_it(client: TestClient) -> None:
    headers, new = bearer(log_in(client)), "another horse battery"

    wrong = client.post("/api/v1/auth/password", json={"current_password": "guess", "password": new}, headers=headers)
    right = client.post("/api/v1/auth/password", json={"current_password": PASSWORD, "password": new}, headers=headers)

    assert (wrong.status_code, right.status_code) == (401, 204)
    assert client.get("/api/v1/auth/me", headers=headers).status_code == 401
    assert log_in(client).status_code == 401
    assert log_in(client, password=new).status_code == 200


@pytest.mark.parametrize("password", ["x" * 11, "x" * 1025], ids=["short", "long"])
def test_a_new_password_has_12_to_1024_characters(client: TestClient, password: str) -> None:
    body = {"current_password": PASSWORD, "password": password}

    assert client.post("/api/v1/auth/password", json=body, headers=bearer(log_in(client))).status_code == 422


def test_a_password_of_1024_characters_of_any_script_will_do(client: TestClient) -> None:
    new = "pä😀" * 341 + "x"

    body = {"current_password": PASSWORD, "password": new}
    assert client.post("/api/v1/auth/password", json=body, headers=bearer(log_in(client))).status_code == 204
    assert log_in(client, password=new).status_code == 200


def test_what_happened_is_in_the_audit_log(client: TestClient, service: Service) -> None:
    client.post("/api/v1/auth/logout", headers=bearer(log_in(client)))

    found, _ = service.database.read(lambda connection: audit.entries(connection, audit.Filter(), limit=9))
    assert [(one.action, one.actor) for one in found] == [("auth.login", EMAIL), ("auth.logout", EMAIL)]


def test_neither_tokens_nor_passwords_are_in_a_dump_of_the_database(client: TestClient, service: Service) -> None:
    headers = bearer(log_in(client))
    made = client.post("/api/v1/api-tokens", json={"name": "ci"}, headers=headers).json()["token"]
    log_in(client, password="a wrong password that was typed")
    member = {"email": "b@b", "name": "B", "role": "viewer", "password": "secret of B 123"}
    client.post("/api/v1/members", json=member, headers=headers)

    with closing(sqlite3.connect(str(service.database.url.database))) as connection:
        dump = "\n".join(connection.iterdump())
    session = headers["Authorization"].removeprefix("Bearer ")
    secrets = [session, made, PASSWORD, "a wrong password that was typed", "secret of B 123"]
    assert [one for one in secrets if one in dump] == []


@pytest.mark.parametrize("role", ["viewer", "editor", "admin", "owner"])
def test_everybody_may_see_who_they_are(client_as: Callable[[Role], TestClient], role: Role) -> None:
    assert client_as(role).get("/api/v1/auth/me").json()["role"] == role
