"""Bedrock: what boto3 sends to an endpoint of this machine, what is made of its answers, and that nobody waits for it.

The endpoint answers on the loop that asks, so that a call which blocked the loop would never be answered.
"""

import asyncio
import json
import sys
from functools import partial
from typing import Any

import pytest

from audition.errors import MissingExtra, ModelError
from audition.llm import Completion, Message, Models
from audition.providers import Provider
from audition.transcript import Usage

pytest.importorskip("boto3", reason="the extra bedrock is not installed")
pytest.importorskip("pydantic_ai.models.bedrock", reason="the extra bedrock is not installed")

from audition.llm._bedrock import client_of
from audition.llm.pydantic_ai import Foreign

pytestmark = pytest.mark.anyio

HELLO = (Message(role="system", content="Be brief."), Message(role="user", content="Hello"))
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
NAME = "anthropic.claude-3-haiku-20240307-v1:0"
_NOWHERE = "/nonexistent/aws"


@pytest.fixture(autouse=True)
def aws(monkeypatch) -> None:
    """Give keys and a region by the environment, and keep what the machine has out of it."""
    for name in ("AWS_PROFILE", "AWS_REGION", "AWS_BEARER_TOKEN_BEDROCK", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", _NOWHERE)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", _NOWHERE)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key-id-1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-1")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """Return how long is waited between attempts, which takes no time."""
    waited: list[float] = []

    async def no_wait(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("audition.llm.pydantic_ai.Foreign", partial(Foreign, sleep=no_wait, random=lambda: 0.0))
    return waited


async def ask(server: Any, *, timeout_s: float | None = None, schema: Any = None, **more: Any) -> Completion:
    """Ask a model of Bedrock at the server."""
    provider = Provider(
        **({"name": "bedrock", "protocol": "pydantic_ai", "base_url": server.url, "attempts": 3} | more)
    )
    opened = Models(providers={"bedrock": provider}).open(f"bedrock:{NAME}")
    return await opened.complete(HELLO, schema=schema, timeout_s=timeout_s)


def converse(*content: object, stop: str = "end_turn") -> dict[str, object]:
    """Return an answer of the Converse API."""
    return {
        "output": {"message": {"role": "assistant", "content": list(content)}},
        "stopReason": stop,
        "usage": {"inputTokens": 7, "outputTokens": 2, "totalTokens": 9},
        "metrics": {"latencyMs": 5},
    }


def refusal(server: Any, status: int, code: str, message: str, **headers: str) -> Any:
    """Return how AWS refuses."""
    return server.answer(status, {"message": message}, X_Amzn_ErrorType=code, **headers)


async def test_what_is_said_is_sent_signed_and_the_answer_is_read_with_what_it_took(server):
    server.will(server.answer(200, converse({"text": "Hi!"})))

    answer = await ask(server)

    path, headers, _ = server.requests[0]
    assert path == "/model/anthropic.claude-3-haiku-20240307-v1%3A0/converse"
    assert headers["authorization"].startswith("AWS4-HMAC-SHA256 Credential=key-id-1/")
    assert "/eu-central-1/bedrock/aws4_request" in headers["authorization"]
    sent = server.sent()
    assert (sent["messages"], sent["system"]) == (
        [{"role": "user", "content": [{"text": "Hello"}]}],
        [{"text": "Be brief."}],
    )
    assert (answer.text, answer.finish_reason, answer.model) == ("Hi!", "stop", NAME)
    assert answer.usage == Usage(calls=1, input_tokens=7, output_tokens=2)


async def test_a_schema_goes_as_a_tool_and_its_call_is_the_answer(server):
    use = {"toolUse": {"toolUseId": "c1", "name": "final_reply", "input": {"score": 3}}}
    server.will(server.answer(200, converse(use, stop="tool_use")))

    answer = await ask(server, schema=SCHEMA)

    tools: Any = server.sent()["toolConfig"]
    assert [one["toolSpec"]["name"] for one in tools["tools"]] == ["final_reply"]
    assert (json.loads(answer.text), answer.tool_requests, answer.finish_reason) == ({"score": 3}, (), "stop")


async def test_a_key_of_the_settings_goes_in_place_of_awss_own_and_never_in_the_clear(server):
    with pytest.raises(ModelError, match="Bearer authorization requires an HTTPS endpoint"):
        await ask(server, api_key="bedrock-key-1")

    assert server.requests == []


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_endpoint_is_asked_again_when_it_says_and_by_us_alone(server, waits, status):
    busy = refusal(server, status, "ThrottlingException", "slow down", Retry_After="20")
    server.will(busy, server.answer(200, converse({"text": "Hi!"})))

    answer = await ask(server)

    assert (answer.text, len(server.requests)) == ("Hi!", 2)
    assert waits == [pytest.approx(20, abs=1)]


@pytest.mark.parametrize(
    ("behaviour", "attempts", "why"),
    [
        ("broken", 3, r"bedrock answered 500 \(after 3 attempts\): InternalServerException: it broke$"),
        ("html", 3, r"bedrock answered 502 \(after 3 attempts\)"),
        ("reset", 3, "bedrock: .*closed.*after 3 attempts"),
        ("denied", 1, "bedrock answered 403: AccessDeniedException: no access to this model\n  check the AWS keys"),
        ("unknown", 1, "bedrock answered 404: ResourceNotFoundException: no such model\n  check the model's name"),
        ("page", 1, "bedrock: "),
        ("other", 1, "bedrock: Response has no 'output' field"),
        ("kinds", 1, r"bedrock: sent a reply that cannot be read \(\w+Error\)"),
        ("cut", 3, "bedrock: .*after 3 attempts"),
    ],
)
async def test_what_is_no_answer_is_an_error_in_words_and_asked_for_as_often_as_that_may_help(
    server, waits, behaviour, attempts, why
):
    whole = json.dumps(converse({"text": "Hi!"})).encode()
    server.will(
        {
            "broken": refusal(server, 500, "InternalServerException", "it broke"),
            "html": server.answer(502, b"<html>bad gateway</html>", Content_Type="text/html"),
            "reset": server.reset,
            "denied": refusal(server, 403, "AccessDeniedException", "no access to this model"),
            "unknown": refusal(server, 404, "ResourceNotFoundException", "no such model"),
            "page": server.answer(200, b"<html>log in</html>", Content_Type="text/html"),
            "other": server.answer(200, {"answer": "Hi!"}),
            "kinds": server.answer(200, converse({"toolUse": {"name": "final_reply"}})),
            "cut": server.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + whole),
        }[behaviour]
    )

    with pytest.raises(ModelError, match=why) as caught:
        await ask(server)

    assert len(server.requests) == attempts
    assert "secret-1" not in str(caught.value)


@pytest.mark.parametrize("slow", ["silent", "drip"])
async def test_an_answer_that_does_not_end_is_given_up_and_not_asked_for_again(server, slow):
    server.will(getattr(server, slow))

    with pytest.raises(ModelError, match=r"took longer than 0\.3 s") as caught:
        await ask(server, timeout_s=0.3)

    assert (caught.value.timed_out, len(server.requests)) == (True, 1)


async def test_an_answer_that_was_given_up_does_not_keep_the_process(server):
    server.will(server.drip)
    script = f"""
import asyncio
from audition.llm import Message, Models
from audition.providers import Provider
provider = Provider(name="bedrock", protocol="pydantic_ai", base_url={server.url!r})
model = Models(providers={{"bedrock": provider}}).open("bedrock:{NAME}")
asyncio.run(model.complete([Message(role="user", content="Hello")], timeout_s=0.3))
"""
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )

    try:
        async with asyncio.timeout(60):
            _, said = await running.communicate()
    finally:
        if running.returncode is None:
            running.kill()
            await running.wait()

    assert b"ModelError: bedrock: took longer than 0.3 s" in said


@pytest.mark.parametrize(
    ("missing", "why", "hint"),
    [
        ("AWS_DEFAULT_REGION", "no AWS region for the provider 'bedrock'", "set AWS_DEFAULT_REGION"),
        ("AWS_ACCESS_KEY_ID", "no AWS credentials for the provider 'bedrock'", "set AWS_ACCESS_KEY_ID and"),
        ("AWS_SECRET_ACCESS_KEY", "Partial credentials found in env", "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS"),
    ],
)
async def test_what_is_missing_is_told_by_name_before_anybody_is_asked(server, monkeypatch, missing, why, hint):
    monkeypatch.delenv(missing)

    with pytest.raises(ModelError, match=why) as caught:
        await ask(server)

    assert hint in (caught.value.hint or "")
    assert server.requests == []


async def test_a_profile_that_does_not_exist_is_told(server, monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "shop")

    with pytest.raises(ModelError, match=r"bedrock: The config profile \(shop\) could not be found"):
        await ask(server)


async def test_offline_only_an_endpoint_of_this_machine_is_asked(server):
    server.will(server.answer(200, converse({"text": "Hi!"})))

    answer = await ask(server, offline=True)
    with pytest.raises(ModelError, match="offline: refused to ask bedrock"):
        await ask(server, offline=True, base_url="https://bedrock-runtime.eu-central-1.amazonaws.com")
    with pytest.raises(ModelError, match="offline: refused to ask bedrock"):
        await ask(server, offline=True, base_url="")

    assert (answer.text, len(server.requests)) == ("Hi!", 1)


async def test_offline_no_keys_are_asked_for_and_no_proxy_is_used(server, monkeypatch, unused_url):
    server.will(server.answer(200, converse({"text": "Hi!"})))
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, unused_url)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    answer = await ask(server, offline=True)
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_EC2_METADATA_DISABLED")
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.url)  # in place of the address of every cloud

    with pytest.raises(ModelError, match="no AWS credentials"):
        await asyncio.to_thread(client_of, Provider(name="bedrock", base_url=server.url, offline=True))

    assert (answer.text, len(server.requests)) == ("Hi!", 1)


async def test_a_base_url_that_is_none_is_told(server):
    with pytest.raises(ModelError, match="bedrock: Invalid endpoint: not a url") as caught:
        await ask(server, base_url="not a url")

    assert caught.value.hint == "check [providers.bedrock] base_url"


async def test_several_that_ask_at_once_share_one_client(server, monkeypatch):
    made: list[Provider] = []

    def counted(provider: Provider) -> Any:
        made.append(provider)
        return client_of(provider)

    monkeypatch.setattr("audition.llm.pydantic_ai.client_of", counted)
    server.will(server.answer(200, converse({"text": "Hi!"})))
    provider = Provider(name="bedrock", protocol="pydantic_ai", base_url=server.url)
    opened = Models(providers={"bedrock": provider}).open(f"bedrock:{NAME}")

    answers = await asyncio.gather(*(opened.complete(HELLO) for _ in range(20)))

    assert ([one.text for one in answers], len(made)) == (["Hi!"] * 20, 1)


def test_without_boto3_the_line_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai.models.bedrock", None)

    with pytest.raises(MissingExtra, match="bedrock:tiny needs a package"):
        Models(providers={"bedrock": Provider(name="bedrock", protocol="pydantic_ai")}).open("bedrock:tiny")
