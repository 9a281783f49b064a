"""What lint says of the cases of a dataset."""

from dataclasses import replace
from pathlib import Path

import pytest

from audition.service.conventions import STRICT
from audition.service.linting import insist_on_passable, lint_case, lint_cases, tool_names
from audition.service.problems import Problem
from audition.settings import Settings
from audition.store.service.cases import Case
from audition.subjects import Subject

SETTINGS = Settings(root=Path())
CASE = Case(id=1, scenario="When are you open?", expected_criteria="Calls look_up_hours and states the times.")
SUBJECT = Subject(family="agents", id=1, name="Desk", instruction="Be brief.", model="scripted:hi")


def codes(findings: list[dict[str, object]]) -> list[object]:
    """Return the codes of findings."""
    return [finding["code"] for finding in findings]


def test_the_tools_of_a_subject_are_those_of_all_below_it() -> None:
    child = replace(SUBJECT, tools=({"kind": "mock", "name": "b"},))
    root = replace(SUBJECT, tools=({"kind": "http", "name": "a"},), children=(child,))

    assert tool_names(root) == {"a", "b"}


@pytest.mark.parametrize("kind", ["mcp", "openapi"])
def test_the_tools_of_a_server_are_not_known_before_it_is_asked(kind: str) -> None:
    assert tool_names(replace(SUBJECT, tools=({"kind": kind, "name": "a"},))) is None


@pytest.mark.parametrize(
    ("tools", "expected"), [(set(), ["L9"]), ({"look_up_hours"}, []), (None, [])], ids=["without", "with", "not known"]
)
def test_a_tool_that_the_subject_lacks_is_found(tools: set[str] | None, expected: list[str]) -> None:
    assert codes(lint_case(SETTINGS, CASE, tools)) == expected


def test_a_tool_with_canned_results_is_one_the_subject_has() -> None:
    case = replace(CASE, tool_fixtures=({"name": "look_up_hours", "result": 1},))

    assert lint_case(SETTINGS, case, set()) == []


def test_what_settings_ignore_is_not_told() -> None:
    assert lint_case(replace(SETTINGS, lint_ignore=("L9",)), CASE, set()) == []


def test_cases_that_are_alike_are_found_unless_they_are_meant_to_be() -> None:
    alike = replace(CASE, id=2, scenario="when are you OPEN")

    found = lint_cases(SETTINGS, [CASE, alike], None)
    meant = lint_cases(SETTINGS, [replace(CASE, cluster="open"), replace(alike, cluster="open")], None)

    assert [(finding["code"], finding["case_id"]) for finding in found] == [("L12", 2)]
    assert meant == []


def test_criteria_that_no_response_can_pass_are_refused_of_strict_clients_alone() -> None:
    findings = {"/cases/1": lint_case(SETTINGS, replace(CASE, expected_criteria="Says it word for word."), None)}
    insist_on_passable(findings)

    token = STRICT.set(True)
    try:
        with pytest.raises(Problem) as caught:
            insist_on_passable(findings)
    finally:
        STRICT.reset(token)

    assert caught.value.errors[0]["pointer"] == "/cases/1/expected_criteria"
