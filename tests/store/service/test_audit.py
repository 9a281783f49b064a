"""The audit log: what it says, and that it shows when somebody changed it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import Connection, delete, select, update

from audition.store.service import audit
from audition.store.service.audit import Filter
from audition.store.service.database import Database
from audition.store.service.people import Principal
from audition.store.service.tables import AUDIT

EDITOR = Principal(member_id=7, email="ada@example.com", role="editor")


def note(database: Database, action: str = "dataset.create", principal: Principal | None = EDITOR, **more: Any) -> None:
    """Add an entry."""
    database.write(
        lambda connection: audit.record(
            connection,
            principal,
            action=action,
            resource_kind=more.pop("kind", "dataset"),
            resource_id=more.pop("resource_id", 1),
            request_id="r1",
            **more,
        )
    )


def entries(database: Database, **wanted: Any) -> list[audit.Entry]:
    """Return the entries that match."""
    return database.read(lambda connection: audit.entries(connection, Filter(**wanted), limit=100)[0])


def test_an_entry_says_who_did_what_to_what(database: Database) -> None:
    note(database, before={"name": "old"}, after={"name": "new"})

    (entry,) = entries(database)

    assert (entry.actor_kind, entry.actor, entry.role) == ("member", "ada@example.com", "editor")
    assert (entry.action, entry.resource_kind, entry.resource_id) == ("dataset.create", "dataset", "1")
    assert (entry.before, entry.after, entry.request_id) == ({"name": "old"}, {"name": "new"}, "r1")


@pytest.mark.parametrize(
    ("principal", "kind", "actor"),
    [
        (None, "system", "audition"),
        (Principal(member_id=7, email="ada@example.com", role="editor", token_id=3), "token", "ada@example.com#3"),
    ],
    ids=["the service", "a token"],
)
def test_an_entry_says_what_kind_of_actor_it_was(
    database: Database, principal: Principal | None, kind: str, actor: str
) -> None:
    note(database, principal=principal)

    (entry,) = entries(database)

    assert (entry.actor_kind, entry.actor) == (kind, actor)


def test_secrets_are_masked_at_any_depth(database: Database) -> None:
    tool = {"headers": {"Authorization": "Bearer abc", "X-Api-Key": "k"}, "url": "https://x"}

    note(database, after={"tools": [tool], "password": "p", "max_tokens": 5})

    (entry,) = entries(database)
    masked = {"headers": {"Authorization": "***", "X-Api-Key": "***"}, "url": "https://x"}
    assert entry.after == {"tools": [masked], "password": "***", "max_tokens": 5}


def test_an_untouched_log_is_intact(database: Database) -> None:
    for number in range(5):
        note(database, resource_id=number)

    assert database.read(audit.verify) is None


@pytest.mark.parametrize("column", ["actor", "action", "after", "created_at", "role", "previous_hash"])
def test_a_changed_entry_is_found(database: Database, column: str) -> None:
    for _ in range(3):
        note(database)

    database.write(lambda connection: connection.execute(update(AUDIT).where(AUDIT.c.id == 2).values({column: "x"})))

    assert database.read(audit.verify) == 2


def test_a_changed_entry_with_a_new_hash_is_found_at_the_next(database: Database) -> None:
    for _ in range(3):
        note(database)

    def forge(connection: Connection) -> None:
        row = dict(connection.execute(select(AUDIT).where(AUDIT.c.id == 2)).one()._mapping) | {"actor": "eve"}
        forged = audit._hash({name: row[name] for name in audit._HASHED})
        connection.execute(update(AUDIT).where(AUDIT.c.id == 2).values(actor="eve", hash=forged))

    database.write(forge)

    assert database.read(audit.verify) == 3


@pytest.mark.parametrize(("gone", "broken"), [(1, 2), (2, 3)], ids=["the first", "one between"])
def test_a_removed_entry_is_found_at_the_next(database: Database, gone: int, broken: int) -> None:
    for _ in range(3):
        note(database)

    database.write(lambda connection: connection.execute(delete(AUDIT).where(AUDIT.c.id == gone)))

    assert database.read(audit.verify) == broken


def test_writers_at_the_same_time_leave_one_chain(database: Database) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: note(database, resource_id=number), range(80)))

    assert database.read(audit.verify) is None
    assert len(entries(database)) == 80


def test_what_is_rolled_back_leaves_no_entry(database: Database) -> None:
    def broken(connection: Connection) -> None:
        audit.record(connection, None, action="a", resource_kind="k", resource_id=1, request_id="r")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        database.write(broken)

    assert entries(database) == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"action": "run.create"}, ["2"]),
        ({"resource_kind": "run", "resource_id": "2"}, ["2"]),
        ({"actor": "nobody"}, []),
        ({"since": "2000-01-01T00:00:00.000Z"}, ["1", "2"]),
        ({"until": "2000-01-01T00:00:00.000Z"}, []),
    ],
    ids=["action", "resource", "actor", "since", "until"],
)
def test_entries_are_found_by_what_they_say(database: Database, wanted: dict[str, str], found: list[str]) -> None:
    note(database, "dataset.create", resource_id=1)
    note(database, "run.create", kind="run", resource_id=2)

    assert [entry.resource_id for entry in entries(database, **wanted)] == found


def test_entries_come_in_pages(database: Database) -> None:
    for number in range(5):
        note(database, resource_id=number)

    page, total = database.read(lambda connection: audit.entries(connection, Filter(), after=2, limit=2))

    assert ([entry.id for entry in page], total) == ([3, 4], 5)
