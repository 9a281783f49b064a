"""TypeScript to a syntax tree: the one file that knows the parser."""

import re
from collections.abc import Iterator

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from audition.documents.located import Mark

__all__ = ["MAX_BYTES", "Node", "Source"]

MAX_BYTES = 1_000_000
"""The longest file of TypeScript that is read, in bytes of UTF-8."""

_SHOWN = re.compile(r"\s+")


class Source:
    """The text of a file as a syntax tree. JavaScript is read as the TypeScript it is."""

    def __init__(self, text: str) -> None:
        content = text.encode("utf-8", "surrogatepass")
        self.content = content
        self.root = Parser(Language(tree_sitter_typescript.language_typescript())).parse(content).root_node
        self._lines = None if content.isascii() else content.split(b"\n")

    def mark(self, node: Node) -> Mark:
        """Return where a node begins; columns count characters, where the parser counts bytes."""
        row, column = node.start_point
        if self._lines is not None:
            column = len(self._lines[row][:column].decode("utf-8", "replace"))
        return row + 1, column + 1

    def text(self, node: Node) -> str:
        """Return what is written there."""
        return self.content[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def shown(self, node: Node) -> str:
        """Return what is written there, as it can be quoted in a message."""
        text = _SHOWN.sub(" ", self.text(node).strip())
        return repr(text if len(text) <= 40 else text[:39] + "…")

    def error(self) -> Node | None:
        """Return the first node that is no TypeScript, or None."""
        node = self.root
        while not node.is_error and not node.is_missing:
            inside = next((child for child in node.children if child.has_error or child.is_missing), None)
            if inside is None:
                return node if node.has_error else None
            node = inside
        return node


def children(node: Node) -> list[Node]:
    """Return the parts of a node that mean something: no brackets, no commas, no comments."""
    return [child for child in node.named_children if child.type != "comment"]


def walk(node: Node, *, around: frozenset[str] = frozenset()) -> Iterator[Node]:
    """Yield a node and all below it in the order of the text, without what is in nodes of the types `around`."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        if here.type not in around:
            waiting.extend(reversed(here.children))
