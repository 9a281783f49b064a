"""A model for ADK agents that does what a test says, at ADK's public seam for models."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

from google.adk.models import BaseLlm, LlmCapabilities, LlmRequest, LlmResponse
from google.genai import types

Answer = Callable[[LlmRequest], object]
"""What a model does with a request: see `Model`."""


class Model(BaseLlm):
    """A model that answers with what `answer` returns.

    A text; a part or a list of parts; a response, or a list of responses to be streamed; an error is raised.
    """

    model: str = "scripted"
    answer: Answer

    @property
    def capabilities(self) -> LlmCapabilities:
        return LlmCapabilities()

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        await asyncio.sleep(0)
        answer = self.answer(llm_request)
        if asyncio.iscoroutine(answer):
            answer = await answer
        if isinstance(answer, Exception):
            raise answer
        for response in responses(answer):
            yield response


def responses(answer: object) -> list[LlmResponse]:
    """Return what an answer is to ADK."""
    if isinstance(answer, LlmResponse):
        return [answer]
    if isinstance(answer, list) and answer and isinstance(answer[0], LlmResponse):
        return answer
    if isinstance(answer, str):
        answer = types.Part(text=answer)
    parts = [answer] if isinstance(answer, types.Part) else answer
    return [response(parts)]


def response(parts: Any, **more: Any) -> LlmResponse:
    """Return a response of a model; `more` are fields of it."""
    return LlmResponse(content=types.Content(role="model", parts=parts), **more)


def call(name: str, **args: Any) -> types.Part:
    """Return the part that asks for a tool."""
    return types.Part(function_call=types.FunctionCall(name=name, args=args))


def in_turn(*answers: object) -> Answer:
    """Return what gives these answers one after another."""
    left = iter(answers)
    return lambda request: next(left)


def last(request: LlmRequest) -> types.Part:
    """Return the last part of what a model is sent."""
    parts = request.contents[-1].parts
    assert parts
    return parts[-1]


def says(texts: dict[str, object], *, otherwise: object = "done") -> Answer:
    """Return what answers by the user's words, and with `otherwise` once a tool has returned."""
    return lambda request: otherwise if last(request).function_response else texts[str(last(request).text)]
