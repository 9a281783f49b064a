"""API tokens as they are kept."""

import pytest

from audition.errors import NotFound
from audition.store.service import api_tokens, people
from audition.store.service.database import Connection, Database


def two_of_each(connection: Connection) -> None:
    """Make two tokens of each of two members."""
    for number in (1, 2):
        email = f"m{number}@example.com"
        member = people.add_member(connection, email=email, name="M", role="editor", password_hash=None)
        for name in ("a", "b"):
            api_tokens.create_token(connection, member, name=name, role="editor", scopes=["read"], expires_s=None)


def test_tokens_of_one_or_all_members_are_listed_without_the_revoked(database: Database) -> None:
    database.write(two_of_each)
    database.write(lambda connection: api_tokens.revoke_token(connection, 1))

    own, _ = database.read(lambda connection: api_tokens.api_tokens(connection, 1, limit=10))
    everyones, total = database.read(lambda connection: api_tokens.api_tokens(connection, None, limit=10))

    assert [one.id for one in own] == [2]
    assert ([one.id for one in everyones], total) == ([2, 3, 4], 3)


def test_a_revoked_token_is_not_found(database: Database) -> None:
    database.write(two_of_each)
    database.write(lambda connection: api_tokens.revoke_token(connection, 1))

    with pytest.raises(NotFound):
        database.read(lambda connection: api_tokens.api_token(connection, 1))


def test_a_token_shows_how_it_begins_and_no_more(database: Database) -> None:
    database.write(two_of_each)

    made, secret = database.write(
        lambda connection: api_tokens.create_token(
            connection, 1, name="ci", role="viewer", scopes=["read", "runs"], expires_s=4e9
        )
    )

    assert secret.startswith(made.prefix)
    assert len(made.prefix) == 10
    assert (made.scopes, made.expires_s, made.last_used_at) == (("read", "runs"), 4e9, None)
