"""What a piece of data may hold, said once: a shape reads the data, reports every fault in it, and is a JSON Schema.

    TURN = Record("turn", user=Field(Text(min_length=1)), expectSilence=Field(Flag()))
    faults = Faults()
    turn = TURN.read({"user": "hi"}, (), faults)      # {"user": "hi"}; faults.found tells what was wrong

Shapes never raise on bad data: they report it with the path to the part at fault, so that one reading finds all faults.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Protocol

from audition.documents.located import Path
from audition.text import nearest

Schema = dict[str, object]
"""A JSON Schema (draft 2020-12), as data."""


@dataclass(frozen=True, slots=True)
class ShapeFault:
    """One thing wrong with a piece of data, at a path from its root."""

    message: str
    path: Path
    hint: str | None = None


class Faults:
    """The faults found in one reading, in the order in which they were met."""

    __slots__ = ("found",)

    def __init__(self) -> None:
        self.found: list[ShapeFault] = []

    def add(self, message: str, path: Path, hint: str | None = None) -> None:
        """Note one fault."""
        self.found.append(ShapeFault(message, path, hint))


class Shape(Protocol):
    """What a piece of data may hold."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        """Return the value in its canonical form; report what is wrong with it (the return value is then of no use)."""
        ...

    def schema(self) -> Schema:
        """Return the same as JSON Schema."""
        ...


def kind_of(value: object) -> str:
    """Return what a value is, in the words of a person who writes YAML or JSON."""
    if value is None:
        return "nothing"
    for types, word in _KINDS:
        if isinstance(value, types):
            return word
    return type(value).__name__


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "true or false"),
    ((int, float), "a number"),
    (str, "a text"),
    (Mapping, "an object"),
    ((list, tuple), "a list"),
)


def _wrong(wanted: str, value: object, path: Path, faults: Faults) -> None:
    what = repr(path[-1]) if path and isinstance(path[-1], str) else "this"
    shown = (
        f" ({value!r})" if isinstance(value, bool | int | float) or (isinstance(value, str) and len(value) < 40) else ""
    )
    faults.add(f"{what} must be {wanted}, not {kind_of(value)}{shown}", path)


@dataclass(frozen=True, slots=True)
class Text:
    """A string of at least `min_length` characters."""

    min_length: int = 0

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, str):
            hint = "put it in quotes" if isinstance(value, bool | int | float) else None
            _wrong("a text", value, path, faults)
            if hint:
                last = faults.found.pop()
                faults.add(last.message, path, hint)
        elif len(value) < self.min_length:
            faults.add(f"{path[-1]!r} must not be empty" if path else "the text must not be empty", path)
        return value

    def schema(self) -> Schema:
        return {"type": "string", "minLength": self.min_length} if self.min_length else {"type": "string"}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, bool):
            _wrong("true or false", value, path, faults)
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Number:
    """A finite number from `minimum` (or above `above`) to `maximum`; `whole` asks for an integer."""

    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    whole: bool = False

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or value != value
            or abs(value) == float("inf")
        ):
            _wrong("a whole number" if self.whole else "a number", value, path, faults)
        elif self.whole and value != int(value):
            _wrong("a whole number", value, path, faults)
        elif not self._in_range(value):
            faults.add(f"{path[-1] if path else 'the number'!r} must be {self._range()}, not {value!r}", path)
        elif self.whole:
            return int(value)
        return value

    def schema(self) -> Schema:
        bounds = {"minimum": self.minimum, "exclusiveMinimum": self.above, "maximum": self.maximum}
        return {"type": "integer" if self.whole else "number"} | {k: v for k, v in bounds.items() if v is not None}

    def _in_range(self, value: float) -> bool:
        return (
            (self.minimum is None or value >= self.minimum)
            and (self.above is None or value > self.above)
            and (self.maximum is None or value <= self.maximum)
        )

    def _range(self) -> str:
        if self.minimum is not None and self.maximum is not None:
            return f"from {self.minimum:g} to {self.maximum:g}"
        if self.above is not None:
            return f"above {self.above:g}"
        return f"at least {self.minimum:g}" if self.minimum is not None else f"at most {self.maximum:g}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few texts."""

    options: tuple[str, ...]

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if value not in self.options:
            guess = nearest(value, self.options) if isinstance(value, str) else None
            hint = f"did you mean {guess!r}?" if guess else None
            what = repr(path[-1]) if path else "this"
            faults.add(f"{what} must be one of {', '.join(map(repr, self.options))}, not {value!r}", path, hint)
        return value

    def schema(self) -> Schema:
        return {"enum": list(self.options)}


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value; `NaN` and infinities are none."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if isinstance(value, float) and not isfinite(value):
            faults.add(f"{value!r} is not a number that JSON can hold", path)
        return value

    def schema(self) -> Schema:
        return {}


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of at least `min_items` of one shape; `or_one` also takes a single one for a list of one."""

    item: Shape
    min_items: int = 0
    or_one: bool = False

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, list | tuple):
            if self.or_one and value is not None:
                return [self.item.read(value, path, faults)]
            _wrong("a list", value, path, faults)
            return []
        if len(value) < self.min_items:
            faults.add(f"{path[-1] if path else 'the list'!r} must not be empty", path)
        return [self.item.read(item, (*path, index), faults) for index, item in enumerate(value)]

    def schema(self) -> Schema:
        items: Schema = {"type": "array", "items": self.item.schema()}
        if self.min_items:
            items["minItems"] = self.min_items
        return {"anyOf": [items, self.item.schema()]} if self.or_one else items


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with any keys, whose values are of one shape."""

    value: Shape

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, Mapping):
            _wrong("an object", value, path, faults)
            return {}
        for key in value:
            if not isinstance(key, str):
                faults.add(f"the key {key!r} must be a text", path, "put it in quotes")
        return {key: self.value.read(item, (*path, key), faults) for key, item in value.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.value.schema()}


@dataclass(frozen=True, slots=True)
class Field:
    """One key of a record: its shape, whether it must be there, and what it is for (shown by editors)."""

    shape: Shape
    required: bool = False
    doc: str = ""


class Record:
    """An object with known keys. camelCase keys are taken in snake_case too, and come out as they are declared."""

    __slots__ = ("_by_spelling", "doc", "fields", "noun")

    def __init__(self, noun: str, doc: str = "", /, **fields: Field) -> None:
        self.noun, self.doc, self.fields = noun, doc, fields
        self._by_spelling = {spelling: name for name in fields for spelling in (name, snake_case(name))}

    def read(self, value: object, path: Path, faults: Faults) -> dict[str, object]:
        if not isinstance(value, Mapping):
            _wrong(f"an object ({self.noun})", value, path, faults)
            return {}
        found: dict[str, object] = {}
        for key, item in value.items():
            name = self._by_spelling.get(key) if isinstance(key, str) else None
            if name is None:
                self._unknown(key, path, faults)
            elif name in found:
                faults.add(f"{name!r} is given twice, as {name!r} and {snake_case(name)!r}", (*path, key))
            else:
                found[name] = self.fields[name].shape.read(item, (*path, key), faults)
        for name, field in self.fields.items():
            if field.required and name not in found:
                faults.add(f"the {self.noun} has no {name!r}", path)
        return found

    def schema(self) -> Schema:
        properties: Schema = {}
        for name, field in self.fields.items():
            described = field.shape.schema() | ({"description": field.doc} if field.doc else {})
            for spelling in dict.fromkeys((name, snake_case(name))):
                properties[spelling] = described
        required = [name for name, field in self.fields.items() if field.required]
        whole: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
        return whole | ({"required": required} if required else {}) | ({"description": self.doc} if self.doc else {})

    def _unknown(self, key: object, path: Path, faults: Faults) -> None:
        guess = nearest(key, self.fields) if isinstance(key, str) else None
        hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(self.fields)}"
        faults.add(f"unknown key {key!r} in {self.noun}", (*path, key if isinstance(key, str) else str(key)), hint)


def snake_case(name: str) -> str:
    """Return a camelCase name in snake_case."""
    if name.islower():
        return name
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")


def read_all(shape: Shape, value: object) -> tuple[object, Sequence[ShapeFault]]:
    """Return the value read by a shape, and all faults found in it."""
    faults = Faults()
    read = shape.read(value, (), faults)
    return read, faults.found
