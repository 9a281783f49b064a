"""The command line: the commands it offers, and what errors become."""

from typing import Any

import pytest

from audition import __version__
from audition.cli.app import COMMANDS
from audition.cli.commands import _project


def test_every_command_has_help_with_examples(empty: Any) -> None:
    pages = [empty.invoke(name, "--help").stdout for name in COMMANDS.names()]

    assert {"check", "init", "list", "rescore", "run", "runs", "schema"} <= set(COMMANDS.names())
    assert all("Examples:" in page and "  audition " in page for page in pages)


def test_an_unknown_command_is_told_with_what_was_probably_meant(empty: Any) -> None:
    result = empty.invoke("rnu")

    assert result.stderr == "Error: no command called 'rnu'\n  did you mean 'run'?\n"
    assert result.exit_code == 2


@pytest.mark.parametrize("arguments", [["--nope"], ["run", "--nope"], ["runs", "--limit", "many"]], ids=" ".join)
def test_wrong_usage_exits_with_2(empty: Any, arguments: list[str]) -> None:
    assert empty.invoke(*arguments).exit_code == 2


def test_the_version_is_an_option_as_well(empty: Any) -> None:
    assert empty.invoke("--version").stdout == f"audition {__version__}\n"


def test_an_error_is_a_message_and_a_hint_and_never_a_traceback(empty: Any) -> None:
    empty.write("audition.toml", "trails = 3")

    result = empty.invoke("list")

    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert "unknown key 'trails' in settings; did you mean 'trials'?" in result.stderr
    assert "Traceback" not in result.stderr


def broken() -> None:
    """Stand for a fault of our own."""
    raise ZeroDivisionError("nobody expected \x1b[31mthis")


def test_a_fault_of_our_own_exits_with_70_and_says_where_to_report_it(
    empty: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_project, "project_settings", broken)

    result = empty.invoke("list")

    assert result.exit_code == 70
    assert "audition itself broke: ZeroDivisionError: nobody expected \\x1b[31mthis" in result.stderr
    assert "report it" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_fault_of_our_own_shows_its_traceback_when_asked(empty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_project, "project_settings", broken)
    monkeypatch.setenv("AUDITION_DEBUG", "1")

    assert "Traceback" in empty.invoke("list").stderr


def interrupted() -> None:
    """Stand for Ctrl-C outside a run."""
    raise KeyboardInterrupt


def test_an_interruption_exits_with_130(empty: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_project, "project_settings", interrupted)

    result = empty.invoke("list")

    assert (result.exit_code, result.stderr) == (130, "interrupted\n")
