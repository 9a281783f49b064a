"""Expressions of TypeScript to values, without running anything; what is not known for sure is refused, with its place.

What is refused in an object or a list leaves a hole there, so that one reading finds all that cannot be read.
"""

from collections.abc import Callable
from typing import NoReturn

from audition.documents.located import Mark
from audition.errors import Fault, Where
from audition.formats._ts_containers import array_of, fill_enum, key_of, object_of
from audition.formats._ts_module import FUNCTIONS
from audition.formats._ts_operators import NotReadError, binary, property_of, unary
from audition.formats._ts_parsing import Node, Source, children
from audition.formats._ts_values import (
    CLASS,
    EVAL_CLASS,
    FUNCTION,
    HOLE,
    UNDEFINED,
    JsList,
    JsObject,
    Namespace,
    Opaque,
    Regex,
    Variable,
    is_true,
    joined,
    number_of,
    text_of,
    unescaped,
)
from audition.formats._ts_workspace import Problem, UnreadableError, Workspace

_MAX_DEPTH = 100
"""The deepest nesting of expressions, those of constants that are used included."""

_CODE = "cannot be read without running the file"
_ENV_HINT = "what an eval says must not depend on the machine: give it a fallback, process.env.{} ?? 'text'"
_KINDS = {
    "call_expression": "the call",
    "new_expression": "the new object",
    "await_expression": "the await",
    "assignment_expression": "the assignment",
    "update_expression": "the assignment",
}


WRAPPERS = frozenset({"as_expression", "satisfies_expression", "non_null_expression", "parenthesized_expression"})
"""Nodes whose value is that of the expression in front: what stands beside it is types."""


class Evaluator:
    """Evaluates the expressions of one file. `lookup` says what a name stands for, `member` what a namespace offers."""

    def __init__(
        self,
        source: Source,
        home: str,
        workspace: Workspace,
        lookup: Callable[[Node, str], object],
        member: Callable[[Node, Namespace, str], object],
    ) -> None:
        self._source, self.home, self._workspace = source, home, workspace
        self._lookup, self._member_of_namespace = lookup, member
        self._members: JsObject | None = None
        self._readers: dict[str, Callable[[Node], object]] = {
            "array": lambda node: array_of(node, self), "binary_expression": self._binary,
            "call_expression": self._call, "class": lambda _: CLASS, "false": lambda _: False,
            "identifier": self.named, "member_expression": self._chain, "new_expression": self._new,
            "null": lambda _: None, "number": self._number,
            "object": lambda node: object_of(node, self),
            "regex": self._regex,
            "string": self.string, "subscript_expression": self._chain,
            "template_string": self._template, "ternary_expression": self._ternary, "true": lambda _: True,
            "type_assertion": self._asserted, "unary_expression": self._unary, "undefined": lambda _: UNDEFINED,
        }  # fmt: skip
        self._readers |= dict.fromkeys(WRAPPERS, self._inner)
        self._readers |= dict.fromkeys(FUNCTIONS, lambda _: FUNCTION)

    def evaluate(self, node: Node) -> object:
        """Return the value of an expression.

        Raises: UnreadableError, after the reason has been noted.
        """
        read = self._readers.get(node.type)
        if read is None:
            self.refuse_code(node)
        self._workspace.depth += 1
        try:
            if self._workspace.depth > _MAX_DEPTH:
                self.refuse(node, f"nested more than {_MAX_DEPTH} levels deep", final=True)
            return read(node)
        finally:
            self._workspace.depth -= 1

    def part(self, node: Node) -> object:
        """Return the value of an expression, or a hole when it cannot be read."""
        try:
            return self.evaluate(node)
        except UnreadableError:
            return HOLE

    def refuse(self, node: Node, message: str, hint: str | None = None, *, final: bool = False) -> NoReturn:
        """Note why something cannot be read; `final`: running the file would not help.

        Raises: UnreadableError, always.
        """
        self.note(self.mark(node), message, hint, final=final)
        raise UnreadableError

    def note(self, mark: Mark, message: str, hint: str | None = None, *, final: bool) -> None:
        """Note a problem and go on."""
        fault = Fault(message, Where(self._workspace.shown(self.home), *mark), hint)
        self._workspace.problems[Problem(fault, final)] = None

    def refuse_code(self, node: Node) -> NoReturn:
        """Refuse what only running the file could tell.

        Raises: UnreadableError, always.
        """
        what = _KINDS.get(node.type, "the expression" if node.type.endswith("expression") else "the code")
        self.refuse(node, f"{what} {self._source.shown(node)} {_CODE}")

    def key(self, node: Node) -> str:
        """Return what a key is called.

        Raises: UnreadableError when it cannot be read.
        """
        return key_of(node, self)

    def known(self, node: Node) -> object:
        """Return the value of an expression that something is made of.

        Raises: UnreadableError also when it is known, and nothing can be made of it.
        """
        value = self.evaluate(node)
        if value is HOLE:
            raise UnreadableError
        if isinstance(value, Variable):
            self._refuse_variable(node, value)
        return value

    def mark(self, node: Node) -> Mark:
        """Return where a node begins."""
        return self._source.mark(node)

    def _refuse_variable(self, node: Node, variable: Variable) -> NoReturn:
        message = f"the environment variable {variable.name} has no fallback"
        self.refuse(node, message, _ENV_HINT.format(variable.name), final=True)

    def _inner(self, node: Node) -> object:
        return self.evaluate(children(node)[0])

    def _asserted(self, node: Node) -> object:
        return self.evaluate(children(node)[-1])

    def named(self, node: Node) -> object:
        """Return what a name stands for.

        Raises: UnreadableError when that cannot be read.
        """
        name = self._source.text(node)
        return self._members[name] if self._members and name in self._members else self._lookup(node, name)

    def enum(self, node: Node) -> JsObject:
        """Return the object that an enum makes; in it, its members are known by their names.

        Raises: UnreadableError when it cannot be read.
        """
        outer, self._members = self._members, JsObject(self.mark(node), self.home)
        try:
            return fill_enum(self._members, node, self)
        finally:
            self._members = outer

    def initial(self, node: Node) -> object:
        """Return the value of an expression at the top of the file, where no member of an enum is in sight.

        Raises: UnreadableError, after the reason has been noted.
        """
        outer, self._members = self._members, None
        try:
            return self.evaluate(node)
        finally:
            self._members = outer

    def text(self, node: Node) -> str:
        """Return what is written there."""
        return self._source.text(node)

    def shown(self, node: Node) -> str:
        """Return what is written there, as it can be quoted in a message."""
        return self._source.shown(node)

    def spend(self, node: Node, count: int) -> None:
        """Count values that are made.

        Raises: UnreadableError when there are too many.
        """
        if not self._workspace.spend(count):
            self.refuse(node, "the constants of this file make too many values of each other", final=True)

    def string(self, node: Node) -> str:
        """Return what stands between quotes."""
        return self._unescaped(node, self._source.text(node)[1:-1])

    def _unescaped(self, node: Node, written: str) -> str:
        text = unescaped(written)
        if text is None:
            self.refuse(node, "a backslash here begins no escape", "write \\\\ for a backslash", final=True)
        return text

    def _template(self, node: Node, *, raw: bool = False) -> str:
        content, pieces, at = self._source.content, [], node.start_byte + 1
        for child in [*node.named_children, None]:
            if child is not None and child.type != "template_substitution":
                continue
            written = content[at : child.start_byte if child else node.end_byte - 1].decode("utf-8", "replace")
            pieces.append(written if raw else self._unescaped(node, written))
            if child is not None:
                pieces.append(self._substituted(children(child)[0]))
                at = child.end_byte
        return self._made(node, joined("".join(pieces)))

    def _substituted(self, node: Node) -> str:
        value = self.known(node)
        text = text_of(value)
        if text is None:
            self._refuse_as_text(node, value)
        return text

    def _refuse_as_text(self, node: Node, value: object) -> NoReturn:
        """Refuse to put a value into a text; node would write `undefined` or `[object Object]` there."""
        what = value.what if isinstance(value, Opaque) else "a list" if isinstance(value, JsList) else "an object"
        shown = "this" if value is UNDEFINED else self._source.shown(node)
        self.refuse(node, f"{shown} is {what}, which makes no text", final=not isinstance(value, JsList))

    def _made(self, node: Node, text: str) -> str:
        if not self._workspace.spend(1 + len(text) // 64):
            self.refuse(node, "the constants of this file make too much text of each other", final=True)
        return text

    def _number(self, node: Node) -> int | float | Opaque:
        written = self._source.text(node)
        if written.endswith("n"):
            return Opaque("a BigInt", "write it without the n")
        value = number_of(written)
        if value is None:
            self.refuse(node, f"{self._source.shown(node)} is no number", final=True)
        return value

    def _regex(self, node: Node) -> Regex:
        flags = node.child_by_field_name("flags")
        pattern = node.child_by_field_name("pattern")
        assert pattern is not None  # the grammar asks for it
        return Regex(self._source.text(pattern), "" if flags is None else self._source.text(flags))

    def _unary(self, node: Node) -> object:
        operator, argument = node.child_by_field_name("operator"), node.child_by_field_name("argument")
        assert operator is not None and argument is not None  # noqa: PT018  # the grammar asks for both
        value = self.known(argument)
        try:
            return unary(operator.type, value)
        except NotReadError:
            self.refuse_code(node)

    def _binary(self, node: Node) -> object:
        """Return what a chain of operators makes: it leans to the left, and may be thousands of texts long."""
        chain = [node]
        while (left := chain[-1].child_by_field_name("left")) is not None and left.type == "binary_expression":
            chain.append(left)
        innermost = chain[-1].child_by_field_name("left")
        assert innermost is not None  # the grammar asks for it
        value = self.evaluate(innermost)
        for step in reversed(chain):
            value = self._step(step, value)
        return value

    def _step(self, node: Node, left: object) -> object:
        operator_node, right = node.child_by_field_name("operator"), node.child_by_field_name("right")
        assert operator_node is not None and right is not None  # noqa: PT018  # the grammar asks for both
        operator = operator_node.type
        if left is HOLE:
            raise UnreadableError
        if operator in ("??", "||") and isinstance(left, Variable):
            return self.evaluate(right)
        if isinstance(left, Variable):
            self._refuse_variable(node, left)
        if operator == "??":
            return self.evaluate(right) if left is None or left is UNDEFINED else left
        if operator in ("||", "&&"):
            if isinstance(left, Opaque) and left.what == "a BigInt":
                self.refuse_code(node)
            return left if is_true(left) is (operator == "||") else self.evaluate(right)
        other = self.known(right)
        if operator == "+" and (isinstance(left, str) or isinstance(other, str)):
            for part in (left, other):
                if text_of(part) is None:
                    self._refuse_as_text(node, part)
        try:
            value = binary(operator, left, other)
        except NotReadError:
            self.refuse_code(node)
        return self._made(node, value) if isinstance(value, str) else value

    def _ternary(self, node: Node) -> object:
        condition, yes, no = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
        assert condition is not None and yes is not None and no is not None  # noqa: PT018  # the grammar's doing
        value = self.known(condition)
        if isinstance(value, Opaque) and value.what == "a BigInt":
            self.refuse_code(node)
        return self.evaluate(yes if is_true(value) else no)

    def _chain(self, node: Node) -> object:
        """Return the value of `a.b[c]?.d`, which may have any number of steps."""
        steps, here = [], node
        value: object = None
        while here.type in ("member_expression", "subscript_expression"):
            steps.append(here)
            at = here.child_by_field_name("object")
            assert at is not None  # the grammar asks for it
            if self._is_environment(at):
                value = Variable(self._property(steps.pop()))
                break
            here = at
        else:
            value = self.known(here)
        for step in reversed(steps):
            optional = step.child_by_field_name("optional_chain") is not None
            if optional and (value is None or value is UNDEFINED):
                return UNDEFINED
            value = self._property_of(step, value)
            if value is HOLE:
                raise UnreadableError
        return value

    def _property_of(self, node: Node, value: object) -> object:
        key = self._property(node)
        if isinstance(value, Namespace):
            return self._member_of_namespace(node, value, key)
        if isinstance(value, Variable):
            self._refuse_variable(node, value)
        try:
            return property_of(value, key)
        except NotReadError:
            return self.refuse_code(node)

    def _property(self, node: Node) -> str:
        if (name := node.child_by_field_name("property")) is not None:
            if name.type != "property_identifier":  # a private name
                self.refuse_code(node)
            return self._source.text(name)
        index = node.child_by_field_name("index")
        assert index is not None  # the grammar asks for it
        text = text_of(self.known(index))
        if text is None:
            self.refuse_code(node)
        return text

    def _is_environment(self, node: Node) -> bool:
        return node.end_byte - node.start_byte < 16 and self._source.text(node) in ("process.env", "process?.env")

    def _new(self, node: Node) -> JsObject:
        constructor, given = node.child_by_field_name("constructor"), node.child_by_field_name("arguments")
        arguments = children(given) if given is not None else []
        if constructor is None or constructor.type not in ("identifier", "member_expression"):
            self.refuse_code(node)
        if self.known(constructor) is not EVAL_CLASS or len(arguments) != 1 or arguments[0].type == "spread_element":
            self.refuse_code(node)
        value = self.known(arguments[0])
        if not isinstance(value, JsObject):
            self.refuse(node, "new Eval takes an object", final=True)
        here = value.home == self.home
        made = JsObject(value.mark if here else self.mark(node), self.home, is_eval=True)
        made.update(value)
        made.marks = value.marks if here else dict.fromkeys(value, made.mark)
        return made

    def _call(self, node: Node) -> object:
        function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        assert function is not None and given is not None  # noqa: PT018  # the grammar asks for both
        called = self._source.text(function)
        if called == "String.raw" and given.type == "template_string":
            return self._template(given, raw=True)
        arguments = children(given)
        if called == "Object.freeze" and len(arguments) == 1 and arguments[0].type != "spread_element":
            return self.evaluate(arguments[0])
        return self.refuse_code(node)
