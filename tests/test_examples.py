"""The examples run as they say, and together they show the whole eval format."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from audition.agents.function import FunctionAgent
from audition.engine.perform import perform
from audition.engine.plan import Defaults, plan
from audition.evals import Check, Eval, Turn
from audition.formats import load
from audition.results import Verdict
from audition.scoring.matchers import OPERATOR_TABLE

EXAMPLES = Path(__file__).parents[1] / "examples"
DESK = EXAMPLES / "support_desk"


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, whatever the environment says about agents and judges."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUDITION_")}
    asked = [sys.executable, *arguments]
    return subprocess.run(asked, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=120)


def keys_of(value: object) -> Iterator[str]:
    """Yield all keys of a piece of data, those of nested objects too."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from keys_of(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from keys_of(item)


@pytest.fixture(scope="module")
def evals() -> tuple[Eval, ...]:
    return load(DESK / "evals", allow_code=True).evals


@pytest.fixture(scope="module")
def turns(evals: tuple[Eval, ...]) -> list[Turn]:
    return [turn for one in evals for turn in one.turns]


@pytest.fixture(scope="module")
def checks(evals: tuple[Eval, ...], turns: list[Turn]) -> list[Check]:
    return [check for place in (*(turn.checks for turn in turns), *(one.outcome for one in evals)) for check in place]


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """A copy of the support desk, to be run in."""
    return shutil.copytree(DESK, tmp_path / "desk", ignore=shutil.ignore_patterns(".audition", "__pycache__"))


def test_every_eval_of_the_support_desk_passes(desk: Path, evals: tuple[Eval, ...]) -> None:
    ran = command(desk, "-m", "audition", "run", "--allow-code", "--format", "json")

    report = json.loads(ran.stdout)
    assert {one["name"]: one["verdict"] for one in report["evals"]} == {one.name: "pass" for one in evals}
    assert ran.returncode == 0


def test_the_broken_evals_look_as_the_readme_says(desk: Path) -> None:
    shown = re.search(
        r"audition run broken\n```\n\n```text\n(.+?)```", (desk / "README.md").read_text("utf-8"), re.DOTALL
    )

    ran = command(desk, "-m", "audition", "run", "broken", "--concurrency", "1")

    assert shown
    assert re.sub(r"\d+\.\d s", "0.0 s", ran.stdout).strip() == shown[1].strip()
    assert ran.returncode == 1


def test_the_demo_shows_a_pass_and_a_failure_and_is_content(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns(".audition", "__pycache__"))

    ran = command(tmp_path, "-m", "examples.demo")

    assert "✓ a-broken-printer-becomes-a-ticket" in ran.stdout
    assert "✗ a-printer-on-fire-can-wait" in ran.stdout
    assert ran.returncode == 0


def test_the_demo_is_not_content_when_the_desk_misbehaves(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=shutil.ignore_patterns(".audition", "__pycache__"))
    tickets = tmp_path / "examples" / "support_desk" / "desk" / "tickets.py"
    tickets.write_text(tickets.read_text("utf-8").replace("IT Engineering", "Gardening"), "utf-8")

    ran = command(tmp_path, "-m", "examples.demo")

    assert "✗ a-broken-printer-becomes-a-ticket" in ran.stdout
    assert ran.returncode == 1


@pytest.mark.anyio
async def test_an_agent_that_always_says_the_same_passes_none_of_the_desks_evals(evals: tuple[Eval, ...]) -> None:
    agent = FunctionAgent(
        lambda turn, session: "How can I help?", workflows={"onboarding": lambda given, session: None}
    )
    trials = plan(evals, Defaults(), agent.observes)

    passed = [
        result.eval_name async for result in perform(trials, agent, None, at_once=8) if result.verdict == Verdict.PASS
    ]

    assert passed == []


def test_the_local_models_evals_load_and_its_agent_can_satisfy_them() -> None:
    ran = command(EXAMPLES / "local_llm", "-m", "audition", "check")

    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_every_category_of_the_format_is_shown(checks: list[Check]) -> None:
    assert {check.category for check in checks} == {"response", "tools", "state", "workflow", "timing"}


def test_every_operator_is_shown(checks: list[Check]) -> None:
    assert OPERATOR_TABLE.keys() - set(keys_of([check.spec for check in checks])) == set()


EVAL_FEATURES: dict[str, Callable[[Eval], object]] = {
    "outcome": lambda one: one.outcome,
    "options": lambda one: one.options.idle_timeout_ms,
    "tags": lambda one: one.tags,
    "description": lambda one: one.description,
    "capability": lambda one: one.type == "capability",
    "regression": lambda one: one.type == "regression",
    "seeded state and a triggered workflow together": lambda one: one.setup.state.user and one.setup.workflow,
    "state seeded in all three scopes": lambda one: (
        one.setup.state.bot and one.setup.state.user and one.setup.state.conversation
    ),
    "written as YAML": lambda one: ".eval.yaml" in str(one.where),
    "written as JSON": lambda one: ".eval.json" in str(one.where),
    "written in Python": lambda one: ".eval.py" in str(one.where),
}


@pytest.mark.parametrize("uses", EVAL_FEATURES.values(), ids=EVAL_FEATURES.keys())
def test_every_feature_of_an_eval_is_shown(uses: Callable[[Eval], object], evals: tuple[Eval, ...]) -> None:
    assert any(uses(one) for one in evals)


TURN_FEATURES: dict[str, Callable[[Turn], object]] = {
    "an answer to an event": lambda turn: turn.event and not turn.expect_silence,
    "silence after a user": lambda turn: turn.user and turn.expect_silence,
    "silence after an event": lambda turn: turn.event and turn.expect_silence,
    "a response that is optional": lambda turn: turn.response_optional,
    "a new conversation": lambda turn: turn.new_conversation,
}


@pytest.mark.parametrize("uses", TURN_FEATURES.values(), ids=TURN_FEATURES.keys())
def test_every_feature_of_a_turn_is_shown(uses: Callable[[Turn], object], turns: list[Turn]) -> None:
    assert any(uses(turn) for turn in turns)


def _params(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    params: Mapping[str, Any] = spec.get("params", {})
    return params


CHECK_FEATURES: dict[str, Callable[[Mapping[str, Any]], object]] = {
    "call_order": lambda spec: spec.get("call_order"),
    "not_called": lambda spec: spec.get("not_called"),
    "a dotted path into params": lambda spec: any("." in path for path in _params(spec)),
    "several operators in one object": lambda spec: any(
        isinstance(wanted, Mapping) and len(wanted) > 1 for wanted in _params(spec).values()
    ),
    "a bare value": lambda spec: any(isinstance(wanted, str) for wanted in _params(spec).values()),
    "case_sensitive": lambda spec: spec.get("case_sensitive"),
    "a non-Latin script": lambda spec: "ご用件" in str(spec.get("contains")),
    "changed": lambda spec: spec.get("changed") is True,
    "not changed": lambda spec: spec.get("changed") is False,
    "entered": lambda spec: spec.get("entered") is True,
    "not entered": lambda spec: spec.get("entered") is False,
    "completed": lambda spec: spec.get("completed") is True,
    "not completed": lambda spec: spec.get("completed") is False,
    "a workflow's input": lambda spec: spec.get("name") and spec.get("input"),
}


@pytest.mark.parametrize("uses", CHECK_FEATURES.values(), ids=CHECK_FEATURES.keys())
def test_every_feature_of_a_check_is_shown(uses: Callable[[Mapping[str, Any]], object], checks: list[Check]) -> None:
    assert any(uses(check.spec) for check in checks)


@pytest.fixture
def front_desk(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Serve the front desk from a folder of its own; yield the environment in which its walk-through runs."""
    folder = shutil.copytree(
        EXAMPLES / "front_desk", tmp_path / "front_desk", ignore=shutil.ignore_patterns(".audition")
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AUDITION_")}
    owner = {"AUDITION_OWNER_EMAIL": "owner@example.com", "AUDITION_OWNER_PASSWORD": "correct-horse-battery"}
    asked = [sys.executable, "-m", "audition", "serve", "--port", "0"]
    with subprocess.Popen(
        asked, cwd=folder, env=clean | owner, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
    ) as service:
        assert service.stdout is not None
        url = re.search(r"http://[\w.:]+", service.stdout.readline())
        assert url is not None
        try:
            yield clean | owner | {"AUDITION_URL": url[0]}
        finally:
            service.terminate()
            service.stdout.read()


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_front_desk_is_walked_through_with_curl(front_desk: dict[str, str]) -> None:
    asked = ["bash", str(EXAMPLES / "front_desk" / "walk_through.sh")]

    done = subprocess.run(asked, env=front_desk, capture_output=True, encoding="utf-8", timeout=120)

    assert done.stdout.splitlines()[-1:] == ["all as expected"], done.stderr
