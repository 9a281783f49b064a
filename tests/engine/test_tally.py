"""Counting, and what a shell is told."""

from itertools import product

import pytest

from audition.engine.tally import INTERRUPTED, Tally, exit_code, new_run
from audition.errors import ExitCode
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.transcript import Exchange, Transcript, Usage

RUN = Run(id="r", started_at="", agent="a", status="completed")


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        ({"passed": 3, "total": 3}, 0),
        ({"passed": 2, "failed": 1, "total": 3}, 1),
        ({"passed": 2, "errors": 1, "total": 3}, 3),
        ({"passed": 1, "failed": 1, "errors": 1, "total": 3}, 1),
        ({"passed": 3, "total": 3, "faults": ("a.eval.yaml:1:1: bad",)}, 2),
        ({"failed": 3, "total": 3, "faults": ("a.eval.yaml:1:1: bad",)}, 2),
        ({"passed": 2, "total": 3}, 3),
        ({"total": 0}, 4),
        ({"passed": 1, "failed": 1, "total": 3, "status": "failed", "error": INTERRUPTED}, 130),
        ({"passed": 3, "total": 3, "status": "failed", "error": "the disk is full"}, 3),
    ],
    ids=["pass", "fail", "error", "fail, error", "fault", "fault, fail", "not all ran", "none", "ctrl-c", "broke"],
)
def test_the_exit_code_is_the_most_urgent_of_what_holds(counts: dict[str, object], code: int) -> None:
    run = Run(**({"id": "r", "started_at": "", "agent": "a", "status": "completed"} | counts))  # type: ignore[arg-type]

    assert exit_code(run) == code


@pytest.mark.parametrize("counts", list(product((0, 1), repeat=4)), ids=str)
def test_only_a_run_in_which_everything_passed_is_a_success(counts: tuple[int, ...]) -> None:  # M30, M33
    passed, failed, errors, skipped = counts
    run = Run(
        id="r",
        started_at="",
        agent="a",
        status="completed",
        passed=passed,
        failed=failed,
        errors=errors,
        skipped=skipped,
        total=sum(counts),
    )

    assert (exit_code(run) is ExitCode.PASSED) == (counts == (1, 0, 0, 0))


def test_each_verdict_is_counted_once() -> None:
    tally = Tally(RUN)

    for verdict in (Verdict.PASS, Verdict.PASS, Verdict.FAIL, Verdict.ERROR):
        tally.count(TrialResult(eval_name="e", verdict=verdict))

    run = tally.run("completed", duration_ms=12.34567)
    assert (run.passed, run.failed, run.errors, run.skipped, run.duration_ms) == (2, 1, 1, 0, 12.346)


def test_a_new_run_has_an_id_of_its_own_that_sorts_after_the_earlier_ones() -> None:
    ids = [new_run(agent="a", total=1).id for _ in range(3)]

    assert len(set(ids)) == 3
    assert {len(one) for one in ids} == {26}
    assert [one[:12] for one in ids] == sorted(one[:12] for one in ids)


def _result(*, agent: Usage | None = None, judge: Usage | None = None, user: Usage | None = None) -> TrialResult:
    check = CheckResult(category="response", check="llm_judge", verdict=Verdict.PASS, judge_usage=judge)
    transcript = Transcript(exchanges=(Exchange(user="hi", usage=agent),))
    return TrialResult(eval_name="x", verdict=Verdict.PASS, checks=(check,), transcript=transcript, user_usage=user)


KNOWN = Usage(calls=1, input_tokens=10, output_tokens=5, cost_usd=0.25)
UNPRICED = Usage(calls=1, input_tokens=10, output_tokens=5)


@pytest.mark.parametrize(
    ("usages", "whole"),
    [
        ([], None),
        ([None, None], None),
        ([KNOWN, None, KNOWN], Usage(calls=2, input_tokens=20, output_tokens=10, cost_usd=0.5)),
        ([KNOWN, UNPRICED], Usage(calls=2, input_tokens=20, output_tokens=10)),
    ],
    ids=["no trials", "nobody says", "all known", "one price unknown"],
)
@pytest.mark.parametrize("who", ["agent", "judge", "user"])
def test_a_run_took_what_its_trials_took(usages: list[Usage | None], whole: Usage | None, who: str) -> None:
    tally = Tally(RUN)

    for usage in usages:
        tally.count(_result(**{who: usage}))

    run = tally.run("completed")
    took = {"agent": run.agent_usage, "judge": run.judge_usage, "user": run.user_usage}
    assert took == {**dict.fromkeys(took), who: whole}
