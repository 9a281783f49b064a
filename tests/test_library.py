"""The Python surface, as a program uses it."""

import asyncio
import json
import threading
from pathlib import Path

import pytest

import audition
from audition.agents.scripted import Scripted
from audition.errors import LoadError, NothingSelected, PlanError, SettingsError
from audition.evals import Scenario
from audition.llm.cassette import Cassette
from audition.llm.scripted import Scripted as ScriptedModel
from audition.store.memory import MemoryStore

PONG = audition.Eval(
    name="pong",
    turns=(audition.Turn(user="ping", checks=(audition.Check(category="response", spec={"contains": "pong"}),)),),
)


def reply(turn: object, session: object) -> str:
    """Answer like the agent under test."""
    return "pong"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project with one eval, and be in it."""
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals" / "one.eval.yaml").write_text(
        "name: one\nconversation:\n  - user: ping\n    assert: {response: [{contains: pong}]}\n", encoding="utf-8"
    )
    (tmp_path / "shop.py").write_text("def reply(turn, session):\n    return 'pong'\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_files_are_run_against_an_agent_by_name(project: Path) -> None:
    result = audition.run("evals", agent="function:shop:reply")

    assert (result.verdict, result.ran, result.run.passed, result.run.agent) == ("pass", 1, 1, "function:shop:reply")


def test_evals_built_in_python_are_run_against_a_callable() -> None:
    result = audition.run([PONG], reply, trials=3)

    assert (result.verdict, result.ran) == ("pass", 3)


def test_a_threshold_that_is_missed_raises_nothing() -> None:  # case: google/adk-python#4991
    result = audition.run([PONG], Scripted([{"say": "no"}]))

    assert result.verdict == "fail"
    assert [check.actual for check in result.trials[0].checks] == ['"no"']


def test_evals_built_in_python_are_held_to_what_a_file_may_hold() -> None:
    wrong = audition.Eval(
        name="wrong",
        turns=(audition.Turn(user="hi", checks=(audition.Check(category="response", spec={"contians": "x"}),)),),
    )

    with pytest.raises(LoadError, match="did you mean 'contains'"):
        audition.run([wrong], reply)


def test_no_agent_is_an_error_that_says_how_to_name_one(project: Path) -> None:
    with pytest.raises(SettingsError, match=r"\[agent\] use"):
        audition.run("evals")


def test_a_run_of_nothing_is_an_error(project: Path) -> None:
    with pytest.raises(NothingSelected):
        audition.run([], reply)


# case: OpenAgentHQ/openagent-eval#261
def test_it_runs_after_another_loop_has_ended(project: Path) -> None:
    asyncio.run(asyncio.sleep(0))

    assert audition.run("evals/one.eval.yaml", "function:shop:reply").ran == 1


def test_it_runs_inside_a_running_loop(project: Path) -> None:
    async def program() -> tuple[int, int]:
        awaited = await audition.arun("evals", "function:shop:reply")
        return awaited.ran, audition.run("evals", "function:shop:reply").ran

    assert asyncio.run(program()) == (1, 1)


# case: rhesis-ai/rhesis#1953
def test_one_agent_serves_several_loops_and_threads() -> None:
    agent = audition.agent(reply)
    seen: list[str] = []

    def once() -> None:
        seen.append(asyncio.run(audition.arun([PONG], agent)).verdict)

    once()
    once()
    thread = threading.Thread(target=once)
    thread.start()
    thread.join()

    assert seen == ["pass"] * 3


def test_a_stored_run_is_judged_again_without_the_agent() -> None:
    first = audition.run([PONG], reply)
    stricter = audition.Eval(
        name="pong",
        turns=(audition.Turn(user="ping", checks=(audition.Check(category="response", spec={"contains": "!"}),)),),
    )

    again = audition.rescore(first, [stricter])

    assert (again.verdict, again.run.rescored_from) == ("fail", first.run.id)


def test_a_history_takes_the_results_down() -> None:
    history = MemoryStore()

    result = audition.run([PONG], reply, history=history)

    assert [kept.eval_name for kept in history.results(result.run.id)] == ["pong"]
    assert history.run(result.run.id).status == "completed"


def test_a_result_is_rendered_in_any_format() -> None:
    result = audition.run([PONG], reply)

    assert "✓ pong" in audition.render(result)
    assert json.loads(audition.render(result, "json"))["failed"] == 0


def test_importing_it_loads_no_vendor() -> None:
    import subprocess
    import sys

    code = (
        "import sys, audition; audition.run; audition.Eval;"
        "vendors = 'aiohttp pydantic sqlalchemy alembic yaml regex click rich tree_sitter'.split();"
        "print(sorted(set(vendors) & set(sys.modules)))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert shown.stdout == "[]\n"


def test_a_scenario_is_played_by_the_model_that_is_given() -> None:
    outcome = (audition.Check(category="state", spec={"path": "user.done", "exists": False}),)
    scenario = Scenario(starting_prompt="ping", plan="Ask again.")
    held = audition.Eval(name="held", scenario=scenario, outcome=outcome)

    result = audition.run([held], Scripted([{"say": "pong"}]), user=ScriptedModel(["again?", "</finished>"]))

    assert result.verdict == "pass"
    assert [exchange.user for exchange in result.trials[0].transcript.exchanges] == ["ping", "again?"]


def test_a_scenario_that_nobody_plays_is_refused_before_the_first_message() -> None:
    outcome = (audition.Check(category="state", spec={"path": "user.done", "exists": False}),)
    held = audition.Eval(name="held", scenario=Scenario(starting_prompt="ping", plan="Ask."), outcome=outcome)

    with pytest.raises(PlanError, match="the eval 'held' has a scenario"):
        audition.run([held], Scripted([{"say": "pong"}]))


CANNED = """
name: greeting
conversation:
  - user: ping
    assert: {response: [{contains: pong}], timing: [{response_time: {lte: 60000}}]}
"""


def test_calls_of_models_are_recorded_and_played_back(project: Path) -> None:
    (project / "audition.toml").write_text('[providers.canned]\nprotocol = "scripted"\n', encoding="utf-8")
    (project / "evals" / "one.eval.yaml").write_text(CANNED, encoding="utf-8")
    with Cassette(project / "tape.cassette", "record") as cassette:
        recorded = audition.run("evals", "chat:canned:pong", cassette=cassette)

    with Cassette(project / "tape.cassette", "replay") as cassette:
        replayed = audition.run("evals", "chat:canned:pong", cassette=cassette)
        missing = audition.run("evals", "chat:canned:ping", cassette=cassette)

    assert [check.verdict for check in recorded.trials[0].checks] == ["pass", "pass"]
    assert [check.verdict for check in replayed.trials[0].checks] == ["pass", "error"]
    assert missing.verdict == "error"


BUDGETED = """
[judge]
model = 'canned:{"reason": "kind", "score": 5}'
[providers.canned]
protocol = "scripted"
[budget]
max_calls = 1
"""


def _kind(name: str) -> audition.Eval:
    check = audition.Check(category="response", spec={"llm_judge": f"{name} is kind"})
    return audition.Eval(name=name, turns=(audition.Turn(user="ping", checks=(check,)),))


def test_a_budget_that_is_spent_leaves_what_had_finished(project: Path) -> None:
    (project / "audition.toml").write_text(BUDGETED, encoding="utf-8")

    result = audition.run([_kind("a"), _kind("b"), _kind("c")], reply, at_once=1)

    assert [trial.verdict for trial in result.trials] == ["pass", "error"]
    assert (result.run.status, result.run.error, result.run.total) == ("failed", "the budget of 1 call is spent", 3)
    assert result.verdict == "error"


def test_judging_again_has_a_budget_of_its_own(project: Path) -> None:
    evals = [_kind("a"), _kind("b"), _kind("c")]
    stored = audition.run(evals, reply, judging=False)
    (project / "audition.toml").write_text(BUDGETED, encoding="utf-8")

    result = audition.rescore(stored, evals)

    assert [trial.verdict for trial in result.trials] == ["pass", "error"]
    assert result.run.error == "the budget of 1 call is spent"
