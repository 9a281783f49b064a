"""Members: who may add, change and remove whom."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from audition.service.context import Service
from audition.store.service import audit
from audition.store.service.people import RANK, Role

Clients = Callable[[Role], TestClient]
PATH = "/api/v1/members"


def new(role: Role = "viewer", email: str = "new@example.com") -> dict[str, str]:
    """Return the body of a new member."""
    return {"email": email, "name": "New", "role": role, "password": "correct horse battery"}


def test_a_new_member_is_shown_without_a_password(client_as: Clients) -> None:
    answer = client_as("owner").post(PATH, json=new(email="New@Example.com"))

    body = answer.json()
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{PATH}/{body['id']}"
    assert list(body) == ["id", "email", "name", "role", "created_at", "updated_at"]
    assert (body["email"], body["name"], body["role"]) == ("new@example.com", "New", "viewer")


def test_a_new_member_can_log_in_and_one_without_a_password_cannot(client_as: Clients) -> None:
    owner = client_as("owner")
    owner.post(PATH, json=new())
    owner.post(PATH, json={"email": "sso@example.com", "name": "S", "role": "viewer"})

    def login(email: str, password: str) -> int:
        return owner.post("/api/v1/auth/login", json={"email": email, "password": password}).status_code

    assert login("new@example.com", "correct horse battery") == 200
    assert login("sso@example.com", "") == 401


def test_an_address_is_taken_once(client_as: Clients) -> None:
    owner = client_as("owner")
    owner.post(PATH, json=new())

    assert owner.post(PATH, json=new(email="NEW@example.com")).status_code == 409


@pytest.mark.parametrize(
    "wrong",
    [
        {"email": "nobody"},
        {"email": "a b@c"},
        {"email": "x" * 250 + "@b.com"},
        {"name": ""},
        {"name": "x" * 121},
        {"role": "king"},
        {"password": "x" * 11},
        {"password": "x" * 1025},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_what_cannot_be_is_refused(client_as: Clients, wrong: dict[str, str]) -> None:
    assert client_as("owner").post(PATH, json=new() | wrong).status_code == 422


@pytest.mark.parametrize("asking", ["admin", "owner"])
@pytest.mark.parametrize("role", RANK)
def test_only_an_owner_makes_owners_and_admins(client_as: Clients, asking: Role, role: Role) -> None:
    allowed = asking == "owner" or role in ("editor", "viewer")

    assert client_as(asking).post(PATH, json=new(role)).status_code == (201 if allowed else 403)


@pytest.mark.parametrize("asking", ["admin", "owner"])
@pytest.mark.parametrize("role", RANK)
def test_only_an_owner_changes_and_removes_owners_and_admins(client_as: Clients, asking: Role, role: Role) -> None:
    made = client_as("owner").post(PATH, json=new(role)).json()["id"]
    client, allowed = client_as(asking), asking == "owner" or role in ("editor", "viewer")

    changed = client.patch(f"{PATH}/{made}", json={"name": "Other"})
    removed = client.delete(f"{PATH}/{made}")

    assert (changed.status_code, removed.status_code) == ((200, 204) if allowed else (403, 403))


def test_an_admin_makes_nobody_an_admin(client_as: Clients) -> None:
    admin = client_as("admin")
    made = admin.post(PATH, json=new()).json()["id"]

    assert admin.patch(f"{PATH}/{made}", json={"role": "admin"}).status_code == 403
    assert admin.patch(f"{PATH}/{made}", json={"role": "editor"}).json()["role"] == "editor"


def test_the_last_owner_can_be_neither_demoted_nor_removed(client_as: Clients) -> None:
    owner = client_as("owner")

    demoted, removed = owner.patch(f"{PATH}/1", json={"role": "admin"}), owner.delete(f"{PATH}/1")

    assert (demoted.status_code, removed.status_code) == (409, 409)
    assert "last owner" in removed.json()["detail"]


def test_a_change_of_role_holds_at_once(client_as: Clients) -> None:
    owner, editor = client_as("owner"), client_as("editor")
    assert editor.get("/api/v1/auth/me").json()["role"] == "editor"

    owner.patch(f"{PATH}/2", json={"role": "viewer"})

    assert editor.get("/api/v1/auth/me").json()["role"] == "viewer"


def test_a_removed_member_is_out_at_once_with_all_tokens(client_as: Clients) -> None:
    owner, editor = client_as("owner"), client_as("editor")
    token = editor.post("/api/v1/api-tokens", json={"name": "ci"}).json()["token"]
    as_token = {"Authorization": f"Bearer {token}"}
    assert editor.get("/api/v1/agents").status_code == owner.get("/api/v1/agents", headers=as_token).status_code == 200

    assert owner.delete(f"{PATH}/2").status_code == 204

    assert editor.get("/api/v1/agents").status_code == 401
    assert owner.get("/api/v1/agents", headers=as_token).status_code == 401
    assert owner.get(f"{PATH}/2").status_code == 404
    assert owner.delete(f"{PATH}/2").status_code == 404


def test_a_new_password_ends_the_sessions(client_as: Clients) -> None:
    owner, editor = client_as("owner"), client_as("editor")
    editor.get("/api/v1/auth/me")

    owner.patch(f"{PATH}/2", json={"password": "another horse battery"})

    assert editor.get("/api/v1/auth/me").status_code == 401


def test_an_empty_change_changes_nothing(client_as: Clients) -> None:
    owner = client_as("owner")
    before = owner.get(f"{PATH}/1").json()

    assert owner.patch(f"{PATH}/1", json={}).json() == before


def test_members_are_listed_in_pages(client_as: Clients) -> None:
    owner = client_as("owner")
    for number in range(3):
        owner.post(PATH, json=new(email=f"m{number}@example.com"))

    first = owner.get(PATH, params={"limit": 2})
    second = owner.get(first.links["next"]["url"])

    assert [one["id"] for one in first.json() + second.json()] == [1, 2, 3, 4]
    assert first.headers["X-Total-Count"] == "4"
    assert "next" not in second.links


def test_the_audit_log_tells_before_and_after_without_passwords(client_as: Clients, service: Service) -> None:
    owner = client_as("owner")
    made = owner.post(PATH, json=new()).json()["id"]
    owner.patch(f"{PATH}/{made}", json={"role": "editor", "password": "another horse battery"})
    owner.delete(f"{PATH}/{made}")

    found, _ = service.database.read(lambda connection: audit.entries(connection, audit.Filter(), limit=9))

    assert [one.action for one in found] == ["member.add", "member.change", "member.remove"]
    member = {"email": "new@example.com", "name": "New", "role": "viewer"}
    assert (found[0].before, found[0].after) == (None, member)
    assert (found[1].before, found[1].after) == (member, {**member, "role": "editor", "has_new_password": True})
    assert found[2].after is None
    assert "battery" not in str(found)
