"""What stands in for a language model, so that the example runs offline: it knows a handful of sentences.

Put `model="gemini-2.5-flash"` (or any other that ADK knows) in its place to try the evals on a real one.
"""

import re
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.models import BaseLlm, LlmCapabilities, LlmRequest, LlmResponse
from google.genai import types

_ASKED = (
    (r"temperature in the (?P<location>[\w ]+)\?", "get_temperature"),
    (r"devices are (?P<status>on|off)\?", "list_devices"),
    (r"turn (?P<device_id>device_\d+|that one) (?P<status>on|off)", "set_device_info"),
    (r"(?:about|of) (?P<device_id>device_\d+)", "get_device_info"),
    (r"set the (?P<location>[\w ]+) to (?P<temperature>\d+(?:\.\d+)?)", "set_temperature"),
)
"""What may be asked for, and the tool that does it; what a pattern names are the tool's arguments."""


class HouseModel(BaseLlm):
    """Picks the tool that a sentence asks for, and puts what it returns into words."""

    model: str = "house-model"

    @property
    def capabilities(self) -> LlmCapabilities:
        """Return that there is nothing special about it."""
        return LlmCapabilities()

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: ARG002  # ADK's
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield a tool call for a sentence, and a sentence for what a tool returned."""
        last = (llm_request.contents[-1].parts or [types.Part()])[-1]
        if last.function_response:
            part = types.Part(text=_in_words(llm_request.contents, last.function_response))
        else:
            part = _next_step(llm_request.contents, last.text or "")
        words = len(str(part.text or part.function_call).split())
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=120, candidates_token_count=words)
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


def _next_step(contents: list[types.Content], said: str) -> types.Part:
    asked = ((tool, re.search(pattern, said, re.IGNORECASE)) for pattern, tool in _ASKED)
    tool, found = next(((tool, found) for tool, found in asked if found), ("", None))
    if found is None:
        return types.Part(text="I can tell and set temperatures, and list and switch devices.")
    arguments: dict[str, Any] = found.groupdict()
    if "status" in arguments:
        arguments["status"] = arguments["status"].upper()
    if arguments.get("device_id") == "that one":
        arguments["device_id"] = _device_spoken_of(contents)
    if "temperature" in arguments:
        arguments["temperature"] = float(arguments["temperature"])
        if not 18 <= arguments["temperature"] <= 30:
            return types.Part(text="I can only set temperatures between 18 and 30 degrees.")
    return types.Part(function_call=types.FunctionCall(name=tool, args=arguments))


def _device_spoken_of(contents: list[types.Content]) -> str:
    """Return the device that was listed last."""
    for content in reversed(contents):
        for part in content.parts or []:
            if part.function_response and part.function_response.name == "list_devices":
                listed = (part.function_response.response or {}).get("result") or [{}]
                return str(listed[0].get("device_id", ""))
    return ""


def _in_words(contents: list[types.Content], given: types.FunctionResponse) -> str:
    response = given.response or {}
    result, asked = response.get("result", response), _arguments_of(contents, given)
    if given.name == "get_temperature" and result != "Location not found":
        return f"The temperature in the {asked['location']} is {result} degrees Celsius."
    if given.name == "set_temperature" and result != "Location not found":
        return f"The {asked['location']} is now set to {asked['temperature']:g} degrees Celsius."
    if given.name == "list_devices":
        names = ", ".join(f"{one['device_id']} in the {one['location']}" for one in result)
        return f"These devices are {asked['status']}: {names}." if names else f"No device is {asked['status']}."
    if given.name == "get_device_info" and "status" in result:
        return f"{asked['device_id']} in the {result['location']} is {result['status']}."
    return str(result)


def _arguments_of(contents: list[types.Content], given: types.FunctionResponse) -> dict[str, Any]:
    """Return the arguments of the call that a result is of."""
    calls = [part.function_call for content in contents for part in content.parts or [] if part.function_call]
    return next((dict(call.args or {}) for call in reversed(calls) if call.name == given.name), {})
