"""Splitting text into sentences, always in the same way: by line, and within a line after marks that end a sentence."""

import re
from collections.abc import Iterator

_END = re.compile(r"(?<![.!?…؟۔।])[.!?…؟۔।]++[\"'”’»)\]*_]*+(?=\s)|[。！？｡]+[」』”’）]*")
"""Where a sentence may end. Full-width marks end one by themselves, the others before a space.

A run of marks is looked at once, from its beginning and without going back: an agent may send fifty thousand dots.
"""

_ABBREVIATION = re.compile(
    r"\b(?:mr|mrs|ms|dr|prof|st|jr|sr|vs|e\.g|i\.e|approx|cf|inc|ltd|z\.b|d\.h|u\.a|bzw|ggf|[^\W\d_])\.$",
    re.IGNORECASE,
)
_BEFORE_A_NUMBER = re.compile(r"\b(?:no|nos|nr|fig|vol|pp?)\.$", re.IGNORECASE)
_NUMBER = re.compile(r"\s+\d")
_GOES_ON = re.compile(r"\s+[^\W\d_]")
_BULLET = re.compile(r"^\s*(?:[-*+•–]|\d{1,3}[.)]|#{1,6}|>)\s+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order, without bullets and heading marks.

    Each line stands for itself. A dot after an abbreviation or an initial ends none, nor does one before a small
    letter. What has no letter and no digit in it is left out.
    """
    found = (part for line in text.splitlines() for part in _of_line(_BULLET.sub("", line)))
    return [part for part in found if any(char.isalnum() for char in part)]


def _of_line(line: str) -> Iterator[str]:
    start = 0
    for end in _END.finditer(line):
        if not _goes_on(line, end):
            yield line[start : end.end()].strip()
            start = end.end()
    yield line[start:].strip()


def _goes_on(line: str, end: re.Match[str]) -> bool:
    """Tell whether the sentence goes on after a mark that could have ended it."""
    following = _GOES_ON.match(line, end.end())
    if following is not None and following[0][-1].islower():
        return True
    before = line[max(0, end.start() - 10) : end.end()]
    abbreviated = _ABBREVIATION.search(before) or (_NUMBER.match(line, end.end()) and _BEFORE_A_NUMBER.search(before))
    return end[0] == "." and abbreviated is not None
