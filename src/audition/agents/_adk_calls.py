"""The calls that an ADK agent makes of its own models: counted against the run's budget, and put on its cassette.

They are held where ADK asks a model, below all callbacks of the agent and its plugins, so that these do the same in a
replay. Requests and responses are ADK's own objects; only `adk.py` knows their types.
"""

import json
import re
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, suppress
from contextvars import ContextVar
from functools import cached_property, wraps
from typing import Any, cast, overload

from audition.agents._adk_events import tokens_of
from audition.agents._adk_watching import WATCHING
from audition.errors import ModelError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, Models, ToolDefinition
from audition.providers import Provider
from audition.transcript import Usage

Asking = Callable[[], AsyncGenerator[Any]]
"""Asks the model itself, and yields its responses."""

_ROLES = {"model": "assistant"}
_NOT_ANSWERED_TO = {"http_options", "labels", "system_instruction"}
"""What of a request's config changes no answer, or stands in a message of its own."""

_PARAMETERS = {"client": "google-adk"}
_KEY = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)\Z", re.IGNORECASE)
"""The names of environment variables from which an agent's models may take what must not be kept."""

_IS_ASKING: ContextVar[bool] = ContextVar("audition_adk_is_asking", default=False)
"""Whether a model is being asked, for models that ask others in turn: that is one call."""

_HELD = "audition_holds"


class ModelCalls:
    """The way to all models of an ADK agent.

    `models` are those of the run, whose budget and cassette hold. `environment`: the variables from which the agent's
    models take their keys, read when a model is first asked. `read` makes a response of ADK's from its JSON.
    """

    def __init__(self, models: Models, environment: Mapping[str, str], read: Callable[[str], Any]) -> None:
        self._models, self._environment, self._read = models, environment, read
        self._held: dict[str, LanguageModel] = {}

    @property
    def recorded(self) -> bool:
        """Say whether there is a cassette."""
        return self._models.recorded

    async def answer(self, model: str, request: "Request") -> tuple[list[Any], Completion]:
        """Return a model's responses, recorded or fresh, and what they came to.

        Raises: ModelError when the budget is spent or nothing is recorded; what the model itself raises.
        """
        held = self._held.get(model)
        if held is None:
            provider, name = self._provider(model)
            own = _Asked(self._models.recorded)
            held = self._held[model] = self._models.hold(own, provider, name, _PARAMETERS)
        completion = await held.complete(request)
        return (self._responses(completion.text) if completion.replayed else request.responses), completion

    def _provider(self, model: str) -> tuple[Provider, str]:
        """Return who serves a model, as far as its name tells, and what it is called there.

        Public prices are looked up for Gemini alone: who is really asked for others nobody knows.
        """
        named, slash, name = model.partition("/")
        if not slash:
            named, name = "google" if model.startswith("gemini") else "adk", model
        known = self._models.provider(named)
        return (
            Provider(
                name=named,
                headers={key: value for key, value in self._environment.items() if _KEY.search(key)},
                input_usd_per_million=known.input_usd_per_million if known else None,
                output_usd_per_million=known.output_usd_per_million if known else None,
            ),
            name,
        )

    def _responses(self, text: str) -> list[Any]:
        """Return recorded responses. Raises: ModelError for what are none."""
        try:
            return [self._read(json.dumps(response)) for response in json.loads(text)]
        except (ValueError, TypeError) as error:
            problem = f"a recorded answer of an ADK agent's model is damaged ({type(error).__name__})"
            raise ModelError(problem, hint="record it again") from None


class Request(Sequence[Message]):
    """A request of ADK's as messages, made only when somebody reads them; `responses` are there once it was asked."""

    def __init__(self, request: Any, ask: Asking, *, stream: bool) -> None:
        self.responses: list[Any] = []
        self._request, self._ask, self._stream = request, ask, stream

    async def ask(self) -> None:
        """Ask the model, and keep its responses."""
        asking = _IS_ASKING.set(True)
        try:
            async with aclosing(self._ask()) as responses:
                self.responses = [response async for response in responses]
        finally:
            _IS_ASKING.reset(asking)

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        return self._messages[index]

    def __len__(self) -> int:
        return len(self._messages)

    @cached_property
    def _messages(self) -> tuple[Message, ...]:
        return tuple(_messages(self._request, stream=self._stream))


class _Asked:
    """An ADK agent's model as a language model of ours; `kept`: its answer is to be written down word for word."""

    def __init__(self, kept: bool) -> None:
        self._kept = kept

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,  # noqa: ARG002  # these three are part of ADK's request
        tools: Sequence[ToolDefinition] = (),  # noqa: ARG002
        timeout_s: float | None = None,  # noqa: ARG002
    ) -> Completion:
        request = cast(Request, messages)
        await request.ask()
        return _completion(request.responses, kept=self._kept)


def hold_model(agent: Any) -> None:
    """Have the model of an agent asked through the calls of the trial under way, when there are any.

    All models of its class are, from then on: ADK makes models by name whenever it likes. Outside of such trials they
    do as before.
    """
    watch = WATCHING.get(None)
    if watch is None or watch.calls is None:
        return
    with suppress(ValueError, ImportError):  # a model that cannot be made: ADK says so itself when it is to be asked
        kind = type(agent.canonical_model)
        if not hasattr(kind.generate_content_async, _HELD):
            kind.generate_content_async = _holding(kind.generate_content_async)


def hold_hidden(agent: Any) -> None:
    """Have an agent hold its model by itself; for those that run without their caller's plugins."""
    if not any(hasattr(callback, _HELD) for callback in agent.canonical_before_model_callbacks):

        def hold(callback_context: Any, llm_request: Any) -> None:  # noqa: ARG001  # ADK's
            hold_model(agent)

        setattr(hold, _HELD, True)
        agent.before_model_callback = [hold, *agent.canonical_before_model_callbacks]


def _holding(ask: Callable[..., AsyncGenerator[Any]]) -> Callable[..., AsyncGenerator[Any]]:
    @wraps(ask)
    async def held(self: Any, llm_request: Any, stream: bool = False) -> AsyncGenerator[Any]:
        watch = WATCHING.get(None)
        calls = None if watch is None or _IS_ASKING.get() else watch.calls
        if watch is None or calls is None:
            async with aclosing(ask(self, llm_request, stream)) as plain:
                async for response in plain:
                    yield response
            return
        request = Request(llm_request, lambda: ask(self, llm_request, stream), stream=stream)
        try:
            responses, completion = await calls.answer(llm_request.model or self.model, request)
        except ModelError as error:
            watch.undecided = watch.undecided or error  # whatever the agent makes of it
            raise
        watch.notes.paid(completion.usage.cost_usd, replayed=completion.replayed)
        for response in responses:
            yield response

    setattr(held, _HELD, True)
    return held


def _completion(responses: Sequence[Any], *, kept: bool) -> Completion:
    last = next((one for one in reversed(responses) if one.usage_metadata), None)
    taken, given = tokens_of(last.usage_metadata) if last else (None, None)
    return Completion(
        text=f"[{','.join(map(_dumped, responses))}]" if kept else "",
        usage=Usage(calls=1, input_tokens=taken, output_tokens=given),
        model=next((one.model_version for one in responses if one.model_version), ""),
        cached_tokens=(last.usage_metadata.cached_content_token_count or 0) if last else 0,
    )


def _dumped(response: Any) -> str:
    return cast(str, response.model_dump_json(exclude_none=True, fallback=str))


def _messages(request: Any, *, stream: bool) -> Iterator[Message]:
    """Yield all of a request that its answer depends on: system instruction, config with tools, conversation."""
    numbers: dict[str, str] = {}
    system = request.config.system_instruction
    if system:
        yield Message(role="system", content=system if isinstance(system, str) else _written(system, numbers))
    config = request.config.model_dump(
        mode="json", exclude_none=True, exclude=_NOT_ANSWERED_TO, fallback=_schema_or_name
    )
    config |= {"stream": True} if stream else {}
    if request.previous_interaction_id:
        config["previous_interaction_id"] = request.previous_interaction_id
    if config:
        yield Message(role="system", content=json.dumps(config, indent=1, sort_keys=True, ensure_ascii=False))
    for content in request.contents:
        yield Message(role=cast(Any, _ROLES.get(content.role, "user")), content=_written(content, numbers))


def _written(content: Any, numbers: dict[str, str]) -> str:
    """Return the parts of a content as JSON, or as plain text where they are one; ids are numbered, as ADK makes some.

    `numbers` holds those of the request so far.
    """
    if not hasattr(content, "parts"):
        return json.dumps(content, default=str, ensure_ascii=False)
    parts = [part.model_dump(mode="json", exclude_none=True, fallback=str) for part in content.parts or ()]
    for part in parts:
        for told in (part.get("function_call"), part.get("function_response")):
            if told and told.get("id"):
                told["id"] = numbers.setdefault(told["id"], f"call {len(numbers) + 1}")
    if len(parts) == 1 and parts[0].keys() == {"text"}:
        return cast(str, parts[0]["text"])
    return json.dumps(parts, indent=1, sort_keys=True, ensure_ascii=False)


def _schema_or_name(value: object) -> object:
    """Return what stands in a config for what is no JSON: the schema of a class that has one, else its name."""
    if isinstance(value, type) and hasattr(value, "model_json_schema"):
        return value.model_json_schema()
    return getattr(value, "__qualname__", type(value).__qualname__)
