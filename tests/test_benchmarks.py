"""The benchmarks: that they run and print their lines, never how fast anything is."""

import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks import faulty
from benchmarks.measure import Figure, NotRun

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        pytest.param("startup", ["audition --version, CPU", "import audition, CPU"], id="startup"),
        pytest.param(
            "overhead",
            ["an eval, async agent, no store, CPU", "an eval, async agent, store, CPU", "audition run, 40 in .eval.py"],
            id="overhead",
        ),
        pytest.param("http_latency", ["http, 4 calls of 20 ms, 50 at once", "chat, 20 calls of 0 ms"], id="http"),
        pytest.param("judged", ["judged, 8 calls of 20 ms, 50 at once, wall", "200 at once, CPU"], id="judged"),
        pytest.param("faulty", ["busy, 2 cases of 0.5 s", "garbage, 2 cases of 0.5 s"], id="faulty judge"),
        pytest.param("botpress", ["read 20 .eval.ts, CPU", "the whole process, CPU"], id="botpress"),
        pytest.param("adk_scoring", ["40 invocations scored, CPU"], id="ADK scoring"),
        pytest.param("adk", ["20 cases, 8 at once, CPU", "a case of 4 turns, CPU"], id="ADK"),
        pytest.param(
            "pytest_plugin", ["20 evals in .eval.yaml under pytest, wall", "4 evals of 20 ms, 50 at once"], id="pytest"
        ),
        pytest.param("lint", ["L1, found wrongly", "L4, missed"], id="lint"),
        pytest.param(
            "service",
            ["GET a run with 50 results", "SQLite, 20 scripted cases, 1 at once", "two workers for one's wall"],
            id="service",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "service.reading",
            ["GET a run with 50 results, wall", "GET a run with 50 results, CPU"],
            id="part",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_a_benchmark_runs_and_prints_its_figures(name: str, lines: list[str]) -> None:
    command = [sys.executable, "-m", "benchmarks", name, "--tiny"]

    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert [line for line in lines if line not in ran.stdout] == []


def test_a_benchmark_that_nobody_wrote_is_refused() -> None:
    command = [sys.executable, "-m", "benchmarks", "startpu"]

    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)

    assert ran.returncode == 2
    names = "startup, overhead, http_latency, judged, faulty, botpress, adk_scoring, adk, pytest_plugin, lint"
    assert f"there are: {names}" in ran.stderr


@pytest.mark.parametrize(
    ("late_by_s", "code"), [pytest.param(1.0, 0, id="as late as it may"), pytest.param(1.01, 1, id="later")]
)
def test_a_case_that_is_too_late_fails_the_benchmark_of_faulty_judges(
    late_by_s: float, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = Figure(name="drip", value=late_by_s, unit="s", goal=faulty.MAY_BE_LATE_S)
    monkeypatch.setattr(faulty, "lateness", lambda _cases, _limit_s: iter([figure]))

    assert faulty.main() == code


@pytest.mark.parametrize(
    ("verdicts", "why"),
    [
        pytest.param(["pass"], "1 of 2 cases have a row", id="a row is missing"),
        pytest.param(["pass", "pass"], "case 1 was judged on half an answer: pass", id="half an answer"),
        pytest.param(["fail", "error"], "case 0 was judged on half an answer: fail", id="a verdict nobody gave"),
    ],
)
def test_rows_that_cannot_be_are_no_figures(verdicts: list[str], why: str) -> None:
    rows = [{"name": f"fault cut, case {number}", "verdict": verdict} for number, verdict in enumerate(verdicts)]

    with pytest.raises(NotRun, match=why):
        faulty._insist("cut", rows, 2)
