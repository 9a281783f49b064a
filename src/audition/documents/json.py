"""JSON to a document that remembers its places, in RFC 8259's own grammar: nothing more is taken, nothing is lost."""

import re
from bisect import bisect_right
from json.decoder import JSONDecodeError, scanstring  # type: ignore[attr-defined]  # the stubs leave it out
from math import isfinite
from sys import intern
from typing import NoReturn, TypeVar

from audition.documents.located import LocatedDict, LocatedList, Mark
from audition.errors import Fault, Where
from audition.text import shorten

MAX_DEPTH = 50
"""The deepest nesting of lists and objects that is read."""

MAX_VALUES = 500_000
"""The most values one file may hold, keys not counted: about a second of reading."""

MAX_DIGITS = 400
"""The longest number that is read, in characters."""

_SPACES = frozenset(" \t\n\r")
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[-+.\w$]+")
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")

_CONSTANTS = {"true": True, "false": False, "null": None}
_NOT_FINITE = frozenset({"NaN", "Infinity", "-Infinity", "+Infinity"})

_COMMENT = "JSON has no comments: take it out, or write the file as YAML"
_HINTS = {
    "'": 'texts stand in double quotes: "like this"',
    "/": _COMMENT,
    "#": _COMMENT,
    "`": 'texts stand in double quotes: "like this"',
    "“": "use straight double quotes",
    "”": "use straight double quotes",
    "True": "write true",
    "False": "write false",
    "None": "write null",
    "undefined": "write null",
}
"""What to do about a character or a word that JSON does not know."""


_Container = TypeVar("_Container", LocatedDict, LocatedList)


class _StopReadingError(Exception):
    """The rest of the text cannot be read."""


def read_json(text: str, path: str) -> tuple[list[object], list[Fault]]:
    """Return the one document in a JSON text (none when it cannot be read), and everything that is wrong with it.

    Integers are exact, however long (up to `MAX_DIGITS`). Not taken: duplicate keys, `NaN` and infinities, lone
    surrogates, and what passes the limits above.
    """
    reader = _Reader(text, path)
    try:
        return [reader.document()], reader.faults
    except _StopReadingError:
        return [], reader.faults


class _Reader:
    """Reads on from `_at`, a position in the text; each method leaves it behind what it has read."""

    def __init__(self, text: str, path: str) -> None:
        self.faults: list[Fault] = []
        self._text, self._path = text, path
        self._at = self._depth = self._values = 0
        self._line_starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def document(self) -> object:
        """Return the whole document."""
        if not self._next():
            self._stop("the file is empty", "write an eval, or an object with a list of them under 'evals'")
        value = self._value()
        if found := self._next():
            self._stop("not JSON: there is more text after the end of the document", _HINTS.get(found))
        return value

    def _value(self) -> object:
        begins = self._next()
        self._values += 1
        if self._values > MAX_VALUES:
            self._stop(f"the file holds more than {MAX_VALUES:,} values", "split it into several files")
        if begins == '"':
            return self._string()
        if begins == "{":
            return self._object()
        if begins == "[":
            return self._list()
        found = _WORD.match(self._text, self._at)
        word = found[0] if found else begins
        if word in _CONSTANTS:
            self._at += len(word)
            return _CONSTANTS[word]
        if number := _NUMBER.fullmatch(word):
            return self._number(*number.groups())
        if word in _NOT_FINITE:
            self._fault(f"{word} is not a number that JSON can hold", self._at)
            self._at += len(word)
            return 0
        return self._expected("a value", word)

    def _object(self) -> LocatedDict:
        found = LocatedDict(self._mark(self._at))
        self._enter()
        if self._next() == "}":
            return self._leave(found)
        while True:
            if (begins := self._next()) != '"':
                self._expected("a key in double quotes", begins)
            start = self._at
            key = intern(self._string())
            if (after := self._next()) != ":":
                self._expected(f"':' after the key {shorten(key, 60)!r}", after)
            self._at += 1
            value = self._value()
            if key in found:
                line, column = found.marks[key]
                self._fault(f"the key {shorten(key, 60)!r} is given twice, first at {line}:{column}", start)
            else:
                found[key] = value
                found.marks[key] = self._mark(start)
            if self._ends_with("}"):
                return self._leave(found)

    def _list(self) -> LocatedList:
        found = LocatedList(self._mark(self._at))
        self._enter()
        if self._next() == "]":
            return self._leave(found)
        while True:
            self._next()
            found.marks.append(self._mark(self._at))
            found.append(self._value())
            if self._ends_with("]"):
                return self._leave(found)

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._stop(f"nested more than {MAX_DEPTH} levels deep")
        self._at += 1

    def _leave(self, done: _Container) -> _Container:
        self._depth -= 1
        self._at += 1
        return done

    def _ends_with(self, bracket: str) -> bool:
        """Return whether the bracket comes next; step over the comma if one does."""
        found = self._next()
        if found == bracket:
            return True
        if found != ",":
            self._expected(f"',' or {bracket!r}", found)
        comma = self._at
        self._at += 1
        if self._next() == bracket:
            self._at = comma
            self._stop(f"not JSON: there is a comma before {bracket!r}", "take out the comma")
        return False

    def _number(self, whole: str, fraction: str | None, exponent: str | None) -> int | float:
        start, written = self._at, whole + (fraction or "") + (exponent or "")
        self._at += len(written)
        if len(written) > MAX_DIGITS:
            self._fault(f"a number of {len(written):,} digits is too long", start, "put it in quotes")
            return 0
        if fraction is None and exponent is None:
            return int(whole)
        value = float(written)
        if not isfinite(value):
            self._fault(f"{shorten(written, 40)} is not a number that JSON can hold", start)
            return 0
        return value

    def _string(self) -> str:
        start = self._at
        value: str
        try:
            value, self._at = scanstring(self._text, start + 1, True)
        except JSONDecodeError as error:
            self._string_fault(error)
        if not value.isascii() and _LONE_SURROGATE.search(value):
            self._fault("the text holds half a surrogate pair (\\ud800 to \\udfff), which is no character", start)
            return _LONE_SURROGATE.sub("\ufffd", value)
        return value

    def _string_fault(self, error: JSONDecodeError) -> NoReturn:
        if error.msg.startswith("Unterminated"):
            self._stop("not JSON: the text that begins here has no closing quote")
        self._at = min(error.pos, len(self._text))
        if error.msg.startswith("Invalid control"):
            shown = repr(self._text[self._at : self._at + 1])
            hint = "write \\n for a line break and \\t for a tab"
            self._stop(f"not JSON: a text must not hold the character {shown}", hint)
        self._stop("not JSON: this backslash begins no escape", "write \\\\ for a backslash")

    def _next(self) -> str:
        """Step over space and return the character that follows, empty at the end of the text."""
        text, at = self._text, self._at
        if text[at : at + 1] in _SPACES:
            found = _SPACE.match(text, at)
            self._at = at = found.end() if found else at
        return text[at : at + 1]

    def _mark(self, position: int) -> Mark:
        line = bisect_right(self._line_starts, position)
        return line, position - self._line_starts[line - 1] + 1

    def _fault(self, message: str, position: int, hint: str | None = None) -> None:
        self.faults.append(Fault(message, Where(self._path, *self._mark(position)), hint))

    def _stop(self, message: str, hint: str | None = None) -> NoReturn:
        self._fault(message, self._at, hint)
        raise _StopReadingError

    def _expected(self, wanted: str, found: str) -> NoReturn:
        shown = repr(shorten(found, 40)) if found else "the end of the file"
        hint = _HINTS.get(found)
        if hint is None and found[:1].isalpha():
            hint = "put it in double quotes"
        self._stop(f"not JSON: {wanted} is expected, not {shown}", hint)
