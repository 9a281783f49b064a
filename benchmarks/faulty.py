"""Whether a judged case ends in its time whatever the judge's server does, and never on half an answer.

`python -m benchmarks.faulty` runs 200 cases of 3 s each, and returns 1 when one ends more than a second late, has no
row, or is judged on half an answer.
"""

import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.faulty_server import FAULTS
from benchmarks.measure import AUDITION, HERE, PYTHON, Figure, NotRun, Size

MAY_BE_LATE_S = 1.0
"""How much longer than its limit a case may take."""

_CASES, _LIMIT_S = 200, 3.0
_SHORT_LIMIT_S = 0.5
_RUN_LIMIT_S = 120.0

_BOT = """\
async def reply(turn, session):
    return turn.user
"""

_Row = Mapping[str, Any]


def figures(size: Size) -> Iterator[Figure]:
    """Yield the short form: cases of half a second."""
    return lateness(max(2 * len(FAULTS), size.calls), _SHORT_LIMIT_S)


def lateness(cases: int, limit_s: float) -> Iterator[Figure]:
    """Yield by how much the latest case of each fault was late, with what became of its cases.

    The cases of one fault are one run, all of them at once: a provider that is busy is left alone by all its models.

    Raises: NotRun when a case has no row, or a verdict that nobody gave.
    """
    of_each = cases // len(FAULTS)
    with tempfile.TemporaryDirectory() as folder, _serving() as url:
        for fault in FAULTS:
            rows = _run(Path(folder), url, fault, of_each, limit_s)
            _insist(fault, rows, of_each)
            counts = Counter(str(row["verdict"]) for row in rows)
            yield Figure(
                name=f"{fault}, {len(rows)} cases of {limit_s:g} s, the latest late by",
                value=max(0.0, *(row["duration_ms"] / 1000 - limit_s for row in rows)),
                unit="s",
                goal=MAY_BE_LATE_S,
                note=", ".join(f"{verdict} {count}" for verdict, count in sorted(counts.items())),
            )


def main() -> int:
    """Print the figures; return 1 when a case was late by more than it may, or what came of one is wrong."""
    late = False
    try:
        for figure in lateness(_CASES, _LIMIT_S):
            print(figure.line(), flush=True)
            late = late or (figure.goal is not None and figure.value > figure.goal)
    except NotRun as why:
        print(why, file=sys.stderr)
        return 1
    return 1 if late else 0


@contextmanager
def _serving() -> Iterator[str]:
    """Yield the address of the server, in a process of its own, which ends with the block."""
    command = [PYTHON, str(HERE / "faulty_server.py")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()
            server.wait(10)


def _run(folder: Path, url: str, fault: str, count: int, limit_s: float) -> list[_Row]:
    """Run the cases of one fault and return their rows."""
    (folder / "bot.py").write_text(_BOT, encoding="utf-8")
    settings = f'[judge]\nmodel = "faulty:judge"\n\n[providers.faulty]\nbase_url = "{url}/v1"\n'
    (folder / "audition.toml").write_text(settings, encoding="utf-8")
    evals = [_eval(fault, number) for number in range(count)]
    (folder / "faulty.eval.json").write_text(json.dumps({"evals": evals}), encoding="utf-8")
    command = [AUDITION, "run", "faulty.eval.json", "--agent", "function:bot:reply", "--format", "json"]
    command += ["--timeout", f"{limit_s:g}", "--concurrency", f"{count}"]
    try:
        ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=_RUN_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise NotRun(f"{fault}: the run did not end within {_RUN_LIMIT_S:g} s") from None
    try:
        rows: list[_Row] = json.loads(ran.stdout)["evals"]
    except (ValueError, KeyError):
        raise NotRun(f"{' '.join(command)}\nended with {ran.returncode}:\n{ran.stderr[-2000:]}") from None
    return rows


def _eval(fault: str, number: int) -> dict[str, object]:
    check = {"response": [{"llm_judge": "The reply is right."}]}
    said = f"fault {fault}, case {number}"
    return {"name": said, "conversation": [{"user": said, "assert": check}]}


def _insist(fault: str, rows: Sequence[_Row], of_each: int) -> None:
    """Refuse rows that are missing, and verdicts that nobody gave: a fault that stays is an error, and none a fail."""
    if len(rows) != of_each:
        raise NotRun(f"{fault}: {len(rows)} of {of_each} cases have a row")
    for row in rows:
        passes = int(str(row["name"]).rpartition(" ")[2]) % 2 == 0
        if row["verdict"] not in (("pass", "error") if passes else ("error",)):
            raise NotRun(f"{row['name']} was judged on half an answer: {row['verdict']}")


if __name__ == "__main__":
    sys.exit(main())
