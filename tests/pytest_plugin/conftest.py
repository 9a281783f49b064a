"""Projects that pytest is run on, in this process, with our plugin and no other that might be installed."""

from collections.abc import Callable
from typing import Any

import pytest

from audition.agents import function
from audition.documents import json, yaml
from audition.formats import FORMATS
from audition.judges import llm
from audition.pytest_plugin import _collecting, _conversation, _running
from audition.scoring.checks import CATEGORIES
from audition.store import sql, sqlite_recorder

LOADED = (
    (function, json, yaml, llm, _collecting, _conversation, _running, sql, sqlite_recorder),
    [folder.get(name) for folder in (FORMATS, CATEGORIES) for name in folder.names()],
)
"""What a run of pytest inside this one would else import and forget, time and again, which C extensions do not bear."""

BOT = """\
import asyncio

heard = []

async def reply(turn, session):
    heard.append(turn.user)
    if turn.user == "crash":
        raise ValueError("boom")
    if turn.user == "nothing":
        return None
    session.tool("look_up", {"what": turn.user}, result={"found": True})
    return f"You said: {turn.user}"
"""

Run = Callable[..., Any]


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Return a project with an agent that repeats what it hears."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "80")
    for variable in ("CI", "BUILD_NUMBER"):  # there, pytest cuts no line
        monkeypatch.delenv(variable, raising=False)
    pytester.makefile(".toml", audition='[agent]\nuse = "function:bot:reply"\n')
    pytester.makepyfile(bot=BOT)
    return pytester


@pytest.fixture
def run(project: pytest.Pytester) -> Run:
    """Return a function that runs pytest, with our plugin, on the project."""

    def run_pytest(*arguments: str, **options: bool) -> pytest.RunResult:
        ours = ("-p", "audition.pytest_plugin", "-p", "anyio.pytest_plugin", "-W", "default")
        return project.runpytest_inprocess(*ours, *arguments, **options)

    return run_pytest


@pytest.fixture
def evals(project: pytest.Pytester) -> Callable[..., None]:
    """Return a function that writes an eval file: an eval for each name, with what is said and what must be heard."""

    def write(file: str, **evals: tuple[str, str]) -> None:
        text = "".join(
            f"- name: {name}\n  conversation:\n  - user: {said}\n    assert: {{response: {{contains: {heard}}}}}\n"
            for name, (said, heard) in evals.items()
        )
        path = project.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    return write
