"""Evals as cases and back."""

from dataclasses import replace

import pytest

from audition.evals import Eval
from audition.formats.eval_dict import read_evals, write_eval
from audition.service.eval_cases import case_of_eval, eval_of_case, row_of_eval
from audition.store.service.cases import Case

DRAFT = Case(id=0, scenario="", expected_criteria="")


def eval_of(**written: object) -> Eval:
    """Return an eval that is written without fault."""
    reading = read_evals([{"name": "one", **written}], "file")
    assert reading.faults == ()
    return reading.evals[0]


def case_of(an_eval: Eval) -> Case:
    """Return the case of an eval."""
    return case_of_eval(DRAFT, write_eval(an_eval), own_tags=False)


JUDGED = {"conversation": [{"user": "hi", "assert": {"response": {"llm_judge": "greets"}}}, {"user": "x"}]}
EVENT = {"conversation": [{"event": {"payload": {"a": 1}}, "expectSilence": True}]}
SIMULATED = {"scenario": {"startingPrompt": "hello", "plan": "go on"}, "outcome": {"criteria": "is kind"}}
STATE = {"state": {"path": "user.name", "equals": "Ada"}}
WORKFLOW = {"conversation": [], "setup": {"workflow": {"trigger": "daily"}}, "outcome": STATE}
BLANK = {"conversation": [{"user": "  ", "assert": {"response": {"contains": "a"}}}]}


@pytest.mark.parametrize(
    ("written", "scenario", "criteria"),
    [
        (JUDGED, "hi", "greets"),
        (EVENT, '(an event: {"a":1})', "On turn 1: says nothing."),
        (SIMULATED, "hello", "is kind"),
        (WORKFLOW, "(the workflow daily)", 'In the end, state: user.name: equals "Ada".'),
        (BLANK, "(nothing is said)", 'On turn 1, response: contains: "a".'),
    ],
    ids=["judged", "event", "simulated", "workflow", "blank"],
)
def test_a_case_tells_in_words_what_its_eval_is_about(written: dict[str, object], scenario: str, criteria: str) -> None:
    found = case_of(eval_of(**written))

    assert (found.scenario, found.expected_criteria) == (scenario, criteria)
    assert found.eval == write_eval(eval_of(**written))


@pytest.mark.parametrize(
    "more",
    [
        {"description": "d"},
        {"type": "regression"},
        {"options": {"idleTimeout": 5}},
        {"outcome": STATE},
        {"setup": {"state": {"user": {"a": 1}}}},
        {"extra": {"other": 1}},
    ],
    ids=["description", "type", "options", "outcome", "state", "extra"],
)
def test_an_eval_that_says_more_than_a_plain_case_is_carried(more: dict[str, object]) -> None:
    turn = {"user": "hi", "assert": {"criteria": "greets"}}

    assert case_of(eval_of(conversation=[turn])).eval is None
    assert case_of(eval_of(conversation=[turn], **more)).eval is not None


@pytest.mark.parametrize("samples", [{"samples": 3}, {"scenario": "It is Monday."}], ids=["samples", "situation"])
def test_criteria_that_say_more_than_a_plain_case_are_carried(samples: dict[str, object]) -> None:
    turn = {"user": "hi", "assert": {"criteria": {"criteria": "greets", **samples}}}

    assert case_of(eval_of(conversation=[turn])).eval is not None


def test_what_a_case_says_beyond_its_eval_stands_under_extra() -> None:
    case = replace(DRAFT, id=3, scenario="hi", expected_criteria="greets", must_pass=True, cluster="c", tags=("a",))

    written = write_eval(eval_of_case(case, "case-3"))

    assert written["extra"] == {"audition_case": {"must_pass": True, "cluster": "c", "external_id": None}}
    assert row_of_eval(eval_of_case(case, "case-3")) == {
        "external_id": None,
        "tags": ["a"],
        "must_pass": True,
        "cluster": "c",
        "eval": {key: value for key, value in written.items() if key != "extra"},
    }
