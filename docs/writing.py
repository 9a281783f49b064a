"""Pages of Markdown: what things say of themselves, and tables of what may stand where, told from JSON Schema."""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from audition.documents.shape import snake_case

Schema = Mapping[str, Any]

_WORDS = {"string": "a text", "boolean": "true or false", "object": "an object", "null": "null"}
_NUMBERS = {"number": "a number", "integer": "a whole number"}
_BOUNDS = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most"}
_PLURALS = {"any value": "values", "operators": "operators"}


def page(title: str, about: str, *parts: str) -> str:
    """Return a page."""
    return "\n\n".join([f"# {title}", about, *parts]) + "\n"


def text_of(one: object) -> str:
    """Return what something says of itself."""
    return inspect.cleandoc(getattr(one, "__doc__", None) or "")


def rest_of(one: object) -> str:
    """Return what something says of itself after its first paragraph."""
    return text_of(one).partition("\n\n")[2]


def sections(
    title: str, schema: Schema, path: str = "", *, level: int = 2, elsewhere: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Yield a table of an object's keys, then one for each object in it that has keys of its own.

    `elsewhere`: what is said of a key, by its path, in place of the table of what it holds.
    """
    rows, inner = [], []
    for name, shape in _keys(schema):
        below = f"{path}.{name}" if path else name
        note = (elsewhere or {}).get(below, "")
        found = None if note else _object_in(shape, below)
        inner += [found] if found else []
        required = " (required)" if name in schema.get("required", ()) else ""
        rows.append((f"`{name}`{required}", kind_of(shape), f"{tidy(shape.get('description', ''))} {note}".strip()))
    heading = f"{'#' * level} {title}\n\n" if title else ""
    yield heading + (table(("key", "holds", "what it is for"), rows) if rows else "There are none.")
    for below, shape in inner:
        yield from sections(f"`{below}`", shape, below, level=level, elsewhere=elsewhere)


def kind_of(schema: Schema) -> str:
    """Return what a value is, in words."""
    if names := _operators_in(schema):
        return "operators" if len(names) > 3 else f"a number, or {', '.join(f'`{name}`' for name in names)}"
    if "enum" in schema:
        return _any_of([f"`{option}`" for option in schema["enum"]])
    if "anyOf" in schema:
        return _any_of(list(dict.fromkeys(map(kind_of, schema["anyOf"]))))
    kind = schema.get("type", "")
    if isinstance(kind, list):
        return _any_of([kind_of({"type": one}) for one in kind])
    if kind == "array":
        return f"a list of {_plural(kind_of(schema.get('items', {})))}"
    if kind == "object" and isinstance(inner := schema.get("additionalProperties"), Mapping) and inner:
        return f"an object of {_plural(kind_of(inner))} by name"
    if kind in _NUMBERS:
        bounds = [f"{word} {schema[key]:,}" for key, word in _BOUNDS.items() if key in schema]
        return ", ".join([_NUMBERS[kind], " and ".join(bounds)] if bounds else [_NUMBERS[kind]])
    return _WORDS.get(kind, "any value")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *rows))


def tidy(text: str) -> str:
    """Return a text as a sentence in a table."""
    text = text.replace("|", "\\|")
    return text[:1].upper() + text[1:] + ("" if not text or text.endswith(".") else ".")


def _keys(schema: Schema) -> Iterator[tuple[str, Schema]]:
    """Yield an object's keys as they are declared: the other spelling of a key comes after it in a schema."""
    seen = set()
    for name, shape in schema["properties"].items():
        if snake_case(name) not in seen:
            seen.add(snake_case(name))
            yield name, shape


def _object_in(schema: Schema, path: str) -> tuple[str, Schema] | None:
    """Return the object with keys of its own that a value is, or holds as an item or by name."""
    if _operators_in(schema):
        return None
    if "properties" in schema:
        return path, schema
    inner = [(schema.get("items"), "[]"), (schema.get("additionalProperties"), ".NAME")]
    inner += [(choice, "") for choice in schema.get("anyOf", ())]
    found = (_object_in(one, path + mark) for one, mark in inner if isinstance(one, Mapping))
    return next(filter(None, found), None)


def _operators_in(schema: Schema) -> list[str]:
    """Return the names of the operators that a value may be."""
    for choice in schema.get("anyOf", ()):
        names = [name for name, _ in _keys(choice)] if "properties" in choice else []
        if "equals" in names:
            return names
    return []


def _any_of(kinds: Sequence[str]) -> str:
    return " or ".join([*([", ".join(kinds[:-1])] if kinds[:-1] else []), kinds[-1]])


def _plural(kind: str) -> str:
    return _PLURALS.get(kind) or re.sub(r"^an? (whole )?(\w+)", r"\1\2s", kind)
