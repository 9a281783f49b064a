"""A language model that says what it was told to say, and asks nobody: in tests, in examples, and where no key is.

    scripted:We open at nine.         always answers that text
    scripted:front_desk/desk.yaml     answers as the script says, a file in the folder of `[service] scripts`

A script holds the answers to the first, second, … message of the user, or answers to what is said:

    turns:
      - reply: Good morning!
      - calls: [{tool: lookup_order, arguments: {id: 7}}]    # first the calls, one after another
        reply: It is on its way.                             # then, with their results there, the reply
    answers:
      - when: refund                                         # a text in what was last said, or several
        system: You are the desk                             # and one in the instruction
        calls: [{tool: transfer_to_agent, arguments: {agent_name: refunds}}]
      - when: clause
        reply: {status: met}                                 # what is no text is said as JSON
    otherwise:
      error: nobody has thought of that                      # or a reply; without it, an error of its own

Case and the kind of quotes do not matter. What is answered depends on the messages alone.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from audition.errors import ModelError
from audition.llm import Completion, JsonSchema, LanguageModel, Message, ToolDefinition, ToolRequest
from audition.llm._scripts import Answer as WrittenAnswer
from audition.llm._scripts import Script, is_script, script_in
from audition.providers import Provider
from audition.text import shorten
from audition.transcript import Usage

Answer = str | Completion | Exception
"""What the model does when asked: a text, a whole completion, or an error that is raised."""

_NOTHING = Usage(calls=1, input_tokens=0, output_tokens=0, cost_usd=0.0)
"""What an answer takes that no model was asked for, where settings say that it costs nothing."""


def model(provider: Provider, name: str, _parameters: Mapping[str, object]) -> LanguageModel:
    """Return a model that always answers its own name, or as the script of that name says.

    Raises: SettingsError for a script that does not exist, LoadError for one with faults.
    """
    usage = _NOTHING if provider.input_usd_per_million == 0 else Usage()
    if is_script(name):
        return _Playing(script_in(provider.folder, name), usage)
    return Scripted(lambda _: Completion(text=name, usage=usage))


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


class _Playing:
    """Answers as a script says."""

    def __init__(self, script: Script, usage: Usage) -> None:
        self._script, self._usage = script, usage

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,  # noqa: ARG002  # a script says what it says
        tools: Sequence[ToolDefinition] = (),  # noqa: ARG002
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the answer to the messages.

        Raises: ModelError when none is written, or an error is, or the model takes longer than it may.
        """
        began = time.perf_counter()
        answer, done = self._script.answer_to(messages)
        if answer is None:
            said = next((one.content for one in reversed(messages) if one.role == "user"), "")
            hint = "write one under answers or otherwise"
            raise ModelError(f"the script {self._script.name!r} has no answer to {shorten(said, 80)!r}", hint=hint)
        await _take(answer.delay_s, timeout_s)
        if answer.error is not None:
            raise ModelError(answer.error)
        elapsed_ms = (time.perf_counter() - began) * 1000
        if done < len(answer.rounds):
            requests = _requests(answer, done, sum(len(one.tool_requests) for one in messages))
            return Completion(
                text="", tool_requests=requests, finish_reason="tool_calls", usage=self._usage, elapsed_ms=elapsed_ms
            )
        return Completion(text=_text(answer.reply), usage=self._usage, elapsed_ms=elapsed_ms)


async def _take(delay_s: float, timeout_s: float | None) -> None:
    """Take the model's time, or all that it may take."""
    await asyncio.sleep(delay_s if timeout_s is None else min(delay_s, timeout_s))
    if timeout_s is not None and delay_s > timeout_s:
        raise ModelError(f"took longer than {timeout_s:g} s", timed_out=True)


def _requests(answer: WrittenAnswer, done: int, earlier: int) -> tuple[ToolRequest, ...]:
    """Return the calls of a round, numbered on from those that were made `earlier`."""
    return tuple(
        ToolRequest(id=f"call_{number}", name=one.tool, arguments=json.dumps(one.arguments, ensure_ascii=False))
        for number, one in enumerate(answer.rounds[done], start=earlier + 1)
    )


def _text(reply: object) -> str:
    if reply is None:
        return ""
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _one_by_one(answers: Iterable[Answer]) -> Callable[[Sequence[Message]], Answer]:
    left = iter(answers)

    def answer(_: Sequence[Message]) -> Answer:
        return next(left, ModelError("the scripted model has no answer left"))

    return answer
