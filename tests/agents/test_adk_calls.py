"""The calls of an ADK agent's own models are recorded, played back and counted."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import Agent as LlmAgent
from google.adk.agents import BaseAgent, SequentialAgent
from google.adk.models import LlmRequest, LlmResponse
from google.adk.tools.agent_tool import AgentTool
from google.adk.workflow import Workflow
from google.genai import types
from pydantic import BaseModel
from tests.doubles.adk import Answer, Model, call, in_turn, response, says

from audition.agents._adk_calls import ModelCalls
from audition.agents.adk import AdkAgent
from audition.engine.project import models_of
from audition.errors import AgentError
from audition.evals import Setup, Turn
from audition.llm.budget import Budget
from audition.llm.cassette import Cassette, Mode
from audition.llm.trial import of_trial
from audition.providers import Allowance, Provider
from audition.settings import Settings
from audition.transcript import Exchange, Usage

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated"),  # ADK's AgentTool passes it to a runner
    pytest.mark.filterwarnings("ignore:SequentialAgent is deprecated"),
]

LONG_S = 30.0
SPENT = types.GenerateContentResponseUsageMetadata(
    prompt_token_count=7, candidates_token_count=3, thoughts_token_count=2, cached_content_token_count=4
)

Build = Callable[[Answer], BaseAgent]


def look(room: str) -> str:
    """Look into a room."""
    return f"{room}: dark"


def never(request: LlmRequest) -> object:
    """Answer nothing: nobody may be asked."""
    raise AssertionError("a model was asked")


def house(answer: Answer, **more: Any) -> BaseAgent:
    """Return an agent with a tool."""
    return LlmAgent(name="house", model=Model(answer=answer), tools=[look], **more)


def held(
    root: BaseAgent,
    cassette: Cassette | None = None,
    budget: Budget | None = None,
    environment: dict[str, str] | None = None,
    **settings: Any,
) -> AdkAgent:
    """Return an agent whose models are held to a cassette and a budget."""
    models = models_of(Settings(root=Path(), **settings), budget=budget, cassette=cassette)
    return AdkAgent(root, calls=ModelCalls(models, environment or {}, LlmResponse.model_validate_json))


async def say(agent: AdkAgent, *texts: str, trial: int = 1) -> list[Exchange]:
    """Say texts to an agent within a trial, up to the first that has trouble."""
    exchanges: list[Exchange] = []
    with of_trial("t", trial):
        async with agent.open(Setup(), trial="t") as session:
            for text in texts:
                exchanges.append(await session.send(Turn(user=text), idle_timeout_s=LONG_S))
                if exchanges[-1].trouble:
                    break
    return exchanges


async def on(tape: Path, mode: Mode, root: BaseAgent, *texts: str, **more: Any) -> list[Exchange]:
    """Say texts to an agent whose models are on a cassette."""
    with Cassette(tape, mode) as cassette:
        return await say(held(root, cassette), *texts, **more)


def content(exchanges: list[Exchange]) -> list[object]:
    """Return all of exchanges but the times, which a replay does not have."""
    return [
        (
            [reply.text for reply in one.replies],
            [(call.name, call.arguments, call.result, call.within) for call in one.tool_calls],
            one.state,
            one.usage,
            one.trouble,
        )
        for one in exchanges
    ]


def trouble(exchanges: list[Exchange]) -> tuple[str, bool]:
    """Return the trouble of the last exchange, and whether it is the agent's."""
    told = exchanges[-1].trouble
    assert told is not None
    return told.message, told.by_agent


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Return where a cassette may be."""
    return tmp_path / "tape.cassette"


def by_hand(answer: Answer) -> BaseAgent:
    return LlmAgent(name="attic", model=Model(answer=answer), tools=[look])


SHAPES: dict[str, tuple[Build, list[object]]] = {
    "a tool": (house, [call("look", room="hall"), "dark"]),
    "a sub-agent that is handed the conversation": (
        lambda answer: house(answer, sub_agents=[by_hand(answer)]),
        [call("transfer_to_agent", agent_name="attic"), "up here"],
    ),
    "a sequence": (
        lambda answer: SequentialAgent(
            name="both", sub_agents=[by_hand(answer), LlmAgent(name="two", model=Model(answer=answer))]
        ),
        [call("look", room="attic"), "dark", "bye"],
    ),
    "an agent as a tool, with plugins": (
        lambda answer: LlmAgent(name="root", model=Model(answer=answer), tools=[AgentTool(by_hand(answer))]),
        [call("attic", request="look"), call("look", room="attic"), "dark", "it is dark"],
    ),
    "an agent as a tool, without plugins": (
        lambda answer: LlmAgent(
            name="root", model=Model(answer=answer), tools=[AgentTool(by_hand(answer), include_plugins=False)]
        ),
        [call("attic", request="look"), call("look", room="attic"), "dark", "it is dark"],
    ),
}


@pytest.mark.parametrize(("build", "answers"), SHAPES.values(), ids=SHAPES.keys())
async def test_a_conversation_is_played_back_without_a_model(build: Build, answers: list[object], tape: Path) -> None:
    recorded = await on(tape, "record", build(in_turn(*answers)), "hello")

    replayed = await on(tape, "replay", build(never), "hello")

    assert recorded[0].trouble is None
    assert content(replayed) == content(recorded)


async def test_a_workflow_is_played_back_without_a_model(tape: Path) -> None:
    def flow(answer: Answer) -> Any:
        return Workflow(name="flow", edges=[("START", LlmAgent(name="one", model=Model(answer=answer)))])

    recorded = await on(tape, "record", flow(in_turn("hi")), "hello")
    replayed = await on(tape, "replay", flow(never), "hello")

    assert recorded[0].trouble is None
    assert content(replayed) == content(recorded)


async def test_everything_that_a_response_holds_comes_back(tape: Path) -> None:
    whole = response(
        [
            types.Part(text="hm", thought=True, thought_signature=b"\xff\x00"),
            types.Part(inline_data=types.Blob(mime_type="image/png", data=b"\xff\xfe")),
            types.Part(text="done"),
        ],
        usage_metadata=SPENT,
        model_version="scripted-2",
        finish_reason=types.FinishReason.STOP,
    )
    seen: list[LlmResponse] = []

    def note(callback_context: Any, llm_response: LlmResponse) -> None:
        seen.append(llm_response.model_copy(deep=True))

    recorded = await on(tape, "record", house(in_turn(whole), after_model_callback=note), "hello")
    replayed = await on(tape, "replay", house(never, after_model_callback=note), "hello")

    assert content(replayed) == content(recorded)
    assert seen == [whole, whole]
    assert replayed[0].usage == Usage(calls=1, input_tokens=7, output_tokens=5)


async def test_a_streamed_answer_comes_back_piece_by_piece(tape: Path) -> None:
    pieces = [
        response([types.Part(text="it is ")], partial=True),
        response([types.Part(text="dark")], partial=True),
        response([types.Part(text="it is dark")], usage_metadata=SPENT),
    ]
    seen: list[tuple[bool | None, str | None]] = []

    def note(callback_context: Any, llm_response: LlmResponse) -> None:
        assert llm_response.content
        assert llm_response.content.parts
        seen.append((llm_response.partial, llm_response.content.parts[0].text))

    await on(tape, "record", house(in_turn(pieces), after_model_callback=note), "hello")
    replayed = await on(tape, "replay", house(never, after_model_callback=note), "hello")

    assert seen[:3] == seen[3:] == [(True, "it is "), (True, "dark"), (None, "it is dark")]
    assert [reply.text for reply in replayed[0].replies] == ["it is dark"]


async def test_the_agents_own_callbacks_do_the_same_in_a_replay(tape: Path) -> None:
    def ask_nobody(callback_context: Any, llm_request: LlmRequest) -> LlmResponse | None:
        callback_context.state["asked"] = callback_context.state.get("asked", 0) + 1
        return response([types.Part(text="from a callback")]) if callback_context.state["asked"] == 1 else None

    def shout(callback_context: Any, llm_response: LlmResponse) -> LlmResponse:
        assert llm_response.content
        assert llm_response.content.parts
        return response([types.Part(text=str(llm_response.content.parts[0].text).upper())])

    callbacks = {"before_model_callback": ask_nobody, "after_model_callback": shout}
    recorded = await on(tape, "record", house(in_turn("dark"), **callbacks), "one", "two")
    replayed = await on(tape, "replay", house(never, **callbacks), "one", "two")

    assert [one.replies[0].text for one in recorded] == ["from a callback", "DARK"]
    assert content(replayed) == content(recorded)


async def test_the_nth_identical_request_of_a_trial_gets_its_nth_recording(tape: Path) -> None:
    def forgetful(answer: Answer) -> BaseAgent:
        return LlmAgent(name="house", model=Model(answer=answer), include_contents="none")

    await on(tape, "record", forgetful(in_turn("one", "two")), "again", "again")
    await on(tape, "record", forgetful(in_turn("three")), "again", trial=2)

    first = await on(tape, "replay", forgetful(never), "again", "again")
    second = await on(tape, "replay", forgetful(never), "again", trial=2)

    assert [one.replies[0].text for one in (*first, *second)] == ["one", "two", "three"]


async def test_a_replayed_answer_took_no_time(tape: Path) -> None:
    answers = in_turn(call("look", room="hall"), "dark")
    (recorded,) = await on(tape, "record", house(answers), "hello")
    (replayed,) = await on(tape, "replay", house(never), "hello")

    assert recorded.response_ms is not None
    assert (replayed.response_ms, replayed.replies[0].at_ms, replayed.tool_calls[0].started_ms) == (None, None, None)


async def test_what_is_not_recorded_is_an_error_that_shows_what_differs(tape: Path) -> None:
    await on(tape, "record", house(in_turn("dark")), "Is the hall dark?")

    missed = await on(tape, "replay", house(never), "Is the attic dark?")

    message, by_agent = trouble(missed)
    assert not by_agent
    assert '-   "content": "Is the hall dark?"' in message
    assert '+   "content": "Is the attic dark?"' in message


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"instruction": "Be short."}, id="an instruction"),
        pytest.param({"generate_content_config": types.GenerateContentConfig(temperature=0.9)}, id="a parameter"),
        pytest.param({"output_schema": type("Out", (BaseModel,), {"__annotations__": {"a": int}})}, id="a schema"),
    ],
)
async def test_whatever_changes_an_answer_is_part_of_the_request(other: dict[str, Any], tape: Path) -> None:
    await on(tape, "record", house(in_turn("dark")), "hello")

    missed = await on(tape, "replay", house(never, **other), "hello")

    assert "not on the cassette" in trouble(missed)[0]


async def test_another_tool_is_another_request(tape: Path) -> None:
    await on(tape, "record", house(in_turn("dark")), "hello")

    missed = await on(tape, "replay", LlmAgent(name="house", model=Model(answer=never)), "hello")

    assert "not on the cassette" in trouble(missed)[0]


async def test_an_agent_that_makes_up_an_answer_for_a_miss_does_not_hide_it(tape: Path) -> None:
    def soothe(callback_context: Any, llm_request: LlmRequest, error: Exception) -> LlmResponse:
        return response([types.Part(text="all is well")])

    await on(tape, "record", house(in_turn("dark")), "hello")

    missed = await on(tape, "replay", house(never, on_model_error_callback=soothe), "something else")

    assert [reply.text for reply in missed[0].replies] == ["all is well"]
    assert not trouble(missed)[1]
    assert "not on the cassette" in trouble(missed)[0]


async def test_what_is_missing_is_recorded_when_asked_for(tape: Path) -> None:
    await on(tape, "record", house(in_turn("dark")), "one")

    both = await on(tape, "auto", house(in_turn("bright")), "one", "two")

    assert [one.replies[0].text for one in both] == ["dark", "bright"]
    assert content(await on(tape, "replay", house(never), "one", "two")) == content(both)


async def test_an_error_of_a_model_is_not_recorded_and_comes_out_as_it_was(tape: Path) -> None:
    recorded = await on(tape, "record", house(in_turn(ConnectionError("refused"))), "hello")

    assert trouble(recorded) == ("ConnectionError: refused", False)
    assert "it holds no recordings" in trouble(await on(tape, "replay", house(never), "hello"))[0]


async def test_keys_of_the_environment_stand_in_no_recording(tape: Path) -> None:
    key = "AIza-canary-7f3a91"
    root = house(in_turn(f"my key is {key}"), instruction=f"The key is {key}.")
    with Cassette(tape, "record") as cassette:
        await say(held(root, cassette, environment={"GOOGLE_API_KEY": key, "HOME": "/home/my"}), "hello")

    kept = tape.read_bytes()  # noqa: ASYNC240  # nothing else is under way
    assert b"my key is ***" in kept
    assert key.encode() not in kept


async def test_a_model_that_is_named_needs_no_key_and_no_connection(
    tape: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in ("GOOGLE_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    stand_in = Model(model="gemini-2.5-flash", answer=in_turn(call("look", room="hall"), "dark"))
    recorded = await on(tape, "record", LlmAgent(name="house", model=stand_in, tools=[look]), "hello")

    replayed = await on(tape, "replay", LlmAgent(name="house", model="gemini-2.5-flash", tools=[look]), "hello")

    assert content(replayed) == content(recorded)


async def test_a_damaged_recording_is_an_error(tape: Path) -> None:
    await on(tape, "record", house(in_turn("dark")), "hello")
    with closing(sqlite3.connect(tape)) as rows:
        (kept,) = rows.execute("SELECT answer FROM recordings").fetchone()
        damaged = json.loads(kept)
        damaged["completion"]["text"] = '[{"content": 5}]'
        rows.execute("UPDATE recordings SET answer = ?", [json.dumps(damaged)])
        rows.commit()

    message, by_agent = trouble(await on(tape, "replay", house(never), "hello"))

    assert (message.partition(" (")[0], by_agent) == (
        "a recorded answer of an ADK agent's model is damaged",
        False,
    )


class Alone(BaseAgent):
    """An agent of nobody's kind."""


@pytest.mark.parametrize("include_plugins", [True, False], ids=["with plugins", "without plugins"])
async def test_an_agent_that_nobody_can_look_into_is_refused_a_cassette(include_plugins: bool, tape: Path) -> None:
    tool = AgentTool(Alone(name="alone"), include_plugins=include_plugins)
    root = LlmAgent(name="root", model=Model(answer=in_turn("hi")), tools=[tool])

    if include_plugins:
        assert (await on(tape, "record", root, "hello"))[0].trouble is None
    else:
        with pytest.raises(AgentError, match="'alone' is used as a tool without plugins") as refused:
            await on(tape, "record", root, "hello")
        assert not refused.value.by_agent


# Budgets


@pytest.mark.parametrize("include_plugins", [True, False], ids=["with plugins", "without plugins"])
async def test_calls_count_against_the_budget(include_plugins: bool) -> None:
    budget = Budget(Allowance(max_calls=2))
    answers = in_turn(call("attic", request="look"), call("look", room="attic"), "dark", "it is dark")
    tool = AgentTool(by_hand(answers), include_plugins=include_plugins)
    root = LlmAgent(name="root", model=Model(answer=answers), tools=[tool])

    stopped = await say(held(root, budget=budget), "hello")

    assert trouble(stopped) == ("the budget of 2 calls is spent\n  allow more, or select fewer evals", False)
    assert budget.is_over()


async def test_a_model_that_asks_another_is_one_call() -> None:
    inner = Model(answer=in_turn("dark"))

    async def ask(request: LlmRequest) -> LlmResponse:
        (answer,) = [one async for one in inner.generate_content_async(request)]
        return answer

    budget = Budget(Allowance(max_calls=1))
    (said,) = await say(held(house(ask), budget=budget), "hello")

    assert said.trouble is None
    assert [reply.text for reply in said.replies] == ["dark"]


async def test_tokens_count_against_the_budget() -> None:
    budget = Budget(Allowance(max_tokens=12))
    answer = in_turn(*[response([types.Part(text="dark")], usage_metadata=SPENT) for _ in range(3)])

    said = await say(held(house(answer), budget=budget), "one", "two")

    assert len(said) == 2
    assert trouble(said)[0].startswith("the budget of 12 tokens is spent")


async def test_the_price_of_the_settings_makes_the_cost() -> None:
    settings = {"providers": {"vendor": Provider(name="vendor", input_usd_per_million=1e6, output_usd_per_million=2e6)}}
    model = Model(model="vendor/large", answer=in_turn(response([types.Part(text="dark")], usage_metadata=SPENT)))
    budget = Budget(Allowance(max_cost_usd=10))
    agent = held(LlmAgent(name="house", model=model), budget=budget, **settings)

    said = await say(agent, "one", "two")

    assert said[0].usage == Usage(calls=1, input_tokens=7, output_tokens=5, cost_usd=17.0)
    assert trouble(said)[0].startswith("the budget of $10 is spent")


async def test_a_budget_in_dollars_refuses_a_model_without_a_price() -> None:
    said = await say(held(house(in_turn("dark")), budget=Budget(Allowance(max_cost_usd=10))), "hello")

    assert "the price of 'adk:scripted' is not known" in trouble(said)[0]


async def test_a_gemini_model_has_its_public_price() -> None:
    model = Model(model="gemini-2.5-flash", answer=in_turn(response([types.Part(text="dark")], usage_metadata=SPENT)))

    (said,) = await say(held(LlmAgent(name="house", model=model)), "hello")

    assert said.usage is not None
    assert said.usage.cost_usd is not None
    assert 0 < said.usage.cost_usd < 0.001


async def test_a_replay_spends_nothing(tape: Path) -> None:
    await on(tape, "record", house(says({"hello": "dark"})), "hello")
    budget = Budget(Allowance(max_calls=1, max_cost_usd=1))
    with Cassette(tape, "replay") as cassette:
        (replayed,) = await say(held(house(never), cassette, budget), "hello")

    assert replayed.trouble is None
    assert not budget.is_over()
