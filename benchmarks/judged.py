"""What audition adds to waiting for a judge: cases of one agent call and one judge call, beside a bare aiohttp loop."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.http_latency import counted, serving
from benchmarks.measure import AUDITION, HERE, PYTHON, Cost, Figure, Size, best_of

_GOALS = ((50, 1.1), (200, 1.35))
"""How many cases run at once, and the highest multiple of the bare loop's time that is good enough."""


def figures(size: Size) -> Iterator[Figure]:
    """Yield the time of whole processes against a slow server, at two widths."""
    for at_once, goal in _GOALS:
        with tempfile.TemporaryDirectory() as folder, serving(size.delay_ms) as base_url:
            cost = _compare(size, Path(folder), base_url, at_once)
        name = f"judged, {2 * size.calls:,} calls of {size.delay_ms} ms, {at_once} at once"
        own, plain = cost["judged"], cost["plain"]
        yield Figure(
            name=f"{name}, wall", value=own.wall_s, unit="s", plain=plain.wall_s, goal=goal, goal_is_ratio=True
        )
        yield Figure(name=f"{name}, CPU", value=own.cpu_s, unit="s", plain=plain.cpu_s)


def _compare(size: Size, folder: Path, base_url: str, at_once: int) -> dict[str, Cost]:
    settings = f'[judge]\nmodel = "canned:canned"\n\n[providers.canned]\nbase_url = "{base_url}/judge"\n'
    (folder / "audition.toml").write_text(settings, encoding="utf-8")
    (folder / "judged.eval.json").write_text(json.dumps({"evals": _evals(size.calls)}), encoding="utf-8")
    width, judge = str(at_once), f"{base_url}/judge/chat/completions"
    plain = [PYTHON, str(HERE / "bare.py"), "judged", str(size.calls), width, f"{base_url}/turn", judge]
    own = [AUDITION, "run", "judged.eval.json", "--concurrency", width, "--agent", f"http:{base_url}/turn"]
    commands = {"plain": plain, "judged": own}
    runs = {name: counted(command, folder, base_url, 2 * size.calls) for name, command in commands.items()}
    return best_of(size.rounds, runs)


def _evals(count: int) -> list[dict[str, object]]:
    check = {"llm_judge": "The agent offers its help."}
    return [
        {"name": f"eval {number}", "conversation": [{"user": f"hello {number}", "assert": {"response": [check]}}]}
        for number in range(count)
    ]
