"""What audition itself costs: single-turn evals with one `contains` against a function agent that answers at once."""

import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measure import AUDITION, HERE, PYTHON, Cost, Figure, Size, best_of, run_child
from benchmarks.samples import write_agent, write_evals

_FILES = ("yaml", "json", "py")


def figures(size: Size) -> Iterator[Figure]:
    """Yield the cost of an eval, of a whole process, and how both grow, beside an asyncio gather."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _engine(size, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        yield from _whole(size, Path(folder))


def _engine(size: Size, folder: Path) -> Iterator[Figure]:
    counts = (size.few, size.many)
    runs = {f"plain {count}": _bare(folder, count) for count in (*counts, size.most)}
    for kind in ("async", "sync"):
        runs |= {f"{kind} {count}": _ours(folder, count, kind) for count in counts}
    runs |= {f"stored {count}": _ours(folder, count, "async", stored=True) for count in counts}
    cost = best_of(size.rounds, runs)
    plain = _marginal_ms(cost, "plain", counts)
    told = {
        "async": ("an eval, async agent, no store, CPU", 0.15, "after 0.05"),
        "sync": ("an eval, sync agent, no store, CPU", 0.15, "after 0.05"),
        "stored": ("an eval, async agent, store, CPU", 0.3, ""),
    }
    for key, (name, goal, note) in told.items():
        each = _marginal_ms(cost, key, counts)
        yield Figure(name=name, value=each, unit="ms", plain=plain, goal=goal, note=note)
    most = best_of(min(size.rounds, 2), {"async": _ours(folder, size.most, "async")})["async"]
    yield _exponent(f"growth {size.few:,} to {size.many:,}, exponent", cost, "async", counts)
    cost[f"async {size.most}"] = most
    yield _exponent(f"growth {size.many:,} to {size.most:,}, exponent", cost, "async", (size.many, size.most))


def _whole(size: Size, folder: Path) -> Iterator[Figure]:
    write_agent(folder)
    runs = {"plain": _bare(folder, size.few)}
    runs |= {suffix: _cli(folder, write_evals(folder, size.few, suffix=suffix)) for suffix in _FILES}
    cost = best_of(size.rounds, runs)
    plain = cost["plain"]
    for suffix in _FILES:
        name, own = f"audition run, {size.few:,} in .eval.{suffix}", cost[suffix]
        yield Figure(name=f"{name}, wall", value=own.wall_s, unit="s", plain=plain.wall_s, goal=0.5)
        yield Figure(name=f"{name}, CPU", value=own.cpu_s, unit="s", plain=plain.cpu_s)
    runs = {"plain": _bare(folder, size.many)}
    runs |= {suffix: _cli(folder, write_evals(folder, size.many, suffix=suffix)) for suffix in _FILES}
    larger = best_of(min(size.rounds, 2), runs)
    per_plain = 1000 * (larger["plain"].cpu_s - plain.cpu_s) / (size.many - size.few)
    for suffix in _FILES:
        name, own = f"audition run, {size.many:,} in .eval.{suffix}", larger[suffix]
        each = 1000 * (own.cpu_s - cost[suffix].cpu_s) / (size.many - size.few)
        yield Figure(name=f"{name}, peak", value=own.peak_mb, unit="MB", plain=larger["plain"].peak_mb, goal=100)
        yield Figure(name=f"{name}, CPU each", value=each, unit="ms", plain=per_plain)


def _bare(folder: Path, count: int) -> Callable[[], Cost]:
    return lambda: run_child([PYTHON, str(HERE / "bare.py"), "gather", str(count)], folder)


def _ours(folder: Path, count: int, kind: str, *, stored: bool = False) -> Callable[[], Cost]:
    history = [f"{count}.db"] if stored else []
    return lambda: run_child([PYTHON, str(HERE / "ours.py"), str(count), kind, *history], folder)


def _cli(folder: Path, evals: str) -> Callable[[], Cost]:
    return lambda: run_child([AUDITION, "run", evals, "--agent", "function:agent:reply"], folder)


def _marginal_ms(cost: dict[str, Cost], key: str, counts: tuple[int, int]) -> float:
    few, many = counts
    return 1000 * (cost[f"{key} {many}"].cpu_s - cost[f"{key} {few}"].cpu_s) / (many - few)


def _exponent(name: str, cost: dict[str, Cost], key: str, counts: tuple[int, int]) -> Figure:
    """Return the power of the count with which the time of the calls grows, start-up left out: 1 is linear."""
    few, many = counts

    def power(of: str) -> float:
        return math.log(float(cost[f"{of} {many}"].said) / float(cost[f"{of} {few}"].said), many / few)

    return Figure(name=name, value=power(key), unit="", plain=power("plain"), goal=1.05)
