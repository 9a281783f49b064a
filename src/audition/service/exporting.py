"""Cases as files, which importing reads as the same cases."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal

from audition.documents.yaml import write_yaml
from audition.evals import Eval, Suite
from audition.formats.adk import write_eval_set
from audition.formats.eval_dict import write_eval
from audition.service.bodies import refuse
from audition.service.csv_tables import table_line
from audition.service.eval_cases import ADK_KEY, eval_of_case
from audition.service.importing import COLUMNS, read_rows
from audition.store.service.cases import Case, document_of

ExportFormat = Literal["jsonl", "csv", "yaml", "json", "adk"]
"""What can be exported: tables (`jsonl`, `csv`), our evals (`yaml`, `json`), and an eval set of Google's ADK."""

MEDIA_TYPES: Final[Mapping[ExportFormat, str]] = {
    "jsonl": "application/jsonl",
    "csv": "text/csv",
    "yaml": "application/yaml",
    "json": "application/json",
    "adk": "application/json",
}

ENDINGS: Final[Mapping[ExportFormat, str]] = {
    "jsonl": ".jsonl",
    "csv": ".csv",
    "yaml": ".eval.yaml",
    "json": ".eval.json",
    "adk": ".evalset.json",
}
"""How the names of such files end."""


def write_cases(wanted: ExportFormat, cases: Sequence[Case], dataset_name: str) -> str:
    """Return cases as the text of a file.

    Raises: Problem 422 naming the cases that the format cannot say.
    """
    return _WRITERS[wanted](cases, dataset_name)


def _write_jsonl(cases: Sequence[Case], _name: str) -> str:
    return "".join(_as_json(_row(case)) + "\n" for case in cases)


def _write_csv(cases: Sequence[Case], _name: str) -> str:
    rows = [_row(case) for case in cases]
    always = ("scenario", "expected_criteria")
    columns = [name for name in COLUMNS if name in always or any(name in row for row in rows)]
    lines = (table_line(_cell(name, row.get(name)) for name in columns) for row in rows)
    return table_line(columns) + "".join(lines)


def _write_yaml(cases: Sequence[Case], _name: str) -> str:
    return write_yaml({"evals": [write_eval(one) for one in _evals(cases)]})


def _write_json(cases: Sequence[Case], _name: str) -> str:
    return json.dumps({"evals": [write_eval(one) for one in _evals(cases)]}, ensure_ascii=False, indent=2) + "\n"


def _write_adk(cases: Sequence[Case], name: str) -> str:
    """Return an eval set, after reading each case of it again to see whether it says the same."""
    evals = [*_evals(cases)]
    refuse(
        [
            (f"/cases/{case.id}", f"the case {case.id} says what an eval set of ADK cannot say")
            for case, one in zip(cases, evals, strict=True)
            if _comparable(case) != _comparable(_read_again(one))
        ]
    )
    return _eval_set(name, evals) + "\n"


def _read_again(one: Eval) -> Case | None:
    drafts = read_rows("adk", _eval_set("one", [one]).encode()).drafts
    return drafts[0][1] if drafts else None


def _eval_set(name: str, evals: Sequence[Eval]) -> str:
    return json.dumps(write_eval_set(Suite(name=name, evals=tuple(evals))), ensure_ascii=False, indent=2)


_WRITERS: Final[Mapping[ExportFormat, Callable[[Sequence[Case], str], str]]] = {
    "jsonl": _write_jsonl,
    "csv": _write_csv,
    "yaml": _write_yaml,
    "json": _write_json,
    "adk": _write_adk,
}


def _row(case: Case) -> dict[str, Any]:
    """Return what a row of a table says of a case; without tags, one that carries an eval would get those of that."""
    document = document_of(case)
    if case.eval is not None:
        document["tags"] = case.tags
    return {name: document[name] for name in COLUMNS if name in document}


def _cell(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if name == "tags" and value and all(tag == tag.strip() and "," not in tag and tag[0] != "[" for tag in value):
        return ", ".join(value)
    return _as_json(value)


def _evals(cases: Sequence[Case]) -> Iterator[Eval]:
    """Yield cases as evals, each by a name of its own: the id it has elsewhere, or one made of its own id."""
    taken = {case.external_id for case in cases}
    for case in cases:
        name = case.external_id or f"case-{case.id}"
        while case.external_id is None and name in taken:
            name += "-"
        taken.add(name)
        yield eval_of_case(case, name)


def _comparable(case: Case | None) -> object:
    """Return what a case says, without what depends on where it stands; None for none."""
    if case is None:
        return None
    said = document_of(case)
    for name in ("external_id", "created_at"):
        said.pop(name, None)
    if case.eval is not None:
        extra: Any = dict(said["eval"].get("extra", {}))
        extra[ADK_KEY] = {key: value for key, value in extra.get(ADK_KEY, {}).items() if key != "eval_set"}
        said["eval"] = {**said["eval"], "name": "", "extra": extra}
    return said


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
