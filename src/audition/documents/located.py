"""Plain data that remembers where in its file each part was written."""

from collections.abc import Sequence

Mark = tuple[int, int]
"""Line and column, both counted from 1."""

Path = tuple[str | int, ...]
"""The way from a document's root to one of its parts: keys and list positions (from 0)."""


class LocatedDict(dict[str, object]):
    """A mapping read from a file: `mark` is where it begins, `marks` where each of its keys stands."""

    __slots__ = ("mark", "marks")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.marks: dict[str, Mark] = {}


class LocatedList(list[object]):
    """A list read from a file: `mark` is where it begins, `marks` where each of its items begins."""

    __slots__ = ("mark", "marks")

    def __init__(self, mark: Mark) -> None:
        super().__init__()
        self.mark = mark
        self.marks: list[Mark] = []


def mark_at(root: object, path: Sequence[str | int]) -> Mark | None:
    """Return where the part at `path` stands, or the nearest part above it that has a place; None for data of no file.

    A mapping's value is found at its key: that is what a person has to look at.
    """
    found = root.mark if isinstance(root, LocatedDict | LocatedList) else None
    part = root
    for step in path:
        if isinstance(part, LocatedDict) and isinstance(step, str) and step in part.marks:
            found = part.marks[step]
            part = part.get(step)
        elif isinstance(part, LocatedList) and isinstance(step, int) and step < len(part.marks):
            found = part.marks[step]
            part = part[step]
        else:
            break
    return found


def plain(value: object) -> object:
    """Return the same data as ordinary dicts and lists, positions left behind."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
