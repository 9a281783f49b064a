"""Files of eval data: what google-adk's own models load, we load too, and what we write, they load."""

import base64
import json
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from audition.documents.json import read_json
from audition.evals import Check, Eval, Suite
from audition.formats import Reading
from audition.formats._adk_reading import read_eval_set
from audition.formats.adk import write_eval_set

pytestmark = pytest.mark.parity

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    eval_sets = pytest.importorskip("google.adk.evaluation.eval_set")
    managers = pytest.importorskip("google.adk.evaluation.local_eval_sets_manager")

CAMPAIGN = settings(
    max_examples=2000, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
FEWER = settings(CAMPAIGN, max_examples=1000)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
NAME = st.sampled_from(["get_weather", "set_lamp", "f", "漢字", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=3)
SECONDS = st.one_of(st.floats(0, 2e9), st.integers(0, 9), st.sampled_from(["1.5", "1e3", " 7 ", True]))
FLAGS = st.sampled_from([True, False, "yes", "OFF", 0, 1])
BASE64 = st.binary(max_size=4).map(lambda raw: base64.b64encode(raw).decode())


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def objects(
    *, must: dict[str, Any], may: dict[str, Any] | None = None, nullable: tuple[str, ...] = (), snake: bool = False
) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects in which some keys are left out, some are null, and all are in either spelling."""

    def build(draw: st.DrawFn) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, values in {**must, **(may or {})}.items():
            if name not in must and not draw(st.integers(0, 2)):
                continue
            spelled = name if snake or draw(st.booleans()) else camel(name)
            found[spelled] = None if name in nullable and not draw(st.integers(0, 4)) else draw(values)
        return found

    return st.composite(build)()


CALLS = objects(
    must={}, may={"id": TEXT, "name": NAME, "args": OBJECTS, "will_continue": FLAGS}, nullable=("id", "args")
)
RESPONSES = objects(must={"name": NAME}, may={"id": TEXT, "response": OBJECTS}, nullable=("id",))
BLOBS = objects(must={"mime_type": TEXT}, may={"data": BASE64})
PARTS = objects(
    must={},
    may={
        "text": TEXT,
        "thought": FLAGS,
        "thought_signature": BASE64,
        "function_call": CALLS,
        "function_response": RESPONSES,
        "inline_data": BLOBS,
        "video_metadata": st.none(),
    },
    nullable=("text", "thought", "function_call", "inline_data"),
)
CONTENTS = objects(
    must={"parts": st.lists(PARTS, max_size=2)},
    may={"role": st.sampled_from(["user", "model"])},
    nullable=("parts", "role"),
)
PLAIN = TEXT.map(lambda text: {"role": "user", "parts": [{"text": text}]})
COLLECTED = objects(
    must={},
    may={
        "tool_uses": st.lists(CALLS, max_size=3),
        "tool_responses": st.lists(RESPONSES, max_size=1),
        "intermediate_responses": st.lists(st.tuples(TEXT, st.lists(PARTS, max_size=1)).map(list), max_size=1),
    },
)
EVENTS = objects(
    must={
        "invocation_events": st.lists(
            objects(
                must={"author": TEXT},
                may={"content": CONTENTS, "model_version": TEXT, "usage_metadata": st.just({"promptTokenCount": 3})},
                nullable=("content",),
            ),
            max_size=2,
        )
    }
)
RUBRICS = st.lists(
    objects(
        must={"rubric_id": TEXT, "rubric_content": objects(must={}, may={"text_property": TEXT})},
        may={"description": TEXT, "type": st.sampled_from(["TOOL_USE_QUALITY", "x"])},
        nullable=("description", "type"),
    ),
    max_size=2,
)
INVOCATIONS = objects(
    must={"user_content": PLAIN | CONTENTS},
    may={
        "invocation_id": TEXT,
        "final_response": PLAIN | CONTENTS,
        "intermediate_data": COLLECTED | EVENTS,
        "creation_timestamp": SECONDS,
        "duration": SECONDS,
        "rubrics": RUBRICS,
        "app_details": objects(
            must={},
            may={
                "agent_details": st.dictionaries(
                    TEXT,
                    objects(must={"name": TEXT}, may={"instructions": TEXT, "tool_declarations": st.lists(VALUES)}),
                    max_size=1,
                )
            },
        ),
    },
    nullable=("final_response", "intermediate_data", "rubrics", "duration"),
)
STATES = st.dictionaries(
    st.builds(lambda prefix, key: prefix + key, st.sampled_from(["", "user:", "app:", "temp:", "x."]), TEXT),
    VALUES,
    max_size=3,
)
SESSIONS = objects(
    must={"app_name": TEXT, "user_id": TEXT},
    may={"session_id": TEXT, "state": STATES, "unknown_key": VALUES},
    nullable=("session_id",),
)
PERSONAS = st.sampled_from(["EXPERT", "NOVICE", "EVALUATOR"]) | objects(
    must={
        "id": TEXT,
        "description": TEXT,
        "behaviors": st.lists(
            objects(
                must={
                    "name": TEXT,
                    "description": TEXT,
                    "behavior_instructions": st.lists(TEXT, max_size=1),
                    "violation_rubrics": st.lists(TEXT, max_size=1),
                },
                snake=True,
            ),
            max_size=1,
        ),
    },
    snake=True,
)
SCENARIOS = objects(
    must={"starting_prompt": TEXT, "conversation_plan": TEXT},
    may={"user_persona": PERSONAS},
    nullable=("user_persona",),
)
REST_OF_A_CASE = {
    "session_input": SESSIONS,
    "rubrics": RUBRICS,
    "creation_timestamp": SECONDS,
    "final_session_state": STATES,
    "priority": VALUES,
}
NULLABLE = ("session_input", "rubrics", "final_session_state")
CASES = st.one_of(
    objects(
        must={"eval_id": TEXT, "conversation": st.lists(INVOCATIONS, max_size=2)}, may=REST_OF_A_CASE, nullable=NULLABLE
    ),
    objects(must={"eval_id": TEXT, "conversation_scenario": SCENARIOS}, may=REST_OF_A_CASE, nullable=NULLABLE),
)
EVAL_SETS = objects(
    must={
        "eval_set_id": TEXT,
        "eval_cases": st.lists(
            CASES, min_size=1, max_size=2, unique_by=lambda case: case.get("eval_id", case.get("evalId"))
        ),
    },
    may={"name": TEXT, "description": TEXT, "creation_timestamp": SECONDS, "unknown_key": VALUES},
    nullable=("name", "description"),
    snake=True,
)


def adk_loads(text: str) -> Any:
    """Return the eval set that ADK's model makes of a text, None when it makes none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Its validators raise more than ValidationError: NotFoundError for a persona, AttributeError for an enum.
        try:
            return eval_sets.EvalSet.model_validate_json(text)
        except Exception:
            return None


def ours(text: str) -> Reading:
    documents, faults = read_json(text, "x.json")
    return Reading(faults=tuple(faults)) if faults else read_eval_set(documents[0], "x.json")


def written(reading: Reading) -> str:
    return json.dumps(write_eval_set(Suite(name="x", evals=reading.evals)), ensure_ascii=False)


def meaning(eval_set: Any) -> object:
    """Return what an eval set of ADK's says, without what goes without saying."""
    return eval_set.model_dump(mode="json", exclude_defaults=True, exclude_none=True, exclude_unset=True)


def without_places(one: Eval) -> Eval:
    def bare(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(replace(check, where=None) for check in checks)

    turns = tuple(replace(turn, where=None, checks=bare(turn.checks)) for turn in one.turns)
    return replace(one, where=None, turns=turns, outcome=bare(one.outcome))


@CAMPAIGN
@given(EVAL_SETS)
def test_every_set_that_adk_loads_is_loaded_and_comes_back_the_same(data: dict[str, Any]) -> None:
    text = json.dumps(data)
    theirs = adk_loads(text)
    assert theirs is not None, "the generator is to make valid sets"

    reading = ours(text)

    assert reading.faults == ()
    back = written(reading)
    assert list(map(without_places, ours(back).evals)) == list(map(without_places, reading.evals))
    assert meaning(adk_loads(back)) == meaning(theirs)


OPAQUE = {"usage_metadata", "usageMetadata", "tool_declarations", "toolDeclarations", "video_metadata", "videoMetadata"}
STRANGE = st.sampled_from([None, 5, True, "x", "2", [], {}, ["x"], {"x": 1}, [None], "é", 1.5, "a=", "NOVICE"])


def damaged(draw: st.DrawFn) -> dict[str, Any]:
    """Return an eval set with one thing changed, somewhere that both sides look at."""
    data = draw(EVAL_SETS)
    places: list[tuple[Any, Any]] = []

    def walk(part: Any) -> None:
        for key, value in list(part.items() if isinstance(part, dict) else enumerate(part)):
            if key in OPAQUE:
                continue
            places.append((part, key))
            if isinstance(value, dict | list):
                walk(value)

    walk(data)
    part, key = draw(st.sampled_from(places))
    how = draw(st.sampled_from(["replace", "remove", "add", "respell"]))
    if how == "remove" or (how != "replace" and not isinstance(part, dict)):
        del part[key]
    elif how == "replace":
        part[key] = draw(STRANGE)
    elif how == "add":
        part["somethingElse"] = draw(STRANGE)
    else:
        part[str(key).title()] = part.pop(key)
    return data


def no_such_thing_in_adk(data: Any) -> bool:
    """Tell whether a set is one that we refuse on purpose, though ADK takes it: no cases, or an id twice."""
    cases = data.get("eval_cases") if isinstance(data, dict) else None
    if not isinstance(cases, list):
        return False
    ids = [case.get("evalId", case.get("eval_id")) for case in cases if isinstance(case, dict)]
    return not cases or len({repr(one) for one in ids}) < len(ids)


@FEWER
@given(st.composite(damaged)())
def test_what_adk_rejects_is_rejected_and_what_it_takes_is_taken(data: dict[str, Any]) -> None:
    assume(not no_such_thing_in_adk(data))
    text = json.dumps(data)

    reading = ours(text)

    assert (adk_loads(text) is not None) == (reading.faults == ()), [str(fault) for fault in reading.faults]


LEGACY_TURN = {
    "query": "Roll two dice",
    "expected_tool_use": [{"tool_name": "roll", "tool_input": {"sides": 6}}],
    "expected_intermediate_agent_responses": [{"author": "dice", "text": "rolling"}],
    "reference": "5 and 6",
    "mock_tool_output": "ignored",
}


def test_an_old_list_of_cases_says_what_adk_says_it_says(tmp_path: Path) -> None:
    old = [{"name": "dice", "data": [LEGACY_TURN], "initial_session": {"state": {"a": 1}, "user_id": "u"}}]
    path = tmp_path / "old.test.json"
    path.write_text(json.dumps(old), encoding="utf-8")
    theirs = meaning(managers.load_eval_set_from_file(str(path), "x"))

    back = meaning(adk_loads(written(ours(json.dumps(old)))))

    def timeless(eval_set: Any) -> object:
        case = eval_set["eval_cases"][0]
        for part in (case, *case["conversation"]):
            part.pop("creation_timestamp", None)
            part.pop("invocation_id", None)
        return case

    assert timeless(back) == timeless(theirs)


@pytest.fixture
def loads_in_adk() -> Callable[[dict[str, object]], Any]:
    return lambda eval_set: adk_loads(json.dumps(eval_set))


def test_what_is_ours_alone_survives_a_way_through_adk(loads_in_adk: Any) -> None:
    mine: dict[str, object] = {
        "eval_set_id": "s",
        "eval_cases": [
            {
                "eval_id": "c",
                "conversation": [{"user_content": {"role": "user", "parts": [{"text": "hi"}]}}],
                "audition": {
                    "tags": ["smoke"],
                    "turns": {"0": {"assert": {"response": [{"contains": "hello"}]}}},
                    "setup": {"tools": [{"name": "f", "result": {"n": 1}}]},
                },
            }
        ],
    }
    saved = loads_in_adk(mine).model_dump_json(exclude_unset=True, exclude_defaults=True, exclude_none=True)

    (one,) = ours(saved).evals

    assert one.tags == ("smoke",)
    assert one.turns[0].checks[0].spec == {"contains": "hello"}
    assert one.setup.tools[0].results[0].result == {"n": 1}
