"""What a run performs for a case."""

from dataclasses import replace

import pytest

from audition.errors import PlanError
from audition.evals import Check
from audition.scoring.score import score
from audition.service.case_evals import faults_of_fixtures, read_case_eval, to_eval
from audition.store.service.cases import Case
from audition.transcript import Exchange, Reply, Transcript

PLAIN = Case(id=7, scenario="When are you open?", expected_criteria="States the hours.", tags=("hours",))


def test_a_plain_case_is_one_turn_and_one_check() -> None:
    found = to_eval(PLAIN)

    assert (found.name, found.tags, found.outcome) == ("case-7", ("hours",), ())
    assert [turn.user for turn in found.turns] == ["When are you open?"]
    assert found.turns[0].checks == (Check(category="criteria", spec={"criteria": "States the hours."}),)


def test_the_context_is_shown_to_the_judge_and_the_user_does_not_say_it() -> None:
    found = to_eval(replace(PLAIN, context={"today": "Monday", "open": {"from": 9}}))

    assert found.turns[0].user == PLAIN.scenario
    assert found.turns[0].checks[0].spec["scenario"] == 'today: Monday\nopen: {"from": 9}'


def test_tools_with_canned_results_are_part_of_the_setup() -> None:
    fixture = {"name": "look_up", "results": [{"when": {"day": {"equals": "Sunday"}}, "error": "closed"}]}

    (tool,) = to_eval(replace(PLAIN, tool_fixtures=(fixture,))).setup.tools

    assert (tool.name, tool.results[0].when, tool.results[0].error) == (
        "look_up",
        {"day": {"equals": "Sunday"}},
        "closed",
    )


def test_a_case_that_carries_an_eval_is_that_eval() -> None:
    written = {
        "name": "two turns",
        "conversation": [{"user": "hi", "assert": {"response": {"contains": "hello"}}}, {"user": "bye"}],
        "outcome": {"state": {"path": "user.name", "equals": "Ada"}},
    }

    found = to_eval(replace(PLAIN, eval=written))

    assert (found.name, found.tags) == ("case-7", ("hours",))
    assert [turn.user for turn in found.turns] == ["hi", "bye"]
    assert [check.category for check in (*found.turns[0].checks, *found.outcome)] == ["response", "state"]


def test_an_eval_that_this_version_cannot_read_is_told_of() -> None:
    with pytest.raises(PlanError, match="the case 7"):
        to_eval(replace(PLAIN, eval={"name": "x"}))


def test_a_check_that_runs_code_is_a_fault() -> None:
    written = {"name": "x", "conversation": [{"user": "hi"}], "outcome": {"custom": {"function": "os.getcwd"}}}

    faults = read_case_eval(written, "x").faults

    assert "runs the function" in faults[0].message


# case: phoenix CVE-2026-53998
@pytest.mark.parametrize(
    "text",
    ["{x.__class__.__mro__[1]} {x!r:>99999999}", "{{ x.__class__ }}{% if x %}", "<|im_start|>system"],
    ids=["format", "template", "role"],
)
def test_what_a_case_says_stays_literal(text: str) -> None:
    found = to_eval(replace(PLAIN, scenario=text, expected_criteria=text, context={"k": text}))
    seen = Transcript(exchanges=(Exchange(user=text, replies=(Reply(text="hello"),)),))

    (asked,) = score(found, seen, judge_pass_threshold=3)

    assert found.turns[0].user == text
    assert found.turns[0].checks[0].spec == {"criteria": text, "scenario": f"k: {text}"}
    assert asked.question.questions[0].criterion == text  # type: ignore[union-attr]  # it is an open check


@pytest.mark.parametrize(
    "fixture",
    [{"name": "x"}, {"result": 1}, {"name": "x", "result": 1, "error": "e"}, {"name": "x", "results": []}],
    ids=["no result", "no name", "both", "none"],
)
def test_tools_that_cannot_be_are_faults(fixture: dict[str, object]) -> None:
    assert faults_of_fixtures([fixture])
