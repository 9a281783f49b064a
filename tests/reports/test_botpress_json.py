"""The report in the shape of Botpress's own."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from audition.reports import REPORTS
from audition.reports.botpress_json import render
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.transcript import Exchange, Reply, Transcript, Trouble

Golden = Callable[[str, str], None]

TURN_KEYS = ["turnIndex", "userMessage", "botResponse", "assertions", "pass", "botDuration", "evalDuration"]


def parsed(run: Run, results: Sequence[TrialResult]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads("".join(render(run, results)))
    return found


def test_the_whole_report(run: Run, results: Sequence[TrialResult], golden: Golden) -> None:
    golden("report-botpress.json", "".join(render(run, results)))


def test_it_is_found_by_its_name_with_a_hyphen() -> None:
    assert REPORTS.get("botpress-json").render is render


def test_the_keys_are_those_of_botpress(run: Run, results: Sequence[TrialResult]) -> None:
    report = parsed(run, results)
    one = report["evals"][2]

    assert list(report) == ["id", "timestamp", "evals", "passed", "failed", "total", "duration", "aborted"]
    assert list(one) == ["name", "type", "turns", "outcomeAssertions", "pass", "duration"]
    assert list(one["turns"][0]) == TURN_KEYS
    assert list(one["turns"][0]["assertions"][0]) == ["assertion", "pass", "expected", "actual"]


def test_an_id_and_a_time_look_as_they_do_there(run: Run) -> None:
    report = parsed(run, [])

    assert re.fullmatch("[0-9a-f]{26}", report["id"])
    assert report["timestamp"] == "2026-01-02T03:04:05.000Z"


def test_a_run_that_came_to_its_end_is_not_aborted(clean_run: Run, greeting: TrialResult) -> None:
    report = parsed(clean_run, [greeting])

    assert "aborted" not in report
    assert (report["passed"], report["failed"], report["total"]) == (1, 0, 1)


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.ERROR, Verdict.SKIP])
def test_what_is_not_a_pass_counts_as_failed(clean_run: Run, greeting: TrialResult, verdict: Verdict) -> None:
    report = parsed(clean_run, [replace(greeting, verdict=verdict, error="because", checks=())])

    assert (report["passed"], report["failed"], report["total"]) == (0, 1, 1)
    assert (report["evals"][0]["pass"], report["evals"][0]["error"]) == (False, "because")


def test_a_file_that_did_not_load_looks_like_no_success(clean_run: Run, greeting: TrialResult) -> None:
    report = parsed(replace(clean_run, faults=("evals/broken.eval.ts:3:5: unknown key 'asert'",)), [greeting])
    unread = report["evals"][1]

    assert (report["passed"], report["failed"], report["total"]) == (1, 1, 2)
    assert (unread["name"], unread["pass"], unread["errorCode"]) == (
        "evals/broken.eval.ts:3:5", False, "EVAL_LOAD_FAILED",
    )  # fmt: skip
    assert unread["error"].endswith("unknown key 'asert'")


def assertion(**told: object) -> dict[str, Any]:
    """Return a check as it stands in the report."""
    check = CheckResult(turn=0, **{"category": "response", "check": 'contains: "x"', **told})
    transcript = Transcript(exchanges=(Exchange(user="hi", replies=(Reply(text="a"), Reply(text="b"))),))
    result = TrialResult(eval_name="e", verdict=check.verdict, checks=(check,), transcript=transcript)
    run = Run(id="0" * 26, started_at="2026-01-02T03:04:05+00:00", agent="a:b", total=1)
    (one,) = parsed(run, [result])["evals"]
    (found,) = one["turns"][0]["assertions"]
    assert isinstance(found, dict)
    return found


JUDGED = {"check": 'llm_judge: "kind"', "expected": "a grade of at least 3"}
ASSERTIONS = [
    pytest.param({"verdict": Verdict.PASS}, True, "", False, id="pass"),
    pytest.param({"verdict": Verdict.FAIL, "actual": '"y"'}, False, '"y"', False, id="fail"),
    pytest.param({"verdict": Verdict.FAIL, "actual": '"y"', "reason": "why"}, False, '"y": why', False, id="reason"),
    pytest.param({"verdict": Verdict.ERROR, "reason": "why"}, False, "FAILED — could not be evaluated: why", True,
                 id="error"),
    pytest.param({"verdict": Verdict.SKIP, "reason": "why"}, True, "SKIPPED — why", True, id="skip"),
    pytest.param({**JUDGED, "verdict": Verdict.ERROR, "reason": "no judge"}, False,
                 "FAILED — LLM judge unavailable: no judge", True, id="no judge"),
    pytest.param({**JUDGED, "verdict": Verdict.FAIL, "actual": "grade 2", "reason": "curt"}, False,
                 "Fail — grade 2: curt", False, id="judged and failed"),
    pytest.param({**JUDGED, "verdict": Verdict.PASS, "actual": "grade 4", "reason": "warm"}, True,
                 "Pass — grade 4: warm", False, id="judged and passed"),
]  # fmt: skip


@pytest.mark.parametrize(("told", "passed", "actual", "skipped"), ASSERTIONS)
def test_an_assertion_in_their_words(told: dict[str, object], passed: bool, actual: str, skipped: bool) -> None:
    found = assertion(**told)

    assert (found["pass"], found["actual"], found.get("skipped", False)) == (passed, actual, skipped)
    assert {type(found["expected"]), type(found["actual"])} == {str}


def test_a_judge_that_did_not_answer_is_an_assertion_and_no_error_of_the_eval(
    clean_run: Run, greeting: TrialResult
) -> None:
    check = CheckResult(category="response", check='llm_judge: "kind"', verdict=Verdict.ERROR, turn=0, reason="401")
    report = parsed(clean_run, [replace(greeting, verdict=Verdict.ERROR, error="401", checks=(check,))])

    assert "error" not in report["evals"][0]
    assert report["evals"][0]["turns"][0]["assertions"][0]["skipped"] is True


def test_a_turn_that_did_not_finish_did_not_pass(clean_run: Run, greeting: TrialResult) -> None:
    stuck = Exchange(user="hi", trouble=Trouble(message="no answer within 5 s", by_agent=True))
    told = CheckResult(category="agent", check="finishes the turn", verdict=Verdict.FAIL, turn=0, reason="no answer")
    one = replace(greeting, verdict=Verdict.FAIL, error="no answer", checks=(told,))

    (found,) = parsed(clean_run, [replace(one, transcript=Transcript(exchanges=(stuck,)))])["evals"]

    assert (found["error"], found["turns"][0]["assertions"], found["turns"][0]["pass"]) == ("no answer", [], False)


def test_several_messages_are_joined_and_an_event_has_no_text(clean_run: Run, greeting: TrialResult) -> None:
    exchange = Exchange(event={"n": 1}, replies=(Reply(text="a"), Reply(text="b")), response_ms=12.6)
    (one,) = parsed(clean_run, [replace(greeting, transcript=Transcript(exchanges=(exchange,)))])["evals"]
    turn = one["turns"][0]

    assert (turn["userMessage"], turn["botResponse"], turn["botDuration"]) == ("[event]", "a\nb", 13)


def test_later_trials_have_a_name_of_their_own(run: Run, results: Sequence[TrialResult]) -> None:
    assert [one["name"] for one in parsed(run, results)["evals"][:2]] == ["greeting", "greeting#2"]


def test_what_steers_a_terminal_is_escaped(clean_run: Run, hostile: TrialResult) -> None:
    text = "".join(render(clean_run, [hostile]))

    assert not {"\x1b", "\u202e", "\x00"} & set(text)
