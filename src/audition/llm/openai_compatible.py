"""Any endpoint that speaks OpenAI's chat completions. Source: OpenAI API reference, "Create chat completion"."""

import json
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit, urlunsplit

from audition.errors import ModelError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition, ToolRequest
from audition.llm.transport import HttpReply, Transport, TransportError
from audition.providers import Provider
from audition.text import shorten
from audition.transcript import Usage

_PATH = "/chat/completions"


def model(provider: Provider, name: str, parameters: Mapping[str, object]) -> LanguageModel:
    """Return the model of that name at a provider; `parameters` go with every request, those that are None left out."""
    return ChatCompletions(provider, name, parameters)


class ChatCompletions:
    """A model behind a chat-completions endpoint. Its connections close with the running loop."""

    def __init__(self, provider: Provider, name: str, parameters: Mapping[str, object]) -> None:
        self._provider = provider
        self._fixed = {key: value for key, value in parameters.items() if value is not None} | {"model": name}
        self._url = _endpoint(provider.base_url)
        self._takes_schemas = True
        has_own_key = any(header.lower() in ("authorization", "api-key") for header in provider.headers)
        key = {"Authorization": f"Bearer {provider.api_key}"} if provider.api_key and not has_own_key else {}
        self._lacks_key = bool(provider.api_key_env) and not provider.api_key and not has_own_key
        self._transport = Transport(
            timeout_s=provider.timeout_s, attempts=provider.attempts, headers={**key, **provider.headers}
        )

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
        self._check_access()
        body: dict[str, object] = {**self._fixed, "messages": [_message(message) for message in messages]}
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        if schema is None or not self._takes_schemas:
            return self._read(await self._post(body, timeout_s))
        structured = body | {"response_format": _response_format(schema)}
        reply = await self._post(structured, timeout_s)
        if _refuses_schemas(reply):
            self._takes_schemas = False
            reply = await self._post(body, timeout_s)
        return self._read(reply)

    def _check_access(self) -> None:
        provider = self._provider
        if not provider.base_url:
            hint = f"set [providers.{provider.name}] base_url in audition.toml"
            raise ModelError(f"the provider {provider.name!r} has no base_url", hint=hint)
        if self._lacks_key:
            raise ModelError(
                f"no API key for the provider {provider.name!r}: {provider.api_key_env} is not set",
                hint=f"set {provider.api_key_env}, or name another variable with "
                f"[providers.{provider.name}] api_key_env in audition.toml",
            )

    async def _post(self, body: Mapping[str, object], timeout_s: float | None) -> HttpReply:
        try:
            return await self._transport.post_json(self._url, body, timeout_s=timeout_s)
        except TransportError as error:
            said = self._excerpt(error.body)
            raise ModelError(
                f"{self._provider.name}: {error.message}{f': {said}' if said else ''}",
                status=error.status,
                attempts=error.attempts,
                timed_out=error.timed_out,
            ) from None

    def _read(self, reply: HttpReply) -> Completion:
        """Return the completion in a reply; what was left out of it is not known, what is wrong with it is an error."""
        if not 200 <= reply.status < 300:
            raise self._refused(reply)
        try:
            answer = json.loads(reply.body)
            choice = answer["choices"][0]
            message = choice["message"]
            text = _text(message)
            requests = [_tool_request(call, at) for at, call in enumerate(message.get("tool_calls") or ())]
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            raise self._unreadable(reply) from None
        finish_reason, served = choice.get("finish_reason"), answer.get("model")
        return Completion(
            text=text,
            tool_requests=tuple(requests),
            finish_reason=finish_reason if isinstance(finish_reason, str) else "",
            usage=_usage(answer.get("usage")),
            model=served if isinstance(served, str) else str(self._fixed["model"]),
            elapsed_ms=reply.elapsed_ms,
        )

    def _refused(self, reply: HttpReply) -> ModelError:
        message = f"{self._provider.name} answered {reply.status}: {self._excerpt(reply.body) or '(nothing)'}"
        hint = None
        if reply.status in (401, 403):
            key = self._provider.api_key_env or f"[providers.{self._provider.name}] api_key_env"
            hint = f"check the key in {key}"
        elif reply.status == 404:
            hint = f"check the model's name, and [providers.{self._provider.name}] base_url in audition.toml"
        return ModelError(message, status=reply.status, attempts=reply.attempts, hint=hint)

    def _unreadable(self, reply: HttpReply) -> ModelError:
        said = self._excerpt(reply.body) or "(nothing)"
        message = f"{self._provider.name} answered {reply.status} with something that is no chat completion: {said}"
        return ModelError(message, status=reply.status, attempts=reply.attempts)

    def _excerpt(self, body: bytes) -> str:
        """Return the beginning of a reply for a message: the provider's own words when it has any, keys left out."""
        text = _own_words(body) or body[:2000].decode("utf-8", "replace")
        for secret in (self._provider.api_key, *self._provider.headers.values()):
            if secret:
                text = text.replace(secret, "***")
        return shorten(" ".join(text.split()))


def _endpoint(base_url: str) -> str:
    """Return where completions are asked for; `base_url` may end in a slash, hold a query, or be that very place."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return base_url  # the transport says what is wrong with it
    path = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=path if path.endswith(_PATH) else path + _PATH))


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
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _own_words(body: bytes) -> str | None:
    """Return the message of a provider's error reply, None when it is none."""
    try:
        error = json.loads(body)["error"]
        message = error["message"] if isinstance(error, Mapping) else error
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return message if isinstance(message, str) else None
