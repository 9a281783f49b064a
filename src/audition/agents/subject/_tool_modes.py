"""Where the results of a subject's tools come from: the tools, canned results, or what an earlier run wrote down."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, NoReturn, Protocol, cast

import jsonschema_rs

from audition.agents._adk_mocks import Mocks
from audition.agents.tools import OpenTool, ToolFailed
from audition.documents.located import plain
from audition.errors import AgentError
from audition.evals import ToolMock
from audition.llm import ToolDefinition
from audition.text import shorten
from audition.transcript import Data

ToolMode = Literal["live", "mock", "record", "replay"]
"""Where results come from: the tools; canned ones; the tools, written down; what an earlier run wrote down."""

MALFORMED = "(no JSON object)"
"""The key of what stands in place of arguments that are no JSON object: the text that the model wrote."""

_COMPARED = 50
_LONGEST_CALL = 300


class Recordings(Protocol):
    """What tools returned, by trial (`case-7#1`) and call; the n-th identical call of a trial is a call of its own.

    An outcome is `{"result": …}` or `{"error": "…"}`. The methods may block: they are called in threads.
    """

    def keep(self, trial: str, name: str, arguments: Data, nth: int, outcome: Data) -> None:
        """Write down an outcome in place of one that is there already; `nth` counts from 1."""
        ...

    def find(self, trial: str, name: str, arguments: Data, nth: int) -> Data | None:
        """Return the outcome of a call, None when none was written down."""
        ...

    def calls(self, trial: str) -> Sequence[tuple[str, Data, int]]:
        """Return the calls of a trial that were written down: name, arguments and number of each."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A tool that a subject is offered; `open` None: nothing may be sent to it. `canned`: its results always are."""

    definition: ToolDefinition
    open: OpenTool | None = None
    canned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a call came to: a result, or an error that the model is told."""

    result: object = None
    error: str | None = None


class Results:
    """Where the results of one trial come from.

    `fixtures` take the place of the tools of their names, whatever the mode. `recordings` are written in `record` and
    read in `replay`.
    """

    def __init__(
        self, mode: ToolMode, trial: str, *, fixtures: Iterable[ToolMock], recordings: Recordings | None
    ) -> None:
        self._mode, self._trial, self._recordings = mode, trial, recordings
        self._fixtures = Mocks(fixtures)
        self._made: Counter[str] = Counter()

    def insist(self, known: Iterable[str]) -> None:
        """Insist that every fixture is of a tool that is offered.

        Raises: AgentError for a name that is not among those known.
        """
        self._fixtures.insist(known)

    async def of(self, tool: Offered, arguments: Data) -> Outcome:
        """Return what a call of a tool comes to.

        Raises: AgentError, not by the agent, where that cannot be told.
        """
        wrong = _wrong(tool.definition, arguments)
        if wrong is not None:
            return Outcome(error=wrong)
        name = tool.definition.name
        if name in self._fixtures.names:
            canned = self._fixtures.call(name, arguments, at_ms=None)
            return Outcome(result=canned.result, error=canned.error)
        if tool.canned:
            return await _called(tool, arguments)
        if self._mode == "mock":
            return Outcome(error=f"the tool {name!r} has no canned result, and tools are not called in this run")
        if self._mode == "live" or self._recordings is None:
            return await _called(tool, arguments)
        call = told(name, arguments)
        self._made[call] += 1
        if self._mode == "replay":
            return await self._replayed(self._recordings, name, arguments, self._made[call])
        nth = self._made[call]
        outcome = await _called(tool, arguments)
        kept = {"result": outcome.result} if outcome.error is None else {"error": outcome.error}
        await asyncio.to_thread(self._recordings.keep, self._trial, name, arguments, nth, kept)
        return outcome

    async def _replayed(self, recordings: Recordings, name: str, arguments: Data, nth: int) -> Outcome:
        kept = await asyncio.to_thread(recordings.find, self._trial, name, arguments, nth)
        if kept is None:
            calls = await asyncio.to_thread(recordings.calls, self._trial)
            raise AgentError(_not_recorded(name, arguments, calls), by_agent=False)
        error = kept.get("error")
        return Outcome(result=kept.get("result"), error=None if error is None else str(error))


def told(name: str, arguments: Data) -> str:
    """Return a call as text; equal calls have equal texts."""
    return f"{name}({json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)})"


async def _called(tool: Offered, arguments: Data) -> Outcome:
    if tool.open is None:
        raise AgentError(f"the tool {tool.definition.name!r} is not open", by_agent=False)
    try:
        return Outcome(result=await tool.open.call(arguments))
    except ToolFailed as error:
        return Outcome(error=error.message)


def _not_recorded(name: str, arguments: Data, calls: Sequence[tuple[str, Data, int]]) -> str:
    call = told(name, arguments)
    times = max((number for other, given, number in calls if told(other, given) == call), default=0)
    shown = shorten(call, _LONGEST_CALL)
    if times:
        return f"the call {shown} was recorded {times}x in this trial, and is now made more often"
    others = {shorten(told(other, given), _LONGEST_CALL): None for other, given, _ in calls[:_COMPARED]}
    near = get_close_matches(shown, others, n=1, cutoff=0.0)
    instead = f"the nearest recorded call is {near[0]}" if near else "no call of this trial was recorded"
    return f"the call {shown} was not recorded; {instead}"


def _wrong(definition: ToolDefinition, arguments: Data) -> str | None:
    """Return what is wrong with the arguments of a call, None for nothing.

    A schema that cannot be used says nothing: the tool itself will.
    """
    if MALFORMED in arguments:
        return "the arguments are not a JSON object"
    schema = cast("dict[str, Any]", plain(definition.parameters))
    # A schema is somebody's text: patterns that take for ever have no place in it, and nothing is fetched for it.
    patterns = jsonschema_rs.RegexOptions()
    try:
        rules = jsonschema_rs.validator_for(schema, retriever=_fetch_nothing, pattern_options=patterns)
    except (ValueError, TypeError):
        return None
    faults = [f"{_place(fault.instance_path)}{fault.message}" for fault in rules.iter_errors(arguments)]
    return f"the arguments are wrong: {shorten('; '.join(faults), 500)}" if faults else None


def _fetch_nothing(uri: str) -> NoReturn:
    raise ValueError(f"{uri} is not fetched")


def _place(path: Sequence[str | int]) -> str:
    return f"{'.'.join(map(str, path))}: " if path else ""
