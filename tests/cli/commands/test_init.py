"""`audition init`: a small project that runs as it is."""

from typing import Any

import pytest


def test_the_project_it_writes_runs_and_passes(empty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    result = empty.invoke("init", "shop")
    monkeypatch.chdir(empty.folder / "shop")
    process = empty.start("run", "-v")
    output, errors = process.communicate()

    assert result.stdout.endswith("Now run it: cd shop && audition run\n")
    assert "2 passed, 0 failed, 0 errors" in output
    assert (process.returncode, errors) == (0, "")


def test_it_writes_into_the_current_folder_when_none_is_named(empty: Any) -> None:
    assert empty.invoke("init").stdout.endswith("Now run it: audition run\n")

    assert empty.invoke("list").exit_code == 0


@pytest.mark.parametrize("name", ["audition.toml", "agent.py", "evals/first.eval.yaml"])
def test_it_overwrites_nothing_and_writes_nothing_beside_what_is_there(empty: Any, name: str) -> None:
    empty.write(name, "mine")

    result = empty.invoke("init")

    assert f". already has {name}; nothing was written" in result.stderr
    assert result.exit_code == 2
    assert [path.read_text() for path in empty.folder.rglob("*") if path.is_file()] == ["mine"]
