from collections.abc import Callable, Sequence

import pytest

from audition.results import CheckResult, Verdict
from audition.scoring.checks.workflow import CHECK
from audition.scoring.rule import OpenCheck
from audition.transcript import Exchange, WorkflowEvent

Decide = Callable[..., CheckResult | OpenCheck]


def ran(*statuses: str, name: str = "onboarding") -> Exchange:
    """Return an exchange in which a workflow was seen to do these things."""
    return Exchange(user="hi", workflows=tuple(WorkflowEvent(name=name, status=status) for status in statuses))


@pytest.mark.parametrize(
    ("statuses", "written", "verdict"),
    [
        pytest.param(["entered"], {"entered": True}, Verdict.PASS, id="entered"),
        pytest.param([], {"entered": True}, Verdict.FAIL, id="not entered"),
        pytest.param([], {"entered": False}, Verdict.PASS, id="as wanted, not entered"),
        pytest.param(["entered"], {"entered": False}, Verdict.FAIL, id="entered although not wanted"),
        pytest.param(["completed"], {"entered": True}, Verdict.PASS, id="what completed was entered"),
        pytest.param(["entered", "completed"], {"completed": True}, Verdict.PASS, id="completed"),
        pytest.param(["entered", "failed"], {"completed": True}, Verdict.FAIL, id="failed is not completed"),  # M40
        pytest.param(
            ["entered", "cancelled"], {"completed": True}, Verdict.FAIL, id="cancelled is not completed"
        ),  # M40
        pytest.param(
            ["entered", "timedout"], {"completed": True}, Verdict.FAIL, id="timed out is not completed"
        ),  # M40
        pytest.param(["entered"], {"completed": True}, Verdict.FAIL, id="suspended is not completed"),  # M40
        pytest.param(["entered", "failed"], {"completed": False}, Verdict.PASS, id="as wanted, not completed"),
        pytest.param(["entered", "failed"], {"failed": True}, Verdict.PASS, id="failed"),
        pytest.param(["entered", "timedout"], {"failed": False}, Verdict.FAIL, id="timed out is failed"),
        pytest.param(["entered", "completed"], {"failed": False}, Verdict.PASS, id="not failed"),
        pytest.param(["entered", "cancelled"], {"status": "cancelled"}, Verdict.PASS, id="status"),
        pytest.param(["entered", "completed"], {"status": "entered"}, Verdict.FAIL, id="status is the last one"),
        pytest.param([], {"status": "entered"}, Verdict.FAIL, id="no status"),
        pytest.param(["entered"], {"entered": True, "completed": True}, Verdict.FAIL, id="all of several"),
    ],
)
def test_what_a_workflow_did_is_compared(
    decide: Decide, statuses: Sequence[str], written: dict[str, object], verdict: Verdict
) -> None:
    assert decide("workflow", {"name": "onboarding", **written}, ran(*statuses)).verdict is verdict


def test_another_workflow_does_not_count(decide: Decide) -> None:
    written = {"name": "onboarding", "entered": True}

    assert decide("workflow", written, ran("entered", name="Onboarding")).verdict is Verdict.FAIL


def test_a_workflow_that_was_entered_on_an_earlier_turn_is_not_entered_again(decide: Decide) -> None:
    exchanges = ran("entered"), ran("completed")

    assert decide("workflow", {"name": "onboarding", "entered": True}, *exchanges).verdict is Verdict.FAIL
    assert decide("workflow", {"name": "onboarding", "completed": True}, *exchanges).verdict is Verdict.PASS


def test_an_outcome_looks_at_all_turns(decide: Decide) -> None:
    written = {"name": "onboarding", "entered": True, "completed": True, "status": "completed"}

    assert decide("workflow", written, ran("entered"), ran("completed"), outcome=True).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("inputs", "verdict"),
    [
        pytest.param([{"user": {"id": 7}, "plan": "pro"}], Verdict.PASS, id="as wanted"),
        pytest.param([{"user": {"id": 8}, "plan": "pro"}], Verdict.FAIL, id="one differs"),
        pytest.param([{"user": {"id": 7}}, {"plan": "pro"}], Verdict.FAIL, id="two runs together"),  # M37
        pytest.param([{}, {"user": {"id": 7}, "plan": "pro"}], Verdict.PASS, id="one of two runs"),
        pytest.param([None], Verdict.ERROR, id="not observed"),
        pytest.param([], Verdict.FAIL, id="did not run"),
    ],
)
def test_one_single_run_must_have_the_input(
    decide: Decide, inputs: Sequence[dict[str, object] | None], verdict: Verdict
) -> None:
    events = tuple(WorkflowEvent(name="onboarding", status="entered", input=given) for given in inputs)
    written = {"name": "onboarding", "input": {"user.id": 7, "plan": {"contains": "pro"}}}

    assert decide("workflow", written, Exchange(user="hi", workflows=events)).verdict is verdict


def test_a_failed_input_says_which_parameter_differs(decide: Decide) -> None:
    event = WorkflowEvent(name="onboarding", status="entered", input={"plan": "free"})

    result = decide(
        "workflow", {"name": "onboarding", "input": {"plan": "pro"}}, Exchange(user="hi", workflows=(event,))
    )

    assert result.check == 'onboarding: input plan equals "pro"'
    assert result.actual == '{"plan": "free"}'
    assert result.reason == 'plan expected "pro", got "free"'


def test_a_failed_check_says_what_was_seen(decide: Decide) -> None:
    result = decide("workflow", {"name": "onboarding", "entered": True, "completed": True}, ran("entered", "failed"))

    assert (result.check, result.expected, result.actual) == (
        "onboarding: entered, completed",
        "completed",
        "entered, failed",
    )


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param(
            {"name": "x"},
            ": a name alone says nothing that could fail; add entered: true, for example",
            id="name alone",
        ),
        pytest.param({"entered": True}, ": the workflow check has no 'name'; None", id="no name"),
        pytest.param(
            {"name": "x", "completd": True},
            "completd: unknown key 'completd' in workflow check; did you mean 'completed'?",
            id="misspelt",
        ),
        pytest.param(
            {"name": "x", "status": "complete"},
            "status: 'status' must be one of 'entered', 'completed', 'failed', 'cancelled', 'timedout', "
            "not 'complete'; did you mean 'completed'?",
            id="no such status",
        ),
    ],
)
def test_what_is_written_wrongly_is_a_fault(
    faults_of: Callable[..., list[str]], written: dict[str, object], fault: str
) -> None:
    assert faults_of(CHECK, written) == [fault]
