"""API tokens: made, shown once, listed, revoked."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from audition.service.context import Service
from audition.store.service import audit
from audition.store.service.people import Role

Clients = Callable[[Role], TestClient]
PATH = "/api/v1/api-tokens"


def test_a_token_is_shown_when_it_is_made_and_never_again(client_as: Clients) -> None:
    editor = client_as("editor")

    answer = editor.post(
        PATH, json={"name": "ci", "scopes": ["read", "runs"], "expires_at": "2999-01-01T02:00:00+02:00"}
    )

    body = answer.json()
    token = body.pop("token")
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{PATH}/1"
    assert answer.headers["Cache-Control"] == "no-store"
    assert token.startswith(body["prefix"])
    assert (body["role"], body["scopes"], body["expires_at"]) == ("editor", ["read", "runs"], "2999-01-01T00:00:00Z")
    assert editor.get(PATH).json() == [body]
    assert editor.get(f"{PATH}/1").json() == body
    assert list(body) == [
        "id", "member_id", "name", "prefix", "role", "scopes", "expires_at", "created_at", "last_used_at"
    ]  # fmt: skip


def test_by_default_a_token_only_reads_as_its_member_and_does_not_expire(client_as: Clients) -> None:
    body = client_as("viewer").post(PATH, json={"name": "ci"}).json()

    assert (body["role"], body["scopes"], body["expires_at"]) == ("viewer", ["read"], None)


def test_a_token_lets_in_until_it_is_revoked(client_as: Clients) -> None:
    editor = client_as("editor")
    headers = {"Authorization": f"Bearer {editor.post(PATH, json={'name': 'ci'}).json()['token']}"}
    assert editor.get("/api/v1/agents", headers=headers).status_code == 200

    assert editor.delete(f"{PATH}/1").status_code == 204

    assert editor.get("/api/v1/agents", headers=headers).status_code == 401
    assert editor.delete(f"{PATH}/1").status_code == 404


def test_who_asks_by_a_token_is_told_its_scopes(client_as: Clients) -> None:
    editor = client_as("editor")
    made = editor.post(PATH, json={"name": "ci", "role": "viewer", "scopes": ["read", "runs"]}).json()

    found = editor.get("/api/v1/auth/me", headers={"Authorization": f"Bearer {made['token']}"}).json()

    assert (found["role"], found["scopes"], found["member"]["role"]) == ("viewer", ["read", "runs"], "editor")


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"role": "owner"}, 403),
        ({"role": "king"}, 422),
        ({"scopes": []}, 422),
        ({"scopes": ["everything"]}, 422),
        ({"name": ""}, 422),
        ({"expires_at": "2020-01-01T00:00:00Z"}, 422),
        ({"expires_at": "2999-01-01T00:00:00"}, 422),
    ],
    ids=["above oneself", "no role", "no scope", "unknown scope", "no name", "in the past", "without an offset"],
)
def test_a_token_that_cannot_be_is_refused(client_as: Clients, wrong: dict[str, object], status: int) -> None:
    assert client_as("editor").post(PATH, json={"name": "ci"} | wrong).status_code == status


def test_a_token_makes_and_revokes_no_tokens(client_as: Clients) -> None:
    owner = client_as("owner")
    made = owner.post(PATH, json={"name": "ci", "scopes": ["read", "write", "runs", "admin"]}).json()
    headers = {"Authorization": f"Bearer {made['token']}"}

    assert owner.post(PATH, json={"name": "another"}, headers=headers).status_code == 403
    assert owner.delete(f"{PATH}/1", headers=headers).status_code == 403


def test_others_tokens_are_not_there_for_editors(client_as: Clients) -> None:
    client_as("owner").post(PATH, json={"name": "ci"})
    editor = client_as("editor")

    assert editor.get(PATH).json() == []
    assert editor.get(f"{PATH}/1").status_code == 404
    assert editor.delete(f"{PATH}/1").status_code == 404
    assert editor.get(PATH, params={"of": "all"}).status_code == 403


def test_owners_and_admins_see_all_tokens(client_as: Clients) -> None:
    client_as("editor").post(PATH, json={"name": "ci"})
    admin = client_as("admin")

    assert admin.get(PATH).json() == []
    assert [one["name"] for one in admin.get(PATH, params={"of": "all"}).json()] == ["ci"]
    assert admin.get(f"{PATH}/1").status_code == 200


@pytest.mark.parametrize(
    ("asking", "holder", "status"),
    [("owner", "owner", 204), ("owner", "admin", 204), ("admin", "editor", 204), ("admin", "owner", 403)],
)
def test_admins_revoke_tokens_of_those_below_them(client_as: Clients, asking: Role, holder: Role, status: int) -> None:
    client_as(holder).post(PATH, json={"name": "ci"})

    assert client_as(asking).delete(f"{PATH}/1").status_code == status


def test_tokens_are_listed_in_pages(client_as: Clients) -> None:
    editor = client_as("editor")
    for number in range(3):
        editor.post(PATH, json={"name": f"t{number}"})

    first = editor.get(PATH, params={"limit": 2})

    assert [one["id"] for one in first.json() + editor.get(first.links["next"]["url"]).json()] == [1, 2, 3]


def test_the_audit_log_tells_of_tokens_without_them(client_as: Clients, service: Service) -> None:
    editor = client_as("editor")
    token = editor.post(PATH, json={"name": "ci"}).json()["token"]
    editor.delete(f"{PATH}/1")

    found, _ = service.database.read(lambda connection: audit.entries(connection, audit.Filter(), limit=9))

    assert [one.action for one in found] == ["api_token.create", "api_token.revoke"]
    assert found[0].after is not None
    assert (found[0].after["name"], found[0].after["scopes"], found[1].after) == ("ci", ["read"], None)
    assert token not in str(found)
