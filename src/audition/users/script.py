"""A user who says what is written, in order."""

from collections.abc import Sequence

from audition.evals import Turn
from audition.transcript import Exchange


class Script:
    """Speaks the turns of an eval as they are written; it asks no model."""

    usage: None = None

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns

    async def next_turn(self, so_far: Sequence[Exchange]) -> Turn | None:
        """Return the turn that follows those already exchanged."""
        spoken = len(so_far)
        return self._turns[spoken] if spoken < len(self._turns) else None
