"""Members and sessions as they are kept."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import update

from audition.errors import Conflict, NotFound
from audition.store.service import api_tokens, people
from audition.store.service.database import Database
from audition.store.service.people import Principal, Role
from audition.store.service.tables import API_TOKENS, SESSIONS


def add(database: Database, email: str = "ada@example.com", role: Role = "editor") -> int:
    """Add a member."""
    return database.write(
        lambda connection: people.add_member(connection, email=email, name="Ada", role=role, password_hash="h")
    )


def session(database: Database, member_id: int, *, hours: float = 1) -> str:
    """Open a session."""
    return database.write(lambda connection: people.open_session(connection, database.now_s, member_id, hours=hours))


def token(database: Database, member_id: int, *, role: Role = "editor", expires_s: float | None = None) -> str:
    """Make an API token."""
    return database.write(
        lambda connection: api_tokens.create_token(
            connection, member_id, name="ci", role=role, scopes=["read"], expires_s=expires_s
        )
    )[1]


def who(database: Database, given: str) -> Principal | None:
    """Return whom a token stands for."""
    return database.read(lambda connection: people.principal_of(connection, database.now_s, given))


def test_a_session_stands_for_its_member(database: Database) -> None:
    member = add(database)

    found = who(database, session(database, member))

    assert found == Principal(member_id=member, email="ada@example.com", role="editor")


def test_a_token_does_no_more_than_its_member_and_itself(database: Database) -> None:
    member = add(database, role="editor")

    viewing, owning = (
        who(database, token(database, member, role="viewer")),
        who(database, token(database, member, role="owner")),
    )

    assert viewing is not None
    assert owning is not None
    assert (viewing.role, viewing.scopes, owning.role) == ("viewer", ("read",), "editor")


def test_expired_sessions_and_tokens_stand_for_nobody(database: Database) -> None:
    member = add(database)

    assert who(database, session(database, member, hours=-1)) is None
    assert who(database, token(database, member, expires_s=1.0)) is None
    assert who(database, "aud_s_unknown") is None


def test_what_is_kept_of_tokens_does_not_let_anybody_in(database: Database) -> None:
    member = add(database)
    given = [session(database, member), token(database, member)]

    kept = database.read(
        lambda connection: [*connection.execute(SESSIONS.select()), *connection.execute(API_TOKENS.select())]
    )

    assert not any(one in str(kept) for one in given)


def test_a_closed_session_stands_for_nobody(database: Database) -> None:
    member = add(database)
    first, second = session(database, member), session(database, member)

    database.write(lambda connection: people.close_session(connection, first))

    assert who(database, first) is None
    assert who(database, second) is not None


def test_expired_sessions_are_purged(database: Database) -> None:
    member = add(database)
    session(database, member, hours=-1)
    live = session(database, member)

    database.write(lambda connection: people.purge_sessions(connection, database.now_s))

    assert len(database.read(lambda connection: connection.execute(SESSIONS.select()).all())) == 1
    assert who(database, live) is not None


def test_an_address_is_taken_once_whatever_its_letters(database: Database) -> None:
    add(database)

    with pytest.raises(Conflict):
        add(database, "ADA@example.com")


def test_a_removed_member_is_gone_with_sessions_and_tokens_and_the_address_is_free(database: Database) -> None:
    add(database, "owner@example.com", "owner")
    member = add(database)
    given = [session(database, member), token(database, member)]

    database.write(lambda connection: people.remove_member(connection, member))

    assert [who(database, one) for one in given] == [None, None]
    with pytest.raises(NotFound):
        database.read(lambda connection: people.member(connection, member))
    assert add(database) != member


def test_a_new_password_ends_the_sessions(database: Database) -> None:
    member = add(database)
    given = session(database, member)

    database.write(lambda connection: people.change_member(connection, member, {"password_hash": "new"}))

    assert who(database, given) is None


@pytest.mark.parametrize("role", ["admin", "editor", "viewer"])
def test_the_last_owner_stays_one(database: Database, role: Role) -> None:
    member = add(database, role="owner")

    with pytest.raises(Conflict, match="last owner"):
        database.write(lambda connection: people.change_member(connection, member, {"role": role}))
    with pytest.raises(Conflict, match="last owner"):
        database.write(lambda connection: people.remove_member(connection, member))


def test_owners_who_remove_each_other_at_once_leave_one(database: Database) -> None:
    owners = [add(database, f"o{number}@example.com", "owner") for number in range(6)]

    def remove(member: int) -> bool:
        try:
            database.write(lambda connection: people.remove_member(connection, member))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        removed = list(pool.map(remove, owners))

    assert sum(removed) == 5
    assert database.read(people.count_members) == 1


def test_a_changed_member_must_be_there(database: Database) -> None:
    with pytest.raises(NotFound):
        database.write(lambda connection: people.change_member(connection, 99, {"name": "x"}))


def test_a_hash_is_replaced_only_while_the_password_is_the_same(database: Database) -> None:
    member = add(database)

    database.write(lambda connection: people.replace_hash(connection, member, old="other", new="n1"))
    database.write(lambda connection: people.replace_hash(connection, member, old="h", new="n2"))

    assert database.read(lambda connection: people.member(connection, member)).password_hash == "n2"


def test_members_come_in_pages(database: Database) -> None:
    ids = [add(database, f"m{number}@example.com") for number in range(4)]

    page, total = database.read(lambda connection: people.members(connection, after=ids[0], limit=2))

    assert ([one.id for one in page], total) == (ids[1:3], 4)


def test_a_token_in_use_is_noted_once_a_minute(database: Database) -> None:
    member = add(database)
    token(database, member)

    def used() -> str | None:
        database.write(lambda connection: api_tokens.touch_token(connection, 1))
        return database.read(lambda connection: api_tokens.api_token(connection, 1)).last_used_at

    def noted(moment: str) -> None:
        database.write(lambda connection: connection.execute(update(API_TOKENS).values(last_used_at=moment)))

    assert used() is not None
    noted(fresh := "2999-01-01T00:00:00.000Z")
    assert used() == fresh
    noted(old := "2000-01-01T00:00:00.000Z")
    assert used() != old


def test_a_number_of_64_bits_may_be_asked_for(database: Database) -> None:
    with pytest.raises(NotFound):
        database.read(lambda connection: people.member(connection, 2**63 - 1))
