"""How today's Botpress engine grades one check, category by category.

It reads traces where a transcript holds what they came to; what that leaves open is said beside each category.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from audition.evals import Check, Eval
from audition.results import Verdict
from audition.scoring.javascript import as_number, as_text, identical
from audition.scoring.matchers import same, shown
from audition.scoring.paths import MISSING
from audition.scoring.patterns import pattern
from audition.scoring.rule import Finding, Line, Question
from audition.transcript import Data, Exchange, State, ToolCall, Transcript, WorkflowEvent

YES = 3
"""The lowest grade, of 1 to 5, taken for a yes: its judge says yes or no, and knows no judgePassThreshold."""

_PREVIEW_CHARACTERS = 2_000
"""How much it sees of each message."""

_RESPONSE_KINDS = ("contains", "not_contains", "matches", "llm_judge")
_SCOPES = ("bot", "user", "conversation")


class EngineBreaks(Exception):
    """The engine throws an exception here: the turn has no results, and nothing after it is looked at."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where checks stand: a turn, counted from 0, or the outcome (None)."""

    eval: Eval
    transcript: Transcript
    turn: int | None

    def exchanges(self) -> Sequence[Exchange]:
        """Return what checks of this place look at."""
        exchanges = self.transcript.exchanges
        return exchanges if self.turn is None else exchanges[self.turn : self.turn + 1]

    def saves(self, scope: str) -> list[tuple[Data, Data]] | None:
        """Return what a scope was before and after each turn that changed it, None when that was not observed."""
        states = [self.transcript.baseline, *(exchange.state for exchange in self.transcript.exchanges)]
        if self.turn is not None:
            states = states[self.turn : self.turn + 2]
        values = [_scope_of(state, scope) for state in states if state is not None]
        if len(values) < len(states):
            return None
        return [(before, after) for before, after in pairwise(values) if not same(before, after, case_sensitive=True)]

    def workflow_events(self, name: str) -> list[WorkflowEvent]:
        """Return what a workflow did. One that the setup starts has begun before the first turn is watched."""
        events = [event for exchange in self.exchanges() for event in exchange.workflows if event.name == name]
        setup = self.eval.setup.workflow
        if self.turn == 0 and setup is not None and setup.name == name:
            starts = [position for position, event in enumerate(events) if event.status == "entered"]
            return events[starts[1] :] if len(starts) > 1 else []
        return events


def grade(place: Place, check: Check) -> Finding | Question | None:
    """Return what the engine says of a check; None when it knows no such check, or what it looks at was not observed.

    Raises: EngineBreaks where it throws an exception; PatternTimeout.
    """
    exchanges = place.exchanges()
    match check.category:
        case "response":
            return _response(check.spec, exchanges[0])
        case "tools":
            return _tools(check.spec, exchanges[0].tool_calls)
        case "state":
            return _state(check.spec, place)
        case "workflow":
            return _workflow(check.spec, place.workflow_events(str(check.spec["name"])))
        case "timing":
            return _timing(check.spec, exchanges[0])
    return None


def messages_of(exchange: Exchange) -> list[str]:
    """Return the messages it sees; an empty one it does not, a blank one it does."""
    return [reply.text[:_PREVIEW_CHARACTERS] for reply in exchange.replies if reply.text]


def unreadable_path(checks: Iterable[Check]) -> str | None:
    """Return the first state path without a scope that it knows, None when there is none."""
    paths = (str(check.spec["path"]) for check in checks if check.category == "state")
    return next((path for path in paths if "." not in path or path.partition(".")[0] not in _SCOPES), None)


def _response(spec: Data, exchange: Exchange) -> Finding | Question:
    """Only the first of `_RESPONSE_KINDS` counts; case is ignored, quotes and spaces are not folded."""
    text = "\n".join(messages_of(exchange))
    kind = next(kind for kind in _RESPONSE_KINDS if kind in spec)
    wanted = str(spec[kind])
    if kind == "llm_judge":
        said = exchange.user
        line = Line(speaker="event", text="[event]") if said is None else Line(speaker="user", text=said)
        return Question(criterion=wanted, response=text, conversation=(line,), threshold=YES)
    reason = f"it looks for {kind} {shown(wanted)} alone, in the first {_PREVIEW_CHARACTERS} characters of each message"
    return _finding(_OPERATORS[kind](text, wanted), reason, f"{kind} {shown(wanted)}", shown(text))


def _tools(spec: Data, calls: Sequence[ToolCall]) -> Finding:
    """Only the first of not_called, call_order and called counts; `times`, `status` and `exact` it does not know."""
    if "not_called" in spec:
        name = spec["not_called"]
        held = all(call.name != name for call in calls)
        return _finding(held, "it looks at not_called alone", f"no call of {shown(name)}", _listed(calls))
    if isinstance(order := spec.get("call_order"), list | tuple):
        ended = _by_end(calls)
        rest = iter([call.name for call in ended])
        held = all(name in rest for name in order)
        reason = f"it orders calls by their end: {_listed(ended)}"
        return _finding(held, reason, ", ".join(map(shown, order)), _listed(ended))
    named = [call for call in calls if call.name == spec["called"]]
    params = spec.get("params")
    if named and isinstance(params, Mapping):
        return _params(params, named)
    reason = "it looks only at whether there was such a call"
    return _finding(bool(named), reason, f"a call of {shown(spec['called'])}", _listed(calls))


def _params(params: Mapping[str, object], calls: Sequence[ToolCall]) -> Finding:
    """Each parameter may be met by another call; its name is a key as it stands, dots and all."""
    met = {key: [call.arguments.get(key, MISSING) for call in calls] for key in params}
    held = {key: any(_holds(params[key], value) for value in values) for key, values in met.items()}
    told = "; ".join(
        f"{key} {_first(params[key])}, got {', '.join(map(as_text, values))}" for key, values in met.items()
    )
    reason = f"it compares as JavaScript does, the first operator of each parameter with any call: {told}"
    return _finding(all(held.values()), reason, ", ".join(f"{key} {_first(one)}" for key, one in params.items()), told)


def _state(spec: Data, place: Place) -> Finding | None:
    """Only `equals` and `changed` count, for one top-level key of a scope that was saved; all else passes.

    A transcript shows the state between turns: a value that changed to and fro within one turn is not seen.
    """
    scope, _, field = str(spec["path"]).partition(".")
    saves = place.saves(scope)
    if saves is None:
        return None
    when = "in the conversation" if place.turn is None else "in this turn"
    held, reason = True, "it looks at 'equals' and 'changed' only"
    if "equals" in spec:
        held = same(saves[-1][1].get(field, MISSING) if saves else MISSING, spec["equals"], case_sensitive=True)
        reason = f"it reads the key {shown(field)}, if the {scope} state was saved {when} ({'yes' if saves else 'no'})"
    if "changed" in spec and held:
        changed = any(
            not same(before.get(field, MISSING), after.get(field, MISSING), case_sensitive=True)
            for before, after in saves
        )
        held = changed is spec["changed"]
        reason = f"it asks whether the key {shown(field)} of the {scope} state was ever changed {when}"
    return _finding(held, reason)


def _workflow(spec: Data, events: Sequence[WorkflowEvent]) -> Finding:
    """Only `entered` and `completed` count, and any sign of the workflow is both: one that waits counts as ended.

    Whether it was still at work when the turn ended is not known from a transcript, and taken to be rare.
    """
    flags = [flag for flag in ("entered", "completed") if flag in spec]
    seen = ", ".join(event.status for event in events) or "nothing of it"
    reason = f"it takes a workflow that shows at all for entered and completed, and saw {seen}"
    held = all(bool(events) is spec[flag] for flag in flags)
    return _finding(held, reason if flags else "it looks at 'entered' and 'completed' only", actual=seen)


def _timing(spec: Data, exchange: Exchange) -> Finding:
    measured = 0 if exchange.response_ms is None else exchange.response_ms
    wanted = _first(spec["response_time"])
    reason = f"it looks at {wanted} alone, and takes a time that was not measured for 0 ms"
    return _finding(_holds(spec["response_time"], measured), reason, f"{wanted} ms", f"{as_text(measured)} ms")


def _contains(value: object, wanted: object) -> bool:
    if not isinstance(wanted, str):
        raise EngineBreaks(f"it can look for a text only, and this is {shown(wanted)}")
    return wanted.lower() in as_text(value).lower()


def _matches(value: object, wanted: object) -> bool:
    return pattern(_without_unicode(str(wanted))).found_in(as_text(value))


def _without_unicode(source: str) -> str:
    r"""Return a pattern as JavaScript reads it without the flag `u`: `\p{L}` is p, brace, L, brace."""
    return re.sub(r"\\(?:([pP])\{|(u)(?=\{)|.)", lambda found: _plain(found) or found[0], source, flags=re.DOTALL)


def _plain(found: re.Match[str]) -> str | None:
    return f"{found[1]}\\{{" if found[1] else found[2]


_OPERATORS: Mapping[str, Callable[[object, object], bool]] = {
    "equals": identical,
    "contains": _contains,
    "not_contains": lambda value, wanted: not _contains(value, wanted),
    "matches": _matches,
    "in": lambda value, wanted: isinstance(wanted, list | tuple) and any(identical(value, one) for one in wanted),
    "exists": lambda value, wanted: (value is not MISSING and value is not None) is wanted,
    "gte": lambda value, wanted: as_number(value) >= as_number(wanted),
    "lte": lambda value, wanted: as_number(value) <= as_number(wanted),
}
"""The operators; the first of them that is there counts."""


def _holds(operators: object, value: object) -> bool:
    """Say whether the first operator holds. A text stands for itself, and other literals are not known."""
    if isinstance(operators, str):
        return as_text(value) == operators
    if isinstance(operators, list | tuple):
        return False
    if not isinstance(operators, Mapping):
        raise EngineBreaks(f"it takes a text or operators here, and this is {shown(operators)}")
    name = next(name for name in _OPERATORS if name in operators)
    return _OPERATORS[name](value, operators[name])


def _first(operators: object) -> str:
    if not isinstance(operators, Mapping):
        return f"equals {shown(operators)}"
    name = next(name for name in _OPERATORS if name in operators)
    return f"{name} {shown(operators[name])}"


def _by_end(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Return the calls by the time they ended; as they are listed unless that is known of all."""
    ends = [call.ended_ms for call in calls if call.ended_ms is not None]
    if len(ends) < len(calls):
        return list(calls)
    return [call for _, call in sorted(zip(ends, calls, strict=True), key=lambda pair: pair[0])]


def _listed(calls: Sequence[ToolCall]) -> str:
    return ", ".join(shown(call.name) for call in calls) or "no tool was called"


def _scope_of(state: State, scope: str) -> Data:
    return {"bot": state.bot, "user": state.user, "conversation": state.conversation}[scope]


def _finding(held: bool, reason: str, expected: str | None = None, actual: str | None = None) -> Finding:
    return Finding(verdict=Verdict.PASS if held else Verdict.FAIL, expected=expected, actual=actual, reason=reason)
