"""What one turn of an ADK agent came to: its events, and the callbacks around its tools, made into an exchange.

Events and parts of events are ADK's own objects. They are read here and never imported: only `adk.py` knows ADK.
"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from audition.agents._adk_state import plain
from audition.transcript import Reply, ToolCall, Trouble, Usage

_TRANSFER = "transfer_to_agent"
"""The tool by which ADK hands a conversation to another agent of the tree. Source: google-adk 2.13."""


@dataclass(slots=True, kw_only=True)
class _Call:
    """A tool call in the making. `told`: an event has told of it; `entered`: a callback has."""

    name: str
    arguments: Any
    within: str | None
    told: bool = False
    entered: bool = False
    canned: bool = False
    wrapped: bool = False
    result: Any = None
    error: str | None = None
    started_ms: float | None = None
    ended_ms: float | None = None


class TurnNotes:
    """What is noted of one turn, timed from its beginning. Calls stand in the order in which the model made them."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._texts: list[tuple[Reply, bool]] = []
        self._error: str | None = None
        self._model_calls = 0
        self._tokens: tuple[int | None, int | None] = (None, None)
        self._costs_usd: list[float | None] = []
        self._measured = True

    def elapsed_ms(self) -> float | None:
        """Return the milliseconds since the turn began, None once an answer was replayed: nobody waited for that."""
        return (time.perf_counter() - self._began) * 1000 if self._measured else None

    def waited(self, seconds: float) -> None:
        """Leave out so much of the turn's time: our own waiting, for a provider's limits or to ask again."""
        self._began += seconds

    def paid(self, cost_usd: float | None, *, replayed: bool) -> None:
        """Note what a model's answer cost, None when that is not known, and whether it was a recording."""
        self._costs_usd.append(cost_usd)
        self._measured = self._measured and not replayed

    def event(self, event: Any, *, within: str | None = None) -> None:
        """Note an event; `within` names the agent that was called as a tool, when the event is one of its run.

        Partial events are left out: what they hold comes again in the event that they are parts of.
        """
        if event.partial or event.author == "user":
            return
        for part in _parts(event):
            if part.function_call:
                self._told(part.function_call, within)
            if part.function_response:
                self._answered(part.function_response)
        self.spent(event)
        if within is None:
            self._said(event)

    def spent(self, response: Any) -> None:
        """Note what a model's response says of its cost."""
        usage = response.usage_metadata
        if usage is None and not response.model_version:
            return
        self._model_calls += 1
        if usage is not None:
            (taken, given), (more_taken, more_given) = self._tokens, tokens_of(usage)
            self._tokens = (_sum(taken, more_taken), _sum(given, more_given))

    def started(self, id: str | None, name: str, arguments: Any, *, within: str | None) -> None:
        """Note that a tool begins to run."""
        call = self._by_id.get(id or "")
        if call is None or call.entered:
            call = self._new(id, name, plain(arguments), within)
        call.entered = True
        call.started_ms = self.elapsed_ms()

    def mocked(self, id: str | None, canned: ToolCall) -> None:
        """Note that a tool that began to run is answered with a canned result."""
        call = self._by_id[id or ""]
        call.canned, call.result, call.error = True, canned.result, canned.error

    def ended(self, id: str | None, result: Any) -> None:
        """Note what a tool returned."""
        call = self._by_id.get(id or "")
        if call is None:
            return
        call.ended_ms = self.elapsed_ms()
        if not call.canned:
            call.result, call.wrapped = plain(result), not isinstance(result, dict)

    def failed(self, id: str | None, name: str, arguments: Any, error: BaseException, *, within: str | None) -> None:
        """Note that a tool failed, or that there is none of that name."""
        call = self._by_id.get(id or "") or self._new(id, name, plain(arguments), within)
        call.ended_ms = self.elapsed_ms()
        call.error = "cancelled" if isinstance(error, asyncio.CancelledError) else _first_line(error)

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls, finished or not."""
        return tuple(
            [
                ToolCall(
                    name=call.name,
                    arguments=call.arguments if isinstance(call.arguments, dict) else {},
                    result=call.result,
                    error=call.error,
                    started_ms=call.started_ms,
                    ended_ms=call.ended_ms,
                    within=call.within,
                    transfer=call.name == _TRANSFER,
                )
                for call in self._calls
            ]
        )

    def replies(self) -> tuple[Reply, ...]:
        """Return the answer: the last final text. Source: ADK, what an eval takes for the final response."""
        return next(((reply,) for reply, is_final in reversed(self._texts) if is_final), ())

    def remarks(self) -> tuple[Reply, ...]:
        """Return all other texts."""
        answer = self.replies()
        return tuple([reply for reply, _ in self._texts if not (answer and reply is answer[0])])

    def trouble(self) -> Trouble | None:
        """Return the error that a model reported in place of an answer, None when there is none."""
        if self._error is None or self.replies():
            return None
        return Trouble(message=f"the model gave no answer: {self._error}", by_agent=True)

    def usage(self) -> Usage | None:
        """Return what the models of the turn spent, None when they say nothing of it."""
        if not self._model_calls:
            return None
        taken, given = self._tokens
        costs = [cost for cost in self._costs_usd if cost is not None]
        cost_usd = sum(costs) if len(costs) == self._model_calls else None
        return Usage(calls=self._model_calls, input_tokens=taken, output_tokens=given, cost_usd=cost_usd)

    def _told(self, called: Any, within: str | None) -> None:
        call = self._by_id.get(called.id or "")
        if call is None or call.told:
            call = self._new(called.id, called.name or "", plain(called.args or {}), within)
        call.told = True

    def _answered(self, response: Any) -> None:
        call = self._by_id.get(response.id or "")
        if call is None or call.canned:
            return
        given = plain(response.response)
        unwrap = call.wrapped and isinstance(given, dict) and given.keys() == {"result"}
        call.result = given["result"] if unwrap and isinstance(given, dict) else given

    def _said(self, event: Any) -> None:
        if event.error_code:
            self._error = ": ".join(str(part) for part in (event.error_code, event.error_message) if part)
        text = "\n".join(part.text for part in _parts(event) if part.text and not part.thought)
        if text:
            self._texts.append((Reply(text=text, at_ms=self.elapsed_ms()), event.is_final_response()))

    def _new(self, id: str | None, name: str, arguments: Any, within: str | None) -> _Call:
        call = _Call(name=name, arguments=arguments, within=within)
        self._calls.append(call)
        self._by_id[id or ""] = call
        return call


def tokens_of(usage: Any) -> tuple[int | None, int | None]:
    """Return the input and output tokens that a response's usage tells of, None for what it does not."""
    taken = _sum(usage.prompt_token_count, usage.tool_use_prompt_token_count)
    return taken, _sum(usage.candidates_token_count, usage.thoughts_token_count)


def _parts(event: Any) -> Iterator[Any]:
    yield from (event.content.parts or ()) if event.content else ()


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
