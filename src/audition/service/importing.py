"""Cases from files: rows of tables, and evals of any kind. What is uploaded is read as text, and nothing beside it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from pydantic import ConfigDict, Field, ValidationError

from audition.documents.files import MAX_BYTES
from audition.documents.json import read_json
from audition.documents.located import plain
from audition.errors import Fault
from audition.evals import Eval
from audition.formats import Reading, adk, without_code
from audition.formats.botpress import read_text_alone
from audition.formats.eval_dict import read_evals
from audition.service.bodies import Data, LongText
from audition.service.case_evals import read_case_eval
from audition.service.csv_tables import TableFault, read_table
from audition.service.dataset_bodies import CaseIn, draft_of, faults_of_case
from audition.service.eval_cases import case_of_eval, row_of_eval
from audition.store.service.cases import Case

ImportFormat = Literal["jsonl", "csv", "yaml", "json", "adk", "botpress"]
"""What can be imported: tables (`jsonl`, `csv`), our evals (`yaml`, `json`), and the evals of two others."""

MOST_FAULTS = 1000
"""The most faults told of one upload."""

_UPLOAD = "upload"
"""What an upload is called in messages; it has no name of its own that anything could depend on."""

_JSON_CELLS = frozenset({"context", "tool_fixtures", "eval"})


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFault:
    """One thing wrong with a row; `line` is where the row begins, from 1, and `pointer` where in it the fault is."""

    line: int
    pointer: str
    detail: str


@dataclass(slots=True)
class Rows:
    """What was read: each case with the line it begins on, all faults, and remarks that stop nothing."""

    drafts: list[tuple[int, Case]] = field(default_factory=list)
    faults: list[RowFault] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def fault(self, line: int, detail: str, pointer: str = "") -> None:
        """Note one thing wrong."""
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(RowFault(line=line, pointer=pointer, detail=detail))


class Row(CaseIn):
    """A row of a table. With an `eval`, that says what the case is; scenario and criteria are then told from it."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    scenario: LongText = Field(default_factory=str)
    expected_criteria: LongText = Field(default_factory=str)
    eval: Data | None = None


COLUMNS = tuple(Row.model_fields)
"""The columns that a table may have."""


def read_rows(wanted: ImportFormat, content: bytes) -> Rows:
    """Return the cases in an upload, and everything that is wrong with it. Nothing else is read, and no code is run."""
    rows = Rows()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        rows.fault(content[: error.start].count(b"\n") + 1, "this is not UTF-8; save it as UTF-8")
        return rows
    if "\0" in text:
        rows.fault(text[: text.index("\0")].count("\n") + 1, "a zero byte is no text")
        return rows
    _READERS[wanted](text, rows)
    _refuse_twice(rows)
    rows.faults.sort(key=lambda one: one.line)
    return rows


def _read_jsonl(text: str, rows: Rows) -> None:
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        documents, faults = read_json(written, _UPLOAD)
        if faults:
            rows.fault(line, faults[0].message)
        elif not isinstance(documents[0], dict):
            rows.fault(line, "a row must be an object")
        else:
            _add(rows, line, plain(documents[0]))


def _read_csv(text: str, rows: Rows) -> None:
    try:
        for line, cells in read_table(text, COLUMNS, rows.fault):
            row = _row_of_cells(rows, line, cells)
            if row is not None:
                _add(rows, line, row)
    except TableFault as error:
        rows.fault(error.line, str(error))


def _read_yaml(text: str, rows: Rows) -> None:
    from audition.documents.yaml import read_yaml

    _add_evals(rows, text, lambda: read_evals(*_documents(read_yaml, text)))


def _read_json(text: str, rows: Rows) -> None:
    _add_evals(rows, text, lambda: read_evals(*_documents(read_json, text)))


def _read_botpress(text: str, rows: Rows) -> None:
    _add_evals(rows, text, lambda: read_text_alone(_with_plain_line_ends(text), _UPLOAD))


def _read_adk(text: str, rows: Rows) -> None:
    _add_evals(rows, text, lambda: _adk_reading(text))


_READERS: Final[Mapping[ImportFormat, Callable[[str, Rows], None]]] = {
    "jsonl": _read_jsonl,
    "csv": _read_csv,
    "yaml": _read_yaml,
    "json": _read_json,
    "adk": _read_adk,
    "botpress": _read_botpress,
}


def _documents(
    read: Callable[[str, str], tuple[list[object], list[Fault]]], text: str
) -> tuple[list[object], str, list[Fault]]:
    documents, faults = read(_with_plain_line_ends(text), _UPLOAD)
    return [document for document in documents if document is not None], _UPLOAD, faults


def _adk_reading(text: str) -> Reading:
    documents, faults = read_json(_with_plain_line_ends(text), _UPLOAD)
    if faults:
        return Reading(faults=tuple(faults))
    reading = adk.read_eval_set(documents[0], _UPLOAD)
    return replace(reading, evals=tuple(_with_adk_criteria(reading.evals)))


def _with_adk_criteria(evals: Iterable[Eval]) -> Iterator[Eval]:
    """Yield evals with ADK's own two criteria; those whose turns say things of ours need no others."""
    for one in evals:
        if any(turn.checks or turn.expect_silence or turn.event is not None for turn in one.turns):
            yield one
        else:
            yield from adk.with_criteria([one], adk.default_config())


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _add_evals(rows: Rows, text: str, read: Callable[[], Reading]) -> None:
    if len(text) > MAX_BYTES:
        rows.fault(1, f"this is {len(text):,} characters long, and at most {MAX_BYTES:,} are read; split it")
        return
    reading = without_code(read())
    rows.warnings += reading.warnings
    for fault in reading.faults:
        rows.fault(fault.where.line or 1, fault.message)
    for one in reading.evals:
        _add(rows, (one.where and one.where.line) or 1, row_of_eval(one))


def _add(rows: Rows, line: int, written: Any) -> None:
    """Add the case of a row, or what is wrong with it."""
    try:
        row = Row.model_validate(written)
    except ValidationError as error:
        for one in error.errors(include_url=False, include_input=False):
            rows.fault(line, _in_words(one["type"], one["loc"], one["msg"]), _pointer(one["loc"]))
        return
    written_eval = row.eval
    draft = replace(draft_of(row), eval=None)
    if written_eval is None:
        for name in ("scenario", "expected_criteria"):
            if name not in row.model_fields_set:
                rows.fault(line, f"the row has no {name!r}", f"/{name}")
        faults = faults_of_case(draft)
    else:
        faults = [("/eval", fault.message) for fault in read_case_eval(written_eval, _UPLOAD).faults]
        if not faults:
            draft = case_of_eval(draft, written_eval, own_tags="tags" in row.model_fields_set)
    for pointer, message in faults:
        rows.fault(line, message, pointer)
    rows.drafts.append((line, draft))


def _row_of_cells(rows: Rows, line: int, cells: Mapping[str, str]) -> dict[str, Any] | None:
    """Return a row of a CSV file as data, None when a cell is wrong; an empty cell says nothing."""
    row: dict[str, Any] = {}
    before = len(rows.faults)
    for name, cell in cells.items():
        if not cell and name not in ("scenario", "expected_criteria"):
            continue
        if name == "must_pass":
            row[name] = cell.strip().lower()
            if row[name] not in ("true", "false"):
                rows.fault(line, f"must_pass must be true or false, not {cell[:40]!r}", "/must_pass")
            row[name] = row[name] == "true"
        elif name == "tags" and not cell.lstrip().startswith("["):
            row[name] = [tag.strip() for tag in cell.split(",") if tag.strip()]
        elif name in _JSON_CELLS or name == "tags":
            documents, faults = read_json(cell, _UPLOAD)
            for fault in faults:
                rows.fault(line, fault.message, f"/{name}")
            row[name] = plain(documents[0]) if documents else None
        else:
            row[name] = cell
    if "eval" in row:
        row = {key: value for key, value in row.items() if value != "" or key not in ("scenario", "expected_criteria")}
    return row if len(rows.faults) == before else None


def _refuse_twice(rows: Rows) -> None:
    first: dict[str, int] = {}
    for line, draft in rows.drafts:
        name = draft.external_id
        if name is not None and name in first:
            rows.fault(line, f"the external_id {name!r} is that of line {first[name]} already", "/external_id")
        elif name is not None:
            first[name] = line


def _in_words(kind: str, place: Sequence[int | str], message: str) -> str:
    if kind == "extra_forbidden":
        return f"unknown field {str(place[-1])[:80]!r}; there are: {', '.join(COLUMNS)}"
    return message


def _pointer(place: Sequence[int | str]) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in place)
