"""An ADK agent keeps what every agent promises, as far as ADK knows it: it has no events and no workflows."""

import asyncio
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.tools.tool_context import ToolContext
from tests.doubles.adk import Model, call, last

from audition.agents import Agent
from audition.agents.adk import AdkAgent
from audition.evals import SeedState, Setup, Turn
from audition.transcript import Exchange, State

pytestmark = pytest.mark.anyio

LONG_S, SHORT_S = 30.0, 0.02
SEEDED = Setup(state=SeedState(bot={"open": True}, user={"name": "Ada"}, conversation={"cart": ["apple"]}))


def find_order(id: int) -> dict[str, str]:
    """Find an order."""
    return {"status": "sent"}


def note(text: str, tool_context: ToolContext) -> str:
    """Keep a note."""
    tool_context.state["note"] = text
    return "noted"


def add_pear(tool_context: ToolContext) -> str:
    """Put a pear into the cart."""
    tool_context.state["cart"] = [*tool_context.state["cart"], "pear"]
    return "added"


def bot(request: Any) -> object:
    """Do what a turn asks for."""
    part = last(request)
    if part.function_response:
        return str(part.function_response.response.get("status", part.function_response.response.get("result")))
    acts = {
        "count": "one two three",
        "silence": [],
        "crash": RuntimeError("model overloaded"),
        "note left": call("note", text="left"),
        "note right": call("note", text="right"),
        "add pear": call("add_pear"),
        "look up": call("find_order", id=7),
    }
    return asyncio.Event().wait() if part.text == "hang" else acts[str(part.text)]


@pytest.fixture
def agent() -> Agent:
    return AdkAgent(LlmAgent(name="bot", model=Model(answer=bot), tools=[find_order, note, add_pear]))


async def hold(
    agent: Agent, *turns: Turn, setup: Setup | None = None, idle_timeout_s: float = LONG_S
) -> tuple[State, list[Exchange]]:
    """Hold a conversation; return the state before it and its exchanges."""
    async with agent.open(setup or Setup(), trial="t") as session:
        return await session.state(), [await session.send(turn, idle_timeout_s=idle_timeout_s) for turn in turns]


def texts(exchange: Exchange) -> list[str]:
    """Return what an agent said in one exchange."""
    return [reply.text for reply in exchange.replies]


async def test_a_fresh_session_begins_with_the_seed_and_with_nothing_of_another(agent: Agent) -> None:
    seeded, _ = await hold(agent, Turn(user="add pear"), setup=SEEDED)
    plain, (exchange,) = await hold(agent, Turn(user="count"))

    assert seeded == State(bot={"open": True}, user={"name": "Ada"}, conversation={"cart": ["apple"]})
    assert plain == exchange.state == State()


# case: strands-agents/evals#245
async def test_what_was_seen_of_the_state_does_not_change_afterwards(agent: Agent) -> None:
    before, (exchange,) = await hold(agent, Turn(user="add pear"), setup=SEEDED)

    assert before.conversation == {"cart": ["apple"]}
    assert exchange.state is not None
    assert exchange.state.conversation == {"cart": ["apple", "pear"]}
    assert SEEDED.state.conversation == {"cart": ["apple"]}


async def test_two_sessions_side_by_side_do_not_touch_each_other(agent: Agent) -> None:
    async with agent.open(Setup(), trial="left") as left, agent.open(Setup(), trial="right") as right:
        await left.send(Turn(user="note left"), idle_timeout_s=LONG_S)
        await right.send(Turn(user="note right"), idle_timeout_s=LONG_S)
        on_the_left = await left.send(Turn(user="count"), idle_timeout_s=LONG_S)

        assert (await right.state()).conversation == {"note": "right"}
    assert on_the_left.state is not None
    assert on_the_left.state.conversation == {"note": "left"}


async def test_silence_is_no_reply_and_no_trouble(agent: Agent) -> None:
    _, (silence, afterwards) = await hold(agent, Turn(user="silence"), Turn(user="count"))

    assert (silence.replies, silence.trouble, silence.response_ms) == ((), None, None)
    assert (afterwards.user, texts(afterwards)) == ("count", ["one two three"])


# case: google/adk-python#2729
async def test_a_crash_is_trouble_of_the_agents_own_making(agent: Agent) -> None:
    _, (exchange,) = await hold(agent, Turn(user="crash"))

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert "model overloaded" in exchange.trouble.message
    assert exchange.replies == ()


async def test_an_agent_that_does_not_answer_in_time_is_trouble_of_its_own_making(agent: Agent) -> None:
    async with asyncio.timeout(LONG_S):
        _, (exchange,) = await hold(agent, Turn(user="hang"), idle_timeout_s=SHORT_S)

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert exchange.trouble.message == "no answer within 0.02 s"


async def test_a_tool_call_belongs_to_its_own_turn(agent: Agent) -> None:
    _, (calling, afterwards) = await hold(agent, Turn(user="look up"), Turn(user="count"))

    (made,) = calling.tool_calls
    assert (made.name, made.arguments, made.result) == ("find_order", {"id": 7}, {"status": "sent"})
    assert texts(calling) == ["sent"]
    assert afterwards.tool_calls == ()


async def test_a_new_conversation_keeps_the_user_and_forgets_the_conversation(agent: Agent) -> None:
    _, (before, after) = await hold(
        agent, Turn(user="add pear"), Turn(user="count", new_conversation=True), setup=SEEDED
    )

    assert before.state is not None
    assert before.state.conversation == {"cart": ["apple", "pear"]}
    assert after.state == State(bot={"open": True}, user={"name": "Ada"}, conversation={})
