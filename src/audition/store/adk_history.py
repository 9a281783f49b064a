"""What a run of ADK eval cases leaves for ADK's own tools: the result file that `adk web` reads.

Source: google-adk 2.13, EvalSetResult and LocalEvalSetResultsManager. What is null there is left out here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from audition.evals import Eval, Reference
from audition.results import CheckResult, TrialResult, Verdict
from audition.transcript import Exchange, ToolCall, response_text
from audition.wire import to_json

FOLDER = Path(".adk", "eval_history")
"""Where an agent's folder keeps its result files."""

SUFFIX = ".evalset_result.json"

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_SLUG = 80
_USER = "test_user_id"
"""The user of a case that names none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRun:
    """One eval case, run once. `eval_id` is its name in its set; the eval's may have the set's id in front of it."""

    set_id: str
    eval_id: str
    eval: Eval
    result: TrialResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A criterion of a case by the name ADK has for it, and what became of it."""

    name: str
    check: CheckResult

    @property
    def status(self) -> str:
        """Return ADK's word for the verdict."""
        if self.check.verdict is Verdict.SKIP and self.check.category == "measure":
            return "INFORMATIONAL"
        return STATUSES[self.check.verdict]

    def turn_status(self, turn: int) -> str:
        """Return ADK's word for what the turn alone (from 0) came to: its own score is held against the threshold."""
        score, threshold = self.turn_score(turn), self.check.threshold
        if self.status == "INFORMATIONAL":
            return self.status
        if score is None or threshold is None:
            return "NOT_EVALUATED"
        return "PASSED" if score >= threshold else "FAILED"

    def turn_score(self, turn: int) -> float | None:
        """Return the score of one turn (from 0), None when it has none."""
        scores = self.check.turn_scores
        return scores[turn] if turn < len(scores) else None


STATUSES = {
    Verdict.PASS: "PASSED",
    Verdict.FAIL: "FAILED",
    Verdict.ERROR: "NOT_EVALUATED",
    Verdict.SKIP: "NOT_EVALUATED",
}
"""ADK's words for our verdicts."""

_NUMBERS = {"PASSED": 1, "FAILED": 2, "NOT_EVALUATED": 3, "INFORMATIONAL": 4}


def metrics_of(case: CaseRun) -> list[Metric]:
    """Return the criteria of a case in the order of the eval, with those that were checked on a turn alone after them.

    What became of the conversation itself (the agent crashed) is a metric of the name `agent`.
    """
    checks = case.result.checks
    of_outcome = [check for check in checks if check.turn is None and check.category != "agent"]
    names = [str(check.spec.get("metric") or check.category) for check in case.eval.outcome]
    if len(names) != len(of_outcome):
        names = [check.category for check in of_outcome]
    metrics = [Metric(name=name, check=check) for name, check in zip(names, of_outcome, strict=True)]
    return metrics + [
        Metric(name=check.category, check=check)
        for check in checks
        if check.turn is not None or check.category == "agent"
    ]


def file_name(app: str, set_id: str, created_at_s: float) -> str:
    """Return the name of a result file; whatever the ids hold, it is one safe name and no path.

    `created_at_s`: seconds since 1970.
    """
    return _result_id(app, set_id, created_at_s) + SUFFIX


def set_result(app: str, set_id: str, cases: Sequence[CaseRun], *, created_at_s: float) -> Iterator[str]:
    """Return the text of a result file in pieces, one case a line."""
    result_id = _result_id(app, set_id, created_at_s)
    head = {
        "eval_set_result_id": result_id,
        "eval_set_result_name": result_id,
        "eval_set_id": set_id,
        "creation_timestamp": created_at_s,
    }
    yield to_json(head)[:-1] + ',"eval_case_results":['
    for number, case in enumerate(cases):
        yield (",\n" if number else "\n") + to_json(_case(case))
    yield "\n]}\n"


def _result_id(app: str, set_id: str, created_at_s: float) -> str:
    return f"{_slug(app)}_{_slug(set_id)}_{created_at_s:.6f}"


def _slug(text: str) -> str:
    return _UNSAFE.sub("_", text)[:_LONGEST_SLUG] or "_"


def _case(case: CaseRun) -> dict[str, object]:
    metrics = metrics_of(case)
    session = case.eval.setup.session
    exchanges = case.result.transcript.exchanges
    return {
        "eval_set_file": case.set_id,
        "eval_set_id": case.set_id,
        "eval_id": case.eval_id,
        "final_eval_status": _NUMBERS[STATUSES[case.result.verdict]],
        "overall_eval_metric_results": [_metric(metric) for metric in metrics],
        "eval_metric_result_per_invocation": [
            _turn(case.eval, index, exchange, metrics) for index, exchange in enumerate(exchanges)
        ],
        "session_id": str(session.get("session_id") or f"audition-{case.eval_id}-{case.result.trial}"),
        "user_id": str(session.get("user_id") or _USER),
    }


def _metric(metric: Metric) -> dict[str, object]:
    found = _scored(metric, metric.check.score, metric.status)
    if metric.check.reason is not None and metric.status in ("FAILED", "NOT_EVALUATED"):
        # ADK has no place for a reason but a rubric's, and its viewer shows that one.
        found["details"] = {"rubric_scores": [{"rubric_id": "reason", "rationale": metric.check.reason}]}
    return found


def _scored(metric: Metric, score: float | None, status: str) -> dict[str, object]:
    told: dict[str, object] = {"metric_name": metric.name, "eval_status": _NUMBERS[status]}
    told |= {} if metric.check.threshold is None else {"threshold": metric.check.threshold}
    return told if score is None else told | {"score": score}


def _turn(one: Eval, index: int, exchange: Exchange, metrics: Sequence[Metric]) -> dict[str, object]:
    scored = [metric for metric in metrics if metric.check.turn is None and metric.check.turn_scores]
    told: dict[str, object] = {
        "actual_invocation": _invocation(exchange, index),
        "eval_metric_results": [
            _scored(metric, metric.turn_score(index), metric.turn_status(index)) for metric in scored
        ],
    }
    reference = one.turns[index].reference if index < len(one.turns) else None
    return told if reference is None else told | {"expected_invocation": _expected(exchange, index, reference)}


def _invocation(exchange: Exchange, index: int) -> dict[str, object]:
    told: dict[str, object] = {
        "invocation_id": f"turn-{index + 1}",
        "user_content": _content(exchange.user or to_json(exchange.event), "user"),
        "intermediate_data": {
            "tool_uses": [{"name": call.name, "args": call.arguments} for call in exchange.tool_calls],
            "tool_responses": [{"name": call.name, "response": _response(call)} for call in exchange.tool_calls],
        },
    }
    told |= {"final_response": _content(response_text(exchange), "model")} if exchange.replies else {}
    return told if exchange.response_ms is None else told | {"duration": round(exchange.response_ms / 1000, 3)}


def _expected(exchange: Exchange, index: int, reference: Reference) -> dict[str, object]:
    told: dict[str, object] = {
        "invocation_id": f"turn-{index + 1}",
        "user_content": _content(exchange.user or to_json(exchange.event), "user"),
    }
    if reference.response is not None:
        told["final_response"] = _content(reference.response, "model")
    if reference.tool_calls is not None:
        calls = [{"name": call.name, "args": call.arguments or {}} for call in reference.tool_calls]
        told["intermediate_data"] = {"tool_uses": calls}
    return told


def _content(text: str, role: str) -> dict[str, object]:
    return {"role": role, "parts": [{"text": text}]}


def _response(call: ToolCall) -> object:
    if call.error is not None:
        return {"error": call.error}
    return call.result if isinstance(call.result, dict) else {"result": call.result}
