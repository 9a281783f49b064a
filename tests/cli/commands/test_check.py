"""`audition check`: everything that can be said before anything is run."""

from typing import Any


def test_evals_that_load_and_suit_the_agent_are_ok(project: Any) -> None:
    project.write_evals("PF")
    project.write_evals("E", "evals/more.eval.yaml")

    result = project.invoke("check")

    assert (result.stdout, result.exit_code) == ("3 evals in 2 files: ok\n", 0)


def test_nothing_is_called_and_nothing_is_kept(project: Any) -> None:
    project.write_evals("P")
    project.write("strict_agent.py", "def reply(turn, session):\n    raise SystemExit('called')\n")

    assert project.invoke("check", "--agent", "function:strict_agent:reply").exit_code == 0
    assert not project.folder.joinpath(".audition").exists()


def test_without_an_agent_it_is_said_what_was_not_looked_at(empty: Any) -> None:
    empty.write_evals("P")

    result = empty.invoke("check")

    assert result.stdout.startswith("1 eval in 1 file: ok (no agent was named")
    assert result.exit_code == 0


def test_all_faults_of_all_files_are_told(project: Any) -> None:
    project.write("evals/a.eval.yaml", "name: a\nconversation:\n  - usr: hi\n    assrt: {}\n")
    project.write("evals/b.eval.yaml", "nam: b\n")

    result = project.invoke("check")

    assert "evals/a.eval.yaml:3:5" in result.stderr
    assert "evals/a.eval.yaml:4:5" in result.stderr
    assert "evals/b.eval.yaml:1:1" in result.stderr
    assert result.exit_code == 2


def test_a_check_that_the_agent_cannot_be_seen_to_satisfy_is_refused(project: Any) -> None:
    project.write("audition.toml", '[agent]\nuse = "scripted:answers.yaml"\nobserves = ["replies"]\n')
    check = "assert: {tools: [{called: find}]}"
    project.write("evals/a.eval.yaml", f"name: a\nconversation:\n  - user: hi\n    {check}\n")

    result = project.invoke("check")

    assert "evals/a.eval.yaml:4:" in result.stderr
    assert "cannot be observed for 'tools' checks" in result.stderr
    assert result.exit_code == 2


def test_an_agent_that_is_none_is_refused(project: Any) -> None:
    project.write_evals("P")

    assert project.invoke("check", "--agent", "scripted:nope.yaml").exit_code == 2
    assert project.invoke("check", "--agent", "scriptd:answers.yaml").exit_code == 2


def test_no_eval_at_all_is_not_ok(project: Any) -> None:
    project.folder.joinpath("evals").mkdir()

    assert project.invoke("check").exit_code == 4


def test_what_lint_finds_is_told_and_changes_nothing(project: Any) -> None:
    check = "assert: {response: [{llm_judge: Says goodbye verbatim.}]}"
    project.write("evals/a.eval.yaml", f"name: a\nconversation:\n  - user: hi\n    {check}\n")

    result = project.invoke("check")

    assert "evals/a.eval.yaml:4:25: L3 error: a: the text demands an exact wording" in result.stderr
    assert (result.stdout, result.exit_code) == ("1 eval in 1 file: ok\n", 0)


def test_what_lint_finds_is_refused_when_that_is_wanted(project: Any) -> None:
    project.write_evals("P")
    assert project.invoke("check", "--strict").exit_code == 0

    check = "assert: {response: [{llm_judge: Responds appropriately.}]}"
    project.write("evals/a.eval.yaml", f"name: a\nconversation:\n  - user: hi\n    {check}\n")
    result = project.invoke("check", "--strict")

    assert result.stdout == "2 evals in 2 files: refused, since lint finds fault with them\n"
    assert result.exit_code == 2
