"""What `audition adk eval` prints, in the words of `adk eval`."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from audition.cli.commands._adk_text import case_text, criteria_line, notes_text, summary_text
from audition.evals import Check, Eval, Reference, ToolCallReference, Turn
from audition.results import CheckResult, TrialResult, Verdict
from audition.store.adk_history import CaseRun
from audition.transcript import Exchange, Reply, ToolCall, Transcript, Trouble

EVAL = Eval(
    name="lights",
    turns=(
        Turn(
            user="Light on",
            reference=Reference(
                response="It is on.",
                tool_calls=(ToolCallReference(name="switch", arguments={"on": True, "room": "Bath"}),),
            ),
        ),
        Turn(user="Thanks", reference=Reference(response="You are welcome.")),
    ),
    outcome=(
        Check(category="trajectory", spec={"metric": "tool_trajectory_avg_score"}),
        Check(category="rubric", spec={"metric": "safety_v1"}),
        Check(category="measure", spec={"metric": "tool_call_count_v1"}),
        Check(category="state", spec={"path": "conversation.light", "equals": "on"}),
    ),
)
CHECKS = (
    CheckResult(
        category="trajectory",
        check="EXACT",
        verdict=Verdict.FAIL,
        score=0.5,
        threshold=1.0,
        turn_scores=(0.0, 1.0),
        reason="turn 1: switch(on)",
        note="ADK would pass this: true is 1 there",
    ),
    CheckResult(category="rubric", check="safe", verdict=Verdict.ERROR, threshold=0.8, reason="no judge is configured"),
    CheckResult(category="measure", check="calls", verdict=Verdict.SKIP, score=0.5, turn_scores=(1.0, 0.0)),
    CheckResult(category="state", check="light: equals on", verdict=Verdict.FAIL, expected="'on'", actual="'off'"),
)
EXCHANGES = (
    Exchange(
        user="Light on",
        replies=(Reply(text="Well. " * 20 + "\nIt is \x1b[31mon."),),
        tool_calls=(ToolCall(name="switch", arguments={"on": 1}),),
    ),
    Exchange(user="Thanks", trouble=Trouble(message="RuntimeError: boom", by_agent=True, detail="Traceback …\n  boom")),
)
RESULT = TrialResult(
    eval_name="lights", verdict=Verdict.FAIL, checks=CHECKS, transcript=Transcript(exchanges=EXCHANGES)
)
CASE = CaseRun(set_id="house", eval_id="lights", eval=EVAL, result=RESULT)


def with_verdict(verdict: Verdict, error: str | None = None) -> CaseRun:
    return replace(CASE, result=replace(RESULT, verdict=verdict, error=error, checks=()))


def test_the_details_of_a_case_read_as_adk_prints_them(golden: Callable[[str, str], None]) -> None:
    golden("adk-case.txt", case_text(CASE))


def test_criteria_are_told_without_our_names_for_them() -> None:
    check = Check(category="overlap", spec={"metric": "response_match_score", "threshold": 0.8})

    assert criteria_line([check]) == 'Using evaluation criteria: {"response_match_score":{"threshold":0.8}}\n'


def test_the_summary_counts_what_passed_and_failed_by_set() -> None:
    other = replace(with_verdict(Verdict.PASS), set_id="garden")

    text = summary_text([[with_verdict(Verdict.PASS)], [other, replace(other, result=RESULT)]])

    assert text == (
        f"{'*' * 69}\n"
        "Eval Run Summary\n"
        "house:\n  Tests passed: 1\n  Tests failed: 0\n"
        "garden:\n  Tests passed: 1\n  Tests failed: 1\n"
        "    lights: FAILED: tool_trajectory_avg_score 0.5 is under 1.0: turn 1: switch(on)\n"
    )


@pytest.mark.parametrize("verdict", [Verdict.ERROR, Verdict.SKIP])
def test_what_could_not_be_evaluated_counts_as_failed_and_is_told_apart(verdict: Verdict) -> None:
    text = summary_text([[with_verdict(verdict, "no judge\nis configured")]])

    assert text.endswith(
        "house:\n  Tests passed: 0\n  Tests failed: 1\n  Tests not evaluated: 1 (counted as failed, too)\n"
        "    lights: NOT_EVALUATED: no judge is configured\n"
    )


def test_only_some_of_many_cases_that_did_not_pass_are_listed() -> None:
    lines = summary_text([[CASE] * 30]).splitlines()

    assert lines[-1] == "    … and 10 more"
    assert sum(line.startswith("    lights: ") for line in lines) == 20


def test_a_remark_is_told_once_with_the_first_case_it_is_about() -> None:
    text = notes_text([[CASE, replace(CASE, eval_id="heating")]])

    assert text == "Note: tool_trajectory_avg_score: ADK would pass this: true is 1 there (lights and 1 more)\n"


def test_the_runs_of_a_case_are_numbered_when_there_are_several() -> None:
    assert "Run: 1 of 3\n" in case_text(CASE, runs=3)


def test_the_traceback_of_the_agent_is_a_detail() -> None:
    assert "Traceback …\n  boom\n" in case_text(CASE, verbose=True)
