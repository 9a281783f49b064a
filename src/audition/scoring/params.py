"""What must be true of named parameters: a tool call's arguments, a workflow's input."""

from collections.abc import Mapping

from audition.documents.located import Path
from audition.documents.shape import Faults, MapOf, Schema
from audition.results import Verdict
from audition.scoring.matchers import OPERATORS, matcher
from audition.scoring.paths import value_at
from audition.scoring.rule import Finding


class ParamsShape:
    """Operators or literals by dotted parameter name; at least one."""

    __slots__ = ("_each",)

    def __init__(self) -> None:
        self._each = MapOf(OPERATORS)

    def read(self, value: object, path: Path, faults: Faults) -> object:
        """Return the parameters; an empty object is a fault, since it says nothing."""
        if isinstance(value, Mapping) and not value:
            faults.add(f"{path[-1] if path else 'this'!r} must name a parameter", path, "leave it out if none matters")
        return self._each.read(value, path, faults)

    def schema(self) -> Schema:
        """Return the shape as JSON Schema."""
        return self._each.schema() | {"minProperties": 1}


class Params:
    """What must be true of each of some parameters."""

    def __init__(self, spec: object) -> None:
        self._matchers = {name: matcher(item) for name, item in spec.items()} if isinstance(spec, Mapping) else {}

    def describe(self) -> str:
        """Return the parameters in words: `priority equals "high", department contains "Engineering"`."""
        return ", ".join(f"{name} {wanted.describe()}" for name, wanted in self._matchers.items())

    def misses(self, given: Mapping[str, object]) -> list[tuple[str, Finding]]:
        """Return each parameter that is not as it must be (or cannot be told), with what was found."""
        findings = ((name, wanted.match(value_at(given, name))) for name, wanted in self._matchers.items())
        return [(name, finding) for name, finding in findings if finding.verdict is not Verdict.PASS]


def told(misses: list[tuple[str, Finding]]) -> str:
    """Return misses as a sentence: `q expected "news 2025", got "news"`."""
    return "; ".join(
        f"{name} expected {finding.expected}, got {finding.actual}" + (f" ({finding.reason})" if finding.reason else "")
        for name, finding in misses
    )
