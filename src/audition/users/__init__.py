"""Who speaks the turns: a user says what comes next, given what has happened so far."""

from collections.abc import Sequence
from typing import Protocol

from audition.evals import Turn
from audition.transcript import Exchange


class User(Protocol):
    """Who speaks the turns of one conversation."""

    async def next_turn(self, so_far: Sequence[Exchange]) -> Turn | None:
        """Return the turn that follows the exchanges so far, or None when the user has nothing more to say."""
        ...
