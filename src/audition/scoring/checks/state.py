"""The values of bot, user and conversation state. Source: Botpress eval format, State."""

from collections.abc import Mapping
from dataclasses import dataclass

from audition.documents.located import Path
from audition.documents.shape import Faults, Field, Flag, Record, Text
from audition.results import Verdict
from audition.scoring.matchers import OPERATOR_FIELDS, OPERATOR_TABLE, Matcher, all_of, matcher, same, shown
from audition.scoring.paths import MISSING, value_at
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.transcript import State

FACET = "state"
PLACES = frozenset({"turn", "outcome"})

_SCOPES = ("bot", "user", "conversation")


def _review(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    scope, field = _scope_and_field(str(found["path"]))
    if not field:
        faults.add(f"{found['path']!r} names no field of the {scope} state", (*path, "path"), f"write {scope}.FIELD")
    if "changed" not in found and not found.keys() & OPERATOR_TABLE.keys():
        hint = f"add 'changed' or one of {', '.join(OPERATOR_TABLE)}"
        faults.add("this check says nothing that could fail", path, hint)


CHECK = Spec(
    Record(
        "state check",
        path=Field(Text(min_length=1), required=True, doc="Which value: bot.FIELD, user.FIELD or conversation.FIELD."),
        changed=Field(Flag(), doc="Whether the value differs from before the turn (outcome: from after the setup)."),
        **OPERATOR_FIELDS,
    ),
    _review,
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a state check means."""
    scope, field = _scope_and_field(str(spec["path"]))
    changed = spec.get("changed")
    return _StateRule(scope, field, changed if isinstance(changed, bool) else None, matcher(spec))


def _scope_and_field(path: str) -> tuple[str, str]:
    scope, _, field = path.partition(".")
    return (scope, field) if scope in _SCOPES else ("conversation", path)


@dataclass(frozen=True, slots=True)
class _StateRule:
    """`changed` None: it does not matter; a matcher that wants nothing likewise."""

    scope: str
    field: str
    changed: bool | None
    wanted: Matcher

    def describe(self) -> str:
        changed = {True: ["changed"], False: ["not changed"], None: []}[self.changed]
        operators = [self.wanted.describe()] if self.wanted.wanted else []
        return f"{self.scope}.{self.field}: {' and '.join(changed + operators)}"

    def evaluate(self, seen: Seen) -> Finding:
        after = seen.state_after
        if after is None:
            return Finding(verdict=Verdict.ERROR, expected=self.describe(), reason="the state was not observed")
        findings = [self.wanted.match(self._value_in(after))] if self.wanted.wanted else []
        if self.changed is not None:
            findings.append(self._compare(seen.state_before, after))
        return all_of(findings)

    def _compare(self, state_before: State | None, state_after: State) -> Finding:
        expected = "a changed value" if self.changed else "the value from before"
        if state_before is None:
            reason = "the state before was not observed"
            return Finding(verdict=Verdict.ERROR, expected=expected, reason=reason)
        before, after = self._value_in(state_before), self._value_in(state_after)
        actual = f"{shown(before)} before, {shown(after)} after"
        if before is MISSING and after is MISSING:
            # "not changed" of a field that never was (or of a misspelt one) would hold for want of evidence
            reason = "there is no such value, neither before nor after"
            return Finding(verdict=Verdict.FAIL, expected=expected, actual=actual, reason=reason)
        held = same(before, after, case_sensitive=True) is not self.changed
        return Finding(verdict=Verdict.PASS if held else Verdict.FAIL, expected=expected, actual=actual)

    def _value_in(self, state: State) -> object:
        scopes = {"bot": state.bot, "user": state.user, "conversation": state.conversation}
        return value_at(scopes[self.scope], self.field)
