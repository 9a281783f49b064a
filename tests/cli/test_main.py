"""The entry point, as a process: what it answers at once, what it writes where, and how it ends."""

import os
import subprocess
import sys
from typing import Any

import pytest

from audition import __version__


def python(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run Python with arguments, and return what it wrote."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, check=False, **options)


def test_the_version_is_told_without_loading_the_command_line(empty: Any) -> None:
    done = python("-X", "importtime", "-m", "audition", "--version")

    assert done.stdout.decode() == f"audition {__version__}\n"
    assert done.returncode == 0
    loaded = {line.rpartition(b"|")[2].strip() for line in done.stderr.splitlines()}
    assert not loaded & {b"click", b"rich", b"rich_click", b"asyncio", b"pydantic", b"audition.cli.app"}


def test_running_a_command_loads_no_rich(empty: Any) -> None:
    done = python("-X", "importtime", "-m", "audition", "runs")

    loaded = {line.rpartition(b"|")[2].strip() for line in done.stderr.splitlines()}
    assert b"click" in loaded
    assert not loaded & {b"rich", b"rich_click"}


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["run", "--help"], ["run", "-h"]], ids=" ".join)
def test_help_is_drawn_with_its_examples_line_by_line(empty: Any, arguments: list[str]) -> None:
    done = python("-m", "audition", *arguments)

    text = done.stdout.decode()
    assert done.returncode == 0
    assert "╭─ Options" in text
    assert any(line.strip().startswith("audition run 'refund*'") for line in text.splitlines())


def test_without_a_command_help_is_shown_and_nothing_counts_as_passed(empty: Any) -> None:
    done = python("-m", "audition")

    assert b"Usage: audition" in done.stdout
    assert done.returncode == 2


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_output_is_utf8_whatever_the_locale(project: Any, locale: str) -> None:
    # case: google/adk-python#6690, openai/evals#980
    project.write_evals("P")
    project.write("answers.yaml", "replies: [{say: 'all is well: 12 € 漢字'}]")
    environ = {**os.environ, "LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}

    done = python("-m", "audition", "run", "-v", "--format", "json", env=environ)

    assert "12 € 漢字" in done.stdout.decode("utf-8")
    assert done.returncode == 0


def test_output_that_nobody_reads_ends_in_silence_and_not_as_a_pass(project: Any) -> None:
    project.write_evals("PP")
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, "-m", "audition", "run"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (130, b"")
    assert [(run["status"], run["error"]) for run in project.runs()] == [("failed", "interrupted")]


def test_a_closed_output_is_no_fault_of_ours(project: Any) -> None:
    project.write_evals("P")

    done = python("-c", "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])",
                  "-m", "audition", "list")  # fmt: skip

    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs terminals as POSIX has them")
class TestOnATerminal:
    """What a person at a terminal sees."""

    def seen(self, project: Any, **environ: str) -> tuple[str, str]:
        """Return what a run writes to a terminal as its output and to another as its errors."""
        project.write_evals("PF")
        outer, inner = zip(os.openpty(), os.openpty(), strict=True)
        process = subprocess.Popen(
            [sys.executable, "-m", "audition", "run"],
            stdout=inner[0], stderr=inner[1], env={**os.environ, "TERM": "xterm", **environ},
        )  # fmt: skip
        process.wait()
        written = [os.read(end, 100_000).decode() for end in outer]
        for end in (*outer, *inner):
            os.close(end)
        return written[0], written[1]

    def test_a_bar_is_drawn_beside_the_output_and_marks_are_coloured(self, project: Any) -> None:
        output, errors = self.seen(project)

        assert "\x1b[32m✓\x1b[0m p1" in errors
        assert "(0.0 s)\r\n\r\n" not in errors
        assert "2/2" in errors
        assert "1 passed, 1 failed" in output

    def test_no_colour_is_used_when_none_is_wanted(self, project: Any) -> None:
        output, errors = self.seen(project, NO_COLOR="1")

        assert "✓ p1" in errors
        assert "\x1b[3" not in output + errors


def test_nothing_is_drawn_in_a_pipe(project: Any) -> None:
    project.write_evals("P")

    done = python("-m", "audition", "run")

    assert done.stderr == b""
    assert b"\x1b" not in done.stdout
