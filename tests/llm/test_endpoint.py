"""An endpoint that misbehaves: whatever it does, each call comes to its end, and half an answer is none."""

import asyncio
import gzip

import pytest

from audition.errors import ModelError
from audition.llm import Completion, LanguageModel, Message, Models
from audition.providers import Provider

pytestmark = pytest.mark.anyio

HELLO = (Message(role="user", content="Hello"),)
GOOD = {
    "openai_compatible": {"choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]},
    "openai_responses": {
        "status": "completed",
        "output": [{"type": "message", "content": [{"type": "output_text", "text": "whole"}]}],
    },
}
CUT = b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"choices": [{"message": {"content": "half'


# reliability: R8
@pytest.mark.parametrize("protocol", GOOD)
async def test_every_call_of_many_to_a_faulty_server_ends_with_a_whole_answer_or_an_error(server, protocol):
    faults = [
        server.answer(429, b"busy", Retry_After="1"),
        server.answer(500, b"broke"),
        server.reset,
        server.drip,
        server.raw(CUT),
        server.endless,
        server.answer(200, b"<html>Sign in</html>"),
        server.answer(200, gzip.compress(b"{}")[:-9] + b"garbage", Content_Encoding="gzip"),
    ]
    server.will(*[*faults, server.answer(200, GOOD[protocol])] * 5)
    provider = Provider(name="local", protocol=protocol, base_url=server.url, attempts=1, timeout_s=2)
    model = Models(providers={"local": provider}).open("local:tiny")

    answers = await asyncio.gather(*(_answer(model) for _ in range(45)))

    assert sorted(answers) == ["error"] * 40 + ["whole"] * 5


async def _answer(model: LanguageModel) -> str:
    try:
        completion: Completion = await model.complete(HELLO)
    except ModelError:
        return "error"
    return completion.text
