"""`audition run`: which evals, against what, how they are shown, and what the shell is told."""

import http.server
import json
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

BROKEN = "name: broken\nconversation: []\n"

PLANS = {
    0: ["P", "PP", "PPP", "M", "PM", "MM", "PPM"],
    1: ["F", "FF", "C", "PF", "FP", "FE", "EF", "FS", "PFE", "PFES", "CE", "CS", "FJ", "FM", "PC", "PCM"],
    3: ["E", "EE", "S", "SS", "J", "JJ", "PE", "PS", "PJ", "ES", "EJ", "PES", "PEJ", "PPPPE", "MS", "ME"],
    4: [""],
    2: ["+", "P+", "F+", "E+", "S+", "M+", "C+", "J+", "PF+", "PE+", "PS+", "FE+", "PFES+", "PP+", "EE+", "SS+", "FF+",
        "PM+", "CE+", "PPP+"],
}  # fmt: skip
"""Exit codes, and runs that end with them: a letter an eval (see `SAYS`), and `+` for a file that does not load."""


@pytest.mark.parametrize(
    ("plan", "code"), [pytest.param(plan, code, id=f"{plan}={code}") for code, plans in PLANS.items() for plan in plans]
)
def test_the_exit_code_says_what_the_run_came_to(project: Any, plan: str, code: int) -> None:
    # case: promptfoo/promptfoo#335, confident-ai/deepeval#770, google/adk-python#6951 (a), M28, M30, M33
    project.folder.joinpath("evals").mkdir()
    project.write_evals(plan.removesuffix("+"))
    if plan.endswith("+"):
        project.write("evals/broken.eval.yaml", BROKEN)
    judging = [] if "J" in plan else ["--no-judge"]

    result = project.invoke("run", "--no-history", *judging)

    assert result.exit_code == code, result.output


def test_results_are_shown_with_a_summary_and_kept(project: Any) -> None:
    project.write_evals("PFE")

    result = project.invoke("run", "--concurrency", "1")

    assert [line[0] for line in result.stdout.splitlines() if "(0." in line][:3] == ["✓", "✗", "!"]
    assert "1 passed, 1 failed, 1 error, 0 skipped" in result.stdout
    (kept,) = project.runs()
    assert (kept["passed"], kept["failed"], kept["errors"], kept["total"]) == (1, 1, 1, 3)
    assert (kept["status"], kept["agent"]) == ("completed", "scripted:answers.yaml")


def test_passing_checks_are_shown_when_asked_for(project: Any) -> None:
    project.write_evals("P")

    assert "contains" not in project.invoke("run").stdout
    assert '✓ response.contains: "all is well"' in project.invoke("run", "-v").stdout


def test_faults_of_files_are_told_at_once_with_their_place_and_the_rest_runs(project: Any) -> None:
    project.write_evals("P")
    project.write("evals/a.eval.yaml", "name: a\nconversation:\n  - usr: hi\n")
    project.write("evals/b.eval.yaml", "name: b\nconversatoin: []\n")

    result = project.invoke("run")

    assert "evals/a.eval.yaml:3:5: unknown key 'usr'" in result.stderr
    assert "evals/b.eval.yaml:2:1: unknown key 'conversatoin'" in result.stderr
    assert "did you mean 'conversation'?" in result.stderr
    assert "1 passed" in result.stdout
    assert result.exit_code == 2


@pytest.mark.parametrize("option", ["--trials", "--concurrency", "--idle-timeout"])
@pytest.mark.parametrize("number", ["0", "-1"])
def test_numbers_below_one_are_refused_before_any_call(project: Any, option: str, number: str) -> None:
    # case: google/adk-python#6951 (b, c)
    project.write_evals("P")

    result = project.invoke("run", option, number)

    assert f"Invalid value for '{option}': must be 1 or more, not {number}" in result.stderr
    assert result.exit_code == 2
    assert not project.everything_kept()


@pytest.mark.parametrize("seconds", ["0", "-2", "nan", "inf"])
def test_a_timeout_is_more_than_nothing(project: Any, seconds: str) -> None:
    result = project.invoke("run", "--timeout", seconds)

    assert "must be more than 0" in result.stderr
    assert result.exit_code == 2


NOTHING = [
    pytest.param(["p1x"], "Error: no eval has the name 'p1x'\n  did you mean 'p1'?", id="name"),
    pytest.param(["zzz*"], "there are: f2, p1", id="pattern"),
    pytest.param(["--tag", "smke"], "no eval has the tag 'smke'\n  did you mean 'smoke'?", id="tag"),
    pytest.param(["--type", "regression"], "no eval has all that was asked for", id="type"),
]


@pytest.mark.parametrize(("arguments", "said"), NOTHING)
def test_what_matches_nothing_exits_with_4_and_the_near_misses(project: Any, arguments: list[str], said: str) -> None:
    project.write_evals("PF", tags="[smoke]")

    result = project.invoke("run", *arguments)

    assert said in result.stderr
    assert result.exit_code == 4


def test_without_a_folder_of_evals_the_next_step_is_told(project: Any) -> None:
    result = project.invoke("run")

    assert "evals does not exist" in result.stderr
    assert "audition init" in result.stderr
    assert result.exit_code == 4


def test_names_and_patterns_choose_evals(project: Any) -> None:
    project.write_evals("PPF")

    result = project.invoke("run", "p*", "--format", "json")

    assert [one["name"] for one in json.loads(result.stdout)["evals"]] == ["p1", "p2"]


def test_a_path_is_read_instead_of_the_projects_evals(project: Any) -> None:
    project.write_evals("F")
    project.write_evals("P", "other/some.eval.yaml")

    assert project.invoke("run", "other/some.eval.yaml").exit_code == 0
    assert project.invoke("run", "other").exit_code == 0


def test_a_path_that_is_not_there_is_asked_wrongly(project: Any) -> None:
    result = project.invoke("run", "evals/nope.eval.yaml")

    assert "evals/nope.eval.yaml" in result.stderr
    assert result.exit_code == 2


def test_a_folder_may_be_where_the_command_was_given_or_above(project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write_evals("P")
    monkeypatch.chdir(project.folder / "evals")

    assert project.invoke("run").exit_code == 0


def test_without_an_agent_it_is_told_how_to_name_one(empty: Any) -> None:
    empty.write_evals("P")

    result = empty.invoke("run")

    assert "no agent was named\n  say which: --agent function:shop.bot:reply" in result.stderr
    assert result.exit_code == 2


def test_an_agent_of_the_command_line_wins_over_settings_and_environment(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write_evals("P")
    project.write("other.yaml", "replies: [{say: nothing}]")
    monkeypatch.setenv("AUDITION_AGENT", "scripted:other.yaml")

    assert project.invoke("run").exit_code == 1
    assert project.invoke("run", "--agent", "scripted:answers.yaml").exit_code == 0


def test_an_eval_is_run_as_often_as_asked(project: Any) -> None:
    project.write_evals("PF")

    result = project.invoke("run", "--trials", "3")

    assert "✓ p1 #1" in result.stdout
    assert "3 passed, 3 failed" in result.stdout
    assert "p1: 3 of 3 passed" in result.stdout


def test_a_concurrency_above_what_the_agent_takes_is_lowered_with_a_warning(project: Any) -> None:
    project.write_evals("P")
    project.write("careful.py", "def reply(turn, session):\n    return 'all is well'\ndef again():\n    pass\n")
    project.write("audition.toml", '[agent]\nuse = "function:careful:reply"\nreset = "again"\n')

    result = project.invoke("run", "--concurrency", "4")

    assert "warning: 4 side by side were asked for, but this agent takes 1 at once" in result.stderr
    assert result.exit_code == 0


def test_a_missing_judge_is_an_error_with_the_remedy(project: Any) -> None:
    project.write_evals("J")

    result = project.invoke("run")

    assert "--judge-model" in result.stdout
    assert result.exit_code == 3


CANNED = """
[agent]
use = "scripted:answers.yaml"
[judge]
model = 'canned:{"reason": "rude", "score": 1}'
[providers.canned]
protocol = "scripted"
"""


def test_the_judge_of_the_settings_judges(project: Any) -> None:
    project.write_evals("J")
    project.write("audition.toml", CANNED)

    result = project.invoke("run")

    assert "rude" in result.stdout
    assert result.exit_code == 1


@pytest.mark.parametrize(
    "judge",
    [
        'model = \'canned:{"reason": "rude", "score": 1}\'\nvotes = 3',
        """models = ['canned:{"reason": "rude", "score": 1}', 'canned:{"reason": "r", "score": 5}',
        'canned:{"reason": "so so", "score": 2}']""",
    ],
    ids=["one model", "three models"],
)
def test_several_votes_are_cast_and_kept(project: Any, judge: str) -> None:
    project.write_evals("J")
    model = 'model = \'canned:{"reason": "rude", "score": 1}\''
    project.write("audition.toml", CANNED.replace(model, judge))

    result = project.invoke("run", "-v")

    assert result.exit_code == 1
    assert result.stdout.count("vote: ") == 3
    assert (
        len(json.loads(project.invoke("run", "--format", "json").stdout)["evals"][0]["turns"][0]["checks"][0]["votes"])
        == 3
    )


def test_a_judge_of_the_command_line_wins_over_settings_and_environment(
    project: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write_evals("J")
    project.write("audition.toml", CANNED)
    monkeypatch.setenv("AUDITION_JUDGE_MODEL", "no such model")
    model = 'canned:{"reason": "polite", "score": 5}'

    assert project.invoke("run", "--judge-model", model).exit_code == 0
    assert project.runs()[0]["judge"] == model
    assert project.invoke("run").exit_code == 2


@pytest.mark.parametrize(("threshold", "code"), [(3, 0), (4, 1)])
def test_the_grade_that_passes_comes_from_settings(project: Any, threshold: int, code: int) -> None:
    project.write_evals("J")
    project.write("audition.toml", f"{CANNED}\n[options]\njudgePassThreshold = {threshold}\n")

    result = project.invoke("run", "--judge-model", 'canned:{"reason": "so so", "score": 3}')

    assert result.exit_code == code


LIMITS = [
    pytest.param(["--timeout", "0.02"], "did not end within 0.02 s", id="whole eval"),
    pytest.param(["--idle-timeout", "20"], "no answer within 0.02 s", id="one turn"),
]


@pytest.mark.parametrize(("arguments", "said"), LIMITS)
def test_an_agent_that_takes_too_long_fails(project: Any, arguments: list[str], said: str) -> None:
    project.write_evals("P")
    project.write("answers.yaml", "replies: [{say: all is well, delayMs: 60000}]")

    result = project.invoke("run", *arguments)

    assert said in result.stdout
    assert result.exit_code == 1


def test_fail_fast_stops_at_the_first_failure_and_says_so(project: Any) -> None:
    project.write_evals("PFPP")

    result = project.invoke("run", "--fail-fast", "--concurrency", "1")

    assert "stopped at the first failure" in result.stdout
    assert "p3" not in result.stdout
    assert result.exit_code == 1
    (kept,) = project.runs()
    assert (kept["status"], kept["error"], kept["total"]) == ("failed", "stopped at the first failure", 4)


def test_fail_fast_stops_at_an_error_too(project: Any) -> None:
    project.write_evals("EP")

    result = project.invoke("run", "--fail-fast", "--concurrency", "1")

    assert result.exit_code == 3
    assert "1 of 2 not run" in result.stdout


def test_what_did_not_pass_can_be_run_again(project: Any) -> None:
    project.write_evals("PFE")
    project.invoke("run")

    result = project.invoke("run", "--rerun-failed", "--format", "json")

    assert [one["name"] for one in json.loads(result.stdout)["evals"]] == ["f2", "e3"]


def test_running_again_when_nothing_failed_is_no_pass(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")

    result = project.invoke("run", "--rerun-failed")

    assert "nothing that was asked for failed or was an error in the latest run" in result.stderr
    assert result.exit_code == 4


def test_running_again_tells_of_evals_that_were_never_run(project: Any) -> None:
    project.write_evals("FPP")
    project.invoke("run", "--fail-fast", "--concurrency", "1")

    result = project.invoke("run", "--rerun-failed")

    assert "warning: the latest run did not finish: 2 of 3 were not run" in result.stderr


def test_nothing_is_kept_when_no_history_is_wanted(project: Any) -> None:
    project.write_evals("P")

    assert project.invoke("run", "--no-history").exit_code == 0
    assert project.invoke("run", "--no-history", "--format", "json").exit_code == 0
    assert not project.folder.joinpath(".audition").exists()


def test_json_goes_to_standard_output_alone(project: Any) -> None:
    project.write_evals("PF")

    report = json.loads(project.invoke("run", "--format", "json").stdout)

    assert (report["passed"], report["failed"], report["errors"], report["total"]) == (1, 1, 0, 2)
    assert [one["verdict"] for one in report["evals"]] == ["pass", "fail"]


def test_a_report_is_written_to_a_file_and_a_summary_to_the_terminal(project: Any) -> None:
    project.write_evals("PF")
    project.write("results.xml", "an older report")

    result = project.invoke("run", "--format", "junit", "--output", "results.xml")

    assert result.stdout.startswith("1 passed, 1 failed, 0 errors, 0 skipped")
    assert 'failures="1"' in project.folder.joinpath("results.xml").read_text(encoding="utf-8")
    assert sorted(path.name for path in project.folder.glob("*results*")) == ["results.xml"]


WRONG_OUTPUTS = [
    pytest.param("nowhere/results.xml", "there is no folder nowhere", id="no folder"),
    pytest.param(".", ". is a folder", id="folder"),
]


@pytest.mark.parametrize(("output", "said"), WRONG_OUTPUTS)
def test_an_output_that_cannot_be_written_is_refused_before_the_run(project: Any, output: str, said: str) -> None:
    project.write_evals("P")

    result = project.invoke("run", "--output", output)

    assert said in result.stderr
    assert result.exit_code == 2
    assert not project.everything_kept()


def test_an_unknown_report_is_told_with_what_was_probably_meant(project: Any) -> None:
    result = project.invoke("run", "--format", "jsn")

    assert "no report format called 'jsn'; did you mean 'json'?" in result.stderr
    assert result.exit_code == 2


def test_what_an_agent_says_cannot_steer_the_terminal(project: Any) -> None:
    project.write_evals("F")
    project.write("answers.yaml", 'replies: [{say: "\\e]0;owned\\a\\e[2J"}]')

    result = project.invoke("run", "-v")

    assert "\x1b" not in result.stdout
    assert "\\x1b" in result.stdout


def test_a_stored_run_is_replayed_without_its_agent(project: Any) -> None:
    project.write_evals("PF")
    project.invoke("run")
    project.folder.joinpath("answers.yaml").unlink()

    result = project.invoke("run", "--agent", f"replay:{project.runs()[0]['id']}")

    assert "1 passed, 1 failed, 0 errors" in result.stdout


WAITING = """
import asyncio, sys

async def reply(turn, session):
    while turn.user == "wait":
        print("waiting", file=sys.stderr, flush=True)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            {on_cancel}
    return "all is well"
"""

TWO = """
name: quick
conversation: [{user: hi, assert: {response: [{contains: well}]}}]
---
name: endless
conversation: [{user: wait, assert: {response: [{contains: well}]}}]
"""


def endless(project: Any, on_cancel: str) -> Any:
    """Start a run that ends its first eval and waits in the second until it is interrupted."""
    project.write("waiting.py", WAITING.format(on_cancel=on_cancel))
    project.write("evals/two.eval.yaml", TWO)
    process = project.start("run", "--agent", "function:waiting:reply", "--concurrency", "1")
    assert process.stderr.readline() == "waiting\n"
    assert process.stdout.readline().startswith("✓ quick")
    return process


def test_ctrl_c_keeps_and_reports_what_finished(project: Any) -> None:
    # case: confident-ai/deepeval#770
    process = endless(project, "raise")

    process.send_signal(signal.SIGINT)
    output, errors = process.communicate()

    assert process.returncode == 130
    assert "interrupted" in output
    assert "1 passed, 0 failed, 0 errors" in output
    assert "Traceback" not in errors
    (kept,) = project.runs()
    assert (kept["status"], kept["error"], kept["passed"], kept["total"]) == ("failed", "interrupted", 1, 2)
    assert "✓ quick" in project.invoke("runs", "--latest").stdout


def test_a_second_ctrl_c_ends_at_once(project: Any) -> None:
    process = endless(project, "pass")

    process.send_signal(signal.SIGINT)
    said = [process.stderr.readline() for _ in range(3)]
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()

    assert said == ["\n", "interrupted: ending what is under way (Ctrl-C again ends at once)\n", "waiting\n"]
    assert (process.returncode, errors) == (130, "")


@dataclass
class Heard:
    """What a server at an address was asked."""

    address: str
    requests: list[dict[str, Any]]


class Refusing(http.server.BaseHTTPRequestHandler):
    """A server that repeats the key it was given in its refusal, as real ones do."""

    heard: Heard

    def do_POST(self) -> None:
        """Refuse, and remember what was asked."""
        self.heard.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        message = f"wrong key: {self.headers['Authorization']} {self.headers['X-Key']}"
        self.send_response(401)
        self.end_headers()
        self.wfile.write(json.dumps({"error": {"message": message}}).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def heard() -> Iterator[Heard]:
    """Return what a server that refuses everything is asked."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as server:
        Refusing.heard = Heard(f"http://127.0.0.1:{server.server_port}/v1", [])
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Refusing.heard
        server.shutdown()
        thread.join()


def test_an_instruction_of_the_command_line_replaces_that_of_the_settings(project: Any, heard: Heard) -> None:
    project.write_evals("P")
    project.write("prompt.txt", "Be brief.")
    project.write("audition.toml", f'''
        [agent]
        use = "chat:mine:model"
        instruction_text = "Be long."
        [providers.mine]
        base_url = "{heard.address}"
        attempts = 1
    ''')  # fmt: skip

    project.invoke("run", "--instruction", "prompt.txt")

    assert [one["messages"][0] for one in heard.requests] == [{"role": "system", "content": "Be brief."}]


@pytest.mark.parametrize("report", ["text", "json", "junit"])
def test_keys_appear_nowhere(project: Any, heard: Heard, monkeypatch: pytest.MonkeyPatch, report: str) -> None:
    # case: promptfoo/promptfoo#8805
    project.write_evals("PJ")
    project.write("audition.toml", f'''
        [agent]
        use = "chat:mine:model"
        [judge]
        model = "mine:judge"
        [providers.mine]
        base_url = "{heard.address}"
        api_key_env = "MINE"
        headers = {{ X-Key = "canary-header" }}
        attempts = 1
    ''')  # fmt: skip
    monkeypatch.setenv("MINE", "canary-key")
    monkeypatch.setenv("AUDITION_DEBUG", "1")

    result = project.invoke("run", "-v", "--format", report)

    assert result.exit_code == 3, result.output
    assert "canary" not in result.output
    assert b"canary" not in project.everything_kept()


HELD = """\
name: held
scenario: {startingPrompt: good, plan: Ask again.}
outcome: {custom: [{function: shop_metrics_of_a_test.turns, threshold: 2}]}
"""
METRIC = "def turns(conversation):\n    return len(conversation['turns'])\n"
PLAYER = '[providers.stand_in]\nprotocol = "scripted"\n'


@pytest.fixture
def own_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget afterwards what the project let be imported."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield
    sys.modules.pop("shop_metrics_of_a_test", None)


def write_held(project: Any, settings: str = "") -> None:
    """Write an eval with a scenario, and the function that scores it."""
    project.write("evals/held.eval.yaml", HELD.replace("{startingPrompt: good,", "{startingPrompt: good, maxTurns: 2,"))
    project.write("shop_metrics_of_a_test.py", METRIC)
    project.write("audition.toml", '[agent]\nuse = "scripted:answers.yaml"\n' + settings + PLAYER)


@pytest.mark.usefixtures("own_imports")
def test_a_scenario_is_refused_before_the_first_message_when_no_model_plays_the_user(project: Any) -> None:
    write_held(project)

    result = project.invoke("run", "--allow-code")

    assert result.exit_code == 2
    assert "evals/held.eval.yaml:1:1: the eval 'held' has a scenario" in result.stderr
    assert "set [users] model in audition.toml, or pass --user-model" in result.stderr


@pytest.mark.usefixtures("own_imports")
@pytest.mark.parametrize(
    ("settings", "arguments"),
    [('[users]\nmodel = "stand_in:good"\n', []), ("", ["--user-model", "stand_in:good"])],
    ids=["settings", "option"],
)
def test_the_model_that_plays_users_is_named_in_settings_or_as_an_option(
    project: Any, settings: str, arguments: list[str]
) -> None:
    write_held(project, settings)

    result = project.invoke("run", "--allow-code", *arguments)

    assert result.exit_code == 0, result.output


def test_a_function_of_the_project_is_run_only_when_code_is_allowed(project: Any) -> None:
    write_held(project)

    result = project.invoke("run", "--user-model", "stand_in:good")

    assert result.exit_code == 2
    assert "a custom check runs the function it names; --allow-code allows it" in result.stderr


JUDGED = """
name: {name}
conversation:
  - user: hello
    assert:
      response:
        - llm_judge: it is kind
"""


def _judged_project(project: Any, evals: int, more: str = "") -> None:
    project.write("answers.yaml", "replies:\n  - say: hello there\n")
    project.folder.joinpath("evals").mkdir(exist_ok=True)
    for number in range(evals):
        project.write(f"evals/{number}.eval.yaml", JUDGED.format(name=f"kind-{number}"))
    project.write("audition.toml", CANNED.replace("rude", "kind").replace('"score": 1', '"score": 5') + more)


@pytest.mark.parametrize("how", ["option", "settings"])
def test_a_budget_that_is_spent_ends_the_run_with_what_it_has(project: Any, how: str) -> None:
    _judged_project(project, 9, "[budget]\nmax_calls = 3" if how == "settings" else "")

    result = project.invoke("run", "--concurrency", "1", *(["--max-calls", "3"] if how == "option" else []))

    assert "3 passed, 0 failed, 1 error, 0 skipped" in result.stdout
    assert "the run did not complete: the budget of 3 calls is spent" in result.stdout
    assert "5 of 9 not run" in result.stdout
    assert result.exit_code == 3
    (kept,) = project.runs()
    assert (kept["passed"], kept["errors"], kept["total"], kept["status"]) == (3, 1, 9, "failed")


def test_a_budget_that_just_does_changes_nothing(project: Any) -> None:
    _judged_project(project, 3)

    result = project.invoke("run", "--max-calls", "3")

    assert result.exit_code == 0, result.output


def test_dollars_are_not_spent_where_nobody_knows_the_price(project: Any) -> None:
    _judged_project(project, 2)

    result = project.invoke("run", "--max-cost-usd", "5", "--concurrency", "1")

    assert "the price of 'canned:" in result.stdout
    assert "1 of 2 not run" in result.stdout
    assert result.exit_code == 3


@pytest.mark.parametrize(
    "option",
    [("--max-calls", "0"), ("--max-tokens", "-1"), ("--max-cost-usd", "nan"), ("--max-cost-usd", "0")],
    ids=str,
)
def test_a_budget_that_is_none_is_refused(project: Any, option: tuple[str, str]) -> None:
    project.write_evals("P")

    assert project.invoke("run", *option).exit_code == 2
