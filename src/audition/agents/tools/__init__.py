"""Tools that a subject's owner describes as data: opened for a while, each is called by its name with JSON arguments.

Each file is a kind. It offers `SHAPE`, the record that a tool of the kind is; `review(tool, path, faults, checking)`,
which adds what the shape cannot tell; and `opened(tool, around)`, which holds the tools of one definition open.
"""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

from audition.agents.tools._masking import secrets_of as secrets_of
from audition.documents.located import Path as Location
from audition.documents.shape import Faults, Record, kind_of
from audition.errors import AgentError, SettingsError, UnknownName
from audition.llm import ToolDefinition
from audition.llm.egress import Egress
from audition.registry import Folder
from audition.subjects import Tool
from audition.text import without_credentials

TOOLS = Folder("kind of tool", "audition.agents.tools")

LONGEST_NAME = 64
"""Models' endpoints refuse tools whose names are longer, characters."""

MOST_TOOLS = 128
"""How many tools one subject may have, those of MCP servers and OpenAPI documents included."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


class ToolFailed(Exception):
    """A call gave no result; the model is told the message, as a live agent's would be.

    It makes no difference whether the tool said so or could not be reached: what the agent does then is its doing. No
    secret is in the message.
    """

    def __init__(self, message: str) -> None:
        self.message = without_credentials(message)
        super().__init__(self.message)


class OpenTool(Protocol):
    """A tool that can be called."""

    @property
    def definition(self) -> ToolDefinition:
        """Return what a model is told of it."""
        ...

    async def call(self, arguments: Mapping[str, object]) -> object:
        """Return the result, JSON data without secrets. May be called from several tasks at once.

        Raises: ToolFailed; AgentError where a canned result cannot be chosen.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSurroundings:
    """What tools may reach, and how far.

    `egress`: which addresses. `functions`: the Python functions that settings name, as `module:function`; modules are
    looked for in `root` first. `timeout_s`: longest wait for one call, seconds; a tool may ask for less. `secrets`:
    values that are masked wherever they come back, beside those in the tools themselves.
    """

    egress: Egress = field(default_factory=Egress)
    functions: Mapping[str, str] = field(default_factory=dict)
    root: Path = field(default_factory=Path)
    timeout_s: float = 30.0
    max_reply_bytes: int = 10_000_000
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checking:
    """What a definition is checked against. `egress` None: whether a host may be reached is not looked at."""

    functions: Mapping[str, str]
    egress: Egress | None


class KindOfTool(Protocol):
    """A file of this folder."""

    SHAPE: Record

    def review(self, tool: Mapping[str, Any], path: Location, faults: Faults, checking: Checking) -> None:
        """Report what is wrong with a tool beyond its shape; the tool may be of the wrong shape."""
        ...

    def opened(
        self, tool: Mapping[str, Any], around: ToolSurroundings
    ) -> AbstractAsyncContextManager[Sequence[OpenTool]]:
        """Hold the tools of one definition, which has no faults, open."""
        ...


@asynccontextmanager
async def open_tools(tools: Iterable[Tool], around: ToolSurroundings) -> AsyncIterator[tuple[OpenTool, ...]]:
    """Hold tools open, in their order; an MCP server or an OpenAPI document gives several.

    It is left in the task that entered it. Nothing is sent to an HTTP endpoint before a call.

    Raises: SettingsError for definitions that are wrong and for functions that cannot be imported, MissingExtra, and
    AgentError where a server or document cannot be reached or two tools have one name.
    """
    tools = tuple(tools)
    wrong = check_tools(tools, functions=around.functions)
    if wrong:
        raise SettingsError("; ".join(f"{place}: {message}" for place, message in wrong), key="tools")
    async with AsyncExitStack() as stack:
        opened: dict[str, OpenTool] = {}
        for tool in tools:
            for one in await stack.enter_async_context(_kind(str(tool["kind"])).opened(tool, around)):
                if one.definition.name in opened:
                    raise AgentError(f"there are two tools called {one.definition.name!r}", by_agent=False)
                opened[one.definition.name] = one
        if len(opened) > MOST_TOOLS:
            raise AgentError(f"there are {len(opened)} tools, at most {MOST_TOOLS} are allowed", by_agent=False)
        yield tuple(opened.values())


def check_tools(
    tools: Sequence[object], *, functions: Mapping[str, str], egress: Egress | None = None
) -> list[tuple[str, str]]:
    """Return all that is wrong with definitions of tools: JSON pointers from the list of tools, and messages.

    Nothing is imported, opened or looked up. `functions` are those that settings name. With `egress`, URLs whose
    hosts are addresses that may not be reached are faults, too; names are looked up only when a tool is called.
    """
    faults, names = Faults(), set[str]()
    checking = Checking(functions=functions, egress=egress)
    if len(tools) > MOST_TOOLS:
        return [("", f"there are {len(tools)} tools, at most {MOST_TOOLS} are allowed")]
    for index, tool in enumerate(tools):
        _check(tool, (index,), faults, checking)
        name = tool.get("name") if isinstance(tool, Mapping) else None
        if isinstance(name, str) and name in names:
            faults.add(f"there is another tool called {name!r}", (index, "name"))
        if isinstance(name, str):
            names.add(name)
    return [(_pointer(fault.path), "; ".join(filter(None, (fault.message, fault.hint)))) for fault in faults.found]


def is_tool_name(name: object) -> bool:
    """Say whether a model's endpoint takes a tool of that name: letters, digits and _, at most 64."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def _check(tool: object, path: Location, faults: Faults, checking: Checking) -> None:
    if not isinstance(tool, Mapping):
        faults.add(f"a tool must be an object, not {kind_of(tool)}", path)
        return
    kind = tool.get("kind")
    if not isinstance(kind, str):
        faults.add(f"a tool needs a 'kind': one of {', '.join(TOOLS.names())}", path)
        return
    if kind == "stdio":
        faults.add("a tool that starts a command is refused: a command is code", (*path, "kind"))
        return
    try:
        module = _kind(kind)
    except UnknownName as error:
        faults.add(error.message, (*path, "kind"), error.hint)
        return
    module.SHAPE.read(tool, path, faults)
    name = tool.get("name")
    if isinstance(name, str) and not is_tool_name(name):
        faults.add(f"{name[:80]!r} is no name for a tool", (*path, "name"), "letters, digits and _, at most 64")
    module.review(tool, path, faults, checking)


def _kind(name: str) -> KindOfTool:
    return cast(KindOfTool, TOOLS.get(name))


def _pointer(path: Location) -> str:
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in path)
