"""Making eval sets in an agent's folder, and adding conversation scenarios to them. Source: `adk eval_set`."""

import hashlib
import json
import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from audition.cli.commands._adk_selection import SET_SUFFIX, set_file
from audition.cli.commands._reporting import write_text
from audition.documents.files import read_document
from audition.documents.located import plain
from audition.documents.shape import ListOf, Shape, read_all
from audition.errors import Conflict, Fault, LoadError, Where
from audition.formats._adk_records import AdkRecord, faults_in, must
from audition.formats._adk_shapes import EVAL_CASE, EVAL_SET, SCENARIO

_ID = re.compile(r"[a-zA-Z0-9_]+")
_SCENARIOS = AdkRecord("list of scenarios", unknown="dropped", scenarios=must(ListOf(SCENARIO)))
_SESSION_INPUT = EVAL_CASE.keys["session_input"].shape


def create_set(folder: Path, set_id: str) -> None:
    """Write an empty eval set into an agent's folder.

    Raises: Conflict when there is one of that id already.
    """
    if not _ID.fullmatch(set_id):
        raise click.UsageError(f"an eval set's id is made of letters, digits and underscores, not {set_id!r}")
    path = folder / f"{set_id}{SET_SUFFIX}"
    if path.exists():
        raise Conflict(f"there is an eval set {set_id!r} already: {path}")
    _write(path, {"eval_set_id": set_id, "name": set_id, "eval_cases": [], "creation_timestamp": time.time()})
    click.echo(f"Eval set '{set_id}' created for app '{folder.resolve().name}'.")


def add_scenarios(folder: Path, set_id: str, scenarios_file: Path, session_input_file: Path) -> None:
    """Add a case for each scenario to an eval set; one that is there already, by its id, is left as it is.

    Raises: UnknownName when there is no such set, LoadError with all that is wrong with a file.
    """
    path = set_file(folder, set_id)
    session_input = _read(session_input_file, _SESSION_INPUT)
    scenarios: list[Mapping[str, object]] = _read(scenarios_file, _SCENARIOS)["scenarios"]
    _read(path, EVAL_SET)
    written = _document(path)  # as it stands, so that nothing in it is changed
    ids = {case.get("eval_id", case.get("evalId")) for case in written["eval_cases"]}
    for scenario in scenarios:
        eval_id = _id_of(scenario)
        if eval_id in ids:
            click.echo(f"Eval case '{eval_id}' already exists in eval set '{set_id}', skipped adding.")
            continue
        ids.add(eval_id)
        case = {"eval_id": eval_id, "conversation_scenario": scenario, "session_input": session_input}
        written["eval_cases"].append(case | {"creation_timestamp": time.time()})
        click.echo(f"Eval case '{eval_id}' added to eval set '{set_id}'.")
    _write(path, written)


def _id_of(scenario: Mapping[str, object]) -> str:
    """Return the id that ADK gives a scenario; one that names a built-in persona gets another than there.

    ADK's depends on the words in which it describes that persona.
    """
    whole = {"user_persona": None, **scenario}
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:8]


def _read(path: Path, shape: Shape) -> Any:
    """Return what a file holds, read by a shape."""
    document = _document(path, located=True)
    read, found = read_all(shape, document)
    if found:
        raise LoadError(faults_in(document, list(found), str(path)))
    return read


def _document(path: Path, *, located: bool = False) -> Any:
    documents, faults = read_document(path)
    if faults or not documents:
        raise LoadError(faults or [Fault("the file holds no JSON", Where(str(path)))])
    return documents[0] if located else plain(documents[0])


def _write(path: Path, content: object) -> None:
    write_text([json.dumps(content, ensure_ascii=False, indent=2), "\n"], path)
