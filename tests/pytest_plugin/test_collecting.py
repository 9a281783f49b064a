"""Eval files under pytest: what is collected, how it is named and marked, and what is wrong with it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ["pytester"]

Run = Callable[..., pytest.RunResult]

TAGGED = """\
- name: cheap
  tags: [smoke, "needs care", skip, _hidden]
  type: regression
  conversation: [{user: hi, assert: {response: {contains: goodbye}}}]
- name: dear
  type: capability
  conversation: [{user: hi, assert: {response: {contains: hi}}}]
"""

IN_PYTHON = """\
from audition import Check, Eval, Turn

def test_that_is_none():
    raise AssertionError("this file holds evals, not tests")

evals = [Eval(name="built", turns=(Turn(user="hi", checks=(Check(category="response", spec={"contains": "hi"}),)),))]
"""

IN_TYPESCRIPT = """\
import { Eval } from '@botpress/evals'

export default new Eval({
  name: 'typed',
  conversation: [{ user: 'hi', assert: { response: [{ contains: 'hi' }] } }],
})
"""

WRONG = """\
- name: one
  conversation:
  - usr: hi
- name: two
  conversation:
  - user: hi
    assert:
      response:
        contain: hi
"""


EVAL_SET = {
    "eval_set_id": "greetings",
    "eval_cases": [
        {
            "eval_id": "greets",
            "conversation": [
                {
                    "user_content": {"parts": [{"text": "hi"}]},
                    "final_response": {"parts": [{"text": "You said: hi"}]},
                    "intermediate_data": {"tool_uses": [{"name": "look_up", "args": {"what": "hi"}}]},
                }
            ],
        }
    ],
}

CUSTOM = """\
name: custom
conversation: [{user: hi}]
outcome: {custom: {function: checks.always}}
"""


def names_of(project: pytest.Pytester, *arguments: str) -> list[str]:
    """Return the node ids of what is collected."""
    items, _ = project.inline_genitems("-p", "audition.pytest_plugin", *arguments)
    return [item.nodeid for item in items]


def test_eval_files_are_left_alone_unless_asked_for(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"))

    assert run().ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_each_eval_is_a_test_when_the_option_asks(run: Run, evals: Any) -> None:
    evals("evals/a.eval.yaml", greeting=("hi", "hi"), parting=("bye", "bye"))

    result = run("--audition", "-v")

    result.stdout.fnmatch_lines(["evals/a.eval.yaml::greeting PASSED*", "evals/a.eval.yaml::parting PASSED*"])


def test_each_eval_is_a_test_when_the_ini_file_asks(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"))
    project.makeini("[pytest]\naudition = true")

    run().assert_outcomes(passed=1)


def test_evals_of_several_formats_stand_beside_tests(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"))
    turn = {"user": "hi", "assert": {"response": [{"contains": "hi"}]}}
    Path("b.eval.json").write_text(json.dumps({"name": "in json", "conversation": [turn]}), "utf-8")
    Path("c.eval.ts").write_text(IN_TYPESCRIPT, "utf-8")
    project.makepyfile(test_d="def test_plain(): pass")

    run("--audition").assert_outcomes(passed=4)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("one.test.json", ()), ("some.evalset.json", ()), ("named.json", ("named.json",))],
    ids=["test file", "eval set", "named"],
)
def test_eval_sets_of_adk_are_collected(name: str, arguments: tuple[str, ...], run: Run) -> None:
    Path(name).write_text(json.dumps(EVAL_SET), "utf-8")
    Path("package.json").write_text("{}", "utf-8")

    run("--audition", *arguments).assert_outcomes(passed=1)


def test_a_custom_check_runs_nothing_unless_that_is_allowed(run: Run) -> None:
    Path("a.eval.yaml").write_text(CUSTOM, "utf-8")
    Path("checks.py").write_text("def always(seen): return True", "utf-8")

    run("--audition").assert_outcomes(errors=1)
    run("--audition", "--audition-allow-code").assert_outcomes(passed=1)


def test_a_python_file_is_not_run_unless_it_is_named(run: Run) -> None:
    Path("a.eval.py").write_text(IN_PYTHON, "utf-8")

    result = run("--audition")

    result.stdout.fnmatch_lines(
        ["*a.eval.py: not read, since that runs the code in it; name the file itself, or pass*"]
    )
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize("arguments", [("a.eval.py",), ("--audition-allow-code",)], ids=["named", "allowed"])
def test_a_python_file_holds_evals_and_no_tests(run: Run, arguments: tuple[str, ...]) -> None:
    Path("a.eval.py").write_text(IN_PYTHON, "utf-8")

    run("--audition", *arguments).assert_outcomes(passed=1)


def test_k_selects_by_name(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"), parting=("bye", "bye"))

    run("--audition", "-k", "greet").assert_outcomes(passed=1, deselected=1)


def test_an_eval_is_selected_by_its_place(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"), parting=("bye", "bye"))

    run("--audition", "a.eval.yaml::parting").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    "wanted", ["smoke", "regression", "needs_care", "tag_skip", "tag__hidden"], ids=lambda wanted: wanted
)
def test_m_selects_by_tag_and_type_under_strict_markers(run: Run, wanted: str) -> None:
    Path("a.eval.yaml").write_text(TAGGED, "utf-8")

    run("--audition", "--strict-markers", "-m", wanted).assert_outcomes(failed=1, deselected=1)


def test_a_tag_called_skip_skips_nothing(run: Run) -> None:
    Path("a.eval.yaml").write_text(TAGGED, "utf-8")

    run("--audition").assert_outcomes(passed=1, failed=1)


@pytest.mark.parametrize("asked", ["option", "ini", "settings"])
def test_trials_are_numbered(asked: str, run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"))
    if asked == "ini":
        project.makeini("[pytest]\naudition_trials = 2")
    if asked == "settings":
        Path("audition.toml").write_text('trials = 2\nagent.use = "function:bot:reply"', "utf-8")

    found = names_of(project, "--audition", *(["--audition-trials", "2"] if asked == "option" else []))

    assert found == ["a.eval.yaml::greeting#1", "a.eval.yaml::greeting#2"]


def test_an_item_stands_where_its_eval_begins(project: pytest.Pytester, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"), parting=("bye", "bye"))

    items, _ = project.inline_genitems("-p", "audition.pytest_plugin", "--audition")

    assert [item.location for item in items] == [("a.eval.yaml", 0, "greeting"), ("a.eval.yaml", 4, "parting")]


def test_a_file_with_faults_tells_them_all(run: Run) -> None:
    Path("wrong.eval.yaml").write_text(WRONG, "utf-8")

    result = run("--audition")

    result.stdout.fnmatch_lines(
        [
            "*ERROR collecting wrong.eval.yaml*",
            "wrong.eval.yaml:3:5: unknown key 'usr' in turn; did you mean 'user'?",
            "wrong.eval.yaml:9:9: unknown key 'contain' in response check; did you mean 'contains'?",
        ]
    )
    result.assert_outcomes(errors=1)
    assert "Traceback" not in result.stdout.str()


def test_a_file_with_faults_hides_no_other(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"))
    Path("wrong.eval.yaml").write_text(WRONG, "utf-8")
    evals("z.eval.yaml", parting=("bye", "bye"))

    result = run("--audition", "--continue-on-collection-errors")

    result.assert_outcomes(passed=2, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_file_without_evals_is_warned_of(run: Run) -> None:
    Path("a.eval.yaml").write_text("# - name: later\n", "utf-8")

    result = run("--audition")

    result.stdout.fnmatch_lines(["*a.eval.yaml: the file holds no eval: *"])
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_settings_that_are_wrong_are_an_error_of_the_collection(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hi"))
    Path("audition.toml").write_text("trails = 3", "utf-8")

    result = run("--audition")

    result.stdout.fnmatch_lines(["*audition.toml: trails: unknown key 'trails' in settings; did you mean 'trials'?"])
    result.assert_outcomes(errors=1)


@pytest.mark.parametrize("number", ["0", "many", "-1", "1.5"])
def test_a_count_that_is_none_is_refused(number: str, run: Run) -> None:
    result = run("--audition", f"--audition-concurrency={number}")

    result.stderr.fnmatch_lines([f"*--audition-concurrency: must be a whole number of 1 or more, not '{number}'"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_an_ini_count_that_is_none_is_refused(run: Run, project: pytest.Pytester) -> None:
    project.makeini("[pytest]\naudition_trials = often")

    result = run()

    result.stderr.fnmatch_lines(["ERROR: audition_trials: must be a whole number of 1 or more, not 'often'"])
    assert result.ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("imported", "unwanted"),
    [("audition, audition.library", "pytest"), ("audition.pytest_plugin", "audition.engine")],
    ids=["the library loads no pytest", "the plugin loads no engine"],
)
def test_what_is_not_used_is_not_loaded(imported: str, unwanted: str) -> None:
    code = f"import {imported}, sys; print({unwanted!r} in sys.modules)"

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert ran.stdout == "False\n"
