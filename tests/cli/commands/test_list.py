"""`audition list`: the evals there are."""

import json
from typing import Any


def test_evals_are_listed_with_what_they_are_and_where(project: Any) -> None:
    project.write_evals("PF", tags="[smoke, refunds]")

    result = project.invoke("list")

    assert result.stdout.splitlines() == [
        "p1  -  smoke, refunds  1 turn  evals/plan.eval.yaml:1",
        "f2  -  smoke, refunds  1 turn  evals/plan.eval.yaml:8",
    ]
    assert result.exit_code == 0


def test_scripts_get_them_as_json(project: Any) -> None:
    project.write_evals("P", tags="[smoke]")

    (listed,) = json.loads(project.invoke("list", "--format", "json").stdout)

    assert listed == {
        "name": "p1",
        "description": None,
        "type": None,
        "tags": ["smoke"],
        "turns": 1,
        "where": "evals/plan.eval.yaml:1",
    }


def test_names_and_tags_narrow_the_list(project: Any) -> None:
    project.write_evals("PF")
    project.write_evals("EE", "evals/more.eval.yaml", tags="[smoke]")

    assert [line.split()[0] for line in project.invoke("list", "p*", "e1").stdout.splitlines()] == ["e1", "p1"]
    assert len(project.invoke("list", "--tag", "smoke").stdout.splitlines()) == 2


def test_a_file_that_does_not_load_shows_in_the_exit_code(project: Any) -> None:
    project.write_evals("P")
    project.write("evals/broken.eval.yaml", "name: broken\n")

    result = project.invoke("list")

    assert result.stdout.startswith("p1")
    assert "evals/broken.eval.yaml:1:1" in result.stderr
    assert result.exit_code == 2


def test_a_name_that_may_stand_in_a_file_that_does_not_load_is_asked_wrongly(project: Any) -> None:
    project.write_evals("P")
    project.write("evals/broken.eval.yaml", "name: broken\n")

    assert project.invoke("list", "broken").exit_code == 2


def test_no_agent_is_needed(empty: Any) -> None:
    empty.write_evals("P")

    assert empty.invoke("list").exit_code == 0
