"""The fake that we ship: it says what it was told to say."""

import pytest

from audition.errors import ModelError
from audition.llm import Completion, Message, Models, ToolDefinition
from audition.llm.scripted import Request, Scripted
from audition.providers import Provider

pytestmark = pytest.mark.anyio

HELLO = (Message(role="user", content="Hello"),)


async def test_answers_come_one_by_one_and_errors_are_raised():
    model = Scripted(["one", Completion(text="two", finish_reason="length"), ModelError("down", status=503)])

    first, second = await model.complete(HELLO), await model.complete(HELLO)

    assert (first.text, second.text, second.finish_reason) == ("one", "two", "length")
    with pytest.raises(ModelError, match="down"):
        await model.complete(HELLO)


async def test_an_answer_more_than_prepared_is_an_error():
    model = Scripted([])

    with pytest.raises(ModelError, match="no answer left"):
        await model.complete(HELLO)


async def test_a_function_answers_to_the_messages():
    model = Scripted(lambda messages: messages[-1].content.upper())

    answer = await model.complete(HELLO)

    assert answer.text == "HELLO"


async def test_requests_are_remembered():
    model = Scripted(["Hi"])
    tool = ToolDefinition(name="find")

    await model.complete(HELLO, schema={"type": "object"}, tools=[tool], timeout_s=2)

    assert model.requests == [Request(messages=HELLO, schema={"type": "object"}, tools=(tool,), timeout_s=2)]


async def test_settings_open_it_and_it_says_its_name():
    models = Models(providers={"canned": Provider(name="canned", protocol="scripted")})

    answer = await models.open("canned:Always the same").complete(HELLO)

    assert answer.text == "Always the same"
