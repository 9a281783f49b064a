"""What a file format is, what it gives back, and the folder the formats are found in."""

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from audition.errors import Fault
from audition.evals import Eval
from audition.registry import Folder

FORMATS = Folder("file format", "audition.formats")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was found in one file: its evals in order, every fault, and remarks that stop nothing.

    A file with a fault is not to be run: its evals are then left out.
    """

    evals: tuple[Eval, ...] = ()
    faults: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()


class Code(Enum):
    """Whether the code in a file may be run to read it: only when the file was named, or code is allowed."""

    ALLOWED = "allowed"
    NOT_ASKED_FOR = "not asked for"
    FORBIDDEN = "forbidden"


class Format(Protocol):
    """What a module of this folder offers.

    It may offer `read_many` too, which takes all its files at once, each with a `Code`, and returns a `Reading` for
    each: for a format that reads most files without running them. It may offer `NAMED_SUFFIXES` too: the ends of names
    that it reads when the file itself is named, and no format has among its `SUFFIXES`.
    """

    SUFFIXES: tuple[str, ...]
    """The ends of the file names it reads, in small letters, such as `.eval.yaml`."""

    RUNS_CODE: bool
    """Whether reading such a file runs code in it: it is then read only when asked for by name."""

    def read(self, path: Path) -> Reading:
        """Return what is in a file. Never raises on what the file holds."""
        ...
