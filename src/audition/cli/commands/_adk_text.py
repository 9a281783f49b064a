"""What `audition adk eval` prints, in the words of `adk eval`, so that scripts that look for them go on working.

Source: google-adk 2.13, the output of `adk eval`. What is ours in addition: why something failed or could not be told,
remarks, and the count of what was not evaluated.
"""

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from audition.evals import Check, ToolCallReference
from audition.results import Verdict
from audition.store.adk_history import STATUSES, CaseRun, Metric, metrics_of
from audition.text import printable, shorten
from audition.transcript import Exchange, ToolCall, response_text
from audition.wire import to_json

_STARS = "*" * 69
_LINE = "-" * 69
_VALUES_AT = 30
"""The column at which values begin; a longer label pushes its own value to the right."""

_WIDTH = 80
_DIGITS = 3
"""How exactly what only tells is told: a time to the millisecond."""

_NOT_GIVEN = "(not given)"
"""What stands for an expectation that nobody wrote down; ADK prints it as if nothing were expected."""

_LONGEST_REASON = 300
_LISTED = 20
"""How many cases that did not pass are listed below the counts."""


def criteria_line(checks: Iterable[Check]) -> str:
    """Return the line that says what the cases are held against."""
    specs = (dict(check.spec) for check in checks)
    return f"Using evaluation criteria: {to_json({spec.pop('metric'): spec for spec in specs})}\n"


def summary_text(sets: Sequence[Sequence[CaseRun]]) -> str:
    """Return the counts of each eval set, in the order given; a set without a result has no lines.

    As with ADK, whatever did not pass counts as failed; how much of that could not be evaluated, and why, stands below.
    """
    return "\n".join([_STARS, "Eval Run Summary", *(line for cases in sets for line in _counts(cases))]) + "\n"


def notes_text(sets: Sequence[Sequence[CaseRun]]) -> str:
    """Return where ADK would judge otherwise: each remark once, with the first case it is about; empty for none."""
    about: dict[str, list[str]] = {}
    for case in (case for cases in sets for case in cases):
        for metric in metrics_of(case):
            if metric.check.note is not None:
                about.setdefault(f"{metric.name}: {metric.check.note}", []).append(case.eval_id)
    lines = [f"Note: {printable(note)} ({_some(ids)})\n" for note, ids in about.items()]
    return "".join(lines)


def case_text(case: CaseRun, *, runs: int = 1, verbose: bool = False) -> str:
    """Return the details of one case: each criterion, and each turn's expected and actual.

    `runs`: how many the case has. `verbose`: with tracebacks of the agent.
    """
    metrics = metrics_of(case)
    lines = ["*" * 68, f"Eval Set Id: {printable(case.set_id)}", f"Eval Id: {printable(case.eval_id)}"]
    lines += [f"Run: {case.result.trial} of {runs}"] if runs > 1 else []
    lines.append(f"Overall Eval Status: {STATUSES[case.result.verdict]}")
    if case.result.error is not None:
        lines.append(f"Reason: {printable(case.result.error)}")
    for metric in metrics:
        lines += _metric(metric)
    return "\n".join(lines + _turns(case, metrics, verbose=verbose)) + "\n"


def _counts(cases: Sequence[CaseRun]) -> Iterator[str]:
    if not cases:
        return
    others = [case for case in cases if case.result.verdict is not Verdict.PASS]
    unknown = sum(case.result.verdict is not Verdict.FAIL for case in others)
    yield f"{printable(cases[0].set_id)}:"
    yield f"  Tests passed: {len(cases) - len(others)}"
    yield f"  Tests failed: {len(others)}"
    if unknown:
        yield f"  Tests not evaluated: {unknown} (counted as failed, too)"
    for case in others[:_LISTED]:
        reason = printable(shorten(" ".join(_why(case).split()), _LONGEST_REASON))
        yield f"    {printable(case.eval_id)}: {STATUSES[case.result.verdict]}: {reason}"
    if len(others) > _LISTED:
        yield f"    … and {len(others) - _LISTED} more"


def _why(case: CaseRun) -> str:
    """Return why a case did not pass: the first reason there is."""
    if case.result.verdict is Verdict.FAIL:
        for metric in metrics_of(case):
            if metric.check.verdict is Verdict.FAIL:
                return _failing(metric)
    return case.result.error or "nothing is known of it"


def _failing(metric: Metric) -> str:
    check = metric.check
    bound = "" if check.threshold is None else f" {check.score} is under {check.threshold}"
    return f"{metric.name}{bound}: {check.reason or check.actual or check.check}"


def _some(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    return printable(ids[0]) + more


def _metric(metric: Metric) -> Iterator[str]:
    check = metric.check
    named = metric.name if check.turn is None else f"{metric.name} (turn {check.turn + 1})"
    measured = check.score if metric.status == "INFORMATIONAL" else None
    score = check.score if measured is None else round(measured, _DIGITS)
    scores = f", Score: {score}, Threshold: {check.threshold}" if _is_scored(metric) else ""
    yield _LINE
    yield f"Metric: {named}, Status: {metric.status}{scores}"
    reason = check.reason if measured is None else None
    told = {"Check": None if _is_scored(metric) else check.check, "Reason": reason, "Note": check.note}
    if metric.status != "PASSED" and not _is_scored(metric):
        told |= {"Expected": check.expected, "Actual": check.actual}
    for label, text in told.items():
        if text is not None:
            yield f"{label}: {printable(text)}"


def _is_scored(metric: Metric) -> bool:
    """Say whether a metric is one of ADK's, which have a score even when it could not be had."""
    check = metric.check
    return check.turn is None and check.category not in ("agent", "state")


def _turns(case: CaseRun, metrics: Sequence[Metric], *, verbose: bool) -> list[str]:
    exchanges = case.result.transcript.exchanges
    if not exchanges:
        return [""]
    lines = [_LINE, "Invocation Details:"]
    for index, exchange in enumerate(exchanges):
        lines += ["", f"Invocation {index + 1} of {len(exchanges)}"]
        for label, text in _fields(case, index, exchange, metrics):
            lines += _field(label, text)
        if verbose and exchange.trouble is not None and exchange.trouble.detail:
            lines += printable(exchange.trouble.detail).rstrip().splitlines()
    return [*lines, "", ""]


def _fields(case: CaseRun, index: int, exchange: Exchange, metrics: Sequence[Metric]) -> Iterator[tuple[str, str]]:
    written = case.eval.turns
    reference = written[index].reference if index < len(written) else None
    yield "prompt", to_json(exchange.event) if exchange.user is None else exchange.user
    if reference is not None:
        yield "expected_response", _NOT_GIVEN if reference.response is None else reference.response
    yield "actual_response", response_text(exchange)
    if reference is not None:
        yield "expected_tool_calls", _NOT_GIVEN if reference.tool_calls is None else _calls(reference.tool_calls)
    yield "actual_tool_calls", _calls(exchange.tool_calls)
    if exchange.trouble is not None:
        yield "trouble", exchange.trouble.message
    for metric in metrics:
        if metric.check.turn is None and metric.check.turn_scores:
            yield metric.name, _turn_verdict(metric, index)


def _turn_verdict(metric: Metric, index: int) -> str:
    score, status = metric.turn_score(index), metric.turn_status(index)
    if status == "INFORMATIONAL":
        return "n/a" if score is None else f"{round(score, _DIGITS):g}"
    return f"{status} ({score})"


def _calls(calls: Sequence[ToolCall | ToolCallReference]) -> str:
    return "\n".join(_call(call) for call in calls)


def _call(call: ToolCall | ToolCallReference) -> str:
    """Return a call with one argument a line, so that wrapping cuts no value that would fit."""
    if not call.arguments:
        return f"{call.name}()" if call.arguments is not None else f"{call.name}(...)"
    return f"{call.name}(\n  " + ",\n  ".join(f"{key}={value!r}" for key, value in call.arguments.items()) + ")"


def _field(label: str, text: str) -> list[str]:
    wrapped = [
        part for line in printable(text).splitlines() or ["(none)"] for part in textwrap.wrap(line, _WIDTH) or [""]
    ]
    start = f"  {label}: ".ljust(_VALUES_AT)
    return [start + wrapped[0], *(" " * len(start) + part for part in wrapped[1:])]
