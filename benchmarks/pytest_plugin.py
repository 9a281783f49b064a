"""What evals cost under pytest: the plugin's items beside as many plain tests, and slow agents side by side."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import PYTHON, Cost, Figure, Size, best_of, run_child
from benchmarks.samples import write_agent, write_evals

_PYTEST = [PYTHON, "-m", "pytest", "-q", "--disable-plugin-autoload", "-p", "no:cacheprovider"]
_OURS = ["-p", "audition.pytest_plugin", "--audition", "--audition-agent"]

_PLAIN = """\
def test_{0}():
    assert "you said" in "You said: hello {0}".lower()


"""

_SLOW = """\
import asyncio

async def reply(turn, session):
    await asyncio.sleep({})
    return f"You said: {{turn.user}}"
"""


def figures(size: Size) -> Iterator[Figure]:
    """Yield the time of many instant evals, and of slow ones, with what plain tests take in their place."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_agent(folder)
        tests = _write_tests(folder, size.few)
        runs = {"plain": _pytest(folder, tests)}
        for suffix in ("yaml", "json"):
            evals = write_evals(folder, size.few, suffix=suffix)
            runs[suffix] = _pytest(folder, evals, *_OURS, "function:agent:reply")
        cost = best_of(size.rounds, runs)
    plain = cost.pop("plain")
    for suffix, own in cost.items():
        what = f"{size.few:,} evals in .eval.{suffix} under pytest"
        yield Figure(name=f"{what}, wall", value=own.wall_s, unit="s", plain=plain.wall_s, goal=1.5, goal_is_ratio=True)
        yield Figure(name=f"{what}, CPU", value=own.cpu_s, unit="s", plain=plain.cpu_s)
        yield Figure(name=f"{what}, peak", value=own.peak_mb, unit="MB", plain=plain.peak_mb)
    yield from _slow(size)


def _slow(size: Size) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "slow.py").write_text(_SLOW.format(size.delay_ms / 1000), encoding="utf-8")
        evals = write_evals(folder, size.calls, suffix="json")
        ran = _pytest(folder, evals, *_OURS, "function:slow:reply", "--audition-concurrency", "50")()
    one_by_one = size.calls * size.delay_ms / 1000
    name = f"{size.calls} evals of {size.delay_ms} ms, 50 at once, wall"
    yield Figure(name=name, value=ran.wall_s, unit="s", plain=one_by_one, note="plain: one after another")


def _write_tests(folder: Path, count: int) -> str:
    (folder / "test_plain.py").write_text("".join(map(_PLAIN.format, range(count))), encoding="utf-8")
    return "test_plain.py"


def _pytest(folder: Path, *arguments: str) -> Callable[[], Cost]:
    return lambda: run_child([*_PYTEST, *arguments], folder)
