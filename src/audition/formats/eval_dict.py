"""The eval dict, which every text format shares: from documents to evals and back. Source: Botpress eval format."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from audition.documents.files import MAX_FAULTS
from audition.documents.located import LocatedDict, LocatedList, Path, mark_at, plain
from audition.documents.shape import Faults, ShapeFault
from audition.errors import Fault, Where
from audition.evals import (
    Check,
    Eval,
    MockResult,
    Options,
    Reference,
    Scenario,
    SeedState,
    Setup,
    ToolCallReference,
    ToolMock,
    Turn,
    WorkflowTrigger,
)
from audition.formats._eval_shape import eval_shape, schema
from audition.formats._eval_writing import write_eval
from audition.formats._format import Reading
from audition.text import nearest, shorten

__all__ = ["named_twice", "read_evals", "schema", "write_eval"]

_LONGEST_MESSAGE = 500
"""The most characters of a fault's message: it may quote what the file holds."""


def read_evals(documents: Sequence[object], path: str, faults: Sequence[Fault] = ()) -> Reading:
    """Return the evals in the documents of one file, or everything that is wrong with them.

    A document is one eval, a list of evals, or an object with a list under `evals`. Evals and checks know their place
    when the documents do. `faults` are those found before, by the reader of the file; with any fault there are no
    evals.
    """
    reader = _Reader(path, faults)
    for document in documents:
        # When its reader had trouble, a document that is no object is the debris of one.
        if not faults or isinstance(document, Mapping | list):
            reader.document(document)
    if not reader.evals and not reader.faults:
        reader.fault("the file holds no eval", None, "write at least one: a name, a conversation and what must hold")
    reader.faults += named_twice(reader.evals)
    return Reading(
        evals=() if reader.faults else tuple(reader.evals),
        # On one line, what the reader of the file met comes first: it explains the rest.
        faults=tuple(sorted(reader.faults, key=lambda fault: fault.where.line or 0)),
        warnings=tuple(reader.warnings),
    )


def named_twice(evals: Sequence[Eval]) -> list[Fault]:
    """Return a fault for each eval that has the name of one before it; it names both places."""
    first: dict[str, Eval] = {}
    faults = []
    for an_eval in evals:
        other = first.setdefault(an_eval.name, an_eval)
        if other is not an_eval:
            assert an_eval.where is not None  # what was read from a file has a place
            message = f"the name {shorten(an_eval.name, 60)!r} is taken: another eval has it, at {other.where}"
            faults.append(Fault(message, an_eval.where, "names are unique across a run"))
    return faults


class _TooManyFaultsError(Exception):
    """There is no point in reading on."""


class _BoundedFaults(Faults):
    """Faults that stop the reading when there are too many: a file of nothing but faults must not take minutes."""

    __slots__ = ()

    def add(self, message: str, path: Path, hint: str | None = None) -> None:
        if len(self.found) >= MAX_FAULTS:
            raise _TooManyFaultsError
        super().add(shorten(message, _LONGEST_MESSAGE), path, hint)


class _Reader:
    """Reads the documents of one file."""

    def __init__(self, path: str, faults: Sequence[Fault]) -> None:
        self.evals: list[Eval] = []
        self.faults = list(faults)
        self.warnings: list[str] = []
        self._path = path
        self._shape = eval_shape()

    def document(self, document: object) -> None:
        """Read one document."""
        several: object = document
        base: Path = ()
        if isinstance(document, Mapping) and "evals" in document:
            self._other_keys(document)
            several, base = document["evals"], ("evals",)
            if not isinstance(several, list | tuple):
                self._fault_at(document, ShapeFault("'evals' must be a list of evals", base))
                return
        if not isinstance(several, list | tuple):
            self._eval(document, document, ())
            return
        if not several:
            self._fault_at(document, ShapeFault("this list holds no eval", base))
        for index, item in enumerate(several):
            self._eval(item, document, (*base, index))

    def fault(self, message: str, where: Where | None, hint: str | None) -> None:
        """Note a fault, of the whole file when it has no place."""
        self.faults.append(Fault(message, where or Where(self._path), hint))

    def _eval(self, written: object, document: object, base: Path) -> None:
        if len(self.faults) >= MAX_FAULTS:
            return
        faults = _BoundedFaults()
        try:
            read: Any = self._shape.read(written, (), faults)
        except _TooManyFaultsError:
            faults.found[-1] = ShapeFault(f"there are more than {MAX_FAULTS:,} faults here", ())
        if faults.found:
            for fault in faults.found:
                self._fault_at(document, ShapeFault(fault.message, (*base, *fault.path), fault.hint))
            return
        self.evals.append(_Builder(self._path, written, self.warnings).eval(read))

    def _other_keys(self, document: Mapping[object, object]) -> None:
        for key in document.keys() - {"evals", "$schema"}:
            known = nearest(str(key), ["evals"])
            hint = f"did you mean {known!r}?" if known else "beside 'evals' there is nothing; evals hold the rest"
            self._fault_at(document, ShapeFault(f"unknown key {shorten(str(key), 60)!r}", (str(key),), hint))

    def _fault_at(self, document: object, fault: ShapeFault) -> None:
        mark = mark_at(document, fault.path)
        message = fault.message
        if not _knows_places(document) and fault.path:
            message = f"{_in_words(fault.path)}: {message}"
        self.fault(message, Where(self._path, *mark) if mark else None, fault.hint)


def _knows_places(document: object) -> bool:
    return isinstance(document, LocatedDict | LocatedList) and bool(document.marks or not document)


def _in_words(path: Path) -> str:
    """Return a path as one writes it: `conversation[0].assert.tools[1]`."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


class _Builder:
    """Builds one eval of what its shape has read without a fault; places come from `written`."""

    def __init__(self, path: str, written: object, warnings: list[str]) -> None:
        self._path, self._written, self._warnings = path, written, warnings

    def eval(self, read: Mapping[str, Any]) -> Eval:
        """Return the eval."""
        options = read.get("options", {})
        return Eval(
            name=read["name"],
            description=read.get("description"),
            type=read.get("type"),
            tags=tuple(read.get("tags", ())),
            setup=_setup(read["setup"]) if "setup" in read else Setup(),
            turns=tuple(self._turn(turn, index) for index, turn in enumerate(read.get("conversation", ()))),
            scenario=_scenario(read["scenario"]) if "scenario" in read else None,
            outcome=self._checks(read.get("outcome", {}), ("outcome",)),
            options=Options(
                idle_timeout_ms=options.get("idleTimeout"), judge_pass_threshold=options.get("judgePassThreshold")
            ),
            extra=_data(read.get("extra", {})),
            where=self._where(()),
        )

    def _turn(self, read: Mapping[str, Any], index: int) -> Turn:
        path: Path = ("conversation", index)
        event = read.get("event")
        if event is not None and "type" in event:
            self._warn(f"turn {index + 1}: the event's 'type' is ignored; agents get its payload", (*path, "event"))
        again = read.get("newConversation", False)
        if again and index == 0:
            self._warn("turn 1: 'newConversation' is ignored: the first turn always opens one", path)
        return Turn(
            user=None if event is not None else read["user"],
            event=None if event is None else _data(event.get("payload", {})),
            expect_silence=read.get("expectSilence", False),
            response_optional=read.get("responseOptional", False),
            new_conversation=again and index > 0,
            checks=self._checks(read.get("assert", {}), (*path, "assert")),
            reference=_reference(read["reference"]) if "reference" in read else None,
            extra=_data(read.get("extra", {})),
            where=self._where(path),
        )

    def _checks(self, read: Mapping[str, Any], path: Path) -> tuple[Check, ...]:
        return tuple(
            Check(category=category, spec=_data(spec), where=self._where((*path, category, index)))
            for category, specs in read.items()
            for index, spec in enumerate(specs)
        )

    def _where(self, path: Path) -> Where:
        mark = mark_at(self._written, path)
        return Where(self._path, *mark) if mark else Where(self._path)

    def _warn(self, message: str, path: Path) -> None:
        self._warnings.append(f"{self._where(path)}: {message}")


def _scenario(read: Mapping[str, Any]) -> Scenario:
    written = Scenario(starting_prompt=read["startingPrompt"], plan=read["plan"], persona=read.get("persona"))
    return replace(written, max_turns=read["maxTurns"]) if "maxTurns" in read else written


def _setup(read: Mapping[str, Any]) -> Setup:
    state = {scope: _data(values) for scope, values in read.get("state", {}).items()}
    workflow = read.get("workflow")
    return Setup(
        state=SeedState(**state),
        workflow=WorkflowTrigger(name=workflow["trigger"], input=_data(workflow.get("input", {})))
        if workflow
        else None,
        tools=tuple(_tool(tool) for tool in read.get("tools", ())),
        session=_data(read.get("session", {})),
    )


def _tool(read: Mapping[str, Any]) -> ToolMock:
    return ToolMock(
        name=read["name"],
        description=read.get("description", ""),
        parameters=_data(read["parameters"]) if "parameters" in read else None,
        results=tuple(_mock_result(result) for result in read.get("results", (read,))),
    )


def _mock_result(read: Mapping[str, Any]) -> MockResult:
    return MockResult(when=_data(read.get("when", {})), result=plain(read.get("result")), error=read.get("error"))


def _reference(read: Mapping[str, Any]) -> Reference:
    calls = read.get("toolCalls")
    return Reference(
        response=read.get("response"),
        tool_calls=None if calls is None else tuple(map(_tool_call, calls)),
    )


def _tool_call(read: Mapping[str, Any]) -> ToolCallReference:
    return ToolCallReference(name=read["name"], arguments=_data(read["arguments"]) if "arguments" in read else None)


def _data(value: Mapping[str, Any]) -> dict[str, object]:
    """Return an object without its places, which nobody asks for any more."""
    return {key: plain(item) for key, item in value.items()}
