"""AgentEvaluator as ADK has it: the same calls, with failures that say which case, and a result."""

import csv
import inspect
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audition.adk_compat import AgentEvaluator, CasesFailed
from audition.errors import AuditionError, LoadError
from audition.results import Verdict

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).parents[2] / "examples" / "home_automation"

AGENT = "function:house:reply"
HOUSE = """\
count = 0

def reply(turn, session):
    global count
    count += 1
    if turn.user == "crash":
        raise ValueError("boom")
    if turn.user == "who?":
        return session.state.user["name"]
    if turn.user == "sometimes":
        return "right answer" if count % 2 else "wrong words"
    session.tool("set", {"room": "Bedroom"}, result="done")
    return "it is done"

def always(metric, actual, expected, scenario):
    return 1.0
"""

EvalData = dict[str, Any]


def turn(said: str, answer: str | None = "it is done", room: str | None = "Bedroom") -> EvalData:
    """Return an invocation with what is expected of it."""
    invocation: EvalData = {"user_content": {"parts": [{"text": said}]}}
    if answer is not None:
        invocation["final_response"] = {"parts": [{"text": answer}]}
    if room is not None:
        invocation["intermediate_data"] = {"tool_uses": [{"name": "set", "args": {"room": room}}]}
    return invocation


def eval_set(**cases: EvalData) -> EvalData:
    """Return an eval set with a case of one turn for each name."""
    return {
        "eval_set_id": "house",
        "eval_cases": [{"eval_id": name, "conversation": [invocation]} for name, invocation in cases.items()],
    }


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with an agent, which is where the test is."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "house", raising=False)
    (tmp_path / "house.py").write_text(HOUSE, "utf-8")
    return tmp_path


@pytest.fixture
def write(house: Path) -> Callable[[str, object], Path]:
    """Return a function that writes a file of JSON."""

    def write_json(name: str, data: object) -> Path:
        path = house / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data), "utf-8")
        return path

    return write_json


Write = Callable[[str, object], Path]


@pytest.mark.parametrize("name", ["evaluate", "evaluate_eval_set", "migrate_eval_data_to_new_schema"])
def test_the_parameters_are_those_of_adk_with_their_defaults(name: str) -> None:
    theirs = pytest.importorskip("google.adk.evaluation.agent_evaluator").AgentEvaluator

    def parameters(evaluator: Any) -> list[tuple[str, object]]:
        signature = inspect.signature(getattr(evaluator, name))
        return [(parameter.name, parameter.default) for parameter in signature.parameters.values()]

    assert parameters(AgentEvaluator) == parameters(theirs)


async def test_an_adk_agent_is_evaluated_by_its_dotted_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("google.adk")
    monkeypatch.syspath_prepend(EXAMPLE)

    evaluation = await AgentEvaluator.evaluate("home_automation_agent", str(EXAMPLE / "multi_session.evalset.json"))

    assert list(evaluation.cases) == ["list_then_turn_off", "set_bedroom_temperature"]
    assert [len(case.trials) for case in evaluation.results] == [2, 2]
    assert {case.verdict for case in evaluation.results} == {Verdict.PASS}
    assert "set_bedroom_temperature: PASSED for metric response_match_score." in capsys.readouterr().out


async def test_results_are_returned_by_case_and_metric() -> None:
    evaluation = await AgentEvaluator.evaluate_eval_set(
        AGENT, eval_set(c1=turn("do it")), eval_config={"criteria": {"response_match_score": 0.5}}
    )

    metric = evaluation.cases["c1"].metrics["response_match_score"]
    assert (metric.score, metric.threshold, metric.verdict) == (1.0, 0.5, Verdict.PASS)
    assert evaluation.cases["c1"].metrics["tool_call_count_v1"].verdict is Verdict.SKIP


# case: google/adk-python#4991
async def test_results_are_there_when_a_threshold_is_missed() -> None:
    with pytest.raises(CasesFailed) as failed:
        await AgentEvaluator.evaluate_eval_set(
            AGENT, eval_set(c1=turn("do it", "all wrong")), criteria={"response_match_score": 0.8}
        )

    assert failed.value.evaluation.cases["c1"].metrics["response_match_score"].score == 0.0


async def test_a_failure_names_the_case_and_its_place(write: Write) -> None:
    file = write("a.test.json", eval_set(good=turn("do it"), cold=turn("do it", room="Kitchen")))

    with pytest.raises(AssertionError) as failed:
        await AgentEvaluator.evaluate(AGENT, str(file), print_detailed_results=False)

    lines = str(failed.value).split("\n")
    told = "cold: tool_trajectory_avg_score for function:house:reply Failed. Expected 1.0, but got 0.0."
    assert lines[0] == "Following are all the test failures."
    assert len(lines) == 2
    assert lines[1].startswith(told)
    assert lines[1].endswith(f"[{file}:1:{lines[1].rpartition(':')[2][:-1]}]")


async def test_an_agent_that_crashes_is_named_with_the_reason() -> None:
    with pytest.raises(AssertionError, match=r"c1: agent for function:house:reply Failed\. ValueError: boom"):
        await AgentEvaluator.evaluate_eval_set(
            AGENT, eval_set(c1=turn("crash")), eval_config={"criteria": {"response_match_score": 0.5}}
        )


async def test_a_metric_without_a_judge_is_not_evaluated_and_no_pass() -> None:
    config = {"criteria": {"response_match_score": 0.5, "final_response_match_v2": 0.5}}

    with pytest.raises(AssertionError, match=r"c1: final_response_match_v2 for .* was not evaluated\. no judge"):
        await AgentEvaluator.evaluate_eval_set(AGENT, eval_set(c1=turn("do it")), eval_config=config)


async def test_only_metrics_that_tell_are_no_pass() -> None:
    with pytest.raises(AssertionError, match=r"c1: evaluation for .* was not evaluated\. nothing was evaluated"):
        await AgentEvaluator.evaluate_eval_set(AGENT, eval_set(c1=turn("do it")), eval_config={"criteria": {}})


@pytest.mark.parametrize(("threshold", "passes"), [(0.5, True), (0.6, False)])
async def test_where_runs_disagree_their_mean_decides(threshold: float, passes: bool) -> None:
    """Source: AgentEvaluator pools the scores of all runs."""
    data = eval_set(c1=turn("sometimes", "right answer", room=None))
    config = {"criteria": {"response_match_score": threshold}}

    try:
        evaluation = await AgentEvaluator.evaluate_eval_set(AGENT, data, eval_config=config, num_runs=4)
    except CasesFailed as failed:
        evaluation = failed.evaluation

    assert evaluation.cases["c1"].metrics["response_match_score"].score == 0.5
    assert (evaluation.cases["c1"].verdict is Verdict.PASS) == passes


async def test_a_crash_in_one_run_of_several_fails_the_case(house: Path) -> None:
    (house / "house.py").write_text(HOUSE.replace('turn.user == "crash"', "count == 2"), "utf-8")

    with pytest.raises(AssertionError, match=r"c1: agent for .* Failed\. ValueError: boom"):
        await AgentEvaluator.evaluate_eval_set(
            AGENT, eval_set(c1=turn("do it")), eval_config={"criteria": {"response_match_score": 0.1}}, num_runs=3
        )


# Files.


async def test_test_files_are_found_below_a_folder_and_sorted(write: Write) -> None:
    for name in ("b/two.test.json", "a/deep/one.test.json", "c/three.evalset.json", "b/a.test.json"):
        write(f"data/{name}", eval_set(**{Path(name).name.partition(".")[0]: turn("do it")}))

    evaluation = await AgentEvaluator.evaluate(AGENT, "data", num_runs=1)

    assert list(evaluation.cases) == ["one", "a", "two"]


async def test_cases_of_one_name_in_several_sets_are_told_apart(write: Write) -> None:
    write("data/a.test.json", eval_set(same=turn("do it")) | {"eval_set_id": "a"})
    write("data/b.test.json", eval_set(same=turn("do it")) | {"eval_set_id": "b"})

    evaluation = await AgentEvaluator.evaluate(AGENT, "data", num_runs=1)

    assert list(evaluation.cases) == ["a/same", "b/same"]


async def test_a_file_that_fails_or_does_not_load_hides_no_other(write: Write) -> None:
    write("data/a.test.json", eval_set(first=turn("do it", "all wrong")))
    write("data/b.test.json", {"eval_set_id": "b", "eval_cases": [{"eval_id": "x", "conversatoin": []}]})
    write("data/c.test.json", eval_set(third=turn("crash")))
    write("data/d.test.json", eval_set(fourth=turn("do it")))

    with pytest.raises(CasesFailed) as failed:
        await AgentEvaluator.evaluate(AGENT, "data")

    said = str(failed.value)
    assert all(word in said for word in ("first: response_match_score", "third: agent", "Could not be evaluated:"))
    assert "b.test.json:1:" in said
    assert failed.value.evaluation.cases["fourth"].verdict is Verdict.PASS


async def test_the_config_beside_each_file_counts(write: Write) -> None:
    write("data/a/a.test.json", eval_set(cold=turn("do it", room="Kitchen")))
    write("data/a/test_config.json", {"criteria": {"response_match_score": 0.9}})
    write("data/b/b.test.json", eval_set(wrong=turn("do it", "all wrong")))
    write("data/b/test_config.json", {"criteria": {"tool_trajectory_avg_score": {"threshold": 1.0}}})

    evaluation = await AgentEvaluator.evaluate(AGENT, "data")

    assert {case.verdict for case in evaluation.results} == {Verdict.PASS}


async def test_a_config_of_another_name_is_not_used_and_that_is_said(
    write: Write, caplog: pytest.LogCaptureFixture
) -> None:
    write("a.test.json", eval_set(c1=turn("do it")))
    write("eval_config.json", {"criteria": {"response_match_score": 2.0}})

    with caplog.at_level(logging.WARNING):
        await AgentEvaluator.evaluate(AGENT, "a.test.json")

    assert "eval_config.json: not used" in caplog.text


async def test_a_misspelt_criterion_is_an_error(write: Write) -> None:
    write("a.test.json", eval_set(c1=turn("do it")))
    write("test_config.json", {"criteria": {"response_match_scor": 0.5}})

    with pytest.raises(CasesFailed, match="did you mean 'response_match_score'"):
        await AgentEvaluator.evaluate(AGENT, "a.test.json")


async def test_a_custom_metric_of_the_config_is_run(write: Write) -> None:
    write("a.test.json", eval_set(c1=turn("do it")))
    custom = {"code_config": {"name": "house.always"}}
    write("test_config.json", {"criteria": {"mine": 0.5}, "custom_metrics": {"mine": custom}})

    evaluation = await AgentEvaluator.evaluate(AGENT, "a.test.json")

    assert evaluation.cases["c1"].metrics["mine"].verdict is Verdict.PASS


async def test_eval_data_may_not_name_code(write: Write) -> None:
    data = eval_set(c1=turn("do it"))
    data["eval_cases"][0]["audition"] = {"outcome": {"custom": {"function": "house.always", "threshold": 0.5}}}
    write("a.test.json", data)

    with pytest.raises(CasesFailed, match="a custom check runs the function it names"):
        await AgentEvaluator.evaluate(AGENT, "a.test.json")


# The old form.


async def test_old_data_begins_with_the_session_of_a_file(write: Write) -> None:
    write("a.test.json", [{"query": "who?", "reference": "Ann", "expected_tool_use": []}])
    write("a.session.json", {"state": {"user:name": "Ann"}, "app_name": "house", "user_id": "ann"})

    evaluation = await AgentEvaluator.evaluate(AGENT, "a.test.json", initial_session_file="a.session.json")

    assert {case.verdict for case in evaluation.results} == {Verdict.PASS}


async def test_an_eval_set_takes_no_session_file(write: Write) -> None:
    write("a.test.json", eval_set(c1=turn("do it")))
    write("a.session.json", {"state": {}})

    with pytest.raises(ValueError, match="an initial session belongs into the 'session_input'"):
        await AgentEvaluator.evaluate(AGENT, "a.test.json", initial_session_file="a.session.json")


@pytest.mark.parametrize(
    ("session", "said"),
    [({"stat": {}}, "unknown key 'stat'; did you mean 'state'"), ([], "must be an object")],
    ids=["key", "list"],
)
async def test_a_session_file_that_is_none_is_refused(session: object, said: str, write: Write) -> None:
    write("a.test.json", [{"query": "who?", "reference": "Ann"}])
    write("a.session.json", session)

    with pytest.raises(ValueError, match=said):
        await AgentEvaluator.evaluate(AGENT, "a.test.json", initial_session_file="a.session.json")


def test_old_data_is_written_as_an_eval_set(write: Write) -> None:
    old = write("old.test.json", [{"query": "do it", "reference": "it is done"}])
    write("old.session.json", {"state": {"user:name": "Ann"}})

    AgentEvaluator.migrate_eval_data_to_new_schema(str(old), "new.test.json", "old.session.json")

    (case,) = json.loads(Path("new.test.json").read_text("utf-8"))["eval_cases"]
    assert case["conversation"][0]["final_response"]["parts"] == [{"text": "it is done"}]
    assert case["session_input"]["state"] == {"user:name": "Ann"}


# What is given from Python.


async def test_objects_of_adk_are_taken() -> None:
    data = pytest.importorskip("google.adk.evaluation.eval_set").EvalSet.model_validate(eval_set(c1=turn("do it")))
    metrics = pytest.importorskip("google.adk.evaluation.eval_metrics")
    config = pytest.importorskip("google.adk.evaluation.eval_config").EvalConfig(
        criteria={
            "tool_trajectory_avg_score": metrics.ToolTrajectoryCriterion(
                threshold=1.0, match_type=metrics.ToolTrajectoryCriterion.MatchType.ANY_ORDER
            ),
            "response_match_score": 0.9,
        }
    )

    evaluation = await AgentEvaluator.evaluate_eval_set(AGENT, data, eval_config=config, num_runs=1)

    assert evaluation.cases["c1"].verdict is Verdict.PASS
    assert evaluation.cases["c1"].eval.outcome[0].spec["match_type"] == "ANY_ORDER"


async def test_the_config_that_is_found_for_a_file_may_be_given() -> None:
    config = AgentEvaluator.find_config_for_test_file("nowhere/a.test.json")

    evaluation = await AgentEvaluator.evaluate_eval_set(AGENT, eval_set(c1=turn("do it")), eval_config=config)

    assert list(evaluation.cases["c1"].metrics)[:2] == ["tool_trajectory_avg_score", "response_match_score"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"num_runs": 0}, "num_runs must be at least 1"),
        ({"eval_set": {"eval_set_id": "none", "eval_cases": []}}, "the eval set has no cases"),
        ({"eval_config": None}, "an eval_config is required"),
    ],
    ids=["no runs", "no cases", "no config"],
)
async def test_what_could_evaluate_nothing_is_refused(given: dict[str, Any], said: str) -> None:
    usual = {"eval_set": eval_set(c1=turn("do it")), "eval_config": {"criteria": {}}}

    with pytest.raises(ValueError, match=said):
        await AgentEvaluator.evaluate_eval_set(AGENT, **(usual | given))


@pytest.mark.parametrize("missing", ["nowhere.test.json", "."])
async def test_a_path_without_test_files_is_refused(missing: str) -> None:
    with pytest.raises(ValueError, match=r"there is no file or folder|nothing to evaluate"):
        await AgentEvaluator.evaluate(AGENT, missing)


@pytest.mark.parametrize("name", ["artifact_service", "eval_set_results_manager"])
async def test_services_of_ones_own_are_refused_and_not_ignored(name: str, write: Write) -> None:
    write("a.test.json", eval_set(c1=turn("do it")))

    with pytest.raises(AuditionError, match=f"{name}.* is not supported"):
        await AgentEvaluator.evaluate(AGENT, "a.test.json", **{name: object()})


async def test_a_config_with_faults_is_refused() -> None:
    with pytest.raises(LoadError, match="no criterion called 'nonesuch'"):
        await AgentEvaluator.evaluate_eval_set(
            AGENT, eval_set(c1=turn("do it")), eval_config={"criteria": {"nonesuch": 1}}
        )


# The table.


def rows_of(path: str) -> list[dict[str, str]]:
    """Return the rows of a table."""
    with Path(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


async def test_results_are_added_to_a_table(write: Write) -> None:
    write("data/a.test.json", eval_set(a=turn("do it")))
    write("data/b.test.json", eval_set(b=turn("do it")))

    await AgentEvaluator.evaluate(AGENT, "data", num_runs=2, output_file="out/results.csv")
    await AgentEvaluator.evaluate(AGENT, "data", num_runs=1, output_file="out/results.csv")

    rows = rows_of("out/results.csv")
    mine = [row for row in rows if row["metric_name"] == "tool_trajectory_avg_score"]
    assert [row["eval_id"] for row in mine] == ["a", "a", "b", "b", "a", "b"]
    assert mine[0] == {
        "eval_set_id": "house",
        "eval_id": "a",
        "metric_name": "tool_trajectory_avg_score",
        "threshold": "1.0",
        "score": "1.0",
        "eval_status": "PASSED",
        "prompt": "do it",
        "expected_response": "it is done",
        "actual_response": "it is done",
        "expected_tool_calls": 'set({"room":"Bedroom"})',
        "actual_tool_calls": 'set({"room":"Bedroom"})',
    }
    assert {row["eval_set_id"] for row in rows} == {"house"}


async def test_no_cell_of_the_table_is_a_formula(write: Write) -> None:
    write("a.test.json", eval_set(**{"=cmd|'/c calc'!A0": turn("+1", "@SUM(A1)", room="Kitchen")}))

    with pytest.raises(CasesFailed):
        await AgentEvaluator.evaluate(AGENT, "a.test.json", num_runs=1, output_file="results.csv")

    row = rows_of("results.csv")[0]
    assert (row["eval_id"], row["prompt"], row["expected_response"]) == ("'=cmd|'/c calc'!A0", "'+1", "'@SUM(A1)")


async def test_a_crash_is_in_the_table_too(write: Write) -> None:
    write("a.test.json", eval_set(c1=turn("crash")))

    with pytest.raises(CasesFailed):
        await AgentEvaluator.evaluate(AGENT, "a.test.json", num_runs=1, output_file="results.csv")

    rows = {row["metric_name"]: row for row in rows_of("results.csv")}
    assert (rows["agent"]["eval_status"], rows["agent"]["prompt"]) == ("FAILED", "crash")


@pytest.mark.parametrize("details", [True, False])
async def test_details_are_printed_when_wanted(details: bool, capsys: pytest.CaptureFixture[str]) -> None:
    await AgentEvaluator.evaluate_eval_set(
        AGENT,
        eval_set(c1=turn("do it")),
        eval_config={"criteria": {"response_match_score": 0.5}},
        num_runs=1,
        print_detailed_results=details,
    )

    printed = capsys.readouterr().out
    assert (
        "c1: PASSED for metric response_match_score. Expected threshold: 0.5, actual value: 1.0." in printed
    ) == details
    assert ("agent: it is done" in printed) == details
