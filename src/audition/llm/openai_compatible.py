"""Any endpoint that speaks OpenAI's chat completions. Source: OpenAI API reference, "Create chat completion"."""

import json
from collections.abc import Mapping, Sequence

from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition, ToolRequest
from audition.llm._endpoint import Endpoint, count
from audition.llm.transport import HttpReply
from audition.providers import Provider
from audition.transcript import Usage

_PATH = "/chat/completions"


def model(provider: Provider, name: str, parameters: Mapping[str, object]) -> LanguageModel:
    """Return the model of that name at a provider; `parameters` go with every request, those that are None left out."""
    return ChatCompletions(provider, name, parameters)


class ChatCompletions:
    """A model behind a chat-completions endpoint. Its connections close with the running loop."""

    def __init__(self, provider: Provider, name: str, parameters: Mapping[str, object]) -> None:
        self._fixed = {key: value for key, value in parameters.items() if value is not None} | {"model": name}
        self._endpoint = Endpoint(provider, _PATH)
        self._takes_schemas = True

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the model's answer. An endpoint that knows no `response_format` is asked again without one.

        Raises: ModelError when no answer is to be had, or one that is no chat completion.
        """
        body: dict[str, object] = {**self._fixed, "messages": [_message(message) for message in messages]}
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if schema is None or not self._takes_schemas:
            return self._read(await self._endpoint.post(body, timeout_s))
        structured = body | {"response_format": _response_format(schema)}
        reply = await self._endpoint.post(structured, timeout_s)
        if _refuses_schemas(reply):
            self._takes_schemas = False
            reply = await self._endpoint.post(body, timeout_s)
        return self._read(reply)

    def _read(self, reply: HttpReply) -> Completion:
        """Return the completion in a reply; what was left out of it is not known, what is wrong with it is an error."""
        if not 200 <= reply.status < 300:
            raise self._endpoint.refused(reply)
        try:
            answer = json.loads(reply.body)
            choice = answer["choices"][0]
            message = choice["message"]
            text = _text(message)
            requests = [_tool_request(call, at) for at, call in enumerate(message.get("tool_calls") or ())]
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            raise self._endpoint.unreadable(reply, "chat completion") from None
        finish_reason, served = choice.get("finish_reason"), answer.get("model")
        return Completion(
            text=text,
            tool_requests=tuple(requests),
            finish_reason=finish_reason if isinstance(finish_reason, str) else "",
            usage=_usage(answer.get("usage")),
            model=served if isinstance(served, str) else str(self._fixed["model"]),
            elapsed_ms=reply.elapsed_ms,
            cached_tokens=_cached(answer.get("usage")),
        )


def _message(message: Message) -> dict[str, object]:
    written: dict[str, object] = {"role": message.role, "content": message.content}
    if message.tool_requests:
        written["content"] = message.content or None
        written["tool_calls"] = [
            {"id": asked.id, "type": "function", "function": {"name": asked.name, "arguments": asked.arguments}}
            for asked in message.tool_requests
        ]
    if message.tool_call_id is not None:
        written["tool_call_id"] = message.tool_call_id
    return written


def _tool(tool: ToolDefinition) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _response_format(schema: JsonSchema) -> dict[str, object]:
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema, "strict": True}}


def _refuses_schemas(reply: HttpReply) -> bool:
    """Tell whether a reply complains about `response_format`: 400, or 422 from servers that validate requests."""
    complaint = reply.body.lower()
    return reply.status in (400, 422) and (b"response_format" in complaint or b"json_schema" in complaint)


def _text(message: Mapping[str, object]) -> str:
    """Return what a message says: its content (some endpoints send it in parts), or its refusal; empty for neither.

    Raises: KeyError, TypeError or AttributeError for what is no message.
    """
    if not message.keys() & {"content", "refusal", "tool_calls"}:
        raise KeyError
    said = message.get("content")
    if said is None:
        said = message.get("refusal") or ""
    if isinstance(said, list):
        said = "".join(part["text"] for part in said if part.get("type") == "text")
    if not isinstance(said, str):
        raise TypeError
    return said


def _tool_request(call: Mapping[str, object], at: int) -> ToolRequest:
    """Return a tool call; one without id gets its position as such, and arguments may have been sent as an object.

    Raises: TypeError or AttributeError for what is no tool call.
    """
    function = call["function"]
    if not isinstance(function, Mapping):
        raise TypeError
    name, arguments, identity = function["name"], function.get("arguments"), call.get("id")
    if not isinstance(name, str):
        raise TypeError
    if not isinstance(arguments, str):
        arguments = json.dumps({} if arguments is None else arguments)
    known = isinstance(identity, str) and identity
    return ToolRequest(id=str(identity) if known else f"call_{at}", name=name, arguments=arguments)


def _usage(usage: object) -> Usage:
    if not isinstance(usage, Mapping):
        return Usage(calls=1)
    return Usage(
        calls=1,
        input_tokens=count(usage.get("prompt_tokens")),
        output_tokens=count(usage.get("completion_tokens")),
    )


def _cached(usage: object) -> int:
    details = usage.get("prompt_tokens_details") if isinstance(usage, Mapping) else None
    return (count(details.get("cached_tokens")) if isinstance(details, Mapping) else None) or 0
