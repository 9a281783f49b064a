"""The workflows of a Botpress session: what spans and the workflows API tell of them, each thing once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from audition.agents._botpress_spans import Span
from audition.evals import Turn
from audition.transcript import WorkflowEvent

_ENDS = frozenset({"completed", "failed", "cancelled", "timedout"})
_WAITING = "pending"


@dataclass(slots=True, kw_only=True)
class _Workflow:
    """One workflow. `heard` is how it ended as the API says, `traced` as its spans do; None: it has not, or unknown."""

    name: str
    input: Mapping[str, object] | None = None
    entered: bool = False
    heard: str | None = None
    traced: str | None = None
    start_told: bool = False
    end_told: bool = False

    @property
    def end(self) -> str | None:
        return self.heard or self.traced


class Workflows:
    """What is known of the workflows of a session."""

    def __init__(self) -> None:
        self._known: dict[str, _Workflow] = {}

    def hear(self, row: Mapping[str, object]) -> None:
        """Note what the API says of a workflow. One that is `pending` was asked for and has not begun."""
        one = self._one(str(row.get("id")), str(row.get("name")))
        status, given = row.get("status"), row.get("input")
        one.entered = one.entered or status != _WAITING
        one.input = given if isinstance(given, Mapping) else one.input
        if isinstance(status, str) and status in _ENDS:
            one.heard = status

    def trace(self, spans: Iterable[Span]) -> None:
        """Note what spans say: a workflow that sleeps runs in several, the last of which tells how it ended."""
        for span in spans:
            name = span.data.get("workflow.name") or span.data.get("workflowName")
            if span.name != "handler.workflow" or not name:
                continue
            one = self._one(span.workflow_id or span.key[0], str(name))
            one.entered = True
            final = span.data.get("workflow.status.final")
            if isinstance(final, str) and final in _ENDS:
                one.traced = final
            elif span.status == "error" and final is None:
                one.traced = "failed"

    def shows(self, wanted: Mapping[str, bool]) -> bool:
        """Say whether all these workflows, by name, have been entered, and those marked have come to their end."""
        entered = {one.name for one in self._known.values() if one.entered}
        ended = {one.name for one in self._known.values() if one.end}
        return all(name in (ended if to_its_end else entered) for name, to_its_end in wanted.items())

    def take(self) -> tuple[WorkflowEvent, ...]:
        """Return what has happened since it was last taken."""
        events = []
        for one in self._known.values():
            if one.entered and not one.start_told:
                one.start_told = True
                events.append(WorkflowEvent(name=one.name, status="entered", input=one.input))
            if one.end is not None and not one.end_told:
                one.end_told = True
                events.append(WorkflowEvent(name=one.name, status=one.end, input=one.input))
        return tuple(events)

    def _one(self, id: str, name: str) -> _Workflow:
        return self._known.setdefault(id, _Workflow(name=name))


def awaited(turn: Turn) -> dict[str, bool]:
    """Return the workflows, by name, that a turn has to wait for, and whether to their end.

    What holds or does not is not looked at, only how long one must look: a workflow goes on after the bot has replied.
    Source: Botpress engine (a positive workflow assertion is waited for, a negative one is not).
    """
    wanted: dict[str, bool] = {}
    for check in turn.checks:
        spec = check.spec
        if check.category != "workflow" or False in (spec.get("entered"), spec.get("completed"), spec.get("failed")):
            continue
        to_its_end = True in (spec.get("completed"), spec.get("failed")) or spec.get("status") in _ENDS
        name = str(spec.get("name"))
        wanted[name] = wanted.get(name, False) or to_its_end
    return wanted
