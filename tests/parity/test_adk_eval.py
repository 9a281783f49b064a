"""`audition adk` beside the `adk` that is installed: verdicts, numbers, ids, and result files."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.parity

EXAMPLE = Path(__file__).parents[2] / "examples" / "home_automation"
AGENT = "home_automation_agent"
TIMED = "invocation_duration_v1"
LIMIT_S = 240

KITCHEN, ANSWER = "What's the temperature in the Kitchen?", "The temperature in the Kitchen is 24 degrees Celsius."
ASKS = [{"name": "get_temperature", "args": {"location": "Kitchen"}}]
SET_BEDROOM = {"name": "set_temperature", "args": {"location": "Bedroom", "temperature": 21}}

CASES: dict[str, tuple[str, str | None, Any]] = {
    "as_expected": (KITCHEN, ANSWER, {"tool_uses": ASKS}),
    "another_answer": (KITCHEN, "Twenty-four.", {"tool_uses": ASKS}),
    "no_answer_expected": (KITCHEN, None, {"tool_uses": ASKS}),
    "half_the_words": (KITCHEN, "The Kitchen temperature: 24", {"tool_uses": ASKS}),
    "another_argument": (
        KITCHEN,
        ANSWER,
        {"tool_uses": [{"name": "get_temperature", "args": {"location": "kitchen"}}]},
    ),
    "arguments_are_null": (KITCHEN, ANSWER, {"tool_uses": [{"name": "get_temperature", "args": None}]}),
    "one_call_more": (KITCHEN, ANSWER, {"tool_uses": ASKS * 2}),
    "no_call_expected": (KITCHEN, ANSWER, {"tool_uses": []}),
    "nothing_said_of_calls": (KITCHEN, ANSWER, None),
    "a_whole_number": (
        "Set the Bedroom to 21 degrees.",
        "The Bedroom is now set to 21 degrees.",
        {"tool_uses": [SET_BEDROOM]},
    ),
    "unknown_words": ("Sing!", "I can tell and set temperatures, and list and switch devices.", {}),
}
"""What is said, what is expected to be answered, and to be done."""

CONFIGS: dict[str, dict[str, Any]] = {
    "defaults": {"tool_trajectory_avg_score": 1.0, "response_match_score": 0.8},
    "in order": {
        "tool_trajectory_avg_score": {"threshold": 1.0, "match_type": "IN_ORDER"}, "response_match_score": 0.6,
    },
    "any order, names": {
        "tool_trajectory_avg_score": {"threshold": 0.5, "match_type": "any order", "ignore_args": True},
    },
    "with a judge that nobody can reach": {"response_match_score": 0.5, "final_response_match_v2": 1.0},
}  # fmt: skip


def turn(said: str, answered: str | None, done: Any) -> dict[str, Any]:
    content = {"role": "user", "parts": [{"text": said}]}
    expected = None if answered is None else {"role": "model", "parts": [{"text": answered}]}
    return {"user_content": content, "final_response": expected, "intermediate_data": done}


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of the example's agent, with eval sets beside it, as the current folder's."""
    pytest.importorskip("google.adk")
    left_out = shutil.ignore_patterns(".adk", ".audition", "__pycache__")
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True, ignore=left_out)
    cases = [{"eval_id": name, "conversation": [turn(*case)]} for name, case in CASES.items()]
    two_turns = [turn(*CASES["as_expected"]), turn(*CASES["another_answer"])]
    cases.append({"eval_id": "two_turns", "conversation": two_turns})
    (tmp_path / "many.evalset.json").write_text(json.dumps({"eval_set_id": "many", "eval_cases": cases}))
    (tmp_path / "audition.toml").write_text('[providers.nowhere]\nbase_url = "http://127.0.0.1:9/v1"\nattempts = 1\n')
    monkeypatch.chdir(tmp_path)
    return tmp_path / AGENT


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", *arguments], capture_output=True, encoding="utf-8", timeout=LIMIT_S, check=False
    )


def results(house: Path) -> list[Any]:
    """Return the result files of the agent as ADK reads them, and take them away."""
    from google.adk.evaluation.local_eval_set_results_manager import LocalEvalSetResultsManager

    manager = LocalEvalSetResultsManager(agents_dir=str(house.parent))
    found = [manager.get_eval_set_result(AGENT, name) for name in manager.list_eval_set_results(AGENT)]
    shutil.rmtree(house / ".adk")
    return sorted(found, key=lambda one: one.eval_set_id)


def verdicts(found: list[Any]) -> dict[tuple[str, str], Any]:
    return {
        (case.eval_set_id, case.eval_id): (case.final_eval_status.name, _metrics(case.overall_eval_metric_results))
        for one in found
        for case in one.eval_case_results
    }


def _metrics(measured: list[Any]) -> dict[str, tuple[str, float | None]]:
    return {one.metric_name: (one.eval_status.name, one.score) for one in measured if one.metric_name != TIMED}


def counts(printed: str) -> list[str]:
    lines = printed[printed.index("Eval Run Summary") :].splitlines()
    return [line for line in lines if line.startswith(("Eval Run Summary", "  Tests passed", "  Tests failed"))]


def test_result_files_are_those_that_adk_reads(house: Path) -> None:
    files = ("single_turn.test.json", "multi_session.evalset.json", "many.evalset.json")

    ours = run("audition", "adk", "eval", AGENT, *files, "--adk-history", "--no-history")

    many, sessions, single = results(house)
    assert ours.returncode == 1, ours.stderr
    assert [len(one.eval_case_results) for one in (many, sessions, single)] == [len(CASES) + 1, 2, 1]
    invocations = sessions.eval_case_results[0].eval_metric_result_per_invocation
    assert [one.actual_invocation.final_response.parts[0].text for one in invocations] == [
        "These devices are ON: device_1 in the Living Room.",
        "Device device_1 is now OFF.",
    ]
    assert invocations[1].expected_invocation.intermediate_data.tool_uses[0].args["device_id"] == "device_1"


@pytest.mark.skipif(
    not find_spec("rouge_score") or not find_spec("vertexai"), reason="adk eval itself is not installed"
)
@pytest.mark.parametrize("criteria", CONFIGS.values(), ids=CONFIGS)
def test_verdicts_and_numbers_are_those_of_adk(house: Path, criteria: dict[str, Any]) -> None:
    Path("config.json").write_text(json.dumps({"criteria": criteria}), encoding="utf-8")
    asked = (AGENT, "many.evalset.json", "single_turn.test.json", "--config_file_path", "config.json")
    options = ("--adk-compat", "strict", "--adk-history", "--no-history", "--judge-model", "nowhere:judge")

    theirs = run("google.adk.cli", "eval", *asked)
    expected = verdicts(results(house))
    ours = run("audition", "adk", "eval", *asked, *options)

    assert verdicts(results(house)) == expected
    assert ours.returncode == theirs.returncode
    assert counts(ours.stdout) == counts(theirs.stdout)


SCENARIOS = [
    {"starting_prompt": "Hi", "conversation_plan": "Ask for é, “quotes” and 室温."},
    {"startingPrompt": "Hi", "conversationPlan": ""},
    {
        "starting_prompt": "Hi",
        "conversation_plan": "-",
        "user_persona": {
            "id": "hasty",
            "description": "In a hurry.",
            "behaviors": [
                {
                    "name": "cut",
                    "description": "Cuts in.",
                    "behavior_instructions": ["Be brief."],
                    "violation_rubrics": [],
                }
            ],
        },
    },
]


def test_scenarios_get_the_ids_that_adk_gives_them(house: Path) -> None:
    Path("scenarios.json").write_text(json.dumps({"scenarios": SCENARIOS}), encoding="utf-8")
    Path("session.json").write_text(json.dumps({"app_name": AGENT, "user_id": "ann"}), encoding="utf-8")
    files = ("--scenarios_file", "scenarios.json", "--session_input_file", "session.json")
    run("google.adk.cli", "eval_set", "create", AGENT, "scenarios")
    run("audition", "adk", "eval_set", "create", AGENT, "ours")

    theirs = run("google.adk.cli", "eval_set", "add_eval_case", AGENT, "scenarios", *files)
    ours = run("audition", "adk", "eval_set", "add_eval_case", AGENT, "ours", *files)

    assert ours.stdout == theirs.stdout.replace("'scenarios'", "'ours'")
    assert ours.stdout.count("added to eval set 'ours'") == len(SCENARIOS)
    written = [json.loads((house / f"{name}.evalset.json").read_text())["eval_cases"] for name in ("ours", "scenarios")]
    assert without_times(written[0]) == without_times(written[1])


def without_times(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in case.items() if key != "creation_timestamp"} for case in cases]
