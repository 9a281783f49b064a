"""A session that stays open between the turns of a test."""

import asyncio

from audition.agents import Agent
from audition.evals import Setup, Turn
from audition.llm.trial import of_trial
from audition.transcript import Exchange, State

_Asked = tuple[Turn, "asyncio.Future[Exchange]"]


class HeldSession:
    """A session in the running loop, which one task opens, uses and closes, as agents may rely on.

    `baseline`: the state before the first turn, None when it cannot be observed. The end of the loop ends the session.
    `label` is what the agent is told of the trial, `test` the whole name of the test, whose calls of models they are.
    """

    def __init__(self, agent: Agent, setup: Setup, *, label: str, test: str, idle_timeout_s: float) -> None:
        self.baseline: State | None = None
        self.loop = asyncio.get_running_loop()
        self._turns: asyncio.Queue[_Asked | None] = asyncio.Queue()
        self._idle_timeout_s = idle_timeout_s
        with of_trial(test, 1):
            self._task = self.loop.create_task(self._hold(agent, setup, label))

    async def send(self, turn: Turn) -> Exchange:
        """Return what a turn provoked. Raises: what the agent raises; the session is then over."""
        answer: asyncio.Future[Exchange] = self.loop.create_future()
        self._turns.put_nowait((turn, answer))
        try:
            await asyncio.wait((answer, self._task), return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._task.cancel()
            raise
        if not answer.done():
            await self._task
        return answer.result()

    async def end(self) -> None:
        """Close the session. Raises: what the agent raises over it."""
        if not self._task.done():
            self._turns.put_nowait(None)
            await self._task

    def cancel(self) -> None:
        """Have the session closed when the loop next runs, or ends."""
        self._task.cancel()

    async def _hold(self, agent: Agent, setup: Setup, label: str) -> None:
        async with agent.open(setup, trial=label) as session:
            if "state" in agent.observes:
                self.baseline = await session.state()
            while (asked := await self._turns.get()) is not None:
                turn, answer = asked
                answer.set_result(await session.send(turn, idle_timeout_s=self._idle_timeout_s))
