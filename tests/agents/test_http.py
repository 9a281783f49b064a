"""The HTTP agent: its protocol, and what is made of everything that is not the protocol."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import audition
from audition.agents import Facet, Surroundings, open_agent
from audition.agents.http import HttpAgent
from audition.errors import SettingsError
from audition.evals import MockResult, SeedState, Setup, ToolMock, Turn, WorkflowTrigger
from audition.llm.transport import Transport
from audition.transcript import Exchange, State, ToolCall, Trouble, Usage, WorkflowEvent

pytestmark = pytest.mark.anyio

EXAMPLE = Path(__file__).parents[2] / "examples" / "http_agent"
LONG_S = 30.0
BARE = Setup()
ONLY_REPLIES: frozenset[Facet] = frozenset()
FULL: dict[str, Any] = {"replies": ["hi"], "tool_calls": [], "state": {}, "workflows": []}
BROKEN = None
"""In place of an answer: the connection breaks."""


class Server:
    """Gives prepared answers in turn, the last one again and again, and remembers what it was asked."""

    def __init__(self, *answers: tuple[int, str | bytes] | None) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, Any]] = []
        self.heads: list[str] = []
        self.url = ""

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close the connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(line for line in head.splitlines() if line.lower().startswith("content-length:"))
        self.asked.append(json.loads(await reader.readexactly(int(length.split(":")[1]))))
        self.heads.append(head)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if answer is not BROKEN:
            status, body = answer
            content = body.encode() if isinstance(body, str) else body
            headers = f"Content-Length: {len(content)}\r\nRetry-After: 1\r\nConnection: close"
            writer.write(f"HTTP/1.1 {status} Status\r\n{headers}\r\n\r\n".encode() + content)
            await writer.drain()
        writer.close()
        await writer.wait_closed()


@asynccontextmanager
async def serving(*answers: tuple[int, str | bytes] | None) -> AsyncIterator[Server]:
    """Serve answers on a free port of this machine."""
    server = Server(*answers)
    listening = await asyncio.start_server(server.connected, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/turn"
    yield server
    listening.close()
    await listening.wait_closed()


@asynccontextmanager
async def talking_to(url: str, *, attempts: int = 1, **options: Any) -> AsyncIterator[HttpAgent]:
    """Offer an agent that does not wait between its attempts, and close it."""
    transport = Transport(timeout_s=LONG_S, attempts=attempts, sleep=no_wait)
    agent = HttpAgent(url, transport=transport, new_id=lambda: "s-1", **options)
    yield agent
    await agent.close()


async def no_wait(seconds: float) -> None:
    """Wait for nothing."""


async def said(agent: HttpAgent, *turns: Turn, setup: Setup = BARE) -> list[Exchange]:
    """Say turns to an agent in one session."""
    async with agent.open(setup, trial="greeting#2") as session:
        return [await session.send(turn, idle_timeout_s=LONG_S) for turn in turns]


def ok(**changes: Any) -> tuple[int, str]:
    """Return a right answer, with some keys changed."""
    return 200, json.dumps(FULL | changes)


async def test_a_turn_is_posted_as_the_protocol_says() -> None:
    async with serving(ok()) as server, talking_to(server.url) as agent:
        await said(agent, Turn(user="Hello"), Turn(event={"kind": "ping"}, new_conversation=True))

    first, second = server.asked
    assert first == {
        "protocol": 1,
        "session": "s-1",
        "trial": "greeting#2",
        "index": 0,
        "turn": {"user": "Hello"},
        "new_conversation": False,
        "setup": {},
    }
    assert second == {
        "protocol": 1,
        "session": "s-1",
        "trial": "greeting#2",
        "index": 1,
        "turn": {"event": {"kind": "ping"}},
        "new_conversation": True,
    }


async def test_the_setup_travels_with_the_first_turn() -> None:
    mock = ToolMock(name="find", description="Finds", results=(MockResult(when={"id": 7}, result="sent"),))
    setup = Setup(
        state=SeedState(user={"name": "Ada"}, conversation={}),
        workflow=WorkflowTrigger(name="welcome", input={"plan": "pro"}),
        tools=(mock,),
    )

    async with serving(ok()) as server, talking_to(server.url) as agent:
        await said(agent, Turn(user="Hello"), setup=setup)

    result = {"when": {"id": 7}, "result": "sent", "error": None}
    assert server.asked[0]["setup"] == {
        "state": {"user": {"name": "Ada"}, "conversation": {}},
        "workflow": {"trigger": "welcome", "input": {"plan": "pro"}},
        "tools": [{"name": "find", "description": "Finds", "parameters": None, "results": [result]}],
    }


async def test_everything_an_answer_tells_is_in_the_exchange() -> None:
    answer = ok(
        replies=["Hi", {"text": "there"}],
        tool_calls=[
            {"name": "find", "arguments": {"id": 7}, "result": None, "error": "no such order"},
            {"name": "ping", "error": None},
        ],
        state={"user": {"name": "Ada"}},
        workflows=[{"name": "welcome", "status": "completed", "input": {"plan": "pro"}}],
        usage={"calls": 2, "cost_usd": 0.01, "input_tokens": None},
    )

    async with serving(answer) as server, talking_to(server.url) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert [reply.text for reply in exchange.replies] == ["Hi", "there"]
    assert exchange.tool_calls == (
        ToolCall(name="find", arguments={"id": 7}, error="no such order"),
        ToolCall(name="ping"),
    )
    assert exchange.state == State(user={"name": "Ada"})
    assert exchange.workflows == (WorkflowEvent(name="welcome", status="completed", input={"plan": "pro"}),)
    assert exchange.usage == Usage(calls=2, cost_usd=0.01)
    assert exchange.response_ms is not None
    assert exchange.trouble is None


async def test_the_state_is_the_seed_until_the_server_tells_another() -> None:
    setup = Setup(state=SeedState(user={"name": "Ada"}))

    async with (
        serving(ok(state={"user": {"name": "Bob"}})) as server,
        talking_to(server.url) as agent,
        agent.open(setup, trial="one") as session,
    ):
        before = await session.state()
        await session.send(Turn(user="Hello"), idle_timeout_s=LONG_S)
        after = await session.state()

    assert (before, after) == (State(user={"name": "Ada"}), State(user={"name": "Bob"}))


async def test_a_server_that_shows_only_replies_need_tell_nothing_else() -> None:
    async with serving((200, '{"replies": []}')) as server, talking_to(server.url, observes=ONLY_REPLIES) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert agent.observes == {"replies", "timing"}
    assert (exchange.replies, exchange.state, exchange.trouble) == ((), None, None)


@pytest.mark.parametrize("key", ["replies", "tool_calls", "state", "workflows"])
async def test_an_answer_that_is_silent_about_what_the_server_shows_is_an_error(key: str) -> None:
    answer = {name: value for name, value in FULL.items() if name != key}

    async with serving((200, json.dumps(answer))) as server, talking_to(server.url) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert f"without {key!r}" in exchange.trouble.message


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        # case: openai/openai-cookbook#3010
        pytest.param(500, "[ERROR] upstream exploded", "answered 500: [ERROR] upstream exploded", id="500"),
        pytest.param(404, '{"replies": ["hi"]}', "answered 404", id="404 with an answer"),
        pytest.param(302, "", "answered 302", id="redirect"),
        pytest.param(200, "<html>Sign in</html>", "no JSON: <html>Sign in</html>", id="HTML"),
        pytest.param(200, "", "no JSON", id="nothing"),
        pytest.param(200, b"\xff\xfe", "no JSON", id="bytes"),
        pytest.param(200, "[" * 100_000, "no JSON", id="nested too deep"),
        pytest.param(200, '{"replies": [NaN]}', "no JSON", id="NaN"),
        pytest.param(200, "[]", "must be an object (answer), not a list", id="a list"),
        pytest.param(*ok(replies="hi"), "'replies' must be a list, not a text ('hi')", id="replies a text"),
        pytest.param(*ok(replies=[7]), "not a number", id="a reply that is a number"),
        pytest.param(*ok(reply=["hi"]), "unknown key 'reply' in answer (did you mean 'replies'?)", id="unknown key"),
        pytest.param(*ok(tool_calls=[{}]), "tool_calls[0]: the tool call has no 'name'", id="a call without a name"),
        pytest.param(*ok(tool_calls=[{"name": "a", "arguments": "{}"}]), "'arguments' must be", id="arguments a text"),
        pytest.param(*ok(state=[]), "'state' must be an object", id="state a list"),
        pytest.param(*ok(workflows=[{"name": "a", "status": "done"}]), "'status' must be one of", id="status"),
        pytest.param(*ok(usage={"calls": -1}), "calls", id="negative usage"),
    ],
)
async def test_what_is_not_the_protocol_is_trouble_on_the_way(status: int, body: str, message: str) -> None:
    async with serving((status, body)) as server, talking_to(server.url) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert message in exchange.trouble.message
    assert exchange.replies == ()


async def test_a_failure_that_the_server_tells_of_is_the_agents_own() -> None:
    answer = {"error": "RuntimeError: model overloaded", "tool_calls": [{"name": "find"}]}

    async with serving((200, json.dumps(answer))) as server, talking_to(server.url) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.trouble == Trouble(message="RuntimeError: model overloaded", by_agent=True)
    assert exchange.tool_calls == (ToolCall(name="find"),)


# case: vibrantlabsai/ragas#1519
async def test_a_busy_server_is_asked_again_with_the_same_turn() -> None:
    async with serving((429, ""), (503, ""), ok()) as server, talking_to(server.url, attempts=6) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.trouble is None
    assert [asked["index"] for asked in server.asked] == [0, 0, 0]


# case: vibrantlabsai/ragas#1519
async def test_a_server_that_stays_busy_is_an_error_with_the_number_of_attempts() -> None:
    async with serving((429, "")) as server, talking_to(server.url, attempts=6) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    # it says when to come back, and is asked five times as often as one that does not
    assert exchange.trouble == Trouble(message=f"{server.url} answered 429 (after 30 attempts)", by_agent=False)


# case: confident-ai/deepeval#1450
async def test_a_connection_that_breaks_once_is_tried_again() -> None:
    async with serving(BROKEN, ok()) as server, talking_to(server.url, attempts=6) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert [reply.text for reply in exchange.replies] == ["hi"]


# case: confident-ai/deepeval#1450
async def test_a_connection_that_always_breaks_is_trouble_on_the_way() -> None:
    async with serving(BROKEN) as server, talking_to(server.url, attempts=2) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert "2 attempts" in exchange.trouble.message


# case: empirical-run/empirical#166
async def test_silence_has_no_response_time() -> None:
    async with serving(ok(replies=[])) as server, talking_to(server.url) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.response_ms is None


async def test_secrets_are_sent_and_never_told() -> None:
    echo = "no access for Bearer hunter22, token=s3cr3t and hunter22"

    async with serving((403, echo)) as server:
        url = f"{server.url}?token=s3cr3t"
        async with talking_to(url, headers={"Authorization": "Bearer hunter22"}) as agent:
            (exchange,) = await said(agent, Turn(user="Hello"))

    assert "Authorization: Bearer hunter22" in server.heads[0]
    assert "POST /turn?token=s3cr3t " in server.heads[0]
    assert exchange.trouble == Trouble(
        message=f"{server.url} answered 403: no access for ***, *** and ***", by_agent=False
    )
    assert "hunter22" not in repr(agent)


async def test_what_a_server_sends_is_shortened_and_made_printable() -> None:
    async with serving((403, "\x1b[31m" + "x" * 1000)) as server, talking_to(server.url) as agent:
        (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.trouble is not None
    assert "\x1b" not in exchange.trouble.message
    assert len(exchange.trouble.message) < 300


def test_options_of_an_http_agent_are_read_from_settings() -> None:
    options = {"headers": {"X-Key": "k"}, "attempts": 2, "observes": ["usage"], "at_once": 4}

    agent = open_agent("http:http://127.0.0.1:1/turn", options, Surroundings())

    assert agent.at_once == 4
    assert agent.observes == {"replies", "timing", "usage"}


def test_a_bare_address_names_an_http_agent() -> None:
    agent = open_agent("http://127.0.0.1:1/turn")

    assert agent.observes == {"replies", "timing", "tools", "state", "workflows"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"header": {}}, "did you mean 'headers'?", id="unknown"),
        pytest.param({"attempts": 0}, "at least 1", id="out of range"),
        pytest.param({"observes": ["tool"]}, "did you mean 'tools'?", id="unknown facet"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        open_agent("http:http://127.0.0.1:1/turn", options)

    assert message in str(caught.value)


@pytest.mark.parametrize("where", ["127.0.0.1:8000", "ftp://host/turn", "http://", "http://host:99999999/"])
def test_what_is_no_url_is_refused(where: str) -> None:
    with pytest.raises(SettingsError, match="is no URL"):
        open_agent(f"http:{where}")


@pytest.fixture
def example_server() -> Iterator[str]:
    """The URL of the example's server, started on a free port."""
    process = subprocess.Popen(
        [sys.executable, str(EXAMPLE / "server.py"), "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    yield process.stdout.readline().strip()
    process.terminate()
    process.communicate()


async def test_the_example_server_speaks_the_protocol(example_server: str) -> None:
    setup = Setup(state=SeedState(user={"name": "Ada"}))
    turns = [Turn(user="Good morning"), Turn(event={"kind": "ping"}), Turn(user="Hm", new_conversation=True)]

    async with talking_to(example_server) as agent:
        morning, event, afterwards = await said(agent, *turns, setup=setup)

    assert [reply.text for reply in morning.replies] == ["Hello Ada, you said: Good morning"]
    assert morning.state == State(user={"name": "Ada"}, conversation={"last": "Good morning"})
    assert (event.replies, event.trouble) == ((), None)
    assert afterwards.state == State(user={"name": "Ada"}, conversation={"last": "Hm"})


async def test_the_evals_of_the_example_pass_against_its_server(example_server: str) -> None:
    result = await audition.arun(EXAMPLE / "greeting.eval.yaml", agent=f"http:{example_server}")

    assert (result.verdict, result.run.passed) == ("pass", 2)
