"""Evals and tests under pytest, with the calls of their models on a cassette."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.endpoint import Endpoint

pytest_plugins = ["pytester"]

Run = Callable[..., pytest.RunResult]

EVAL = """\
name: greeting
conversation: [{user: hi, assert: {response: [{contains: answer no}, {llm_judge: It is kind.}]}}]
"""

TESTS = """\
import pytest

@pytest.mark.parametrize("number", [1, 2])
def test_kind(audition, number):
    print(">>", audition.talk("hi"))
    audition.expect(response={"contains": "answer no"})

@pytest.mark.anyio
async def test_judged(audition, anyio_backend):
    print(">>", await audition.say("hi"))
    await audition.judge("It is kind.")

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""

EVALUATOR = """\
import pytest
from audition.adk_compat import AgentEvaluator

pytestmark = pytest.mark.anyio

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.mark.parametrize("number", [1, 2])
async def test_house(number):
    found = await AgentEvaluator.evaluate("chat:local:talker", "sets", print_detailed_results=False)
    print(">>", [trial.transcript.exchanges[0].replies[0].text for trial in found.results[0].trials])
"""

SET = """\
{"eval_set_id": "house", "eval_cases": [{"eval_id": "hello", "conversation": [
  {"user_content": {"parts": [{"text": "hi"}]}, "final_response": {"parts": [{"text": "answer no 1"}]}}
]}]}
"""


@pytest.fixture
def endpoint(project: pytest.Pytester) -> Iterator[Endpoint]:
    """Serve the models of the project."""
    with Endpoint() as serving:
        asked = '[agent]\nuse = "chat:local:talker"\n[judge]\nmodel = "local:judge"\n'
        project.makefile(".toml", audition=asked + serving.settings)
        yield serving


def trials_on(tape: str = "tape.cassette") -> dict[str, int]:
    """Return how many recordings a cassette holds of each trial."""
    with closing(sqlite3.connect(tape)) as rows:
        return dict(rows.execute("SELECT trial, count(*) FROM recordings GROUP BY trial").fetchall())


def said(result: pytest.RunResult) -> list[str]:
    """Return what a session printed of its conversations, in an order of its own."""
    return sorted(line for line in result.stdout.lines if line.startswith(">>"))


def write_evals(*files: str) -> None:
    """Write the same eval into several files."""
    for file in files:
        Path(file).write_text(EVAL, "utf-8")


@pytest.mark.parametrize("how", ["options", "ini"])
def test_evals_are_played_back_without_a_model(
    run: Run, endpoint: Endpoint, project: pytest.Pytester, how: str
) -> None:
    write_evals("a.eval.yaml")
    if how == "ini":
        project.makeini("[pytest]\naudition_record = tape.cassette")
    run("--audition", *(["--audition-record", "tape.cassette"] if how == "options" else [])).assert_outcomes(passed=1)
    if how == "ini":
        project.makeini("[pytest]\naudition_replay = tape.cassette\naudition_offline = true")
    asked = list(endpoint.asked)

    replayed = run("--audition", *(["--audition-replay", "tape.cassette"] if how == "options" else []))

    replayed.assert_outcomes(passed=1)
    assert endpoint.asked == asked == ["talker", "judge"]
    assert trials_on() == {"a.eval.yaml::greeting#1": 2}


@pytest.mark.parametrize("workers", [[], ["-p", "xdist.plugin", "-n", "2"]], ids=["alone", "two workers"])
def test_evals_of_one_name_do_not_share_their_recordings(run: Run, endpoint: Endpoint, workers: list[str]) -> None:
    write_evals("a.eval.yaml", "b.eval.yaml", "c.eval.yaml")

    run("--audition", "--audition-trials", "2", "--audition-record", "tape.cassette", *workers).assert_outcomes(
        passed=6
    )
    asked = len(endpoint.asked)
    again = run("--audition", "--audition-trials", "2", "--audition-replay", "tape.cassette", *workers)

    again.assert_outcomes(passed=6)
    assert asked == len(endpoint.asked) == 12
    assert trials_on() == {f"{file}.eval.yaml::greeting#{number}": 2 for file in "abc" for number in (1, 2)}


def test_tests_in_python_are_played_back(run: Run, endpoint: Endpoint, project: pytest.Pytester) -> None:
    project.makepyfile(test_it=TESTS)
    recorded = run("-rP", "--audition-record", "tape.cassette")
    asked = list(endpoint.asked)

    replayed = run("-rP", "--audition-replay", "tape.cassette")

    recorded.assert_outcomes(passed=3)
    replayed.assert_outcomes(passed=3)
    assert said(replayed) == said(recorded)
    assert endpoint.asked == asked
    assert trials_on() == {
        "test_it.py::test_kind[1]#1": 1,
        "test_it.py::test_kind[2]#1": 1,
        "test_it.py::test_judged#1": 2,
    }


@pytest.mark.parametrize("workers", [[], ["-p", "xdist.plugin", "-n", "2"]], ids=["alone", "two workers"])
def test_tests_of_the_agent_evaluator_are_played_back(
    run: Run, endpoint: Endpoint, project: pytest.Pytester, workers: list[str]
) -> None:
    project.makepyfile(test_it=EVALUATOR)
    project.mkdir("sets")
    Path("sets/hello.test.json").write_text(SET, "utf-8")
    Path("sets/test_config.json").write_text('{"criteria": {"response_match_score": 0.1}}', "utf-8")
    recorded = run("-rP", "--audition-record", "tape.cassette", *workers)
    asked = list(endpoint.asked)

    replayed = run("-rP", "--audition-replay", "tape.cassette", *workers)

    recorded.assert_outcomes(passed=2)
    replayed.assert_outcomes(passed=2)
    assert said(replayed) == said(recorded)
    assert endpoint.asked == asked == ["talker"] * 4
    assert trials_on() == {f"test_it.py::test_house[{test}]::hello#{run}": 1 for test in (1, 2) for run in (1, 2)}


def test_what_is_missing_is_an_error_and_asks_nobody(run: Run, endpoint: Endpoint) -> None:
    write_evals("a.eval.yaml")
    run("--audition", "--audition-record", "tape.cassette")
    write_evals("b.eval.yaml")
    asked = list(endpoint.asked)

    result = run("--audition", "--audition-replay", "tape.cassette")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*this request was recorded in 'a.eval.yaml::greeting#1', but not in 'b.eval.yaml*"])
    assert endpoint.asked == asked


def test_what_is_missing_is_recorded_when_asked_for(run: Run, endpoint: Endpoint) -> None:
    write_evals("a.eval.yaml")
    run("--audition", "--audition-record", "tape.cassette")
    write_evals("b.eval.yaml")

    result = run("--audition", "--audition-replay", "tape.cassette", "--audition-record-missing")

    result.assert_outcomes(passed=2)
    assert endpoint.asked == ["talker", "judge"] * 2


def test_offline_a_model_elsewhere_is_an_error(run: Run, endpoint: Endpoint) -> None:
    write_evals("a.eval.yaml")
    settings = Path("audition.toml")
    settings.write_text(settings.read_text("utf-8").replace("127.0.0.1", "models.example.com"), "utf-8")

    result = run("--audition", "--audition-offline")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*offline: refused to connect to models.example.com*"])


def test_the_environment_is_as_it_was_after_the_session(
    run: Run, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUDITION_RECORD", raising=False)
    write_evals("a.eval.yaml")
    run("--audition", "--audition-record", "tape.cassette")
    asked = len(endpoint.asked)
    Path("tape.cassette").unlink()

    run("--audition").assert_outcomes(passed=1)

    assert len(endpoint.asked) == 2 * asked
    assert not Path("tape.cassette").exists()


REFUSED: dict[str, Any] = {
    "both": (["--audition-record", "a", "--audition-replay", "b"], "*exclude each other*"),
    "missing of nothing": (["--audition-record-missing"], "*goes with --audition-replay FILE*"),
}


@pytest.mark.parametrize(("options", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_meant_is_refused(run: Run, endpoint: Endpoint, options: list[str], message: str) -> None:
    write_evals("a.eval.yaml")

    result = run("--audition", *options)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])
    assert endpoint.asked == []


def test_a_cassette_that_is_not_there_is_told_and_nobody_is_asked(run: Run, endpoint: Endpoint) -> None:
    write_evals("a.eval.yaml")

    result = run("--audition", "--audition-replay", "no.cassette")

    result.stdout.fnmatch_lines(["*there is no cassette */no.cassette*"])
    assert result.ret != 0
    assert endpoint.asked == []
