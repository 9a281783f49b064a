"""The values of JavaScript, as far as an eval can be made of them, and the numbers and texts they turn into."""

import re
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from audition.documents.located import LocatedDict, LocatedList, Mark

MAX_DEPTH = 50
"""The deepest nesting of lists and objects that an eval may have."""

_EXACT = 2**53
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class JsObject(LocatedDict):
    """An object. `home` is the file it is written in: marks point there. `is_eval`: it was made by `new Eval`."""

    __slots__ = ("home", "is_eval")

    def __init__(self, mark: Mark, home: str, *, is_eval: bool = False) -> None:
        super().__init__(mark)
        self.home, self.is_eval = home, is_eval


class JsList(LocatedList):
    """An array; `home` is the file it is written in."""

    __slots__ = ("home",)

    def __init__(self, mark: Mark, home: str) -> None:
        super().__init__(mark)
        self.home = home


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that no eval can hold: `what` says in words what it is, `hint` what to do about it."""

    what: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the environment, which no eval may depend on."""

    name: str


@dataclass(frozen=True, slots=True)
class Namespace:
    """All that a file exports, under one name; an empty `path` stands for the Botpress packages."""

    path: str


@dataclass(frozen=True, slots=True)
class Regex:
    """A regular expression."""

    source: str
    flags: str


UNDEFINED = Opaque("undefined", "leave the key out, or give it a value")
FUNCTION = Opaque("a function", "an eval holds data: write out what the function would return")
GETTER = Opaque("a getter", "an eval holds data: write the value itself")
CLASS = Opaque("a class")
EVAL_CLASS = Opaque("the class Eval", "write new Eval({...})")
HOLE = Opaque("unreadable")
"""Stands in for what could not be read; that has been said where it was met."""


def number(value: float) -> int | float:
    """Return a number of JavaScript (a double) as Python writes the same in JSON: whole ones without a point."""
    as_float = float(value)
    return int(as_float) if abs(as_float) <= _EXACT and as_float == int(as_float) else as_float


def is_number(value: object) -> bool:
    """Tell whether a value is a number; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def text_of(value: object) -> str | None:
    """Return a value as JavaScript puts it into a text, or None for what must not be put there."""
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return number_text(value) if isinstance(value, int | float) else None


def number_text(value: float) -> str:
    """Return a number as JavaScript writes it. Source: ECMA-262, Number::toString."""
    if not isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, int):
        return str(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    written, size = "".join(map(str, digits)), len(digits)
    point = size + int(exponent)
    if size <= point <= 21:
        text = written + "0" * (point - size)
    elif 0 < point <= 21:
        text = f"{written[:point]}.{written[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{written}"
    else:
        fraction = f".{written[1:]}" if size > 1 else ""
        text = f"{written[0]}{fraction}e{point - 1:+d}"
    return f"-{text}" if sign else text


def joined(text: str) -> str:
    """Return a text in which the halves of surrogate pairs that meet are one character."""
    if text.isascii() or not _LONE_SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def has_half_a_character(text: str) -> bool:
    """Tell whether a text holds half a surrogate pair, which is no character."""
    return not text.isascii() and _LONE_SURROGATE.search(text) is not None


def is_true(value: object) -> bool:
    """Tell whether a value counts as true in a condition."""
    if value is None or value is UNDEFINED or isinstance(value, bool | str):
        return value is not UNDEFINED and bool(value)
    return value == value and value != 0 if isinstance(value, int | float) else True


_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]{1,8})\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(0)(?![0-9])|(\r\n|[\n\u2028\u2029])|([^0-9ux]))",
    re.DOTALL,
)
_SINGLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


def unescaped(written: str) -> str | None:
    """Return what stands between quotes with its escapes carried out, or None when one of them is none."""
    if "\\" not in written:
        return written
    parts, at = [], 0
    while (begins := written.find("\\", at)) >= 0:
        found = _ESCAPE.match(written, begins)
        if found is None:
            return None
        braces, four, two, zero, line_end, single = found.groups()
        parts.append(written[at:begins])
        if single is not None:
            parts.append(_SINGLE.get(single, single))
        elif zero is None and line_end is None:
            code = int(braces or four or two, 16)
            if code > 0x10FFFF:
                return None
            parts.append(chr(code))
        elif zero:
            parts.append("\0")
        at = found.end()
    return joined("".join([*parts, written[at:]]))


_NUMBER = re.compile(
    r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+"
    r"|(?:0|[1-9][0-9]*|(?=\.))(?:\.(?:[0-9]+|(?<=[0-9]\.)))?(?:[eE][-+]?[0-9]+)?"
)
_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])")


def number_of(written: str) -> int | float | None:
    """Return the number that is written, or None when it is none; those with a leading zero are none.

    Source: ECMA-262, Numeric Literals.
    """
    digits = _SEPARATOR.sub("", written)
    if not _NUMBER.fullmatch(digits):
        return None
    if digits[:2].lower() not in ("0x", "0b", "0o"):
        return number(float(digits))
    value = int(digits, 0)
    return number(value) if value.bit_length() <= 1000 else None
