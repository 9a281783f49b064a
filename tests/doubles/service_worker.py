"""A worker of the service whose agent only notes that it was called: `service_worker.py URL LOG [DELAY_S] [AT_ONCE]`.

Each call of the agent is one line of LOG, appended at its beginning: run, case, trial, process.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from audition.agents import Facet
from audition.engine.perform import perform_one
from audition.engine.plan import Defaults, plan
from audition.evals import Check, Eval, Setup, Turn
from audition.judges.fixed import Fixed
from audition.results import TrialResult
from audition.service.runs import DurableRuns
from audition.service.worker import work
from audition.store.service.cases import cases_at
from audition.store.service.database import Database
from audition.store.service.runs import Begun
from audition.transcript import Exchange, Reply, State


class NotingAgent:
    """Writes one line for each call, takes its time, and answers."""

    at_once = 1000
    observes: frozenset[Facet] = frozenset({"replies"})

    def __init__(self, run_id: int, log: str, delay_s: float) -> None:
        self._run_id, self._log, self._delay_s = run_id, log, delay_s

    @asynccontextmanager
    async def open(self, setup: Setup, *, trial: str) -> AsyncIterator["NotingAgent"]:
        """Open a session; there is nothing to tell them apart."""
        yield self

    async def send(self, turn: Turn, *, idle_timeout_s: float) -> Exchange:
        """Note the call and answer."""
        line = f"{self._run_id} {turn.user} {os.getpid()}\n"
        file = os.open(self._log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line.encode())
        os.close(file)
        await asyncio.sleep(self._delay_s)
        return Exchange(user=turn.user, replies=(Reply(text=f"answer to {turn.user}"),))

    async def state(self) -> State:
        """Return no state."""
        return State()


class Performed:
    """What a run is carried out with; see `conducting.Performance`."""

    max_duration_s = None

    def __init__(self, database: Database, begun: Begun, log: str, delay_s: float) -> None:
        run = begun.run
        cases = database.read(lambda connection: cases_at(connection, run.dataset_id, run.dataset_version))
        self.trials: Sequence[tuple[int, int]] = [
            (case.id, number) for case in cases for number in range(1, run.options.trials + 1)
        ]
        self.at_once = run.options.concurrency
        self._agent, self._judge = NotingAgent(run.id, log, delay_s), Fixed(lambda question: True)
        self._trials_of = run.options.trials

    async def perform(self, case_id: int, number: int) -> TrialResult:
        """Have the agent called for a trial."""
        check = Check(category="criteria", spec={"criteria": "answers"})
        one = Eval(name=f"case-{case_id}", turns=(Turn(user=f"{case_id} {number}", checks=(check,)),))
        trials = plan([one], Defaults(trials=self._trials_of), NotingAgent.observes)
        return await perform_one(trials[number - 1], self._agent, self._judge)

    def refusal(self) -> str | None:
        """Return that nothing is refused."""
        return None


def main(url: str, log: str, delay_s: str = "0", at_once: str = "4") -> None:
    """Work until told to end."""
    database = Database(url)
    durable = DurableRuns(
        database, lambda database, begun: Performed(database, begun, log, float(delay_s)), at_once=int(at_once)
    )
    work(durable, ready=lambda: os.write(1, b"ready\n"))
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
