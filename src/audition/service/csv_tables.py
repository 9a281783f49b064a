"""Tables as CSV: written so that no spreadsheet runs what is in them, and read back to the letter. Source: RFC 4180."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

_CELL = re.compile(r'"([^"]*+(?:""[^"]*+)*+)"|([^,"\r\n]*+)')
_END = re.compile(r",|\r\n|\n|\r|\Z")
_OTHER_SEPARATORS = (";", "\t", "|")


class TableFault(Exception):
    """A table cannot be read on from a line, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


def read_table(
    text: str, known: Collection[str], refuse: Callable[[int, str], None]
) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield the rows of a table with the line each begins on, its cells by the names in the first row.

    Empty lines are no rows. Apostrophes that guard text from spreadsheets are taken away. `refuse` is told of rows that
    have too many or too few cells. Raises: TableFault where no further row can be read.
    """
    records = _records(text)
    line, header = next(records, (1, []))
    names = [name.strip() for name in header]
    _check_header(line, names, known)
    for line, cells in records:
        if len(cells) != len(names):
            refuse(line, f"this row has {len(cells)} cells, and the first row has {len(names)}")
            continue
        yield line, {name: unguarded(cell) for name, cell in zip(names, cells, strict=True)}


def table_line(cells: Iterable[str]) -> str:
    """Return a row as a line of a table, in which no spreadsheet runs anything."""
    return ",".join(_quoted(guarded(cell)) for cell in cells) + "\r\n"


def guarded(text: str) -> str:
    """Return text with an apostrophe before it where a spreadsheet could take it for a formula.

    Text that is of this form already gets another one, so that `unguarded` gives back what was there.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("plain")
    ("'=1+1", "''=1+1", 'plain')
    """
    return f"'{text}" if _is_formula(text.lstrip("'")) else text


def unguarded(text: str) -> str:
    """Return text without the apostrophe that guards it."""
    return text[1:] if text.startswith("'") and _is_formula(text.lstrip("'")) else text


def _is_formula(text: str) -> bool:
    """Say whether text begins as a formula does, perhaps behind spaces and marks that nobody sees."""
    if text[:1] in ("\t", "\r", "\n"):
        return True
    for char in text:
        if not (char.isspace() or unicodedata.category(char) in ("Cf", "Cc")):
            return unicodedata.normalize("NFKC", char)[:1] in ("=", "+", "-", "@")
    return False


def _quoted(text: str) -> str:
    if any(char in text for char in ',"\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text


def _records(text: str) -> Iterator[tuple[int, list[str]]]:
    at, line, begun = 0, 1, 1
    cells: list[str] = []
    while at < len(text) or cells:
        found = _CELL.match(text, at)
        assert found is not None  # an empty cell always fits
        end = _END.match(text, found.end())
        if end is None:
            line += text.count("\n", at, found.end())
            raise TableFault(line, _quote_fault(text, at, found.end()))
        quoted, bare = found.groups()
        cells.append(bare if quoted is None else quoted.replace('""', '"'))
        line += _line_ends(found[0])
        at = end.end()
        if end[0] == ",":
            continue
        if cells != [""] or quoted is not None:
            yield begun, cells
        line += 1
        cells, begun = [], line


def _quote_fault(text: str, start: int, at: int) -> str:
    if text[at] == '"' and text[start] == '"':
        return "a quote is opened and not closed"
    if text[at] == '"':
        return 'a quote stands within a cell; put the cell in quotes and write "" for a quote in it'
    return 'text follows a closing quote; write "" for a quote within quotes'


def _line_ends(text: str) -> int:
    return text.count("\n") + text.replace("\r\n", "").count("\r")


def _check_header(line: int, names: Sequence[str], known: Collection[str]) -> None:
    if len(names) == 1:
        for separator in _OTHER_SEPARATORS:
            if separator in names[0] and {part.strip().strip('"') for part in names[0].split(separator)} & set(known):
                raise TableFault(line, f"the cells are separated by {separator!r}; save the table with commas")
    unknown = [name for name in names if name not in known]
    if unknown:
        shown = ", ".join(repr(name[:40]) for name in unknown[:20])
        raise TableFault(line, f"unknown columns: {shown}; there are: {', '.join(known)}")
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise TableFault(line, f"columns are there twice: {', '.join(sorted(twice))}")
    if not names or ("scenario" not in names and "eval" not in names):
        raise TableFault(
            line, "the first row must name the columns: scenario, expected_criteria and what else there is"
        )
