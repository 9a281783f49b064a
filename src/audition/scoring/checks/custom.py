"""A function of your own that scores the conversation. It runs code, so evals that name one are read with --allow-code.

A function of one argument gets plain data: `{"turns": [...], "scenario": ...}`, each turn with `user`, `event`,
`response`, `tool_calls` (`name`, `arguments`, `result`, `error`), `state` and `reference`. One of four gets what custom
metrics of Google ADK get. It returns True or False, a number that is held against the threshold, or an object with
`overall_score` and `overall_eval_status`.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from math import isfinite
from typing import Any

from audition.documents.located import plain
from audition.documents.shape import Field, Number, Record, Text
from audition.evals import Turn
from audition.results import Verdict
from audition.scoring import custom_adk
from audition.scoring.metric import METRIC, reaches, shown_score
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.transcript import Exchange, State, ToolCall, response_text

FACET = "replies"
PLACES = frozenset({"outcome"})

CHECK = Spec(
    Record(
        "custom check",
        function=Field(Text(min_length=1), required=True, doc="The function, as package.module.function."),
        threshold=Field(Number(), doc="The lowest number that passes; needed when the function returns a number."),
        metric=METRIC,
    )
)

_VERDICTS = {"PASSED": Verdict.PASS, "FAILED": Verdict.FAIL, "INFORMATIONAL": Verdict.SKIP}
"""What the statuses of an ADK metric mean; any other leaves the check undecided."""

_Function = Callable[..., object]


class BadFunction(Exception):
    """A custom function cannot be used, or gave nothing that can be read."""


def rule(spec: Mapping[str, Any]) -> Rule:
    """Return what a custom check means."""
    return _Custom(spec["function"], spec.get("threshold"), spec.get("metric"))


@dataclass(frozen=True, slots=True)
class _Custom:
    """`threshold` None: the function says by itself what passes."""

    function: str
    threshold: float | None
    metric: str | None

    def describe(self) -> str:
        return f"function: {self.function}"

    def evaluate(self, seen: Seen) -> Finding:
        """Call the function.

        Raises: BadFunction, and whatever the function raises; a rule that raises leaves its check undecided.
        """
        function = _imported(self.function)
        result = _result(function, self._arguments(function, seen))
        return replace(self._found(result, len(seen.exchanges)), threshold=self.threshold)

    def _arguments(self, function: _Function, seen: Seen) -> tuple[object, ...]:
        signature = inspect.signature(function)
        if _takes(signature, 4):
            name = self.metric or self.function
            return custom_adk.arguments(name, self.threshold, seen.exchanges, seen.turns, seen.scenario)
        if _takes(signature, 1):
            return (_conversation(seen),)
        raise BadFunction(f"{self.function} takes {signature}, expected one argument, or the four of an ADK metric")

    def _found(self, result: object, turns: int) -> Finding:
        if isinstance(result, bool):
            return Finding(verdict=Verdict.PASS if result else Verdict.FAIL, actual=str(result), score=float(result))
        if isinstance(result, int | float):
            return self._measured(float(result))
        status, score = custom_adk.status_of(result), getattr(result, "overall_score", None)
        if status is None:
            raise BadFunction(f"{self.function} returned {type(result).__name__}, expected a number, True or False")
        return self._of_status(status, score, custom_adk.turn_scores_of(result), turns)

    def _measured(self, score: float) -> Finding:
        if not isfinite(score):
            raise BadFunction(f"{self.function} returned {score}, which is no score")
        if self.threshold is None:
            raise BadFunction(f"{self.function} returned {score:g}, and no 'threshold' says what passes")
        return Finding(
            verdict=Verdict.PASS if reaches(score, self.threshold) else Verdict.FAIL,
            expected=f"a score of at least {shown_score(self.threshold)}",
            actual=shown_score(score),
            score=score,
        )

    def _of_status(self, status: str, score: object, turn_scores: tuple[float | None, ...], turns: int) -> Finding:
        known = float(score) if isinstance(score, int | float) and isfinite(score) else None
        return Finding(
            verdict=_VERDICTS.get(status, Verdict.ERROR),
            expected=None if self.threshold is None else f"a score of at least {shown_score(self.threshold)}",
            actual=status if known is None else f"{status}, {shown_score(known)}",
            reason=None if status == "PASSED" else f"{self.function} says {status}",
            score=known,
            turn_scores=turn_scores if len(turn_scores) == turns else (),
        )


def _imported(dotted: str) -> _Function:
    module, _, name = dotted.rpartition(".")
    if not module:
        raise BadFunction(f"{dotted!r} names no function: write package.module.function")
    function = getattr(import_module(module), name, None)
    if not callable(function):
        raise BadFunction(f"{module} has no function called {name!r}")
    return function  # type: ignore[no-any-return]  # any callable: what it takes is looked at


def _takes(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _result(function: _Function, arguments: tuple[object, ...]) -> object:
    """Return what a function gives; an async one must come to its end without waiting for anything."""
    result = function(*arguments)
    if not inspect.iscoroutine(result):
        return result
    try:
        result.send(None)
    except StopIteration as end:
        return end.value
    finally:
        result.close()
    raise BadFunction("the function waits for something; a custom function has to be synchronous")


def _conversation(seen: Seen) -> dict[str, object]:
    scenario = seen.scenario
    written = [*seen.turns, *[None] * len(seen.exchanges)]
    return {
        "turns": [_turn(exchange, turn) for exchange, turn in zip(seen.exchanges, written, strict=False)],
        "scenario": None if scenario is None else {"starting_prompt": scenario.starting_prompt, "plan": scenario.plan},
    }


def _turn(exchange: Exchange, written: Turn | None) -> dict[str, object]:
    return {
        "user": exchange.user,
        "event": plain(exchange.event),
        "response": response_text(exchange),
        "tool_calls": [_call(call) for call in exchange.tool_calls],
        "state": None if exchange.state is None else _state(exchange.state),
        "reference": _reference(written),
    }


def _call(call: ToolCall) -> dict[str, object]:
    return {
        "name": call.name,
        "arguments": plain(dict(call.arguments)),
        "result": plain(call.result),
        "error": call.error,
    }


def _state(state: State) -> dict[str, object]:
    return {"bot": plain(state.bot), "user": plain(state.user), "conversation": plain(state.conversation)}


def _reference(written: Turn | None) -> dict[str, object] | None:
    if written is None or written.reference is None:
        return None
    calls = written.reference.tool_calls
    return {
        "response": written.reference.response,
        "tool_calls": None
        if calls is None
        else [{"name": call.name, "arguments": plain(call.arguments)} for call in calls],
    }
