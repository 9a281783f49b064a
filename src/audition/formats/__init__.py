"""File formats: each file reads evals from one kind of file. Reading runs no code, except where a format says so."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from audition.errors import Fault
from audition.evals import Eval
from audition.registry import Folder

FORMATS = Folder("file format", "audition.formats")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was found in one file: its evals in order, every fault, and remarks that stop nothing."""

    evals: tuple[Eval, ...] = ()
    faults: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()


class Format(Protocol):
    """What a module of this folder offers."""

    SUFFIXES: tuple[str, ...]
    """The ends of the file names it reads, such as `.eval.yaml`."""

    RUNS_CODE: bool
    """Whether reading such a file runs code in it: it is then read only when asked for by name."""

    def read(self, path: Path) -> Reading:
        """Return what is in a file. Never raises on what the file holds."""
        ...
