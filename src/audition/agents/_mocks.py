"""Tools whose results are canned: what they are, and what a call of one gives."""

import json
from collections.abc import Iterable, Mapping

from audition.errors import AgentError
from audition.evals import MockResult, ToolMock
from audition.llm import ToolDefinition, ToolRequest
from audition.results import Verdict, roll_up
from audition.scoring.matchers import matcher
from audition.scoring.paths import value_at
from audition.transcript import ToolCall


class MockedTools:
    """The tools a model is offered; of those with one name the last counts. `definitions` is how it is told of them."""

    def __init__(self, tools: Iterable[ToolMock]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.definitions = tuple(_definition(tool) for tool in self._tools.values())

    def call(self, request: ToolRequest, *, at_ms: float | None) -> ToolCall:
        """Return the call a model asked for, with its canned result, or the error that the model is to be told.

        Raises: AgentError when it cannot be told which result is meant.
        """
        arguments = _arguments(request.arguments)
        result, error = self._answer(request.name, arguments)
        return ToolCall(
            name=request.name,
            arguments=arguments or {},
            result=result,
            error=error,
            malformed=request.arguments if arguments is None else None,
            started_ms=at_ms,
            ended_ms=at_ms,
        )

    def _answer(self, name: str, arguments: Mapping[str, object] | None) -> tuple[object, str | None]:
        """Return the result of a call and its error: one of the two is None."""
        tool = self._tools.get(name)
        if tool is None:
            return None, f"there is no tool called {name!r}"
        if arguments is None:
            return None, "the arguments are not a JSON object"
        meant = next((canned for canned in tool.results if _is_meant(canned, arguments, tool.name)), None)
        if meant is None:
            return None, "no result is prepared for these arguments"
        return (None, meant.error) if meant.error is not None else (meant.result, None)


def _definition(tool: ToolMock) -> ToolDefinition:
    if tool.parameters is None:
        return ToolDefinition(name=tool.name, description=tool.description)
    return ToolDefinition(name=tool.name, description=tool.description, parameters=tool.parameters)


def _arguments(text: str) -> dict[str, object] | None:
    """Return the arguments that a model wrote, None when they are no JSON object."""
    try:
        arguments = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(arguments, dict) else None


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _is_meant(canned: MockResult, arguments: Mapping[str, object], tool: str) -> bool:
    """Tell whether a canned result is for these arguments.

    Raises: AgentError when a pattern took too long to tell.
    """
    if not canned.when:
        return True
    findings = [matcher(spec).match(value_at(arguments, path)) for path, spec in canned.when.items()]
    verdict = roll_up(finding.verdict for finding in findings)
    if verdict is Verdict.ERROR:
        reason = next(finding.reason for finding in findings if finding.verdict is Verdict.ERROR)
        raise AgentError(f"no result of the mocked tool {tool!r} can be chosen: {reason}", by_agent=False)
    return verdict is Verdict.PASS
