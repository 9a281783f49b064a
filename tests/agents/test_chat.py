"""A chat model as an agent: its messages, its tools, and what counts as whose fault."""

import json
from typing import Any

import pytest

from audition.agents import Surroundings, open_agent
from audition.agents.chat import Chat
from audition.errors import AgentError, LoadError, ModelError, SettingsError
from audition.evals import MockResult, SeedState, Setup, ToolMock, Turn, WorkflowTrigger
from audition.llm import Completion, Message, Models, ToolRequest
from audition.llm.scripted import Scripted
from audition.providers import Provider
from audition.transcript import Exchange, Reply, ToolCall, Usage

pytestmark = pytest.mark.anyio

ORDERS = ToolMock(
    name="find_order",
    description="Finds an order.",
    parameters={"type": "object"},
    results=(
        MockResult(when={"id": 7}, result={"status": "sent"}),
        MockResult(when={"customer.name": {"contains": "ann"}, "id": {"gte": 100}}, result=["late", None]),
        MockResult(when={"id": 8}, error="the database is down"),
        MockResult(when={"id": {"exists": True}}, result="nothing found"),
    ),
)


def asking(arguments: str, *, tool: str = "find_order", text: str = "", **more: Any) -> Completion:
    """Return a completion that asks for one tool."""
    request = ToolRequest(id="c1", name=tool, arguments=arguments)
    return Completion(text=text, tool_requests=(request,), finish_reason="tool_calls", **more)


NO_SETUP = Setup()


async def say(agent: Chat, *turns: Turn | str, setup: Setup = NO_SETUP, idle_timeout_s: float = 30) -> list[Exchange]:
    """Return the exchanges of one session."""
    said = [Turn(user=turn) if isinstance(turn, str) else turn for turn in turns]
    async with agent.open(setup, trial="greeting") as session:
        return [await session.send(turn, idle_timeout_s=idle_timeout_s) for turn in said]


async def test_the_model_answers_to_the_instruction_and_all_that_was_said():
    model = Scripted(["Hi!", "As I said: hi."])

    first, second = await say(Chat(model, instruction="Be brief."), "Hello", "What?")

    assert (first.user, first.replies[0].text, first.trouble) == ("Hello", "Hi!", None)
    assert second.replies[0].text == "As I said: hi."
    assert [(message.role, message.content) for message in model.requests[1].messages] == [
        ("system", "Be brief."),
        ("user", "Hello"),
        ("assistant", "Hi!"),
        ("user", "What?"),
    ]


async def test_without_an_instruction_there_is_no_system_message():
    model = Scripted(["Hi!"])

    await say(Chat(model), "Hello")

    assert model.requests[0].messages == (Message(role="user", content="Hello"),)
    assert model.requests[0].tools == ()


async def test_a_new_conversation_forgets_what_was_said_but_not_the_instruction():
    model = Scripted(["Hi!", "Hello again!"])

    await say(Chat(model, instruction="Be brief."), "Hello", Turn(user="Anyone?", new_conversation=True))

    assert [message.content for message in model.requests[1].messages] == ["Be brief.", "Anyone?"]


async def test_time_and_tokens_of_all_rounds_add_up():
    model = Scripted(
        [
            asking(
                '{"id": 7}', text="Let me look.", elapsed_ms=100, usage=Usage(calls=1, input_tokens=5, output_tokens=2)
            ),
            Completion(text="Sent.", elapsed_ms=50, usage=Usage(calls=1, input_tokens=9, output_tokens=3)),
        ]
    )

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Where is order 7?")

    assert exchange.replies == (Reply(text="Let me look.", at_ms=100), Reply(text="Sent.", at_ms=150))
    assert exchange.response_ms == 150
    assert exchange.usage == Usage(calls=2, input_tokens=14, output_tokens=5)
    assert (exchange.tool_calls[0].started_ms, exchange.tool_calls[0].ended_ms) == (100, 100)


async def test_once_an_answer_is_replayed_the_turn_has_no_times():
    model = Scripted([asking('{"id": 7}', text="Let me look.", replayed=True), Completion(text="Sent.", elapsed_ms=50)])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Where is order 7?")

    assert exchange.replies == (Reply(text="Let me look."), Reply(text="Sent."))
    assert (exchange.response_ms, exchange.tool_calls[0].started_ms) == (None, None)


@pytest.mark.parametrize("text", ["", " \n"])
async def test_a_blank_answer_is_silence(text):
    (exchange,) = await say(Chat(Scripted([Completion(text=text, elapsed_ms=5)])), "Hello")

    assert (exchange.replies, exchange.response_ms, exchange.trouble) == ((), None, None)


@pytest.mark.parametrize(
    ("arguments", "result", "error", "told"),
    [
        ({"id": 7}, {"status": "sent"}, None, '{"status": "sent"}'),
        ({"id": 7.0, "more": True}, {"status": "sent"}, None, '{"status": "sent"}'),
        ({"id": 150, "customer": {"name": "Ann"}}, ["late", None], None, '["late", null]'),
        ({"id": 150, "customer": {"name": "Bob"}}, "nothing found", None, "nothing found"),
        ({"id": 8}, None, "the database is down", '{"error": "the database is down"}'),
        (
            {},
            None,
            "no result is prepared for these arguments",
            '{"error": "no result is prepared for these arguments"}',
        ),
    ],
)
async def test_the_first_result_that_is_meant_for_a_call_is_its_result(arguments, result, error, told):
    model = Scripted([asking(json.dumps(arguments)), "Done."])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Where is my order?")

    call = ToolCall(name="find_order", arguments=arguments, result=result, error=error, started_ms=0.0, ended_ms=0.0)
    assert exchange.tool_calls == (call,)
    assert exchange.trouble is None
    assert model.requests[1].messages[-2:] == (
        Message(role="assistant", content="", tool_requests=asking(json.dumps(arguments)).tool_requests),
        Message(role="tool", content=told, tool_call_id="c1"),
    )


# measured false results: M21
@pytest.mark.parametrize("written", ["", "{id: 7}", "[7]", "7", "null", '{"id": 7', '{"id": NaN}', '{"a":' * 5000])
async def test_arguments_that_are_no_object_are_kept_as_written_and_the_model_is_told(written):
    model = Scripted([asking(written), "Sorry."])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Where is my order?")

    (call,) = exchange.tool_calls
    assert (call.malformed, call.arguments, call.result) == (written, {}, None)
    assert call.error == "the arguments are not a JSON object"
    assert "not a JSON object" in model.requests[1].messages[-1].content
    assert model.requests[1].messages[-2].tool_requests[0].arguments == "{}"


async def test_a_tool_that_is_not_offered_is_recorded_with_an_error():
    model = Scripted([asking("{}", tool="delete_order"), "I cannot."])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Delete it")

    assert exchange.tool_calls[0].error == "there is no tool called 'delete_order'"
    assert exchange.replies[0].text == "I cannot."


async def test_several_calls_of_one_round_are_answered_in_order():
    requests = tuple(ToolRequest(id=f"c{n}", name="find_order", arguments=f'{{"id": {n}}}') for n in (7, 8))
    model = Scripted([Completion(text="", tool_requests=requests), "Done."])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Both?")

    assert [call.arguments for call in exchange.tool_calls] == [{"id": 7}, {"id": 8}]
    assert [message.tool_call_id for message in model.requests[1].messages[-2:]] == ["c7", "c8"]


async def test_the_evals_tools_come_first_by_name():
    model = Scripted([asking('{"id": 7}'), "Done."])
    lost = ToolMock(name="find_order", description="Finds.", results=(MockResult(result="lost"),))
    other = ToolMock(name="other")

    (exchange,) = await say(Chat(model, tools=[ORDERS, other]), "Where?", setup=Setup(tools=(lost,)))

    assert exchange.tool_calls[0].result == "lost"
    offered = model.requests[0].tools
    assert [(tool.name, tool.description) for tool in offered] == [("find_order", "Finds."), ("other", "")]
    assert offered[1].parameters == {"type": "object", "properties": {}}


async def test_asking_for_tools_without_end_is_the_agents_trouble():
    model = Scripted(lambda messages: asking('{"id": 7}', text="Looking."))

    (exchange,) = await say(Chat(model, tools=[ORDERS], max_tool_rounds=3), "Where?")

    assert exchange.trouble.by_agent
    assert exchange.trouble.message == "asked for tools 4 rounds in a row"
    assert (len(exchange.tool_calls), len(exchange.replies), len(model.requests)) == (4, 4, 4)


async def test_as_many_rounds_as_allowed_are_no_trouble():
    model = Scripted([asking('{"id": 7}'), asking('{"id": 7}'), "Done."])

    (exchange,) = await say(Chat(model, tools=[ORDERS], max_tool_rounds=2), "Where?")

    assert (exchange.trouble, exchange.replies[0].text) == (None, "Done.")


async def test_no_answer_from_the_model_is_not_the_agents_fault():
    model = Scripted([asking('{"id": 7}', text="Looking."), ModelError("answered 429", status=429, hint="wait")])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Where?")

    assert (exchange.trouble.by_agent, exchange.trouble.message) == (False, "answered 429\n  wait")
    assert (len(exchange.tool_calls), exchange.replies[0].text) == (1, "Looking.")


async def test_an_answer_that_takes_too_long_is_the_agents_trouble():
    model = Scripted([ModelError("too slow", timed_out=True)])

    (exchange,) = await say(Chat(model), "Hello", idle_timeout_s=2)

    assert (exchange.trouble.by_agent, exchange.trouble.message) == (True, "no answer within 2 s")
    assert model.requests[0].timeout_s == 2


async def test_all_rounds_of_a_turn_share_its_time():
    model = Scripted([asking('{"id": 7}', elapsed_ms=600), asking('{"id": 7}', elapsed_ms=500), "Done."])

    (exchange,) = await say(Chat(model, tools=[ORDERS]), "Where?", idle_timeout_s=1)

    assert [request.timeout_s for request in model.requests] == [1, pytest.approx(0.4)]
    assert (exchange.trouble.by_agent, exchange.trouble.message) == (True, "no answer within 1 s")


@pytest.mark.parametrize(
    ("completion", "replies", "by_agent"),
    [
        (Completion(text="", finish_reason="content_filter"), 0, True),
        (Completion(text="Well,", finish_reason="content_filter"), 1, None),
        (Completion(text="Well,", finish_reason="length"), 1, None),
    ],
    ids=["all withheld", "partly withheld", "cut"],
)
async def test_what_the_model_said_counts_and_nothing_said_is_its_trouble(completion, replies, by_agent):
    (exchange,) = await say(Chat(Scripted([completion])), "Hello")

    assert len(exchange.replies) == replies
    assert (exchange.trouble and exchange.trouble.by_agent) == by_agent


async def test_an_event_cannot_be_received():
    model = Scripted(["Hi!"])

    (exchange,) = await say(Chat(model), Turn(event={"type": "page_opened"}))

    assert (exchange.trouble.by_agent, exchange.trouble.message) == (False, "a chat agent cannot receive events")
    assert (exchange.event, model.requests) == ({"type": "page_opened"}, [])


@pytest.mark.parametrize(
    "setup",
    [Setup(state=SeedState(user={"name": "Ann"})), Setup(workflow=WorkflowTrigger(name="onboarding"))],
    ids=["state", "workflow"],
)
async def test_a_setup_it_cannot_have_is_refused(setup):
    with pytest.raises(AgentError) as caught:
        await say(Chat(Scripted(["Hi!"])), "Hello", setup=setup)

    assert not caught.value.by_agent


async def test_a_pattern_that_takes_too_long_chooses_no_result(monkeypatch):
    monkeypatch.setattr("audition.scoring.patterns.LIMIT_S", 0.05)
    slow = ToolMock(name="find_order", results=(MockResult(when={"id": {"matches": "(x|xx)+$"}}, result="x"),))
    model = Scripted([asking(json.dumps({"id": "x" * 40 + "y"})), "Done."])

    with pytest.raises(AgentError, match="no result of the mocked tool 'find_order' can be chosen") as caught:
        await say(Chat(model, tools=[slow]), "Where?")

    assert not caught.value.by_agent


def canned(text: str = "Hi!") -> Surroundings:
    """Return surroundings with a model that says `text`, under the alias `fast`."""
    models = Models({"fast": f"canned:{text}"}, {"canned": Provider(name="canned", protocol="scripted")})
    return Surroundings(models=models)


@pytest.mark.parametrize("reference", ["chat:canned:Hi!", "chat:fast"])
async def test_a_reference_names_a_model_or_an_alias(reference):
    agent = open_agent(reference, {}, canned())

    (exchange,) = await say(agent, "Hello")

    assert exchange.replies[0].text == "Hi!"
    assert agent.observes == {"replies", "tools", "timing", "usage"}
    assert agent.at_once == 1000


class Recording:
    """Models that remember with what parameters they were opened."""

    def __init__(self) -> None:
        self.opened: list[tuple[str, dict[str, object]]] = []
        self.model = Scripted(lambda messages: "Hi!")

    def open(self, reference: str, **parameters: object) -> Scripted:
        self.opened.append((reference, parameters))
        return self.model


async def test_options_say_what_it_is_told_and_how(tmp_path):
    (tmp_path / "prompt.md").write_text("\ufeffBe brief.\r\n", encoding="utf-8")
    (tmp_path / "tools.yaml").write_text("- name: find\n  results: [{when: {id: 7}, result: sent}, {error: down}]\n")
    models = Recording()
    options = {
        "instruction": "prompt.md",
        "tools": "tools.yaml",
        "temperature": 0.5,
        "max_tokens": 100,
        "at_once": 3,
    }

    agent = open_agent("chat:fast", options, Surroundings(root=tmp_path, models=models))
    await say(agent, "Hello")

    assert models.opened == [("fast", {"temperature": 0.5, "max_tokens": 100})]
    assert models.model.requests[0].messages[0] == Message(role="system", content="Be brief.\n")
    assert [tool.name for tool in models.model.requests[0].tools] == ["find"]
    assert agent.at_once == 3


async def test_tools_may_be_written_in_the_settings():
    models = Recording()
    models.model = Scripted([asking('{"id": 1}', tool="find"), "Done."])
    options = {"tools": [{"name": "find", "result": {"n": 1}}], "instruction_text": "Be brief."}

    (exchange,) = await say(open_agent("chat:fast", options, Surroundings(models=models)), "Hello")

    assert exchange.tool_calls[0].result == {"n": 1}
    assert models.model.requests[0].messages[0].content == "Be brief."


@pytest.mark.parametrize(
    ("options", "message", "key"),
    [
        ({"temprature": 1}, "temprature", "agent.temprature"),
        ({"temperature": "hot"}, "temperature", "agent.temperature"),
        ({"max_tool_rounds": -1}, "max_tool_rounds", "agent.max_tool_rounds"),
        ({"at_once": 0}, "at_once", "agent.at_once"),
        ({"instruction": "a", "instruction_text": "b"}, "not both", "agent.instruction"),
        ({"tools": 7}, "tools", "agent.tools"),
        ({"tools": [{"result": 1}]}, "name", "agent.tools.0"),
        ({"tools": [{"name": "f"}]}, "one of 'result', 'error', 'results'", "agent.tools.0"),
        ({"tools": [{"name": "f", "result": 1, "error": "x"}]}, "'result' and 'error'", "agent.tools.0"),
        (
            {"tools": [{"name": "f", "results": [{"when": {"id": {"greater": 1}}, "result": 1}]}]},
            "operators",
            "agent.tools.0.results.0.when.id.greater",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_wrong_options_are_refused_with_their_key(options, message, key):
    with pytest.raises(SettingsError, match=message) as caught:
        open_agent("chat:fast", options, canned())

    assert caught.value.key == key


@pytest.mark.parametrize(
    ("options", "where"),
    [
        ({"instruction": "missing.md"}, "missing.md"),
        ({"tools": "missing.yaml"}, "missing.yaml"),
        ({"tools": "empty.yaml"}, "empty.yaml"),
        ({"tools": "two.yaml"}, "two.yaml"),
        ({"tools": "wrong.yaml"}, "wrong.yaml:2:3"),
        ({"tools": "broken.yaml"}, "broken.yaml:2"),
    ],
    ids=lambda value: str(value),
)
def test_files_that_do_not_load_are_told_with_their_place(tmp_path, options, where):
    (tmp_path / "empty.yaml").write_text("")
    (tmp_path / "two.yaml").write_text("- {name: f, result: 1}\n---\n- {name: g, result: 1}\n")
    (tmp_path / "wrong.yaml").write_text("- name: f\n  reslut: 1\n  result: 2\n")
    (tmp_path / "broken.yaml").write_text("- name: [\n")

    with pytest.raises(LoadError) as caught:
        open_agent("chat:fast", options, Surroundings(root=tmp_path, models=canned().models))

    assert where in str(caught.value)


async def test_a_model_that_settings_do_not_name_is_refused():
    with pytest.raises(SettingsError):
        open_agent("chat:slow", {}, canned())
