"""The report that tools made for Botpress evals read: the JSON of `adk evals --format json`.

Source: Botpress evals engine 2.0.2, EvalRunReport. It knows pass and fail only, so an eval that could not be evaluated
counts as failed there, with an `error`, or with an assertion that is `skipped`.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from audition.reports.json import json_text
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.scoring.botpress_labels import label_of
from audition.transcript import Exchange, response_text


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG001
    """Return the report in pieces, one eval a line; it is always complete, `verbose` or not.

    A file that did not load stands in it as an eval of that name which failed, lest the report look like success.
    """
    yield json_text({"id": run.id, "timestamp": _timestamp(run.started_at)})[:-1] + ',"evals":['
    passed = total = 0
    for eval_report in _evals(run, results):
        yield (",\n" if total else "\n") + json_text(eval_report)
        total += 1
        passed += eval_report["pass"] is True
    counts: dict[str, object] = {
        "passed": passed,
        "failed": total - passed,
        "total": total,
        "duration": round(run.duration_ms),
    }
    if run.status != "completed" or run.ran < run.total:
        counts["aborted"] = True
    yield "\n]," + json_text(counts)[1:] + "\n"


def _evals(run: Run, results: Iterable[TrialResult]) -> Iterator[dict[str, object]]:
    for result in results:
        yield _eval(result)
    for fault in run.faults:
        unread: dict[str, object] = {"name": fault.partition(": ")[0], "turns": [], "outcomeAssertions": []}
        yield unread | {"pass": False, "duration": 0, "error": fault, "errorCode": "EVAL_LOAD_FAILED"}


def _eval(result: TrialResult) -> dict[str, object]:
    name = result.eval_name if result.trial == 1 else f"{result.eval_name}#{result.trial}"
    report: dict[str, object] = {"name": name}
    report |= {} if result.type is None else {"type": result.type}
    report |= {"tags": result.tags} if result.tags else {}
    report |= {
        "turns": [_turn(index, exchange, result) for index, exchange in enumerate(result.transcript.exchanges)],
        "outcomeAssertions": [_assertion(check) for check in _checks(result, None)],
        "pass": result.verdict is Verdict.PASS,
        "duration": round(result.duration_ms),
    }
    error = _error(result)
    return report if error is None else report | {"error": error}


def _turn(index: int, exchange: Exchange, result: TrialResult) -> dict[str, object]:
    assertions = [_assertion(check) for check in _checks(result, index)]
    return {
        "turnIndex": index,
        "userMessage": "[event]" if exchange.user is None else exchange.user,
        "botResponse": response_text(exchange),
        "assertions": assertions,
        "pass": exchange.trouble is None and all(one["pass"] for one in assertions),
        "botDuration": round(exchange.response_ms or 0),
        "evalDuration": 0,
    }


def _checks(result: TrialResult, turn: int | None) -> Iterator[CheckResult]:
    """Yield the checks of a turn, or of the outcome; what became of the conversation itself is no assertion there."""
    return (check for check in result.checks if check.turn == turn and check.category != "agent")


def _error(result: TrialResult) -> str | None:
    """Return why an eval could not be evaluated as a whole; None when that was so of single assertions, or of none."""
    if result.verdict is Verdict.PASS or any(
        check.category != "agent" and check.verdict is Verdict.ERROR and check.reason == result.error
        for check in result.checks
    ):
        return None
    return result.error


def _assertion(check: CheckResult) -> dict[str, object]:
    label = label_of(check.category, check.check)
    told: dict[str, object] = {
        "assertion": label,
        "pass": check.verdict in (Verdict.PASS, Verdict.SKIP),
        "expected": check.expected or check.check,
        "actual": _actual(check, judged=label.startswith("llm_judge: ")),
    }
    return told | {"skipped": True} if check.verdict in (Verdict.ERROR, Verdict.SKIP) else told


def _actual(check: CheckResult, *, judged: bool) -> str:
    """Return what was seen, in the words Botpress has for a judge that answered, and for one that did not."""
    if check.verdict is Verdict.SKIP:
        return f"SKIPPED — {check.reason}"
    if check.verdict is Verdict.ERROR:
        return f"FAILED — {'LLM judge unavailable' if judged else 'could not be evaluated'}: {check.reason}"
    told = ": ".join(part for part in (check.actual, check.reason) if part)
    return f"{'Pass' if check.verdict is Verdict.PASS else 'Fail'} — {told}" if judged else told


def _timestamp(started_at: str) -> str:
    """Return a time as JavaScript writes it, `2026-01-02T03:04:05.678Z`; as it is when it cannot be read."""
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return started_at
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03}Z"
