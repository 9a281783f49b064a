"""Who speaks the turns: a user says what comes next, given what has happened so far."""

from typing import Protocol

from audition.evals import Turn
from audition.transcript import Transcript


class User(Protocol):
    """Who speaks the turns of one conversation."""

    async def next_turn(self, so_far: Transcript) -> Turn | None:
        """Return the next turn, or None when the user has nothing more to say."""
        ...
