"""What is sent to a chat-completions endpoint, and what is made of its answers."""

from collections.abc import Callable
from typing import Any

import pytest

from audition.errors import ModelError
from audition.llm import Message, Models, ToolDefinition, ToolRequest
from audition.llm.openai_compatible import ChatCompletions
from audition.providers import Provider
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

Make = Callable[..., ChatCompletions]
HELLO = (Message(role="user", content="Hello"),)
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}


def completion(message: object = None, **more: Any) -> dict[str, Any]:
    """Return a chat completion as an endpoint sends it."""
    said = {"role": "assistant", "content": "Hi!"} if message is None else message
    return {"model": "tiny-1", "choices": [{"index": 0, "message": said, "finish_reason": "stop"}], **more}


@pytest.fixture
def make(server) -> Make:
    """Make a model at the faulty server, tried once."""

    def model(parameters: dict[str, object] | None = None, **settings: Any) -> ChatCompletions:
        settings = {"name": "local", "base_url": f"{server.url}/v1", "attempts": 1, "timeout_s": 5} | settings
        return ChatCompletions(Provider(**settings), "tiny", parameters or {})

    return model


async def test_messages_parameters_and_key_are_sent_and_the_answer_is_read(server, make):
    server.will(server.answer(200, completion(usage={"prompt_tokens": 7, "completion_tokens": 2})))

    answer = await make({"temperature": 0, "seed": None, "max_tokens": 50}, api_key="sk-1").complete(
        [Message(role="system", content="Be brief."), *HELLO]
    )

    path, headers, _ = server.requests[0]
    assert (path, headers["authorization"]) == ("/v1/chat/completions", "Bearer sk-1")
    assert server.sent() == {
        "model": "tiny",
        "temperature": 0,
        "max_tokens": 50,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}],
    }
    assert (answer.text, answer.finish_reason, answer.model) == ("Hi!", "stop", "tiny-1")
    assert answer.usage == Usage(calls=1, input_tokens=7, output_tokens=2)
    assert answer.elapsed_ms > 0


async def test_tools_and_their_results_are_sent(server, make):
    server.will(server.answer(200, completion()))
    asked = ToolRequest(id="c1", name="find", arguments='{"id": 7}')

    await make().complete(
        [
            *HELLO,
            Message(role="assistant", content="", tool_requests=(asked,)),
            Message(role="tool", content='{"title": "Printer"}', tool_call_id="c1"),
        ],
        tools=[ToolDefinition(name="find", description="Finds a ticket.", parameters={"type": "object"})],
    )

    body = server.sent()
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"id": 7}'}}
    assert body["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "content": '{"title": "Printer"}', "tool_call_id": "c1"},
    ]
    function = {"name": "find", "description": "Finds a ticket.", "parameters": {"type": "object"}}
    assert body["tools"] == [{"type": "function", "function": function}]


@pytest.mark.parametrize(
    ("end", "path"),
    [
        ("/v1", "/v1/chat/completions"),
        ("/v1/", "/v1/chat/completions"),
        ("", "/chat/completions"),
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/deployment?api-version=1", "/deployment/chat/completions?api-version=1"),
    ],
)
async def test_the_endpoint_is_found_from_the_base_url(server, make, end, path):
    server.will(server.answer(200, completion()))

    await make(base_url=server.url + end).complete(HELLO)

    assert server.requests[0][0] == path


@pytest.mark.parametrize(
    ("message", "requests"),
    [
        (
            {"content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": '{"x": 1}'}}]},
            (ToolRequest(id="a", name="f", arguments='{"x": 1}'),),
        ),
        (
            {"tool_calls": [{"function": {"name": "f", "arguments": {"x": 1}}}, {"id": "", "function": {"name": "g"}}]},
            (
                ToolRequest(id="call_0", name="f", arguments='{"x": 1}'),
                ToolRequest(id="call_1", name="g", arguments="{}"),
            ),
        ),
        (
            {"content": "", "tool_calls": [{"id": None, "function": {"name": "f", "arguments": "{not json"}}]},
            (ToolRequest(id="call_0", name="f", arguments="{not json"),),
        ),
        ({"content": "", "tool_calls": None}, ()),
    ],
    ids=["as documented", "no ids, arguments as an object or missing", "arguments that are no JSON", "null"],
)
async def test_tool_calls_are_read_in_every_spelling(server, make, message, requests):
    server.will(server.answer(200, completion(message)))

    answer = await make().complete(HELLO)

    assert (answer.text, answer.tool_requests) == ("", requests)


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (
            {"content": [{"type": "text", "text": "Hi "}, {"type": "image"}, {"type": "text", "text": "there"}]},
            "Hi there",
        ),
        ({"content": None, "refusal": "I cannot help with that."}, "I cannot help with that."),
        ({"content": None}, ""),
    ],
    ids=["parts", "refusal", "nothing"],
)
async def test_the_text_is_read_in_every_spelling(server, make, message, text):
    server.will(server.answer(200, completion(message)))

    answer = await make().complete(HELLO)

    assert answer.text == text


@pytest.mark.parametrize(
    "usage",
    [None, [], {}, {"prompt_tokens": None, "completion_tokens": "3"}, {"prompt_tokens": -1}, {"prompt_tokens": True}],
)
async def test_tokens_that_are_not_told_are_not_known(server, make, usage):
    server.will(server.answer(200, completion(usage=usage)))

    answer = await make().complete(HELLO)

    assert answer.usage == Usage(calls=1)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><title>Sign in</title>",
        b"null",
        b"[]",
        b"7",
        b"{}",
        b'{"choices": []}',
        b'{"choices": {}}',
        b'{"choices": [null]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": {}}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": {"content": [7]}}]}',
        b'{"choices": [{"message": {"content": "Hi", "tool_calls": [{}]}}]}',
        b'{"choices": [{"message": {"content": "Hi", "tool_calls": 7}}]}',
        b'{"choices": [{"message": {"content": "Hi", "tool_calls": [{"function": {"name": 7}}]}}]}',
        b'{"choices": [{"message": {"content": "H',
        b"\xff\xfe\x00",
        b'{"a":' * 100_000,
    ],
    ids=lambda body: repr(body[:60]),
)
async def test_what_is_no_completion_is_an_error(server, make, body):
    server.will(server.answer(200, body))

    with pytest.raises(ModelError, match="no chat completion") as caught:
        await make().complete(HELLO)

    assert caught.value.status == 200
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("status", "body", "said", "hint"),
    [
        (401, b'{"error": {"message": "bad key sk-verysecret"}}', "local answered 401: bad key ***", "MY_KEY"),
        (404, b'{"error": "no such model"}', "local answered 404: no such model", "model's name"),
        (400, b"<html>\n  <b>bad</b></html>", "local answered 400: <html> <b>bad</b></html>", None),
        (302, b"", "local answered 302: (nothing)", None),
    ],
)
async def test_a_refusal_is_told_in_the_endpoints_words_without_the_key(server, make, status, body, said, hint):
    server.will(server.answer(status, body))

    with pytest.raises(ModelError) as caught:
        await make(api_key="sk-verysecret", api_key_env="MY_KEY").complete(HELLO)

    assert (caught.value.message, caught.value.status) == (said, status)
    assert hint is None or hint in caught.value.hint


async def test_a_server_that_stays_busy_is_an_error_with_its_words(server, make):
    server.will(server.answer(429, {"error": {"message": "quota used up for sk-verysecret"}}))

    with pytest.raises(ModelError, match=r"answered 429: quota used up for \*\*\*") as caught:
        await make(api_key="sk-verysecret").complete(HELLO)

    assert (caught.value.status, caught.value.attempts, caught.value.timed_out) == (429, 1, False)


async def test_an_answer_that_takes_too_long_says_so(server, make):
    server.will(server.silent)

    with pytest.raises(ModelError, match=r"took longer than 0\.1 s") as caught:
        await make().complete(HELLO, timeout_s=0.1)

    assert caught.value.timed_out


async def test_a_missing_key_names_the_variable_and_the_setting(make):
    with pytest.raises(ModelError, match="MY_KEY is not set") as caught:
        await make(name="corp", api_key_env="MY_KEY").complete(HELLO)

    assert "[providers.corp] api_key_env" in caught.value.hint


async def test_a_key_may_come_with_the_headers_instead(server, make):
    server.will(server.answer(200, completion()))

    answer = await make(api_key_env="MY_KEY", headers={"authorization": "Basic k"}).complete(HELLO)

    assert answer.text == "Hi!"
    assert server.requests[0][1]["authorization"] == "Basic k"


async def test_a_provider_without_an_address_names_the_setting(make):
    with pytest.raises(ModelError) as caught:
        await make(base_url="").complete(HELLO)

    assert "[providers.local] base_url" in caught.value.hint


async def test_an_address_that_is_no_url_is_an_error(make):
    with pytest.raises(ModelError, match="not valid"):
        await make(base_url="http://[").complete(HELLO)


async def test_a_schema_is_sent_as_the_response_format(server, make):
    server.will(server.answer(200, completion()))

    await make().complete(HELLO, schema=SCHEMA)

    assert server.sent()["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": SCHEMA, "strict": True},
    }


@pytest.mark.parametrize("status", [400, 422])
async def test_an_endpoint_without_response_formats_is_asked_without_and_that_is_remembered(server, make, status):
    complaint = server.answer(status, {"error": {"message": "'response_format' of type json_schema is unknown"}})
    server.will(complaint, server.answer(200, completion()))
    model = make()

    first = await model.complete(HELLO, schema=SCHEMA)
    second = await model.complete(HELLO, schema=SCHEMA)

    assert (first.text, second.text) == ("Hi!", "Hi!")
    assert ["response_format" in server.sent(at) for at in range(len(server.requests))] == [True, False, False]


async def test_other_complaints_are_not_taken_for_that_one(server, make):
    server.will(server.answer(400, {"error": {"message": "temperature is too high"}}))

    with pytest.raises(ModelError, match="temperature is too high"):
        await make().complete(HELLO, schema=SCHEMA)

    assert len(server.requests) == 1


async def test_settings_open_it_by_reference_and_by_alias(server):
    server.will(server.answer(200, completion()))
    models = Models({"fast": "local:tiny"}, {"local": Provider(name="local", base_url=server.url)})

    answer = await models.open("fast", temperature=0.5).complete(HELLO)

    assert answer.text == "Hi!"
    assert (server.sent()["model"], server.sent()["temperature"]) == ("tiny", 0.5)


async def test_an_endpoint_as_azure_has_them_gets_its_version_and_its_key(server, make):
    server.will(server.answer(200, completion()))
    azure = {
        "base_url": f"{server.url}/openai/deployments/tiny/?api-version=2024-10-21",
        "headers": {"api-key": "azure-1"},
        "api_key": "sk-1",
    }

    await make(**azure).complete(HELLO)

    path, headers, _ = server.requests[0]
    assert path == "/openai/deployments/tiny/chat/completions?api-version=2024-10-21"
    assert headers["api-key"] == "azure-1"
    assert "authorization" not in headers


@pytest.mark.parametrize(
    ("details", "cached"),
    [({"prompt_tokens_details": {"cached_tokens": 5}}, 5), ({"prompt_tokens_details": None}, 0), ({}, 0)],
)
async def test_tokens_from_the_cache_are_told(server, make, details, cached):
    server.will(server.answer(200, completion(usage={"prompt_tokens": 7, "completion_tokens": 2, **details})))

    assert (await make().complete(HELLO)).cached_tokens == cached
