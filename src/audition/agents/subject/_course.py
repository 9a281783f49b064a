"""How far a conversation with a subject is: what its turn may still take, and why it goes no further."""

import time
from collections.abc import Callable

from audition.transcript import Trouble


class Stopped(Exception):
    """The turn goes no further; the course says why."""


class Course:
    """One conversation; `begin` begins its next turn.

    `max_steps`: how often models may be asked in one turn, >= 1. `clock` (seconds) is for tests. `trouble` is why the
    turn was stopped, None when it was not.
    """

    def __init__(self, max_steps: int, *, clock: Callable[[], float] = time.perf_counter) -> None:
        self.trouble: Trouble | None = None
        self._max_steps, self._clock = max_steps, clock
        self._began, self._waited_s, self._limit_s, self._steps = clock(), 0.0, 0.0, 0
        self._call_ids: set[str] = set()

    def begin(self, limit_s: float) -> None:
        """Begin a turn that may take so many seconds, our own waiting not counted."""
        self.trouble = None
        self._began, self._waited_s, self._limit_s, self._steps = self._clock(), 0.0, limit_s, 0

    def step(self) -> None:
        """Count that a model is asked.

        Raises: Stopped when it was asked too often without coming to an end.
        """
        self._steps += 1
        if self._steps > self._max_steps:
            raise self.stop(f"asked for tools or other agents {self._max_steps} times in one turn", by_agent=True)

    def left_s(self) -> float:
        """Return how long the turn may still take, seconds.

        Raises: Stopped when no time is left.
        """
        left_s = self._limit_s - (self._clock() - self._began - self._waited_s)
        if left_s <= 0:
            raise self.late()
        return left_s

    def waited(self, seconds: float) -> None:
        """Learn that so much of the turn was our own waiting: for a provider's limits, or to ask again."""
        self._waited_s += seconds

    def late(self) -> Stopped:
        """Return what ends a turn that takes too long."""
        return self.stop(f"no answer within {self._limit_s:g} s", by_agent=True)

    def stop(self, why: str, *, by_agent: bool) -> Stopped:
        """Return what ends the turn; the first reason counts."""
        self.trouble = self.trouble or Trouble(message=why, by_agent=by_agent)
        return Stopped(why)

    def own_id(self, wished: str) -> str:
        """Return an id for a tool call that no other call of the conversation has; as wished, where that is possible.

        Some endpoints number the calls of each answer from 0, and several agents share one conversation.
        """
        number, own = len(self._call_ids) + 1, wished or f"call_{len(self._call_ids) + 1}"
        while own in self._call_ids:
            own, number = f"{wished or 'call'}_{number}", number + 1
        self._call_ids.add(own)
        return own
