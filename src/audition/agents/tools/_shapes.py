"""What the kinds of tools share: fields of their definitions, and what is wrong with URLs, headers and schemas."""

import re
from collections.abc import Mapping
from typing import Any

from audition.agents.tools import Checking
from audition.documents.located import Path
from audition.documents.shape import Anything, Choice, Faults, Field, MapOf, Number, Text
from audition.llm.egress import Egress

NAME = Field(Text(min_length=1), required=True, doc="what the model calls it: letters, digits and _, at most 64")
DESCRIPTION = Field(Text(), doc="what the model is told about it")
PARAMETERS = Field(MapOf(Anything()), doc="JSON Schema of its arguments")
HEADERS = Field(MapOf(Text()), doc="HTTP headers that go with every request; their values are never shown")
TIMEOUT_S = Field(Number(above=0, maximum=300), doc="longest wait for one call, seconds")

_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_OWN_HEADERS = frozenset(
    ("connection", "content-length", "content-type", "host", "keep-alive", "te", "trailer", "transfer-encoding",
     "accept-encoding", "upgrade", "expect")
)  # fmt: skip
"""Headers that the client makes; with others of that name a request could be told to be another than it is."""

_UNSENDABLE = re.compile(r"[^\t\x20-\x7e]")
_DEEPEST = 50

_FORM_ONLY = Egress(("0.0.0.0/0", "::/0"))


def kind(name: str) -> Field:
    """Return the field that says of what kind a tool is."""
    return Field(Choice((name,)), required=True, doc="the kind of tool")


def review_url(tool: Mapping[str, Any], key: str, path: Path, faults: Faults, checking: Checking) -> None:
    """Report that a URL is one that is never asked; the message never holds it, for it may hold a secret."""
    url = tool.get(key)
    if isinstance(url, str) and url:
        why = (checking.egress or _FORM_ONLY).fault(url)
        if why is not None:
            faults.add(f"{key!r} is not asked: {why}", (*path, key))


def review_headers(tool: Mapping[str, Any], path: Path, faults: Faults) -> None:
    """Report headers that cannot be sent, or would change what request it is; values are not shown."""
    headers = tool.get("headers")
    for name, value in headers.items() if isinstance(headers, Mapping) else ():
        place = (*path, "headers", str(name))
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            faults.add("this is no name of a header", place)
        elif name.lower() in _OWN_HEADERS or name.lower().startswith("proxy-"):
            faults.add(f"the header {name!r} cannot be given: every request has its own", place)
        elif isinstance(value, str) and _UNSENDABLE.search(value):
            faults.add(f"the header {name!r} holds a line break or another character that cannot be sent", place)


def review_parameters(tool: Mapping[str, Any], path: Path, faults: Faults) -> None:
    """Report what no model takes for the schema of a tool's arguments."""
    schema = tool.get("parameters")
    if not isinstance(schema, Mapping):
        return
    if schema.get("type", "object") != "object":
        faults.add("the schema of arguments must have type 'object'", (*path, "parameters", "type"))
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping) or not all(isinstance(name, str) for name in properties):
        faults.add("'properties' must be an object", (*path, "parameters", "properties"))
    if too_deep(schema):
        faults.add(f"the schema is nested deeper than {_DEEPEST} levels", (*path, "parameters"))


def too_deep(value: object, deepest: int = _DEEPEST) -> bool:
    """Say whether data is nested deeper than so many levels."""
    level = [value]
    for _ in range(deepest):
        level = [inner for one in level for inner in _inner(one)]
        if not level:
            return False
    return True


def properties_of(tool: Mapping[str, Any]) -> Mapping[str, object]:
    """Return the arguments that a tool's schema names; none for a schema that is wrong."""
    schema = tool.get("parameters")
    properties = schema.get("properties", {}) if isinstance(schema, Mapping) else {}
    return properties if isinstance(properties, Mapping) else {}


def schema_of(tool: Mapping[str, Any]) -> dict[str, object]:
    """Return the schema of a tool's arguments; without one it takes none."""
    given: Mapping[str, object] = tool.get("parameters") or {}
    return {"type": "object", "properties": {}, **given}


def _inner(value: object) -> list[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else []
