"""Evals under pytest: verdicts and what they say, side by side, and how a session ends."""

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audition.pytest_plugin import _running
from audition.store.history import open_store

pytest_plugins = ["pytester"]

Run = Callable[..., pytest.RunResult]

ASKS_A_JUDGE = """\
name: judged
conversation: [{user: hi, assert: {response: {llm_judge: It is kind.}}}]
"""

PLAYED = """\
name: played
scenario: {startingPrompt: hi, plan: say hi}
outcome: {state: {path: user.name, exists: false}}
"""

WAITS_FOR_ALL = """\
import asyncio

everybody = asyncio.Barrier(5)
here, most = 0, 0

async def reply(turn, session):
    await everybody.wait()
    return "hi"

async def reply_alone(turn, session):
    global here, most
    here += 1
    most = max(here, most)
    await asyncio.sleep(0)
    here -= 1
    return f"at most {most} at once"
"""

NEVER_ANSWERS = """\
import asyncio
from pathlib import Path

slow_ones = asyncio.Barrier(3)

async def reply(turn, session):
    await slow_ones.wait()
    if turn.user == "fast":
        return "done"
    try:
        await asyncio.Event().wait()
    finally:
        Path(f"{turn.user}.ended").touch()
"""

INTERRUPTS = """\
def pytest_runtest_logreport(report):
    if report.when == "call":
        raise KeyboardInterrupt
"""


# Verdicts.


def test_a_verdict_is_passed_failed_or_an_error(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", good=("hi", "hi"), bad=("hi", "bye"), broken=("crash", "hi"))
    Path("b.eval.yaml").write_text(ASKS_A_JUDGE, "utf-8")

    result = run("--audition")

    result.assert_outcomes(passed=1, failed=2, errors=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_what_failed_is_shown_beside_the_conversation(run: Run, evals: Any, golden: Any) -> None:
    evals("a.eval.yaml", bad=("hi", "bye"), broken=("crash", "hi"), silent=("nothing", "hi"))
    Path("b.eval.yaml").write_text(ASKS_A_JUDGE, "utf-8")

    text = run("--audition").stdout.str()

    shown = text[text.index("=== ERRORS") :].replace(str(Path.cwd()), "PROJECT")
    shown = re.sub(r"=+ warnings summary.*?(?==+ short test summary)", "", shown, flags=re.DOTALL)
    golden(
        "pytest_plugin/failures.txt", re.sub(r"=+ (.*?)(, 1 warning)?(, 1 error) in [\d.]+s =+", r"\1\3", shown) + "\n"
    )


def test_an_error_is_an_error_in_junit_too(run: Run) -> None:
    Path("b.eval.yaml").write_text(ASKS_A_JUDGE, "utf-8")

    run("--audition", "--junitxml=out.xml")

    report = Path("out.xml").read_text("utf-8")
    assert 'errors="1" failures="0"' in report
    assert "could not be evaluated: no judge is configured" in report


def test_checks_that_nobody_looked_at_are_an_error(run: Run) -> None:
    Path("b.eval.yaml").write_text(ASKS_A_JUDGE, "utf-8")

    result = run("--audition", "--audition-no-judge")

    result.stdout.fnmatch_lines(["could not be evaluated: nothing was evaluated: every check was skipped"])
    result.assert_outcomes(errors=1)


def test_a_judge_is_asked(run: Run) -> None:
    Path("b.eval.yaml").write_text(ASKS_A_JUDGE, "utf-8")
    Path("audition.toml").write_text(
        'agent.use = "function:bot:reply"\n[providers.fake]\nprotocol = "scripted"\n', "utf-8"
    )

    run("--audition", "--audition-judge-model", 'fake:{"reason": "so kind", "score": 5}').assert_outcomes(passed=1)


def test_another_agent_may_be_named(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", greeting=("hi", "hello"))
    Path("other.py").write_text("def reply(turn, session): return 'hello'", "utf-8")

    run("--audition", "--audition-agent", "function:other:reply").assert_outcomes(passed=1)


def test_an_agent_that_cannot_be_opened_is_an_error_of_each_eval_and_of_no_test(
    run: Run, evals: Any, project: pytest.Pytester
) -> None:
    evals("a.eval.yaml", one=("hi", "hi"), two=("hi", "hi"))
    project.makepyfile(test_b="def test_plain(): pass")

    result = run("--audition", "--audition-agent", "function:bot:repply")

    result.stdout.fnmatch_lines(["'bot' has nothing called 'repply'", "  did you mean 'reply'?"])
    result.assert_outcomes(passed=1, errors=2)


def test_an_eval_that_cannot_be_run_against_the_agent_is_an_error_of_its_own(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", good=("hi", "hi"))
    Path("answers.yaml").write_text("replies: [{say: hi}]", "utf-8")
    Path("audition.toml").write_text('[agent]\nuse = "scripted:answers.yaml"\nobserves = ["replies"]', "utf-8")
    Path("b.eval.yaml").write_text(
        "name: unseen\nconversation: [{user: hi, assert: {tools: {not_called: buy}}}]", "utf-8"
    )

    result = run("--audition")

    result.stdout.fnmatch_lines(["b.eval.yaml:2:36: the agent cannot be observed for 'tools' checks"])
    result.assert_outcomes(passed=1, errors=1)


def test_a_scenario_whose_user_nobody_plays_is_an_error_of_its_own(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", good=("hi", "hi"))
    Path("b.eval.yaml").write_text(PLAYED, "utf-8")

    result = run("--audition")

    result.stdout.fnmatch_lines(["b.eval.yaml:1:*: the eval 'played' has a scenario, and no model is named*"])
    result.assert_outcomes(passed=1, errors=1)


def test_a_simulated_user_is_played_by_the_model_that_is_named(run: Run) -> None:
    Path("b.eval.yaml").write_text(PLAYED, "utf-8")
    Path("audition.toml").write_text(
        'agent.use = "function:bot:reply"\n[providers.fake]\nprotocol = "scripted"\n', "utf-8"
    )

    run("--audition", "--audition-user-model", "fake:</finished>").assert_outcomes(passed=1)


def test_no_agent_at_all_is_said(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", one=("hi", "hi"))
    Path("audition.toml").unlink()

    result = run("--audition")

    result.stdout.fnmatch_lines(["no agent was named", "  pass --audition-agent *"])
    result.assert_outcomes(errors=1)


# Side by side.


def test_evals_run_side_by_side(run: Run, evals: Any, project: pytest.Pytester) -> None:
    project.makepyfile(bot=WAITS_FOR_ALL)
    evals("a.eval.yaml", one=("u1", "hi"), two=("u2", "hi"))
    evals("b.eval.yaml", three=("u3", "hi"), four=("u4", "hi"), five=("u5", "hi"))

    run("--audition").assert_outcomes(passed=5)


def test_no_more_evals_run_at_once_than_was_asked_for(run: Run, evals: Any, project: pytest.Pytester) -> None:
    project.makepyfile(bot=WAITS_FOR_ALL)
    evals("a.eval.yaml", **{f"eval{number}": ("hi", "at most 2 at once") for number in range(2, 9)})

    run(
        "--audition", "--audition-agent", "function:bot:reply_alone", "--audition-concurrency", "2", "-k", "not eval2"
    ).assert_outcomes(passed=6, deselected=1)


def test_evals_that_are_not_selected_are_not_run(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", one=("u1", "said"), two=("u2", "said"), three=("u3", "said"))
    project.makepyfile(test_b="import bot\ndef test_heard(): assert sorted(bot.heard) == ['u1', 'u3']")

    run("--audition", "-k", "not two").assert_outcomes(passed=3, deselected=1)


def test_no_eval_runs_beside_a_test(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", one=("u1", "said"), two=("u2", "said"))
    project.makepyfile(test_b="import bot\ndef test_heard(): assert sorted(bot.heard) == ['u1', 'u2']")
    evals("z.eval.yaml", three=("u3", "said"))

    run("--audition").assert_outcomes(passed=4)


def test_an_eval_that_is_asked_for_out_of_turn_waits_for_no_other(
    run: Run, evals: Any, project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_running, "_AHEAD", 1)
    evals("a.eval.yaml", **{f"eval{number}": ("hi", "hi") for number in range(6)})
    project.makeconftest(
        """
        def pytest_runtestloop(session):
            for index in (0, 5, 1, 4, 2, 3):
                item = session.items[index]
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
            return True
        """
    )

    run("--audition", "--audition-concurrency", "1").assert_outcomes(passed=6)


def test_an_eval_that_is_run_again_is_asked_again(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", one=("hi", "hi"))
    project.makeconftest(
        """
        import bot

        def pytest_runtestloop(session):
            for _ in range(2):
                session.items[0].config.hook.pytest_runtest_protocol(item=session.items[0], nextitem=None)
            assert bot.heard == ["hi", "hi"]
            return True
        """
    )

    run("--audition").assert_outcomes(passed=2)


# The end.


def test_the_first_failure_ends_what_still_runs(run: Run, evals: Any, project: pytest.Pytester) -> None:
    project.makepyfile(bot=NEVER_ANSWERS)
    evals("a.eval.yaml", first=("fast", "nothing of it"), second=("slow1", "hi"), third=("slow2", "hi"))

    result = run("--audition", "-x")

    result.assert_outcomes(failed=1)
    assert Path("slow1.ended").exists()
    assert Path("slow2.ended").exists()


def test_an_interruption_ends_what_still_runs(run: Run, evals: Any, project: pytest.Pytester) -> None:
    project.makepyfile(bot=NEVER_ANSWERS)
    project.makeconftest(INTERRUPTS)
    evals("a.eval.yaml", first=("fast", "done"), second=("slow1", "hi"), third=("slow2", "hi"))

    result = run("--audition", no_reraise_ctrlc=True)

    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert Path("slow1.ended").exists()
    assert Path("slow2.ended").exists()


def test_workers_of_xdist_share_the_evals(run: Run, evals: Any, project: pytest.Pytester) -> None:
    project.makepyfile(
        bot="""
        from pathlib import Path

        def reply(turn, session):
            with Path("heard.txt").open("a") as file:
                file.write(f"{turn.user}\\n")
            return "hi"
        """
    )
    evals("a.eval.yaml", **{f"eval{number}": (f"u{number}", "hi") for number in range(9)}, bad=("u9", "bye"))

    result = run("--audition", "-p", "xdist.plugin", "-n", "2")

    result.assert_outcomes(passed=9, failed=1)
    assert sorted(Path("heard.txt").read_text("utf-8").split()) == [f"u{number}" for number in range(10)]
    result.stdout.fnmatch_lines(["    Turn 1: u9", '*expected: contains "bye"'])


# The history.


def test_no_history_is_kept_unless_it_is_asked_for(run: Run, evals: Any) -> None:
    evals("a.eval.yaml", one=("hi", "hi"))

    run("--audition")

    assert not Path(".audition").exists()


def test_a_session_is_one_run_of_the_history(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", same=("hi", "hi"), bad=("hi", "bye"))
    evals("b.eval.yaml", same=("hi", "hi"))
    project.makeini("[pytest]\naudition = true\naudition_history = true")

    run()

    with closing(open_store(".audition/history.db")) as store:
        (kept,) = store.runs(limit=9)
        names = {result.eval_name for result in store.results(kept.id)}
    assert (kept.status, kept.passed, kept.failed, kept.total) == ("completed", 2, 1, 3)
    assert names == {"same", "bad", "b.eval.yaml::same"}


def test_a_session_that_was_cut_short_says_so_in_the_history(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", bad=("hi", "bye"), good=("hi", "hi"))
    project.makeini("[pytest]\naudition = true\naudition_history = true")

    run("-x")

    with closing(open_store(".audition/history.db")) as store:
        (kept,) = store.runs(limit=9)
    assert (kept.status, kept.ran, kept.total) == ("failed", 1, 2)


def test_a_history_that_cannot_be_opened_is_an_error(run: Run, evals: Any, project: pytest.Pytester) -> None:
    evals("a.eval.yaml", one=("hi", "hi"))
    project.makeini("[pytest]\naudition = true\naudition_history = true")
    Path(".audition").write_text("a file where a folder should be", "utf-8")

    run().assert_outcomes(errors=1)
