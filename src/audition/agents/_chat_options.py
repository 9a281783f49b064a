"""The options of a chat agent, read from settings and from the files that they name."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audition.agents._options import read_options
from audition.documents.files import read_document, read_text
from audition.documents.located import Path as Location
from audition.documents.located import mark_at, plain
from audition.documents.shape import Anything, Faults, Field, ListOf, MapOf, Number, Record, Text, read_all
from audition.errors import Fault, LoadError, SettingsError, Where
from audition.evals import MockResult, ToolMock
from audition.scoring.matchers import OPERATORS
from audition.scoring.spec import Review, Spec

_ANSWERS = {
    "result": Field(Anything(), doc="what a call gives"),
    "error": Field(Text(min_length=1), doc="a call fails with this text"),
}


def _one_of(*names: str) -> Review:
    """Return the rule that a record holds one of some keys."""

    def review(found: Mapping[str, object], path: Location, faults: Faults) -> None:
        given = [name for name in names if name in found]
        if len(given) != 1:
            held = " and ".join(map(repr, given)) or "none of them"
            faults.add(f"one of {', '.join(map(repr, names))} must be given, and here is {held}", path)

    return review


_RESULT = Spec(
    Record("result", when=Field(MapOf(OPERATORS), doc="operators by argument, which must all hold"), **_ANSWERS),
    _one_of("result", "error"),
)
_TOOLS = ListOf(
    Spec(
        Record(
            "tool",
            name=Field(Text(min_length=1), required=True, doc="the tool's name"),
            description=Field(Text(), doc="what the model is told about it"),
            parameters=Field(MapOf(Anything()), doc="JSON Schema of its arguments"),
            results=Field(ListOf(_RESULT, min_items=1), doc="the first that is meant for a call's arguments"),
            **_ANSWERS,
        ),
        _one_of("result", "error", "results"),
    )
)
OPTIONS = Record(
    "chat agent",
    instruction=Field(Text(min_length=1), doc="the file that holds the system prompt"),
    instruction_text=Field(Text(min_length=1), doc="the system prompt itself"),
    tools=Field(_TOOLS, doc="tools with canned results, or the file that holds them"),
    temperature=Field(Number(minimum=0), doc="goes with every request"),
    max_tokens=Field(Number(minimum=1, whole=True), doc="goes with every request"),
    seed=Field(Number(whole=True), doc="goes with every request"),
    max_tool_rounds=Field(Number(minimum=0, whole=True), doc="how often a turn may ask for tools"),
    at_once=Field(Number(minimum=1, whole=True), doc="how many sessions may run side by side"),
)
_PARAMETERS = ("temperature", "max_tokens", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """What was chosen; `instruction` None: no system prompt. `parameters` go with every request to the model."""

    instruction: str | None = None
    tools: tuple[ToolMock, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    max_tool_rounds: int = 10
    at_once: int = 1000


def read_chat_options(options: Mapping[str, object], root: Path) -> ChatOptions:
    """Return the options; files are named relative to `root`.

    Raises: SettingsError for options that are wrong, LoadError for files that are.
    """
    file = options.get("tools")
    in_file = isinstance(file, str) and file != ""
    found: dict[str, Any] = read_options("chat", OPTIONS, {**options, "tools": []} if in_file else options)
    tools: Any = _tools_of_file(root / str(file)) if in_file else found.get("tools", ())
    if "instruction" in found and "instruction_text" in found:
        message = "a chat agent takes 'instruction' (a file) or 'instruction_text', not both"
        raise SettingsError(message, key="agent.instruction")
    chosen = {name: found[name] for name in ("max_tool_rounds", "at_once") if name in found}
    return ChatOptions(
        instruction=_instruction(root / found["instruction"])
        if "instruction" in found
        else found.get("instruction_text"),
        tools=tuple(_tool(tool) for tool in tools),
        parameters={name: found[name] for name in _PARAMETERS if name in found},
        **chosen,
    )


def _instruction(path: Path) -> str:
    text = read_text(path)
    if isinstance(text, Fault):
        raise LoadError([text])
    return text


def _tools_of_file(path: Path) -> object:
    """Return the tools in a YAML or JSON file that holds a list of them."""
    documents, faults = read_document(path)
    if not faults and len(documents) != 1:
        faults = [Fault("the file must hold one list of tools", Where(str(path)))]
    if faults:
        raise LoadError(faults)
    tools, wrong = read_all(_TOOLS, documents[0])
    if wrong:
        places = [Where(str(path), *(mark_at(documents[0], fault.path) or ())) for fault in wrong]
        raise LoadError([Fault(one.message, where, one.hint) for one, where in zip(wrong, places, strict=True)])
    return tools


def _tool(found: dict[str, Any]) -> ToolMock:
    """Return a tool; a result or error beside its name is what every call gives."""
    return ToolMock(
        name=found["name"],
        description=found.get("description", ""),
        parameters=found.get("parameters"),
        results=tuple(
            MockResult(when=one.get("when", {}), result=plain(one.get("result")), error=one.get("error"))
            for one in found.get("results", (found,))
        ),
    )
