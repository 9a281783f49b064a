"""`audition runs import`: the runs of adk evals, taken into the history."""

import json
from typing import Any

import pytest

REPORT = {
    "id": "f" * 26,
    "timestamp": "2026-05-04T03:02:01.000Z",
    "evals": [
        {
            "name": "greeting",
            "turns": [
                {
                    "turnIndex": 0, "userMessage": "hello", "botResponse": "hi", "pass": False, "botDuration": 120,
                    "evalDuration": 3,
                    "assertions": [
                        {"assertion": 'contains "bye"', "pass": False, "expected": 'Response contains "bye"',
                         "actual": "Not found in response"},
                    ],
                },
            ],
            "outcomeAssertions": [], "pass": False, "duration": 900,
        },
    ],
    "passed": 0, "failed": 1, "total": 1, "duration": 1000,
}  # fmt: skip


def write(project: Any, report: object, name: str = "run.json") -> None:
    project.write(name, json.dumps(report))


def test_a_report_is_shown_like_a_run_of_ours(project: Any) -> None:
    write(project, REPORT)

    result = project.invoke("runs", "import", "run.json")

    assert (result.stdout, result.exit_code) == ("imported 1 run\n", 0)
    (run,) = project.runs()
    assert (run["id"], run["agent"], run["failed"], run["total"]) == ("f" * 26, "botpress", 1, 1)
    shown = project.invoke("runs", "f" * 26, "-v").stdout
    assert '✗ response.contains: "bye"' in shown
    assert "agent: hi" in shown


def test_a_run_stands_among_ours_by_its_date(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")
    write(project, REPORT | {"timestamp": "2020-01-01T00:00:00.000Z"})

    project.invoke("runs", "import", "run.json")

    assert [run["agent"] for run in project.runs()] == ["scripted:answers.yaml", "botpress"]


def test_importing_twice_changes_nothing(project: Any) -> None:
    write(project, REPORT)
    project.invoke("runs", "import", "run.json")
    before = project.invoke("runs", "--latest", "--format", "json").stdout

    write(project, REPORT | {"duration": 5})
    result = project.invoke("runs", "import", "run.json")

    assert (result.stdout, result.exit_code) == ("imported 0 runs, 1 known already\n", 0)
    assert project.invoke("runs", "--latest", "--format", "json").stdout == before


def test_a_run_of_ours_is_not_overwritten_by_its_own_report(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run", "--format", "botpress-json", "--output", "own.json")
    before = project.invoke("runs", "--latest", "--format", "json").stdout

    result = project.invoke("runs", "import", "own.json")

    assert result.stdout == "imported 0 runs, 1 known already\n"
    assert project.invoke("runs", "--latest", "--format", "json").stdout == before


def test_a_report_of_ours_is_read_by_another_project(project: Any) -> None:
    project.write_evals("PFE")
    project.invoke("run", "--no-history", "--format", "botpress-json", "--output", "own.json")

    project.invoke("runs", "import", "own.json")

    (run,) = project.runs()
    assert (run["passed"], run["failed"], run["errors"], run["total"]) == (1, 1, 1, 3)


def test_an_import_that_was_cut_short_is_done_again(project: Any) -> None:
    from contextlib import closing

    from audition.results import Run
    from audition.store.history import open_recorder

    begun = Run(id="f" * 26, started_at="2026-05-04T03:02:01.000+00:00", agent="botpress", total=1)
    with closing(open_recorder(str(project.folder / ".audition" / "history.db"))) as recorder:
        recorder.begin(begun)
    write(project, REPORT)

    result = project.invoke("runs", "import", "run.json")

    assert result.stdout == "imported 1 run\n"
    assert project.runs()[0]["status"] == "completed"


def test_what_cannot_be_read_is_told_and_the_rest_is_imported(project: Any) -> None:
    write(project, REPORT | {"evals": [*REPORT["evals"], {"name": "odd"}], "total": 2}, "runs/1.json")
    project.write("runs/2.json", "{")

    result = project.invoke("runs", "import", "runs")

    assert result.stdout == "imported 1 run\n"
    assert "runs/1.json: evals[1]: turns must be a list, and is nothing" in result.stderr
    assert "runs/2.json: it is not JSON" in result.stderr
    assert result.exit_code == 2
    (run,) = project.runs()
    assert (run["failed"], run["errors"], run["total"]) == (1, 1, 2)


WRONG = [
    pytest.param(["import"], "say what to import", id="no path"),
    pytest.param(["import", "nowhere"], "there are no Botpress eval runs at nowhere", id="nothing there"),
    pytest.param(["ffff", "run.json"], "give one ID", id="a path without the word"),
    pytest.param(["import", "run.json", "--latest"], "give an ID or --latest, not both", id="latest"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_what_was_asked_wrongly_is_told(project: Any, arguments: list[str], said: str) -> None:
    write(project, REPORT)

    result = project.invoke("runs", *arguments)

    assert said in result.stderr
    assert result.exit_code == 2
