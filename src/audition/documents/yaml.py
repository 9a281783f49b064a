"""YAML 1.2 (core schema) to documents that remember their places, straight from the C parser's events; and back.

Composing nodes first, as PyYAML's own loaders do, takes four times the time and memory.
"""

import re
from collections.abc import Callable
from math import isfinite
from sys import intern
from typing import Any, Final

import yaml

from audition.documents.located import LocatedDict, LocatedList, Mark
from audition.errors import Fault, Where
from audition.text import shorten

MAX_DEPTH = 50
"""The deepest nesting of lists and mappings that is read, aliases included."""

MAX_ALIASES = 1_000
"""The most aliases (`*name`) one file may use."""

MAX_ALIASED_NODES = 100_000
"""The most values that all aliases of a file may stand for: an alias bomb passes it early."""

MAX_VALUES = 500_000
"""The most values one file may hold, keys and what aliases stand for included: about a second of reading."""

MAX_DIGITS = 400
"""The longest number that is read, in characters."""

_LOADER = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader

_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NUMBER_BEGINS = frozenset("+-.0123456789")

_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS = {"null": type(None), "bool": bool, "int": int, "float": float}

_IGNORED: Final = object()
"""Stands in for a key that was refused: its value is read and dropped."""

_MERGE: Final = object()
"""Stands in for the key `<<`."""

_HINTS = (
    ("mapping values are not allowed", "put a text that holds ': ' in quotes, and check the indentation"),
    ("found character '\\t'", "YAML is indented with spaces, not with tabs"),
    ("cannot start any token", "indent with spaces, not tabs; put a text that begins with @, ` or % in quotes"),
    ("did not find expected key", "check the indentation, and the quotes of the lines above"),
    ("expected ',' or ']'", "a list that begins with '[' must end with ']'"),
    ("expected ',' or '}'", "a mapping that begins with '{' must end with '}'"),
    ("could not find expected ':'", "a key needs ': ' and a value; text of several lines needs '|' or quotes"),
    ("unknown escape character", "write \\\\ for a backslash, or use single quotes"),
    ("unexpected end of stream", "a quote is opened and not closed"),
)
"""What usually lies behind the parser's words, and what to do."""


class _StopReadingError(Exception):
    """The rest of the file cannot be read, or is not worth it."""


def read_yaml(text: str, path: str) -> tuple[list[object], list[Fault]]:
    """Return the documents in a YAML text, and everything that is wrong with it.

    Unlike YAML 1.1, `NO`, `yes`, `017`, `12:30:00` and dates are texts. Not taken: duplicate keys, keys that are no
    texts, tags other than the core ones, `.nan` and `.inf`, and what passes the limits above. Merge keys (`<<`) are.
    """
    builder = _Builder(path)
    takers = builder.takers
    try:
        next_event = _LOADER(text).get_event
        while (event := next_event()) is not None:
            if (take := takers.get(type(event))) is not None:
                take(event)
    except _StopReadingError:
        pass
    except yaml.MarkedYAMLError as error:
        builder.faults.append(_syntax_fault(error, path))
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        builder.faults.append(_character_fault(error, text, path))
    return builder.documents, builder.faults


def write_yaml(value: object) -> str:
    """Return plain data (dicts, lists, texts, numbers, true, false, None) as one YAML document in block style.

    Texts that some reader, of YAML 1.1 or 1.2, would take for something else are quoted.
    """
    return yaml.dump(value, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=10**6)


class _Writer(yaml.SafeDumper):
    """Writes each value where it stands: an alias would have to be understood by the reader."""

    def ignore_aliases(self, _data: object) -> bool:
        return True


def _represent_text(writer: _Writer, text: str) -> yaml.ScalarNode:
    style = None
    if _ODD_CHARACTER.search(text):
        style = '"'
    elif "\n" in text:
        style = "|"
    elif text[:1] in _NUMBER_BEGINS:
        style = "'"
    return writer.represent_scalar(_CORE + "str", text, style=style)


_ODD_CHARACTER = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]")
"""What quotes and blocks do not keep as it is: controls, and line ends beside the line feed."""

_Writer.add_representer(str, _represent_text)


class _Builder:
    """Turns events into documents: `takers` says which method goes on by an event of which type.

    The container being filled is `_here`, those around it are on `_around`.
    """

    def __init__(self, path: str) -> None:
        self.documents: list[object] = []
        self.faults: list[Fault] = []
        self._path = path
        self._here: LocatedDict | LocatedList | None = None
        self._key: object = None
        self._around: list[tuple[LocatedDict | LocatedList | None, object, str | None]] = []
        self._merges: list[tuple[LocatedDict, object, Mark]] = []
        self._anchors: dict[str, _Anchored] = {}
        self._open_anchors: list[tuple[str, int, int]] = []
        self._nodes = self._deepest = self._aliases = self._aliased_nodes = 0
        self.takers: dict[type[yaml.Event], Callable[[Any], None]] = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._mapping,
            yaml.SequenceStartEvent: self._sequence,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document,
        }

    def _document(self, _event: yaml.Event) -> None:
        self._anchors = {}

    def _scalar(self, event: yaml.ScalarEvent) -> None:
        mark = _mark(event)
        text: str = event.value
        value: object = text
        if event.tag is not None:
            value = self._tagged(text, event.tag, mark)
        elif event.implicit[0]:
            if self._key is None and text == "<<" and type(self._here) is LocatedDict:
                self._merge_key(mark)
                return
            value = self._plain(text, mark)
        self._count(mark)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, 1, 0)
        self._place(value, mark)

    def _plain(self, text: str, mark: Mark) -> object:
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMBER_BEGINS:
            return text
        if _INTEGER.fullmatch(text):
            if len(text) <= MAX_DIGITS:
                return int(text, 0)
        elif _NOT_FINITE.fullmatch(text) or (_FLOAT.fullmatch(text) and not isfinite(float(text))):
            self._fault(f"{shorten(text, 40)} is not a number that JSON can hold", mark)
            return 0
        elif _FLOAT.fullmatch(text):
            return float(text)
        else:
            return text
        self._fault(f"a number of {len(text):,} digits is too long", mark, "put it in quotes")
        return 0

    def _tagged(self, text: str, tag: str, mark: Mark) -> object:
        name = tag.removeprefix(_CORE)
        if name in ("str", "!"):
            return text
        if name not in _SCALAR_TAGS:
            self._refuse_tag(tag, mark)
            return text
        value = self._plain(text, mark)
        if name == "float" and type(value) is int:
            return float(value)
        if type(value) is not _SCALAR_TAGS[name]:
            self._fault(f"{shorten(text, 40)!r} is no {name}, as its tag !!{name} says", mark)
        return value

    def _mapping(self, event: yaml.MappingStartEvent) -> None:
        self._open(LocatedDict(_mark(event)), event, "map")

    def _sequence(self, event: yaml.SequenceStartEvent) -> None:
        self._open(LocatedList(_mark(event)), event, "seq")

    def _open(self, container: LocatedDict | LocatedList, event: yaml.CollectionStartEvent, kind: str) -> None:
        if event.tag is not None and event.tag not in ("!", _CORE + kind):
            self._refuse_tag(event.tag, container.mark)
        self._around.append((self._here, self._key, event.anchor))
        depth = len(self._around)
        if depth > MAX_DEPTH:
            self._stop(f"nested more than {MAX_DEPTH} levels deep", container.mark)
        self._count(container.mark)
        if event.anchor is not None:
            self._open_anchors.append((event.anchor, self._nodes, self._deepest))
            self._deepest = depth
        elif depth > self._deepest:
            self._deepest = depth
        self._here, self._key = container, None

    def _end(self, _event: yaml.Event) -> None:
        done = self._here
        assert done is not None  # the parser pairs every end with a start
        if self._merges and self._merges[-1][0] is done:
            self._apply_merge()
        self._here, self._key, anchor = self._around.pop()
        if anchor is not None:
            _, nodes_before, deepest_before = self._open_anchors.pop()
            height = self._deepest - len(self._around)
            self._anchors[anchor] = _Anchored(done, self._nodes - nodes_before + 1, height)
            self._deepest = max(self._deepest, deepest_before)
        self._place(done, done.mark)

    def _alias(self, event: yaml.AliasEvent) -> None:
        mark = _mark(event)
        name = event.anchor
        if any(name == opened for opened, _, _ in self._open_anchors):
            self._stop(f"the alias *{name} stands inside what it names", mark)
        if name not in self._anchors:
            self._fault(f"the alias *{name} names nothing: there is no &{name} before it", mark)
            self._place(None, mark)
            return
        anchored = self._anchors[name]
        self._aliases += 1
        self._aliased_nodes += anchored.nodes
        self._nodes += anchored.nodes
        self._deepest = max(self._deepest, len(self._around) + anchored.height)
        if self._aliases > MAX_ALIASES:
            self._stop(f"more than {MAX_ALIASES} aliases", mark, "write the values out, or split the file")
        if self._aliased_nodes > MAX_ALIASED_NODES:
            self._stop(f"the aliases stand for more than {MAX_ALIASED_NODES:,} values", mark)
        if len(self._around) + anchored.height > MAX_DEPTH:
            self._stop(f"nested more than {MAX_DEPTH} levels deep", mark)
        self._place(anchored.value, mark)

    def _count(self, mark: Mark) -> None:
        self._nodes += 1
        if self._nodes > MAX_VALUES:
            self._stop(f"the file holds more than {MAX_VALUES:,} values", mark, "split it into several files")

    def _place(self, value: object, mark: Mark) -> None:
        """Put a finished value where it belongs; in a mapping that awaits a key, it is the key."""
        here = self._here
        if type(here) is LocatedDict:
            key = self._key
            if key is None:
                self._take_key(here, value, mark)
                return
            self._key = None
            if key is _MERGE:
                self._merges.append((here, value, mark))
            elif key is not _IGNORED:
                here[key] = value  # type: ignore[index]  # a key that is no sentinel is a text
        elif type(here) is LocatedList:
            here.append(value)
            here.marks.append(mark)
        else:
            self.documents.append(value)

    def _take_key(self, here: LocatedDict, value: object, mark: Mark) -> None:
        if not isinstance(value, str):
            written = "null" if value is None else repr(value).lower()
            shown = "a key" if isinstance(value, LocatedDict | LocatedList) else f"the key {written}"
            self._fault(f"{shown} must be a text", mark, "put it in quotes")
            self._key = _IGNORED
        elif value in here.marks:
            line, column = here.marks[value]
            self._fault(f"the key {shorten(value, 60)!r} is given twice, first at {line}:{column}", mark)
            self._key = _IGNORED
        else:
            key = intern(value)
            here.marks[key] = mark
            self._key = key

    def _merge_key(self, mark: Mark) -> None:
        twice = bool(self._merges) and self._merges[-1][0] is self._here
        if twice:
            self._fault("the merge key '<<' is given twice", mark, "merge several mappings as one list: <<: [*a, *b]")
        self._key = _IGNORED if twice else _MERGE

    def _apply_merge(self) -> None:
        """Add what is merged into a finished mapping; keys written out win, and so does the first of several."""
        target, merged, mark = self._merges.pop()
        for source in merged if isinstance(merged, LocatedList) else [merged]:
            if not isinstance(source, LocatedDict):
                self._fault("only mappings can be merged with '<<'", mark)
                continue
            for key, value in source.items():
                if key not in target:
                    target[key] = value
                    target.marks[key] = source.marks[key]

    def _refuse_tag(self, tag: str, mark: Mark) -> None:
        shown = "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
        hint = "leave it out: texts, numbers, true, false, null, lists and mappings are all there is"
        self._fault(f"the tag {shorten(shown, 60)} is not allowed", mark, hint)

    def _fault(self, message: str, mark: Mark, hint: str | None = None) -> None:
        self.faults.append(Fault(message, Where(self._path, *mark), hint))

    def _stop(self, message: str, mark: Mark, hint: str | None = None) -> None:
        self._fault(message, mark, hint)
        raise _StopReadingError


class _Anchored:
    """What an anchor names: the value, how many values it holds with itself, and how many levels it is high."""

    __slots__ = ("height", "nodes", "value")

    def __init__(self, value: object, nodes: int, height: int) -> None:
        self.value, self.nodes, self.height = value, nodes, height


def _mark(event: yaml.Event) -> Mark:
    start = event.start_mark
    assert start is not None  # the parser marks every event
    return start.line + 1, start.column + 1


def _syntax_fault(error: yaml.MarkedYAMLError, path: str) -> Fault:
    mark = error.problem_mark or error.context_mark
    where = Where(path, mark.line + 1, mark.column + 1) if mark else Where(path)
    problem = error.problem or error.context or "this cannot be read"
    if "maximum nesting depth" in problem:
        return Fault(f"nested more than {MAX_DEPTH} levels deep", where)
    message = f"not YAML: {problem}"
    if error.context and error.context_mark and error.context != problem:
        message += f" ({error.context} that begins on line {error.context_mark.line + 1})"
    hint = next((hint for words, hint in _HINTS if words in problem), None)
    return Fault(message, where, hint)


def _character_fault(error: Exception, text: str, path: str) -> Fault:
    """Return the fault of a character that YAML does not allow, with its place."""
    position = 0
    if isinstance(error, UnicodeEncodeError):
        position = error.start
    elif isinstance(error, yaml.reader.ReaderError) and isinstance(error.position, int):
        position = len(text.encode()[: error.position].decode("utf-8", "ignore"))
    before = text[:position].split("\n")
    character = text[position : position + 1]
    message = f"not YAML: the character {character!r} is not allowed"
    return Fault(message, Where(path, len(before), len(before[-1]) + 1), "write it as an escape in double quotes")
