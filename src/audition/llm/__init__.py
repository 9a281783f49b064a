"""Language models behind one port; `openai_compatible` speaks to any such endpoint, `scripted` to nobody."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from audition.errors import SettingsError
from audition.providers import Provider
from audition.registry import Folder
from audition.transcript import Usage

JsonSchema = Mapping[str, object]
"""A JSON Schema, as data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool offered to a model; `parameters` is the JSON Schema of its arguments."""

    name: str
    description: str = ""
    parameters: JsonSchema = field(default_factory=lambda: {"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A tool call a model asks for; `arguments` is its text as the model wrote it, JSON or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message to or from a model. `tool_call_id` belongs to role `tool`, `tool_requests` to role `assistant`."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_requests: tuple[ToolRequest, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer. `elapsed_ms` is the time of the attempt that succeeded, without waits and retries before it.

    `finish_reason` is the provider's word: `stop`, `length`, `tool_calls`, `content_filter` …, empty without one.
    `cached_tokens`: how many of the input tokens came from the provider's cache, which costs less. `replayed`: it was
    recorded earlier, so `elapsed_ms` says nothing.
    """

    text: str
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = Usage()
    model: str = ""
    elapsed_ms: float = 0.0
    cached_tokens: int = 0
    replayed: bool = False


class LanguageModel(Protocol):
    """A language model."""

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the model's answer; with `schema`, its text is asked to be JSON of that schema (and may still not be).

        `timeout_s`: longest time the answer itself may take, seconds, without waits and retries before it; None: the
        provider's.

        Raises: ModelError when no answer is to be had.
        """
        ...


Around = Callable[[LanguageModel, Provider, str, Mapping[str, object]], LanguageModel]
"""What is put around a model that is opened: it gets the model, its provider, its name there, and its parameters."""


PROTOCOLS = Folder("kind of language model", "audition.llm")


class Models:
    """The language models that settings name: aliases (`fast`), and where each provider is to be reached.

    A reference is `PROVIDER:MODEL` (`openai:gpt-4o`) or an alias of one. A provider's `protocol` is the file of this
    folder that speaks to it. `around` is put around every model, the first innermost; `recorded`: a cassette is part of
    it, so that requests are looked at word for word.
    """

    def __init__(
        self,
        aliases: Mapping[str, str] | None = None,
        providers: Mapping[str, Provider] | None = None,
        *,
        around: Sequence[Around] = (),
        recorded: bool = False,
    ) -> None:
        self._aliases, self._providers = dict(aliases or {}), dict(providers or {})
        self._around, self.recorded = tuple(around), recorded

    def resolve(self, reference: str) -> tuple[Provider, str]:
        """Return the provider and the model's name at it.

        Raises: SettingsError for an alias or a provider that the settings do not name.
        """
        named = self._aliases.get(reference, reference)
        name, colon, model = named.partition(":")
        if not colon or not model:
            hint = f"write PROVIDER:MODEL, or set [models] {reference} in audition.toml"
            raise SettingsError(f"{reference!r} names no language model", key="models", hint=hint)
        if name not in self._providers:
            hint = f"there are: {', '.join(sorted(self._providers))}; set [providers.{name}] base_url in audition.toml"
            raise SettingsError(f"no provider called {name!r}", key="providers", hint=hint)
        return self._providers[name], model

    def open(self, reference: str, **parameters: object) -> "LanguageModel":
        """Return the language model; `parameters` (`temperature`, `max_tokens` …) go with every request."""
        provider, model = self.resolve(reference)
        return self.hold(
            PROTOCOLS.get(provider.protocol).model(provider, model, parameters), provider, model, parameters
        )

    def hold(
        self, model: "LanguageModel", provider: Provider, name: str, parameters: Mapping[str, object]
    ) -> "LanguageModel":
        """Return a model that somebody else has opened, with the same around it as these have."""
        for around in self._around:
            model = around(model, provider, name, parameters)
        return model

    def provider(self, name: str) -> Provider | None:
        """Return what settings say of a provider, None when they do not know it."""
        return self._providers.get(name)
