"""An agent that says again what a stored run holds: `replay:RUN`, RUN being a run's id or the beginning of one.

A turn that differs from the stored one is an error: nobody knows what the agent would have answered. A replayed answer
has no response time, so a check of it is an error too.
"""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import get_args

from audition.agents import Facet, Session, Surroundings
from audition.agents._options import read_options
from audition.documents.shape import Record
from audition.errors import AgentError, SettingsError
from audition.evals import Setup, Turn
from audition.text import nearest, shorten
from audition.transcript import Exchange, State, Transcript, Trouble

OPTIONS = Record("replay agent", "A replayed run takes no settings.")

_AT_ONCE = 1000


def agent(where: str, options: Mapping[str, object], around: Surroundings) -> "ReplayAgent":
    """Return the agent that replays the run of that id.

    Raises: SettingsError when there is no history to look into, NotFound when it holds no such run.
    """
    read_options("replay", OPTIONS, options)
    if around.transcripts is None:
        hint = "replay runs that are kept, in a project with a history"
        raise SettingsError(f"there is no history to replay {where!r} from", key="agent", hint=hint)
    return ReplayAgent(around.transcripts(where))


class ReplayAgent:
    """An agent that says again what transcripts hold, by the trial they are of; it shows what could be seen then."""

    at_once = _AT_ONCE

    def __init__(self, transcripts: Mapping[str, Transcript]) -> None:
        self._transcripts = transcripts
        self.observes = _observed(transcripts.values())

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator[Session]:  # noqa: ARG002  # set up back then
        """Open the stored conversation of a trial.

        Raises: AgentError when there is none, and when it could not be opened back then.
        """
        stored = self._transcripts.get(trial)
        if stored is None:
            guess = nearest(trial, self._transcripts)
            hint = f"did you mean {guess!r}?" if guess else None
            raise AgentError(f"the stored run has no trial {trial!r}", by_agent=False, hint=hint)
        if stored.trouble and not stored.exchanges:
            raise AgentError(stored.trouble.message, by_agent=stored.trouble.by_agent, detail=stored.trouble.detail)
        yield _ReplaySession(stored)


class _ReplaySession:
    """A stored conversation, exchange by exchange."""

    def __init__(self, stored: Transcript) -> None:
        self._stored = stored
        self._spoken = 0

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:  # noqa: ARG002  # nothing to wait for
        """Return the next stored exchange, if it answers this turn."""
        exchanges = self._stored.exchanges
        if self._spoken == len(exchanges):
            return Exchange(user=turn.user, event=turn.event, trouble=self._at_the_end())
        stored = exchanges[self._spoken]
        self._spoken += 1
        if (stored.user, stored.event) != (turn.user, turn.event):
            was = repr(shorten(stored.user)) if stored.user is not None else "an event"
            message = f"the stored run has another turn here: {was}"
            return Exchange(user=turn.user, event=turn.event, trouble=Trouble(message=message, by_agent=False))
        return replace(stored, response_ms=None)

    async def state(self) -> State:
        """Return the stored state as it was at this point.

        Raises: AgentError when it was not observed.
        """
        seen = self._stored.exchanges[self._spoken - 1].state if self._spoken else self._stored.baseline
        if seen is None:
            raise AgentError("the stored run does not say what the state was", by_agent=False)
        return seen

    def _at_the_end(self) -> Trouble:
        message = f"the stored run has no turn {self._spoken + 1}"
        return self._stored.trouble or Trouble(message=message, by_agent=False)


def _observed(transcripts: Collection[Transcript]) -> frozenset[Facet]:
    """Return what could be seen in all of the transcripts; those that do not say count as having shown everything."""
    facets = frozenset(get_args(Facet))
    for stored in transcripts:
        if stored.observes is not None:
            facets &= frozenset(stored.observes)
    return facets
