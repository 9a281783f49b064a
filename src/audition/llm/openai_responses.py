"""An endpoint that speaks OpenAI's responses API. Source: OpenAI API reference, "Create a model response"."""

import json
from collections.abc import Iterator, Mapping, Sequence

from audition.errors import ModelError, SettingsError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition, ToolRequest
from audition.llm._endpoint import Endpoint, count
from audition.llm.transport import HttpReply
from audition.providers import Provider
from audition.text import shorten
from audition.transcript import Usage

_PATH = "/responses"
_FINISHED = {"max_output_tokens": "length", "content_filter": "content_filter"}
"""Our words for why a response is incomplete, those of chat completions."""


def model(provider: Provider, name: str, parameters: Mapping[str, object]) -> LanguageModel:
    """Return the model of that name at a provider; `parameters` go with every request, those that are None left out.

    Raises: SettingsError for a `seed`, which this API does not take.
    """
    return Responses(provider, name, parameters)


class Responses:
    """A model behind a responses endpoint, which is asked to keep nothing. Its connections close with the loop."""

    def __init__(self, provider: Provider, name: str, parameters: Mapping[str, object]) -> None:
        given = {key: value for key, value in parameters.items() if value is not None}
        if "seed" in given:
            hint = 'leave it out, or set protocol = "openai_compatible" for this provider'
            raise SettingsError(f"{provider.name}: the responses API takes no seed", key="seed", hint=hint)
        if "max_tokens" in given:
            given["max_output_tokens"] = given.pop("max_tokens")
        self._provider, self._fixed = provider, given | {"model": name, "store": False}
        self._endpoint = Endpoint(provider, _PATH)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the model's answer.

        Raises: ModelError when no answer is to be had, or one that is no response.
        """
        body: dict[str, object] = {**self._fixed, "input": [item for message in messages for item in _items(message)]}
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if schema is not None:
            body["text"] = {"format": {"type": "json_schema", "name": "reply", "schema": schema, "strict": True}}
        reply = await self._endpoint.post(body, timeout_s)
        if not 200 <= reply.status < 300:
            raise self._endpoint.refused(reply)
        return self._read(reply)

    def _read(self, reply: HttpReply) -> Completion:
        try:
            answer = json.loads(reply.body)
            failure, status = answer.get("error"), answer["status"]
            if failure is None and status in ("completed", "incomplete"):
                return self._completion(answer, reply.elapsed_ms)
            said = failure["message"] if failure else f"the response is {status}"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._endpoint.unreadable(reply, "response") from None
        message = f"{self._provider.name} gave no answer: {shorten(str(said))}"
        raise ModelError(message, status=reply.status, attempts=reply.attempts)

    def _completion(self, answer: Mapping[str, object], elapsed_ms: float) -> Completion:
        """Return the completion in a response. Raises: KeyError, TypeError or AttributeError for what is none."""
        output = answer["output"]
        if not isinstance(output, list):
            raise TypeError
        calls = [_tool_request(item, at) for at, item in enumerate(output) if item["type"] == "function_call"]
        served = answer.get("model")
        usage, cached = _usage(answer.get("usage"))
        return Completion(
            text="".join(text for item in output if item["type"] == "message" for text in _texts(item)),
            tool_requests=tuple(calls),
            finish_reason=_finish_reason(answer, calls),
            usage=usage,
            model=served if isinstance(served, str) else str(self._fixed["model"]),
            elapsed_ms=elapsed_ms,
            cached_tokens=cached,
        )


def _items(message: Message) -> Iterator[dict[str, object]]:
    if message.role == "tool":
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}
        return
    if message.content or not message.tool_requests:
        yield {"role": message.role, "content": message.content}
    for asked in message.tool_requests:
        yield {"type": "function_call", "call_id": asked.id, "name": asked.name, "arguments": asked.arguments}


def _tool(tool: ToolDefinition) -> dict[str, object]:
    named = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", **named, "strict": False}


def _texts(message: Mapping[str, object]) -> Iterator[str]:
    parts = message["content"]
    if not isinstance(parts, list):
        raise TypeError
    for part in parts:
        if part["type"] in ("output_text", "refusal"):
            text = part["text"] if part["type"] == "output_text" else part["refusal"]
            if not isinstance(text, str):
                raise TypeError
            yield text


def _tool_request(call: Mapping[str, object], at: int) -> ToolRequest:
    name, arguments, identity = call["name"], call["arguments"], call.get("call_id")
    if not isinstance(name, str) or not isinstance(arguments, str):
        raise TypeError
    return ToolRequest(id=str(identity or f"call_{at}"), name=name, arguments=arguments)


def _finish_reason(answer: Mapping[str, object], calls: Sequence[ToolRequest]) -> str:
    if answer["status"] == "incomplete":
        details = answer.get("incomplete_details")
        why = details.get("reason") if isinstance(details, Mapping) else None
        return _FINISHED.get(str(why), "length")  # whatever cut it short, it is not the whole answer
    return "tool_calls" if calls else "stop"


def _usage(usage: object) -> tuple[Usage, int]:
    """Return what a response took, and how much of its input came from the cache."""
    if not isinstance(usage, Mapping):
        return Usage(calls=1), 0
    details = usage.get("input_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, Mapping) else None
    taken = Usage(
        calls=1, input_tokens=count(usage.get("input_tokens")), output_tokens=count(usage.get("output_tokens"))
    )
    return taken, cached or 0
