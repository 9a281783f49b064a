"""From paths to a suite: which files are read, by which format, and what is wrong with all of them together."""

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from os.path import realpath
from pathlib import Path
from types import ModuleType

from audition.errors import Fault, LoadError, Where
from audition.evals import Eval, Suite
from audition.formats._format import FORMATS, Code, Reading
from audition.formats.eval_dict import named_twice

SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__"})
"""Folders that are not looked into, beside hidden ones (`.venv`, `.git`)."""


Readers = Mapping[ModuleType, Callable[[Path], Reading]]
"""How a file is read, by the module of its format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """What was found at some paths: the evals that can be run, every fault, and remarks that stop nothing."""

    suite: Suite
    faults: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()


def load(paths: Path | str | Sequence[Path | str], *, allow_code: bool = False, no_exec: bool = False) -> Suite:
    """Return the evals of files and folders; with `allow_code`, those of files that must be run to be read too.

    `no_exec`: no code of any file is run, not even of one that is named.

    Raises: LoadError with every fault of every file, when there is one.
    """
    given = [paths] if isinstance(paths, Path | str) else paths
    gathered = gather([Path(path) for path in given], allow_code=allow_code, no_exec=no_exec)
    if gathered.faults:
        raise LoadError(gathered.faults)
    return gathered.suite


def gather(
    paths: Sequence[Path], *, allow_code: bool = False, no_exec: bool = False, readers: Readers | None = None
) -> Gathered:
    """Return the evals of files and folders, in order, each file read once; what is wrong with one stops no other.

    Folders are looked through to the bottom, in the order of names. A file whose reading runs code is read when it is
    named itself, or with `allow_code`, and never with `no_exec`. Of two evals with one name, the first is kept and the
    second is a fault. `readers` say how the files of some formats are read in place of what these offer themselves.
    """
    search = _Search()
    for path in paths:
        search.look_at(path)
    readings = _read_all(search.files.values(), readers or {}, allow_code=allow_code, no_exec=no_exec)
    evals = [an_eval for reading in readings for an_eval in reading.evals]
    by_name: dict[str, Eval] = {}
    for an_eval in evals:
        by_name.setdefault(an_eval.name, an_eval)
    return Gathered(
        suite=Suite(name=", ".join(path.name or path.resolve().name for path in paths), evals=tuple(by_name.values())),
        faults=(*search.faults, *(fault for reading in readings for fault in reading.faults), *named_twice(evals)),
        warnings=(*search.warnings, *(warning for reading in readings for warning in reading.warnings)),
    )


@dataclass(slots=True)
class _File:
    """A file to be read; `named`: it was asked for itself, and not found in a folder."""

    path: Path
    format: ModuleType
    named: bool


def _read_all(files: Iterable[_File], readers: Readers, *, allow_code: bool, no_exec: bool) -> list[Reading]:
    codes: dict[ModuleType, dict[Path, Code]] = {}
    for file in files:
        allowed = Code.ALLOWED if file.named or allow_code else Code.NOT_ASKED_FOR
        codes.setdefault(file.format, {})[file.path] = Code.FORBIDDEN if no_exec else allowed
    together: dict[Path, Reading] = {}
    for found, its_files in codes.items():
        if found in readers:
            together |= {path: readers[found](path) for path in its_files}
        elif hasattr(found, "read_many"):
            with uncollected():
                together |= found.read_many(its_files)
    readings = [together.get(file.path) or _read(file, codes[file.format][file.path]) for file in files]
    if allow_code and not no_exec:
        return readings
    # A file whose code was run has had its say; in others, a check must not run any in its place.
    return [
        reading if file.format.RUNS_CODE else without_code(reading)
        for file, reading in zip(files, readings, strict=True)
    ]


def _read(file: _File, code: Code) -> Reading:
    if file.format.RUNS_CODE and code is Code.FORBIDDEN and file.named:
        return Reading(
            faults=(Fault("reading this runs the code in it, which --no-exec forbids", Where(str(file.path))),)
        )
    if file.format.RUNS_CODE and code is not Code.ALLOWED:
        remark = f"{file.path}: not read, since that runs the code in it; name the file itself to have it read"
        return Reading(warnings=(remark,))
    with nullcontext() if file.format.RUNS_CODE else uncollected():
        reading: Reading = file.format.read(file.path)
    return reading


def without_code(reading: Reading) -> Reading:
    """Return a reading in which each custom check is a fault: nobody allowed the function that it names to be run."""
    found = (
        Fault("a custom check runs the function it names", check.where or Where(one.name), "--allow-code allows it")
        for one in reading.evals
        for check in one.outcome
        if check.category == "custom"
    )
    faults = tuple(dict.fromkeys(found))  # several evals may share a check, from a config
    return replace(reading, evals=(), faults=reading.faults + faults) if faults else reading


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no garbage be collected meanwhile: reading leaves no cycles, and looking for them costs a fifth more time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Search:
    """Looks for eval files; `files` holds each once, by its real path, in the order found."""

    def __init__(self) -> None:
        self.files: dict[str, _File] = {}
        self.faults: list[Fault] = []
        self.warnings: list[str] = []
        modules = [FORMATS.get(name) for name in FORMATS.names()]
        # `eval_dict` is in the folder and no format: it is what the formats share.
        formats = [module for module in modules if hasattr(module, "SUFFIXES")]
        self._formats = {suffix: module for module in formats for suffix in module.SUFFIXES}
        more = [module for module in formats if hasattr(module, "NAMED_SUFFIXES")]
        self._formats_of_named = self._formats | {suffix: one for one in more for suffix in one.NAMED_SUFFIXES}
        self._endings = ", ".join(sorted(self._formats))

    def look_at(self, path: Path) -> None:
        """Note the files that a path stands for."""
        try:
            path.stat()
        except (OSError, ValueError) as error:
            missing = isinstance(error, FileNotFoundError)
            reason = "there is no such file or folder" if missing else f"this cannot be read: {error}"
            self.faults.append(Fault(reason, Where(str(path))))
            return
        if path.is_dir():
            self._look_into(path)
        elif (found := self._format_of(path.name, named=True)) is not None:
            self._note(path, found, named=True)
        else:
            hint = f"names of eval files end in {self._endings}"
            self.faults.append(Fault("no file format reads this", Where(str(path)), hint))

    def _look_into(self, folder: Path) -> None:
        seen: set[str] = set()
        before = len(self.files)
        for top, folders, files in os.walk(folder, followlinks=True, onerror=self._unreadable):
            if (real := realpath(top)) in seen:  # a link that leads back
                folders.clear()
                continue
            seen.add(real)
            folders[:] = sorted(name for name in folders if name[0] != "." and name not in SKIPPED_FOLDERS)
            for name in sorted(name for name in files if name[0] != "."):
                if (found := self._format_of(name)) is not None:
                    self._note(Path(top, name), found, named=False)
                elif ".eval." in name.lower():
                    self.warnings.append(f"{Path(top, name)}: not read, since no file format reads such files")
        if len(self.files) == before:
            self.warnings.append(f"{folder}: no eval file is in here; their names end in {self._endings}")

    def _unreadable(self, error: OSError) -> None:
        where = Where(str(error.filename))
        self.faults.append(Fault(f"the folder cannot be read: {error.strerror}", where))

    def _format_of(self, name: str, *, named: bool = False) -> ModuleType | None:
        folded, formats = name.lower(), self._formats_of_named if named else self._formats
        return next((found for suffix, found in formats.items() if folded.endswith(suffix)), None)

    def _note(self, path: Path, found: ModuleType, *, named: bool) -> None:
        file = self.files.setdefault(realpath(path), _File(path, found, named))
        file.named = file.named or named
