"""Tool calls beside those that a good agent made: which belong together, and what is wrong with the rest.

Source: ADK, tool_trajectory_avg_score (the modes EXACT, IN_ORDER and ANY_ORDER). Ids of calls never count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from audition.evals import ToolCallReference
from audition.scoring.matchers import same, shown
from audition.scoring.params import Params, told
from audition.scoring.paths import MISSING
from audition.transcript import Exchange, ToolCall

Mode = Literal["EXACT", "IN_ORDER", "ANY_ORDER"]
"""EXACT: these calls, in this order, and no other. IN_ORDER, ANY_ORDER: other calls may be made besides."""

Policy = Literal["exact", "subset", "ignore"]
"""How arguments are compared: all alike; those expected alike, and others allowed; not at all."""

Pairs = Sequence[tuple[int, int]]
"""Positions of an expected and an actual call that belong together; each position occurs once."""


class Compares(Protocol):
    """Compares the arguments of a call with those of an expected call of the same tool."""

    def misses(self, expected: ToolCallReference, call: ToolCall) -> list[str]:
        """Return what is wrong with the arguments, in words; empty when they fit."""
        ...


class Arguments:
    """How the arguments of calls are compared: `by_tool` where it says so, else by `policy`.

    `params` holds what must be true of arguments (operators by name, by tool); no expected value is asked of those.
    """

    __slots__ = ("_by_tool", "_params", "_policy", "_spoken_for")

    def __init__(
        self,
        policy: Policy = "exact",
        by_tool: Mapping[str, Policy] | None = None,
        params: Mapping[str, Mapping[str, object]] | None = None,
    ) -> None:
        self._policy, self._by_tool = policy, by_tool or {}
        self._params = {tool: Params(wanted) for tool, wanted in (params or {}).items()}
        self._spoken_for = {
            tool: {name for path in wanted for name in (path, path.partition(".")[0])}
            for tool, wanted in (params or {}).items()
        }

    def misses(self, expected: ToolCallReference, call: ToolCall) -> list[str]:
        """Return what is wrong with the arguments, in words; those that an expected call leaves open always fit."""
        policy = "ignore" if expected.arguments is None else self._by_tool.get(call.name, self._policy)
        params = self._params.get(call.name)
        if call.malformed is not None and (policy != "ignore" or params is not None):
            return [f"its arguments are no JSON object: {shown(call.malformed)}"]
        found = [] if policy == "ignore" else self._differences(expected.arguments or {}, call, policy)
        if params is not None and (wrong := params.misses(call.arguments)):
            found.append(told(wrong))
        return found

    def _differences(self, wanted: Mapping[str, object], call: ToolCall, policy: Policy) -> list[str]:
        given = call.arguments
        spoken_for = self._spoken_for.get(call.name, ())
        names = [name for name in (wanted if policy == "subset" else {**wanted, **given}) if name not in spoken_for]
        pairs = [(name, wanted.get(name, MISSING), given.get(name, MISSING)) for name in names]
        return [
            f"{name} expected {shown(one)}, got {shown(other)}" for name, one, other in pairs if _differ(one, other)
        ]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The calls of one turn beside the expected ones."""

    expected: Sequence[ToolCallReference]
    calls: Sequence[ToolCall]
    arguments: Compares

    def held(self, mode: Mode) -> bool:
        """Tell whether the calls are as a mode wants them."""
        if mode == "EXACT":
            count = len(self.expected)
            return count == len(self.calls) and all(self._fits(index, index) for index in range(count))
        return self._follow() if mode == "IN_ORDER" else len(self._pairs()) == len(self.expected)

    def f1(self, mode: Mode) -> float:
        """Return how many calls belong together, of those expected and made: 0 to 1, and 1 when there are none."""
        total = len(self.expected) + len(self.calls)
        if not total:
            return 1.0
        return 2 * (len(self._pairs()) if mode == "ANY_ORDER" else self._longest()) / total

    def unexpected(self) -> list[str]:
        """Return the names of the calls that nobody expected, in order."""
        used = {made for _, made in self._pairs()}
        return [call.name for made, call in enumerate(self.calls) if made not in used]

    def explain(self) -> str:
        """Return why the calls are not as expected, in words."""
        pairs = self._pairs()
        extra = _left(self.calls, {made for _, made in pairs})
        missing, wrong = [], []
        for wanted in _left(self.expected, {wanted for wanted, _ in pairs}):
            nearest = self._nearest(wanted, extra)
            if nearest is None:
                missing.append(self.expected[wanted].name)
            else:
                extra.remove(nearest)
                faults = self.arguments.misses(self.expected[wanted], self.calls[nearest])
                wrong.append(f"call {nearest + 1} {self.calls[nearest].name}: {', '.join(faults)}")
        parts = [] if _names(self.expected) == _names(self.calls) else [self._beside()]
        parts += wrong
        parts += [f"missing: {', '.join(missing)}"] if missing else []
        parts += [f"extra: {', '.join(self.calls[made].name for made in extra)}"] if extra else []
        return "; ".join(parts if missing or wrong or extra else [*parts, "the calls are in another order"])

    def _beside(self) -> str:
        return f"expected [{', '.join(_names(self.expected))}], got [{', '.join(_names(self.calls))}]"

    def _nearest(self, wanted: int, among: Sequence[int]) -> int | None:
        """Return which call of the same tool has the fewest faults; None without one."""
        expected = self.expected[wanted]
        same_tool = [made for made in among if self.calls[made].name == expected.name]
        faults = {made: len(self.arguments.misses(expected, self.calls[made])) for made in same_tool}
        return min(faults, key=faults.__getitem__) if faults else None

    def _fits(self, wanted: int, made: int) -> bool:
        expected, call = self.expected[wanted], self.calls[made]
        return expected.name == call.name and not self.arguments.misses(expected, call)

    def _follow(self) -> bool:
        """Tell whether all expected calls follow one another; to take the first that fits is as good as any."""
        made = iter(range(len(self.calls)))
        return all(any(self._fits(wanted, at) for at in made) for wanted in range(len(self.expected)))

    def _longest(self) -> int:
        """Return the length of the longest sequence of calls that both have in common."""
        best = [0] * (len(self.calls) + 1)
        for wanted in range(len(self.expected)):
            before = 0
            for made in range(len(self.calls)):
                above = best[made + 1]
                best[made + 1] = before + 1 if self._fits(wanted, made) else max(above, best[made])
                before = above
        return best[-1]

    def _pairs(self) -> Pairs:
        """Return as many pairs as there can be, whatever the order."""
        taken: dict[int, int] = {}
        for wanted in range(len(self.expected)):
            free = (made for made in range(len(self.calls)) if made not in taken and self._fits(wanted, made))
            made = next(free, None)
            if made is not None:
                taken[made] = wanted
            else:
                self._make_room(wanted, taken)
        return [(wanted, made) for made, wanted in taken.items()]

    def _make_room(self, start: int, taken: dict[int, int]) -> None:
        """Give an expected call one that others hold, when those fit elsewhere too (an augmenting path)."""
        came_from: dict[int, int] = {}
        waiting = [start]
        for wanted in waiting:
            for made in range(len(self.calls)):
                if made in came_from or not self._fits(wanted, made):
                    continue
                came_from[made] = wanted
                if made not in taken:
                    return _move(made, start, came_from, taken)
                waiting.append(taken[made])
        return None


def own_calls(exchange: Exchange) -> tuple[ToolCall, ...]:
    """Return the calls of the conversation's own agents: those inside an agent that was a tool are that tool's doing.

    Source: ADK, whose trajectories hold no calls of a child run.
    """
    return tuple(call for call in exchange.tool_calls if call.within is None)


def _move(made: int, start: int, came_from: Mapping[int, int], taken: dict[int, int]) -> None:
    held = {wanted: call for call, wanted in taken.items()}
    while (wanted := came_from[made]) != start:
        taken[made] = wanted
        made = held[wanted]
    taken[made] = start


def _left(items: Sequence[object], used: set[int]) -> list[int]:
    return [index for index in range(len(items)) if index not in used]


def _names(calls: Sequence[ToolCallReference] | Sequence[ToolCall]) -> list[str]:
    return [call.name for call in calls]


def _differ(one: object, other: object) -> bool:
    return one is MISSING or other is MISSING or not same(one, other, case_sensitive=True)
