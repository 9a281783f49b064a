"""The audit log as it is asked for."""

import json
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from audition.service.context import Service
from audition.store.service.people import Role
from audition.store.service.tables import AUDIT

PATH = "/api/v1/audit-log"


@pytest.fixture
def owner(client_as: Callable[[Role], TestClient]) -> TestClient:
    """Return a client of an owner who has added two members."""
    owner = client_as("owner")
    for name in ("a", "b"):
        owner.post("/api/v1/members", json={"email": f"{name}@example.com", "name": name, "role": "viewer"})
    return owner


def test_an_entry_says_all_that_is_kept(owner: TestClient) -> None:
    entry = owner.get(PATH).json()[0]

    assert list(entry) == [
        "id", "created_at", "actor_kind", "actor", "role", "action", "resource_kind", "resource_id",
        "before", "after", "request_id", "previous_hash", "hash",
    ]  # fmt: skip
    assert (entry["action"], entry["after"]["email"]) == ("member.add", "a@example.com")


def test_an_entry_names_the_request_it_came_from(owner: TestClient) -> None:
    answer = owner.delete("/api/v1/members/2")

    assert owner.get(PATH).json()[-1]["request_id"] == answer.headers["X-Request-ID"]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"action": "member.add"}, 2),
        ({"action": "member.remove"}, 0),
        ({"resource_kind": "member", "resource_id": "3"}, 1),
        ({"actor": "owner1@example.com"}, 2),
        ({"since": "2000-01-01T00:00:00+02:00"}, 2),
        ({"until": "2000-01-01T00:00:00Z"}, 0),
        ({"limit": "1"}, 1),
    ],
)
def test_entries_are_found_by_what_they_say(owner: TestClient, query: dict[str, str], count: int) -> None:
    assert len(owner.get(PATH, params=query).json()) == count


def test_entries_come_in_pages(owner: TestClient) -> None:
    first = owner.get(PATH, params={"limit": 1})

    second = owner.get(first.links["next"]["url"])

    assert [one["id"] for one in first.json() + second.json()] == [1, 2]
    assert first.headers["X-Total-Count"] == "2"


def test_the_log_can_be_had_one_entry_a_line(owner: TestClient) -> None:
    answer = owner.get(PATH, params={"format": "jsonl", "limit": 1})

    assert answer.headers["Content-Type"].startswith("application/jsonl")
    assert [json.loads(line) for line in answer.text.splitlines()] == owner.get(PATH).json()[:1]
    assert "format=jsonl" in answer.links["next"]["url"]


def test_a_log_that_nobody_touched_is_intact(owner: TestClient) -> None:
    assert owner.get(f"{PATH}/check").json() == {"intact": True, "first_broken_id": None}


def test_a_log_that_somebody_touched_says_where(owner: TestClient, service: Service) -> None:
    forged = update(AUDIT).where(AUDIT.c.id == 1).values(actor="eve")
    service.database.write(lambda connection: connection.execute(forged))

    assert owner.get(f"{PATH}/check").json() == {"intact": False, "first_broken_id": 1}


@pytest.mark.parametrize(("role", "status"), [("viewer", 403), ("editor", 403), ("admin", 200)])
def test_only_owners_and_admins_may_read_it(client_as: Callable[[Role], TestClient], role: Role, status: int) -> None:
    client = client_as(role)

    assert [client.get(path).status_code for path in (PATH, f"{PATH}/check")] == [status] * 2
