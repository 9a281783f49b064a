"""The files of TypeScript that belong together: each is read once, and knows where its imports lead."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from audition.documents.files import read_text
from audition.documents.json import read_json
from audition.documents.located import LocatedDict, LocatedList
from audition.errors import Fault, Where
from audition.formats._ts_module import Module
from audition.formats._ts_parsing import MAX_BYTES, Source
from audition.formats._ts_resolving import ReadObject, Resolver
from audition.formats._ts_values import JsList, JsObject, is_number, number

BOTPRESS = frozenset({"@botpress/evals", "@botpress/adk", "@botpress/runtime"})
"""The packages that offer `Eval`. Source: Botpress eval format; its older spellings."""

NOT_TYPESCRIPT = "not TypeScript: "
"""How the fault of a text that cannot be parsed begins."""

_MAX_SPENT = 500_000
"""The most values and pieces of text that reading one file may make: constants can be spread into constants."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file cannot be read without running it. `final`: running it would be of no use either."""

    fault: Fault
    final: bool = False


class UnreadableError(Exception):
    """A value cannot be read; the workspace knows why."""


class Workspace:
    """Files and the problems of the one that is being read. `shown` says what a file is called, by its real path.

    `texts`: the texts of all files that there are, by their paths; None: those on disk.
    """

    def __init__(
        self, shown: Mapping[str, str], read_config: ReadObject, texts: Mapping[str, str] | None = None
    ) -> None:
        self.problems: dict[Problem, None] = {}
        self.under_way: list[str] = []
        self.depth = 0
        self._spent = 0
        self._shown, self._texts = dict(shown), texts
        self._modules: dict[str, Module | Problem] = {}
        self._documents: dict[str, tuple[object, tuple[Problem, ...]]] = {}
        self._resolver = Resolver(read_config)

    def begin(self) -> None:
        """Begin with another file."""
        self.problems, self.under_way, self.depth, self._spent = {}, [], 0, 0

    def spend(self, count: int) -> bool:
        """Count values that are made; tell whether there are not too many yet."""
        self._spent += count
        return self._spent <= _MAX_SPENT

    def shown(self, path: str) -> str:
        """Return what a file is called in messages."""
        if path not in self._shown:
            here = Path.cwd()
            inside = Path(path).is_relative_to(here)
            self._shown[path] = str(Path(path).relative_to(here)) if inside else path
        return self._shown[path]

    def resolve(self, source: str, importer: str) -> str | None:
        """Return the real path of the file that `source` names in the file `importer`, or None."""
        return self._resolver.resolve(source, importer) if self._texts is None else None

    def module(self, path: str) -> Module | Problem:
        """Return a file by its real path, or why it cannot be read."""
        if path not in self._modules:
            self._modules[path] = self._load(path)
        return self._modules[path]

    def document(self, path: str) -> object:
        """Return what a file of JSON holds; its problems are noted."""
        if path not in self._documents:
            text = read_text(Path(path))
            faults = [Fault(text.message, Where(self.shown(path)), text.hint)] if isinstance(text, Fault) else []
            documents: list[object] = []
            if not isinstance(text, Fault):
                documents, faults = read_json(text, self.shown(path))
            value = _as_javascript(documents[0], path) if documents else None
            self._documents[path] = value, tuple(Problem(fault, final=True) for fault in faults)
        value, problems = self._documents[path]
        self.problems.update(dict.fromkeys(problems))
        if problems:
            raise UnreadableError
        return value

    def _load(self, path: str) -> Module | Problem:
        shown = self.shown(path)
        text = read_text(Path(path)) if self._texts is None else self._texts[path]
        if isinstance(text, Fault):
            where = Where(shown, text.where.line, text.where.column)
            return Problem(Fault(text.message, where, text.hint), final=True)
        if len(text) > MAX_BYTES:
            message = f"the file is too big: {len(text):,} characters, and at most {MAX_BYTES:,} are read"
            return Problem(Fault(message, Where(shown), "split it into several files"), final=True)
        return _parsed(text, path, shown)


def _parsed(text: str, path: str, shown: str) -> Module | Problem:
    source = Source(text)
    error = source.error()
    if error is None:
        return Module(path, source)
    where = Where(shown, *source.mark(error))
    problem = f"{error.type!r} is missing" if error.is_missing else f"{source.shown(error)} is not expected"
    return Problem(Fault(f"{NOT_TYPESCRIPT}{problem}", where, "look for a bracket, a quote or a comma before it"))


def _as_javascript(value: object, home: str) -> object:
    """Return what a JSON file holds as its importer sees it: numbers are doubles."""
    if isinstance(value, LocatedDict):
        found = JsObject(value.mark, home)
        found.update((key, _as_javascript(item, home)) for key, item in value.items())
        found.marks = value.marks
        return found
    if isinstance(value, LocatedList):
        items = JsList(value.mark, home)
        items.extend(_as_javascript(item, home) for item in value)
        items.marks = value.marks
        return items
    return number(value) if is_number(value) and isinstance(value, int | float) else value
