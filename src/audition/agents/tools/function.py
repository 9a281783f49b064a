"""A tool that is a Python function which settings name: `[service.functions] lookup = "shop.tools:lookup"`.

    {"kind": "function", "name": "look_up", "function": "lookup"}

A definition names it by the key in settings, never by its module: no other code can be reached. Without `parameters`
and `description` they are taken from the function's signature and docstring. A function that is not `async` runs in a
thread.
"""

import asyncio
import inspect
import types
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from audition.agents._json import NotJson, copy_json
from audition.agents._loading import callable_of, load_module
from audition.agents._workers import Workers
from audition.agents.tools import Checking, OpenTool, ToolFailed, ToolSurroundings
from audition.agents.tools._masking import Mask
from audition.agents.tools._shapes import (
    DESCRIPTION,
    NAME,
    PARAMETERS,
    TIMEOUT_S,
    kind,
    review_parameters,
    schema_of,
)
from audition.documents.located import Path
from audition.documents.shape import Faults, Field, Record, Schema, Text
from audition.errors import SettingsError
from audition.llm import ToolDefinition
from audition.text import nearest, shorten

SHAPE = Record(
    "function tool",
    "A tool that is a Python function which settings name.",
    kind=kind("function"),
    name=NAME,
    function=Field(Text(min_length=1), required=True, doc="its name in [service.functions] of the settings"),
    description=DESCRIPTION,
    parameters=PARAMETERS,
    timeout_s=TIMEOUT_S,
)

_LONGEST_MESSAGE = 500
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", tuple: "array",
          dict: "object", type(None): "null"}  # fmt: skip


def review(tool: Mapping[str, Any], path: Path, faults: Faults, checking: Checking) -> None:
    """Report a function that settings do not name."""
    review_parameters(tool, path, faults)
    name = tool.get("function")
    if isinstance(name, str) and name and name not in checking.functions:
        guess = nearest(name, checking.functions)
        known = ", ".join(sorted(checking.functions)) or "none"
        hint = f"did you mean {guess!r}?" if guess else f"[service.functions] of the settings names: {known}"
        faults.add(f"there is no function called {shorten(name, 80)!r}", (*path, "function"), hint)


@asynccontextmanager
async def opened(tool: Mapping[str, Any], around: ToolSurroundings) -> AsyncIterator[Sequence[OpenTool]]:
    """Import the function and hold the tool open.

    Raises: SettingsError when it cannot be imported.
    """
    where = around.functions[tool["function"]]
    module, colon, name = where.partition(":")
    if not colon or not name:
        key = f"service.functions.{tool['function']}"
        raise SettingsError(f"{where!r} names no function", key=key, hint="write MODULE:FUNCTION")
    function = callable_of(load_module(module, around.root), name)
    yield (_Function(tool, function, around),)


class _Function:
    def __init__(self, tool: Mapping[str, Any], function: Callable[..., object], around: ToolSurroundings) -> None:
        described = tool["description"] if "description" in tool else inspect.getdoc(function) or ""
        parameters = schema_of(tool) if "parameters" in tool else _schema(function)
        self.definition = ToolDefinition(name=tool["name"], description=described, parameters=parameters)
        self._function, self._signature = function, inspect.signature(function)
        self._mask, self._workers = Mask(around.secrets), Workers(asyncio.get_running_loop())
        self._timeout_s = min(tool.get("timeout_s", around.timeout_s), around.timeout_s)

    async def call(self, arguments: Mapping[str, object]) -> object:
        """Return what the function returns."""
        try:
            bound = self._signature.bind(**arguments)
        except TypeError as error:
            raise ToolFailed(f"the arguments do not fit: {error}") from None
        try:
            async with asyncio.timeout(self._timeout_s):
                return self._mask.data(copy_json(await self._run(bound)))
        except TimeoutError:
            raise ToolFailed(f"no result within {self._timeout_s:g} s") from None
        except NotJson as error:
            raise ToolFailed(f"the result cannot be written as JSON: {error}") from None
        except Exception as error:  # the project's own code may raise anything, and the model is told
            told = shorten(self._mask.text(f"{type(error).__name__}: {error}"), _LONGEST_MESSAGE)
            raise ToolFailed(told) from None

    async def _run(self, bound: inspect.BoundArguments) -> object:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(*bound.args, **bound.kwargs)
        return await self._workers.run(lambda: self._function(*bound.args, **bound.kwargs))


def _schema(function: Callable[..., object]) -> Schema:
    """Return the JSON Schema of a function's arguments, as far as its annotations tell."""
    hints = get_type_hints(function)
    properties: Schema = {}
    required = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        properties[name] = _type_schema(hints.get(name, Any))
        if parameter.default is parameter.empty:
            required.append(name)
    whole: Schema = {"type": "object", "properties": properties}
    return whole | ({"required": required} if required else {})


def _type_schema(hint: Any) -> Schema:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        return {"anyOf": [_type_schema(one) for one in inner]}
    named = _TYPES.get(origin or hint)
    if named is None:
        return {}
    if named == "array" and inner:
        return {"type": "array", "items": _type_schema(inner[0])}
    return {"type": named}
