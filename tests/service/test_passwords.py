"""Passwords: what is kept of them, and how many are hashed at once."""

import threading
from typing import Literal

import pytest
from argon2 import PasswordHasher, extract_parameters

from audition.service.passwords import Passwords
from audition.service.problems import Problem


class Noting(PasswordHasher):
    """Notes what passwords are held against."""

    def __init__(self) -> None:
        super().__init__()
        self.verified: list[str] = []

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        """Note it, then look."""
        self.verified.append(str(hash))
        return super().verify(hash, password)


def test_a_password_is_kept_as_argon2id_with_the_parameters_of_owasp() -> None:
    kept = extract_parameters(Passwords().hash("correct horse battery"))

    assert (kept.type.name, kept.memory_cost, kept.time_cost, kept.parallelism) == ("ID", 19456, 2, 1)


def test_the_right_password_holds_and_no_other() -> None:
    passwords = Passwords()
    kept = passwords.hash("correct horse battery")

    assert passwords.holds("correct horse battery", kept)
    assert not passwords.holds("Correct horse battery", kept)


@pytest.mark.parametrize("kept", [None, "", "no hash at all"], ids=["nobody", "empty", "damaged"])
def test_what_is_no_hash_holds_no_password(kept: str | None) -> None:
    assert not Passwords().holds("correct horse battery", kept)


def test_nobody_s_password_is_hashed_as_well_so_that_it_takes_as_long() -> None:
    passwords, hasher = Passwords(), Noting()
    passwords._hasher = hasher

    passwords.holds("correct horse battery", None)

    assert [extract_parameters(kept).memory_cost for kept in hasher.verified] == [19456]


def test_a_hash_with_other_parameters_is_outdated() -> None:
    old = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash("correct horse battery")
    passwords = Passwords()

    assert passwords.is_outdated(old)
    assert passwords.holds("correct horse battery", old)
    assert not passwords.is_outdated(passwords.hash("x"))


def test_who_finds_the_queue_full_is_asked_to_come_again() -> None:
    passwords = Passwords(at_once=1, waiting=0)

    with passwords._turn(), pytest.raises(Problem) as refused:
        passwords.hash("correct horse battery")

    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "1"})


def test_who_finds_a_place_in_the_queue_waits() -> None:
    passwords, kept = Passwords(at_once=1, waiting=1), []
    waiting = threading.Thread(target=lambda: kept.append(passwords.hash("correct horse battery")))

    with passwords._turn():
        waiting.start()
    waiting.join()

    assert passwords.holds("correct horse battery", kept[0])
