"""Who speaks the turns: a user says what comes next, given what has happened so far."""

from collections.abc import Sequence
from typing import Protocol

from audition.evals import Turn
from audition.transcript import Exchange, Usage


class User(Protocol):
    """Who speaks the turns of one conversation."""

    @property
    def usage(self) -> Usage | None:
        """Return what was spent so far on a model that plays the user, None when none was asked."""
        ...

    async def next_turn(self, so_far: Sequence[Exchange]) -> Turn | None:
        """Return the turn that follows the exchanges so far, or None when the user has nothing more to say."""
        ...
