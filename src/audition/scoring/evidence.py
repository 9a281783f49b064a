"""Evidence: a conversation as sources with labels, and whether a quote stands in the source it names.

U1, U2 … are what the user said (or the events that were pushed), T1, T2 … the tool calls with what they returned,
R1, R2 … what the agent said, each numbered through the whole conversation; S is the scenario.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from audition.scoring.asking import opening, outcome_of, told
from audition.scoring.clauses import Quote
from audition.scoring.rule import Line
from audition.text import fold
from audition.transcript import Exchange, ToolCall

_ESCAPED_SPACE = re.compile(r"\\[nrt]")
_ESCAPED = re.compile(r"\\([\"\\/])")
_WITH_DIGIT = re.compile(r"[\w.:/#-]*\d[\w.:/#-]*")
_SHORTEST_VALUE = 3

Origin = Literal["given", "wrong", "unknown"]
"""Where a tool call's arguments come from: from what the agent was told; from a misreading of it; from elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a judge may quote, in the order of the conversation.

    `judged` are the labels of the replies that are judged, `calls` the tool calls by label. `tools_seen` False: nobody
    could see the agent's tools.
    """

    lines: tuple[Line, ...]
    judged: frozenset[str]
    calls: Mapping[str, ToolCall]
    tools_seen: bool = True

    def holds(self, quote: Quote) -> bool:
        """Tell whether a quote stands in its source, word for word; case, spaces and kinds of quotes aside."""
        return any(line.speaker == quote.source and _stands(quote.text, line.text) for line in self.lines)

    def from_reply(self, quote: Quote) -> bool:
        """Tell whether a quote shows something of the judged replies: a mark alone shows nothing."""
        return quote.source in self.judged and any(char.isalnum() for char in quote.text)

    def from_result(self, quote: Quote) -> bool:
        """Tell whether a quote stands in what a tool returned, and not only in how it was called."""
        call = self.calls.get(quote.source)
        return call is not None and _stands(quote.text, outcome_of(call))

    def origin(self, label: str) -> Origin:
        """Tell where the values with digits in a tool call's arguments come from; words are left to the judge."""
        call = self.calls[label]
        if call.malformed is not None:
            return "wrong"
        known = fold(" ".join(self._known_before(label)))
        origins = {_origin(value, known) for value in _values(call.arguments)}
        return next((origin for origin in _WORST_FIRST if origin in origins), "given")

    def _known_before(self, label: str) -> Iterator[str]:
        """Yield what the agent had been told when it made a call: words of the user and results of earlier calls."""
        for line in self.lines:
            if line.speaker == label:
                return
            if line.speaker in self.calls:
                yield outcome_of(self.calls[line.speaker])
            elif line.speaker[0] in "SU":
                yield line.text


_WORST_FIRST: tuple[Origin, ...] = ("wrong", "unknown")


def sources_of(
    exchanges: Sequence[Exchange], *, judged_from: int, scenario: str | None = None, tools_seen: bool = True
) -> Sources:
    """Return the sources of a conversation; the replies from turn `judged_from` (from 0) on are judged."""
    lines = [Line(speaker="S", text=scenario)] if scenario else []
    calls: dict[str, ToolCall] = {}
    judged: list[str] = []
    said = 0
    for index, exchange in enumerate(exchanges):
        lines.append(Line(speaker=f"U{index + 1}", text=opening(exchange).text))
        for call in exchange.tool_calls:
            label = f"T{len(calls) + 1}"
            calls[label] = call
            lines.append(Line(speaker=label, text=told(call)))
        for reply in exchange.replies:
            said += 1
            lines.append(Line(speaker=f"R{said}", text=reply.text))
            if index >= judged_from:
                judged.append(f"R{said}")
    return Sources(lines=tuple(lines), judged=frozenset(judged), calls=calls, tools_seen=tools_seen)


def _stands(quote: str, text: str) -> bool:
    wanted = _even(quote)
    return bool(wanted) and wanted in _even(text)


def _even(text: str) -> str:
    """Return text as quotes are compared: JSON's escapes read, spaces and line breaks as one space."""
    return " ".join(fold(_ESCAPED.sub(r"\1", _ESCAPED_SPACE.sub(" ", text))).split())


def _values(data: object) -> Iterator[str]:
    """Yield the values in arguments that can be traced: those with a digit and of three characters or more."""
    if isinstance(data, Mapping):
        for value in data.values():
            yield from _values(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _values(value)
    elif isinstance(data, str | int | float) and not isinstance(data, bool):
        text = fold(str(data)).strip()
        if len(text) >= _SHORTEST_VALUE and any(char.isdigit() for char in text):
            yield text


def _origin(value: str, known: str) -> Origin:
    if re.search(rf"(?<!\w){re.escape(value)}(?!\w)", known):
        return "given"
    return "wrong" if any(_misread(value, said) for said in _WITH_DIGIT.findall(known)) else "unknown"


def _misread(value: str, said: str) -> bool:
    """Tell whether a value is what was said with fewer than half of its characters changed."""
    said = said.strip(".:/#-")
    changed = sum(one != other for one, other in zip(value, said, strict=False))
    return len(value) == len(said) and 2 * changed < len(value)
