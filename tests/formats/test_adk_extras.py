"""What we say of an eval beyond ADK, under the key `audition` of its case."""

import json
from pathlib import Path
from typing import Any

import pytest

from audition.formats import Reading
from audition.formats.adk import read_cases


@pytest.fixture
def reading(tmp_path: Path) -> Any:
    """Return a function that reads a case of two turns with something under our key."""

    def read(ours: object, **more: object) -> Reading:
        turns = [{"user_content": {"role": "user", "parts": [{"text": text}]}} for text in ("hi", "bye")]
        case = {"eval_id": "c", "conversation": turns, "audition": ours, **more}
        path = tmp_path / "s.test.json"
        path.write_text(json.dumps({"eval_set_id": "s", "eval_cases": [case]}, indent=1), encoding="utf-8")
        return read_cases(path)

    return read


def test_all_that_an_eval_dict_says_can_be_said_there(reading: Any) -> None:
    ours = {
        "description": "d",
        "type": "regression",
        "tags": ["smoke"],
        "options": {"idle_timeout": 5000},
        "setup": {"tools": [{"name": "f", "result": 1}], "state": {"bot": {}}},
        "outcome": {"state": [{"path": "user.a", "equals": 1}]},
        "turns": {
            "0": {"assert": {"response": [{"contains": "hello"}]}},
            "1": {"expect_silence": True, "newConversation": True},
        },
    }
    session = {"app_name": "a", "user_id": "u", "state": {"app:x": 1, "y": 2}}

    (one,) = reading(ours, session_input=session, final_session_state={"z": 3}).evals

    assert (one.description, one.type, one.tags) == ("d", "regression", ("smoke",))
    assert one.options.idle_timeout_ms == 5000
    assert one.setup.tools[0].name == "f"
    assert (one.setup.state.bot, one.setup.state.conversation) == ({}, {"y": 2})
    assert [check.spec["path"] for check in one.outcome] == ["conversation.z", "user.a"]
    assert one.turns[0].checks[0].spec == {"contains": "hello"}
    assert (one.turns[0].user, one.turns[1].user) == ("hi", "bye")
    assert (one.turns[1].expect_silence, one.turns[1].new_conversation) == (True, True)


def test_a_turn_may_push_an_event_where_adk_would_say_something(reading: Any) -> None:
    (one,) = reading({"turns": {"1": {"event": {"payload": {"n": 1}}}}}).evals

    assert (one.turns[1].user, one.turns[1].event) == (None, {"n": 1})


def test_nothing_need_be_said_there(reading: Any) -> None:
    (one,) = reading({}).evals

    assert one.turns[0].checks == ()


@pytest.mark.parametrize(
    ("ours", "expected", "line"),
    [
        ({"tagz": ["a"]}, "eval_cases[0].audition.tagz: unknown key 'tagz' in 'audition'", 29),
        ({"turns": {"2": {}}}, "eval_cases[0].audition.turns.2: there is no turn '2'", 30),
        ({"turns": {"0": {"user": "x"}}}, "eval_cases[0].audition.turns.0.user: unknown key 'user' in turn", 31),
        (
            {"turns": {"1": {"assert": {"respons": []}}}},
            "unknown key 'respons' in assert",
            32,
        ),
        ({"type": "smoke"}, "'type' must be one of 'capability', 'regression', not 'smoke'", 29),
        ({"scenario": {"maxTurns": 0}}, "eval_cases[0].audition.scenario.maxTurns: 'maxTurns' must be", 30),
        (5, "eval_cases[0].audition: 'audition' must be an object ('audition'), not a number (5)", 28),
    ],
    ids=["unknown", "no_turn", "turn_key", "category", "type", "max_turns", "no_object"],
)
def test_a_fault_there_stops_the_file_at_its_place(reading: Any, ours: object, expected: str, line: int) -> None:
    found = reading(ours)

    assert found.evals == ()
    (fault,) = found.faults
    assert fault.message.startswith(expected)
    assert fault.where.line == line
