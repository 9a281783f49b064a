"""A tool whose results are canned.

    {"kind": "mock", "name": "find_order", "description": "Finds an order.",
     "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}},
     "results": [{"when": {"id": {"equals": 7}}, "result": {"status": "sent"}}, {"error": "no such order"}]}

The first result that is meant counts: all operators of its `when`, by argument, hold. One without `when` always is.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from audition.agents._mocks import MockedTools
from audition.agents.tools import Checking, OpenTool, ToolFailed, ToolSurroundings
from audition.agents.tools._shapes import DESCRIPTION, NAME, PARAMETERS, kind, review_parameters, schema_of
from audition.documents.located import Path
from audition.documents.shape import Anything, Faults, Field, ListOf, MapOf, Record, Text
from audition.evals import MockResult, ToolMock
from audition.llm import ToolDefinition, ToolRequest
from audition.scoring.matchers import OPERATORS

_RESULT = Record(
    "result",
    when=Field(MapOf(OPERATORS), doc="operators by argument, which must all hold"),
    result=Field(Anything(), doc="what a call gives"),
    error=Field(Text(min_length=1), doc="a call fails with this text"),
)
SHAPE = Record(
    "mock tool",
    "A tool whose results are canned.",
    kind=kind("mock"),
    name=NAME,
    description=DESCRIPTION,
    parameters=PARAMETERS,
    results=Field(ListOf(_RESULT, min_items=1), required=True, doc="the first that is meant for a call's arguments"),
)


def review(tool: Mapping[str, Any], path: Path, faults: Faults, checking: Checking) -> None:  # noqa: ARG001
    """Report results that are neither a result nor an error, or both."""
    review_parameters(tool, path, faults)
    results = tool.get("results")
    for index, result in enumerate(results if isinstance(results, list | tuple) else ()):
        if isinstance(result, Mapping) and ("result" in result) == ("error" in result):
            faults.add("either 'result' or 'error' must be given", (*path, "results", index))


@asynccontextmanager
async def opened(tool: Mapping[str, Any], around: ToolSurroundings) -> AsyncIterator[Sequence[OpenTool]]:  # noqa: ARG001
    """Hold the tool open."""
    yield (_Mock(tool),)


class _Mock:
    def __init__(self, tool: Mapping[str, Any]) -> None:
        self.definition = ToolDefinition(
            name=tool["name"], description=tool.get("description", ""), parameters=schema_of(tool)
        )
        canned = tuple(
            MockResult(when=one.get("when", {}), result=one.get("result"), error=one.get("error"))
            for one in tool["results"]
        )
        self._tools = MockedTools((ToolMock(name=tool["name"], results=canned),))

    async def call(self, arguments: Mapping[str, object]) -> object:
        """Return the canned result."""
        request = ToolRequest(id="", name=self.definition.name, arguments=json.dumps(arguments, default=str))
        call = self._tools.call(request, at_ms=None)
        if call.error is not None:
            raise ToolFailed(call.error)
        return call.result
