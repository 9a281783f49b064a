"""Which tools the agent called, with what, and in which order. Source: Botpress eval format, Tools."""

from collections.abc import Iterable, Mapping, Sequence

from audition.documents.located import Path
from audition.documents.shape import Choice, Faults, Field, Flag, ListOf, Record, Text
from audition.results import Verdict
from audition.scoring.matchers import COUNT_OPERATORS, all_of, matcher, shown
from audition.scoring.params import Params, ParamsShape, told
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.text import shorten
from audition.transcript import ToolCall

FACET = "tools"
PLACES = frozenset({"turn"})

_KINDS = ("called", "not_called", "call_order")
_SHOWN_CHARACTERS = 500


def _review(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    for key, needed in (("params", "called"), ("times", "called"), ("status", "called"), ("exact", "call_order")):
        if key in found and needed not in found:
            faults.add(f"{key!r} says nothing without {needed!r}", (*path, key), f"add {needed!r}")
    if not found.keys() & set(_KINDS):
        faults.add("this check says nothing that could fail", path, f"add one of {', '.join(_KINDS)}")


CHECK = Spec(
    Record(
        "tools check",
        called=Field(Text(min_length=1), doc="The name of a tool that was called on this turn."),
        params=Field(ParamsShape(), doc="Operators by dotted parameter name; one single call must satisfy all."),
        times=Field(COUNT_OPERATORS, doc="How many calls are as described; by default at least one."),
        status=Field(Choice(("success", "error")), doc="How the call ended; by default it does not matter."),
        not_called=Field(Text(min_length=1), doc="The name of a tool that was not called on this turn."),
        call_order=Field(
            ListOf(Text(min_length=1), min_items=1), doc="Tools called in this order; other calls may lie between."
        ),
        exact=Field(Flag(), doc="With call_order: no other call at all."),
    ),
    _review,
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a tools check means."""
    parts: list[_Part] = []
    if "called" in spec:
        parts.append(_Called(spec))
    if "not_called" in spec:
        parts.append(_NotCalled(str(spec["not_called"])))
    order = spec.get("call_order")
    if isinstance(order, list):
        parts.append(_CallOrder([str(name) for name in order], exact=spec.get("exact") is True))
    return _ToolsRule(parts)


class _ToolsRule:
    """All parts of one check, each looking at the calls of the turn."""

    def __init__(self, parts: "Sequence[_Part]") -> None:
        self._parts = parts

    def describe(self) -> str:
        return "; ".join(part.describe() for part in self._parts)

    def evaluate(self, seen: Seen) -> Finding:
        calls = [call for exchange in seen.exchanges for call in exchange.tool_calls]
        return all_of([part.decide(calls) for part in self._parts])


class _Called:
    """A tool was called: with these parameters, so often, with this end."""

    def __init__(self, spec: Mapping[str, object]) -> None:
        self._name = str(spec["called"])
        self._params = Params(spec["params"]) if "params" in spec else None
        self._times = matcher(spec["times"]) if "times" in spec else None
        self._status = spec.get("status")

    def describe(self) -> str:
        words = [f"called: {shown(self._name)}"]
        if self._params is not None:
            words.append(f"with {self._params.describe()}")
        if self._status is not None:
            words.append(f"status {self._status}")
        if self._times is not None:
            words.append(f"times {self._times.describe()}")
        return " ".join(words)

    def decide(self, calls: Sequence[ToolCall]) -> Finding:
        verdicts, reasons = [], []
        for number, call in enumerate(calls, 1):
            if call.name == self._name:
                verdict, misses, reason = self._look_at(call)
                verdicts.append(verdict)
                reasons.append((misses, f"call {number} {call.name}: {reason}"))
        verdict = self._count(verdicts)
        failed = [reason for reason in reasons if reason[0]]
        nearest = min(failed, key=lambda reason: reason[0])[1] if failed and verdict is not Verdict.PASS else None
        return Finding(verdict=verdict, expected=self._expected(), actual=self._actual(verdicts, calls), reason=nearest)

    def _look_at(self, call: ToolCall) -> tuple[Verdict, int, str]:
        """Return whether a call is as described, how many things are wrong with it, and which."""
        status = "success" if call.error is None else "error"
        if self._status not in (None, status):
            return Verdict.FAIL, 1, f"status expected {self._status}, got {status}"
        if self._params is None:
            return Verdict.PASS, 0, ""
        if call.malformed is not None:
            return Verdict.FAIL, 1_000, f"its arguments are no JSON object: {shown(call.malformed)}"
        misses = self._params.misses(call.arguments)
        if not misses:
            return Verdict.PASS, 0, ""
        return all_of([finding for _, finding in misses]).verdict, len(misses), told(misses)

    def _count(self, verdicts: Sequence[Verdict]) -> Verdict:
        if self._times is not None:
            if Verdict.ERROR in verdicts:
                return Verdict.ERROR
            return self._times.match(verdicts.count(Verdict.PASS)).verdict
        if Verdict.PASS in verdicts:
            return Verdict.PASS
        return Verdict.ERROR if Verdict.ERROR in verdicts else Verdict.FAIL

    def _expected(self) -> str:
        return self.describe().removeprefix("called: ")

    def _actual(self, verdicts: Sequence[Verdict], calls: Sequence[ToolCall]) -> str:
        count = f"{verdicts.count(Verdict.PASS)} such of: " if self._times is not None and calls else ""
        return count + _listed(calls)


class _NotCalled:
    """A tool was not called."""

    def __init__(self, name: str) -> None:
        self._name = name

    def describe(self) -> str:
        return f"not_called: {shown(self._name)}"

    def decide(self, calls: Sequence[ToolCall]) -> Finding:
        wrong = [call for call in calls if call.name == self._name]
        expected = f"no call of {shown(self._name)}"
        return Finding(
            verdict=Verdict.FAIL if wrong else Verdict.PASS, expected=expected, actual=_listed(wrong or calls)
        )


class _CallOrder:
    """Tools were called one after the other, by the time each call began."""

    def __init__(self, names: Sequence[str], *, exact: bool) -> None:
        self._names, self._exact = names, exact

    def describe(self) -> str:
        return f"call_order: {', '.join(map(shown, self._names))}{' (exact)' if self._exact else ''}"

    def decide(self, calls: Sequence[ToolCall]) -> Finding:
        names = [call.name for call in _by_start(calls)]
        missing = _first_out_of_order(self._names, names)
        held = list(self._names) == names if self._exact else missing is None
        return Finding(
            verdict=Verdict.PASS if held else Verdict.FAIL,
            expected=self.describe().removeprefix("call_order: "),
            actual=", ".join(map(shown, names)) or "no tool was called",
            reason=self._reason(held, missing),
        )

    def _reason(self, held: bool, missing: int | None) -> str | None:
        if held:
            return None
        if missing is None:
            return "there were other calls"
        after = f" after {shown(self._names[missing - 1])}" if missing else ""
        return f"{shown(self._names[missing])} was not called{after}"


_Part = _Called | _NotCalled | _CallOrder


def _by_start(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Return the calls by the time they began; as they are listed unless that is known of all."""
    starts = [call.started_ms for call in calls if call.started_ms is not None]
    if len(starts) < len(calls):
        return list(calls)
    return [call for _, call in sorted(zip(starts, calls, strict=True), key=lambda pair: pair[0])]


def _first_out_of_order(wanted: Sequence[str], names: Iterable[str]) -> int | None:
    """Return the position of the first wanted name that does not follow the ones before it, None when all do."""
    rest = iter(names)
    return next((position for position, name in enumerate(wanted) if name not in rest), None)


def _listed(calls: Sequence[ToolCall]) -> str:
    given = [f"{call.name}({shown(call.arguments) if call.malformed is None else call.malformed})" for call in calls]
    return shorten("\n".join(given), _SHOWN_CHARACTERS) if given else "no tool was called"
