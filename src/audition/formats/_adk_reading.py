"""From an eval set of ADK's to evals of ours."""

from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from audition.documents.located import Path, mark_at
from audition.documents.shape import Faults
from audition.errors import Fault, Where
from audition.evals import Check, Data, Eval, Reference, Scenario, Setup, Turn
from audition.formats._adk_content import (
    calls_of,
    content_of,
    intermediate_of,
    persona_of,
    persona_text,
    scope_and_name,
    scopes_of,
    text_of,
)
from audition.formats._adk_extras import KEY, read_extras, with_extras
from audition.formats._adk_legacy import Case, ignored_keys, legacy_cases
from audition.formats._adk_records import faults_in, in_words
from audition.formats._adk_shapes import EVAL_SET
from audition.formats._format import Reading

_MODELLED = frozenset({"eval_id", "conversation", "conversation_scenario", "session_input", "final_session_state", KEY})
"""The keys of a case that our words can say; the rest is kept as it is."""

_KEPT_OF_A_TURN = (
    "invocation_id", "creation_timestamp", "duration", "model_duration", "tool_duration", "rubrics", "app_details",
)  # fmt: skip

_RUBRIC_TYPES = ("FINAL_RESPONSE_QUALITY", "TOOL_USE_QUALITY", "TRAJECTORY_QUALITY")


def read_eval_set(document: object, file: str) -> Reading:
    """Return the evals of an eval set, in its present form or in one of the two old ones, without any criteria."""
    reader = _Reader(document, file)
    cases, eval_set, faults = reader.cases()
    evals = [] if faults else [reader.eval(case, eval_set, faults) for case in cases]
    faults.sort(key=lambda fault: (fault.where.line or 0, fault.where.column or 0))
    return Reading(evals=() if faults else tuple(evals), faults=tuple(faults), warnings=tuple(reader.warnings))


def session_setup(session_input: Mapping[str, Any]) -> Setup:
    """Return the setup that a `session_input` asks for."""
    session = {key: value for key, value in session_input.items() if key != "state"}
    return Setup(state=scopes_of(session_input.get("state", {})), session=session)


class _Reader:
    """Reads one document; `warnings` fills up meanwhile."""

    def __init__(self, document: object, file: str) -> None:
        self.warnings: list[str] = []
        self._document, self._file = document, file

    def cases(self) -> tuple[list[Case], Data, list[Fault]]:
        """Return the cases of an eval set, what else it says, and what is wrong with it."""
        faults = Faults()
        # ADK calls the set by the whole path, and cannot save the results of a set with a slash in its id.
        eval_set: Data = {"eval_set_id": FilePath(self._file).name.partition(".")[0]}
        if isinstance(self._document, list):
            cases = legacy_cases(self._document, self._file, faults)
            if cases and (ignored := ignored_keys(self._document)):
                self._warn(f"ignored, as ADK does: {', '.join(ignored)}", ())
        elif _no_eval_set(self._document, faults):
            cases = []
        else:
            cases, eval_set = self._cases_of_today(faults)
        _ids_once(cases, faults)
        return cases, eval_set, [*faults_in(self._document, faults.found, self._file)]

    def _cases_of_today(self, faults: Faults) -> tuple[list[Case], Data]:
        read: Any = EVAL_SET.read(self._document, (), faults)
        cases = [
            Case(data=case, path=("eval_cases", index), turns_path=("eval_cases", index, "conversation"))
            for index, case in enumerate(read.get("eval_cases", ()))
        ]
        if not cases and not faults.found:
            faults.add("the eval set has no cases", ("eval_cases",), "write at least one")
        for case in cases:
            _one_conversation(case, faults)
        for key in [key for key in read if key not in EVAL_SET.keys]:
            self._warn("ADK does not know this key of an eval set, and drops it", (key,))
        return cases, {key: value for key, value in read.items() if key != "eval_cases"}

    def eval(self, case: Case, eval_set: Data, faults: list[Fault]) -> Eval:
        """Return the eval of one case; faults in what is ours are added to the list."""
        data = case.data
        scenario = data.get("conversation_scenario")
        turns = tuple(self._turn(turn, case, index) for index, turn in enumerate(data.get("conversation", ())))
        self._warn_of_rubrics(case)
        if not turns and scenario is None:
            self._warn(f"the eval case {data['eval_id']!r} has no turns: nothing of it can be evaluated", case.path)
        extra = {key: value for key, value in data.items() if key not in _MODELLED}
        extra[KEY] = {"eval_set": eval_set} | _persona_kept(scenario or {})
        found = Eval(
            name=data["eval_id"],
            setup=session_setup(data["session_input"]) if "session_input" in data else Setup(),
            turns=turns,
            scenario=None if scenario is None else _scenario(scenario),
            outcome=tuple(self._state_checks(data.get("final_session_state", {}), case.path)),
            extra=extra,
            where=self._where(case.path),
        )
        written = _at(self._document, case.path)
        extras, wrong, warnings = read_extras(written, len(turns), self._document, case.path, self._file)
        faults.extend(wrong)
        self.warnings.extend(warnings)
        return found if extras is None else with_extras(found, extras)

    def _warn_of_rubrics(self, case: Case) -> None:
        rubrics = [*case.data.get("rubrics", ())]
        rubrics += [rubric for turn in case.data.get("conversation", ()) for rubric in turn.get("rubrics", ())]
        for rubric in rubrics:
            named = f"the rubric {rubric['rubric_id']!r} has"
            if rubric.get("type") not in _RUBRIC_TYPES:
                kind = f"the type {rubric['type']!r}" if "type" in rubric else "no type"
                known = ", ".join(_RUBRIC_TYPES)
                self._warn(f"{named} {kind}, so that no criterion uses it (there are: {known})", case.path)
            elif not rubric["rubric_content"].get("text_property"):
                self._warn(f"{named} no text_property, so that it asks nothing", case.path)

    def _turn(self, turn: Mapping[str, Any], case: Case, index: int) -> Turn:
        user = text_of(turn["user_content"]) or ""
        response, calls = text_of(turn.get("final_response")), calls_of(turn.get("intermediate_data"))
        extra = {key: turn[key] for key in _KEPT_OF_A_TURN if key in turn}
        plainest = {
            "user_content": content_of(user, "user"),
            "final_response": content_of(response or "", "model"),
            "intermediate_data": intermediate_of(calls or ()),
        }
        extra |= {key: turn[key] for key, content in plainest.items() if key in turn and turn[key] != content}
        said_something = response is not None or calls is not None
        return Turn(
            user=user,
            reference=Reference(response=response, tool_calls=calls) if said_something else None,
            extra=extra,
            where=self._where((*case.turns_path, index)),
        )

    def _state_checks(self, state: Mapping[str, Any], path: Path) -> Iterator[Check]:
        where = self._where((*path, "final_session_state"))
        for key, value in state.items():
            scope, name = scope_and_name(key)
            yield Check(category="state", spec={"path": f"{scope}.{name}", "equals": value}, where=where)

    def _where(self, path: Path) -> Where:
        mark = mark_at(self._document, path)
        return Where(self._file, *mark) if mark else Where(self._file)

    def _warn(self, message: str, path: Path) -> None:
        place = in_words(path)
        self.warnings.append(f"{self._where(path)}: {place}: {message}" if place else f"{self._where(path)}: {message}")


def _no_eval_set(document: object, faults: Faults) -> bool:
    """Tell whether a document is nothing like an eval set, and say what it is instead."""
    if not isinstance(document, Mapping):
        faults.add("not an EvalSet: an object with eval_set_id and eval_cases is expected", ())
        return True
    for key in ("eval_set_id", "eval_cases", "creation_timestamp"):
        first, *rest = key.split("_")
        camel = first + "".join(map(str.capitalize, rest))
        if camel in document and key not in document:
            message = f"{camel!r} must be written {key!r}: the keys of an EvalSet itself are in snake_case only"
            faults.add(message, (camel,))
    if faults.found:
        return True
    if "eval_set_id" in document or "eval_cases" in document:
        return False
    hint = None
    if "conversation" in document or "evals" in document:
        hint = "evals of audition's own are in files whose names end in .eval.json"
    found = ", ".join(map(str, document)) or "nothing"
    faults.add(f"not an EvalSet: eval_set_id and eval_cases are missing (found: {found})", (), hint)
    return True


def _one_conversation(case: Case, faults: Faults) -> None:
    keys = ("conversation", "conversation_scenario")
    given = [key for key in keys if key in case.data]
    if len(given) != 1:
        problem = "has both 'conversation' and 'conversation_scenario'" if given else "has no conversation"
        faults.add(f"the eval case {problem}", case.path, f"exactly one of {' and '.join(keys)} must be there")


def _ids_once(cases: list[Case], faults: Faults) -> None:
    first: dict[str, int] = {}
    for number, case in enumerate(cases, 1):
        eval_id = case.data.get("eval_id")
        if isinstance(eval_id, str) and first.setdefault(eval_id, number) != number:
            message = f"eval_id {eval_id} is used twice (cases {first[eval_id]} and {number})"
            faults.add(message, (*case.path, "eval_id"), "results are kept by id, so each needs its own")


def _scenario(read: Mapping[str, Any]) -> Scenario:
    persona = read.get("user_persona")
    return Scenario(
        starting_prompt=read["starting_prompt"],
        plan=read["conversation_plan"],
        persona=persona_text(persona) if isinstance(persona, Mapping) else persona,
    )


def _persona_kept(scenario: Mapping[str, Any]) -> dict[str, object]:
    """Return a persona that is described in full, unless its description says it all."""
    persona = scenario.get("user_persona")
    if isinstance(persona, Mapping) and persona != persona_of(persona["description"]):
        return {"user_persona": persona}
    return {}


def _at(document: object, path: Path) -> Mapping[str, Any]:
    found: Any = document
    for step in path:
        found = found[step]
    return found if isinstance(found, Mapping) else {}
