"""Tries to log in: how many are checked, and who is never locked out by others."""

from collections.abc import Iterable

import pytest
from sqlalchemy import update

from audition.store.service import rates
from audition.store.service.database import Database
from audition.store.service.tables import RATES

OWNER = "owner@example.com"


def attempt(database: Database, address: str, account: str = OWNER) -> rates.Attempt:
    """Count a try that turns out wrong."""
    return database.write(lambda connection: rates.count_try(database, connection, account, address))


def log_in(database: Database, address: str) -> None:
    """Count a try that turns out right."""
    counted = attempt(database, address)
    database.write(lambda connection: rates.forgive(database, connection, counted))


def checked(database: Database, addresses: Iterable[str]) -> int:
    """Return how many of many wrong tries are checked."""
    count = 0
    for address in addresses:
        try:
            attempt(database, address)
        except rates.TooManyTries:
            continue
        count += 1
    return count


def an_hour_later(database: Database) -> None:
    """Let all windows have begun an hour earlier."""
    earlier = update(RATES).values(began_s=RATES.c.began_s - rates.WINDOW_S - 1)
    database.write(lambda connection: connection.execute(earlier))


def test_one_place_has_few_tries_and_is_told_when_the_next_may_be(database: Database) -> None:
    assert checked(database, ["10.0.0.1"] * 100) == 20

    with pytest.raises(rates.TooManyTries) as refused:
        attempt(database, "10.0.0.1")
    assert 3500 < refused.value.wait_s <= 3600


def test_many_places_together_have_at_most_50_tries_in_a_window(database: Database) -> None:
    assert checked(database, [f"10.0.{number}.1" for number in range(200)]) <= 50


def test_any_hour_sees_at_most_100_tries(database: Database) -> None:
    first = checked(database, [f"10.0.{number}.1" for number in range(200)])
    an_hour_later(database)
    second = checked(database, [f"10.1.{number}.1" for number in range(200)])

    assert first + second <= 100


def test_another_place_can_still_log_in(database: Database) -> None:
    checked(database, ["10.0.0.1"] * 200)

    log_in(database, "10.0.0.2")


def test_a_place_that_is_known_can_log_in_when_strangers_everywhere_are_refused(database: Database) -> None:
    log_in(database, "10.9.9.9")
    checked(database, [f"10.0.{number}.1" for number in range(200)])

    log_in(database, "10.9.9.9")
    with pytest.raises(rates.TooManyTries):
        attempt(database, "10.8.8.8")


def test_other_accounts_are_not_touched(database: Database) -> None:
    checked(database, ["10.0.0.1"] * 30)

    attempt(database, "10.0.0.1", account="other@example.com")


def test_an_account_is_the_same_in_any_case_of_letters(database: Database) -> None:
    checked(database, ["10.0.0.1"] * 30)

    with pytest.raises(rates.TooManyTries):
        attempt(database, "10.0.0.1", account=OWNER.upper())


def test_right_tries_do_not_count(database: Database) -> None:
    for _ in range(60):
        log_in(database, "10.0.0.1")


def test_a_try_that_was_not_checked_is_taken_back(database: Database) -> None:
    for _ in range(60):
        counted = attempt(database, "10.0.0.1")
        database.write(lambda connection, one=counted: rates.forgive(database, connection, one, succeeded=False))


def test_a_network_of_ipv6_is_one_place(database: Database) -> None:
    assert checked(database, [f"2001:db8::{number:x}" for number in range(1, 40)]) == 20


def test_windows_that_are_over_are_forgotten_but_not_known_places(database: Database) -> None:
    log_in(database, "10.9.9.9")
    attempt(database, "10.0.0.1")
    an_hour_later(database)

    database.write(lambda connection: rates.purge_tries(connection, database.now_s))

    keys = database.read(lambda connection: connection.execute(RATES.select()).all())
    assert [row.key.partition(":")[0] for row in keys] == ["known"]
