"""What a recorded request is: one canonical JSON text, without secrets and without what is random in it."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from audition.llm import JsonSchema, Message, ToolDefinition
from audition.text import printable, shorten

MASK = "***"
"""What stands in place of a secret."""

_FENCE = re.compile(r"</?[a-z][a-z_]*-([0-9a-f]{16})>")
"""The marks around data for a model; they hold a random text, new for each call, by which no call would be found."""

_LONGEST_LINE = 160
_LONGEST_DIFF = 30


class Disguise:
    """Takes out of texts what must not be kept (`secrets`) or would never come again (the random marks of a request).

    The marks are numbered in the order in which the messages hold them, so requests that differ in them alone are the
    same request, and an answer can be given back with the marks of the call that asks for it.
    """

    def __init__(self, messages: Iterable[Message], secrets: Iterable[str]) -> None:
        found = [mark for message in messages for mark in _FENCE.findall(message.content)]
        self._marks = {mark: f"⟨mark {number}⟩" for number, mark in enumerate(dict.fromkeys(found), 1)}
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    def hide(self, value: object) -> object:
        """Return data as JSON holds it, disguised."""
        match value:
            case str():
                return self._hidden(value)
            case Mapping():
                return {self._hidden(str(key)): self.hide(part) for key, part in value.items()}
            case list() | tuple():
                return [self.hide(part) for part in value]
            case bool() | int() | float() | None:
                return value
            case _:
                return self._hidden(str(value))

    def show(self, text: str) -> str:
        """Return a text of a recorded answer with the marks of this request."""
        for mark, name in self._marks.items():
            text = text.replace(name, mark)
        return text

    def _hidden(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, MASK)
        for mark, name in self._marks.items():
            text = text.replace(mark, name)
        return text


def canonical(
    reference: str,
    parameters: Mapping[str, object],
    messages: Sequence[Message],
    schema: JsonSchema | None,
    tools: Sequence[ToolDefinition],
    disguise: Disguise,
) -> str:
    """Return a request as one line of JSON in ASCII: equal requests have equal texts. Time limits are no part of it."""
    request = {
        "model": reference,
        "parameters": {key: value for key, value in parameters.items() if value is not None},
        "messages": [_message(message) for message in messages],
        "schema": schema,
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": tool.parameters} for tool in tools
        ],
    }
    asked = {key: value for key, value in request.items() if value}
    return json.dumps(disguise.hide(asked), sort_keys=True, separators=(",", ":"))


def nearest_request(request: str, recorded: Iterable[str]) -> str | None:
    """Return the recorded request most like this one; None when there is none."""
    from difflib import SequenceMatcher  # 5 ms of CPU: only when a recording is missing

    wanted = _lines(request)

    def likeness(other: str) -> float:
        return SequenceMatcher(None, wanted, _lines(other), autojunk=False).ratio()

    return max(recorded, key=likeness, default=None)


def difference(recorded: str, request: str) -> str:
    """Return what differs between a recorded request and another, as a short unified diff that is safe to print."""
    from difflib import unified_diff

    lines = list(unified_diff(_lines(recorded), _lines(request), "recorded", "asked", n=1, lineterm=""))
    left_out = len(lines) - _LONGEST_DIFF
    shown = [shorten(printable(line), _LONGEST_LINE) for line in lines[:_LONGEST_DIFF]]
    return "\n".join(shown + ([f"… ({left_out} more lines)"] if left_out > 0 else []))


def _message(message: Message) -> dict[str, object]:
    written: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_requests:
        written["tool_requests"] = [
            {"id": asked.id, "name": asked.name, "arguments": asked.arguments} for asked in message.tool_requests
        ]
    if message.tool_call_id is not None:
        written["tool_call_id"] = message.tool_call_id
    return written


def _lines(request: str) -> list[str]:
    """Return a request in many lines, those of its texts apart from each other."""
    text = json.dumps(json.loads(request), indent=1, ensure_ascii=False, sort_keys=True)
    return [part for line in text.split("\n") for part in line.split("\\n")]
