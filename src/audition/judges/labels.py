"""What people think of replies: labels in CSV or JSON Lines, each faulty row told with its line."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from audition.documents.files import MAX_FAULTS, read_text
from audition.errors import Fault, LoadError, Where
from audition.scoring.rule import Line, Question, Scale
from audition.text import shorten

COLUMNS = ("criterion", "response", "label", "scenario", "conversation", "id")
"""What a row may say; the first three it must."""

_NEEDED = COLUMNS[:3]
_SPEAKERS = {"user": "user", "human": "user", "event": "event", "tool": "tool", "agent": "agent", "assistant": "agent"}
_SEPARATORS = (",", ";", "\t")
_GRADES = {str(grade): grade for grade in range(1, 6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A reply that a person judged."""

    criterion: str
    response: str
    passes: bool
    conversation: tuple[Line, ...] = ()
    id: str | None = None

    def question(self, scale: Scale, threshold: int) -> Question:
        """Return what a judge is asked about it."""
        return Question(
            criterion=self.criterion,
            response=self.response,
            conversation=self.conversation,
            threshold=threshold,
            scale=scale,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """The rows of a file, in order. `remarks` tell how it was read where that may surprise: separators, columns."""

    rows: tuple[Labelled, ...]
    remarks: tuple[str, ...] = ()


class _Wrong(Exception):
    """What is wrong with one row; `hint` is what to do."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.hint = message, hint


_Row = Mapping[str, object]


def read_labels(path: Path, *, passes_from: int) -> Labels:
    """Return the labels in a file whose name ends in .csv, .tsv, .jsonl or .ndjson.

    A label may be a grade; those of at least `passes_from` (1..5) are passes.

    Raises: LoadError with every fault, each with its line.
    """
    text = read_text(path)
    if isinstance(text, Fault):
        raise LoadError([text])
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return _of_csv(text, path, passes_from)
    if suffix in (".jsonl", ".ndjson"):
        return _checked(path, _json_rows(text), passes_from)
    raise LoadError([Fault("not a file of labels", Where(str(path)), "its name must end in .csv, .tsv or .jsonl")])


def _of_csv(text: str, path: Path, passes_from: int) -> Labels:
    header = text.partition("\n")[0]
    separator = max(_SEPARATORS, key=header.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        names = [name.strip().lower() for name in next(reader, [])]
    except csv.Error as error:
        raise LoadError([Fault(f"not readable as CSV: {error}", Where(str(path), 1))]) from error
    if missing := [name for name in _NEEDED if name not in names]:
        message = f"there is no column {' and no column '.join(map(repr, missing))}; the columns are {', '.join(names)}"
        hint = "name the columns in the first line, separated by commas: criterion,response,label"
        raise LoadError([Fault(message, Where(str(path), 1), hint)])
    named = {";": "semicolons", "\t": "tabs"}.get(separator)
    remarks = (f"its columns are separated by {named}",) if named else ()
    labels = _checked(path, _csv_rows(reader, names), passes_from)
    return replace(labels, remarks=remarks + labels.remarks)


def _csv_rows(reader: Iterator[list[str]], names: list[str]) -> Iterator[tuple[int, _Row | _Wrong]]:
    """Yield each row with the line on which it begins."""
    while True:
        line = reader.line_num + 1  # type: ignore[attr-defined]  # the csv reader has no class of its own to name
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, _Wrong(f"not readable as CSV: {error}", "write quotes inside a cell twice")
            return
        if not cells:
            continue
        if len(cells) != len(names):
            hint = "a cell that holds the separator or a line break stands in quotes"
            yield line, _Wrong(f"{len(cells)} cells, and the first line names {len(names)} columns", hint)
        else:
            yield line, {name: cell for name, cell in zip(names, cells, strict=True) if cell or name in _NEEDED}


def _json_rows(text: str) -> Iterator[tuple[int, _Row | _Wrong]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            yield number, _Wrong(f"not valid JSON: {error}", "write one object a line")
            continue
        yield number, row if isinstance(row, dict) else _Wrong("not an object", 'write {"criterion": …} a line')


def _checked(path: Path, rows: Iterator[tuple[int, _Row | _Wrong]], passes_from: int) -> Labels:
    faults: list[Fault] = []
    read: list[Labelled] = []
    ignored: dict[str, None] = {}
    lines_of: dict[str, int] = {}
    for line, row in rows:
        try:
            one = _labelled(row, line, lines_of, passes_from)
        except _Wrong as wrong:
            faults.append(Fault(wrong.message, Where(str(path), line), wrong.hint))
            continue
        read.append(one)
        if not isinstance(row, _Wrong):
            ignored |= dict.fromkeys(name for name in row if name not in COLUMNS)
    if faults:
        raise LoadError(faults[:MAX_FAULTS])
    if not read:
        raise LoadError([Fault("the file holds no label", Where(str(path)), "write one label a line")])
    remarks = (f"not looked at: {', '.join(ignored)}",) if ignored else ()
    return Labels(rows=tuple(read), remarks=remarks)


def _labelled(row: _Row | _Wrong, line: int, lines_of: dict[str, int], passes_from: int) -> Labelled:
    if isinstance(row, _Wrong):
        raise row
    if missing := [name for name in _NEEDED if name not in row]:
        raise _Wrong(f"there is no {' and no '.join(map(repr, missing))}")
    criterion, response = (_text(row, name) for name in ("criterion", "response"))
    if not criterion.strip():
        raise _Wrong("the criterion is empty")
    name = str(row["id"]) if "id" in row else None
    if name is not None and lines_of.setdefault(name, line) != line:
        raise _Wrong(f"the id {shorten(name, 40)!r} is that of line {lines_of[name]} too", "give each its own id")
    passes = _passes(row["label"], passes_from)
    return Labelled(criterion=criterion, response=response, passes=passes, conversation=_before(row), id=name)


def _passes(label: object, passes_from: int) -> bool:
    word = str(label).strip().lower() if isinstance(label, str | int) and not isinstance(label, bool) else ""
    if word in ("pass", "fail"):
        return word == "pass"
    if word in _GRADES:
        return _GRADES[word] >= passes_from
    hint = "write pass or fail, or a grade from 1 to 5"
    raise _Wrong(f"the label is {shorten(str(label), 40)!r}, which is no label", hint)


def _before(row: _Row) -> tuple[Line, ...]:
    scenario = (Line(speaker="user", text=_text(row, "scenario")),) if "scenario" in row else ()
    said = row.get("conversation", [])
    if isinstance(said, str):
        return (*scenario, Line(speaker="user", text=said))
    if not isinstance(said, list):
        raise _Wrong("the conversation is no text and no list")
    return (*scenario, *(_line(one) for one in said))


def _line(said: object) -> Line:
    if isinstance(said, dict):
        speaker, text = said.get("speaker", said.get("role")), said.get("text", said.get("content"))
        if isinstance(text, str) and isinstance(speaker, str) and speaker in _SPEAKERS:
            return Line(speaker=_SPEAKERS[speaker], text=text)
    hint = f'write {{"speaker": "user", "text": "…"}}; speakers are {", ".join(_SPEAKERS)}'
    raise _Wrong("a line of the conversation is none", hint)


def _text(row: _Row, name: str) -> str:
    value = row[name]
    if not isinstance(value, str):
        raise _Wrong(f"the {name} is no text")
    return value
