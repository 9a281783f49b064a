"""Rows of text in columns."""

from collections.abc import Sequence

from audition.text import printable


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows, of which there is at least one, with their cells under each other."""
    shown = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    padded = ((cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in shown)
    return "\n".join("  ".join(cells).rstrip() for cells in padded)
