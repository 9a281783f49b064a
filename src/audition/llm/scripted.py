"""A language model that says what it was told to say: the public fake, which asks nobody."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from audition.errors import ModelError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition
from audition.providers import Provider

Answer = str | Completion | Exception
"""What the model does when asked: a text, a whole completion, or an error that is raised."""


def model(_provider: Provider, name: str, _parameters: Mapping[str, object]) -> LanguageModel:
    """Return a model that always answers its own name: `scripted:hello` says `hello`."""
    return Scripted(lambda _: name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the model was asked."""

    messages: tuple[Message, ...]
    schema: JsonSchema | None
    tools: tuple[ToolDefinition, ...]
    timeout_s: float | None


class Scripted:
    """Gives prepared answers, one a request, or those that a function makes of the messages.

        model = Scripted(["Hello!", ModelError("down", status=503)])

    `requests` holds what it was asked, in order.
    """

    def __init__(self, answers: Iterable[Answer] | Callable[[Sequence[Message]], Answer]) -> None:
        self.requests: list[Request] = []
        self._answer = answers if callable(answers) else _one_by_one(answers)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the next answer, or raise it.

        Raises: ModelError when there is none left.
        """
        asked = Request(messages=tuple(messages), schema=schema, tools=tuple(tools), timeout_s=timeout_s)
        self.requests.append(asked)
        answer = self._answer(asked.messages)
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=answer) if isinstance(answer, str) else answer


def _one_by_one(answers: Iterable[Answer]) -> Callable[[Sequence[Message]], Answer]:
    left = iter(answers)

    def answer(_: Sequence[Message]) -> Answer:
        return next(left, ModelError("the scripted model has no answer left"))

    return answer
