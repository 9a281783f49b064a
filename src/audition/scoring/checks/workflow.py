"""The workflows that ran. Source: Botpress eval format, Workflow."""

from collections.abc import Iterable, Mapping, Sequence

from audition.documents.located import Path
from audition.documents.shape import Choice, Faults, Field, Flag, Record, Text
from audition.results import Verdict
from audition.scoring.matchers import all_of, shown
from audition.scoring.params import Params, ParamsShape, told
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.transcript import Exchange, WorkflowEvent

FACET = "workflows"
PLACES = frozenset({"turn", "outcome"})

_STATUSES = ("entered", "completed", "failed", "cancelled", "timedout")
_FLAGS = ("entered", "completed", "failed")


def _review(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    if found.keys() <= {"name"}:
        faults.add("a name alone says nothing that could fail", path, "add entered: true, for example")


CHECK = Spec(
    Record(
        "workflow check",
        name=Field(Text(min_length=1), required=True, doc="The workflow's name, exactly."),
        entered=Field(Flag(), doc="Whether it was started here."),
        completed=Field(Flag(), doc="Whether it finished as it should; a failed one did not."),
        failed=Field(Flag(), doc="Whether it ended in failure or ran out of time."),
        status=Field(Choice(_STATUSES), doc="The last thing it was seen to do."),
        input=Field(ParamsShape(), doc="Operators by input parameter; one single run must satisfy all."),
    ),
    _review,
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a workflow check means."""
    return _WorkflowRule(spec)


class _WorkflowRule:
    """Looks at the events of one workflow: those of the turn, or all for an outcome."""

    def __init__(self, spec: Mapping[str, object]) -> None:
        self._name = str(spec["name"])
        self._flags = {flag: spec[flag] is True for flag in _FLAGS if flag in spec}
        self._status = spec.get("status")
        self._input = Params(spec["input"]) if "input" in spec else None

    def describe(self) -> str:
        parts = [flag if wanted else f"not {flag}" for flag, wanted in self._flags.items()]
        if self._status is not None:
            parts.append(f"status {self._status}")
        if self._input is not None:
            parts.append(f"input {self._input.describe()}")
        return f"{self._name}: {', '.join(parts)}"

    def evaluate(self, seen: Seen) -> Finding:
        events = self._events(seen.exchanges)
        start_seen = any(event.status == "entered" for event in self._events(seen.transcript.exchanges))
        statuses = [event.status for event in events]
        truths = {
            "entered": "entered" in statuses or (bool(events) and not start_seen),
            "completed": "completed" in statuses,
            "failed": "failed" in statuses or "timedout" in statuses,
        }
        actual = ", ".join(statuses) or f"{self._name} did nothing here"
        findings = [
            _finding(truths[flag] is wanted, flag if wanted else f"not {flag}", actual)
            for flag, wanted in self._flags.items()
        ]
        if self._status is not None:
            findings.append(_finding(statuses[-1:] == [self._status], f"status {self._status}", actual))
        if self._input is not None:
            findings.append(_input_finding(self._input, events))
        return all_of(findings)

    def _events(self, exchanges: Iterable[Exchange]) -> list[WorkflowEvent]:
        return [event for exchange in exchanges for event in exchange.workflows if event.name == self._name]


def _finding(held: bool, expected: str, actual: str) -> Finding:
    return Finding(verdict=Verdict.PASS if held else Verdict.FAIL, expected=expected, actual=actual)


def _input_finding(wanted: Params, events: Sequence[WorkflowEvent]) -> Finding:
    """Decide whether one single run had the input that was wanted."""
    expected = f"input {wanted.describe()}"
    if not events:
        return Finding(verdict=Verdict.FAIL, expected=expected, reason="the workflow did nothing here")
    inputs = [event.input for event in events if event.input is not None]
    if not inputs:
        return Finding(verdict=Verdict.ERROR, expected=expected, reason="the workflow's input was not observed")
    actual = ", ".join(shown(given) for given in inputs)
    misses = [wanted.misses(given) for given in inputs]
    if [] in misses:
        return Finding(verdict=Verdict.PASS, expected=expected, actual=actual)
    nearest = min(misses, key=len)
    verdict = all_of([all_of([finding for _, finding in each]) for each in misses]).verdict
    return Finding(verdict=verdict, expected=expected, actual=actual, reason=told(nearest))
