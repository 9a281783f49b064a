"""TypeScript read without running it: constants, literals and what is made of them. Everything else is refused.

What JavaScript would make of the same text, where it is read at all, is made of it here too; a test compares the two.
An import that no value needs is not looked at, and what stands inside functions is not either.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from audition.documents.files import read_text
from audition.documents.located import Mark
from audition.errors import Fault, Where
from audition.formats._ts_evaluating import WRAPPERS, Evaluator
from audition.formats._ts_module import Binding, Export, Module
from audition.formats._ts_parsing import Node, Source, children
from audition.formats._ts_values import CLASS, EVAL_CLASS, FUNCTION, HOLE, UNDEFINED, JsObject, Namespace
from audition.formats._ts_workspace import BOTPRESS, Problem, UnreadableError, Workspace

_GLOBALS = {"NaN": float("nan"), "Infinity": float("inf")}
_MOST_STEPS = 10
_TOO_DEEP = "nested too deep to be read"


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that a file exports: its value (a hole when it cannot be read), and where the export stands."""

    name: str
    value: object
    mark: Mark


@dataclass(frozen=True, slots=True)
class Read:
    """What a file exports, in the order of the text, and why it cannot be read without running it, if so."""

    offers: tuple[Offer, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_blank: bool = False


class StaticReader:
    """Reads files of TypeScript that may import each other. `shown` says what a file is called, by its real path.

    `texts`: the texts of all files that there are, by their paths; None: those on disk.
    """

    def __init__(self, shown: Mapping[str, str], texts: Mapping[str, str] | None = None) -> None:
        self.workspace = Workspace(shown, _read_config, texts)
        self._files: dict[str, _File] = {}

    def read(self, path: str) -> Read:
        """Return what the file of a real path exports. Never raises on what files hold."""
        self.workspace.begin()
        offers: list[Offer] = []
        blank = False
        try:
            file = self._file(path)
            if file is not None:
                blank = not any(child.type != "comment" for child in file.module.source.root.children)
                offers = file.offers()
                for used in (file, *(self._files[other] for other in file.reached)):
                    used.note_code()
        except RecursionError:
            self.workspace.problems[Problem(Fault(_TOO_DEEP, Where(self.workspace.shown(path))), final=True)] = None
        return Read(tuple(offers), tuple(self.workspace.problems), blank)

    def read_entry(self, path: str, *, maker: str, key: str) -> tuple[Offer | None, tuple[Problem, ...]]:
        """Return one entry of the object that a file exports by default, as `maker({key: ...})` or by itself.

        None when the object has no such entry. What else is in the file may be anything.
        """
        self.workspace.begin()
        found = None
        try:
            file = self._file(path)
            found = file.entry(maker, key) if file is not None else None
        except UnreadableError:
            pass
        except RecursionError:
            self.workspace.problems[Problem(Fault(_TOO_DEEP, Where(self.workspace.shown(path))), final=True)] = None
        return found, tuple(self.workspace.problems)

    def file(self, path: str) -> "_File":
        """Return the file of a real path.

        Raises: UnreadableError when it cannot be read, after the reason has been noted.
        """
        found = self._file(path)
        if found is None:
            raise UnreadableError
        return found

    def _file(self, path: str) -> "_File | None":
        if path not in self._files:
            module = self.workspace.module(path)
            if isinstance(module, Problem):
                self.workspace.problems[module] = None
                return None
            self._files[path] = _File(module, self)
        return self._files[path]


class _File:
    """One file with the values of its names, each made when it is first asked for. `reached`: files it took from."""

    def __init__(self, module: Module, reader: StaticReader) -> None:
        self.module, self.reached = module, dict[str, None]()
        self._reader, self._workspace = reader, reader.workspace
        self._known: dict[str, tuple[object, tuple[Problem, ...]]] = {}
        self._evaluator = Evaluator(module.source, module.path, reader.workspace, self._lookup, self.member)
        self._code: list[tuple[str | None, Node]] | None = None

    def offers(self) -> list[Offer]:
        """Return what the file exports, in the order of the text."""
        found: dict[str, Offer] = {}
        own = {export.name for export in self.module.exports}
        for export in self.module.exports:
            mark = self.module.mark(export.node)
            if export.name != "*":
                found[export.name] = Offer(export.name, self._part(export), mark)
                continue
            for name in self._names_behind(export):
                if name in found and name not in own:
                    self._evaluator.note(mark, f"two files export the name {name!r} from here", final=False)
                if name not in own:
                    found[name] = Offer(name, self._part(export, name), mark)
        return list(found.values())

    def names(self) -> list[str]:
        """Return the names that the file exports, but for the default."""
        found: dict[str, None] = {}
        for export in self.module.exports:
            names = self._names_behind(export) if export.name == "*" else [export.name]
            found.update(dict.fromkeys(name for name in names if name != "default"))
        return list(found)

    def value(self, name: str) -> object:
        """Return what the file exports under a name.

        Raises: UnreadableError when it cannot be read, and KeyError when there is no such export.
        """
        stars = []
        for export in self.module.exports:
            if export.name == name:
                return self._exported(export)
            if export.name == "*":
                stars.append(export)
        for export in stars if name != "default" else ():
            if name in self._names_behind(export):
                return self._exported(export, name)
        raise KeyError(name)

    def entry(self, maker: str, key: str) -> Offer | None:
        """Return one entry of the object that the file exports by default, or None; see `read_entry`.

        Raises: UnreadableError when it cannot be read.
        """
        export = next((export for export in self.module.exports if export.name == "default"), None)
        if export is None:
            return None
        node = self._written(export.value or export.node, maker)
        if node.type != "object":
            self._evaluator.refuse_code(node)
        for part in reversed(children(node)):
            value: object = HOLE
            named = part.child_by_field_name("key") or part
            if part.type == "pair" and self._evaluator.key(named) == key:
                value = self._evaluator.initial(part.child_by_field_name("value") or part)
            elif part.type == "shorthand_property_identifier" and self._evaluator.text(part) == key:
                value = self._evaluator.named(part)
            elif part.type == "spread_element":
                spread = self._evaluator.initial(children(part)[0])
                value = spread.get(key, HOLE) if isinstance(spread, JsObject) else HOLE
            if value is not HOLE:
                return Offer(key, value, self.module.mark(named))
        return None

    def _written(self, node: Node, maker: str) -> Node:
        """Return the expression that a name, a wrapping in types or a call of `maker` leads to."""
        for _ in range(_MOST_STEPS):
            function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
            binding = self.module.bindings.get(self._evaluator.text(node)) if node.type == "identifier" else None
            if binding is not None and binding.kind == "value":
                node = binding.node.child_by_field_name("value") or binding.node
            elif node.type in WRAPPERS:
                node = children(node)[0]
            elif function is not None and given is not None and self._evaluator.text(function) == maker:
                node = next(iter(children(given)), given)
            else:
                break
        return node

    def note_code(self) -> None:
        """Note the parts of the file that run code when it is loaded: they may change any value."""
        if self._code is None:
            self._code = [(None, node) for node in self.module.statements]
            for name, binding in self.module.bindings.items():
                if binding.kind in ("value", "pattern", "class") and (code := self.module.runs_code(binding.node)):
                    self._code.append((name, code))
        for code_of, node in self._code:
            if code_of not in self._known:  # what was evaluated has been seen to be harmless, or refused
                try:
                    self._evaluator.refuse_code(node)
                except UnreadableError:
                    continue

    def member(self, node: Node, namespace: Namespace, name: str) -> object:
        """Return what a namespace, `import * as namespace`, offers under a name."""
        if not namespace.path:
            return self._from_botpress(node, name)
        return self._from_file(node, namespace.path, name)

    def _part(self, export: Export, name: str | None = None) -> object:
        try:
            return self._exported(export, name)
        except UnreadableError:
            return HOLE

    def _exported(self, export: Export, name: str | None = None) -> object:
        if export.value is not None:
            if export.value.type.endswith("class_declaration"):
                return CLASS
            key = f"export {export.name}"
            return self._remembered(key, lambda: self._evaluator.initial(export.value))  # type: ignore[arg-type]  # not None
        if export.source:
            return self._imported(export.node, export.source, name or export.local)
        return self._named(export.node, export.local)

    def _lookup(self, node: Node, name: str) -> object:
        binding = self.module.bindings.get(name)
        if binding is None:
            if name in _GLOBALS:
                return _GLOBALS[name]
            if name == "Eval":
                hint = "write import { Eval } from '@botpress/evals'"
                self._evaluator.refuse(node, "'Eval' is not imported", hint, final=True)
            self._evaluator.refuse(node, f"what {name!r} stands for is not known without running the file")
        hoisted = binding.kind in ("import", "function")
        if not hoisted and binding.node.end_byte > node.start_byte:
            self._evaluator.refuse(node, f"{name!r} is used before it has its value", final=True)
        return self._named(node, name)

    def _named(self, node: Node, name: str) -> object:
        binding = self.module.bindings.get(name)
        if binding is None:
            self._evaluator.refuse(node, f"there is no {name!r} in this file", final=True)
        if binding.kind == "import":
            return self._imported(node, binding.source, binding.imported)
        return self._remembered(name, lambda: self._bound(name, binding))

    def _bound(self, name: str, binding: Binding) -> object:
        if binding.kind in ("function", "class"):
            return FUNCTION if binding.kind == "function" else CLASS
        if binding.kind == "enum":
            return self._evaluator.enum(binding.node)
        if binding.kind == "value":
            value = binding.node.child_by_field_name("value")
            return UNDEFINED if value is None else self._evaluator.initial(value)
        how = "taking a value apart" if binding.kind == "pattern" else "this declaration"
        return self._evaluator.refuse(binding.node, f"what {how} gives {name!r} is not known without running the file")

    def _remembered(self, key: str, make: Callable[[], object]) -> object:
        """Return a value that is made once; its problems are noted again wherever it is used."""
        workspace = self._workspace
        if key not in self._known:
            outer, workspace.problems = workspace.problems, {}
            try:
                value = make()
            except UnreadableError:
                value = HOLE
            finally:
                inner, workspace.problems = workspace.problems, outer
            self._known[key] = value, tuple(inner)
        value, problems = self._known[key]
        workspace.problems.update(dict.fromkeys(problems))
        if value is HOLE:
            raise UnreadableError
        return value

    def _imported(self, node: Node, source: str, name: str) -> object:
        if source in BOTPRESS:
            return Namespace("") if name == "*" else self._from_botpress(node, name)
        path = self._workspace.resolve(source, self.module.path)
        if path is None:
            self._not_found(node, source)
        if name == "*" and not path.endswith(".json"):
            return Namespace(path)
        return self._from_file(node, path, name)

    def _not_found(self, node: Node, source: str) -> NoReturn:
        if source.startswith((".", "/")):
            self._evaluator.refuse(node, f"there is no file {source!r} to import from", final=True)
        self._evaluator.refuse(node, f"the package {source!r} is not read without running the file")

    def _from_botpress(self, node: Node, name: str) -> object:
        if name == "Eval":
            return EVAL_CLASS
        return self._evaluator.refuse(
            node, f"what Botpress offers as {name!r} is no eval and no part of one", final=True
        )

    def _from_file(self, node: Node, path: str, name: str) -> object:
        if path.endswith(".json"):
            return self._from_json(node, path, name)
        if path in self._workspace.under_way or path == self.module.path:
            self._evaluator.refuse(node, "the files import each other in a circle")
        file = self._reader.file(path)
        self._workspace.under_way.append(self.module.path)
        try:
            return file.value(name)
        except KeyError:
            self._evaluator.refuse(node, f"{self._workspace.shown(path)} exports no {name!r}", final=True)
        finally:
            self._workspace.under_way.pop()
            self.reached |= {path: None} | file.reached

    def _from_json(self, node: Node, path: str, name: str) -> object:
        value = self._workspace.document(path)
        if name in ("default", "*"):
            return value
        if isinstance(value, JsObject) and name in value:
            return value[name]
        return self._evaluator.refuse(node, f"{self._workspace.shown(path)} has no {name!r}", final=True)

    def _names_behind(self, export: Export) -> list[str]:
        """Return the names that `export * from` brings."""
        path = self._workspace.resolve(export.source, self.module.path)
        try:
            if path is None or path.endswith(".json"):
                self._not_found(export.node, export.source)
            if path in self._workspace.under_way or path == self.module.path:
                self._evaluator.refuse(export.node, "the files import each other in a circle")
            self._workspace.under_way.append(self.module.path)
            try:
                return [name for name in self._reader.file(path).names() if name != "default"]
            finally:
                self._workspace.under_way.pop()
        except UnreadableError:
            return []


def default_export(text: str, path: str) -> object:
    """Return the default export of a text, holes where it cannot be read; a hole when there is none."""
    reader = StaticReader({})
    source = Source(text)
    if source.error() is not None:
        return HOLE
    try:
        return _File(Module(path, source), reader).value("default")
    except (KeyError, UnreadableError, RecursionError):
        return HOLE


def _read_config(file: str) -> object:
    """Return what a tsconfig.json holds: JSON with comments and trailing commas, which TypeScript reads too."""
    text = read_text(Path(file))
    return HOLE if isinstance(text, Fault) else default_export(f"export default\n{text}", file)
