"""Models of Google, Anthropic and Amazon Bedrock, through the model layer of pydantic-ai: the only file that knows it.

It takes the extras `google`, `anthropic` and `bedrock`, and is imported when such a model is opened.
"""

import asyncio
import importlib
import json
import random as chance
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from audition.errors import MissingExtra, ModelError, SettingsError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition, ToolRequest
from audition.llm._bedrock import client_of, may_be_given_up
from audition.llm._persisting import Broken, GaveUp, HttpReply, Persistence
from audition.providers import Provider, is_loopback
from audition.text import shorten
from audition.transcript import Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, ModelRequestPart, ModelResponse
    from pydantic_ai.models import Model, ModelRequestParameters

_REPLY = "final_reply"
"""What the schema of an answer is called, and the tool by which one is given."""

_SETTINGS = ("temperature", "max_tokens", "seed")


def model(provider: Provider, name: str, parameters: Mapping[str, object]) -> LanguageModel:
    """Return the model of that name at `google`, `anthropic` or `bedrock`; `parameters` go with every request.

    Raises: SettingsError for another provider, MissingExtra when its package is not installed.
    """
    make = _MAKERS.get(provider.name)
    if make is None:
        hint = 'others are reached with protocol = "openai_compatible" and their base_url'
        message = f"the protocol pydantic_ai is for the providers {', '.join(_MAKERS)}, not {provider.name!r}"
        raise SettingsError(message, key=f"providers.{provider.name}.protocol", hint=hint)
    try:
        importlib.import_module(f"pydantic_ai.models.{provider.name}")
    except ImportError:
        raise MissingExtra(provider.name, needed_for=f"{provider.name}:{name}") from None
    return Foreign(lambda: make(provider, name), provider, parameters)


class Foreign:
    """A model of another kind; `make` makes it, once for each running loop, since its connections belong to one.

    `sleep`, `random` (0..1) and `clock` (seconds) are for tests.
    """

    def __init__(
        self,
        make: "Callable[[], Model[Any]]",
        provider: Provider,
        parameters: Mapping[str, object],
        *,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        random: Callable[[], float] = chance.random,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make, self._provider = make, provider
        self._settings = {key: parameters[key] for key in _SETTINGS if parameters.get(key) is not None}
        self._models: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[Model[Any], AsyncGenerator[Model[Any]]]] = (
            WeakKeyDictionary()
        )
        self._opening: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._persistence = Persistence(provider.attempts, sleep=sleep, random=random, now=time.time, clock=clock)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the model's answer. A schema goes the provider's own way, else as a tool, else in words.

        Raises: ModelError when no answer is to be had.
        """
        self._check_access()
        asked = _Request(await self._model(), messages, schema, tools, self._provider, self._settings)
        limit_s = self._provider.timeout_s if timeout_s is None else timeout_s
        try:
            reply = await self._persistence.persist(lambda attempt: asked.make(attempt, limit_s), repeatable=True)
        except GaveUp as error:
            raise self._given_up(error) from None
        if asked.answer is None:
            raise self._refused(reply)
        return _completion(asked.answer, reply.elapsed_ms)

    async def _model(self) -> "Model[Any]":
        from pydantic_ai.exceptions import UserError

        loop = asyncio.get_running_loop()
        async with self._opening.setdefault(loop, asyncio.Lock()):  # one is enough, whoever asks meanwhile
            if loop not in self._models:
                try:
                    # In a thread: boto3 takes half a second, and others are being timed on this loop.
                    made = await asyncio.to_thread(self._make)
                except UserError as error:
                    raise ModelError(f"{self._provider.name}: {self._excerpt(str(error))}") from error
                keeper = _open(made)
                await anext(keeper)
                self._models[loop] = made, keeper
        return self._models[loop][0]

    def _check_access(self) -> None:
        provider = self._provider
        if provider.offline and not is_loopback(urlsplit(provider.base_url).hostname or ""):
            raise ModelError(f"offline: refused to ask {provider.name}")
        if provider.api_key_env and not provider.api_key:
            message = f"no API key for the provider {provider.name!r}: {provider.api_key_env} is not set"
            raise ModelError(message, hint=f"set {provider.api_key_env}")

    def _given_up(self, error: GaveUp) -> ModelError:
        after = f" (after {error.attempts} attempts)" if error.attempts > 1 else ""
        if error.reply is not None:
            said = f"answered {error.reply.status}{after}: {self._excerpt(error.reply.body.decode())}"
            return ModelError(f"{self._provider.name} {said}", status=error.reply.status, attempts=error.attempts)
        why = self._excerpt(error.broken.why if error.broken else "")
        timed_out = error.broken is not None and error.broken.timed_out
        return ModelError(f"{self._provider.name}: {why}{after}", attempts=error.attempts, timed_out=timed_out)

    def _refused(self, reply: HttpReply) -> ModelError:
        message = f"{self._provider.name} answered {reply.status}: {self._excerpt(reply.body.decode())}"
        key = f"check the key, and [providers.{self._provider.name}] api_key_env"
        if self._provider.name == "bedrock" and not self._provider.api_key:
            key = "check the AWS keys, and whether they may use this model in this region"
        hints = {404: "check the model's name"} | dict.fromkeys((401, 403), key)
        return ModelError(message, status=reply.status, attempts=reply.attempts, hint=hints.get(reply.status))

    def _excerpt(self, said: str) -> str:
        key = self._provider.api_key
        return shorten(" ".join((said.replace(key, "***") if key else said).split())) or "(nothing)"


async def _open(model: "Model[Any]") -> "AsyncGenerator[Model[Any]]":
    """Yield a model with its connections until the loop ends: a loop closes the generators begun in it."""
    async with model:
        yield model


class _Request:
    """One request; `answer` is what came of the last attempt, None when it was refused."""

    def __init__(
        self,
        model: "Model[Any]",
        messages: Sequence[Message],
        schema: JsonSchema | None,
        tools: Sequence[ToolDefinition],
        provider: Provider,
        settings: Mapping[str, object],
    ) -> None:
        self._model, self._messages = model, list(_messages(messages))
        self._parameters = _parameters(model, schema, tools)
        self._settings: Any = dict(settings)
        if provider.headers:
            self._settings["extra_headers"] = dict(provider.headers)
        if provider.name == "anthropic":
            self._settings["max_retries"] = 0  # asking again is for us
        self._takes_limit = provider.name != "bedrock"
        self.answer: ModelResponse | None = None

    def _limit(self, limit_s: float) -> Mapping[str, float]:
        """Return a call's limit as a setting: Anthropic's client refuses what might take long unless it knows one."""
        return {"timeout": limit_s} if self._takes_limit else {}

    async def make(self, attempt: int, limit_s: float) -> HttpReply:
        """Make an attempt; the reply holds its status, its time and, for a refusal, what was said."""
        from pydantic_ai.direct import model_request
        from pydantic_ai.exceptions import AgentRunError, ModelConnectionError, ModelHTTPError, UserError

        self.answer, started = None, time.perf_counter()
        status, body, headers = 200, "", dict[str, str]()
        try:
            async with asyncio.timeout(limit_s):
                with may_be_given_up():
                    self.answer = await model_request(
                        self._model,
                        self._messages,
                        model_settings=self._settings | self._limit(limit_s),
                        model_request_parameters=self._parameters,
                    )
        except TimeoutError:
            raise Broken(f"took longer than {limit_s:g} s", at_most=1, timed_out=True) from None
        except ModelHTTPError as error:
            status, body = error.status_code, _said(error.body or error.message)
            headers = {name.title(): value for name, value in (error.headers or {}).items()}
        except ModelConnectionError as error:
            raise Broken(str(error)) from None
        except (AgentRunError, UserError) as error:
            raise Broken(str(error), at_most=1) from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # Clients that take what a server sends for what it should be break on anything else.
            raise Broken(f"sent a reply that cannot be read ({type(error).__name__})", at_most=1) from error
        return HttpReply(status, body.encode(), (time.perf_counter() - started) * 1000, attempt, headers)


def _parameters(
    model: "Model[Any]", schema: JsonSchema | None, tools: Sequence[ToolDefinition]
) -> "ModelRequestParameters":
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition as Tool

    offered = [
        Tool(name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters))
        for tool in tools
    ]
    if schema is None:
        return ModelRequestParameters(function_tools=offered)
    wanted = OutputObjectDefinition(json_schema=dict(schema), name=_REPLY, strict=True)
    if model.profile.get("supports_json_schema_output"):
        return ModelRequestParameters(function_tools=offered, output_mode="native", output_object=wanted)
    if model.profile.get("supports_tools"):
        reply = Tool(name=_REPLY, description="Gives the reply.", parameters_json_schema=dict(schema), kind="output")
        return ModelRequestParameters(
            function_tools=offered, output_mode="tool", output_tools=[reply], allow_text_output=False
        )
    return ModelRequestParameters(function_tools=offered, output_mode="prompted", output_object=wanted)


def _messages(messages: Sequence[Message]) -> "Iterator[ModelMessage]":
    """Yield messages as pydantic-ai has them: all that is said to the model between two answers is one request."""
    from pydantic_ai import messages as theirs

    names = {asked.id: asked.name for message in messages for asked in message.tool_requests}
    parts: list[ModelRequestPart] = []
    for message in messages:
        match message.role:
            case "system":
                parts.append(theirs.SystemPromptPart(message.content))
            case "user":
                parts.append(theirs.UserPromptPart(message.content))
            case "tool":
                identity = message.tool_call_id or ""
                name = names.get(identity, "tool")
                parts.append(theirs.ToolReturnPart(name, message.content, tool_call_id=identity))
            case "assistant":
                yield theirs.ModelRequest(parts=parts)
                parts = []
                said = [theirs.TextPart(message.content)] if message.content else []
                calls = [theirs.ToolCallPart(one.name, one.arguments, one.id) for one in message.tool_requests]
                yield theirs.ModelResponse(parts=[*said, *calls])
    yield theirs.ModelRequest(parts=parts)


def _completion(answer: "ModelResponse", elapsed_ms: float) -> Completion:
    calls = [call for call in answer.tool_calls if call.tool_name != _REPLY]
    structured = [call.args_as_json_str() for call in answer.tool_calls if call.tool_name == _REPLY]
    reason = "tool_calls" if calls else answer.finish_reason or ""
    taken = answer.usage
    known = taken.has_values()
    return Completion(
        text=structured[-1] if structured else answer.text or "",
        tool_requests=tuple(
            ToolRequest(id=call.tool_call_id, name=call.tool_name, arguments=_arguments(call.args)) for call in calls
        ),
        finish_reason="stop" if reason == "tool_call" else reason,
        usage=Usage(
            calls=1,
            input_tokens=taken.input_tokens if known else None,
            output_tokens=taken.output_tokens if known else None,
        ),
        model=answer.model_name or "",
        elapsed_ms=elapsed_ms,
        cached_tokens=taken.cache_read_tokens,
    )


def _said(body: object) -> str:
    """Return what an error says; AWS's is an object that holds all of the reply besides."""
    error = body.get("Error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return str(body)
    return ": ".join(str(error[key]) for key in ("Code", "Message") if error.get(key)) or str(body)


def _arguments(args: object) -> str:
    return args if isinstance(args, str) else json.dumps(args or {}, ensure_ascii=False)


def _google(provider: Provider, name: str) -> "Model[Any]":
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    key = provider.api_key or "none"  # none is refused before it is sent
    return GoogleModel(name, provider=GoogleProvider(api_key=key, base_url=provider.base_url or None))


def _anthropic(provider: Provider, name: str) -> "Model[Any]":
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    key = provider.api_key or "none"
    return AnthropicModel(name, provider=AnthropicProvider(api_key=key, base_url=provider.base_url or None))


def _bedrock(provider: Provider, name: str) -> "Model[Any]":
    from pydantic_ai.models.bedrock import BedrockConverseModel
    from pydantic_ai.providers.bedrock import BedrockProvider

    client: Any = client_of(provider)
    return BedrockConverseModel(name, provider=BedrockProvider(bedrock_client=client))


_MAKERS: Mapping[str, "Callable[[Provider, str], Model[Any]]"] = {
    "google": _google,
    "anthropic": _anthropic,
    "bedrock": _bedrock,
}
