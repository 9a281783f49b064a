"""What must be true of a value: the operators, how values are compared, and how they are shown."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from json import JSONEncoder
from json.encoder import encode_basestring
from math import isfinite

from audition.documents.located import Path
from audition.documents.shape import (
    Anything,
    Faults,
    Field,
    Flag,
    ListOf,
    Number,
    Record,
    Schema,
    Shape,
    Text,
    kind_of,
)
from audition.results import Verdict, roll_up
from audition.scoring.paths import MISSING
from audition.scoring.patterns import BadPattern, PatternTimeout, pattern
from audition.scoring.rule import Finding
from audition.scoring.spec import Spec
from audition.text import fold, nearest, settle_form, shorten

Answer = bool | str
"""True: it holds. False: it does not. A text: it does not, and this is why."""

_SHOWN_CHARACTERS = 500
_json = JSONEncoder(ensure_ascii=False, default=str).encode


@dataclass(frozen=True, slots=True)
class Phrase:
    """A text that something may contain: it must hold more than what comparing texts leaves out."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        """Return the text; an empty one is a fault, since every text contains it."""
        if isinstance(value, str) and not fold(value):
            faults.add(
                f"{path[-1] if path else 'the text'!r} must not be empty: every text contains an empty one", path
            )
        return Text().read(value, path, faults)

    def schema(self) -> Schema:
        """Return the shape as JSON Schema."""
        return {"type": "string", "minLength": 1}


@dataclass(frozen=True, slots=True)
class _Part:
    """What a text or a list may contain: one value."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if isinstance(value, str):
            return Phrase().read(value, path, faults)
        if value is None or isinstance(value, list | tuple):
            what = path[-1] if path else "this"
            faults.add(f"{what!r} takes one value, not {kind_of(value)}", path, "write one check for each value")
        return value

    def schema(self) -> Schema:
        return {"type": ["string", "number", "boolean", "object"], "minLength": 1}


@dataclass(frozen=True, slots=True)
class _PatternText:
    """A pattern in the syntax of JavaScript that can be searched for."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, str) or not value:
            return Text(min_length=1).read(value, path, faults)
        try:
            pattern(value)
        except BadPattern as error:
            faults.add(f"{shown(value)}: {error.message}", path, error.hint)
        return value

    def schema(self) -> Schema:
        return {"type": "string", "minLength": 1}


def same(one: object, other: object, *, case_sensitive: bool = False) -> bool:
    """Tell whether two JSON values are equal, deeply: true is not 1, 1 is 1.0, the order of keys does not matter.

    Texts are equal when they look the same (`text.fold`); `case_sensitive` compares their characters in NFC.
    """
    if isinstance(one, str):
        form = settle_form if case_sensitive else fold
        return isinstance(other, str) and (one == other or form(one) == form(other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(
            same(item, other[key], case_sensitive=case_sensitive) for key, item in one.items()
        )
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(
            same(item, twin, case_sensitive=case_sensitive) for item, twin in zip(one, other, strict=True)
        )
    return one == other


def _contains(value: object, wanted: object, case_sensitive: bool) -> Answer:
    if isinstance(value, list | tuple):
        return any(same(item, wanted, case_sensitive=case_sensitive) for item in value)
    whole, part = _as_text(value), _as_text(wanted)
    if whole is None:
        return f"'contains' looks into texts and lists, and this is {kind_of(value)}"
    if part is None:
        return f"a text cannot contain {kind_of(wanted)}"
    form = settle_form if case_sensitive else fold
    return form(part) in form(whole)


def _not_contains(value: object, wanted: object, case_sensitive: bool) -> Answer:
    held = _contains(value, wanted, case_sensitive)
    return held.replace("'contains'", "'not_contains'") if isinstance(held, str) else not held


def _matches(value: object, wanted: object, case_sensitive: bool) -> Answer:
    text, source = _as_text(value), str(wanted)
    if text is None:
        return f"'matches' looks into texts, and this is {kind_of(value)}"
    return pattern(source, case_sensitive=case_sensitive).found_in(text) or _taken_literally(source, text)


def _taken_literally(source: str, text: str) -> Answer:
    """Return a word of advice when the text holds the pattern as it is written, False otherwise."""
    special = next((char for char in "$^.*+?()[{|" if char in source), None)
    if special is None or fold(source) not in fold(text):
        return False
    means = "$ means end of text" if special == "$" else f"{special} has a meaning of its own"
    return f"the text holds the pattern as it is written, but {means} in matches; write \\{special}"


def _as_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    return _json(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _number(value: object) -> float | None:
    """Return a finite number, also one that is written as a text; None for anything else."""
    if isinstance(value, str) and value.isascii() and "_" not in value:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        return None
    return value


def _at_least(value: object, wanted: object, _: bool) -> Answer:
    number, bound = _number(value), _number(wanted)
    return f"this is no number but {kind_of(value)}" if number is None or bound is None else number >= bound


def _at_most(value: object, wanted: object, _: bool) -> Answer:
    number, bound = _number(value), _number(wanted)
    return f"this is no number but {kind_of(value)}" if number is None or bound is None else number <= bound


def _equals(value: object, wanted: object, case_sensitive: bool) -> Answer:
    return same(value, wanted, case_sensitive=case_sensitive)


def _one_of(value: object, wanted: object, case_sensitive: bool) -> Answer:
    options = wanted if isinstance(wanted, list | tuple) else ()
    return any(same(value, option, case_sensitive=case_sensitive) for option in options)


def _exists(value: object, wanted: object, _: bool) -> Answer:
    return (value is not MISSING and value is not None) is wanted


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator: what may be written after it, what it does, and how it is explained to an editor."""

    operand: Shape
    holds: Callable[[object, object, bool], Answer]
    doc: str


OPERATOR_TABLE: Mapping[str, Operator] = {
    "equals": Operator(Anything(), _equals, "Deep equality; true is not 1, 1 is 1.0."),
    "contains": Operator(_Part(), _contains, "A text holds this text, or a list this item."),
    "not_contains": Operator(_Part(), _not_contains, "The opposite of contains; a missing value fails."),
    "matches": Operator(_PatternText(), _matches, "A JavaScript-style pattern, searched, case ignored."),
    "in": Operator(ListOf(Anything(), min_items=1), _one_of, "Equal to one of these."),
    "exists": Operator(Flag(), _exists, "There is a value here, and it is not null."),
    "gte": Operator(Number(), _at_least, "A number, at least this."),
    "lte": Operator(Number(), _at_most, "A number, at most this."),
}
"""Every operator, by name. Source: Botpress eval format, Match Operators."""

CASE_SENSITIVE = Field(Flag(), doc="Compare texts as they are written; by default case and quotes are folded.")

OPERATOR_FIELDS: Mapping[str, Field] = {
    name: Field(operator.operand, doc=operator.doc) for name, operator in OPERATOR_TABLE.items()
} | {"case_sensitive": CASE_SENSITIVE}
"""The operators as the keys of a record, for checks that hold them beside other keys."""


def _must_compare(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    if not found.keys() & OPERATOR_TABLE.keys():
        faults.add("this says nothing that could fail", path, f"add one of {', '.join(OPERATOR_TABLE)}")


class Operators:
    """What must be true of a value, as written: an object of operators, or a literal that the value must equal."""

    __slots__ = ("_literal", "_spec")

    def __init__(self, fields: Mapping[str, Field], literal: Shape) -> None:
        self._spec = Spec(Record("set of operators", **fields), _must_compare)
        self._literal = literal

    def read(self, value: object, path: Path, faults: Faults) -> object:
        """Return the operators in their canonical spelling, or the literal."""
        if not isinstance(value, Mapping):
            return self._literal.read(value, path, faults)
        known = self._spec.record.fields
        if known.keys().isdisjoint(value) and not _misspelt(value, known):
            hint = "write {equals: {...}} to compare with an object"
            faults.add(f"an object here must hold operators: {', '.join(known)}", path, hint)
            return value
        return self._spec.read(value, path, faults)

    def schema(self) -> Schema:
        """Return the shape as JSON Schema."""
        literal = self._literal.schema() or {"type": ["string", "number", "boolean", "null", "array"]}
        return {"anyOf": [self._spec.schema(), literal]}


def _misspelt(value: Mapping[object, object], known: Iterable[str]) -> bool:
    """Tell whether an object was meant to hold operators: a key of it looks like one."""
    few = len(value) <= len(OPERATOR_TABLE) + 1
    return few and any(isinstance(key, str) and nearest(key, known) for key in value)


def _numbers_only(number: Number) -> Operators:
    names = ("equals", "gte", "lte")
    return Operators({name: Field(number, doc=OPERATOR_TABLE[name].doc) for name in names}, number)


OPERATORS = Operators(OPERATOR_FIELDS, Anything())
"""What must be true of any value."""

NUMERIC_OPERATORS = _numbers_only(Number())
"""What must be true of a measured number."""

COUNT_OPERATORS = _numbers_only(Number(minimum=0, whole=True))
"""What must be true of a count."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """What must be true of a value: all of some operators, each with what was written after it."""

    wanted: Sequence[tuple[str, object]]
    case_sensitive: bool = False

    def describe(self) -> str:
        """Return the operators in words: `gte 100 and lte 5000`."""
        words = " and ".join(f"{name} {shown(operand)}" for name, operand in self.wanted)
        return f"{words} (case-sensitive)" if self.case_sensitive else words

    def match(self, value: object) -> Finding:
        """Decide whether a value, or MISSING, is as it must be.

        A missing value satisfies nothing but `exists: false`, and `not_contains` least of all.
        """
        if len(self.wanted) == 1:
            return self._decide(*self.wanted[0], value)
        worst = all_of([self._decide(name, operand, value) for name, operand in self.wanted])
        return replace(worst, expected=self.describe()) if worst.verdict is Verdict.PASS else worst

    def _decide(self, name: str, operand: object, value: object) -> Finding:
        verdict, reason = Verdict.FAIL, None
        if value is MISSING and name != "exists":
            reason = "there is no such value"
        else:
            try:
                answer = OPERATOR_TABLE[name].holds(value, operand, self.case_sensitive)
            except PatternTimeout as error:
                verdict, reason = Verdict.ERROR, str(error)
            else:
                verdict = Verdict.PASS if answer is True else Verdict.FAIL
                reason = answer if isinstance(answer, str) else None
        expected = shown(operand) if name == "equals" else f"{name} {shown(operand)}"
        return Finding(verdict=verdict, expected=expected, actual=shown(value), reason=reason)


def matcher(spec: object) -> Matcher:
    """Return the matcher that operators or a literal mean; keys that are no operators belong to somebody else.

    `spec` has been read by a shape of this module without a fault.
    """
    if not isinstance(spec, Mapping):
        return Matcher((("equals", spec),))
    wanted = [(name, operand) for name, operand in spec.items() if name in OPERATOR_TABLE]
    return Matcher(wanted, spec.get("case_sensitive") is True)


def all_of(findings: Sequence[Finding]) -> Finding:
    """Return the finding that decides when all must hold: the first failure, else the first error, else the first."""
    verdict = roll_up(finding.verdict for finding in findings)
    return next(finding for finding in findings if finding.verdict is verdict)


def shown(value: object) -> str:
    """Return a value as a person reads it: as JSON, cut at 500 characters; MISSING is `(nothing)`."""
    if value is MISSING:
        return "(nothing)"
    if isinstance(value, str):
        return encode_basestring(shorten(value, _SHOWN_CHARACTERS))
    return shorten(_json(value), _SHOWN_CHARACTERS)
