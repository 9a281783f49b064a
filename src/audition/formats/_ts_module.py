"""A TypeScript file as it is written: what it imports, what it names, what it exports. Nothing is evaluated here."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from audition.documents.located import Mark
from audition.formats._ts_parsing import Node, Source, children, walk
from audition.formats._ts_values import unescaped

Kind = Literal["value", "enum", "function", "class", "import", "pattern", "namespace"]

FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "generator_function", "function_declaration", "method_definition",
     "generator_function_declaration"}
)  # fmt: skip
"""Nodes whose inside runs only when somebody calls it."""

_CALLS = frozenset(
    {"call_expression", "new_expression", "assignment_expression", "augmented_assignment_expression",
     "update_expression", "await_expression", "yield_expression", "decorator"}
)  # fmt: skip
_DECLARATIONS = frozenset({"lexical_declaration", "variable_declaration"})
_CLASSES = frozenset({"class_declaration", "abstract_class_declaration"})
_TYPES_ONLY = frozenset(
    {"interface_declaration", "type_alias_declaration", "ambient_declaration", "function_signature", "comment",
     "empty_statement", "hash_bang_line"}
)  # fmt: skip
_NAMES = frozenset({"identifier", "shorthand_property_identifier"})
_TYPES = frozenset({"nested_type_identifier", "type_query"})
_HARMLESS_CALLS = frozenset({"Object.freeze", "String.raw"})


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name of a file stands for.

    `node` is what makes the value. For an import, `source` is where from, and `imported` the name there: `*` is all
    of it.
    """

    kind: Kind
    node: Node
    source: str = ""
    imported: str = ""


@dataclass(frozen=True, slots=True)
class Export:
    """One thing a file offers under `name` (`*`: all that `source` offers).

    It is the value of `value`, or the local name `local`, or what `source` offers as `local`.
    """

    name: str
    node: Node
    value: Node | None = None
    local: str = ""
    source: str = ""


@dataclass(slots=True)
class Module:
    """A file as it is written. `statements` are those that run code, which only an engine can do."""

    path: str
    source: Source
    bindings: dict[str, Binding] = field(default_factory=dict)
    exports: list[Export] = field(default_factory=list)
    statements: list[Node] = field(default_factory=list)
    imports: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        for statement in self.source.root.children:
            self._statement(statement)

    def mark(self, node: Node) -> Mark:
        """Return where a node begins."""
        return self.source.mark(node)

    def sources(self) -> list[str]:
        """Return where the file imports from, types left out."""
        found = [self._source_of(node) for node in self.imports if not _is_type(node)]
        return [*filter(None, found), *self._dynamic_imports()]

    def without_unused_imports(self) -> str:
        """Return the text without the imports that nothing in the file uses as a value: most of them are types.

        Source: TypeScript, import elision. Lines and columns stay as they are.
        """
        content = bytearray(self.source.content)
        used = self._used_names()
        for statement in self.imports:
            if statement.type != "import_statement" or not (names := list(_imported_names(statement))):
                continue
            unused = [node for node, name in names if not used[self._text(name)]]
            for node in [statement] if len(unused) == len(names) else unused:
                end = node.end_byte
                if node is not statement:
                    after = node.next_sibling
                    end = after.end_byte if after is not None and after.type == "," else end
                kept = content[node.start_byte : end].count(b"\n")
                blank = b"\n" * kept + b" " * (end - node.start_byte - kept)
                content[node.start_byte : end] = blank
        return content.decode("utf-8", "replace")

    def runs_code(self, node: Node) -> Node | None:
        """Return the first part of an expression or a class that runs code when the file is loaded, or None."""
        for part in walk(node, around=FUNCTIONS):
            if part.type in _CALLS and not self._is_harmless(part):
                return part
            if part.type == "unary_expression" and part.children[0].type == "delete":
                return part
        return None

    def _is_harmless(self, node: Node) -> bool:
        if node.type == "new_expression":
            constructor = node.child_by_field_name("constructor")
            return constructor is not None and self._text(constructor).rpartition(".")[2] == "Eval"
        function = node.child_by_field_name("function")
        return node.type == "call_expression" and function is not None and self._text(function) in _HARMLESS_CALLS

    def _statement(self, node: Node) -> None:
        if node.type == "import_statement":
            self._import(node)
        elif node.type == "export_statement":
            self._export(node)
        elif not self._declares(node, exported=None):
            inner = node.named_children[0].type if node.named_child_count else ""
            if node.type != "expression_statement" or inner != "string":
                self.statements.append(node)

    def _declares(self, node: Node, *, exported: Node | None) -> bool:
        """Note the names a declaration makes; tell whether it is one."""
        if node.type in _DECLARATIONS:
            for declarator in node.named_children:
                if declarator.type == "variable_declarator":
                    self._declarator(declarator, exported)
            return True
        kind: Kind | None = "enum" if node.type == "enum_declaration" else None
        kind = "function" if node.type in FUNCTIONS else "class" if node.type in _CLASSES else kind
        name = node.child_by_field_name("name")
        if kind is not None and name is not None:
            self._bind(self._text(name), Binding(kind, node), exported)
            return True
        inner = node.named_children[0] if node.named_child_count else node
        if node.type == "expression_statement" and inner.type == "internal_module":
            name = inner.child_by_field_name("name")
            self._bind(self._text(name or inner), Binding("namespace", inner), exported)
            return False
        return node.type in _TYPES_ONLY

    def _declarator(self, node: Node, exported: Node | None) -> None:
        name = node.child_by_field_name("name")
        assert name is not None  # the grammar asks for it
        if name.type == "identifier":
            self._bind(self._text(name), Binding("value", node), exported)
            return
        for part in walk(name):
            if part.type in ("identifier", "shorthand_property_identifier_pattern"):
                self._bind(self._text(part), Binding("pattern", node), exported)

    def _bind(self, name: str, binding: Binding, exported: Node | None) -> None:
        again = self.bindings.get(name)
        if again is not None and not (again.kind == binding.kind == "function"):
            binding = Binding("namespace", binding.node)  # enums and namespaces of one name are merged by an engine
        self.bindings[name] = binding
        if exported is not None:
            self.exports.append(Export(name, exported, local=name))

    def _import(self, node: Node) -> None:
        self.imports.append(node)
        source = self._source_of(node)
        if source is None:  # import x = require('./x')
            clause = node.named_children[0]
            self.statements.append(node)
            self.bindings[self._text(clause.named_children[0])] = Binding("namespace", node)
            return
        if _is_type(node):
            return
        for specifier, name in _imported_names(node):
            imported = "default" if specifier.type == "identifier" else "*"
            if specifier.type == "import_specifier":
                imported = self._name_of(specifier.child_by_field_name("name"))
            self.bindings[self._text(name)] = Binding("import", node, source, imported)

    def _export(self, node: Node) -> None:
        kinds = [child.type for child in node.children]
        if "type" in kinds:
            return
        source = self._source_of(node)
        if source is not None:
            self.imports.append(node)
        declaration, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
        if "default" in kinds:
            self._export_default(node, declaration, value)
        elif declaration is not None:
            if not self._declares(declaration, exported=node):
                self.statements.append(node)
        elif "*" in kinds and source is not None:
            self.exports.append(Export("*", node, source=source))
        elif clause := next((child for child in node.named_children if child.type != "string"), None):
            self._export_clause(node, clause, source or "")
        else:
            self.statements.append(node)

    def _export_default(self, node: Node, declaration: Node | None, value: Node | None) -> None:
        if value is not None:
            self.exports.append(Export("default", node, value=value))
        elif declaration is not None and declaration.type not in _TYPES_ONLY:
            self._declares(declaration, exported=None)
            self.exports.append(Export("default", node, value=declaration))

    def _export_clause(self, node: Node, clause: Node, source: str) -> None:
        if clause.type == "namespace_export":
            self.exports.append(Export(self._name_of(clause.named_children[0]), node, local="*", source=source))
        elif clause.type == "export_clause":
            for specifier in clause.named_children:
                if specifier.type == "export_specifier" and not _is_type(specifier):
                    name = specifier.child_by_field_name("name")
                    alias = specifier.child_by_field_name("alias") or name
                    export = Export(self._name_of(alias), specifier, local=self._name_of(name), source=source)
                    self.exports.append(export)
        else:
            self.statements.append(node)  # export = x

    def _source_of(self, node: Node) -> str | None:
        source = node.child_by_field_name("source")
        return None if source is None else unescaped(self._text(source)[1:-1])

    def _name_of(self, node: Node | None) -> str:
        text = "" if node is None else self._text(node)
        return (unescaped(text[1:-1]) or "") if text[:1] in ("'", '"') else text

    def _text(self, node: Node) -> str:
        return self.source.text(node)

    def _used_names(self) -> Counter[str]:
        used: Counter[str] = Counter()
        for statement in self.source.root.children:
            if statement.type != "import_statement":
                used.update(self._text(part) for part in walk(statement, around=_TYPES) if part.type in _NAMES)
        return used

    def _dynamic_imports(self) -> list[str]:
        found = []
        for node in walk(self.source.root):
            function = node.child_by_field_name("function") if node.type == "call_expression" else None
            if function is not None and function.type == "import":
                given = node.child_by_field_name("arguments")
                parts = [] if given is None else children(given)
                if parts and parts[0].type == "string":
                    found.append(self._name_of(parts[0]))
        return found


def _imported_names(statement: Node) -> list[tuple[Node, Node]]:
    """Return what an import statement brings: each part with the local name it gets. Types are left out."""
    clause = next((child for child in statement.named_children if child.type == "import_clause"), None)
    found: list[tuple[Node, Node]] = []
    for part in clause.named_children if clause is not None else ():
        if part.type == "identifier":
            found.append((part, part))
        elif part.type == "namespace_import":
            found.append((part, part.named_children[-1]))
        for specifier in part.named_children if part.type == "named_imports" else ():
            name = specifier.child_by_field_name("alias") or specifier.child_by_field_name("name")
            if specifier.type == "import_specifier" and name is not None and not _is_type(specifier):
                found.append((specifier, name))
    return found


def _is_type(node: Node) -> bool:
    """Tell whether an import, an export or a part of one says `type`."""
    return any(child.type in ("type", "typeof") for child in node.children)
