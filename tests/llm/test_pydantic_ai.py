"""Models of Google, Anthropic and Bedrock: what reaches pydantic-ai's model layer, and what is made of its answers."""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest

from audition.errors import MissingExtra, ModelError, SettingsError
from audition.llm import Completion, Message, Models, ToolDefinition, ToolRequest
from audition.providers import Provider
from audition.settings import PROVIDERS
from audition.transcript import Usage

pytest.importorskip("pydantic_ai", reason="the extra google, anthropic or bedrock is not installed")

from pydantic_ai.exceptions import ModelConnectionError, ModelHTTPError, UnexpectedModelBehavior, UserError
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from audition.llm.pydantic_ai import Foreign

pytestmark = pytest.mark.anyio

HELLO = (Message(role="user", content="Hello"),)
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}}
GOOGLE = Provider(name="google", api_key="key-1", api_key_env="GOOGLE_API_KEY", attempts=3)

Answer = ModelResponse | Exception


class Inside:
    """A model of pydantic-ai's that gives prepared answers and remembers what it was asked."""

    def __init__(self, *answers: Answer) -> None:
        self.asked: list[tuple[list[Any], AgentInfo]] = []
        self.waits: list[float] = []
        self._answers = list(answers)

    def __call__(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        self.asked.append((messages, info))
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def model(self, provider: Provider = GOOGLE, profile: Any = None, **parameters: object) -> Foreign:
        return Foreign(
            lambda: FunctionModel(self, profile=profile), provider, parameters, sleep=self.sleep, random=lambda: 0.0
        )


def said(text: str, **more: Any) -> ModelResponse:
    return ModelResponse(parts=[TextPart(text)], **more)


async def test_messages_and_parameters_are_sent_and_the_answer_is_read():
    usage = RequestUsage(input_tokens=7, cache_read_tokens=3, output_tokens=2)
    inside = Inside(said("Hi!", finish_reason="stop", usage=usage, model_name="tiny-1"))

    answer = await inside.model(temperature=0, max_tokens=50, seed=None).complete(
        [Message(role="system", content="Be brief."), *HELLO]
    )

    messages, info = inside.asked[0]
    assert [part.content for part in messages[0].parts] == ["Be brief.", "Hello"]
    assert info.model_settings == {"temperature": 0, "max_tokens": 50, "timeout": 120.0}
    assert (answer.text, answer.finish_reason) == ("Hi!", "stop")
    assert (answer.usage, answer.cached_tokens) == (Usage(calls=1, input_tokens=7, output_tokens=2), 3)
    assert answer.elapsed_ms > 0


async def test_tools_their_calls_and_their_results_go_both_ways():
    inside = Inside(ModelResponse(parts=[TextPart("Let me look."), ToolCallPart("find", {"id": 8}, "c2")]))
    asked = ToolRequest(id="c1", name="find", arguments='{"id": 7}')

    answer = await inside.model().complete(
        [
            *HELLO,
            Message(role="assistant", content="", tool_requests=(asked,)),
            Message(role="tool", content='{"title": "Printer"}', tool_call_id="c1"),
        ],
        tools=[ToolDefinition(name="find", description="Finds a ticket.", parameters={"type": "object"})],
    )

    messages, info = inside.asked[0]
    assert [type(message) for message in messages] == [ModelRequest, ModelResponse, ModelRequest]
    assert [(call.tool_name, call.args, call.tool_call_id) for call in messages[1].parts] == [
        ("find", '{"id": 7}', "c1")
    ]
    result = messages[2].parts[0]
    assert isinstance(result, ToolReturnPart)
    assert (result.tool_name, result.content, result.tool_call_id) == ("find", '{"title": "Printer"}', "c1")
    assert [(tool.name, tool.description) for tool in info.function_tools] == [("find", "Finds a ticket.")]
    assert answer.tool_requests == (ToolRequest(id="c2", name="find", arguments='{"id": 8}'),)
    assert (answer.text, answer.finish_reason) == ("Let me look.", "tool_calls")


async def test_a_schema_goes_the_providers_own_way_where_there_is_one():
    inside = Inside(said('{"score": 3}'))

    answer = await inside.model().complete(HELLO, schema=SCHEMA)

    info = inside.asked[0][1]
    assert info.model_request_parameters.output_mode == "native"
    assert info.model_request_parameters.output_object is not None
    assert answer.text == '{"score": 3}'


async def test_a_schema_goes_as_a_tool_where_there_is_no_other_way():
    inside = Inside(ModelResponse(parts=[ToolCallPart("final_reply", {"score": 3}, "c1")], finish_reason="tool_call"))

    answer = await inside.model(profile={"supports_json_schema_output": False}).complete(HELLO, schema=SCHEMA)

    assert [tool.name for tool in inside.asked[0][1].output_tools] == ["final_reply"]
    assert (answer.text, answer.tool_requests, answer.finish_reason) == ('{"score":3}', (), "stop")


async def test_a_schema_goes_in_words_where_there_are_no_tools_either():
    inside = Inside(said('{"score": 3}'))
    profile = {"supports_json_schema_output": False, "supports_tools": False}

    await inside.model(profile=profile).complete(HELLO, schema=SCHEMA)

    assert '"score"' in str(inside.asked[0][1].instructions)


@pytest.mark.parametrize(
    ("theirs", "ours"), [("length", "length"), ("content_filter", "content_filter"), (None, "")], ids=str
)
async def test_why_an_answer_ended_is_told_in_our_words(theirs, ours):
    assert (await Inside(said("Hal", finish_reason=theirs)).model().complete(HELLO)).finish_reason == ours


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_provider_is_left_alone_as_long_as_it_says(status):
    busy = ModelHTTPError(status, "tiny", body={"error": "busy"}, headers={"retry-after": "30"})
    inside = Inside(busy, said("Hi!"))

    answer = await inside.model().complete(HELLO)

    assert answer.text == "Hi!"
    assert inside.waits == [pytest.approx(30, abs=0.5)]


@pytest.mark.parametrize(
    ("fault", "attempts", "why"),
    [
        (ModelHTTPError(500, "tiny", body="it broke"), 3, r"google answered 500 \(after 3 attempts\): it broke"),
        (ModelConnectionError("tiny", "no route"), 3, "no route"),
        (ModelHTTPError(401, "tiny", body="bad key key-1"), 1, r"google answered 401: bad key \*\*\*"),
        (ModelHTTPError(404, "tiny", body="no such model"), 1, "google answered 404: no such model"),
        (UnexpectedModelBehavior("what?"), 1, r"what\?"),
        (UserError("that cannot be"), 1, "that cannot be"),
    ],
    ids=["5xx", "no connection", "key", "model", "garbled", "wrong use"],
)
async def test_what_is_no_answer_is_an_error_and_tried_again_where_that_may_help(fault, attempts, why):
    inside = Inside(fault)

    with pytest.raises(ModelError, match=why):
        await inside.model().complete(HELLO)

    assert len(inside.asked) == attempts


async def test_an_answer_that_takes_too_long_is_not_asked_for_again():
    class Silent(FunctionModel):
        async def request(self, *_: Any, **__: Any) -> ModelResponse:
            await asyncio.Event().wait()
            raise AssertionError

    model = Foreign(lambda: Silent(Inside(said("Hi"))), GOOGLE, {})

    with pytest.raises(ModelError, match=r"took longer than 0\.01 s") as caught:
        await model.complete(HELLO, timeout_s=0.01)

    assert caught.value.timed_out


async def test_without_a_key_nobody_is_asked():
    inside = Inside(said("Hi!"))

    with pytest.raises(ModelError, match="GOOGLE_API_KEY is not set"):
        await inside.model(Provider(name="google", api_key_env="GOOGLE_API_KEY")).complete(HELLO)

    assert inside.asked == []


async def test_offline_nobody_is_asked():
    inside = Inside(said("Hi!"))

    with pytest.raises(ModelError, match="offline: refused to ask google"):
        await inside.model(Provider(name="google", api_key="key-1", offline=True)).complete(HELLO)

    assert inside.asked == []


async def test_usage_that_is_not_told_is_not_known():
    class Untold(FunctionModel):
        async def request(self, *_: Any, **__: Any) -> ModelResponse:
            return said("Hi!")

    answer = await Foreign(lambda: Untold(Inside(said("Hi"))), GOOGLE, {}).complete(HELLO)

    assert answer.usage == Usage(calls=1)


def test_a_model_works_in_one_loop_after_another():
    model = Inside(said("Hi!")).model()

    assert [asyncio.run(model.complete(HELLO)).text for _ in range(2)] == ["Hi!", "Hi!"]


def test_another_provider_is_refused():
    with pytest.raises(SettingsError, match="google, anthropic, bedrock, not 'mistral'"):
        Models(providers={"mistral": Provider(name="mistral", protocol="pydantic_ai")}).open("mistral:large")


@pytest.mark.parametrize("name", ["google", "anthropic", "bedrock"])
def test_a_package_that_is_not_installed_is_told_with_the_line_that_installs_it(monkeypatch, name):
    monkeypatch.setitem(sys.modules, f"pydantic_ai.models.{name}", None)

    with pytest.raises(MissingExtra) as caught:
        Models(providers=PROVIDERS).open(f"{name}:some-model")

    assert caught.value.hint == f"pip install 'audition[{name}]'"


Ask = Callable[..., Any]


@pytest.fixture
def ask(server) -> Ask:
    """Ask a model of a real provider's client, at the faulty server."""

    async def answer(name: str) -> Completion:
        pytest.importorskip(f"pydantic_ai.models.{name}", reason=f"the extra {name} is not installed")
        provider = Provider(name=name, protocol="pydantic_ai", base_url=server.url, api_key="key-1")
        return await Models(providers={name: provider}).open(f"{name}:tiny").complete(HELLO, schema=SCHEMA)

    return answer


async def test_anthropics_client_speaks_to_an_endpoint(server, ask):
    message = {
        "id": "m1",
        "type": "message",
        "role": "assistant",
        "model": "claude-1",
        "content": [{"type": "tool_use", "id": "c1", "name": "final_reply", "input": {"score": 3}}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 2},
    }
    server.will(server.answer(200, message, Content_Type="application/json"))

    answer = await ask("anthropic")

    path, headers, _ = server.requests[0]
    assert path == "/v1/messages"
    assert "key-1" in headers.get("x-api-key", headers.get("authorization", ""))  # which of them is for the client
    assert (answer.text, answer.finish_reason) == ('{"score":3}', "stop")
    assert answer.usage == Usage(calls=1, input_tokens=7, output_tokens=2)


async def test_googles_client_speaks_to_an_endpoint(server, ask):
    said = {"content": {"role": "model", "parts": [{"text": '{"score": 3}'}]}, "finishReason": "STOP"}
    counts = {"promptTokenCount": 7, "candidatesTokenCount": 2, "totalTokenCount": 9}
    server.will(server.answer(200, {"candidates": [said], "usageMetadata": counts}, Content_Type="application/json"))

    answer = await ask("google")

    assert server.requests[0][1]["x-goog-api-key"] == "key-1"
    assert (answer.text, answer.finish_reason) == ('{"score": 3}', "stop")
    assert answer.usage == Usage(calls=1, input_tokens=7, output_tokens=2)
