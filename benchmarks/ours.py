"""The engine alone, in a process of its own: `python ours.py COUNT async|sync [history.db]`.

It runs evals built in Python against a function agent that answers at once, and prints the CPU seconds that took.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path

from audition.agents.function import FunctionAgent
from audition.engine.perform import perform
from audition.engine.plan import Defaults, plan
from audition.engine.tally import Tally, new_run
from audition.evals import Check, Eval, Turn
from audition.results import TrialResult, Verdict

AT_ONCE = 8


async def reply(turn: Turn, _session: object) -> str:
    """Answer at once."""
    return f"You said: {turn.user}"


def reply_at_once(turn: Turn, _session: object) -> str:
    """Answer at once, without a loop."""
    return f"You said: {turn.user}"


def evals(count: int) -> Iterator[Eval]:
    """Yield single-turn evals with one check."""
    for number in range(count):
        check = Check(category="response", spec={"contains": "you said"})
        yield Eval(name=f"eval {number}", turns=(Turn(user=f"hello {number}", checks=(check,)),))


async def main(count: int, kind: str, history: Path | None) -> None:
    """Run `count` evals, with a history when there is a file for it, and insist that all pass."""
    begun = time.process_time()
    agent = FunctionAgent(reply if kind == "async" else reply_at_once)
    trials = plan(evals(count), Defaults(), agent.observes)
    results = perform(trials, agent, None, at_once=AT_ONCE)
    passed = await (_count(results) if history is None else _count_and_keep(results, count, history))
    assert passed == count, f"{passed} of {count} passed"
    print(time.process_time() - begun)


async def _count(results: AsyncIterator[TrialResult]) -> int:
    return sum([result.verdict is Verdict.PASS async for result in results])


async def _count_and_keep(results: AsyncIterator[TrialResult], count: int, history: Path) -> int:
    from audition.store.history import open_recorder
    from audition.store.recording import Recording

    run = new_run(agent="function:ours:reply", judge=None, total=count, paths=())
    tally = Tally(run)
    with closing(open_recorder(str(history))) as recorder, Recording(recorder, run) as recording:
        async for result in results:
            tally.count(result)
            recording.add(result)
        finished = tally.run("completed", duration_ms=0.0)
        recording.finish(finished)
    return finished.passed


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], Path(sys.argv[3]) if len(sys.argv) > 3 else None))
