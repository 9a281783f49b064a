"""The two forms that eval data had before there was an EvalSet: a list of cases, and a bare list of turns.

ADK reads each of them in one place and breaks over it in another. Source: google-adk, local_eval_sets_manager.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audition.documents.located import Path
from audition.documents.shape import Faults, ListOf, Text, kind_of
from audition.formats._adk_content import content_of
from audition.formats._adk_records import AdkRecord, AnyObject, may, must, unless

_TURN = AdkRecord(
    "turn",
    camel=False,
    unknown="dropped",
    query=must(Text()),
    reference=may(Text()),
    expected_tool_use=may(
        ListOf(
            AdkRecord("tool use", camel=False, unknown="dropped", tool_name=must(Text()), tool_input=must(AnyObject()))
        )
    ),
    expected_intermediate_agent_responses=unless(
        [], ListOf(AdkRecord("response", camel=False, unknown="dropped", author=must(Text()), text=must(Text())))
    ),
)
_CASE = AdkRecord(
    "case",
    camel=False,
    unknown="dropped",
    name=must(Text()),
    data=must(ListOf(_TURN)),
    initial_session=unless(
        {},
        AdkRecord(
            "initial session",
            camel=False,
            unknown="dropped",
            app_name=unless("", Text()),
            user_id=unless("", Text()),
            state=unless({}, AnyObject()),
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """An eval case as ADK has them now, and where it and its turns stand in the document."""

    data: Mapping[str, Any]
    path: Path
    turns_path: Path


def legacy_cases(document: list[object], file: str, faults: Faults) -> list[Case]:
    """Return the cases of a document in one of the old forms.

    A bare list of turns is one case, called as its file is.
    """
    kinds = {_kind(item) for item in document}
    before = len(faults.found)
    if kinds == {"case"}:
        read: Any = ListOf(_CASE).read(document, (), faults)
        return [_case(case, index) for index, case in enumerate(read)] if len(faults.found) == before else []
    if kinds == {"turn"}:
        turns: Any = ListOf(_TURN).read(document, (), faults)
        return [Case(data=_data(file, turns), path=(), turns_path=())] if len(faults.found) == before else []
    if document:
        faults.add(*_strange(document))
    else:
        faults.add("the list holds no cases", (), "write an EvalSet with at least one")
    return []


def ignored_keys(document: list[object]) -> list[str]:
    """Return the keys in a document of an old form that mean nothing, sorted."""
    items: list[Any] = [item for item in document if isinstance(item, Mapping)]
    turns = [turn for item in items for turn in (item["data"] if _kind(item) == "case" else [item])]
    cases = [item for item in items if _kind(item) == "case"]
    strange = {key for turn in turns for key in turn} - _TURN.keys.keys()
    return sorted(strange | ({key for case in cases for key in case} - _CASE.keys.keys()))


def _kind(item: object) -> str | None:
    if not isinstance(item, Mapping):
        return None
    if "data" in item:
        return "case"
    return "turn" if "query" in item else None


def _strange(document: list[object]) -> tuple[str, Path]:
    strange = next((index for index, item in enumerate(document) if _kind(item) is None), 0)
    item = document[strange]
    found = ", ".join(map(str, item)) if isinstance(item, Mapping) else kind_of(item)
    wanted = (
        "an object with eval_set_id and eval_cases is expected, or a list of old cases (name, data) or turns (query)"
    )
    return f"not an EvalSet: {wanted}, all of one kind (found: {found or 'nothing'})", (strange,)


def _case(case: Mapping[str, Any], index: int) -> Case:
    data = _data(case["name"], case["data"])
    if session := case.get("initial_session"):
        data["session_input"] = {"app_name": "", "user_id": "", **session}
    return Case(data=data, path=(index,), turns_path=(index, "data"))


def _data(name: str, turns: list[Mapping[str, Any]]) -> dict[str, Any]:
    return {"eval_id": name, "conversation": [_invocation(turn) for turn in turns]}


def _invocation(turn: Mapping[str, Any]) -> dict[str, object]:
    invocation: dict[str, object] = {"user_content": content_of(turn["query"], "user")}
    if "reference" in turn:
        invocation["final_response"] = content_of(turn["reference"], "model")
    responses = [
        [said["author"], [{"text": said["text"]}]] for said in turn.get("expected_intermediate_agent_responses", ())
    ]
    if "expected_tool_use" in turn or responses:
        uses = [{"name": use["tool_name"], "args": use["tool_input"]} for use in turn.get("expected_tool_use", ())]
        intermediate = {"tool_uses": uses, "intermediate_responses": responses}
        invocation["intermediate_data"] = {key: value for key, value in intermediate.items() if value}
    return invocation
