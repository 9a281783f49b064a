"""The report programs read: one JSON object, one eval a line."""

import re
from collections.abc import Iterable, Iterator

from audition.results import CheckResult, Run, TrialResult, Vote, agent_usage, judge_usage
from audition.transcript import Exchange, ToolCall, Trouble, Usage
from audition.wire import SCHEMA, to_json, without_secrets

_STEERING = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Control characters beyond ASCII, line separators of JavaScript, and marks that turn the direction of text."""


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG001
    """Return the report in pieces; it is always complete, `verbose` or not."""
    head = {
        "id": run.id,
        "started_at": run.started_at,
        "passed": run.passed,
        "failed": run.failed,
        "errors": run.errors,
        "skipped": run.skipped,
        "total": run.total,
        "duration_ms": run.duration_ms,
    }
    yield json_text(head)[:-1] + ',"evals":['
    between = "\n"
    for result in results:
        yield between + json_text(eval_data(result))
        between = ",\n"
    yield "\n]," + json_text(_rest(run))[1:] + "\n"


def json_text(data: dict[str, object]) -> str:
    """Return data as JSON that may be written to a terminal: what JSON itself leaves unescaped and steers one is."""
    text = to_json(data)
    return text if text.isascii() else _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _rest(run: Run) -> dict[str, object]:
    return {
        "status": run.status,
        "agent": without_secrets(run.agent),
        "judge": run.judge,
        "judge_fingerprint": run.judge_fingerprint,
        "error": run.error,
        "paths": run.paths,
        "faults": run.faults,
        "warnings": run.warnings,
        "rescored_from": run.rescored_from,
        "usage": _usages(run.agent_usage, run.judge_usage, run.user_usage),
        "schema": SCHEMA,
    }


def eval_data(result: TrialResult) -> dict[str, object]:
    """Return a trial as the report holds it."""
    exchanges = result.transcript.exchanges
    checked = [check.turn + 1 for check in result.checks if check.turn is not None]
    unreached = [_turn(index, Exchange(), result) for index in range(len(exchanges), max(checked, default=0))]
    return {
        "name": result.eval_name,
        "type": result.type,
        "tags": result.tags,
        "verdict": result.verdict,
        "duration_ms": result.duration_ms,
        "error": result.error,
        "turns": [_turn(index, exchange, result) for index, exchange in enumerate(exchanges)] + unreached,
        "outcome": [_check(check) for check in result.checks if check.turn is None],
        "trial": result.trial,
        "started_at": result.started_at,
        "usage": _usages(agent_usage(result), judge_usage(result), result.user_usage),
        **_troubled(result.transcript.trouble),
    }


def _turn(index: int, exchange: Exchange, result: TrialResult) -> dict[str, object]:
    turn: dict[str, object] = {"index": index}
    turn |= {"user": exchange.user} if exchange.event is None else {"event": exchange.event}
    turn |= {
        "replies": [reply.text for reply in exchange.replies],
        "response_ms": exchange.response_ms,
        "tool_calls": [_tool_call(call) for call in exchange.tool_calls],
        "usage": _usage(exchange.usage),
        "checks": [_check(check) for check in result.checks if check.turn == index],
        **_troubled(exchange.trouble),
    }
    if exchange.workflows:
        workflows = exchange.workflows
        turn["workflows"] = [{"name": one.name, "status": one.status, "input": one.input} for one in workflows]
    if exchange.state is not None:
        state = exchange.state
        turn["state"] = {"bot": state.bot, "user": state.user, "conversation": state.conversation}
    return turn


def _tool_call(call: ToolCall) -> dict[str, object]:
    told: dict[str, object] = {
        "name": call.name,
        "arguments": call.arguments,
        "result": call.result,
        "error": call.error,
    }
    more = {"malformed": call.malformed, "within": call.within, "transfer": call.transfer or None}
    return told | {key: value for key, value in more.items() if value is not None}


def _usages(agent: Usage | None, judge: Usage | None, user: Usage | None) -> dict[str, object]:
    return {"agent": _usage(agent), "judge": _usage(judge), "user": _usage(user)}


def _usage(usage: Usage | None) -> dict[str, object] | None:
    if usage is None:
        return None
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _troubled(trouble: Trouble | None) -> dict[str, object]:
    """Return what goes into a turn, or an eval, that did not come to its end."""
    if trouble is None:
        return {}
    return {"trouble": {"message": trouble.message, "by_agent": trouble.by_agent, "detail": trouble.detail}}


def _check(check: CheckResult) -> dict[str, object]:
    told: dict[str, object] = {
        "category": check.category,
        "check": check.check,
        "verdict": check.verdict,
        "expected": check.expected,
        "actual": check.actual,
        "reason": check.reason,
        "where": check.where,
        "score": check.score,
    }
    if check.judge_usage is not None:
        told["judge_usage"] = _usage(check.judge_usage)
    if check.votes:
        told["votes"] = [_vote(vote) for vote in check.votes]
    if check.note is not None:
        told["note"] = check.note
    return told if check.warning is None else told | {"warning": check.warning}


def _vote(vote: Vote) -> dict[str, object]:
    return {
        "asked": vote.asked,
        "model": vote.model,
        "score": vote.score,
        "answer": vote.answer,
        "reason": vote.reason,
        "prompt_hash": vote.prompt_hash,
        "usage": _usage(vote.usage),
        "raw": vote.raw,
    }
