"""`*.eval.ts` and its like: evals in TypeScript, as Botpress has them. They are read without running them.

What cannot be read so is run by node, where that is allowed. Source: Botpress eval format.
"""

import re
from collections.abc import Mapping
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
    readings = {path: _reading(path, real[path], read) for path, read in found.items()}
    open_ = {path: read for path, read in found.items() if read.problems and not all(p.final for p in read.problems)}
    for path, read in open_.items():
        if files[path] is not Code.ALLOWED:
            readings[path] = _refused(read, _HINTS[files[path]])
    allowed = {path: read for path, read in open_.items() if files[path] is Code.ALLOWED}
    return readings | (_run(allowed, real, reader) if allowed else {})


def _run(found: "Mapping[Path, Read]", real: Mapping[Path, str], reader: "StaticReader") -> dict[Path, Reading]:
    from audition.formats._ts_node import find_node, run_files

    node = find_node()
    if node is None:
        return {path: _refused(read, _HINTS[Code.ALLOWED]) for path, read in found.items()}
    ran = run_files(node, [real[path] for path in found], reader.workspace)
    return {path: _reading_of_run(path, real[path], read, ran[real[path]]) for path, read in found.items()}


def _reading(path: Path, home: str, read: "Read") -> Reading:
    """Return the reading of a file that needed no run, or for which a run would be of no use."""
    from audition.formats._ts_documents import documents_of

    offers = [(offer.name, offer.value, offer.mark) for offer in read.offers]
    documents, faults = documents_of(offers, home, str(path))
    if read.problems:
        return Reading(faults=tuple(sorted({*(problem.fault for problem in read.problems), *faults}, key=_place)))
    return _with_evals(path, documents, faults, is_blank=read.is_blank)


def _reading_of_run(path: Path, home: str, read: "Read", ran: "Ran") -> Reading:
    """Return the reading of a file that was run; it has the places of what was read without that."""
    from audition.formats._ts_documents import documents_of, give_places

    if ran.exports is None:
        syntax = next(
            (one.fault.where for one in read.problems if one.fault.message.startswith("not TypeScript")), None
        )
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


def _refused(read: "Read", hint: str) -> Reading:
    """Return the faults of a file that only a run can read; `hint` says how to get one."""
    faults = [one.fault if one.final else replace(one.fault, hint=one.fault.hint or hint) for one in read.problems]
    return Reading(faults=tuple(sorted(faults, key=_place)))


def _place(fault: Fault) -> tuple[str, int, int]:
    return fault.where.path, fault.where.line or 0, fault.where.column or 0
