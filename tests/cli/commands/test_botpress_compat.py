"""`--botpress-compat`: where today's Botpress engine would give another verdict."""

import json
from typing import Any

PLAN = """
name: greeting
conversation:
  - user: good
    assert:
      response: [{contains: all is well, not_contains: well}]
"""


def ready(project: Any, plan: str = PLAN) -> None:
    project.write("evals/plan.eval.yaml", plan)


def test_notes_are_made_when_they_are_asked_for(project: Any) -> None:
    ready(project)

    shown = project.invoke("run", "-v", "--botpress-compat", "note").stdout

    assert "note:     the Botpress engine would pass this: it looks for contains" in shown
    assert "0 passed, 1 failed" in shown


def test_notes_are_details(project: Any) -> None:
    ready(project)

    assert "note:" not in project.invoke("run", "--botpress-compat", "note").stdout


def test_programs_get_the_notes_too(project: Any) -> None:
    ready(project)

    report = json.loads(project.invoke("run", "--format", "json", "--botpress-compat", "note").stdout)

    (check,) = report["evals"][0]["turns"][0]["checks"]
    assert check["note"].startswith("the Botpress engine would pass this")


def test_files_of_other_formats_get_no_notes_of_themselves(project: Any) -> None:
    ready(project)

    assert "note:" not in project.invoke("run", "-v").stdout


def test_notes_are_kept_in_the_history(project: Any) -> None:
    ready(project)
    shown = project.invoke("run", "-v", "--botpress-compat", "note").stdout

    assert project.invoke("runs", "--latest", "-v").stdout == shown


def test_a_file_of_botpress_gets_notes_with_details(project: Any) -> None:
    project.write(
        "evals/plan.eval.ts",
        "export default {name: 'greeting', conversation: [{user: 'good', assert: "
        "{response: [{contains: 'all is well', not_contains: 'well'}]}}]}",
    )

    assert "note:     the Botpress engine would pass this" in project.invoke("run", "-v").stdout


def test_the_verdicts_of_the_engine_are_given_on_demand_and_the_run_says_so(project: Any) -> None:
    ready(project)

    result = project.invoke("run", "--botpress-compat", "strict")

    assert "1 passed, 0 failed" in result.stdout
    assert result.exit_code == 0
    assert "warning: judged as the Botpress engine of today judges" in project.invoke("runs", "--latest").stdout


def test_a_run_is_judged_again_as_the_engine_would(project: Any) -> None:
    ready(project)
    project.invoke("run")
    run_id = project.runs()[0]["id"]

    strict = project.invoke("rescore", run_id, "--botpress-compat", "strict")
    noted = project.invoke("rescore", run_id, "--botpress-compat", "note", "-v")

    assert "1 passed, 0 failed" in strict.stdout
    assert "0 passed, 1 failed" in noted.stdout
    assert "note:     the Botpress engine would pass this" in noted.stdout


def test_another_word_is_refused(project: Any) -> None:
    ready(project)

    result = project.invoke("run", "--botpress-compat", "loose")

    assert result.exit_code == 2
