"""Files of data, from bytes to documents: sizes, encodings and line ends are settled here, and nothing raises."""

import codecs
from pathlib import Path
from stat import S_ISREG

from audition.errors import Fault, Where

MAX_BYTES = 5_000_000
"""The longest file that is read, in bytes: some 30,000 evals of one turn."""

MAX_FAULTS = 1_000
"""The most faults told of one file."""

JSON_SUFFIXES = frozenset({".json"})
YAML_SUFFIXES = frozenset({".yaml", ".yml"})

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
"""Byte order marks and what they announce; those of UTF-32 first, since they begin with those of UTF-16."""


def read_document(path: Path) -> tuple[list[object], list[Fault]]:
    """Return the documents in a YAML file, or the one in a JSON file, and everything that is wrong with it.

    Mappings and lists are `LocatedDict` and `LocatedList`. An empty YAML file holds no document. When there are faults,
    the documents are what could be read all the same: good for finding more faults, not for use.
    """
    # Each reader is imported when a file needs it: PyYAML alone costs 15 ms of CPU.
    suffix = path.suffix.lower()
    if suffix not in JSON_SUFFIXES | YAML_SUFFIXES:
        hint = "its name must end in .yaml, .yml or .json"
        return [], [Fault("not a file of data", Where(str(path)), hint)]
    text = read_text(path)
    if isinstance(text, Fault):
        return [], [text]
    if suffix in JSON_SUFFIXES:
        from audition.documents.json import read_json

        documents, faults = read_json(text, str(path))
    else:
        from audition.documents.yaml import read_yaml

        documents, faults = read_yaml(text, str(path))
    if len(faults) > MAX_FAULTS:
        faults[MAX_FAULTS:] = [Fault(f"{len(faults) - MAX_FAULTS:,} more faults are not shown", Where(str(path)))]
    return documents, faults


def read_text(path: Path) -> str | Fault:
    """Return the text of a file with `\\n` as its only line end, or what keeps it from being read.

    The text is UTF-8, whatever the locale; UTF-16 and UTF-32 are read when they begin with their byte order mark.
    """
    content = _read_bytes(path)
    if isinstance(content, Fault):
        return content
    encoding = "utf-8"
    for mark, announced in _MARKS:
        if content.startswith(mark):
            content, encoding = content[len(mark) :], announced
            break
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        return _undecodable(error, path)
    if "\0" in text:
        where = _where(text[: text.index("\0")], path)
        return Fault("the file holds a zero byte, so it is no text", where, "save it as UTF-8")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _read_bytes(path: Path) -> bytes | Fault:
    try:
        status = path.stat()
        if not S_ISREG(status.st_mode):
            return Fault("not a file", Where(str(path)))
        if status.st_size > MAX_BYTES:
            return _too_big(status.st_size, path)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        return Fault(f"the file cannot be read: {reason or error}", Where(str(path)))
    return content if len(content) <= MAX_BYTES else _too_big(len(content), path)


def _too_big(size: int, path: Path) -> Fault:
    message = f"the file is too big: {size:,} bytes, and at most {MAX_BYTES:,} are read"
    return Fault(message, Where(str(path)), "split it into several files")


def _undecodable(error: UnicodeDecodeError, path: Path) -> Fault:
    before = error.object[: error.start].decode(error.encoding, "replace")
    name = error.encoding.upper().removesuffix("-LE").removesuffix("-BE")
    message = f"the byte 0x{error.object[error.start]:02x} is not {name}: {error.reason}"
    return Fault(message, _where(before, path), "save the file as UTF-8")


def _where(before: str, path: Path) -> Where:
    """Return the place of the character that follows `before`, counting all three line ends."""
    lines = before.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Where(str(path), len(lines), len(lines[-1]) + 1)
