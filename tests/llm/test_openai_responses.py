"""What is sent to a responses endpoint, and what is made of its answers."""

from collections.abc import Callable
from typing import Any

import pytest

from audition.errors import ModelError, SettingsError
from audition.llm import Message, ToolDefinition, ToolRequest
from audition.llm.openai_responses import Responses, model
from audition.providers import Provider
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

Make = Callable[..., Responses]
HELLO = (Message(role="user", content="Hello"),)
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


def response(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    """Return a response as an endpoint sends it."""
    return {"model": "tiny-1", "status": status, "error": None, "output": list(output), **more}


def said(*texts: str, kind: str = "output_text") -> dict[str, Any]:
    key = "text" if kind == "output_text" else "refusal"
    return {"type": "message", "role": "assistant", "content": [{"type": kind, key: text} for text in texts]}


@pytest.fixture
def make(server) -> Make:
    """Make a model at the faulty server, tried once."""

    def one(parameters: dict[str, object] | None = None, **settings: Any) -> Responses:
        settings = {"name": "local", "base_url": f"{server.url}/v1", "attempts": 1, "timeout_s": 5} | settings
        return Responses(Provider(**settings), "tiny", parameters or {})

    return one


async def test_messages_parameters_and_key_are_sent_and_the_answer_is_read(server, make):
    usage = {"input_tokens": 7, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 5}}
    server.will(server.answer(200, response({"type": "reasoning", "summary": []}, said("Hi", "!"), usage=usage)))

    answer = await make({"temperature": 0, "seed": None, "max_tokens": 50}, api_key="sk-1").complete(
        [Message(role="system", content="Be brief."), *HELLO], schema=SCHEMA
    )

    path, headers, _ = server.requests[0]
    assert (path, headers["authorization"]) == ("/v1/responses", "Bearer sk-1")
    assert server.sent() == {
        "model": "tiny",
        "store": False,
        "temperature": 0,
        "max_output_tokens": 50,
        "input": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
        "text": {"format": {"type": "json_schema", "name": "reply", "schema": SCHEMA, "strict": True}},
    }
    assert (answer.text, answer.finish_reason, answer.model) == ("Hi!", "stop", "tiny-1")
    assert (answer.usage, answer.cached_tokens) == (Usage(calls=1, input_tokens=7, output_tokens=2), 5)
    assert answer.elapsed_ms > 0


async def test_tools_their_calls_and_their_results_are_sent_and_read(server, make):
    call = {"type": "function_call", "call_id": "c2", "name": "find", "arguments": '{"id": 8}'}
    server.will(server.answer(200, response(call)))
    asked = ToolRequest(id="c1", name="find", arguments='{"id": 7}')

    answer = await make().complete(
        [
            *HELLO,
            Message(role="assistant", content="", tool_requests=(asked,)),
            Message(role="tool", content='{"title": "Printer"}', tool_call_id="c1"),
        ],
        tools=[ToolDefinition(name="find", description="Finds a ticket.", parameters={"type": "object"})],
    )

    body = server.sent()
    assert body["input"][1:] == [
        {"type": "function_call", "call_id": "c1", "name": "find", "arguments": '{"id": 7}'},
        {"type": "function_call_output", "call_id": "c1", "output": '{"title": "Printer"}'},
    ]
    tool = {"type": "function", "name": "find", "description": "Finds a ticket.", "parameters": {"type": "object"}}
    assert body["tools"] == [{**tool, "strict": False}]
    assert answer.tool_requests == (ToolRequest(id="c2", name="find", arguments='{"id": 8}'),)
    assert (answer.text, answer.finish_reason) == ("", "tool_calls")


@pytest.mark.parametrize(
    ("details", "reason"),
    [
        ({"reason": "max_output_tokens"}, "length"),
        ({"reason": "content_filter"}, "content_filter"),
        ({"reason": "something new"}, "length"),
        (None, "length"),
    ],
)
async def test_an_incomplete_answer_says_so(server, make, details, reason):
    server.will(server.answer(200, response(said("Hal"), status="incomplete", incomplete_details=details)))

    assert (await make().complete(HELLO)).finish_reason == reason


async def test_a_refusal_is_what_was_said(server, make):
    server.will(server.answer(200, response(said("I cannot.", kind="refusal"))))

    assert (await make().complete(HELLO)).text == "I cannot."


async def test_what_the_usage_leaves_out_is_not_known(server, make):
    server.will(server.answer(200, response(said("Hi"), usage={"input_tokens": True})))

    assert (await make().complete(HELLO)).usage == Usage(calls=1)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>Sign in</html>",
        b"[]",
        b"null",
        {"status": "completed"},
        {"status": "completed", "output": "Hi"},
        response({"type": "message", "content": "Hi"}),
        response({"type": "message", "content": [{"type": "output_text", "text": 5}]}),
        response({"type": "function_call", "name": "find"}),
        response("Hi"),
        {"choices": [{"message": {"content": "Hi"}}]},
    ],
    ids=["html", "list", "null", "no output", "text", "bare", "number", "half a call", "bare item", "chat completion"],
)
async def test_what_is_no_response_is_an_error(server, make, body):
    server.will(server.answer(200, body))

    with pytest.raises(ModelError, match="no response"):
        await make().complete(HELLO)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (response(status="failed", error={"code": "server_error", "message": "It broke."}), "gave no answer: It broke"),
        (response(said("Hal"), status="in_progress"), "the response is in_progress"),
    ],
    ids=["failed", "not done"],
)
async def test_a_response_that_did_not_come_to_its_end_is_an_error(server, make, body, why):
    server.will(server.answer(200, body))

    with pytest.raises(ModelError, match=why):
        await make().complete(HELLO)


async def test_an_error_of_the_provider_is_told_in_its_words(server, make):
    server.will(server.answer(401, {"error": {"message": "Bad key sk-1"}}))

    with pytest.raises(ModelError, match=r"local answered 401: Bad key \*\*\*") as caught:
        await make(api_key="sk-1").complete(HELLO)

    assert caught.value.hint


def test_a_seed_is_refused_since_it_would_do_nothing():
    with pytest.raises(SettingsError, match="takes no seed"):
        model(Provider(name="openai"), "gpt-5", {"seed": 1})
