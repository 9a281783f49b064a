"""Language models behind one port; `openai_compatible` speaks to any such endpoint, `scripted` to nobody."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

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
    """

    text: str
    tool_requests: tuple[ToolRequest, ...] = ()
    finish_reason: str = "stop"
    usage: Usage = Usage()
    model: str = ""
    elapsed_ms: float = 0.0


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


_Count = TypeVar("_Count", int, float)


def total(usages: Iterable[Usage]) -> Usage:
    """Return what several usages come to; a count that one of them does not know is not known (None)."""
    spent = tuple(usages)
    return Usage(
        calls=_sum([usage.calls for usage in spent]),
        input_tokens=_sum([usage.input_tokens for usage in spent]),
        output_tokens=_sum([usage.output_tokens for usage in spent]),
        cost_usd=_sum([usage.cost_usd for usage in spent]),
    )


def _sum(counts: Sequence[_Count | None]) -> _Count | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


PROTOCOLS = Folder("kind of language model", "audition.llm")


class Models:
    """The language models that settings name: aliases (`fast`), and where each provider is to be reached.

    A reference is `PROVIDER:MODEL` (`openai:gpt-4o`) or an alias of one. A provider's `protocol` is the file of this
    folder that speaks to it.
    """

    def __init__(
        self, aliases: Mapping[str, str] | None = None, providers: Mapping[str, Provider] | None = None
    ) -> None:
        self._aliases, self._providers = dict(aliases or {}), dict(providers or {})

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
        opened: LanguageModel = PROTOCOLS.get(provider.protocol).model(provider, model, parameters)
        return opened
