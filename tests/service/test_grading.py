"""What a trial came to becomes a verdict, or the reason why there is none."""

import json

import pytest

from audition.engine.settle import NO_JUDGE
from audition.results import CheckResult, TrialResult, Verdict, Vote
from audition.scoring.checks.criteria import ALL_VOID
from audition.service.grading import outcome_of, reasoning_of, result_of, usage_of
from audition.transcript import Exchange, Reply, Transcript, Usage
from audition.wire import decode_result

SILENT = (Vote(reason="the judge could not be reached"),)
ANSWERED = (Vote(reason="cannot tell", raw="{}", answer={"status": "unsure"}),)


def check(verdict: Verdict, reason: str | None = None, *, category: str = "criteria", **said: object) -> CheckResult:
    """Return what became of a check."""
    return CheckResult(category=category, check='"names a time"', verdict=verdict, reason=reason, **said)  # type: ignore[arg-type]  # fields of a check


def trial(
    verdict: Verdict, *checks: CheckResult, error: str | None = None, replies: tuple[str, ...] = ()
) -> TrialResult:
    """Return a result of a trial."""
    exchange = Exchange(user="When?", replies=tuple(Reply(text=text) for text in replies))
    transcript = Transcript(exchanges=(exchange,))
    return TrialResult(eval_name="case-1", verdict=verdict, checks=checks, error=error, transcript=transcript)


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        pytest.param(trial(Verdict.PASS, check(Verdict.PASS)), "pass", id="met"),
        pytest.param(trial(Verdict.FAIL, check(Verdict.FAIL)), "fail", id="not met"),
        pytest.param(
            trial(Verdict.FAIL, check(Verdict.FAIL, "an endless loop", category="agent"), check(Verdict.ERROR)),
            "fail",
            id="trouble that the agent made",
        ),
        pytest.param(
            trial(Verdict.ERROR, check(Verdict.ERROR, "connection refused", category="agent"), check(Verdict.ERROR)),
            "subject_error",
            id="trouble on the way to the agent",
        ),
        pytest.param(trial(Verdict.ERROR, error="KeyError: 'x'"), "subject_error", id="a trial that broke"),
        pytest.param(trial(Verdict.ERROR, check(Verdict.ERROR, f"{ALL_VOID}\nvoid: …")), "void", id="all void"),
        pytest.param(trial(Verdict.ERROR, check(Verdict.ERROR, NO_JUDGE)), "judge_error", id="no judge"),
        pytest.param(
            trial(Verdict.ERROR, check(Verdict.ERROR, "503", votes=SILENT)), "judge_error", id="a judge out of reach"
        ),
        pytest.param(
            trial(Verdict.ERROR, check(Verdict.ERROR, "it cannot be told", votes=ANSWERED)),
            "abstain",
            id="a judge that cannot tell",
        ),
        pytest.param(trial(Verdict.ERROR, check(Verdict.SKIP)), "skipped", id="nothing looked at"),
    ],
)
def test_a_trial_has_one_outcome(result: TrialResult, outcome: str) -> None:
    assert outcome_of(result) == outcome


def test_a_verdict_comes_without_an_error_message() -> None:
    row = result_of(1, trial(Verdict.FAIL, check(Verdict.FAIL, "unmet: names a time"), error="the agent was silent"))

    assert (row.verdict, row.error_message) == ("fail", None)


def test_a_missing_verdict_comes_with_an_error_message() -> None:
    row = result_of(1, trial(Verdict.ERROR, check(Verdict.ERROR, NO_JUDGE), error=NO_JUDGE))

    assert (row.verdict, row.error_message, row.judge_reasoning) == (None, NO_JUDGE, None)


def test_the_replies_are_joined_by_line_breaks() -> None:
    row = result_of(1, trial(Verdict.PASS, check(Verdict.PASS), replies=("At nine.", "Until five.")))

    assert row.actual_response == "At nine.\nUntil five."


def test_an_agent_that_said_nothing_has_no_response() -> None:
    assert result_of(1, trial(Verdict.FAIL, check(Verdict.FAIL))).actual_response is None


def test_text_that_no_database_takes_is_kept_without_what_it_does_not_take() -> None:
    row = result_of(1, trial(Verdict.PASS, check(Verdict.PASS, "met: a\x00b"), replies=("9\x00 o'clock \ud800",)))

    assert (row.actual_response, row.judge_reasoning) == ("9\ufffd o'clock \ufffd", "met: a\ufffdb")


def test_the_whole_result_is_kept() -> None:
    result = trial(Verdict.PASS, check(Verdict.PASS), replies=("At nine.",))

    assert decode_result(result_of(1, result).document, row="1") == result


def test_the_reasoning_has_a_line_for_each_clause_and_check() -> None:
    checks = [
        check(Verdict.PASS, "met: names a time\nmet: is polite"),
        check(Verdict.FAIL, category="tools", expected="called lookup", actual="no call"),
        check(Verdict.PASS, category="timing"),
    ]

    assert (reasoning_of(checks) or "").splitlines() == [
        "met: names a time",
        "met: is polite",
        'not met: tools "names a time": expected called lookup, got no call',
        'met: timing "names a time"',
    ]


def test_a_judge_that_was_asked_alone_is_quoted() -> None:
    asked = check(Verdict.PASS, "States the hours\nas required.", category="response", votes=ANSWERED)

    assert reasoning_of([asked]) == "States the hours as required."


def test_the_usage_of_agent_and_judge_are_kept_apart() -> None:
    judged = check(Verdict.PASS, judge_usage=Usage(calls=2, input_tokens=5, output_tokens=1))

    told = json.loads(usage_of([trial(Verdict.PASS, judged), trial(Verdict.PASS, judged)]))

    assert told == {"agent": None, "judge": {"calls": 4, "input_tokens": 10, "output_tokens": 2}}
