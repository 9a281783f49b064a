"""`audition adk`: the commands of ADK, on agents that need no ADK."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from audition.store.adk_history import FOLDER, SUFFIX

ANSWERS = """
replies:
  - when: {user: Light on}
    tools: [{name: switch, args: {"on": true}}]
    say: The light is on now.
  - when: {user: crash}
    error: "RuntimeError: boom"
  - when: {user: offline}
    unreachable: connection refused
  - say: I do not know what you mean.
"""

LENIENT = {"criteria": {"response_match_score": 0.1}}


def case(eval_id: str, said: str = "Light on", expected: str = "The light is on now.", **more: Any) -> dict[str, Any]:
    turn: dict[str, Any] = {
        "user_content": {"role": "user", "parts": [{"text": said}]},
        "final_response": {"role": "model", "parts": [{"text": expected}]},
        "intermediate_data": {"tool_uses": [{"name": "switch", "args": {"on": True}}]},
    }
    return {"eval_id": eval_id, "conversation": [turn], **more}


class House:
    """A project with a scripted agent, its folder, and eval sets."""

    def __init__(self, project: Any) -> None:
        self.project = project
        project.write("answers.yaml", ANSWERS)
        project.write("house/__init__.py", "")

    def write(self, name: str, *cases: dict[str, Any], set_id: str = "lights") -> None:
        self.project.write(name, json.dumps({"eval_set_id": set_id, "eval_cases": cases}))

    def config(self, content: Any, name: str = "config.json") -> None:
        self.project.write(name, json.dumps(content))

    def eval(self, *arguments: str) -> Any:
        return self.project.invoke("adk", "eval", "scripted:answers.yaml", *arguments)


@pytest.fixture
def house(empty: Any) -> House:
    """Return a house in an empty folder."""
    return House(empty)


def test_cases_that_pass_are_counted_and_the_command_exits_with_0(house: House) -> None:
    house.write("lights.evalset.json", case("bath"), case("hall"))

    result = house.eval("lights.evalset.json")

    assert result.exit_code == 0
    assert "Using evaluation criteria: " in result.stdout
    assert result.stdout.endswith("Eval Run Summary\nlights:\n  Tests passed: 2\n  Tests failed: 0\n")


# case: google/adk-python#6690 and others: exit codes say what came of it
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("What?", "bath: FAILED: tool_trajectory_avg_score 0.0 is under 1.0"),
        ("crash", "bath: FAILED: agent: RuntimeError: boom"),
        ("offline", "bath: NOT_EVALUATED: connection refused"),
    ],
)
def test_a_case_that_does_not_pass_is_told_with_its_reason_and_the_command_exits_with_1(
    house: House, said: str, told: str
) -> None:
    house.write("lights.evalset.json", case("bath", said))

    result = house.eval("lights.evalset.json")

    assert result.exit_code == 1
    assert "  Tests passed: 0\n  Tests failed: 1\n" in result.stdout
    assert told in result.stdout


# case: google/adk-python#5732, #6682: ADK passes such a case
def test_a_criterion_that_could_not_be_evaluated_makes_the_case_an_error(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))
    house.config({"criteria": {"response_match_score": 0.5, "final_response_match_v2": 1.0}})

    result = house.eval("lights.evalset.json", "--config_file_path", "config.json")

    assert result.exit_code == 1
    assert "  Tests not evaluated: 1 " in result.stdout
    assert "bath: NOT_EVALUATED: no judge is configured" in result.stdout


def test_details_show_expected_and_actual_beside_each_other(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))

    shown = house.eval("lights.evalset.json", "--print_detailed_results").stdout

    assert "Eval Set Id: lights\nEval Id: bath\nOverall Eval Status: PASSED\n" in shown
    assert "Metric: tool_trajectory_avg_score, Status: PASSED, Score: 1.0, Threshold: 1.0\n" in shown
    assert "  expected_response:          The light is on now.\n" in shown
    assert "  actual_response:            The light is on now.\n" in shown
    assert "Metric: tool_call_count_v1, Status: INFORMATIONAL, Score: 1.0, Threshold: None\n" in shown


def test_results_come_in_the_order_of_the_files(house: House) -> None:
    house.write("lights.evalset.json", *(case(f"case_{number}") for number in range(9)))

    shown = house.eval("lights.evalset.json:case_7,case_2", "lights.evalset.json:case_5", "--print_detailed_results")

    ids = [line for line in shown.stdout.splitlines() if line.startswith("Eval Id: ")]
    assert ids == ["Eval Id: case_2", "Eval Id: case_5", "Eval Id: case_7"]


def test_sets_may_use_the_same_id_for_a_case_of_their_own(house: House) -> None:
    house.write("lights.evalset.json", case("case"))
    house.write("more.evalset.json", case("case", "What?"), set_id="more")

    result = house.eval("lights.evalset.json", "more.evalset.json", "--print_detailed_results")

    assert (
        "lights:\n  Tests passed: 1\n  Tests failed: 0\nmore:\n  Tests passed: 0\n  Tests failed: 1\n" in result.stdout
    )
    assert result.stdout.count("Eval Id: case\n") == 2


def test_one_set_in_two_files_with_one_case_is_refused(house: House) -> None:
    house.write("lights.evalset.json", case("case"))
    house.write("again.evalset.json", case("case"))

    result = house.eval("lights.evalset.json", "again.evalset.json")

    assert result.exit_code == 2
    assert "the case 'case' of the set 'lights' is in two files" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["lights.evalset.json:bth"], "did you mean 'bath'?"),
        (["lihgts.evalset.json"], "did you mean 'lights.evalset.json'?"),
        (["lights.evalset.json", "--config_file_path", "nowhere.json"], "nowhere.json: the file cannot be read"),
        (["lights.evalset.json", "--eval_storage_uri", "gs://bucket"], "not in a bucket"),
        (["lights.evalset.json", "--adk-history"], "this agent has none"),
        (["lights.evalset.json", "--num_runs", "0"], "must be 1 or more"),
        ([], "Missing argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_is_asked_wrongly_exits_with_2_before_anything_is_run(
    house: House, arguments: list[str], told: str
) -> None:
    house.write("lights.evalset.json", case("bath"))

    result = house.eval(*arguments)

    assert result.exit_code == 2
    assert told in result.stderr
    assert "Summary" not in result.stdout


def test_an_agent_that_is_neither_a_folder_nor_a_reference_is_refused(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))

    result = house.project.invoke("adk", "eval", "huose", "lights.evalset.json")

    assert result.exit_code == 2
    assert "there is no folder 'huose'" in result.stderr


def test_the_config_beside_a_single_file_holds(house: House) -> None:
    house.write("lights.evalset.json", case("bath", expected="on"))
    house.config(LENIENT, "test_config.json")

    result = house.eval("lights.evalset.json")

    assert '{"response_match_score":{"threshold":0.1}}' in result.stdout
    assert result.exit_code == 0


def test_the_config_beside_several_files_is_not_used_and_that_is_told(house: House) -> None:
    house.write("lights.evalset.json", case("bath", expected="on"))
    house.write("more.evalset.json", case("hall", expected="on"), set_id="more")
    house.config(LENIENT, "test_config.json")

    result = house.eval("lights.evalset.json", "more.evalset.json")

    assert "warning: test_config.json: not used, as ADK does not use it with several files" in result.stderr
    assert result.exit_code == 1


def test_cases_are_run_as_often_as_asked(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))

    result = house.eval("lights.evalset.json", "--num_runs", "3", "--print_detailed_results")

    assert "  Tests passed: 3\n" in result.stdout
    assert [line for line in result.stdout.splitlines() if line.startswith("Run: ")] == [
        "Run: 1 of 3", "Run: 2 of 3", "Run: 3 of 3",
    ]  # fmt: skip


def test_reports_of_audition_may_be_asked_for(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))

    result = house.eval("lights.evalset.json", "--format", "json")

    assert json.loads(result.stdout)["evals"][0]["name"] == "bath"


def test_what_is_printed_may_go_to_a_file(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))

    result = house.eval("lights.evalset.json", "--output", "summary.txt")

    assert result.stdout == ""
    assert "  Tests passed: 1\n" in Path("summary.txt").read_text(encoding="utf-8")


def test_results_are_kept_in_the_history_unless_told_otherwise(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))
    house.eval("lights.evalset.json")
    house.eval("lights.evalset.json", "--no-history")

    (kept,) = house.project.runs()

    assert (kept["passed"], kept["agent"]) == (1, "scripted:answers.yaml")


def test_where_adk_would_judge_otherwise_a_line_says_so(house: House) -> None:
    house.write("lights.evalset.json", case("bath", final_session_state={"light": "on"}))

    result = house.eval("lights.evalset.json")

    assert "Note: " in result.stdout


def test_the_verdicts_of_adk_are_given_on_demand_and_the_run_says_so(house: House) -> None:
    turn = {"user_content": {"parts": [{"text": "What?"}]}, "final_response": {"parts": [{"text": "I do not know."}]}}
    house.write("lights.evalset.json", {"eval_id": "bath", "conversation": [turn | {"intermediate_data": None}]})
    house.config({"criteria": {"response_match_score": 0.5, "final_response_match_v2": 1.0}})

    ours = house.eval("lights.evalset.json", "--config_file_path", "config.json")
    theirs = house.eval("lights.evalset.json", "--config_file_path", "config.json", "--adk-compat", "strict")

    assert ours.exit_code == 1
    assert "warning: judged as ADK judges" in theirs.stderr


def test_features_of_adk_are_for_the_environment(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))

    result = house.eval("lights.evalset.json", "--enable_features", "A,B", "--log_level", "error")

    assert "ADK_ENABLE_A=1 ADK_ENABLE_B=1" in result.stderr
    assert result.exit_code == 0


def judged_by(house: House, named: str) -> Any:
    house.project.write("audition.toml", '[providers.local]\nbase_url = "http://127.0.0.1:9/v1"\nattempts = 1\n')
    house.write("lights.evalset.json", case("bath"))
    options = {"threshold": 1.0, "judge_model_options": {"judge_model": named, "num_samples": 1}}
    house.config({"criteria": {"final_response_match_v2": options}})
    return house.eval("lights.evalset.json", "--config_file_path", "config.json")


def test_the_judge_of_a_config_is_used_where_the_settings_can_open_it(house: House) -> None:
    result = judged_by(house, "local/judge")

    assert house.project.runs()[0]["judge"] == "local:judge"
    assert "the judge gave no answer" in result.stdout


@pytest.mark.parametrize("named", ["gemini-2.5-flash", "gpt-4o"])
def test_a_judge_of_a_config_that_cannot_be_opened_is_told(house: House, named: str) -> None:
    result = judged_by(house, named)

    assert house.project.runs()[0]["judge"] is None
    assert f"{named!r} judges only where the settings name it; now no model judges" in result.stderr
    assert "  Tests not evaluated: 1 " in result.stdout


def test_a_scenario_without_a_model_to_play_its_user_is_refused(house: House) -> None:
    scenario = {"starting_prompt": "Light on", "conversation_plan": "thank"}
    house.write("lights.evalset.json", {"eval_id": "bath", "conversation_scenario": scenario})

    result = house.eval("lights.evalset.json")

    assert result.exit_code == 2
    assert "--user-model" in result.stderr


@pytest.mark.parametrize("allowed", [[], ["--allow-code"]], ids=["not allowed", "allowed"])
def test_custom_metrics_run_code_and_only_when_allowed(house: House, allowed: list[str]) -> None:
    house.project.write("metric_of_house.py", "def brief(conversation):\n    return 1.0\n")
    house.write("lights.evalset.json", case("bath"))
    metric = {"code_config": {"name": "metric_of_house.brief"}}
    house.config({"criteria": {"brief": 0.5}, "custom_metrics": {"brief": metric}})

    result = house.eval("lights.evalset.json", "--config_file_path", "config.json", *allowed)

    assert result.exit_code == (0 if allowed else 2), result.output


def test_a_custom_check_of_a_case_is_refused_as_well(house: House) -> None:
    ours = {"outcome": {"custom": [{"function": "metric_of_house.brief", "threshold": 0.5}]}}
    house.write("lights.evalset.json", case("bath", audition=ours))

    result = house.eval("lights.evalset.json")

    assert result.exit_code == 2
    assert "--allow-code allows it" in result.stderr


def test_eval_sets_run_against_any_agent_by_the_config_that_is_named(house: House) -> None:
    house.write("lights.evalset.json", case("bath", expected="on"))
    house.config(LENIENT)
    agent = ("--agent", "scripted:answers.yaml", "--no-history")

    strict = house.project.invoke("run", "lights.evalset.json", *agent)
    lenient = house.project.invoke("run", "lights.evalset.json", *agent, "--config_file_path", "config.json")

    assert (strict.exit_code, lenient.exit_code) == (1, 0)


def test_a_config_with_faults_is_refused_by_run_too(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))
    house.config({"criteria": {"response_match_scoer": 1}})

    result = house.project.invoke("run", "lights.evalset.json", "--config_file_path", "config.json")

    assert result.exit_code == 2
    assert "did you mean 'response_match_score'?" in result.stderr


def test_a_run_is_judged_as_one_other_tool_would_judge_and_not_as_two(house: House) -> None:
    house.write("lights.evalset.json", case("bath"))
    both = ("--adk-compat", "strict", "--botpress-compat", "strict")

    result = house.project.invoke("run", "lights.evalset.json", "--agent", "scripted:answers.yaml", *both)

    assert result.exit_code == 2
    assert "give one strict" in result.stderr


def test_a_set_is_made_in_the_folder_of_the_agent(house: House) -> None:
    result = house.project.invoke("adk", "eval_set", "create", "house", "smoke_1")

    written = json.loads(Path("house/smoke_1.evalset.json").read_text(encoding="utf-8"))
    assert result.stdout == "Eval set 'smoke_1' created for app 'house'.\n"
    assert (written["eval_set_id"], written["name"], written["eval_cases"]) == ("smoke_1", "smoke_1", [])


# case: google/adk-python#5039
@pytest.mark.parametrize("set_id", ["../up", "a/b", "a b", "a.b", "", "ä"])
def test_an_id_that_is_more_than_a_word_is_refused(house: House, set_id: str) -> None:
    result = house.project.invoke("adk", "eval_set", "create", "house", set_id)

    assert result.exit_code == 2
    assert [path.name for path in Path("house").iterdir()] == ["__init__.py"]


def test_a_set_that_is_there_is_left_alone(house: House) -> None:
    house.write("house/lights.evalset.json", case("bath"))
    before = Path("house/lights.evalset.json").read_bytes()

    result = house.project.invoke("adk", "eval_set", "create", "house", "lights")

    assert result.exit_code == 2
    assert Path("house/lights.evalset.json").read_bytes() == before


def add(house: House, set_id: str = "lights") -> Any:
    files = ("--scenarios_file", "scenarios.json", "--session_input_file", "session.json")
    return house.project.invoke("adk", "eval_set", "add_eval_case", "house", set_id, *files)


def test_scenarios_are_added_to_a_set_once(house: House) -> None:
    house.write("house/lights.evalset.json", case("bath", own_key=[1]))
    house.config({"scenarios": [{"startingPrompt": "Hi", "conversation_plan": "ask é"}]}, "scenarios.json")
    house.config({"app_name": "house", "user_id": "ann", "state": {"light": "off"}}, "session.json")

    first, second = add(house), add(house)

    written = json.loads(Path("house/lights.evalset.json").read_text(encoding="utf-8"))["eval_cases"]
    assert first.stdout == "Eval case '92fcaece' added to eval set 'lights'.\n"
    assert second.stdout == "Eval case '92fcaece' already exists in eval set 'lights', skipped adding.\n"
    assert [one["eval_id"] for one in written] == ["bath", "92fcaece"]
    assert written[0] == case("bath", own_key=[1])
    assert written[1]["conversation_scenario"] == {"starting_prompt": "Hi", "conversation_plan": "ask é"}
    assert written[1]["session_input"] == {"app_name": "house", "user_id": "ann", "state": {"light": "off"}}


@pytest.mark.parametrize(
    ("set_id", "scenario", "session", "told"),
    [
        ("lihgts", {}, {}, "did you mean 'lights'?"),
        ("lights", {"starting_promt": "Hi", "conversation_plan": ""}, {}, "did you mean 'starting_prompt'?"),
        ("lights", {}, {"user_id": 7}, "'user_id' must be a text"),
    ],
    ids=["unknown set", "wrong scenario", "wrong session"],
)
def test_what_is_wrong_with_a_scenario_is_told_and_nothing_is_added(
    house: House, set_id: str, scenario: Any, session: Any, told: str
) -> None:
    house.write("house/lights.evalset.json", case("bath"))
    before = Path("house/lights.evalset.json").read_bytes()
    house.config({"scenarios": [scenario or {"starting_prompt": "Hi", "conversation_plan": "-"}]}, "scenarios.json")
    house.config({"app_name": "house", "user_id": "ann"} | session, "session.json")

    result = add(house, set_id)

    assert result.exit_code == 2
    assert told in result.stderr
    assert Path("house/lights.evalset.json").read_bytes() == before


class TestOnAnAdkAgent:
    """The example of the documentation."""

    @pytest.fixture(autouse=True)
    def _example(self, empty: Any) -> None:
        pytest.importorskip("google.adk")
        example = Path(__file__).parents[3] / "examples" / "home_automation"
        shutil.copytree(example, empty.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".adk", ".audition"))

    def test_both_kinds_of_file_pass_and_leave_files_for_adk(self, empty: Any) -> None:
        files = ("single_turn.test.json", "multi_session.evalset.json", "--config_file_path", "eval_config.json")

        result = empty.invoke("adk", "eval", "home_automation_agent", *files, "--adk-history")

        assert result.exit_code == 0, result.output
        assert "single_turn:\n  Tests passed: 1\n  Tests failed: 0\n" in result.stdout
        assert "multi_session:\n  Tests passed: 2\n  Tests failed: 0\n" in result.stdout
        names = [path.name for path in sorted(Path("home_automation_agent", FOLDER).iterdir())]
        assert [name.rsplit("_", 2)[0] for name in names] == [
            "home_automation_agent_multi_session", "home_automation_agent_single_turn",
        ]  # fmt: skip
        assert all(name.endswith(SUFFIX) for name in names)
