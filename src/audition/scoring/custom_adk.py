"""A conversation as custom metrics of Google ADK take it, and what they give back, without ADK.

Where ADK's own types are loaded, as by a metric that imports them, the metric gets those; else objects that have the
same attributes. Source: ADK, custom metrics.
"""

import sys
from collections.abc import Mapping, Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

from audition.documents.located import plain
from audition.evals import Scenario, ToolCallReference, Turn
from audition.transcript import Exchange, ToolCall, response_text

_ADK_TYPES = "google.adk.evaluation.eval_case"

_CONTENT = ("parts", "role")
_PART = ("text", "function_call", "function_response", "thought", "inline_data")
_CALL = ("id", "name", "args")
_RESPONSE = ("id", "name", "response")
_INVOCATION = (
    "invocation_id", "user_content", "final_response", "intermediate_data", "creation_timestamp", "duration",
    "rubrics", "app_details",
)  # fmt: skip

_STATUSES = {1: "PASSED", 2: "FAILED", 3: "NOT_EVALUATED", 4: "INFORMATIONAL"}
"""What the numbers of ADK's EvalStatus mean."""


def arguments(
    metric: str,
    threshold: float | None,
    exchanges: Sequence[Exchange],
    turns: Sequence[Turn],
    scenario: Scenario | None,
) -> tuple[object, object, object, object]:
    """Return what a metric is called with: itself, what happened, what was expected and the scenario.

    Without written turns nothing was expected: None. The threshold stands in the metric's criterion, as in ADK.
    """
    criterion = None if threshold is None else SimpleNamespace(threshold=threshold)
    called = SimpleNamespace(metric_name=metric, threshold=None, criterion=criterion)
    actual = [_invocation(_happened(exchange, number)) for number, exchange in enumerate(exchanges, 1)]
    expected = [_invocation(_expected(turn, number)) for number, turn in enumerate(turns, 1)] if turns else None
    return called, actual, expected, None if scenario is None else _scenario(scenario)


def status_of(result: object) -> str | None:
    """Return the status in a metric's result, as ADK calls it; None when it has none."""
    status = getattr(result, "overall_eval_status", None)
    name = getattr(status, "name", status)
    return _STATUSES.get(name) if isinstance(name, int) else name if isinstance(name, str) else None


def turn_scores_of(result: object) -> tuple[float | None, ...]:
    """Return the scores of the turns in a metric's result; empty when it has none."""
    scores = [getattr(one, "score", None) for one in getattr(result, "per_invocation_results", None) or ()]
    return tuple(float(score) if isinstance(score, int | float) else None for score in scores)


def _happened(exchange: Exchange, number: int) -> dict[str, Any]:
    """Return an exchange as an invocation that was run: what it came to as events."""
    calls = [_called(call, f"call-{number}-{index}") for index, call in enumerate(exchange.tool_calls, 1)]
    responses = [_returned(call, f"call-{number}-{index}") for index, call in enumerate(exchange.tool_calls, 1)]
    events = [
        {"author": author, "content": {"role": role, "parts": [{kind: part}]}}
        for call, response in zip(calls, responses, strict=True)
        for author, role, kind, part in (
            ("agent", "model", "function_call", call),
            ("agent", "user", "function_response", response),
        )
    ]
    return {
        "invocation_id": f"turn-{number}",
        "user_content": _content("user", exchange.user or ""),
        "final_response": _content("model", response_text(exchange)) if exchange.replies else None,
        "intermediate_data": {"invocation_events": events},
        "duration": None if exchange.response_ms is None else exchange.response_ms / 1000,
    }


def _expected(turn: Turn, number: int) -> dict[str, Any]:
    reference = turn.reference
    calls = reference.tool_calls if reference else None
    said = reference.response if reference else None
    return {
        "invocation_id": f"turn-{number}",
        "user_content": _content("user", turn.user or ""),
        "final_response": None if said is None else _content("model", said),
        "intermediate_data": None if calls is None else {"tool_uses": [_wanted(call) for call in calls]},
    }


def _content(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "parts": [{"text": text}]}


def _called(call: ToolCall, id: str) -> dict[str, Any]:
    return {"id": id, "name": call.name, "args": plain(dict(call.arguments))}


def _returned(call: ToolCall, id: str) -> dict[str, Any]:
    result = {"error": call.error} if call.error is not None else plain(call.result)
    return {"id": id, "name": call.name, "response": result if isinstance(result, dict) else {"result": result}}


def _wanted(call: ToolCallReference) -> dict[str, Any]:
    return {"name": call.name, "args": None if call.arguments is None else plain(dict(call.arguments))}


def _adk() -> ModuleType | None:
    """Return the module that holds ADK's types when somebody has loaded it."""
    return sys.modules.get(_ADK_TYPES)


def _invocation(data: Mapping[str, Any]) -> object:
    adk = _adk()
    if adk is not None:
        return adk.Invocation.model_validate(data)
    given = {
        **data,
        "creation_timestamp": 0.0,
        "user_content": _as_content(data["user_content"]),
        "final_response": _as_content(data["final_response"]),
        "intermediate_data": _as_intermediate(data["intermediate_data"]),
    }
    return _with(_INVOCATION, given)


def _scenario(scenario: Scenario) -> object:
    given = {"starting_prompt": scenario.starting_prompt, "conversation_plan": scenario.plan}
    adk = _adk()
    if adk is not None:
        return adk.ConversationScenario.model_validate(given)
    return SimpleNamespace(**given, user_persona=scenario.persona)


def _as_intermediate(data: Mapping[str, Any] | None) -> object:
    """Return intermediate data with the attributes of both its forms."""
    if data is None:
        return None
    events = data.get("invocation_events", ())
    parts = [part for event in events for part in event["content"]["parts"]]
    calls = data.get("tool_uses", [part["function_call"] for part in parts if "function_call" in part])
    responses = [part["function_response"] for part in parts if "function_response" in part]
    return SimpleNamespace(
        tool_uses=[_with(_CALL, call) for call in calls],
        tool_responses=[_with(_RESPONSE, response) for response in responses],
        intermediate_responses=[],
        invocation_events=[
            SimpleNamespace(author=event["author"], content=_as_content(event["content"]), usage_metadata=None)
            for event in events
        ],
    )


def _as_content(data: Mapping[str, Any] | None) -> object:
    if data is None:
        return None
    return _with(_CONTENT, {"role": data["role"], "parts": [_as_part(part) for part in data["parts"]]})


def _as_part(data: Mapping[str, Any]) -> object:
    kinds = {"function_call": _CALL, "function_response": _RESPONSE}
    return _with(_PART, {key: _with(kinds[key], value) if key in kinds else value for key, value in data.items()})


def _with(names: Sequence[str], given: Mapping[str, Any]) -> SimpleNamespace:
    """Return an object with these attributes; those that are not given are None."""
    return SimpleNamespace(**{**dict.fromkeys(names), **given})
