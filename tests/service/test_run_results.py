"""One result a case, whatever its trials came to."""

from typing import Any

import pytest

from audition.service.run_results import case_results, counts_of, pass_hat, pass_rate
from audition.store.service.run_options import RunOptions
from audition.store.service.run_views import ResultLine


def line(case_id: int, trial: int, verdict: Any, **more: Any) -> ResultLine:
    """Return the result of a trial."""
    error = None if verdict else "no judge"
    known = {"outcome": verdict or "judge_error", "actual_response": f"answer {trial}", "judge_reasoning": None}
    return ResultLine(
        id=case_id * 10 + trial,
        case_id=case_id,
        trial=trial,
        verdict=verdict,
        **known | {"error_message": error} | more,
    )


def test_a_verdict_that_is_missing_always_has_a_reason() -> None:
    lines = [line(1, 1, None, error_message=None), line(2, 1, None, error_message="")]

    assert all(one.error_message for one in case_results(lines, RunOptions(), is_final=False))


def test_an_error_among_trials_is_told_with_its_trial() -> None:
    lines = [line(1, 1, "pass"), line(1, 2, None), line(1, 3, None)]

    (found,) = case_results(lines, RunOptions(trials=3), is_final=False)

    assert (found.verdict, found.outcome, found.id) == (None, "judge_error", 11)
    assert found.error_message == "2 of 3 trials could not be evaluated; trial 2: no judge"


def test_a_case_that_is_decided_has_no_error_although_a_trial_had() -> None:
    lines = [line(1, 1, None), line(1, 2, "pass"), line(1, 3, "pass")]

    (found,) = case_results(lines, RunOptions(trials=3, pass_policy="majority"), is_final=False)

    assert (found.verdict, found.error_message, found.actual_response) == ("pass", None, "answer 1")


def test_errors_stay_in_the_denominator() -> None:
    cases = case_results([line(1, 1, "pass"), line(2, 1, None), line(3, 1, "fail")], RunOptions(), is_final=True)

    assert counts_of(cases) == {"pass": 1, "fail": 1, "error": 1}
    assert (pass_rate(cases)["n"], pass_rate(cases)["rate"]) == (3, pytest.approx(1 / 3))


def test_the_rate_of_nothing_is_not_known() -> None:
    found = pass_rate([])

    assert (found["rate"], found["low"], found["high"]) == (None, 0.0, 1.0)
    assert pass_hat([], 3) is None
