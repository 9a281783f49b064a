"""What a run performs for a case: the eval it stands for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from audition.errors import Fault, PlanError
from audition.evals import Check, Eval, Setup, ToolMock, Turn
from audition.formats import Reading, without_code
from audition.formats.eval_dict import read_evals
from audition.store.service.cases import Case


def to_eval(case: Case) -> Eval:
    """Return the eval that a case stands for, by the name `case-ID`.

    A scenario and criteria are an eval of one turn with one check; the context of the case is shown to the judge. A
    case that carries an eval is that eval, all checks included. What a case says is data, and nothing in it is filled
    in or carried out.

    Raises: PlanError when the eval it carries is none for this version of audition.
    """
    name = f"case-{case.id}"
    if case.eval is not None:
        reading = read_case_eval(case.eval, name)
        if reading.faults:
            raise PlanError(f"the eval of the case {case.id} cannot be used: {reading.faults[0]}", eval_name=name)
        return replace(reading.evals[0], name=name, tags=case.tags)
    check = Check(category="criteria", spec={"criteria": case.expected_criteria, **_situation(case.context)})
    turn = Turn(user=case.scenario, checks=(check,))
    return Eval(name=name, tags=case.tags, setup=Setup(tools=fixtures_of(case.tool_fixtures)), turns=(turn,))


def read_case_eval(written: Mapping[str, object], name: str) -> Reading:
    """Return the reading of one eval of a case; checks that run code are faults."""
    return without_code(read_evals([written], name))


def faults_of_fixtures(written: Sequence[Mapping[str, object]]) -> Sequence[Fault]:
    """Return what is wrong with tools with canned results."""
    return _with_tools(written).faults


def fixtures_of(written: Sequence[Mapping[str, object]]) -> tuple[ToolMock, ...]:
    """Return tools with canned results; they were found to be without fault when they were stored."""
    return _with_tools(written).evals[0].setup.tools if written else ()


def _with_tools(written: Sequence[Mapping[str, object]]) -> Reading:
    """Return the reading of an eval that has these tools, and is otherwise in order."""
    turn = {"user": "-", "expectSilence": True}
    return read_evals([{"name": "-", "setup": {"tools": list(written)}, "conversation": [turn]}], "tool_fixtures")


def _situation(context: Mapping[str, object]) -> Mapping[str, object]:
    if not context:
        return {}
    lines = (f"{name}: {told if isinstance(told, str) else _as_json(told)}" for name, told in context.items())
    return {"scenario": "\n".join(lines)}


def _as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
