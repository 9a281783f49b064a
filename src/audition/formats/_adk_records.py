"""The records of ADK's files: keys in two spellings, lax values, nulls and defaults that go without saying."""

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Literal

from audition.documents.files import MAX_FAULTS
from audition.documents.located import Path, mark_at, plain
from audition.documents.shape import Faults, Schema, Shape, ShapeFault, kind_of, snake_case
from audition.errors import Fault, Where
from audition.text import nearest, shorten

_LONGEST_MESSAGE = 500
_TRUE = frozenset({"true", "t", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "off", "0"})
_NUMBER = re.compile(r"\s*[-+]?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?\s*", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/]*={0,2}")


def faults_in(document: object, found: list[ShapeFault], file: str) -> tuple[Fault, ...]:
    """Return what is wrong with a document as faults of its file, in its order, each with the path to the part."""
    placed = [_placed(document, one, file) for one in found[:MAX_FAULTS]]
    if len(found) > MAX_FAULTS:
        placed.append(Fault(f"{len(found) - MAX_FAULTS:,} more faults are not shown", Where(file)))
    return tuple(sorted(placed, key=lambda fault: (fault.where.line or 0, fault.where.column or 0)))


def in_words(path: Path) -> str:
    """Return a path as one writes it: `eval_cases[0].conversation[1]`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


def _placed(document: object, found: ShapeFault, file: str) -> Fault:
    mark = mark_at(document, found.path)
    message = f"{in_words(found.path)}: {found.message}" if found.path else found.message
    return Fault(shorten(message, _LONGEST_MESSAGE), Where(file, *mark) if mark else Where(file), found.hint)


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a record. `nullable`: null means that it is not there. `default` goes without saying."""

    shape: Shape
    required: bool = False
    nullable: bool = False
    default: object = None


def must(shape: Shape) -> Key:
    """Return a key that must be there."""
    return Key(shape, required=True)


def may(shape: Shape) -> Key:
    """Return a key that may be null or left out."""
    return Key(shape, nullable=True)


def unless(default: object, shape: Shape) -> Key:
    """Return a key that may be left out, but must not be null; its default is left out of what is read."""
    return Key(shape, default=default)


class Unpublished:
    """A shape of another tool's files: we publish no schema of those."""

    __slots__ = ()

    def schema(self) -> Schema:
        return {}


class AdkRecord(Unpublished):
    """An object whose keys are in snake_case, or in camelCase unless `camel` is False; they come out in snake_case.

    `unknown` says what becomes of other keys: they are refused, kept as they are, or dropped. Nulls and defaults are
    left out of what is read, so that two ways to write one thing come out the same.
    """

    def __init__(
        self,
        noun: str,
        more: Mapping[str, Key] | None = None,
        /,
        *,
        camel: bool = True,
        unknown: Literal["refused", "kept", "dropped"] = "refused",
        **keys: Key,
    ) -> None:
        self.noun, self.keys = noun, {**keys, **(more or {})}
        self._other = unknown
        self._names = {
            spelling: name for name in self.keys for spelling in ((name, _camel_case(name)) if camel else (name,))
        }

    def read(self, value: object, path: Path, faults: Faults) -> dict[str, object]:
        if not isinstance(value, Mapping):
            faults.add(f"an object is expected ({self.noun}), not {kind_of(value)}", path)
            return {}
        found: dict[str, object] = {}
        seen: dict[str, str] = {}
        for written, item in value.items():
            name = self._names.get(written)
            if name is None:
                self._take_unknown(written, item, found, path, faults)
            elif name in seen:
                faults.add(f"{name!r} is given twice, as {seen[name]!r} and {written!r}", (*path, written))
            else:
                seen[name] = written
                self._take(name, written, item, found, path, faults)
        for name, key in self.keys.items():
            if key.required and name not in seen:
                faults.add(f"the {self.noun} has no {name!r}", path)
        return found

    def _take(
        self, name: str, written: str, item: object, found: dict[str, object], path: Path, faults: Faults
    ) -> None:
        key = self.keys[name]
        if item is None and key.nullable:
            return
        read = key.shape.read(item, (*path, written), faults)
        if key.required or read != key.default:
            found[name] = read

    def _take_unknown(self, written: str, item: object, found: dict[str, object], path: Path, faults: Faults) -> None:
        if self._other == "kept":
            found[written] = plain(item)
        elif self._other == "refused":
            many = len(faults.found) >= MAX_FAULTS
            guess = None if many else nearest(snake_case(written), self.keys)
            hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(self.keys)}"
            faults.add(f"unknown key {shorten(written, 60)!r} in {self.noun}", (*path, written), hint)


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True, slots=True)
class AnyJson(Unpublished):
    """Any value, as it is."""

    def read(self, value: object, path: Path, faults: Faults) -> object:  # noqa: ARG002  # a shape's signature
        return plain(value)


@dataclass(frozen=True, slots=True)
class AnyObject(Unpublished):
    """Any object, as it is."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, Mapping):
            faults.add(f"an object is expected, not {kind_of(value)}", path)
        return plain(value)


@dataclass(frozen=True, slots=True)
class LaxNumber(Unpublished):
    """A number, a text that holds one, or true and false for 1 and 0: what ADK takes. Integers stay exact."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if isinstance(value, bool):
            return float(value)
        if isinstance(value, int | float):
            return value
        if isinstance(value, str) and _NUMBER.fullmatch(value) and isfinite(number := _float(value)):
            return number
        faults.add(f"a number is expected, not {kind_of(value)}", path)
        return 0


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # underscores in a place where Python has none
        return float("nan")


@dataclass(frozen=True, slots=True)
class LaxFlag(Unpublished):
    """True or false, or the words and numbers that ADK takes for them."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if isinstance(value, int | float) and value in (0, 1):
            return bool(value)
        word = value.lower() if isinstance(value, str) else ""
        if word not in _TRUE | _FALSE:
            faults.add(f"true or false is expected, not {kind_of(value)}", path)
        return word in _TRUE


@dataclass(frozen=True, slots=True)
class Base64(Unpublished):
    """Bytes, written in base64, in either of its alphabets."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not isinstance(value, str) or not _is_base64(value):
            faults.add("bytes in base64 are expected", path)
        return value


def _is_base64(text: str) -> bool:
    text = text.replace("-", "+").replace("_", "/")
    bare = text.rstrip("=")
    if not _BASE64.fullmatch(text) or len(bare) % 4 == 1:
        return False
    decoded = base64.b64decode(bare + "=" * (-len(bare) % 4))
    return base64.b64encode(decoded).decode().rstrip("=") == bare
