"""A chat agent over real connections keeps what every agent promises: see the Agent and Session protocols."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator

import pytest

from audition.agents import Agent, Surroundings, open_agent
from audition.evals import MockResult, Setup, ToolMock, Turn
from audition.llm import Models
from audition.providers import Provider
from audition.transcript import Exchange

pytestmark = pytest.mark.anyio


class Endpoint:
    """Chat completions that repeat what was said; `wait` keeps it silent, `tool` makes it ask for one first."""

    def __init__(self) -> None:
        self.url, self.at_once, self.most_at_once = "", 0, 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.split("content-length: ")[1].split("\r\n")[0])
                messages = json.loads(await reader.readexactly(length))["messages"]
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                await asyncio.sleep(30 if messages[-1]["content"] == "wait" else 0.02)
                self.at_once -= 1
                content = json.dumps(
                    {"choices": [{"message": self.answer(messages), "finish_reason": "stop"}]}
                ).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def answer(self, messages: list[dict[str, str]]) -> dict[str, object]:
        if messages[-1]["content"] == "tool":
            return {"tool_calls": [{"id": "c1", "function": {"name": "clock", "arguments": "{}"}}]}
        return {"content": " | ".join(message["content"] or "" for message in messages)}


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    """Serve chat completions on a free port of this machine."""
    served = Endpoint()
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(served.serve(reader, writer)))

    listening = await asyncio.start_server(connected, "127.0.0.1", 0)
    served.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
    yield served
    listening.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def chat(url: str, **options: object) -> Agent:
    """Return a chat agent at an endpoint, as settings would name it."""
    models = Models(providers={"local": Provider(name="local", base_url=url, attempts=1)})
    return open_agent("chat:local:echo", options, Surroundings(models=models))


async def say(agent: Agent, *texts: str, setup: Setup | None = None, idle_timeout_s: float = 10) -> list[Exchange]:
    """Return the exchanges of one session."""
    async with agent.open(setup or Setup(), trial="echo") as session:
        return [await session.send(Turn(user=text), idle_timeout_s=idle_timeout_s) for text in texts]


async def test_a_conversation_is_held(endpoint):
    first, second = await say(chat(endpoint.url, instruction_text="Repeat."), "one", "two")

    assert (first.user, first.replies[0].text) == ("one", "Repeat. | one")
    assert second.replies[0].text == "Repeat. | one | Repeat. | one | two"
    assert first.response_ms == first.replies[0].at_ms > 0


async def test_sessions_side_by_side_do_not_touch_each_other(endpoint):
    agent = chat(endpoint.url)

    held = await asyncio.gather(*(say(agent, f"one {n}", f"two {n}") for n in range(20)))

    assert [second.replies[0].text for _, second in held] == [f"one {n} | one {n} | two {n}" for n in range(20)]
    assert endpoint.most_at_once > 1


async def test_a_session_begins_with_nothing_of_the_one_before(endpoint):
    agent = chat(endpoint.url)

    await say(agent, "one")
    (exchange,) = await say(agent, "two")

    assert exchange.replies[0].text == "two"


async def test_tools_of_the_setup_are_called(endpoint):
    clock = ToolMock(name="clock", results=(MockResult(result="noon"),))

    (exchange,) = await say(chat(endpoint.url), "tool", setup=Setup(tools=(clock,)))

    assert [(call.name, call.result) for call in exchange.tool_calls] == [("clock", "noon")]
    assert exchange.replies[0].text == "tool |  | noon"


async def test_an_agent_that_is_not_done_in_time_has_trouble_of_its_own_making(endpoint):
    (exchange,) = await say(chat(endpoint.url), "wait", idle_timeout_s=0.1)

    assert (exchange.trouble.by_agent, exchange.trouble.message) == (True, "no answer within 0.1 s")
    assert (exchange.replies, exchange.response_ms) == ((), None)


async def test_an_agent_that_cannot_be_reached_has_trouble_of_nobodys_making():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"

        (exchange,) = await say(chat(url), "Hello")

    assert not exchange.trouble.by_agent
    assert "cannot be reached" in exchange.trouble.message


async def test_a_cancelled_turn_leaves_the_agent_usable(endpoint):
    agent = chat(endpoint.url)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await say(agent, "wait")
    (exchange,) = await say(agent, "Hello")

    assert exchange.replies[0].text == "Hello"
