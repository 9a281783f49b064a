"""Whether the agent called the tools that a good agent called. Source: ADK, tool_trajectory_avg_score.

A turn scores 1 or 0 (`graded`: how many calls belong together), and the mean over the turns is held against the
threshold. A turn whose reference says nothing of tools has no score; `tool_calls: []` says that none is to be called.
True is not 1, the order of keys does not matter, and no arguments are `{}`. Calls inside an agent that was called as a
tool do not count.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from audition.documents.located import Path
from audition.documents.shape import Choice, Faults, Field, Flag, MapOf, Record, Schema
from audition.evals import ToolCallReference
from audition.scoring.metric import METRIC, concluded, referenced, shown_score, threshold
from audition.scoring.params import ParamsShape
from audition.scoring.rule import Finding, Rule, Seen
from audition.scoring.spec import Spec
from audition.scoring.trajectory import Arguments, Comparison, Mode, Policy, own_calls
from audition.transcript import ToolCall

FACET = "tools"
PLACES = frozenset({"turn", "outcome"})

DEFAULT_THRESHOLD = 1.0

_POLICY = Choice(("exact", "subset", "ignore"))
_UNSCORED = "no turn says which tools are expected: a reference does with 'tool_calls' ([] for none)"


@dataclass(frozen=True, slots=True)
class _MatchType:
    """A mode in any case, with spaces or hyphens for underscores; comes out as ADK spells it."""

    modes: Choice = Choice(("EXACT", "IN_ORDER", "ANY_ORDER"))

    def read(self, value: object, path: Path, faults: Faults) -> object:
        plain = value.strip().upper().replace("-", "_").replace(" ", "_") if isinstance(value, str) else value
        return plain if plain in self.modes.options else self.modes.read(value, path, faults)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^(?i:exact|in[_ -]order|any[_ -]order)$"}


@dataclass(frozen=True, slots=True)
class _Policies:
    """How arguments are compared: for all tools, or by tool."""

    by_tool: MapOf = MapOf(_POLICY)

    def read(self, value: object, path: Path, faults: Faults) -> object:
        shape = self.by_tool if isinstance(value, Mapping) else _POLICY
        return shape.read(value, path, faults)

    def schema(self) -> Schema:
        return {"anyOf": [_POLICY.schema(), self.by_tool.schema()]}


def _review(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    if "args" in found and "ignore_args" in found:
        faults.add("'args' and 'ignore_args' say the same thing", (*path, "ignore_args"), "take one of the two out")


CHECK = Spec(
    Record(
        "trajectory check",
        threshold=threshold(DEFAULT_THRESHOLD),
        match_type=Field(
            _MatchType(),
            doc="EXACT (by default): these calls and no other; IN_ORDER, ANY_ORDER: other calls may be made besides.",
        ),
        ignore_args=Field(Flag(), doc="Compare the names of tools alone; the same as args: ignore."),
        args=Field(
            _Policies(),
            doc="exact (by default), subset (further arguments are allowed) or ignore; for all tools, or by tool.",
        ),
        params=Field(
            MapOf(ParamsShape()),
            doc="Operators by argument, by tool: they hold in place of the value that the reference has.",
        ),
        graded=Field(Flag(), doc="Score a turn by F1 over its calls, 0 to 1, and not all or nothing."),
        metric=METRIC,
    ),
    _review,
)


def rule(spec: Mapping[str, object]) -> Rule:
    """Return what a trajectory check means."""
    args, params, bound = spec.get("args"), spec.get("params"), spec.get("threshold")
    policy = args if isinstance(args, str) else ("ignore" if spec.get("ignore_args") is True else "exact")
    return _Trajectory(
        mode=cast(Mode, spec.get("match_type", "EXACT")),  # the shape lets nothing else through
        arguments=Arguments(
            cast(Policy, policy),
            cast(Mapping[str, Policy], args) if isinstance(args, Mapping) else None,
            params if isinstance(params, Mapping) else None,
        ),
        graded=spec.get("graded") is True,
        threshold=bound if isinstance(bound, int | float) else DEFAULT_THRESHOLD,
        extras=_extras(spec, policy),
    )


def _extras(spec: Mapping[str, object], policy: str) -> str:
    by_tool = spec.get("args")
    words = [f"args {policy}"] if policy != "exact" else []
    words += [f"args of {tool} {how}" for tool, how in by_tool.items()] if isinstance(by_tool, Mapping) else []
    words += ["params"] if "params" in spec else []
    words += ["graded"] if spec.get("graded") is True else []
    return "".join(f", {word}" for word in words)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trajectory:
    mode: Mode
    arguments: Arguments
    graded: bool
    threshold: float
    extras: str

    def describe(self) -> str:
        return f"match_type: {self.mode}, threshold {shown_score(self.threshold)}{self.extras}"

    def evaluate(self, seen: Seen) -> Finding:
        scores: list[float | None] = []
        reasons, notes = [], []
        for number, exchange, reference in referenced(seen):
            if reference.tool_calls is None:
                scores.append(None)
                continue
            expected, calls = reference.tool_calls, own_calls(exchange)
            compared = Comparison(expected, calls, self.arguments)
            score = compared.f1(self.mode) if self.graded else float(compared.held(self.mode))
            scores.append(score)
            if score < 1:
                reasons.append(f"turn {number}: {compared.explain()}")
            elif note := self._besides(expected, calls, compared):
                notes.append(f"turn {number}: {note}")
        return concluded(scores, self.threshold, unscored=_UNSCORED, reasons=reasons, notes=notes)

    def _besides(
        self, expected: tuple[ToolCallReference, ...], calls: tuple[ToolCall, ...], compared: Comparison
    ) -> str | None:
        """Return which calls were made besides the expected ones; None when there are none."""
        if len(calls) == len(expected):
            return None
        names = ", ".join(compared.unexpected())
        if not expected:
            return f"no call was expected, and {names} was called; {self.mode} allows it"
        return f"{names} was called besides; {self.mode} allows it"
