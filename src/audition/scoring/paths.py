"""Dotted paths into nested data."""

from collections.abc import Mapping
from typing import Final

MISSING: Final = object()
"""What is found where there is nothing; not the same as None, which is a value (JSON's null)."""


def value_at(data: object, path: str) -> object:
    """Return the value at a dotted path, or MISSING.

    A key that is the whole path, dots and all, wins; positions in lists are numbers from 0 (`items.0.name`).
    """
    if isinstance(data, Mapping):
        return _in_object(data, path)
    if isinstance(data, list | tuple):
        position, dot, rest = path.partition(".")
        if position.isascii() and position.isdigit() and len(position) < 10 and int(position) < len(data):
            item: object = data[int(position)]
            return value_at(item, rest) if dot else item
    return MISSING


def _in_object(data: Mapping[str, object], path: str) -> object:
    if path in data:
        return data[path]
    end = path.find(".")
    while end >= 0:
        if path[:end] in data:
            found = value_at(data[path[:end]], path[end + 1 :])
            if found is not MISSING:
                return found
        end = path.find(".", end + 1)
    return MISSING
