"""Runs and results as the API shows them: the seed's keys by default, everything with `?view=full`."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from audition.results import CheckResult, TrialResult, agent_usage, judge_usage
from audition.service.conventions import seconds
from audition.service.run_results import CaseResult, counts_of, pass_hat, pass_rate
from audition.store.service.database import utc
from audition.store.service.linked_runs import Effort
from audition.store.service.run_views import Beat, RunLine, WholeResult
from audition.store.service.runs import Run
from audition.store.service.subjects import decode_subject
from audition.store.service.workers import DEAD_S
from audition.subjects import everyone
from audition.transcript import Usage, total
from audition.wire import decode_result

_WHO = ("agent", "judge", "user")
"""Whose models a run asks: `user` is the model that plays simulated users."""


_RUN: dict[str, Any] = {
    "id": 1,
    "dataset_id": 1,
    "candidate_system_prompt": "We are open 9-5 Mon-Fri.",
    "status": "pending",
    "error_message": None,
    "created_at": "2026-01-15T10:05:00Z",
}
_RESULT: dict[str, Any] = {
    "id": 1,
    "run_id": 1,
    "case_id": 1,
    "actual_response": "We are open from nine to five.",
    "verdict": "pass",
    "judge_reasoning": "It names the hours.",
    "error_message": None,
}


class RunOut(BaseModel):
    """A run. Source: evals REST API."""

    model_config = ConfigDict(json_schema_extra={"examples": [_RUN]})

    id: int
    dataset_id: int
    candidate_system_prompt: str
    status: Literal["pending", "running", "completed", "failed"]
    error_message: str | None
    created_at: str


class RunLinkedOut(RunOut):
    """A run that goes on from another."""

    kind: Literal["retry", "resume", "rejudge"]
    parent_id: int


class ResultOut(BaseModel):
    """The result of a case. `verdict` null comes with an `error_message`. Source: evals REST API."""

    id: int
    run_id: int
    case_id: int
    actual_response: str | None
    verdict: Literal["pass", "fail"] | None
    judge_reasoning: str | None
    error_message: str | None


class RunWithResultsOut(RunOut):
    """A run with the results it has so far, in the order of the cases."""

    model_config = ConfigDict(json_schema_extra={"examples": [{**_RUN, "status": "completed", "results": [_RESULT]}]})

    results: list[ResultOut]


class FullResultOut(ResultOut):
    """The result of a case with all its trials."""

    outcome: str
    clauses: list[dict[str, Any]]
    trials: list[dict[str, Any]]


class FullRunOut(BaseModel):
    """All there is to say of a run; what is not known is null."""

    id: int
    dataset_id: int
    candidate_system_prompt: str
    status: Literal["pending", "running", "completed", "failed", "cancelled"]
    error_message: str | None
    created_at: str
    label: str | None
    kind: Literal["evaluate", "retry", "resume", "rejudge"]
    parent_id: int | None
    selective: bool
    cancel_requested: bool
    dataset_version: int
    prompt_sha: str
    subject: list[dict[str, Any]]
    options: dict[str, Any]
    judge: str | None
    judge_fingerprint: str | None
    planned: int
    progress: dict[str, int]
    counts: dict[str, int]
    pass_rate: dict[str, Any]
    pass_hat_k: list[dict[str, Any]] | None
    worker: dict[str, Any] | None
    started_at: str | None
    finished_at: str | None
    usage: dict[str, Any] | None
    cost_usd: float | None
    with_parents: dict[str, Any]
    created_by: str
    results: list[FullResultOut]
    results_complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the full view says of a run beside its own row."""

    cases: Sequence[CaseResult]
    done: int
    beat: Beat | None
    effort: Effort
    selective: bool
    judge_fingerprint: str | None


def run_body(one: RunLine | Run) -> dict[str, object]:
    """Return a run with the seed's keys. That somebody asked for its end is told when it has come."""
    return {
        "id": one.id,
        "dataset_id": one.dataset_id,
        "candidate_system_prompt": one.candidate_system_prompt,
        "status": one.status,
        "error_message": one.error_message if one.status == "failed" else None,
        "created_at": seconds(one.created_at),
    }


def linked_run_body(run: Run) -> dict[str, object]:
    """Return a run that goes on from another."""
    return {**run_body(run), "kind": run.kind, "parent_id": run.parent_id}


def result_body(run_id: int, case: CaseResult) -> dict[str, object]:
    """Return the result of a case with the seed's keys."""
    return {
        "id": case.id,
        "run_id": run_id,
        "case_id": case.case_id,
        "actual_response": case.actual_response,
        "verdict": case.verdict,
        "judge_reasoning": case.judge_reasoning,
        "error_message": case.error_message,
    }


def full_run_body(run: Run, standing: Standing, results: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return all there is to say of a run."""
    spent = usage_of(run.usage)
    return {
        **run_body(run),
        "status": "cancelled" if run.status == "failed" and run.cancelled else run.status,
        "label": run.label,
        "kind": run.kind,
        "parent_id": run.parent_id,
        "selective": standing.selective,
        "cancel_requested": run.cancelled,
        "dataset_version": run.dataset_version,
        "prompt_sha": run.prompt_sha,
        "subject": _subject(run.subject),
        "options": options_body(run),
        "judge": run.judge,
        "judge_fingerprint": standing.judge_fingerprint,
        "planned": run.planned,
        "progress": {"done": standing.done, "of": run.planned},
        "counts": counts_of(standing.cases),
        "pass_rate": pass_rate(standing.cases),
        "pass_hat_k": pass_hat(standing.cases, run.options.trials),
        "worker": _worker(run, standing.beat),
        "started_at": _moment(run.started_at),
        "finished_at": _moment(run.finished_at),
        "usage": spent,
        "cost_usd": cost_of(spent, judged=run.judge is not None),
        "with_parents": _together(standing.effort),
        "created_by": run.created_by,
        "results": list(results),
        "results_complete": len(results) == len(standing.cases),
    }


def listed_run_body(run: Run, agent_id: int | None, orchestrator_id: int | None) -> dict[str, object]:
    """Return a run as the list of all runs has it."""
    return {
        **run_body(run),
        "agent_id": agent_id,
        "orchestrator_id": orchestrator_id,
        "label": run.label,
        "kind": run.kind,
        "parent_id": run.parent_id,
        "planned": run.planned,
        "created_by": run.created_by,
        "started_at": _moment(run.started_at),
        "finished_at": _moment(run.finished_at),
    }


def full_result_body(run_id: int, case: CaseResult, trials: Sequence[WholeResult]) -> dict[str, object]:
    """Return the result of a case with the clauses of the first trial, and all trials."""
    read = [(one, decode_result(one.document, row=f"result {one.line.id}")) for one in trials]
    return {
        **result_body(run_id, case),
        "outcome": case.outcome,
        "clauses": _clauses(read[0][1]) if read else [],
        "trials": [_trial(one, result) for one, result in read],
    }


def options_body(run: Run) -> dict[str, object]:
    """Return the options of a run as a client would write them."""
    options = asdict(run.options)
    if isinstance(run.options.pass_policy, int):
        options["pass_policy"] = {"k": run.options.pass_policy}
    return options


def usage_of(kept: str | None) -> dict[str, Any] | None:
    """Return what a run's models took, as it is kept; None when that is not known (yet)."""
    if kept is None:
        return None
    spent = json.loads(kept)
    return {who: _usage_body(usage_from(spent.get(who))) for who in _WHO}


def usage_from(kept: Mapping[str, Any] | None) -> Usage | None:
    """Return a usage from what is kept of it."""
    return None if kept is None else Usage(**kept)


def cost_of(spent: Mapping[str, Any] | None, *, judged: bool) -> float | None:
    """Return what all models cost together, US dollars; None when the agent's, or one of those asked, do not say."""
    if spent is None or spent["agent"] is None or (judged and spent["judge"] is None):
        return None
    costs = [one["cost_usd"] for one in spent.values() if one is not None]
    return None if None in costs else sum(costs)


def _together(effort: Effort) -> dict[str, object]:
    """Return what a run and those it goes on from took together."""
    found = [json.loads(usage) if usage is not None else {} for usage in effort.usages]
    spent: dict[str, object] = {}
    for who in _WHO:
        each = [usage_from(one.get(who)) for one in found]
        known = [usage for usage in each if usage is not None]
        spent[who] = _usage_body(total(known)) if known and len(known) == len(each) else None
    return {"started_at": _moment(effort.started_at), "active_s": effort.active_s, "usage": spent}


def _subject(encoded: str) -> list[dict[str, object]]:
    """Return the subject and all below it, from the top, without what their tools keep secret."""
    tree = decode_subject(encoded)
    return [
        {"family": one.family, "id": one.id, "name": one.name, "version": one.version, "model": one.model}
        for one in everyone(tree)
    ]


def _worker(run: Run, beat: Beat | None) -> dict[str, object] | None:
    if beat is None or run.status != "running":
        return None
    return {
        "last_heartbeat_at": seconds(utc(datetime.fromtimestamp(beat.at_s, UTC))),
        "alive": beat.silent_s <= DEAD_S and not beat.has_stopped,
        "seconds_since": round(beat.silent_s, 1),
    }


def _trial(one: WholeResult, result: TrialResult) -> dict[str, object]:
    line = one.line
    return {
        "id": line.id,
        "trial": line.trial,
        "verdict": line.verdict,
        "outcome": line.outcome,
        "actual_response": line.actual_response,
        "judge_reasoning": line.judge_reasoning,
        "error_message": line.error_message,
        "duration_ms": result.duration_ms,
        "usage": _spent(result),
        "copied_from": one.copied_from,
        "created_at": seconds(one.created_at),
        "clauses": _clauses(result),
    }


def _spent(result: TrialResult) -> dict[str, object]:
    usages = (agent_usage(result), judge_usage(result), result.user_usage)
    return {who: _usage_body(usage) for who, usage in zip(_WHO, usages, strict=True)}


def _clauses(result: TrialResult) -> list[dict[str, object]]:
    return [_clause(check) for check in result.checks]


def _clause(check: CheckResult) -> dict[str, object]:
    return {
        "category": check.category,
        "check": check.check,
        "verdict": check.verdict.value,
        "turn": check.turn,
        "expected": check.expected,
        "actual": check.actual,
        "reason": check.reason,
        "score": check.score,
        "note": check.note,
        "warning": check.warning,
    }


def _usage_body(usage: Usage | None) -> dict[str, object] | None:
    return None if usage is None else asdict(usage)


def _moment(moment: str | None) -> str | None:
    return None if moment is None else seconds(moment)
