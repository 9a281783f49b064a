"""`audition export` and `audition import adk`: evals become eval sets of ADK's, and eval sets become evals."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from audition.evals import Check, Eval
from audition.formats import gather

GREETING = """
name: greeting
tags: [smoke]
setup:
  state: {user: {name: Ann}}
conversation:
  - user: Zażółć 漢字 ✅
    reference: {response: Hello Ann, toolCalls: [{name: look_up, arguments: {id: 1}}]}
    assert: {response: [{contains: Ann}]}
outcome:
  state: [{path: user.name, equals: Ann}]
"""

EVAL_SET = {
    "eval_set_id": "home",
    "eval_cases": [
        {
            "eval_id": "lamp",
            "conversation": [
                {
                    "invocation_id": "i1",
                    "user_content": {"parts": [{"text": "Light on"}], "role": "user"},
                    "final_response": {"parts": [{"text": "Done."}], "role": "model"},
                    "intermediate_data": {"tool_uses": [{"name": "set_lamp", "args": {"on": True}}]},
                }
            ],
            "priority": "high",
            "session_input": {"app_name": "home", "user_id": "u", "state": {"user:room": "hall"}},
        },
        {
            "eval_id": "chat",
            "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Ask.", "user_persona": "EXPERT"},
        },
    ],
}


def without_places(one: Eval) -> Any:
    def bare(checks: tuple[Check, ...]) -> tuple[Check, ...]:
        return tuple(replace(check, where=None) for check in checks)

    turns = tuple(replace(turn, where=None, checks=bare(turn.checks)) for turn in one.turns)
    return replace(one, where=None, turns=turns, outcome=bare(one.outcome))


def read(path: str) -> list[Any]:
    gathered = gather([Path(path)])
    assert [str(fault) for fault in gathered.faults] == []
    return list(map(without_places, gathered.suite.evals))


def test_evals_become_an_eval_set(empty: Any) -> None:
    empty.write("evals/greeting.eval.yaml", GREETING)

    result = empty.invoke("export", "adk", "evals", "--output", "out.evalset.json")

    assert (result.exit_code, result.stdout) == (0, "wrote out.evalset.json: 1 eval\n")
    (one,), (other,) = read("evals"), read("out.evalset.json")
    assert (other.name, other.tags, other.setup.state, other.turns) == (one.name, one.tags, one.setup.state, one.turns)
    assert other.outcome[: len(one.outcome)] == one.outcome


def test_an_eval_set_is_written_to_the_terminal_without_a_file(empty: Any) -> None:
    empty.write("evals/greeting.eval.yaml", GREETING)

    result = empty.invoke("export", "adk", "--id", "mine")

    written = json.loads(result.stdout)
    assert (written["eval_set_id"], written["eval_cases"][0]["eval_id"]) == ("mine", "greeting")


@pytest.mark.parametrize(("evals", "code"), [("name: [", 2), ("# nothing\n", 4)], ids=["unreadable", "none"])
def test_nothing_is_written_when_there_is_nothing_to_write(empty: Any, evals: str, code: int) -> None:
    empty.write("evals/a.eval.yaml", evals)

    result = empty.invoke("export", "adk", "evals", "--output", "out.evalset.json")

    assert result.exit_code == code
    assert not (empty.folder / "out.evalset.json").exists()


def test_what_adk_cannot_do_is_told(empty: Any) -> None:
    empty.write("a.eval.yaml", "name: a\nconversation: [{user: hi}, {event: {payload: {}}, expectSilence: true}]\n")

    result = empty.invoke("export", "adk", "a.eval.yaml", "--output", "out.evalset.json")

    assert result.stderr == "warning: a: ADK cannot push events, so there turn 2 says nothing\n"


def test_an_eval_set_becomes_yaml_and_an_eval_set_again(empty: Any) -> None:
    empty.write("home.evalset.json", json.dumps(EVAL_SET))

    imported = empty.invoke("import", "adk", "home.evalset.json")
    exported = empty.invoke("export", "adk", "home.eval.yaml", "--output", "again.json")

    assert imported.stdout.startswith("wrote home.eval.yaml: 2 evals\nimported 2 evals of 1 file\n")
    assert (imported.exit_code, exported.exit_code) == (0, 0)
    assert json.loads((empty.folder / "again.json").read_text(encoding="utf-8")) == EVAL_SET
    assert read("home.eval.yaml") == read("home.evalset.json") == read("again.json")


def test_a_file_of_any_name_can_be_imported(empty: Any) -> None:
    empty.write("lamps.json", json.dumps(EVAL_SET))

    assert empty.invoke("import", "adk", "lamps.json").exit_code == 0

    assert [one.name for one in read("lamps.eval.yaml")] == ["lamp", "chat"]


def test_text_is_the_same_whatever_the_locale(empty: Any) -> None:
    # case: google/adk-python#6690
    empty.write("evals/greeting.eval.yaml", GREETING)
    command = [sys.executable, "-m", "audition", "export", "adk", "evals", "--output", "out.evalset.json"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "PYTHON"))}

    subprocess.run(command, env={**plain, "PYTHONUTF8": "0", "LC_ALL": "C"}, check=True)

    assert "Zażółć 漢字 ✅".encode() in (empty.folder / "out.evalset.json").read_bytes()
