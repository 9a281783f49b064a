"""Tools of an ADK agent that are answered in place of being run."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from audition.agents._mocks import MockedTools
from audition.errors import AgentError
from audition.evals import ToolMock
from audition.llm import ToolRequest
from audition.text import nearest
from audition.transcript import ToolCall


class Mocks:
    """The tools of an agent whose results are canned."""

    def __init__(self, tools: Iterable[ToolMock]) -> None:
        tools = tuple(tools)
        self.names = frozenset(tool.name for tool in tools)
        self._tools = MockedTools(tools)

    def insist(self, known: Iterable[str]) -> None:
        """Insist that the agent has every tool that is mocked: a name nobody calls would let the real tool run.

        Raises: AgentError for a name that is not among those known.
        """
        known = frozenset(known)
        for name in sorted(self.names - known):
            guess = nearest(name, known)
            hint = f"did you mean {guess!r}?" if guess else f"its tools are: {', '.join(sorted(known)) or 'none'}"
            raise AgentError(f"the agent has no tool called {name!r} that could be mocked", by_agent=False, hint=hint)

    def call(self, name: str, arguments: Mapping[str, Any], *, at_ms: float | None) -> ToolCall:
        """Return the call of a mocked tool with its canned result, or the error that the model is to be told.

        Raises: AgentError when it cannot be told which result is meant.
        """
        request = ToolRequest(id="", name=name, arguments=json.dumps(arguments, default=str))
        return self._tools.call(request, at_ms=at_ms)


def response_of(call: ToolCall) -> dict[str, Any]:
    """Return a canned result as ADK hands results to a model: an object, others under `result`. Source: ADK tools."""
    if call.error is not None:
        return {"error": call.error}
    return dict(call.result) if isinstance(call.result, Mapping) else {"result": call.result}
