"""Driving: the one step that meets the agent. It writes down a transcript and judges nothing."""

import asyncio
import traceback
from contextlib import nullcontext
from functools import cache

from audition.agents import Agent, Facet
from audition.engine.plan import Trial
from audition.errors import AgentError
from audition.evals import Turn
from audition.transcript import Exchange, State, Transcript, Trouble
from audition.users import User


async def drive(agent: Agent, user: User, trial: Trial) -> Transcript:
    """Return what happened when the user spoke with the agent, up to the first turn that did not come to its end.

    Never raises on what the agent or its surroundings do: trouble is part of the transcript.
    """
    conversation = _Conversation(_listed(agent.observes))
    try:
        # Without a limit there is no need for a clock: it takes a twentieth of an instant trial's time.
        async with nullcontext() if trial.timeout_s is None else asyncio.timeout(trial.timeout_s):
            await conversation.hold(agent, user, trial)
    except TimeoutError:
        late = f"the eval did not end within {trial.timeout_s:g} s" if trial.timeout_s else "a time limit passed"
        conversation.stop(Trouble(message=late, by_agent=not conversation.awaits_user))
    except AgentError as error:
        conversation.stop(Trouble(message=str(error), by_agent=error.by_agent, detail=error.detail))
    except SystemExit as error:
        # Let through, it would end the process with the code of its choice, and 0 looks like a pass.
        conversation.stop(Trouble(message=f"the agent ended the process ({error.code})", by_agent=True))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        conversation.stop(Trouble(message=what, by_agent=False, detail=traceback.format_exc()))
    return conversation.transcript()


@cache
def _listed(observes: frozenset[Facet]) -> tuple[str, ...]:
    return tuple(sorted(observes))


class _Conversation:
    """A transcript in the making; `awaits_user`: the user is to speak, so that waiting is not the agent's doing."""

    def __init__(self, observes: tuple[str, ...]) -> None:
        self.observes = observes
        self.baseline: State | None = None
        self.exchanges: list[Exchange] = []
        self.trouble: Trouble | None = None
        self.turn: Turn | None = None
        self.awaits_user = False
        self.ended = False

    async def hold(self, agent: Agent, user: User, trial: Trial) -> None:
        async with agent.open(trial.eval.setup, trial=trial.label) as session:
            if "state" in agent.observes:
                self.baseline = await session.state()
            while (turn := await self._next_turn(user)) is not None:
                self.turn = turn
                exchange = await session.send(turn, idle_timeout_s=trial.idle_timeout_s)
                self.exchanges.append(exchange)
                self.turn = None
                if exchange.trouble:
                    break
            self.ended = True

    async def _next_turn(self, user: User) -> Turn | None:
        self.awaits_user = True
        turn = await user.next_turn(self.exchanges)
        self.awaits_user = False
        return turn

    def stop(self, trouble: Trouble) -> None:
        """Note trouble that was raised: on the turn under way, else on the conversation."""
        if self.turn is not None:
            self.exchanges.append(Exchange(user=self.turn.user, event=self.turn.event, trouble=trouble))
        elif not (self.exchanges and self.exchanges[-1].trouble):
            if self.ended:
                where = f"closing the conversation failed: {trouble.message}"
                trouble = Trouble(message=where, by_agent=trouble.by_agent, detail=trouble.detail)
            self.trouble = trouble

    def transcript(self) -> Transcript:
        return Transcript(
            baseline=self.baseline, exchanges=tuple(self.exchanges), trouble=self.trouble, observes=self.observes
        )
