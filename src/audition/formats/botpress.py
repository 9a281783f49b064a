"""`*.eval.ts` and its like: evals in TypeScript, as Botpress has them. They are read without running them.

What cannot be read so is run by node, where that is allowed. Source: Botpress eval format.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING

from audition.errors import Fault, Where
from audition.formats._format import Code, Reading
from audition.formats.eval_dict import read_evals

if TYPE_CHECKING:
    from audition.formats._ts_node import Ran
    from audition.formats._ts_static import Read, StaticReader
    from audition.formats._ts_workspace import Problem

SUFFIXES = (".eval.ts", ".eval.mts", ".eval.js", ".eval.mjs")
RUNS_CODE = False

_HINTS = {
    Code.NOT_ASKED_FOR: "name the file itself, or pass --allow-code, and node reads it, which runs the code in it",
    Code.FORBIDDEN: "write the value out; or have node read it, which --no-exec forbids",
    Code.ALLOWED: 'install node 22.15 or newer, or pip install "audition[node]", and node reads it',
}
"""How what cannot be read can be read all the same; for code that is allowed, where there is no node."""

_LEGACY = {
    "similar_to": (
        "'similar_to' is a check of older Botpress versions, which never carried it out",
        "write llm_judge: 'the reply means the same as ...'",
    ),
    "tables": (
        "'tables' checks are a feature of older Botpress versions, and no agent shows its tables",
        "check what the agent says or calls, or a 'state' value",
    ),
}
_UNKNOWN = re.compile(r"unknown key '(similar_to|tables)' in (?:response check|assert|outcome)")


def read(path: Path) -> Reading:
    """Return what is in a file, without running it."""
    return read_many({path: Code.FORBIDDEN})[path]


def read_many(files: Mapping[Path, Code]) -> dict[Path, Reading]:
    """Return what is in each of several files; those that have to be run, and may be, are run by one process."""
    from audition.formats._ts_static import StaticReader  # the parser takes 25 ms of CPU, and most runs need none

    real = {path: realpath(path) for path in files}
    reader = StaticReader({real[path]: str(path) for path in files})
    found = {path: reader.read(real[path]) for path in files}
    readings = {path: _reading(path, real[path], read, files[path]) for path, read in found.items()}
    to_run = {path: read for path, read in found.items() if files[path] is Code.ALLOWED and _wants_a_run(read)}
    return readings | (_run(to_run, real, reader) if to_run else {})


def read_text_alone(text: str, name: str) -> Reading:
    """Return what is in a text, called `name` in messages, without running it; no file is looked at for it."""
    from audition.formats._ts_static import StaticReader

    return _reading(Path(name), name, StaticReader({name: name}, {name: text}).read(name), Code.FORBIDDEN)


def _wants_a_run(read: "Read") -> bool:
    """Tell whether a file cannot be read without running it, and nothing is wrong with it that a run would hide."""
    return bool(read.problems) and not any(problem.final for problem in read.problems)


def _run(found: "Mapping[Path, Read]", real: Mapping[Path, str], reader: "StaticReader") -> dict[Path, Reading]:
    from audition.formats._ts_node import find_node, run_files

    node = find_node()
    if node is None:
        return {path: Reading(faults=_told(read.problems, Code.ALLOWED)) for path, read in found.items()}
    ran = run_files(node, [real[path] for path in found], reader.workspace)
    return {path: _reading_of_run(path, real[path], read, ran[real[path]]) for path, read in found.items()}


def _reading(path: Path, home: str, read: "Read", code: Code) -> Reading:
    """Return the reading of a file that is not run."""
    from audition.formats._ts_documents import documents_of

    offers = [(offer.name, offer.value, offer.mark) for offer in read.offers]
    documents, faults = documents_of(offers, home, str(path))
    if not read.problems:
        return _with_evals(path, documents, faults, is_blank=read.is_blank)
    final = [problem for problem in read.problems if problem.final]
    told = _told(final if final and code is Code.ALLOWED else read.problems, code)
    return Reading(faults=tuple(sorted({*told, *faults}, key=_place)))


def _reading_of_run(path: Path, home: str, read: "Read", ran: "Ran") -> Reading:
    """Return the reading of a file that was run; it has the places of what was read without that."""
    from audition.formats._ts_documents import documents_of, give_places
    from audition.formats._ts_workspace import NOT_TYPESCRIPT

    if ran.exports is None:
        syntax = next((one.fault.where for one in read.problems if one.fault.message.startswith(NOT_TYPESCRIPT)), None)
        where = Where(str(path), *ran.mark) if ran.mark else syntax or Where(str(path))
        return Reading(faults=(Fault(f"the file was run, and failed: {ran.error}", where),))
    places = {offer.name: offer for offer in read.offers}
    names = [*(name for name in places if name in ran.exports), *sorted(ran.exports.keys() - places.keys())]
    for name in names:
        if name in places:
            give_places(ran.exports[name], places[name].value, home)
    offers = [(name, ran.exports[name], places[name].mark if name in places else (1, 1)) for name in names]
    documents, faults = documents_of(offers, home, str(path))
    return _with_evals(path, documents, faults, is_blank=False)


def _with_evals(path: Path, documents: list[object], faults: list[Fault], *, is_blank: bool) -> Reading:
    if not documents and not faults:
        remark = "the file holds no eval: it is empty, or all of it is commented out"
        if not is_blank:
            remark = "the file exports no eval: that is new Eval({...}), or an object with a name and a conversation"
        return Reading(warnings=(f"{path}: {remark}",))
    reading = read_evals(documents, str(path), faults)
    known = {fault.where for fault in faults}
    kept = [fault for fault in reading.faults if fault in faults or fault.where not in known]
    return replace(reading, faults=tuple(map(_legacy_named, kept)))


def _legacy_named(fault: Fault) -> Fault:
    """Return a fault that says so when what is unknown was known once."""
    found = _UNKNOWN.search(fault.message)
    if found is None:
        return fault
    message, hint = _LEGACY[found[1]]
    return Fault(message, fault.where, hint)


def _told(problems: "Sequence[Problem]", code: Code) -> tuple[Fault, ...]:
    """Return problems as faults that say how the file can be read all the same, where it can."""
    faults = (one.fault if one.final else replace(one.fault, hint=one.fault.hint or _HINTS[code]) for one in problems)
    return tuple(sorted(faults, key=_place))


def _place(fault: Fault) -> tuple[str, int, int]:
    return fault.where.path, fault.where.line or 0, fault.where.column or 0
