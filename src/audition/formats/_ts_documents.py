"""From what a file of TypeScript exports to the documents of its evals, whoever read the exports."""

from collections.abc import Sequence
from math import isfinite

from audition.documents.located import LocatedDict, LocatedList, Mark
from audition.documents.shape import kind_of
from audition.errors import Fault, Where
from audition.formats._ts_values import (
    CLASS,
    EVAL_CLASS,
    FUNCTION,
    HOLE,
    MAX_DEPTH,
    UNDEFINED,
    JsList,
    JsObject,
    Namespace,
    Opaque,
    Regex,
    Variable,
    has_half_a_character,
    number_text,
)
from audition.text import nearest, shorten

MAX_VALUES = 500_000
"""The most values that the evals of one file may hold, each counted as often as it is used."""

_KEYS = ("conversation", "outcome")
"""What makes an object an eval, beside its name."""

_FLAGS_ALLOWED = frozenset("imsgu")
_INLINE_FLAGS = frozenset("ms")


class _TooMuchError(Exception):
    """There is no point in going on."""


def documents_of(offers: Sequence[tuple[str, object, Mark]], home: str, path: str) -> tuple[list[object], list[Fault]]:
    """Return the documents of the evals among exports (name, value, place), and what in them no eval can hold.

    An eval is what `new Eval` makes, an object with a name and a conversation, and each of these in a list. A default
    export is one in any case: what is wrong with it is then said. `home` is the real path of the file, whose marks are
    kept; `path` is what it is called.
    """
    writer = _Writer(home, path)
    taken: set[int] = set()
    documents: list[object] = []
    try:
        for name, value, mark in offers:
            for item, place in _evals_in(name, value, mark, home):
                if id(item) not in taken:  # the same eval may be exported under two names
                    taken.add(id(item))
                    documents.extend(writer.document(item, place))
    except _TooMuchError:
        pass
    return documents, writer.faults


def document_of(value: object, mark: Mark, home: str, path: str) -> tuple[object, list[Fault]]:
    """Return a single value as plain data that knows its places, and what in it no file of data can hold."""
    writer = _Writer(home, path)
    try:
        return writer.written(value, mark, None, 0), writer.faults
    except _TooMuchError:
        return None, writer.faults


def give_places(value: object, written: object, home: str, seen: set[int] | None = None) -> None:
    """Give a value that comes from a run the places of the same value as it is written in the file `home`."""
    seen = set() if seen is None else seen
    if id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, JsObject) and isinstance(written, JsObject):
        for key, item in value.items():
            give_places(item, written.get(key), home, seen)
        if written.home == home:
            value.home, value.mark, value.marks = home, written.mark, written.marks
    elif isinstance(value, JsList) and isinstance(written, JsList) and len(value) == len(written):
        for item, other in zip(value, written, strict=True):
            give_places(item, other, home, seen)
        if written.home == home:
            value.home, value.mark, value.marks = home, written.mark, written.marks


def _evals_in(name: str, value: object, mark: Mark, home: str) -> Sequence[tuple[object, Mark]]:
    """Return what in an export is to be an eval, each with its place."""
    by_default = name == "default" and value not in (FUNCTION, CLASS, EVAL_CLASS, HOLE)
    if isinstance(value, JsList) and value and (by_default or any(map(_is_eval, value))):
        marks = value.marks if value.home == home else [mark] * len(value)
        return list(zip(value, marks, strict=True))
    return [(value, mark)] if by_default or _is_eval(value) else []


def _is_eval(value: object) -> bool:
    if not isinstance(value, JsObject):
        return False
    if value.is_eval or any(key in value for key in _KEYS):
        return True
    return "name" in value and any(nearest(key, _KEYS) for key in value)


class _Writer:
    """Writes values down as plain data that knows its places."""

    def __init__(self, home: str, path: str) -> None:
        self.faults: list[Fault] = []
        self._home, self._path = home, path
        self._count = 0

    def document(self, value: object, mark: Mark) -> list[object]:
        """Return a value that is to be an eval as the one document it makes, or none."""
        if value is None or isinstance(value, str | bool | int | float | Regex):
            what = "a regular expression" if isinstance(value, Regex) else kind_of(value)
            self._fault(f"an eval is an object with a name and a conversation, not {what}", mark)
            return []
        return [self.written(value, mark, None, 0)]

    def written(self, value: object, mark: Mark, key: str | None, depth: int) -> object:
        """Return a value as an eval holds it. `mark` is where it stands, `key` what it stands under."""
        self._count += 1
        if self._count > MAX_VALUES:
            self._stop(f"the evals of this file hold more than {MAX_VALUES:,} values", mark, "split it into several")
        if depth > MAX_DEPTH:
            self._stop(f"nested more than {MAX_DEPTH} levels deep", mark)
        if isinstance(value, JsObject):
            return self._object(value, mark, depth)
        if isinstance(value, JsList):
            return self._list(value, mark, key, depth)
        if isinstance(value, str):
            if has_half_a_character(value):
                self._fault("the text holds half a surrogate pair (\\ud800 to \\udfff), which is no character", mark)
            return value
        if isinstance(value, float) and not isfinite(value):
            self._fault(f"{number_text(value)} is not a number that JSON can hold", mark)
            return 0
        if value is None or isinstance(value, bool | int | float):
            return value
        if isinstance(value, Regex):
            return self._pattern(value, mark, key)
        self._refuse(value, mark, key)
        return None

    def _object(self, value: JsObject, mark: Mark, depth: int) -> LocatedDict:
        here = value.home == self._home
        found = LocatedDict(value.mark if here else mark)
        for key, item in value.items():
            place = value.marks.get(key, mark) if here else mark
            if has_half_a_character(key):
                self._fault("the key holds half a surrogate pair, which is no character", place)
            found[key] = self.written(item, place, key, depth + 1)
            found.marks[key] = place
        return found

    def _list(self, value: JsList, mark: Mark, key: str | None, depth: int) -> LocatedList:
        here = value.home == self._home
        found = LocatedList(value.mark if here else mark)
        for index, item in enumerate(value):
            place = value.marks[index] if here else mark
            found.append(self.written(item, place, key if isinstance(item, Opaque) else None, depth + 1))
            found.marks.append(place)
        return found

    def _pattern(self, value: Regex, mark: Mark, key: str | None) -> str:
        unknown = sorted(set(value.flags) - _FLAGS_ALLOWED)
        if key != "matches":
            hint = "write { matches: /.../ } to search for it"
            self._fault("a regular expression stands only under 'matches'", mark, hint)
        elif unknown:
            self._fault(f"the flag {unknown[0]!r} of the regular expression is not known here", mark, "leave it out")
        inline = "".join(sorted(set(value.flags) & _INLINE_FLAGS))
        return f"(?{inline}){value.source}" if inline else value.source

    def _refuse(self, value: object, mark: Mark, key: str | None) -> None:
        if value is HOLE:
            return
        subject = "this" if key is None else f"the value of {shorten(key, 60)!r}"
        if isinstance(value, Variable):
            message = f"{subject} is the environment variable {value.name}, without a fallback"
            hint = f"what an eval says must not depend on the machine: write process.env.{value.name} ?? 'text'"
        elif isinstance(value, Namespace):
            message, hint = f"{subject} is all of a file, which no eval can hold", "name the part of it that is meant"
        else:
            assert isinstance(value, Opaque)  # there are no other values
            beside = "" if value is UNDEFINED else ", which no eval can hold"
            message, hint = f"{subject} is {value.what}{beside}", value.hint or ""
        self._fault(message, mark, hint or None)

    def _fault(self, message: str, mark: Mark, hint: str | None = None) -> None:
        self.faults.append(Fault(message, Where(self._path, *mark), hint))

    def _stop(self, message: str, mark: Mark, hint: str | None = None) -> None:
        self._fault(message, mark, hint)
        raise _TooMuchError
