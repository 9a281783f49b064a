"""Measuring: child processes and what they cost, figures and how they are printed.

This file imports the standard library alone: a child's peak memory counts from that of the process that starts it.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PYTHON = sys.executable
AUDITION = str(Path(sys.executable).with_name("audition"))

_CHILD_LIMIT_S = 120.0
_ROUNDS_LIMIT_S = 60.0
"""No further round of a comparison is begun after this long."""


class NotRun(Exception):
    """A benchmark could not be run: a child did not do what it was started for."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: `few`, `many` and `most` local evals, `calls` slow and `rapid` instant HTTP calls."""

    few: int = 1_000
    many: int = 10_000
    most: int = 50_000
    calls: int = 200
    rapid: int = 2_000
    rounds: int = 5
    delay_ms: int = 500


TINY = Size(few=20, many=40, most=60, calls=4, rapid=20, rounds=1, delay_ms=20)
"""Enough to see that a benchmark works; its figures mean nothing."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took, all its threads together, and what it wrote to its standard output."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One thing measured. `plain` is the same of a plain loop, None where there is none.

    `goal` is the highest value (with `goal_is_ratio`, the highest multiple of `plain`) that is good enough, None for a
    figure that is only told. `note` is said behind it.
    """

    name: str
    value: float
    unit: str
    plain: float | None = None
    goal: float | None = None
    goal_is_ratio: bool = False
    note: str = ""

    def line(self) -> str:
        """Return the figure as one line of text."""
        ratio = self.value / self.plain if self.plain else None
        goal, judged = "no goal", ""
        if self.goal is not None:
            measured = ratio if self.goal_is_ratio else self.value
            judged = "ok" if measured is not None and measured <= self.goal else "over"
            goal = f"goal {_number(self.goal)}{'x' if self.goal_is_ratio else ' ' + self.unit}"
        cells = [
            f"{self.name:<47}",
            f"{_number(self.value):>8} {self.unit:<4}",
            f"plain {_number(self.plain):>8}" if self.plain is not None else " " * 14,
            f"{ratio:6.2f}x" if ratio is not None else " " * 7,
            f"{goal:<12}",
            f"{judged:<4}",
            self.note,
        ]
        return "  ".join(cells).rstrip()


def run_child(command: Sequence[str], folder: Path, *, limit_s: float = _CHILD_LIMIT_S) -> Cost:
    """Run a command in a folder to its end and return what it took.

    Raises: NotRun when it fails or takes longer than `limit_s` seconds, two minutes by default.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        child = subprocess.Popen(
            command, cwd=folder, env=_environment(), stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        limit = threading.Timer(limit_s, child.kill)
        limit.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        finally:
            limit.cancel()
        wall_s = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        said, complained = out.read().decode(errors="replace"), err.read().decode(errors="replace")
    if child.returncode:
        raise NotRun(f"{' '.join(command)}\nended with {child.returncode}:\n{(said + complained)[-2000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall_s, usage.ru_maxrss / 1024, said)


def best_of(rounds: int, runs: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """Return the least cost of each run; they take turns, so that what else the machine does meets them alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in runs}
    begun = time.perf_counter()
    for _ in range(rounds):
        for name, run in runs.items():
            costs[name].append(run())
        if time.perf_counter() - begun > _ROUNDS_LIMIT_S:
            break
    return {name: _least(of_one) for name, of_one in costs.items()}


def _environment() -> dict[str, str]:
    """Return what a child finds in its environment: nothing that makes Python compile every file, or not buffer."""
    slowing = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    return {name: value for name, value in os.environ.items() if name not in slowing}


def _least(costs: Sequence[Cost]) -> Cost:
    return Cost(
        cpu_s=min(cost.cpu_s for cost in costs),
        wall_s=min(cost.wall_s for cost in costs),
        peak_mb=min(cost.peak_mb for cost in costs),
        said=costs[-1].said,
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"
