"""The tools of all nodes of a subject, open as far as the mode of the run lets them be."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, cast

from audition.agents.subject._tool_modes import Offered, Recordings, ToolMode
from audition.agents.tools import ToolSurroundings, open_tools
from audition.errors import AgentError
from audition.evals import ToolMock
from audition.llm import ToolDefinition
from audition.subjects import Subject, Tool, everyone

TRANSFER = "transfer_to_agent"
"""The tool by which ADK hands a conversation over; no tool of a subject may have its name. Source: google-adk 2.13."""

_LISTING = "(tools)"
"""What the tools that a subject got by asking are recorded as; no tool can have that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolbox:
    """How tools are opened in a trial; `recordings` are there in the modes `record` and `replay`."""

    mode: ToolMode
    around: ToolSurroundings
    recordings: Recordings | None
    trial: str
    fixtures: Sequence[ToolMock]

    async def open(self, subject: Subject, stack: AsyncExitStack) -> list[tuple[Offered, ...]]:
        """Return the tools of each of `everyone`, in order; a subject that is there twice has them once.

        Where nobody may be asked which tools there are, they are those that were recorded, or in `mock` the fixtures
        that no other tool of the tree is meant by.

        Raises: AgentError where they cannot be opened or were not recorded; SettingsError and MissingExtra.
        """
        opened: dict[tuple[str, int], tuple[Offered, ...]] = {}
        for one in everyone(subject):
            if (one.family, one.id) not in opened:
                opened[one.family, one.id] = await self._of(one, stack)
        known = {tool.definition.name for tools in opened.values() for tool in tools}
        spare = tuple([_fixture(one) for one in self.fixtures if one.name not in known])
        takes_spare = {(one.family, one.id) for one in everyone(subject) if self.mode == "mock" and any(_asked_of(one))}
        return [
            _distinct((*opened[key], *(spare if key in takes_spare else ())), one.name)
            for one in everyone(subject)
            for key in ((one.family, one.id),)
        ]

    async def _of(self, one: Subject, stack: AsyncExitStack) -> tuple[Offered, ...]:
        own = [tool for tool in one.tools if not _must_be_asked(tool)]
        canned = {tool["name"] for tool in own if tool["kind"] == "mock"}
        offered = [
            Offered(definition=tool.definition, open=tool, canned=tool.definition.name in canned)
            for tool in await stack.enter_async_context(open_tools(own, self.around))
        ]
        if any(_asked_of(one)):
            offered += await self._by_asking(one, stack)
        return tuple(offered)

    async def _by_asking(self, one: Subject, stack: AsyncExitStack) -> Sequence[Offered]:
        place = {"subject": f"{one.family}/{one.id}"}
        if self.mode == "mock":
            return ()
        if self.mode == "replay" and self.recordings is not None:
            kept = await asyncio.to_thread(self.recordings.find, self.trial, _LISTING, place, 1)
            if kept is None:
                raise AgentError(f"the tools of {one.name!r} were not recorded in this trial", by_agent=False)
            return [Offered(definition=ToolDefinition(**tool)) for tool in cast("list[dict[str, Any]]", kept["result"])]
        opened = await stack.enter_async_context(open_tools(_asked_of(one), self.around))
        if self.mode == "record" and self.recordings is not None:
            listing = {"result": [_as_data(tool.definition) for tool in opened]}
            await asyncio.to_thread(self.recordings.keep, self.trial, _LISTING, place, 1, listing)
        return [Offered(definition=tool.definition, open=tool) for tool in opened]


def _must_be_asked(tool: Tool) -> bool:
    """Say whether a definition gives tools that are not known before a server was asked for them."""
    return tool.get("kind") == "mcp" or (tool.get("kind") == "openapi" and isinstance(tool.get("document"), str))


def _asked_of(one: Subject) -> list[Tool]:
    return [tool for tool in one.tools if _must_be_asked(tool)]


def _fixture(fixture: ToolMock) -> Offered:
    definition = ToolDefinition(name=fixture.name, description=fixture.description)
    if fixture.parameters is None:
        return Offered(definition=definition)
    return Offered(
        definition=ToolDefinition(name=fixture.name, description=fixture.description, parameters=fixture.parameters)
    )


def _as_data(definition: ToolDefinition) -> Mapping[str, object]:
    return {
        "name": definition.name,
        "description": definition.description,
        "parameters": definition.parameters,
    }


def _distinct(tools: tuple[Offered, ...], owner: str) -> tuple[Offered, ...]:
    """Return tools that a model can tell apart.

    Raises: AgentError for two of one name.
    """
    names: set[str] = set()
    for tool in tools:
        if tool.definition.name in names | {TRANSFER}:
            raise AgentError(f"{owner!r} cannot have another tool called {tool.definition.name!r}", by_agent=False)
        names.add(tool.definition.name)
    return tools
