"""What audition adds to waiting: evals against a loopback server, beside a bare aiohttp loop making the same calls."""

import subprocess
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import AUDITION, HERE, PYTHON, Cost, Figure, NotRun, Size, best_of, run_child
from benchmarks.samples import write_evals

_CONTAINS = "how can I help"
_AGENTS = ("http", "chat")


def figures(size: Size) -> Iterator[Figure]:
    """Yield the time of whole processes against a slow server, at two widths, and against an instant one."""
    rows = ((size.calls, 50, size.delay_ms, 1.1), (size.calls, 200, size.delay_ms, 1.3), (size.rapid, 100, 0, 3.0))
    for count, at_once, delay_ms, goal in rows:
        with tempfile.TemporaryDirectory() as folder, serving(delay_ms) as base_url:
            cost = _compare(size, Path(folder), base_url, count, at_once)
        for agent in _AGENTS:
            name = f"{agent}, {count:,} calls of {delay_ms} ms, {at_once} at once"
            own, plain = cost[agent], cost["plain"]
            yield Figure(
                name=f"{name}, wall",
                value=own.wall_s,
                unit="s",
                plain=plain.wall_s,
                goal=goal,
                goal_is_ratio=True,
            )
            yield Figure(name=f"{name}, CPU", value=own.cpu_s, unit="s", plain=plain.cpu_s)


def _compare(size: Size, folder: Path, base_url: str, count: int, at_once: int) -> dict[str, Cost]:
    evals = write_evals(folder, count, suffix="json", contains=_CONTAINS)
    settings = f'[providers.canned]\nbase_url = "{base_url}/v1"\n'
    (folder / "audition.toml").write_text(settings, encoding="utf-8")
    width = str(at_once)
    run = [AUDITION, "run", evals, "--concurrency", width, "--agent"]
    commands = {
        "plain": [PYTHON, str(HERE / "bare.py"), "http", str(count), width, f"{base_url}/v1/chat/completions"],
        "http": [*run, f"http:{base_url}/turn"],
        "chat": [*run, "chat:canned:canned"],
    }
    runs = {name: counted(command, folder, base_url, count) for name, command in commands.items()}
    return best_of(size.rounds, runs)


def counted(command: list[str], folder: Path, base_url: str, count: int) -> Callable[[], Cost]:
    """Return a run that insists on having made exactly `count` calls: a figure without them would mean nothing."""

    def run() -> Cost:
        before = _answered(base_url)
        cost = run_child(command, folder)
        made = _answered(base_url) - before
        if made != count:
            raise NotRun(f"{' '.join(command)}\nmade {made} calls, not {count}")
        return cost

    return run


def _answered(base_url: str) -> int:
    with urllib.request.urlopen(f"{base_url}/count", timeout=10) as response:
        body: bytes = response.read()
    return int(body.partition(b":")[2].strip(b" }"))


@contextmanager
def serving(delay_ms: int) -> Iterator[str]:
    """Yield the address of a server in a process of its own, which ends with the block."""
    command = [PYTHON, str(HERE / "server.py"), str(delay_ms)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()
            server.wait(10)
