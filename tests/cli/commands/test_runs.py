"""`audition runs`: the history."""

import json
from typing import Any

import pytest


def test_without_a_history_it_is_said_how_to_make_one(project: Any) -> None:
    result = project.invoke("runs")

    assert "audition run makes one" in result.stderr
    assert result.exit_code == 2
    assert not project.folder.joinpath(".audition").exists()


def test_runs_are_listed_newest_first(project: Any) -> None:
    project.write_evals("PF")
    project.invoke("run", "p1")
    project.invoke("run", "f2")

    first, second = project.invoke("runs").stdout.splitlines()

    assert "0 passed, 1 failed" in first
    assert "1 passed, 0 failed" in second
    assert len(project.invoke("runs", "--limit", "1").stdout.splitlines()) == 1


def test_scripts_get_the_list_as_json(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")

    (run,) = json.loads(project.invoke("runs", "--format", "json").stdout)

    assert run["agent"] == "scripted:answers.yaml"
    assert {"id", "started_at", "passed", "failed", "errors", "skipped", "total", "duration_ms"} <= run.keys()


def test_the_latest_run_is_shown_as_it_was(project: Any) -> None:
    project.write_evals("PF")
    shown = project.invoke("run", "-v", "--concurrency", "1").stdout

    assert project.invoke("runs", "--latest", "-v").stdout == shown


def test_a_run_is_found_by_the_beginning_of_its_id(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")
    (run,) = project.runs()

    report = json.loads(project.invoke("runs", run["id"][:20], "--format", "json").stdout)

    assert (report["id"], report["passed"]) == (run["id"], 1)


def test_showing_a_failed_run_is_no_failure(project: Any) -> None:
    project.write_evals("F")
    project.invoke("run")

    assert project.invoke("runs", "--latest").exit_code == 0


WRONG = [
    pytest.param(["nope"], "no run called 'nope'", id="unknown id"),
    pytest.param(["nope", "--latest"], "give an ID or --latest, not both", id="both"),
    pytest.param(["--format", "junit"], "say which run", id="list as junit"),
    pytest.param(["--output", "x.txt"], "say which run", id="list to a file"),
    pytest.param(["--limit", "0"], "must be 1 or more, not 0", id="no runs"),
]


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_what_was_asked_wrongly_is_told(project: Any, arguments: list[str], said: str) -> None:
    project.write_evals("P")
    project.invoke("run")

    result = project.invoke("runs", *arguments)

    assert said in result.stderr
    assert result.exit_code == 2


def test_a_report_of_a_run_can_be_written_to_a_file(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")

    project.invoke("runs", "--latest", "--format", "junit", "--output", "out.xml")

    assert "<testsuite" in project.folder.joinpath("out.xml").read_text(encoding="utf-8")
