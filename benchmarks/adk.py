"""Driving an ADK agent: our engine beside a bare loop over ADK's own Runner, and whole processes beside `adk eval`.

`python -m benchmarks.adk [--adk-python PATH] [--tiny]`; PATH is a Python with google-adk[eval], and without it nothing
is compared with `adk eval`. Every case is one turn with two calls of a model that is scripted, and one of a tool.

`python -m benchmarks.adk bare|ours FOLDER CASES AT_ONCE TURNS` runs that many of the agent in a folder, in a process of
its own, and prints the CPU seconds that took once everything was imported.
"""

import argparse
import asyncio
import json
import logging
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.measure import AUDITION, HERE, PYTHON, TINY, Cost, Figure, NotRun, Size, best_of, run_child

_AGENT = '''
import asyncio
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmCapabilities, LlmResponse
from google.genai import types


class Scripted(BaseLlm):
    model: str = "scripted"

    @property
    def capabilities(self):
        return LlmCapabilities()

    async def generate_content_async(self, llm_request, stream=False):
        await asyncio.sleep({delay_s})
        if llm_request.contents[-1].parts[-1].function_response:
            part = types.Part(text="The light in the hall is on.")
        else:
            part = types.Part(function_call=types.FunctionCall(name="get_light", args={{"room": "hall"}}))
        yield LlmResponse(
            content=types.Content(role="model", parts=[part]),
            usage_metadata=types.GenerateContentResponseUsageMetadata(prompt_token_count=20, candidates_token_count=7),
        )


def get_light(room: str) -> str:
    """Tell whether the light of a room is on."""
    return "on"


root_agent = LlmAgent(name="house", model=Scripted(), tools=[get_light])
'''
_SAID = "Is the light in the hall on?"
_ANSWER = "The light in the hall is on."
_ADK_LIMIT_S = 400.0
"""`adk eval` runs four cases at a time, whatever it is asked."""


def figures(size: Size, adk_python: str | None = None) -> Iterator[Figure]:
    """Yield what our engine adds to ADK's Runner, and what whole processes take."""
    if find_spec("google.adk") is None:
        raise NotRun("google-adk is not installed")
    delay_ms = min(200, size.delay_ms)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as slow_folder:
        _write(Path(folder), delay_ms=0, counts=(1, size.calls))
        _write(Path(slow_folder), delay_ms=delay_ms, counts=(size.few,))
        yield from _engine(size, Path(folder))
        yield from _waiting(size, Path(slow_folder), delay_ms)
        yield from _turns(size, Path(folder))
        yield from _starting(size, Path(folder))
        if adk_python:
            adk = str(Path(adk_python).absolute().with_name("adk"))
            yield from _beside_adk(size, Path(folder), Path(slow_folder), adk, delay_ms)


def _engine(size: Size, folder: Path) -> Iterator[Figure]:
    cost = _compare(size, folder, size.few, 8)
    yield _cpu(f"{size.few:,} cases, 8 at once, CPU after start-up", cost, goal=1.15)
    yield _peak(f"{size.few:,} cases, 8 at once, peak", cost["ours"], cost["bare"])


def _waiting(size: Size, folder: Path, delay_ms: int) -> Iterator[Figure]:
    cost = _compare(size, folder, size.few, size.calls, rounds=1)
    name = f"{size.few:,} cases, {delay_ms} ms a model call, {size.calls} at once"
    yield Figure(name=f"{name}, wall", value=cost["ours"].wall_s, unit="s", plain=cost["bare"].wall_s)
    yield _cpu(f"{name}, CPU after start-up", cost, goal=1.15)


def _turns(size: Size, folder: Path) -> Iterator[Figure]:
    many, few = size.calls, max(size.calls // 4, 1)
    cost = _compare(size, folder, 1, 1, turns=many)
    fewer = _compare(size, folder, 1, 1, turns=few)
    yield _cpu(f"a case of {many} turns, CPU after start-up", cost, goal=1.15)

    def power(whose: str) -> float:
        return math.log(float(cost[whose].said) / float(fewer[whose].said), many / few)

    note = "ADK puts all turns before together for each model call"
    yield Figure(name=f"growth {few} to {many} turns", value=power("ours"), unit="", plain=power("bare"), note=note)


def _starting(size: Size, folder: Path) -> Iterator[Figure]:
    runs = {
        "ours": lambda: run_child([PYTHON, "-c", "import audition.agents.adk"], folder),
        "bare": lambda: run_child([PYTHON, "-c", "import google.adk.runners, google.adk.agents.llm_agent"], folder),
        "help": lambda: run_child([AUDITION, "adk", "eval", "--help"], folder),
    }
    cost = best_of(size.rounds, runs)
    imported, plain = cost["ours"].cpu_s, cost["bare"].cpu_s
    yield Figure(name="import audition.agents.adk, CPU", value=imported, unit="s", plain=plain)
    yield Figure(name="audition adk eval --help, CPU", value=cost["help"].cpu_s, unit="s", goal=0.2)


def _beside_adk(size: Size, folder: Path, slow_folder: Path, adk: str, delay_ms: int) -> Iterator[Figure]:
    goals = {1: 0.25, size.calls: 1 / 3}
    for count, goal in goals.items():
        cost = best_of(size.rounds, _both(folder, count, adk))
        own, theirs = cost["ours"], cost["adk"]
        name = f"adk eval, {count:,} cases"
        for what, value, plain in (("wall", own.wall_s, theirs.wall_s), ("CPU", own.cpu_s, theirs.cpu_s)):
            yield Figure(name=f"{name}, {what}", value=value, unit="s", plain=plain, goal=goal, goal_is_ratio=True)
        yield _peak(f"{name}, peak", own, theirs, goal=1 / 3)
    cost = best_of(1, _both(slow_folder, size.few, adk, "--concurrency", str(size.calls)))
    own, theirs = cost["ours"], cost["adk"]
    name = f"adk eval, {size.few:,} cases, {delay_ms} ms a model call"
    wall = f"{name}, wall"
    yield Figure(name=wall, value=own.wall_s, unit="s", plain=theirs.wall_s, goal=0.2, goal_is_ratio=True)
    yield _peak(f"{name}, peak", own, theirs, goal=1 / 3)


def _both(folder: Path, count: int, adk: str, *ours: str) -> dict[str, Callable[[], Cost]]:
    asked = ["eval", "house", f"{count}.evalset.json"]
    return {
        "ours": lambda: _passing(run_child([AUDITION, "adk", *asked, *ours], folder), count),
        "adk": lambda: _passing(run_child([adk, *asked], folder, limit_s=_ADK_LIMIT_S), count),
    }


def _passing(cost: Cost, count: int) -> Cost:
    if f"Tests passed: {count}" not in cost.said:
        raise NotRun(f"not all of {count} cases passed:\n{cost.said[-2000:]}")
    return cost


def _compare(
    size: Size, folder: Path, cases: int, at_once: int, *, turns: int = 1, rounds: int | None = None
) -> dict[str, Cost]:
    def run(whose: str) -> Callable[[], Cost]:
        command = [PYTHON, "-m", "benchmarks.adk", whose, str(folder), str(cases), str(at_once), str(turns)]
        return lambda: run_child(command, HERE.parent)

    return best_of(rounds or size.rounds, {whose: run(whose) for whose in ("bare", "ours")})


def _cpu(name: str, cost: dict[str, Cost], *, goal: float) -> Figure:
    own, plain = float(cost["ours"].said), float(cost["bare"].said)
    return Figure(name=name, value=own, unit="s", plain=plain, goal=goal, goal_is_ratio=True)


def _peak(name: str, own: Cost, plain: Cost, *, goal: float | None = None) -> Figure:
    return Figure(name=name, value=own.peak_mb, unit="MB", plain=plain.peak_mb, goal=goal, goal_is_ratio=True)


def _write(folder: Path, *, delay_ms: int, counts: tuple[int, ...]) -> None:
    """Write the agent, and an eval set of each size."""
    (folder / "house").mkdir()
    (folder / "house" / "__init__.py").write_text("from . import agent\n", encoding="utf-8")
    (folder / "house" / "agent.py").write_text(_AGENT.format(delay_s=delay_ms / 1000), encoding="utf-8")
    for count in counts:
        cases = [{"eval_id": f"case_{number}", "conversation": [_turn()]} for number in range(count)]
        text = json.dumps({"eval_set_id": f"set_{count}", "eval_cases": cases})
        (folder / f"{count}.evalset.json").write_text(text, encoding="utf-8")


def _turn() -> dict[str, object]:
    return {
        "user_content": {"role": "user", "parts": [{"text": _SAID}]},
        "final_response": {"role": "model", "parts": [{"text": _ANSWER}]},
        "intermediate_data": {"tool_uses": [{"name": "get_light", "args": {"room": "hall"}}]},
    }


def _child(whose: str, folder: str, cases: int, at_once: int, turns: int) -> None:
    logging.getLogger("google_adk").addHandler(logging.NullHandler())
    sys.path.insert(0, folder)
    root = import_module("house.agent").root_agent
    run = _bare if whose == "bare" else _ours
    asyncio.run(run(root, 1, 1, 1))  # ADK imports half of itself when it is first used
    begun = time.process_time()
    passed = asyncio.run(run(root, cases, at_once, turns))
    taken = time.process_time() - begun
    assert passed == cases, f"{passed} of {cases} passed"
    print(taken)


async def _bare(root: Any, cases: int, at_once: int, turns: int) -> int:
    from google.adk.runners import Runner
    from google.adk.sessions import InMemorySessionService
    from google.genai import types

    sessions, room = InMemorySessionService(), asyncio.Semaphore(at_once)
    runner = Runner(app_name="house", agent=root, session_service=sessions)

    async def one() -> bool:
        async with room:
            session = await sessions.create_session(app_name="house", user_id="user")
            said = [""]
            for _ in range(turns):
                message = types.Content(role="user", parts=[types.Part(text=_SAID)])
                async for event in runner.run_async(user_id="user", session_id=session.id, new_message=message):
                    if event.is_final_response() and event.content and event.content.parts:
                        said.append(event.content.parts[0].text or "")
            return "light" in said[-1]

    return sum(await asyncio.gather(*(one() for _ in range(cases))))


async def _ours(root: Any, cases: int, at_once: int, turns: int) -> int:
    from audition.agents.adk import AdkAgent
    from audition.engine.perform import perform
    from audition.engine.plan import Defaults, plan
    from audition.evals import Check, Eval, Turn
    from audition.results import Verdict

    check = Check(category="response", spec={"contains": "light"})
    conversation = (*(Turn(user=_SAID) for _ in range(turns - 1)), Turn(user=_SAID, checks=(check,)))
    agent = AdkAgent(root)
    trials = plan(
        [Eval(name=f"case {number}", turns=conversation) for number in range(cases)], Defaults(), agent.observes
    )
    results = perform(trials, agent, None, at_once=at_once)
    return sum([result.verdict is Verdict.PASS async for result in results])


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adk", description="How fast ADK agents are driven.")
    parser.add_argument("--adk-python", metavar="PATH", help="a Python that has google-adk[eval]")
    parser.add_argument("--tiny", action="store_true", help="only see that it works; the figures mean nothing")
    asked = parser.parse_args()
    try:
        for figure in figures(TINY if asked.tiny else Size(), asked.adk_python):
            print(figure.line(), flush=True)
    except NotRun as why:
        sys.exit(f"could not be run: {why}")


if __name__ == "__main__":
    if sys.argv[1:2] in (["bare"], ["ours"]):
        _child(sys.argv[1], sys.argv[2], *(int(number) for number in sys.argv[3:]))
    else:
        _main()
