"""Keys of requests that are sent twice."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import update

from audition.store.service import idempotency
from audition.store.service.database import Database
from audition.store.service.tables import IDEMPOTENCY


def claim(database: Database, request: str = "r") -> idempotency.Kept | None:
    """Claim the key `k`."""
    return database.write(lambda connection: idempotency.claim(database, connection, "k", request))


def test_the_first_claims_and_others_see_that_it_has_no_answer_yet(database: Database) -> None:
    assert claim(database) is None

    later = claim(database, "other")

    assert later is not None
    assert (later.request_hash, later.status) == ("r", None)


def test_an_answer_that_was_kept_is_found(database: Database) -> None:
    claim(database)
    headers = [("location", "/x/1")]
    database.write(lambda connection: idempotency.keep(connection, "k", status=201, headers=headers, body='{"id":1}'))

    found = claim(database)

    assert found == idempotency.Kept(request_hash="r", status=201, headers=(("location", "/x/1"),), body='{"id":1}')


def test_a_key_given_back_can_be_claimed_again(database: Database) -> None:
    claim(database)

    database.write(lambda connection: idempotency.release(connection, "k"))

    assert claim(database) is None


def test_a_day_later_a_key_is_free(database: Database) -> None:
    claim(database)
    day = update(IDEMPOTENCY).values(created_s=IDEMPOTENCY.c.created_s - idempotency.KEPT_S - 1)
    database.write(lambda connection: connection.execute(day))

    assert claim(database, "other") is None


def test_of_many_at_once_one_claims(database: Database) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: claim(database), range(100)))

    assert found.count(None) == 1


def test_old_answers_are_purged(database: Database) -> None:
    claim(database)
    day = update(IDEMPOTENCY).values(created_s=IDEMPOTENCY.c.created_s - idempotency.KEPT_S - 1)
    database.write(lambda connection: connection.execute(day))

    database.write(lambda connection: idempotency.purge_kept(connection, database.now_s))

    assert database.read(lambda connection: connection.execute(IDEMPOTENCY.select()).all()) == []
