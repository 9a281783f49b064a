"""A small project in a folder of its own, and commands run in it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from audition.cli.app import app

ANSWERS = """
replies:
  - when: {user: good}
    say: all is well
  - when: {user: bad}
    say: nothing is well
  - when: {user: offline}
    unreachable: connection refused
  - when: {user: crash}
    error: "RuntimeError: boom"
  - say: hello
"""

SAYS = {"P": "good", "F": "bad", "E": "offline", "C": "crash", "S": "good", "M": "good", "J": "good"}
"""What is said to the agent so that an eval passes, fails, is an error, meets a crash, or waits for a judge."""

CHECKS = {"S": "[{llm_judge: is polite}]", "J": "[{llm_judge: is polite}]"}
CHECKS["M"] = "[{contains: all is well}, {llm_judge: is polite}]"


@dataclass
class Project:
    """A folder with settings, a scripted agent and evals."""

    folder: Path

    def write(self, name: str, text: str) -> Path:
        """Write a file of the project."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def write_evals(self, plan: str, name: str = "evals/plan.eval.yaml", tags: str = "[]") -> None:
        """Write one eval for each letter of `SAYS` in `plan`."""
        evals = [
            f"name: {letter.lower()}{number}\ntags: {tags}\nconversation:\n  - user: {SAYS[letter]}\n"
            f"    assert:\n      response: {CHECKS.get(letter, '[{contains: all is well}]')}\n"
            for number, letter in enumerate(plan, 1)
        ]
        if evals:
            self.write(name, "---\n".join(evals))

    def invoke(self, *arguments: str) -> Result:
        """Run a command in this process."""
        return CliRunner().invoke(app, list(arguments))

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Start a command in a process of its own, in the current folder."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-m", "audition", *arguments], stdout=pipe, stderr=pipe, encoding="utf-8"
        )

    def runs(self) -> list[dict[str, Any]]:
        """Return what `audition runs` lists, newest first."""
        listed: list[dict[str, Any]] = json.loads(self.invoke("runs", "--format", "json").stdout)
        return listed

    def everything_kept(self) -> bytes:
        """Return all that the project's history holds, as it lies on the disk."""
        return b"".join(path.read_bytes() for path in sorted(self.folder.glob(".audition/**/*")) if path.is_file())


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project with nothing in it, as the current folder, and an environment that says nothing of us."""
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith(("AUDITION_", "OPENAI_", "NO_COLOR")):
            monkeypatch.delenv(name)
    return Project(tmp_path)


@pytest.fixture
def project(empty: Project) -> Project:
    """Return a project with settings and a scripted agent, and no eval yet."""
    empty.write("audition.toml", '[agent]\nuse = "scripted:answers.yaml"\n')
    empty.write("answers.yaml", ANSWERS)
    return empty
