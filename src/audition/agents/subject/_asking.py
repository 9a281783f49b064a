"""A language model of ours, as ADK asks models: its requests are made into messages, our answers into its responses.

All calls go the way of every other: through limits, budgets and cassettes. A call that cannot be made ends the turn.
"""

import json
import time
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

from google.adk.models import BaseLlm, LlmCapabilities
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

from audition.agents._adk_watching import WATCHING
from audition.agents.subject._course import Course
from audition.agents.subject._tool_modes import MALFORMED
from audition.errors import ModelError
from audition.llm import Completion, LanguageModel, Message, ToolDefinition, ToolRequest

_FINISH = {
    "stop": types.FinishReason.STOP,
    "tool_calls": types.FinishReason.STOP,
    "length": types.FinishReason.MAX_TOKENS,
    "content_filter": types.FinishReason.SAFETY,
}


class Asking(BaseLlm):
    """Asks a language model of ours for an agent of ADK's.

    `model` names it. `exactly` is the system prompt in place of what ADK makes of the agent's instruction, None for
    that. `course` is that of the one conversation it is used in.
    """

    port: Any
    course: Any
    exactly: str | None = None

    @property
    def capabilities(self) -> LlmCapabilities:
        """Return what ADK may ask of it beyond text and tools: nothing."""
        return LlmCapabilities()

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002  # ADK's; an answer comes in one piece
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the model's answer.

        Raises: Stopped when there is none, or no more may be asked for in this turn.
        """
        course: Course = self.course
        course.step()
        messages = list(_messages(llm_request, self.exactly, course))
        completion = await _completed(self.port, messages, tuple(_definitions(llm_request)), course)
        if watch := WATCHING.get(None):
            watch.notes.paid(completion.usage.cost_usd, replayed=completion.replayed)
        yield _response(completion, self.model, course)


async def _completed(
    model: LanguageModel, messages: list[Message], tools: tuple[ToolDefinition, ...], course: Course
) -> Completion:
    """Return a model's answer; what was waited for it is not the turn's time.

    Raises: Stopped when it gave none.
    """
    limit_s = course.left_s()
    began = time.perf_counter()
    try:
        completion = await model.complete(messages, tools=tools, timeout_s=limit_s)
    except ModelError as error:
        raise (course.late() if error.timed_out else course.stop(str(error), by_agent=False)) from error
    waited_s = time.perf_counter() - began - completion.elapsed_ms / 1000
    course.waited(waited_s)
    if watch := WATCHING.get(None):
        watch.notes.waited(waited_s)
    return completion


def _messages(request: LlmRequest, exactly: str | None, course: Course) -> Iterator[Message]:
    """Yield what ADK wants to be said: the instruction, then the conversation.

    Raises: Stopped for parts that are neither text nor tools.
    """
    system = request.config.system_instruction if exactly is None else exactly
    if system:
        yield Message(role="system", content=system if isinstance(system, str) else _text_of_any(system))
    for content in request.contents:
        parts = content.parts or []
        for part in parts:
            if not (part.text is not None or part.function_call or part.function_response):
                raise course.stop("only text can be said to this model", by_agent=False)
        text = "\n".join(part.text for part in parts if part.text and not part.thought)
        if content.role == "model":
            yield Message(role="assistant", content=text, tool_requests=tuple(map(_asked, _calls(parts))))
            continue
        for part in parts:
            if (answer := part.function_response) is not None:
                yield Message(role="tool", content=_as_json(answer.response), tool_call_id=answer.id)
        if text:
            yield Message(role="user", content=text)


def _calls(parts: list[types.Part]) -> Iterator[types.FunctionCall]:
    yield from (part.function_call for part in parts if part.function_call)


def _asked(call: types.FunctionCall) -> ToolRequest:
    """Return a call as it may be sent back: endpoints refuse a history whose arguments are no JSON."""
    arguments = {} if MALFORMED in (call.args or {}) else call.args
    return ToolRequest(id=call.id or "", name=call.name or "", arguments=_as_json(arguments or {}))


def _definitions(request: LlmRequest) -> Iterator[ToolDefinition]:
    for tool in request.config.tools or ():
        for one in (tool.function_declarations or ()) if isinstance(tool, types.Tool) else ():
            definition = ToolDefinition(name=one.name or "", description=one.description or "")
            schema = one.parameters_json_schema
            if schema is None and one.parameters is not None:
                schema = one.parameters.json_schema.model_dump(mode="json", exclude_none=True)
            yield ToolDefinition(
                name=definition.name, description=definition.description, parameters=schema or definition.parameters
            )


def _response(completion: Completion, model: str, course: Course) -> LlmResponse:
    parts = [types.Part(text=completion.text)] if completion.text.strip() else []
    for request in completion.tool_requests:
        call = types.FunctionCall(id=course.own_id(request.id), name=request.name, args=_arguments(request.arguments))
        parts.append(types.Part(function_call=call))
    version = completion.model or model
    if not parts and completion.finish_reason == "content_filter":
        withheld = "a content filter withheld it"
        usage = _usage(completion)
        return LlmResponse(error_code="SAFETY", error_message=withheld, model_version=version, usage_metadata=usage)
    return LlmResponse(
        content=types.Content(role="model", parts=parts or [types.Part(text="")]),
        # To ADK, an answer that ends well with nothing in it is an error of the model's. Silence is none.
        finish_reason=_FINISH.get(completion.finish_reason) if parts else None,
        model_version=version,
        usage_metadata=_usage(completion),
    )


def _usage(completion: Completion) -> types.GenerateContentResponseUsageMetadata | None:
    usage = completion.usage
    if usage.input_tokens is None and usage.output_tokens is None:
        return None
    return types.GenerateContentResponseUsageMetadata(
        prompt_token_count=usage.input_tokens,
        candidates_token_count=usage.output_tokens,
        total_token_count=(usage.input_tokens or 0) + (usage.output_tokens or 0),
        cached_content_token_count=completion.cached_tokens or None,
    )


def _arguments(text: str) -> dict[str, Any]:
    """Return the arguments that a model wrote; those that are no JSON object stand under the name `MALFORMED`."""
    try:
        arguments = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        arguments = None
    return arguments if isinstance(arguments, dict) else {MALFORMED: text}


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def _text_of_any(content: Any) -> str:
    """Return the text of an instruction that is not plain."""
    return "\n".join(part.text for part in getattr(content, "parts", None) or () if part.text)


def _as_json(value: Mapping[str, object] | None) -> str:
    return json.dumps(value or {}, ensure_ascii=False, default=str)
