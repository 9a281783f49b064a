"""The operations of an OpenAPI 3 document, as data: what a model is told of each, and where its arguments go.

Source: OpenAPI Specification 3.1, Operation Object, Parameter Object, Request Body Object.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from audition.agents.tools import LONGEST_NAME, MOST_TOOLS
from audition.agents.tools._requests import Place
from audition.llm import ToolDefinition
from audition.text import nearest, shorten

_METHODS = ("get", "put", "post", "delete", "patch")
_PLACES = ("path", "query", "header")
_OWN_HEADERS = ("accept", "content-type", "authorization")
"""Parameters that the specification says to ignore."""

_MOST_PARTS = 50_000
"""How many parts the schemas of a document may have once references are followed: a few can stand for billions."""

_DEEPEST = 40


class Unusable(Exception):
    """A document is not one whose operations can be called; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operation. `places`: where each argument goes, and by which name. `whole_body`: the argument that is it."""

    definition: ToolDefinition
    method: str
    path: str
    places: Mapping[str, tuple[Place, str]]
    whole_body: str | None


def operations_of(document: object, prefix: str, chosen: Iterable[str] | None) -> list[Operation]:
    """Return the operations of a document that are `chosen` by their ids; None: all whose bodies are JSON.

    Raises: Unusable.
    """
    if not isinstance(document, Mapping) or not str(document.get("openapi", "")).startswith("3."):
        raise Unusable("it is no OpenAPI 3 document")
    reader = _Reader(document)
    found = {_id_of(method, path, operation): (method, path, operation, common)
             for method, path, operation, common in reader.written()}  # fmt: skip
    wanted = list(found) if chosen is None else list(dict.fromkeys(chosen))
    for name in wanted:
        if name not in found:
            guess = nearest(name, found)
            hint = f"did you mean {guess!r}?" if guess else f"there are: {shorten(', '.join(found), 300)}"
            raise Unusable(f"it has no operation {shorten(name, 80)!r}; {hint}")
    read = [reader.operation(f"{prefix}_{name}", *found[name], must=chosen is not None) for name in wanted]
    return _distinct([operation for operation in read if operation is not None])


def _distinct(operations: list[Operation]) -> list[Operation]:
    if not operations:
        raise Unusable("it has no operation that can be called")
    if len(operations) > MOST_TOOLS:
        raise Unusable(f"it has {len(operations)} operations, at most {MOST_TOOLS} are allowed: choose some")
    names = [operation.definition.name for operation in operations]
    for name in names:
        if names.count(name) > 1:
            raise Unusable(f"two of its operations would be called {name!r}")
    return operations


def _id_of(method: str, path: str, operation: Mapping[str, Any]) -> str:
    name = operation.get("operationId")
    return name if isinstance(name, str) and name else f"{method}{path}"


class _Reader:
    """Reads one document, references within it followed."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document
        self._parts = 0

    def written(self) -> Iterator[tuple[str, str, Mapping[str, Any], list[object]]]:
        """Yield method, path, the operation and the parameters of its path."""
        paths = self._document.get("paths", {})
        for path, item in paths.items() if isinstance(paths, Mapping) else ():
            held = self._target(item)
            if not isinstance(held, Mapping) or not str(path).startswith("/"):
                continue
            for method in _METHODS:
                operation = held.get(method)
                if isinstance(operation, Mapping):
                    yield method, str(path), operation, list(held.get("parameters") or ())

    def operation(
        self, name: str, method: str, path: str, written: Mapping[str, Any], common: list[object], *, must: bool
    ) -> Operation | None:
        """Return an operation, None for one that cannot be called and need not be (`must`)."""
        try:
            return self._operation(name, method, path, written, common)
        except _NotJson as error:
            if must:
                raise Unusable(f"{method.upper()} {path} {error}") from None
            return None

    def _operation(
        self, name: str, method: str, path: str, written: Mapping[str, Any], common: list[object]
    ) -> Operation:
        places: dict[str, tuple[Place, str]] = {}
        properties: dict[str, object] = {}
        required: list[str] = []
        for parameter in self._parameters([*common, *(written.get("parameters") or ())]):
            place, wire = cast(Place, parameter["in"]), str(parameter["name"])
            argument = wire if wire not in properties else f"{wire}_{place}"
            places[argument] = (place, wire)
            properties[argument] = self._schema_of(parameter)
            if parameter.get("required") is True or place == "path":
                required.append(argument)
        body = self._target(written.get("requestBody"))
        whole_body = None
        if isinstance(body, Mapping) and body:
            whole_body = "body" if "body" not in properties else "request_body"
            properties[whole_body] = self._body_schema(body)
            if body.get("required") is True:
                required.append(whole_body)
        schema: dict[str, object] = {"type": "object", "properties": properties}
        described = " ".join(str(written[key]) for key in ("summary", "description") if written.get(key))
        definition = ToolDefinition(
            name=re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:LONGEST_NAME],
            description=described or f"{method.upper()} {path}",
            parameters=schema | ({"required": required} if required else {}),
        )
        return Operation(definition=definition, method=method.upper(), path=path, places=places, whole_body=whole_body)

    def _parameters(self, written: list[object]) -> list[Mapping[str, Any]]:
        """Return the parameters; those of the operation replace those of its path."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for one in written:
            parameter = self._target(one)
            if not isinstance(parameter, Mapping) or not isinstance(parameter.get("name"), str):
                raise Unusable("it has a parameter without a name")
            place, name = str(parameter.get("in")), parameter["name"]
            if place == "cookie" and parameter.get("required") is True:
                raise _NotJson(f"needs the cookie {name!r}")
            if place in _PLACES and not (place == "header" and name.lower() in _OWN_HEADERS):
                found[place, name] = parameter
        return list(found.values())

    def _schema_of(self, parameter: Mapping[str, Any]) -> object:
        schema = self._plain(parameter.get("schema", {}), ())
        if isinstance(schema, dict) and parameter.get("description") and "description" not in schema:
            schema["description"] = str(parameter["description"])
        return schema

    def _body_schema(self, body: Mapping[str, Any]) -> object:
        content = body.get("content")
        for media, held in content.items() if isinstance(content, Mapping) else ():
            if str(media).partition(";")[0].strip().lower() == "application/json" and isinstance(held, Mapping):
                return self._plain(held.get("schema", {}), ())
        raise _NotJson("takes a body that is not JSON")

    def _plain(self, value: object, within: tuple[str, ...], depth: int = 0) -> object:
        """Return a schema with its references followed; one that holds itself is cut off there."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise Unusable(f"its schemas have more than {_MOST_PARTS:,} parts")
        if depth > _DEEPEST:
            raise Unusable(f"its schemas are nested deeper than {_DEEPEST} levels")
        if isinstance(value, Mapping):
            reference = value.get("$ref")
            if isinstance(reference, str):
                if reference in within:
                    return {}
                return self._plain(self._at(reference), (*within, reference), depth + 1)
            return {str(key): self._plain(item, within, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._plain(item, within, depth + 1) for item in value]
        return value

    def _target(self, value: object) -> object:
        """Return what a reference stands for; other values are themselves."""
        for _ in range(_DEEPEST):
            reference = value.get("$ref") if isinstance(value, Mapping) else None
            if not isinstance(reference, str):
                return value
            value = self._at(reference)
        raise Unusable("it has a reference that leads back to itself")

    def _at(self, reference: str) -> object:
        if not reference.startswith("#/"):
            raise Unusable(f"it refers to something outside of itself: {shorten(reference, 80)!r}")
        found: object = self._document
        for step in reference[2:].split("/"):
            name = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or name not in found:
                raise Unusable(f"it refers to {shorten(reference, 80)!r}, which it does not have")
            found = found[name]
        return found


class _NotJson(Exception):
    """An operation takes something that no tool of ours can send."""
