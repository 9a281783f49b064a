"""Evals written as eval sets of ADK's: what is read from them is what was written."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audition.documents.located import plain
from audition.evals import (
    Check,
    Eval,
    MockResult,
    Options,
    Reference,
    Scenario,
    SeedState,
    Setup,
    Suite,
    ToolCallReference,
    ToolMock,
    Turn,
    WorkflowTrigger,
)
from audition.formats.adk import default_config, read_cases, with_criteria, write_eval_set


def without_places(one: Eval) -> Eval:
    def bare(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(replace(check, where=None) for check in checks)

    turns = tuple(replace(turn, where=None, checks=bare(turn.checks)) for turn in one.turns)
    return replace(one, where=None, turns=turns, outcome=bare(one.outcome), extra={})


@pytest.fixture
def there_and_back(tmp_path: Path) -> Callable[[Eval], Eval]:
    """Return a function that writes an eval, reads it, and returns it without places."""

    def go(one: Eval) -> Eval:
        path = tmp_path / "s.evalset.json"
        path.write_text(json.dumps(write_eval_set(Suite(name="s", evals=(one,)))), encoding="utf-8")
        reading = read_cases(path)
        assert [str(fault) for fault in reading.faults] == []
        return without_places(reading.evals[0])

    return go


RICH = Eval(
    name="refund",
    description="A refund in two steps.",
    type="regression",
    tags=("smoke", "money"),
    setup=Setup(
        state=SeedState(bot={"open": True}, user={"name": "Ann"}, conversation={"cart": [1, None, 9007199254740993]}),
        workflow=WorkflowTrigger(name="greet", input={"a": 1}),
        tools=(
            ToolMock(
                name="refund",
                description="Pays back.",
                parameters={"type": "object"},
                results=(MockResult(when={"id": "x"}, error="no such order"), MockResult(result={"ok": True})),
            ),
        ),
        session={"app_name": "shop", "user_id": "u1"},
    ),
    turns=(
        Turn(
            user="I want my money back",
            checks=(Check(category="response", spec={"contains": "order"}),),
            reference=Reference(
                response="Which order?", tool_calls=(ToolCallReference(name="orders", arguments={"of": "Ann"}),)
            ),
        ),
        Turn(event={"order": "A1"}, response_optional=True),
        Turn(user="A1", new_conversation=True, reference=Reference(tool_calls=())),
        Turn(user="...", expect_silence=True),
    ),
    outcome=(
        Check(category="state", spec={"path": "user.name", "equals": "Ann"}),
        Check(category="state", spec={"path": "conversation.cart", "changed": False}),
        Check(category="workflow", spec={"name": "greet", "completed": True}),
    ),
    options=Options(idle_timeout_ms=5000, judge_pass_threshold=4),
)


@pytest.mark.parametrize(
    "one",
    [
        RICH,
        Eval(name="bare", turns=(Turn(user="hi"),)),
        Eval(name="scenario", scenario=Scenario(starting_prompt="Hi", plan="Ask.", persona="NOVICE")),
        Eval(
            name="endless", scenario=Scenario(starting_prompt="Hi", plan="", persona="Is in a hurry.", max_turns=None)
        ),
        Eval(name="short", scenario=Scenario(starting_prompt="Hi", plan="Ask.", max_turns=3)),
        Eval(name="seeded", setup=Setup(state=SeedState(user={"n": 1})), turns=(Turn(user="hi"),)),
        Eval(name="emptied", setup=Setup(state=SeedState(bot={}, user={"": 1})), turns=(Turn(user="hi"),)),
        Eval(
            name="ambiguous",
            setup=Setup(state=SeedState(conversation={"user:n": 1, "b": 2})),
            turns=(Turn(user="hi"),),
            outcome=(Check(category="state", spec={"path": "conversation.user:n", "equals": 1}),),
        ),
        Eval(
            name="twice",
            turns=(Turn(user="hi"),),
            outcome=(
                Check(category="state", spec={"path": "bot.n", "equals": 1}),
                Check(category="state", spec={"path": "bot.n", "equals": 2}),
            ),
        ),
        Eval(
            name="whatever arguments",
            turns=(
                Turn(
                    user="hi",
                    reference=Reference(
                        tool_calls=(ToolCallReference(name="f"), ToolCallReference(name="g", arguments={}))
                    ),
                ),
            ),
        ),
        Eval(name="half a session", setup=Setup(session={"user_id": "u"}), turns=(Turn(user="hi"),)),
        Eval(name="shop/Ünïcode 漢字 ✅", turns=(Turn(user="Zażółć\n漢字 ✅"),)),
    ],
    ids=lambda one: one.name.split("/")[0].replace(" ", "_"),
)
def test_an_eval_of_ours_comes_back_as_it_was(there_and_back: Any, one: Eval) -> None:
    assert there_and_back(one) == without_places(one)


def test_criteria_of_a_config_stay_in_the_config(there_and_back: Any) -> None:
    (judged,) = with_criteria([RICH], default_config())

    assert there_and_back(judged) == without_places(RICH)


def test_an_eval_set_says_what_adk_knows_in_adks_words(golden: Any) -> None:
    written = write_eval_set(Suite(name="refund.eval.yaml", evals=(RICH,)))

    golden("adk_export.json", json.dumps(written, ensure_ascii=False, indent=2) + "\n")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("refunds.eval.yaml", "refunds_eval_yaml"), ("a/b c", "a_b_c"), ("漢字", "evals")],
    ids=["file", "path", "no_letters"],
)
def test_a_set_is_called_as_adk_allows(name: str, expected: str) -> None:
    assert write_eval_set(Suite(name=name, evals=()))["eval_set_id"] == expected


def test_a_set_keeps_its_name_unless_another_is_given(tmp_path: Path) -> None:
    turn = {"user_content": {"role": "user", "parts": [{"text": "hi"}]}}
    cases = [{"eval_id": "c", "conversation": [turn]}]
    data = {"eval_set_id": "mine", "description": "d", "creation_timestamp": 5.5, "eval_cases": cases}
    path = tmp_path / "s.evalset.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    suite = Suite(name="s", evals=read_cases(path).evals)

    kept, renamed = write_eval_set(suite), write_eval_set(suite, eval_set_id="other")

    assert plain(kept) == data
    assert plain(renamed) == {**data, "eval_set_id": "other"}


def test_what_was_changed_wins_over_what_was_kept(tmp_path: Path) -> None:
    parts = [{"text": "thinking", "thought": True}, {"text": "yes"}]
    turn = {
        "user_content": {"role": "user", "parts": [{"text": "hi"}, {"inline_data": {"mime_type": "a/b"}}]},
        "final_response": {"role": "model", "parts": parts},
        "intermediate_data": {"tool_uses": [{"id": "1", "name": "f"}]},
    }
    path = tmp_path / "s.evalset.json"
    path.write_text(
        json.dumps({"eval_set_id": "s", "eval_cases": [{"eval_id": "c", "conversation": [turn]}]}), encoding="utf-8"
    )
    (one,) = read_cases(path).evals
    changed = replace(one.turns[0], user="bye", reference=Reference(response="no", tool_calls=()))

    kept: Any = write_eval_set(Suite(name="s", evals=(one,)))
    written: Any = write_eval_set(Suite(name="s", evals=(replace(one, turns=(changed,)),)))

    assert kept["eval_cases"][0]["conversation"] == [turn]
    assert written["eval_cases"][0]["conversation"] == [
        {
            "user_content": {"role": "user", "parts": [{"text": "bye"}]},
            "final_response": {"role": "model", "parts": [{"text": "no"}]},
            "intermediate_data": {},
        }
    ]


def test_numbers_nulls_and_unknown_keys_survive(tmp_path: Path) -> None:
    # case: volcengine/veadk-python#291
    args = {"big": 9007199254740993, "f": 1.1, "n": None, "t": True, "u": "漢"}
    turn = {
        "user_content": {"parts": [{"text": "q"}], "role": "user"},
        "final_response": {"parts": [{"text": "a"}], "role": "model"},
        "intermediate_data": {"tool_uses": [{"name": "f", "args": args}]},
    }
    case = {"eval_id": "c", "conversation": [turn], "priority": "high"}
    path = tmp_path / "rt.evalset.json"
    path.write_text(json.dumps({"eval_set_id": "rt", "eval_cases": [case]}), encoding="utf-8")

    written: Any = write_eval_set(Suite(name="x", evals=read_cases(path).evals))

    assert json.dumps(written["eval_cases"][0]) == json.dumps(case)
