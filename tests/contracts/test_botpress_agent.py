"""A Botpress bot keeps what every agent promises, in each of the modes in which it may be reached."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from tests.doubles.botpress import Act, Double, Flow, Talk

from audition.agents import Agent, Surroundings
from audition.agents._botpress_options import read_botpress_options
from audition.agents.botpress import BotpressAgent
from audition.errors import AgentError
from audition.evals import SeedState, Setup, Turn, WorkflowTrigger
from audition.llm.transport import Transport
from audition.transcript import Exchange, State

pytestmark = pytest.mark.anyio

LONG_S, SHORT_S = 30.0, 0.25
WINDOWS = {"settle_ms": 5, "quiet_ms": 20, "silence_window_ms": 20, "poll_ms": 1}
SEEDED = Setup(state=SeedState(bot={"open": True}, user={"name": "Ada"}, conversation={"cart": ["apple"]}))
FOUND = {"name": "find_order", "input": '{"id": 7}', "output": '{"status": "sent"}', "status": "success"}
ONBOARDED = Flow(name="onboarding", input={"step": 1})


def bot(talk: Talk) -> Act:
    """Do what a turn asks for."""
    if talk.event is not None:
        return Act(say=[f"pong {talk.event['order']['id']}"])
    acts = {
        "count": Act(say=["one", "two", "three"]),
        "silence": Act(),
        "hang": Act(hangs=True),
        "crash": Act(error="RuntimeError: model overloaded"),
        "note left": Act(say=["noted"], state={"conversation": {"note": "left"}}),
        "note right": Act(say=["noted"], state={"conversation": {"note": "right"}}),
        "add pear": Act(
            say=["added"], state={"conversation": {"cart": [*talk.state("conversation").get("cart", []), "pear"]}}
        ),
        "look up": Act(say=["sent"], tools=[FOUND]),
        "onboard": Act(say=["welcome"], flows=[ONBOARDED]),
    }
    return acts[str(talk.text)]


def botpress(double: Double, **options: object) -> BotpressAgent:
    """Return the double's bot as an agent that waits for nothing between its attempts."""
    around = Surroundings(secrets={"BP_TOKEN": double.token})
    chosen = read_botpress_options(double.chat_url, WINDOWS | options, around)
    return BotpressAgent(chosen, transport=Transport(timeout_s=LONG_S, attempts=2, sleep=no_wait))


async def no_wait(seconds: float) -> None:
    """Wait for nothing."""


async def hold(
    agent: Agent, *turns: Turn, setup: Setup | None = None, idle_timeout_s: float = LONG_S
) -> list[Exchange]:
    """Hold a conversation."""
    async with agent.open(setup or Setup(), trial="trial") as session:
        return [await session.send(turn, idle_timeout_s=idle_timeout_s) for turn in turns]


def texts(exchange: Exchange) -> list[str]:
    """Return what an agent said in one exchange."""
    return [reply.text for reply in exchange.replies]


class AnyMode:
    """What holds in every mode; a subclass offers an `agent`, and knows its `double`."""

    @pytest.fixture
    async def double(self) -> AsyncIterator[Double]:
        async with Double(bot, flows={"welcome": Flow(name="welcome", final=None)}).serving() as double:
            yield double

    async def test_replies_come_in_the_order_in_which_they_were_said(self, agent: Agent) -> None:
        (exchange,) = await hold(agent, Turn(user="count"))

        assert (texts(exchange), exchange.user) == (["one", "two", "three"], "count")
        assert exchange.response_ms is not None

    async def test_silence_is_no_reply_and_no_trouble(self, agent: Agent) -> None:
        silence, afterwards = await hold(agent, Turn(user="silence", expect_silence=True), Turn(user="count"))

        assert (silence.replies, silence.trouble, silence.response_ms) == ((), None, None)
        assert texts(afterwards) == ["one", "two", "three"]

    async def test_an_event_reaches_the_agent_as_its_payload(self, agent: Agent, double: Double) -> None:
        (exchange,) = await hold(agent, Turn(event={"kind": "ping", "order": {"id": 7}}))

        assert (texts(exchange), exchange.user) == (["pong 7"], None)
        assert exchange.event == {"kind": "ping", "order": {"id": 7}}
        assert double.events[0]["payload"] == {"kind": "ping", "order": {"id": 7}}

    async def test_an_agent_that_does_not_answer_in_time_is_trouble_of_its_own_making(self, agent: Agent) -> None:
        (exchange,) = await hold(agent, Turn(user="hang"), idle_timeout_s=SHORT_S)

        assert exchange.trouble is not None
        assert (exchange.trouble.by_agent, exchange.trouble.message) == (True, "no answer within 0.25 s")

    async def test_two_sessions_side_by_side_do_not_touch_each_other(self, agent: Agent) -> None:
        async with agent.open(Setup(), trial="left") as left, agent.open(Setup(), trial="right") as right:
            on_the_left = await left.send(Turn(user="count"), idle_timeout_s=LONG_S)
            on_the_right = await right.send(Turn(user="note right"), idle_timeout_s=LONG_S)

        assert (texts(on_the_left), texts(on_the_right)) == (["one", "two", "three"], ["noted"])

    async def test_a_cancelled_turn_leaves_the_agent_usable(self, agent: Agent) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(SHORT_S):
                await hold(agent, Turn(user="hang"))
        (exchange,) = await hold(agent, Turn(user="count"))

        assert texts(exchange) == ["one", "two", "three"]


class WithState(AnyMode):
    """What holds where state can be seen."""

    async def test_a_fresh_session_begins_with_the_seed_and_with_nothing_of_another(self, agent: Agent) -> None:
        async with agent.open(SEEDED, trial="seeded") as seeded:
            seeded_state = await seeded.state()
        async with agent.open(Setup(), trial="plain") as plain:
            plain_state = await plain.state()

        assert seeded_state == State(bot={"open": True}, user={"name": "Ada"}, conversation={"cart": ["apple"]})
        assert plain_state == State()

    # case: strands-agents/evals#245
    async def test_what_was_seen_of_the_state_does_not_change_afterwards(self, agent: Agent) -> None:
        async with agent.open(SEEDED, trial="seeded") as session:
            baseline = await session.state()
            exchange = await session.send(Turn(user="add pear"), idle_timeout_s=LONG_S)

        assert baseline.conversation == {"cart": ["apple"]}
        assert exchange.state is not None
        assert exchange.state.conversation == {"cart": ["apple", "pear"]}
        assert SEEDED.state.conversation == {"cart": ["apple"]}

    async def test_a_workflow_is_entered_and_completed(self, agent: Agent) -> None:
        (exchange,) = await hold(agent, Turn(user="onboard"))

        events = [(event.name, event.status, event.input) for event in exchange.workflows]
        assert events == [("onboarding", "entered", {"step": 1}), ("onboarding", "completed", {"step": 1})]

    async def test_a_workflow_that_the_setup_triggers_is_entered_in_the_first_turn(self, agent: Agent) -> None:
        setup = Setup(workflow=WorkflowTrigger(name="welcome", input={"plan": "pro"}))

        (exchange,) = await hold(agent, Turn(user="count"), setup=setup)

        events = [(event.name, event.status, event.input) for event in exchange.workflows]
        assert events == [("welcome", "entered", {"plan": "pro"})]

    async def test_a_new_conversation_keeps_the_user_and_forgets_the_conversation(self, agent: Agent) -> None:
        before, after = await hold(
            agent, Turn(user="add pear"), Turn(user="count", new_conversation=True), setup=SEEDED
        )

        assert before.state is not None
        assert before.state.conversation == {"cart": ["apple", "pear"]}
        assert after.state == State(bot={"open": True}, user={"name": "Ada"}, conversation={})


class TestChatOnly(AnyMode):
    @pytest.fixture
    async def agent(self, double: Double) -> AsyncIterator[Agent]:
        agent = botpress(double)
        yield agent
        await agent.close()

    async def test_only_replies_and_timing_are_observed(self, agent: Agent) -> None:
        assert agent.observes == {"replies", "timing"}


class TestChatAndToken(WithState):
    @pytest.fixture
    async def agent(self, double: Double) -> AsyncIterator[Agent]:
        agent = botpress(double, token_env="BP_TOKEN", bot_id=double.bot_id, api_url=double.url)
        yield agent
        await agent.close()

    async def test_state_and_workflows_are_observed_too(self, agent: Agent) -> None:
        assert agent.observes == {"replies", "timing", "state", "workflows"}


class TestChatAndDevServer(WithState):
    @pytest.fixture
    async def agent(self, double: Double) -> AsyncIterator[Agent]:
        agent = botpress(double, token_env="BP_TOKEN", bot_id=double.bot_id, api_url=double.url, dev_server=double.url)
        yield agent
        await agent.close()

    async def test_everything_is_observed(self, agent: Agent) -> None:
        assert agent.observes == {"replies", "timing", "state", "workflows", "tools", "usage"}

    async def test_a_tool_call_belongs_to_its_own_turn(self, agent: Agent) -> None:
        calling, afterwards = await hold(agent, Turn(user="look up"), Turn(user="count"))

        (call,) = calling.tool_calls
        assert (call.name, call.arguments, call.result) == ("find_order", {"id": 7}, {"status": "sent"})
        assert texts(calling) == ["sent"]
        assert afterwards.tool_calls == ()

    # case: google/adk-python#2729
    async def test_a_crash_is_trouble_of_the_agents_own_making(self, agent: Agent) -> None:
        (exchange,) = await hold(agent, Turn(user="crash"))

        assert exchange.trouble is not None
        assert exchange.trouble.by_agent
        assert "model overloaded" in exchange.trouble.message
        assert exchange.replies == ()


# case: promptfoo/promptfoo#345
async def test_an_agent_out_of_reach_is_trouble_on_the_way() -> None:
    double = Double(bot)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        double.url = f"http://127.0.0.1:{taken.getsockname()[1]}"

        with pytest.raises(AgentError, match="cannot be reached") as raised:
            await hold(botpress(double), Turn(user="count"))

    assert not raised.value.by_agent
