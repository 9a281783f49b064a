"""`audition rescore`: stored transcripts, judged by the evals as they are now."""

from typing import Any


def changed(project: Any, old: str, new: str) -> str:
    """Run the project's evals, change them, and return the id of the run."""
    project.invoke("run")
    path = project.folder / "evals" / "plan.eval.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    project.folder.joinpath("answers.yaml").unlink()
    return str(project.runs()[0]["id"])


def test_checks_of_today_judge_the_transcripts_of_then_without_the_agent(project: Any) -> None:
    project.write_evals("PF")
    run_id = changed(project, "all is well", "nothing is well")

    result = project.invoke("rescore", run_id)

    assert "1 passed, 1 failed" in result.stdout
    assert "✗ p1" in result.stdout
    assert result.exit_code == 1


def test_the_result_is_a_new_run_that_names_the_old_one(project: Any) -> None:
    project.write_evals("P")
    run_id = changed(project, "[]", "[again]")

    project.invoke("rescore", run_id[:20])

    new, old = project.runs()
    assert (new["rescored_from"], old["rescored_from"]) == (run_id, None)
    assert new["agent"] == old["agent"] == "scripted:answers.yaml"
    assert f"rescored from {run_id}" in project.invoke("runs").stdout


def test_an_eval_that_is_gone_is_an_error_and_not_left_out(project: Any) -> None:
    project.write_evals("PP")
    run_id = changed(project, "name: p2", "name: other")

    result = project.invoke("rescore", run_id)

    assert "1 passed, 0 failed, 1 error" in result.stdout
    assert "there is no eval of this name any more" in result.stdout
    assert result.exit_code == 3


def test_evals_are_read_from_where_they_were(project: Any) -> None:
    project.write_evals("P", "elsewhere/some.eval.yaml")
    project.invoke("run", "elsewhere")

    assert project.invoke("rescore", project.runs()[0]["id"]).exit_code == 0


def test_evals_can_be_read_from_elsewhere(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")
    project.write_evals("P", "stricter/some.eval.yaml")
    stricter = project.folder / "stricter" / "some.eval.yaml"
    stricter.write_text(stricter.read_text(encoding="utf-8").replace("all is", "none is"), encoding="utf-8")

    assert project.invoke("rescore", project.runs()[0]["id"], "stricter").exit_code == 1


def test_trials_that_were_never_run_keep_a_rescored_run_from_passing(project: Any) -> None:
    project.write_evals("FP")
    project.invoke("run", "--fail-fast", "--concurrency", "1")
    path = project.folder / "evals" / "plan.eval.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("all is", "nothing is"), encoding="utf-8")

    result = project.invoke("rescore", project.runs()[0]["id"])

    assert "1 of 2 not run" in result.stdout
    assert "1 passed, 0 failed, 0 errors" in result.stdout
    assert result.exit_code == 3


def test_an_unknown_run_is_asked_wrongly(project: Any) -> None:
    project.write_evals("P")
    project.invoke("run")

    assert project.invoke("rescore", "nope").exit_code == 2
