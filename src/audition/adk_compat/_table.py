"""The CSV file of an evaluation, with ADK's columns."""

import csv
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from audition.adk_compat._evaluation import CaseResult
from audition.evals import Reference, ToolCallReference
from audition.store.adk_history import CaseRun, metrics_of
from audition.transcript import Exchange, ToolCall, response_text
from audition.wire import to_json

COLUMNS = (
    "eval_set_id", "eval_id", "metric_name", "threshold", "score", "eval_status", "prompt", "expected_response",
    "actual_response", "expected_tool_calls", "actual_tool_calls",
)  # fmt: skip

_STARTS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What makes a spreadsheet take a text for a formula. Source: OWASP, CSV injection."""


def append(cases: Iterable[CaseResult], path: Path) -> None:
    """Add a row for each metric of each turn of each run to a file, which gets its header when it is new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        if file.tell() == 0:
            table.writerow(COLUMNS)
        for case in cases:
            for run in case.runs():
                table.writerows(_rows(run))


def _rows(run: CaseRun) -> Iterator[list[object]]:
    for metric in metrics_of(run):
        names = [_harmless(run.set_id), _harmless(run.eval_id), _harmless(metric.name), metric.check.threshold]
        if not metric.check.turn_scores:
            yield [*names, metric.check.score, metric.status, *_said(run, metric.check.turn)]
        for turn, score in enumerate(metric.check.turn_scores):
            yield [*names, score, metric.turn_status(turn), *_said(run, turn)]


def _said(run: CaseRun, turn: int | None) -> list[str]:
    """Return what was said and done on a turn (from 0), and what was expected; nothing for a metric of no turn."""
    exchanges = run.result.transcript.exchanges
    exchange = exchanges[turn] if turn is not None and turn < len(exchanges) else Exchange()
    turns = run.eval.turns
    reference = (turns[turn].reference if turn is not None and turn < len(turns) else None) or Reference()
    prompt = exchange.user if exchange.event is None else to_json(exchange.event)
    texts = (
        prompt or "",
        reference.response or "",
        response_text(exchange),
        _calls(reference.tool_calls or ()),
        _calls(exchange.tool_calls),
    )
    return [_harmless(text) for text in texts]


def _calls(calls: Sequence[ToolCall | ToolCallReference]) -> str:
    return "\n".join(f"{call.name}({to_json(call.arguments or {})})" for call in calls)


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(_STARTS_A_FORMULA) else text
