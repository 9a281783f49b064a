"""What every agent must do, whatever it is: one class, and one subclass an adapter."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from audition.agents import Agent, open_agent
from audition.agents._function_session import LiveState, Notes
from audition.agents.function import AgentTurn, FunctionAgent, FunctionSession
from audition.agents.http import HttpAgent
from audition.agents.replay import ReplayAgent
from audition.agents.scripted import Scripted
from audition.evals import SeedState, Setup, Turn, WorkflowTrigger
from audition.llm.transport import Transport
from audition.transcript import Exchange, State, Transcript

pytestmark = pytest.mark.anyio

LONG_S = 30.0
SHORT_S = 0.02

SEEDED = Setup(state=SeedState(bot={"open": True}, user={"name": "Ada"}, conversation={"cart": ["apple"]}))

CONVERSATIONS: dict[str, tuple[Setup, list[Turn]]] = {
    "seeded": (SEEDED, [Turn(user="add pear")]),
    "plain": (Setup(), [Turn(user="count")]),
    "left": (Setup(), [Turn(user="note left"), Turn(user="count")]),
    "right": (Setup(), [Turn(user="note right"), Turn(user="count")]),
    "silence": (Setup(), [Turn(user="silence"), Turn(user="count")]),
    "event": (Setup(), [Turn(event={"kind": "ping", "order": {"id": 7}})]),
    "crash": (Setup(), [Turn(user="crash")]),
    "hang": (Setup(), [Turn(user="hang")]),
    "tool": (Setup(), [Turn(user="look up"), Turn(user="count")]),
    "workflow": (Setup(), [Turn(user="onboard")]),
    "triggered": (Setup(workflow=WorkflowTrigger(name="welcome", input={"plan": "pro"})), [Turn(user="count")]),
    "again": (SEEDED, [Turn(user="add pear"), Turn(user="count", new_conversation=True)]),
    "unreachable": (Setup(), [Turn(user="unreachable")]),
}
"""What is said to each agent, by trial."""


async def hold(agent: Agent, name: str, *, idle_timeout_s: float = LONG_S) -> Transcript:
    """Hold one of the conversations with an agent."""
    setup, turns = CONVERSATIONS[name]
    async with agent.open(setup, trial=name) as session:
        baseline = await session.state()
        exchanges = [await session.send(turn, idle_timeout_s=idle_timeout_s) for turn in turns]
    return Transcript(baseline=baseline, exchanges=tuple(exchanges))


def texts(exchange: Exchange) -> list[str]:
    """Return what an agent said in one exchange."""
    return [reply.text for reply in exchange.replies]


class AgentContract:
    """A subclass offers an `agent` that behaves as `bot` below does."""

    async def test_a_fresh_session_begins_with_the_seed_and_with_nothing_of_another(self, agent: Agent) -> None:
        seeded = await hold(agent, "seeded")
        plain = await hold(agent, "plain")

        assert seeded.baseline == State(bot={"open": True}, user={"name": "Ada"}, conversation={"cart": ["apple"]})
        assert plain.baseline == State()
        assert plain.exchanges[0].state == State()

    # case: strands-agents/evals#245
    async def test_what_was_seen_of_the_state_does_not_change_afterwards(self, agent: Agent) -> None:
        transcript = await hold(agent, "seeded")

        assert transcript.baseline is not None
        assert transcript.baseline.conversation == {"cart": ["apple"]}
        assert transcript.exchanges[0].state is not None
        assert transcript.exchanges[0].state.conversation == {"cart": ["apple", "pear"]}

    async def test_the_seed_itself_is_not_changed_by_the_agent(self, agent: Agent) -> None:
        await hold(agent, "seeded")

        assert SEEDED.state.conversation == {"cart": ["apple"]}

    async def test_two_sessions_side_by_side_do_not_touch_each_other(self, agent: Agent) -> None:
        async with agent.open(Setup(), trial="left") as left, agent.open(Setup(), trial="right") as right:
            await left.send(Turn(user="note left"), idle_timeout_s=LONG_S)
            await right.send(Turn(user="note right"), idle_timeout_s=LONG_S)
            on_the_left = await left.send(Turn(user="count"), idle_timeout_s=LONG_S)

            assert (await right.state()).conversation == {"note": "right"}
        assert on_the_left.state is not None
        assert on_the_left.state.conversation == {"note": "left"}

    async def test_replies_come_in_the_order_in_which_they_were_said(self, agent: Agent) -> None:
        transcript = await hold(agent, "plain")

        assert texts(transcript.exchanges[0]) == ["one", "two", "three"]
        assert transcript.exchanges[0].user == "count"

    async def test_silence_is_no_reply_and_no_trouble(self, agent: Agent) -> None:
        silence, afterwards = (await hold(agent, "silence")).exchanges

        assert silence.replies == ()
        assert silence.trouble is None
        assert silence.response_ms is None
        assert texts(afterwards) == ["one", "two", "three"]

    async def test_an_event_reaches_the_agent_as_its_payload(self, agent: Agent) -> None:
        (exchange,) = (await hold(agent, "event")).exchanges

        assert texts(exchange) == ["pong 7"]
        assert exchange.user is None
        assert exchange.event == {"kind": "ping", "order": {"id": 7}}

    # case: google/adk-python#2729
    async def test_a_crash_is_trouble_of_the_agents_own_making(self, agent: Agent) -> None:
        (exchange,) = (await hold(agent, "crash")).exchanges

        assert exchange.trouble is not None
        assert exchange.trouble.by_agent
        assert "model overloaded" in exchange.trouble.message
        assert exchange.replies == ()

    async def test_an_agent_that_does_not_answer_in_time_is_trouble_of_its_own_making(self, agent: Agent) -> None:
        async with asyncio.timeout(LONG_S):
            (exchange,) = (await hold(agent, "hang", idle_timeout_s=SHORT_S)).exchanges

        assert exchange.trouble is not None
        assert exchange.trouble.by_agent
        assert exchange.trouble.message == "no answer within 0.02 s"

    async def test_a_tool_call_belongs_to_its_own_turn(self, agent: Agent) -> None:
        calling, afterwards = (await hold(agent, "tool")).exchanges

        (call,) = calling.tool_calls
        assert (call.name, call.arguments, call.result) == ("find_order", {"id": 7}, {"status": "sent"})
        assert texts(calling) == ["sent"]
        assert afterwards.tool_calls == ()

    async def test_a_workflow_is_entered_and_completed(self, agent: Agent) -> None:
        (exchange,) = (await hold(agent, "workflow")).exchanges

        events = [(event.name, event.status, event.input) for event in exchange.workflows]
        assert events == [("onboarding", "entered", {"step": 1}), ("onboarding", "completed", {"step": 1})]

    async def test_a_workflow_that_the_setup_triggers_is_entered_in_the_first_turn(self, agent: Agent) -> None:
        (exchange,) = (await hold(agent, "triggered")).exchanges

        events = [(event.name, event.status, event.input) for event in exchange.workflows]
        assert events == [("welcome", "entered", {"plan": "pro"})]

    async def test_a_new_conversation_keeps_the_user_and_forgets_the_conversation(self, agent: Agent) -> None:
        before, after = (await hold(agent, "again")).exchanges

        assert before.state is not None
        assert before.state.conversation == {"cart": ["apple", "pear"]}
        assert after.state == State(bot={"open": True}, user={"name": "Ada"}, conversation={})


class ReachableContract(AgentContract):
    """Also for agents that may be out of reach: `unreachable` is one that is."""

    # case: promptfoo/promptfoo#345
    async def test_an_agent_out_of_reach_is_trouble_on_the_way(self, unreachable: Agent) -> None:
        (exchange,) = (await hold(unreachable, "unreachable")).exchanges

        assert exchange.trouble is not None
        assert not exchange.trouble.by_agent
        assert exchange.replies == ()


class TestScripted(ReachableContract):
    @pytest.fixture
    def agent(self, tmp_path: Path) -> Agent:
        (tmp_path / "answers.yaml").write_text(ANSWERS, encoding="utf-8")
        return open_agent(f"scripted:{tmp_path / 'answers.yaml'}")

    @pytest.fixture
    def unreachable(self, agent: Agent) -> Agent:
        return agent


class TestFunction(AgentContract):
    @pytest.fixture
    def agent(self, never: threading.Event) -> Agent:
        return FunctionAgent(Bot(never), workflows={"welcome": welcome})


class TestAsyncFunction(AgentContract):
    @pytest.fixture
    def agent(self) -> Agent:
        return FunctionAgent(async_bot, workflows={"welcome": welcome})


class TestHttp(ReachableContract):
    @pytest.fixture
    async def agent(self, never: threading.Event) -> AsyncIterator[Agent]:
        with serving(Bot(never)) as url:
            agent = HttpAgent(url)
            yield agent
            never.set()
            await agent.close()

    @pytest.fixture
    async def unreachable(self) -> AsyncIterator[Agent]:
        with serving(Bot(threading.Event())) as url:
            pass
        agent = HttpAgent(url, transport=Transport(timeout_s=LONG_S, attempts=1))
        yield agent
        await agent.close()


class TestReplay(ReachableContract):
    @pytest.fixture
    async def agent(self) -> Agent:
        recorded = FunctionAgent(async_bot, workflows={"welcome": welcome})
        names = CONVERSATIONS.keys() - {"hang", "unreachable"}
        hanging = await hold(recorded, "hang", idle_timeout_s=SHORT_S)
        return ReplayAgent({"hang": hanging, **{name: await hold(recorded, name) for name in names}})

    @pytest.fixture
    async def unreachable(self) -> Agent:
        offline = Scripted([{"unreachable": "connection refused"}])
        return ReplayAgent({"unreachable": await hold(offline, "unreachable")})


@pytest.fixture
def never() -> Iterator[threading.Event]:
    """An event that nobody sets while a test runs."""
    event = threading.Event()
    yield event
    event.set()


class Bot:
    """The behaviour that the contract asks for; it hangs until `never` comes."""

    def __init__(self, never: threading.Event) -> None:
        self._never = never

    def __call__(self, turn: AgentTurn, session: FunctionSession) -> object:
        if turn.user == "hang":
            self._never.wait()
        return bot(turn, session)


async def async_bot(turn: AgentTurn, session: FunctionSession) -> object:
    """The same, awaited."""
    if turn.user == "hang":
        await asyncio.Event().wait()
    return bot(turn, session)


def bot(turn: AgentTurn, session: FunctionSession) -> object:
    """Do what a turn asks for."""
    if turn.event is not None:
        order: Any = turn.event["order"]
        return f"pong {order['id']}"
    return ACTS[str(turn.user)](session)


def crash(session: FunctionSession) -> object:
    raise RuntimeError("model overloaded")


def note(session: FunctionSession, text: str) -> object:
    session.state.conversation["note"] = text
    return "noted"


def add_pear(session: FunctionSession) -> object:
    cart: Any = session.state.conversation["cart"]
    cart.append("pear")
    return "added"


def look_up(session: FunctionSession) -> object:
    order: Any = session.tool("find_order", {"id": 7}, {"status": "sent"})
    return order["status"]


def onboard(session: FunctionSession) -> object:
    with session.workflow("onboarding", {"step": 1}):
        return "welcome"


def welcome(input: dict[str, object], session: FunctionSession) -> None:
    """A workflow that a setup may trigger; it goes on later, so it says nothing of its end."""


ACTS = {
    "count": lambda session: ["one", "two", "three"],
    "silence": lambda session: None,
    "hang": lambda session: None,
    "crash": crash,
    "note left": lambda session: note(session, "left"),
    "note right": lambda session: note(session, "right"),
    "add pear": add_pear,
    "look up": look_up,
    "onboard": onboard,
}

ANSWERS = """
replies:
  - {when: {user: count}, say: [one, two, three]}
  - {when: {user: silence}, say: null}
  - {when: {user: crash}, error: "RuntimeError: model overloaded"}
  - {when: {user: hang}, say: at last, delayMs: 3600000}
  - {when: {user: note left}, say: noted, state: {conversation: {note: left}}}
  - {when: {user: note right}, say: noted, state: {conversation: {note: right}}}
  - {when: {user: add pear}, say: added, state: {conversation: {cart: [apple, pear]}}}
  - {when: {user: look up}, say: sent, tools: [{name: find_order, args: {id: 7}, result: {status: sent}}]}
  - when: {user: onboard}
    say: welcome
    workflows: [{name: onboarding, input: {step: 1}}, {name: onboarding, input: {step: 1}, status: completed}]
  - {when: {event: {order.id: {gte: 7}}}, say: pong 7}
  - {when: {user: unreachable}, unreachable: connection refused}
"""


@contextmanager
def serving(reply: Bot) -> Iterator[str]:
    """Serve a bot over HTTP on a free port of this machine; yield its URL."""
    served = Served(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps(served.answer(asked)).encode()
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):  # who asked may be gone
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/turn"
    server.shutdown()
    server.server_close()
    thread.join()


class Served:
    """A bot that speaks the HTTP protocol, with a session for each id."""

    def __init__(self, reply: Bot) -> None:
        self._reply = reply
        self._sessions: dict[str, tuple[LiveState, Notes, FunctionSession]] = {}

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to one request."""
        if asked["index"] == 0:
            self._open(asked["session"], asked["setup"])
        live, notes, session = self._sessions[asked["session"]]
        if asked["new_conversation"]:
            live.conversation = {}
        turn = AgentTurn(asked["turn"].get("user"), asked["turn"].get("event"), asked["new_conversation"])
        try:
            said = self._reply(turn, session)
        except RuntimeError as error:
            return {"error": f"RuntimeError: {error}"}
        calls, events = notes.take()
        return {
            "replies": [said] if isinstance(said, str) else said or [],
            "tool_calls": [{"name": one.name, "arguments": one.arguments, "result": one.result} for one in calls],
            "workflows": [{"name": one.name, "status": one.status, "input": one.input} for one in events],
            "state": {"bot": live.bot, "user": live.user, "conversation": live.conversation},
        }

    def _open(self, id: str, setup: dict[str, Any]) -> None:
        live, notes = LiveState(SeedState(**setup.get("state", {}))), Notes()
        self._sessions[id] = live, notes, FunctionSession(live, notes)
        if "workflow" in setup:
            notes.event(setup["workflow"]["trigger"], "entered", setup["workflow"]["input"])
