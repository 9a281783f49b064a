"""The spans of a Botpress agent's traces, and what they tell of a turn. Source: Botpress dev server, trace stream."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from audition.transcript import ToolCall, Usage, total

Key = tuple[str, str]
"""What a span is known by: its trace and its own id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One thing a bot did. `started_ms` and `ended_ms` are of the bot's clock, since the epoch; None: not known.

    `status` is `running`, `ok` or `error`. A span comes as running first and again when it has ended.
    """

    key: Key
    name: str
    status: str
    started_ms: float | None = None
    ended_ms: float | None = None
    error: str | None = None
    workflow_id: str | None = None
    data: Mapping[str, object] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        """Return whether it has come to its end."""
        return self.status != "running"


class Spans:
    """The spans of a session, each in its latest form, in the order in which they were first heard of."""

    def __init__(self) -> None:
        self._held: dict[Key, Span] = {}
        self._taken: set[Key] = set()
        self.changes = 0
        """How many spans have been noted, new and anew."""

    def note(self, name: str, content: Mapping[str, object]) -> None:
        """Note what an event of the stream says: a snapshot of spans, or one span anew."""
        if name == "snapshot":
            held = content.get("spans")
            raw: Iterable[object] = held if isinstance(held, list) else ()
        else:
            raw = (content.get("span"),)
        for one in raw:
            if (span := _span(one)) is not None:
                self._held[span.key] = span
                self.changes += 1

    def all(self) -> tuple[Span, ...]:
        """Return all spans."""
        return tuple(self._held.values())

    def keys(self) -> frozenset[Key]:
        """Return what all spans are known by."""
        return frozenset(self._held)

    def take(self) -> list[Span]:
        """Return the spans that were not taken yet, by the time they started."""
        fresh = [span for span in self._held.values() if span.key not in self._taken]
        self._taken.update(span.key for span in fresh)
        return sorted(fresh, key=lambda span: span.started_ms or 0.0)


def tool_calls(spans: Sequence[Span]) -> tuple[ToolCall, ...]:
    """Return the tool calls among spans, in the order of the spans; times count from the first span's start."""
    origin_ms = next((span.started_ms for span in spans if span.started_ms is not None), None)
    return tuple(
        [
            _tool_call(span, origin_ms)
            for span in spans
            if span.name == "autonomous.tool" and span.data.get("autonomous.tool.name")
        ]
    )


def usage_of(spans: Iterable[Span]) -> Usage:
    """Return what the models asked in these spans came to; no request at all is a known zero."""
    requests = [_request(span.data) for span in spans if span.name == "cognitive.request"]
    return total(requests) if requests else Usage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0.0)


def duration_ms(handlers: Sequence[Span]) -> float | None:
    """Return how long the handlers of a turn took, from the first start to the last end; None when not known."""
    started = [span.started_ms for span in handlers if span.started_ms is not None]
    ended = [span.ended_ms for span in handlers if span.ended_ms is not None]
    return max(ended) - min(started) if started and ended else None


def _tool_call(span: Span, origin_ms: float | None) -> ToolCall:
    arguments, malformed = _arguments(span.data.get("autonomous.tool.input"))
    return ToolCall(
        name=str(span.data["autonomous.tool.name"]),
        arguments=arguments,
        malformed=malformed,
        result=_result(span.data.get("autonomous.tool.output")),
        error=_tool_error(span),
        started_ms=_since(origin_ms, span.started_ms),
        ended_ms=_since(origin_ms, span.ended_ms),
    )


def _arguments(written: object) -> tuple[Mapping[str, object], str | None]:
    """Return arguments, or the text that is no JSON object."""
    if written is None or written == "":
        return {}, None
    read = _json(written) if isinstance(written, str) else written
    if isinstance(read, Mapping):
        return read, None
    return {}, written if isinstance(written, str) else json.dumps(written, default=str)


def _result(written: object) -> object:
    """Return a tool's result: objects and lists come as JSON text, and a text that is neither is itself."""
    read = _json(written) if isinstance(written, str) else written
    return read if isinstance(read, Mapping | list) or not isinstance(written, str) else written


def _tool_error(span: Span) -> str | None:
    if span.status != "error" and span.data.get("autonomous.tool.status") != "error":
        return None
    return str(span.data.get("autonomous.tool.error") or span.error or "the tool failed")


def _request(data: Mapping[str, object]) -> Usage:
    spent, came = _number(data.get("ai.input_tokens")), _number(data.get("ai.output_tokens"))
    return Usage(
        calls=1,
        input_tokens=None if spent is None else int(spent),
        output_tokens=None if came is None else int(came),
        cost_usd=_number(data.get("ai.cost")),
    )


def _span(raw: object) -> Span | None:
    """Return a span; None for what is none."""
    if not isinstance(raw, Mapping):
        return None
    ids, timing, context = _object(raw, "id"), _object(raw, "timing"), _object(raw, "context")
    if not isinstance(ids.get("span"), str):
        return None
    workflow_id, error = context.get("workflowId"), raw.get("error")
    return Span(
        key=(str(ids.get("trace")), str(ids["span"])),
        name=str(raw.get("name")),
        status=str(raw.get("status")),
        started_ms=_number(timing.get("startedAt")),
        ended_ms=_number(timing.get("endedAt")),
        error=error if isinstance(error, str) else None,
        workflow_id=workflow_id if isinstance(workflow_id, str) else None,
        data=_object(raw, "data"),
    )


def _object(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = raw.get(key)
    return found if isinstance(found, Mapping) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _since(origin_ms: float | None, at_ms: float | None) -> float | None:
    return None if origin_ms is None or at_ms is None else at_ms - origin_ms


def _json(text: str) -> object:
    """Return what a JSON text says; None when it is none."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None


def _no_number(word: str) -> NoReturn:
    raise ValueError(word)  # NaN and infinities are not JSON, and could not be kept
