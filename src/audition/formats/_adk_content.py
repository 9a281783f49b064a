"""ADK's contents and calls, and what they say: from and to texts and tool calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from audition.documents.located import plain
from audition.evals import Data, SeedState, ToolCallReference

CALLS_AND_MORE = "intermediate_data"
"""The key of an invocation under which its tool calls stand, in either form."""

_PREFIXES = {"user": "user:", "bot": "app:"}
"""How ADK marks the keys of state that is kept per user, and for all of an app."""


def text_of(content: Mapping[str, Any] | None) -> str | None:
    """Return what a content says: its text parts, one a line, thoughts left out; None for no content at all."""
    if content is None:
        return None
    parts = content.get("parts") or ()
    return "\n".join(part["text"] for part in parts if part.get("text") is not None and not part.get("thought"))


def content_of(text: str, role: str) -> dict[str, object]:
    """Return the plainest content that says a text."""
    return {"parts": [{"text": text}], "role": role}


def calls_of(intermediate: Mapping[str, Any] | None) -> tuple[ToolCallReference, ...] | None:
    """Return the tool calls of intermediate data in either form, in order; None when there is no such data.

    A call without arguments, or with null for them, has none: `{}`.
    """
    if intermediate is None:
        return None
    calls = intermediate.get("tool_uses", ()) or _calls_in_events(intermediate.get("invocation_events", ()))
    return tuple(ToolCallReference(name=call.get("name", ""), arguments=call.get("args", {})) for call in calls)


def _calls_in_events(events: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for event in events:
        for part in event.get("content", {}).get("parts", ()):
            if "function_call" in part:
                yield part["function_call"]


def intermediate_of(calls: Sequence[ToolCallReference]) -> dict[str, object]:
    """Return the plainest intermediate data with these calls."""
    written = [{"name": call.name, "args": plain(call.arguments or {})} for call in calls]
    return {"tool_uses": written} if written else {}


def scopes_of(state: Mapping[str, object]) -> SeedState:
    """Return the state of a session by scope; a scope that nothing is said of is left alone."""
    scopes: dict[str, dict[str, object]] = {}
    for key, value in state.items():
        scope, name = scope_and_name(key)
        scopes.setdefault(scope, {})[name] = value
    return SeedState(bot=scopes.get("bot"), user=scopes.get("user"), conversation=scopes.get("conversation"))


def scope_and_name(key: str) -> tuple[str, str]:
    """Return where a key of ADK's session state belongs, and what it is called there."""
    for scope, prefix in _PREFIXES.items():
        if key.startswith(prefix):
            return scope, key.removeprefix(prefix)
    return "conversation", key


def state_key(scope: str, name: str) -> str:
    """Return how ADK writes a key of one scope."""
    return _PREFIXES.get(scope, "") + name


def persona_text(persona: Mapping[str, Any]) -> str:
    """Return a persona that is described in full, in words."""
    lines = [persona["description"]]
    for behavior in persona["behaviors"]:
        lines.append(f"{behavior['name']}: {behavior['description']}")
        lines.extend(f"  * {instruction}" for instruction in behavior["behavior_instructions"])
    return "\n".join(lines)


def persona_of(text: str) -> dict[str, object]:
    """Return a persona of ADK's for a description in words."""
    return {"id": "custom", "description": text, "behaviors": []}


def eval_set_of(extra: Data) -> Data:
    """Return what was said of the set an eval came from, by ADK's names; empty for an eval of another format."""
    ours = extra.get("audition")
    found = ours.get("eval_set") if isinstance(ours, Mapping) else None
    return found if isinstance(found, Mapping) else {}
