"""Passwords: how they are hashed, and how many at once."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from pydantic import Field

from audition.service.problems import Problem

MEMORY_KIB, ROUNDS, LANES = 19456, 2, 1
"""Argon2id with 19 MiB. Source: OWASP Password Storage Cheat Sheet."""

SHORTEST, LONGEST = 12, 1024

NewPassword = Annotated[str, Field(min_length=SHORTEST, max_length=LONGEST)]
"""A password that somebody chooses. Source: OWASP ASVS 5, 6.2.1 and 6.2.9."""

_WAITING = 16
"""How many may wait for their turn; a hash takes some 20 ms, so this is the most a login waits for: well under 1 s."""


class Passwords:
    """Hashes and checks passwords, a few at once: each takes 19 MiB and all of a core. Safe for several threads."""

    def __init__(self, *, at_once: int | None = None, waiting: int = _WAITING) -> None:
        self._hasher = PasswordHasher(time_cost=ROUNDS, memory_cost=MEMORY_KIB, parallelism=LANES)
        at_once = at_once or max(1, (os.cpu_count() or 1) // 2)
        self._turns = threading.BoundedSemaphore(at_once)
        self._places = threading.BoundedSemaphore(at_once + waiting)
        # Unknown addresses are checked against this, so that they take as long as known ones.
        self._nobody = self._hasher.hash(os.urandom(16).hex())

    def hash(self, password: str) -> str:
        """Return what is kept of a password. Raises: Problem 503 when too many are waiting."""
        with self._turn():
            return self._hasher.hash(password)

    def holds(self, password: str, kept: str | None) -> bool:
        """Say whether a password is the one that was kept; None, for nobody's, takes as long and is never right.

        Raises: Problem 503 when too many are waiting.
        """
        with self._turn():
            try:
                return self._hasher.verify(kept or self._nobody, password) and kept is not None
            except (VerificationError, InvalidHashError):
                return False

    def is_outdated(self, kept: str) -> bool:
        """Say whether a hash was made with other parameters than are used now."""
        return self._hasher.check_needs_rehash(kept)

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if not self._places.acquire(blocking=False):
            raise Problem(503, "too many people are logging in at once; try again", headers={"Retry-After": "1"})
        try:
            with self._turns:
                yield
        finally:
            self._places.release()
