"""Objects, lists and enums of TypeScript: what is written in them, spreads and computed keys included."""

from typing import NoReturn, Protocol

from audition.documents.located import Mark
from audition.formats._ts_parsing import Node, children
from audition.formats._ts_values import (
    FUNCTION,
    GETTER,
    HOLE,
    UNDEFINED,
    JsList,
    JsObject,
    is_number,
    number,
    text_of,
)
from audition.formats._ts_workspace import UnreadableError
from audition.text import shorten


class Expressions(Protocol):
    """What reads the expressions inside; `home` is the file they stand in."""

    home: str

    def evaluate(self, node: Node) -> object: ...
    def known(self, node: Node) -> object: ...
    def part(self, node: Node) -> object: ...
    def named(self, node: Node) -> object: ...
    def string(self, node: Node) -> str: ...
    def text(self, node: Node) -> str: ...
    def shown(self, node: Node) -> str: ...
    def mark(self, node: Node) -> Mark: ...
    def spend(self, node: Node, count: int) -> None: ...
    def note(self, mark: Mark, message: str, hint: str | None = None, *, final: bool) -> None: ...
    def refuse(self, node: Node, message: str, hint: str | None = None, *, final: bool = False) -> NoReturn: ...
    def refuse_code(self, node: Node) -> NoReturn: ...


def object_of(node: Node, inside: Expressions) -> JsObject:
    """Return an object; entries that cannot be read are left out, or are holes."""
    found = JsObject(inside.mark(node), inside.home)
    written: set[str] = set()
    for child in node.named_children:
        try:
            if child.type == "spread_element":
                _spread_into_object(found, child, inside)
            elif child.type != "comment":
                _entry(found, child, written, inside)
        except UnreadableError:
            continue
    inside.spend(node, len(found) + 1)
    return found


def array_of(node: Node, inside: Expressions) -> JsList:
    """Return a list; items that cannot be read are holes, and what is left out between two commas is undefined."""
    found = JsList(inside.mark(node), inside.home)
    awaited = True
    for child in node.children[1:-1]:
        if child.type == ",":
            if awaited:
                _append(found, UNDEFINED, inside.mark(child))
            awaited = True
        elif child.type != "comment":
            awaited = False
            if child.type == "spread_element":
                _spread_into_array(found, child, inside)
            else:
                _append(found, inside.part(child), inside.mark(child))
    inside.spend(node, len(found) + 1)
    return found


def fill_enum(found: JsObject, node: Node, inside: Expressions) -> JsObject:
    """Return the object that an enum makes, in place; numbers lead back to their names.

    Raises: UnreadableError when a member cannot be read.
    """
    body = node.child_by_field_name("body")
    following: int | float | None = 0
    for member in children(body) if body is not None else ():
        assigned = member.type == "enum_assignment"
        name = member.child_by_field_name("name") if assigned else member
        value_node = member.child_by_field_name("value") if assigned else None
        assert name is not None  # the grammar asks for it
        key = key_of(name, inside)
        value = following if value_node is None else inside.known(value_node)
        if value is None:
            inside.refuse(member, f"the enum member {key!r} needs a value", final=True)
        if not isinstance(value, str) and not is_number(value):
            inside.refuse_code(member)
        found[key], found.marks[key] = value, inside.mark(name)
        following = None
        if isinstance(value, int | float):
            following = number(value + 1)
            found[str(text_of(value))] = key
    return found


def key_of(node: Node, inside: Expressions) -> str:
    """Return what a key is called.

    Raises: UnreadableError when it cannot be read.
    """
    if node.type == "property_identifier":
        return inside.text(node)
    if node.type == "string":
        return inside.string(node)
    text = text_of(inside.known(children(node)[0] if node.type == "computed_property_name" else node))
    if text is None:
        inside.refuse(node, f"{inside.shown(node)} is no name for a key")
    return text


def _entry(found: JsObject, node: Node, written: set[str], inside: Expressions) -> None:
    value: object
    if node.type == "pair":
        at, value_node = node.child_by_field_name("key"), node.child_by_field_name("value")
        assert at is not None and value_node is not None  # noqa: PT018  # the grammar asks for both
        key, value = key_of(at, inside), inside.part(value_node)
        if key == "__proto__" and at.type != "computed_property_name":
            inside.refuse(at, "'__proto__' is no key but what an object is made after", final=True)
    elif node.type == "shorthand_property_identifier":
        at, key, value = node, inside.text(node), _shorthand(node, inside)
    elif node.type == "method_definition":
        name = node.child_by_field_name("name")
        assert name is not None  # the grammar asks for it
        at, key = name, key_of(name, inside)
        value = GETTER if any(child.type in ("get", "set") for child in node.children) else FUNCTION
    else:
        inside.refuse_code(node)
    mark = inside.mark(at)
    if key in written:
        line, column = found.marks[key]
        inside.note(mark, f"the key {shorten(key, 60)!r} is given twice, first at {line}:{column}", final=True)
    written.add(key)
    found[key], found.marks[key] = value, mark


def _shorthand(node: Node, inside: Expressions) -> object:
    try:
        return inside.named(node)
    except UnreadableError:
        return HOLE


def _spread_into_object(found: JsObject, node: Node, inside: Expressions) -> None:
    value = inside.known(children(node)[0])
    if isinstance(value, JsObject):
        here, mark = value.home == inside.home, inside.mark(node)
        inside.spend(node, len(value) + 1)
        for key, item in value.items():
            found[key] = item
            found.marks[key] = value.marks.get(key, mark) if here else mark
    elif value is not None and value is not UNDEFINED and not is_number(value) and not isinstance(value, bool):
        inside.refuse_code(node)


def _spread_into_array(found: JsList, node: Node, inside: Expressions) -> None:
    value, mark = inside.part(children(node)[0]), inside.mark(node)
    if isinstance(value, JsList):
        here = value.home == inside.home
        inside.spend(node, len(value) + 1)
        for item, place in zip(value, value.marks, strict=True):
            _append(found, item, place if here else mark)
    elif value is HOLE:
        _append(found, HOLE, mark)
    else:
        inside.refuse_code(node)


def _append(found: JsList, value: object, mark: Mark) -> None:
    found.append(value)
    found.marks.append(mark)
