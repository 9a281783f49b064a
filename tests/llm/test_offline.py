"""Connections that may not leave this machine."""

import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from audition.agents import Surroundings, open_agent
from audition.engine.drive import drive
from audition.engine.plan import Defaults, plan
from audition.errors import ModelError
from audition.evals import Eval, Turn
from audition.llm import Message
from audition.llm._loopback import LoopbackResolver, RefusedOffline, loopback_socket
from audition.llm.openai_compatible import model
from audition.llm.transport import Transport, TransportError
from audition.providers import Provider, is_loopback
from audition.users.script import Script

pytestmark = pytest.mark.anyio

LOCAL = ["localhost", "LOCALHOST", "localhost.", "api.localhost", "127.0.0.1", "127.8.9.10", "::1"]
REMOTE = [
    "api.openai.com", "8.8.8.8", "10.0.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "::", "fe80::1",
    "2001:4860:4860::8888", "::ffff:8.8.8.8", "notlocalhost", "localhost.example.com", "127.0.0.1.nip.io",
    "0x7f000001", "127.1", "2130706433", "",
]  # fmt: skip


@pytest.fixture
def no_lookups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every lookup of a name a fault of the test: it would be a connection to the outside."""

    def looked_up(*asked: object, **_: object) -> Any:
        raise AssertionError(f"{asked} was looked up")

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    """Return a transport that stays on this machine, closed at the end."""
    made = Transport(timeout_s=5, offline=True)
    yield made
    await made.close()


@pytest.mark.parametrize("host", LOCAL)
def test_this_machine_is_known_by_its_names_and_addresses(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", REMOTE)
def test_no_other_host_is_taken_for_this_machine(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.usefixtures("no_lookups")
@pytest.mark.parametrize("host", REMOTE[:-3])
async def test_no_request_leaves_this_machine_and_no_name_is_looked_up(transport: Transport, host: str) -> None:
    url = f"http://[{host}]:9/v1" if ":" in host else f"http://{host}:9/v1"

    with pytest.raises(TransportError, match="offline: refused to connect to ") as refused:
        await transport.post_json(url, {})

    assert (refused.value.attempts, refused.value.timed_out, refused.value.status) == (1, False, None)


@pytest.mark.usefixtures("no_lookups")
async def test_no_stream_is_opened_outside_of_this_machine(transport: Transport) -> None:
    with pytest.raises(TransportError, match=r"offline: refused to connect to events\.example\.com"):
        async with transport.stream("https://events.example.com/", silence_s=5):
            pass


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "bot.localhost"])
async def test_servers_of_this_machine_are_reached(transport: Transport, server: Any, name: str) -> None:
    server.will(server.answer(200, {"ok": True}))

    reply = await transport.post_json(server.url.replace("127.0.0.1", name), {})

    assert reply.body == b'{"ok": true}'


async def test_a_redirect_to_the_outside_is_not_followed(transport: Transport, server: Any) -> None:
    server.will(server.answer(302, b"", Location="http://8.8.8.8/"))

    reply = await transport.post_json(server.url, {})

    assert reply.status == 302


def test_an_address_is_refused_whatever_name_led_to_it() -> None:
    with pytest.raises(RefusedOffline, match=r"refused to connect to 8\.8\.8\.8"):
        loopback_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "localhost", ("8.8.8.8", 443)))


@pytest.mark.parametrize(
    ("family", "addresses"),
    [
        pytest.param(socket.AF_UNSPEC, ["127.0.0.1", "::1"], id="any"),
        pytest.param(socket.AF_INET, ["127.0.0.1"], id="IPv4"),
        pytest.param(socket.AF_INET6, ["::1"], id="IPv6"),
    ],
)
async def test_the_name_of_this_machine_has_its_two_addresses(family: int, addresses: list[str]) -> None:
    found = await LoopbackResolver().resolve("localhost", 80, family)

    assert [one["host"] for one in found] == addresses


@pytest.mark.usefixtures("no_lookups")
async def test_a_model_elsewhere_is_an_error_that_says_so() -> None:
    provider = Provider(name="openai", base_url="https://api.openai.com/v1", api_key="sk-canary", offline=True)

    with pytest.raises(ModelError, match=r"offline: refused to connect to api\.openai\.com"):
        await model(provider, "gpt-4o", {}).complete([Message(role="user", content="hi")])


@pytest.mark.usefixtures("no_lookups")
@pytest.mark.parametrize("reference", ["http:http://bot.example.com/turn", "botpress:https://bot.example.com/webhook"])
async def test_an_agent_elsewhere_is_trouble_on_the_way_and_not_its_own(reference: str) -> None:
    agent: Any = open_agent(reference, {}, Surroundings(offline=True))
    one = Eval(name="greeting", turns=(Turn(user="hi"),))
    (trial,) = plan([one], Defaults(), agent.observes)

    transcript = await drive(agent, Script(one.turns), trial)
    await agent.close()

    trouble = transcript.trouble or transcript.exchanges[0].trouble
    assert trouble is not None
    assert "offline: refused to connect to bot.example.com" in trouble.message
    assert not trouble.by_agent
