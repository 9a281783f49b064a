"""The tree of ADK agents that a subject is: a node for each use of an agent, with its model, tools and children."""

import asyncio
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from audition.agents._adk_mocks import response_of
from audition.agents._adk_watching import WATCHING
from audition.agents.adk import AdkAgent
from audition.agents.subject._asking import Asking
from audition.agents.subject._course import Course
from audition.agents.subject._opening import TRANSFER
from audition.agents.subject._tool_modes import MALFORMED, Offered, Outcome, Results
from audition.documents.located import plain
from audition.errors import AgentError, StoreError
from audition.llm import LanguageModel
from audition.subjects import Subject, everyone
from audition.text import nearest
from audition.transcript import ToolCall

_TAKEN = frozenset({"user"})
"""Names that ADK keeps for itself."""

_LONGEST_NAME = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Supplies:
    """What the nodes of a tree need: models by reference, tools by the node's place in `everyone`, in order."""

    models: Mapping[str, LanguageModel]
    tools: Sequence[Sequence[Offered]]
    results: Results
    course: Course


def agent_names(subject: Subject) -> list[str]:
    """Return the names that ADK's agents get, one for each of `everyone`: unique identifiers made from the owners'."""
    names: list[str] = []
    for one in everyone(subject):
        wished = _identifier(one.name) or f"{one.family.removesuffix('s')}_{one.id}"
        name, number = wished, 2
        while name in names or name in _TAKEN:
            name, number = f"{wished}_{number}", number + 1
        names.append(name)
    return names


def agent_of(subject: Subject, supplies: Supplies) -> AdkAgent:
    """Return the tree as an agent, with all that it needs in order to run."""
    root = _tree_of(subject, supplies)
    return AdkAgent(root, app=App(name="audition", root_agent=root, plugins=[_Guidance(agent_names(subject))]))


def _tree_of(subject: Subject, supplies: Supplies) -> LlmAgent:
    """Return the root of the tree. A child that is used twice is two nodes: ADK gives each agent one parent."""
    nodes = iter(zip(agent_names(subject), supplies.tools, strict=True))

    def node(one: Subject, *, alone: bool) -> LlmAgent:
        name, tools = next(nodes)
        return LlmAgent(
            name=name,
            description=one.description,
            model=Asking(
                model=one.model,
                port=supplies.models[one.model],
                course=supplies.course,
                exactly=one.instruction if alone else None,
            ),
            instruction=_literal(one.instruction),
            tools=[_AdkTool(tool, supplies) for tool in tools],
            sub_agents=[node(child, alone=False) for child in one.children],
        )

    # What ADK adds to an instruction is for agents that know each other; an agent by itself is told its prompt alone.
    return node(subject, alone=subject.family == "agents" and not subject.children)


def _literal(instruction: str) -> Any:
    """Return an instruction that ADK fills no state into."""

    def provide(_: ReadonlyContext) -> str:
        return instruction

    return provide


def _identifier(name: str) -> str:
    """Return a name in letters, digits and _, empty when nothing of it can be kept."""
    plain_letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    joined = re.sub(r"\W+", "_", plain_letters).strip("_")[:_LONGEST_NAME].rstrip("_")
    return f"_{joined}" if joined[:1].isdigit() else joined


class _AdkTool(BaseTool):
    """A subject's tool as ADK calls tools."""

    def __init__(self, offered: Offered, supplies: Supplies) -> None:
        super().__init__(name=offered.definition.name, description=offered.definition.description)
        self._offered, self._supplies = offered, supplies

    def _get_declaration(self) -> types.FunctionDeclaration:
        schema = plain(self._offered.definition.parameters)
        return types.FunctionDeclaration(name=self.name, description=self.description, parameters_json_schema=schema)

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        """Return what a call comes to, as ADK hands results to a model.

        Raises: Stopped when that cannot be told, or took too long.
        """
        course = self._supplies.course
        try:
            async with asyncio.timeout(course.left_s()):
                outcome = await self._supplies.results.of(self._offered, args)
        except TimeoutError:
            raise course.late() from None
        except (AgentError, StoreError) as error:
            raise course.stop(str(error), by_agent=False) from error
        return _noted(self.name, outcome, tool_context)


class _Guidance(BasePlugin):
    """Tells a model of calls that ADK would break down over: tools and agents that do not exist."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(name="audition_guidance")
        self._names = names

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        """Refuse a transfer to nobody."""
        if tool.name != TRANSFER:
            return None
        wished = tool_args.get("agent_name")
        if wished in self._names:
            return None
        near = nearest(str(wished), self._names)
        hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(self._names)}"
        what = (
            "the arguments are not a JSON object" if MALFORMED in tool_args else f"there is no agent {wished!r}; {hint}"
        )
        return _noted(tool.name, Outcome(error=what), tool_context)

    async def on_tool_error_callback(
        self,
        *,
        tool: BaseTool,
        tool_args: dict[str, Any],  # noqa: ARG002  # ADK's
        tool_context: ToolContext,
        error: Exception,  # noqa: ARG002
    ) -> dict[str, Any] | None:
        """Tell of a tool that does not exist; all other errors go on."""
        if isinstance(tool, _AdkTool) or tool.name == TRANSFER:
            return None
        return _noted(tool.name, Outcome(error=f"there is no tool called {tool.name!r}"), tool_context)


def _noted(name: str, outcome: Outcome, context: ToolContext) -> dict[str, Any]:
    """Return an outcome as ADK hands results to a model, written down as it is: ADK wraps what is no object."""
    call = ToolCall(name=name, result=outcome.result, error=outcome.error)
    if watch := WATCHING.get(None):
        watch.notes.mocked(context.function_call_id, call)
    return response_of(call)
