"""Patterns for `matches`, in the syntax of JavaScript, searched under a time limit whatever the pattern.

Source: Botpress eval format (patterns are JavaScript's); ECMA-262, Patterns. Where JavaScript would quietly read an
escape as a plain letter (`\\A` is just `A`), the pattern is refused: a check that never matches helps nobody.
"""

import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from audition.text import settle_form

if TYPE_CHECKING:
    import regex

LIMIT_S = 1.0
"""Longest time one search may take: seconds of this process's processor time, which is how `regex` counts."""

_MAX_LENGTH = 10_000
_MAX_DEPTH = 50  # compiling goes five calls deeper with each group
_MAX_SIZE = 100_000  # repeats are unrolled when compiled: a{1000000000} would take all memory

_DELIMITED = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_INLINE_FLAGS = re.compile(r"\(\?([a-zA-Z]+)\)")
_GROUP = re.compile(r"\((?:\?(?:([ims]*)(?:-([ims]+))?:|(<?[=!])|P?<([^\W\d]\w*)>))?")
_QUANTIFIER = re.compile(r"(?:[*+?]|\{([0-9]+)(?:,[0-9]*)?\})\??")
_CODE = re.compile(
    r"u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|c([a-zA-Z])|0(?![0-9])"
    r"|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|x([0-9a-fA-F]{2})"
)
_BACKREFERENCE = re.compile(r"([1-9][0-9]?)|k<([^\W\d]\w*)>")
_SET_ESCAPE = re.compile(r"\\[dDwWsSpP]")
_PROPERTY = re.compile(r"[pP]\{[\w=]+\}")

_LINE_END, _NO_LINE_END = r"[\n\r\u2028\u2029]", r"[^\n\r\u2028\u2029]"
_SPACES = r"\t\n\x0b\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_SETS = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": _SPACES,
    "D": r"\x00-/:-\U0010ffff",
    # without the long s and the kelvin sign, which would let s and k in when case is ignored
    "W": r"\x00-/:-@\[-^`{-\u017e\u0180-\u2129\u212b-\U0010ffff",
    "S": r"\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff"
    r"\u3001-\ufefe\uff00-\U0010ffff",
}
_OUTSIDE = {letter: rf"(?a:\{letter})" for letter in "dDwWbB"} | {"s": f"[{_SPACES}]", "S": f"[^{_SPACES}]"}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_ADVICE = {"A": "write ^ for the start of the text", "Z": "write $ for the end of the text"}


class BadPattern(ValueError):
    """A pattern cannot be used; `hint` says what to write instead, or is None."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


class PatternTimeout(Exception):
    """A search was given up after `LIMIT_S` seconds: whether the text matches is not known."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that can be searched for."""

    compiled: "regex.Pattern[str]"

    def found_in(self, text: str) -> bool:
        """Tell whether the pattern occurs anywhere in the text (both in NFC).

        Raises: PatternTimeout when that takes longer than `LIMIT_S`.
        """
        try:
            return self.compiled.search(settle_form(text), timeout=LIMIT_S, concurrent=True) is not None
        except TimeoutError as error:
            raise PatternTimeout(f"pattern took longer than {LIMIT_S:g} s") from error


@lru_cache(maxsize=1024)
def pattern(source: str, *, case_sensitive: bool = False) -> Pattern:
    """Return the pattern that a JavaScript-style source means; `(?i)`, `(?m)` and `(?s)` may stand at its start.

    Raises: BadPattern, with the reason, when it cannot be used.
    """
    import regex  # 30 ms of CPU, wasted on evals without a pattern

    if len(source) > _MAX_LENGTH:
        raise BadPattern(f"the pattern is longer than {_MAX_LENGTH} characters")
    if _DELIMITED.fullmatch(source):
        raise BadPattern("slashes are literal; leave them out", r"case is ignored already; write \/ for a slash itself")
    settled = settle_form(source)
    inline = _INLINE_FLAGS.match(settled)
    flags = _known_flags(inline[1]) if inline else ""
    translation = _Translation(
        settled, inline.end() if inline else 0, _Frame(dotall="s" in flags, by_line="m" in flags)
    )
    try:
        text = translation.translated()
        return Pattern(regex.compile(text, regex.V0 | (0 if case_sensitive and "i" not in flags else regex.IGNORECASE)))
    except (regex.error, OverflowError) as error:
        raise BadPattern(f"not a pattern: {getattr(error, 'msg', error)}") from error


def _known_flags(letters: str) -> str:
    unknown = set(letters) - set("ims")
    if unknown:
        raise BadPattern(f"unknown flag {min(unknown)!r} in (?{letters})", "the flags are i, m and s")
    return letters


@dataclass(slots=True, kw_only=True)
class _Frame:
    """A group being read: how `.`, `^` and `$` are meant in it, and how large it is once its repeats are unrolled."""

    dotall: bool
    by_line: bool
    size: int = 0


class _Translation:
    """Reads a JavaScript pattern from left to right and writes down what the `regex` package calls the same."""

    def __init__(self, source: str, at: int, frame: _Frame) -> None:
        self._source, self._at = source, at
        self._frames = [frame]
        self._last = 0  # size of what a quantifier would repeat, 0 when there is nothing to repeat

    def translated(self) -> str:
        out = []
        while self._at < len(self._source):
            out.append(self._next())
        if len(self._frames) > 1:
            raise BadPattern("not a pattern: a ')' is missing", r"write \( for a bracket itself")
        return "".join(out)

    def _next(self) -> str:
        char = self._source[self._at]
        quantifier = _QUANTIFIER.match(self._source, self._at) if char in "*+?{" else None
        if quantifier:
            return self._repeat(quantifier)
        if char in "()":
            return self._open() if char == "(" else self._close()
        if char in "^$|":
            self._at += 1
            self._last = 0
            return self._border(char)
        if char == "\\" and self._source[self._at + 1 : self._at + 2] in ("b", "B"):
            self._at, self._last = self._at + 2, 0
            return _OUTSIDE[self._source[self._at - 1]]
        written = self._escape() if char == "\\" else self._class() if char == "[" else self._plain(char)
        self._grow(1)
        return written

    def _plain(self, char: str) -> str:
        self._at += 1
        if char == ".":
            return "(?s:.)" if self._frames[-1].dotall else _NO_LINE_END
        return _literal(char)

    def _border(self, char: str) -> str:
        if char == "|" or not self._frames[-1].by_line:
            return r"\Z" if char == "$" else char
        return rf"(?={_LINE_END}|\Z)" if char == "$" else f"(?<!{_NO_LINE_END})"

    def _repeat(self, quantifier: re.Match[str]) -> str:
        after = quantifier.end()
        twice = self._source.startswith(("*", "+", "?"), after)
        if not self._last or twice:
            at = after if twice else self._at
            raise BadPattern(f"not a pattern: nothing to repeat at {self._source[at : at + 10]!r}")
        if quantifier[1] and len(quantifier[1]) > 9:
            raise BadPattern("the pattern is too large: it repeats something too often")
        self._grow(self._last * (max(1, int(quantifier[1] or 1)) - 1))
        self._at, self._last = after, 0
        return quantifier[0]

    def _grow(self, size: int) -> None:
        self._frames[-1].size += size
        self._last = size
        if self._frames[-1].size > _MAX_SIZE:
            raise BadPattern("the pattern is too large: it repeats something too often")

    def _open(self) -> str:
        group = _GROUP.match(self._source, self._at)
        if group is None or self._source.startswith("?", group.end()):
            raise BadPattern(f"not a pattern: unknown group {self._source[self._at : self._at + 4]!r}")
        if len(self._frames) > _MAX_DEPTH:
            raise BadPattern("the pattern is nested too deeply")
        on, off, look, name = group.groups()
        outer = self._frames[-1]
        dotall = "s" in (on or "") or (outer.dotall and "s" not in (off or ""))
        by_line = "m" in (on or "") or (outer.by_line and "m" not in (off or ""))
        self._frames.append(_Frame(dotall=dotall, by_line=by_line))
        self._at, self._last = group.end(), 0
        if on is not None:
            return "(?i:" if "i" in on else "(?-i:" if "i" in (off or "") else "(?:"
        return f"(?{look}" if look else f"(?P<{name}>" if name else "("

    def _close(self) -> str:
        if len(self._frames) == 1:
            raise BadPattern("not a pattern: a ')' has no '('", r"write \) for a bracket itself")
        self._at += 1
        self._grow(self._frames.pop().size + 1)
        return ")"

    def _class(self) -> str:
        self._at += 1
        negated = self._source.startswith("^", self._at)
        self._at += negated
        items: list[str] = []
        while not self._source.startswith("]", self._at):
            if self._at >= len(self._source):
                raise BadPattern("not a pattern: a ']' is missing", r"write \[ for a bracket itself")
            items.append(self._class_item(items))
        self._at += 1
        if not items:
            return "(?s:.)" if negated else "(?!)"
        return f"[{'^' if negated else ''}{''.join(items)}]"

    def _class_item(self, before: list[str]) -> str:
        char = self._source[self._at]
        if char == "\\":
            return self._escape(in_class=True)
        self._at += 1
        beside_set = (before and len(before[-1]) > 2) or _SET_ESCAPE.match(self._source, self._at)
        return "-" if char == "-" and not beside_set else _literal(char)

    def _escape(self, *, in_class: bool = False) -> str:
        char = self._source[self._at + 1 : self._at + 2]
        self._at += 2
        if char in _SETS and char:
            return _SETS[char] if in_class else _OUTSIDE[char]
        if char in ("p", "P"):
            return self._property()
        if char == "b" and in_class:
            return r"\x08"
        if char and char in "123456789k" and not in_class:
            return self._backreference()
        return self._character(char)

    def _property(self) -> str:
        name = _PROPERTY.match(self._source, self._at - 1)
        if name is None:
            raise BadPattern(r"not a pattern: \p without a property", r"write for example \p{L} for any letter")
        self._at = name.end()
        return f"\\{name[0]}"

    def _backreference(self) -> str:
        group = _BACKREFERENCE.match(self._source, self._at - 1)
        if group is None:
            raise BadPattern(r"not a pattern: \k without a name", r"write \k<name>")
        self._at = group.end()
        number, name = group.groups()
        # a group that took no part matches nothing at all in JavaScript, so the reference holds
        return rf"(?({number})\{number})" if number else f"(?({name})(?P={name}))"

    def _character(self, char: str) -> str:
        code = _CODE.match(self._source, self._at - 1)
        if code:
            self._at = code.end()
            return _literal(_decoded(*code.groups()))
        if char in _CONTROLS:
            return _CONTROLS[char]
        if not char or (char.isascii() and char.isalnum()):
            advice = _ADVICE.get(char, r"write \\ for a backslash itself")
            raise BadPattern(f"not a pattern: unknown escape \\{char}", advice)
        return _literal(char)


def _decoded(high: str | None, low: str | None, control: str | None, *digits: str | None) -> str:
    if high and low:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if control:
        return chr(ord(control) % 32)
    code = int(next(filter(None, digits), "0"), 16)
    if code > sys.maxunicode:
        raise BadPattern(f"not a pattern: there is no character {code:x}")
    return chr(code)


def _literal(char: str) -> str:
    return f"\\{char}" if char.isascii() and not char.isalnum() and char.isprintable() else char
