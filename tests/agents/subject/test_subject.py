"""A subject is driven as the tree of ADK agents that it is, and all it does is written down."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from google.adk.agents import LlmAgent
from tests.doubles.adk import Model, call, in_turn

from audition.agents.adk import AdkAgent
from audition.agents.subject import SubjectSurroundings, agent_names, open_subject
from audition.errors import AgentError, ModelError, SettingsError
from audition.evals import MockResult, Setup, ToolMock, Turn, WorkflowTrigger
from audition.llm import Completion, LanguageModel, Message, Models, ToolRequest
from audition.llm.budget import Budget
from audition.llm.limits import Limits
from audition.llm.scripted import Answer, Scripted
from audition.providers import Allowance, Provider
from audition.subjects import Subject, with_candidate
from audition.transcript import Exchange, Usage

pytestmark = pytest.mark.anyio

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
LOOKUP = {
    "kind": "mock",
    "name": "lookup_order",
    "description": "Finds an order.",
    "parameters": SCHEMA,
    "results": [
        {"when": {"id": {"equals": 7}}, "result": {"status": "sent"}},
        {"when": {"id": {"equals": 8}}, "result": ["a", "b"]},
        {"error": "no such order"},
    ],
}


class Given(Models):
    """Language models that a test brings, by their references."""

    def __init__(self, **models: LanguageModel) -> None:
        super().__init__()
        self._given = models

    def open(self, reference: str, **parameters: object) -> LanguageModel:
        return self._given[reference]


def asks(*calls: tuple[str, object], ids: Sequence[str] = ("a", "b", "c"), text: str = "") -> Completion:
    """Return an answer that asks for tools."""
    requests = tuple(
        ToolRequest(id=id, name=name, arguments=args if isinstance(args, str) else json.dumps(args))
        for id, (name, args) in zip(ids, calls, strict=False)
    )
    return Completion(
        text=text, tool_requests=requests, finish_reason="tool_calls", usage=Usage(input_tokens=10, output_tokens=1)
    )


def agent(*tools: Mapping[str, object], **more: object) -> Subject:
    """Return an agent whose model is called `agent`."""
    fields = {"id": 1, "name": "Hours FAQ", "instruction": "Say when we open.", "model": "agent", "tools": tools}
    return Subject(family="agents", **fields | more)


def desk(*children: Subject, **more: object) -> Subject:
    """Return an orchestrator whose model is called `desk`."""
    fields = {"id": 1, "name": "Front desk", "instruction": "Hand over.", "model": "desk", "children": children}
    return Subject(family="orchestrators", **fields | more)


async def say(
    subject: Subject, *texts: str, setup: Setup | None = None, limit_s: float = 30.0, max_steps: int = 25, **models
) -> list[Exchange]:
    """Say texts to a subject; `models` are its language models, or the answers of scripted ones."""
    given = {name: Scripted(one) if isinstance(one, list) else one for name, one in models.items()}
    opened = open_subject(subject, SubjectSurroundings(models=Given(**given), max_steps=max_steps))
    async with opened.open(setup or Setup(), trial="t") as session:
        return [await session.send(Turn(user=text), idle_timeout_s=limit_s) for text in texts]


def said(exchange: Exchange) -> list[str]:
    return [reply.text for reply in exchange.replies]


def made(exchange: Exchange) -> list[tuple[str, object, object, str | None]]:
    """Return the calls of a turn, with what they came to."""
    return [(one.name, one.arguments, one.result, one.error) for one in exchange.tool_calls]


# What the model is told


async def test_an_agent_without_tools_is_told_its_prompt_and_nothing_else():
    model = Scripted(["At nine."])

    (exchange,) = await say(agent(), "When?", agent=model)

    assert said(exchange) == ["At nine."]
    assert [(one.role, one.content) for one in model.requests[0].messages] == [
        ("system", "Say when we open."),
        ("user", "When?"),
    ]
    assert model.requests[0].tools == ()


LITERAL = "Say {x} and {x.__class__}, {artifact.a}, {user:name?} and {{y}}; 100 % {}"


async def test_instructions_are_literal_wherever_they_stand_in_the_tree():
    root, child = Scripted([asks(("transfer_to_agent", {"agent_name": "Hours_FAQ"}))]), Scripted(["done"])
    tree = with_candidate(desk(agent(instruction=LITERAL)), LITERAL)

    await say(tree, "Hi", desk=root, agent=child)

    assert root.requests[0].messages[0].content.startswith(LITERAL)
    assert child.requests[0].messages[0].content.startswith(LITERAL)


async def test_an_agent_by_itself_has_its_instruction_word_for_word():
    model = Scripted(["ok"])

    await say(agent(instruction=LITERAL), "Hi", agent=model)

    assert model.requests[0].messages[0].content == LITERAL


async def test_a_tool_is_offered_with_its_schema():
    model = Scripted(["ok"])

    await say(agent(LOOKUP), "Hi", agent=model)

    (tool,) = model.requests[0].tools
    assert (tool.name, tool.description, tool.parameters) == ("lookup_order", "Finds an order.", SCHEMA)


async def test_a_conversation_goes_on_with_what_was_said_before():
    model = Scripted([asks(("lookup_order", {"id": 7})), "Sent.", "You asked for 7."])

    await say(agent(LOOKUP), "Where is 7?", "What did I ask?", agent=model)

    roles = [(one.role, one.content) for one in model.requests[-1].messages[1:]]
    assert roles == [
        ("user", "Where is 7?"),
        ("assistant", ""),
        ("tool", '{"status": "sent"}'),
        ("assistant", "Sent."),
        ("user", "What did I ask?"),
    ]


# Tools


async def test_several_tools_at_once_each_have_their_result():
    calls = asks(("lookup_order", {"id": 7}), ("lookup_order", {"id": 8}), ("lookup_order", {"id": 9}))
    model = Scripted([calls, "done"])

    (exchange,) = await say(agent(LOOKUP), "All", agent=model)

    assert made(exchange) == [
        ("lookup_order", {"id": 7}, {"status": "sent"}, None),
        ("lookup_order", {"id": 8}, ["a", "b"], None),
        ("lookup_order", {"id": 9}, None, "no such order"),
    ]
    told = {one.tool_call_id: one.content for one in model.requests[1].messages if one.role == "tool"}
    assert told == {"a": '{"status": "sent"}', "b": '{"result": ["a", "b"]}', "c": '{"error": "no such order"}'}


WRONG = [
    pytest.param('{"id": ', None, "not a JSON object", id="no JSON"),
    pytest.param("[7]", None, "not a JSON object", id="no object"),
    pytest.param('{"id": NaN}', None, "not a JSON object", id="no number of JSON"),
    pytest.param('{"id": "7"}', {"id": "7"}, "id: ", id="another type"),
    pytest.param("{}", {}, "required", id="one is missing"),
]


@pytest.mark.parametrize(("arguments", "kept", "why"), WRONG)
async def test_a_wrong_call_is_told_to_the_model_and_is_its_doing(arguments: str, kept: object, why: str):
    model = Scripted([asks(("lookup_order", arguments)), asks(("lookup_order", {"id": 7})), "Sent."])

    (exchange,) = await say(agent(LOOKUP), "Where?", agent=model)

    first, second = exchange.tool_calls
    assert why in str(first.error)
    assert (first.arguments, first.malformed) == ((kept, None) if kept is not None else ({}, arguments))
    assert (second.result, second.error, exchange.trouble) == ({"status": "sent"}, None, None)
    history = model.requests[1].messages
    assert json.loads(history[-2].tool_requests[0].arguments) == (kept or {})
    assert why in history[-1].content


async def test_a_tool_that_does_not_exist_is_told_to_the_model():
    model = Scripted([asks(("find_order", {"id": 7})), "Sorry."])

    (exchange,) = await say(agent(LOOKUP), "Where?", agent=model)

    assert made(exchange) == [("find_order", {"id": 7}, None, "there is no tool called 'find_order'")]
    assert (said(exchange), exchange.trouble) == (["Sorry."], None)


async def test_ids_of_calls_are_kept_and_those_that_repeat_or_lack_are_replaced():
    same = [asks(("lookup_order", {"id": 7}), ("lookup_order", {"id": 8}), ids=ids) for ids in (("x", "x"), ("x", ""))]
    model = Scripted([*same, "done"])

    (exchange,) = await say(agent(LOOKUP), "All", agent=model)

    assert [one.result for one in exchange.tool_calls] == [{"status": "sent"}, ["a", "b"]] * 2
    asked = [one.id for message in model.requests[-1].messages for one in message.tool_requests]
    answered = [message.tool_call_id for message in model.requests[-1].messages if message.role == "tool"]
    assert asked[0] == "x"
    assert asked == answered
    assert len(set(asked)) == 4


async def test_fixtures_of_an_eval_take_the_place_of_tools():
    setup = Setup(tools=(ToolMock(name="lookup_order", results=(MockResult(result="lost"),)),))
    tree = desk(agent(LOOKUP))
    models = {"desk": [asks(("transfer_to_agent", {"agent_name": "Hours_FAQ"}))]}

    (exchange,) = await say(tree, "?", setup=setup, **models, agent=[asks(("lookup_order", {"id": 7})), "Lost."])

    assert made(exchange)[1] == ("lookup_order", {"id": 7}, "lost", None)


async def test_a_fixture_of_no_tool_is_refused():
    setup = Setup(tools=(ToolMock(name="lookup_oder", results=(MockResult(result=1),)),))

    with pytest.raises(AgentError, match="no tool called 'lookup_oder'") as caught:
        await say(agent(LOOKUP), "?", setup=setup, agent=[])

    assert not caught.value.by_agent


async def test_a_tool_may_not_have_the_name_of_adks_own():
    with pytest.raises(AgentError, match="transfer_to_agent"):
        await say(agent(LOOKUP | {"name": "transfer_to_agent"}), "?", agent=[])


# Trees


async def test_an_orchestrator_hands_over_and_the_child_uses_its_tool():
    orders = agent(LOOKUP, id=2, name="Orders", description="Knows orders.", model="orders")
    hours = agent(id=3, name="Hours", description="Knows opening hours.", model="hours")
    root = Scripted([asks(("transfer_to_agent", {"agent_name": "Orders"}), text="One moment.")])
    child = Scripted([asks(("lookup_order", {"id": 7})), "It was sent."])

    (exchange,) = await say(desk(orders, hours), "Where is 7?", desk=root, orders=child, hours=Scripted([]))

    assert said(exchange) == ["It was sent."]
    assert [reply.text for reply in exchange.remarks] == ["One moment."]
    assert [(one.name, one.transfer) for one in exchange.tool_calls] == [
        ("transfer_to_agent", True),
        ("lookup_order", False),
    ]
    assert "Knows orders." in root.requests[0].messages[0].content
    assert [tool.name for tool in root.requests[0].tools] == ["transfer_to_agent"]
    assert root.requests[0].tools[0].parameters["properties"]["agent_name"]["enum"] == ["Orders", "Hours"]


async def test_a_child_that_is_used_twice_is_two_agents():
    orders = agent(LOOKUP, id=2, name="Orders", model="orders")
    both = desk(
        desk(orders, id=2, name="Day", model="day"), desk(orders, id=3, name="Night", model="night"), name="Desk"
    )
    models = {
        "desk": [asks(("transfer_to_agent", {"agent_name": "Night"}))],
        "night": [asks(("transfer_to_agent", {"agent_name": "Orders_2"}))],
        "orders": [asks(("lookup_order", {"id": 7})), "Sent."],
    }

    (exchange,) = await say(both, "Where?", **models, day=[])

    assert agent_names(both) == ["Desk", "Day", "Orders", "Night", "Orders_2"]
    assert said(exchange) == ["Sent."]


NAMES = [
    pytest.param("Hours FAQ", "Hours_FAQ", id="spaces"),
    pytest.param("Öffnung & Mehr!", "Offnung_Mehr", id="accents and marks"),
    pytest.param("24h desk", "_24h_desk", id="a digit first"),
    pytest.param("受付", "agent_1", id="nothing that can be kept"),
    pytest.param("user", "user_2", id="a name of ADK's"),
    pytest.param("x" * 300, "x" * 64, id="too long"),
    pytest.param("{x.__class__}", "x___class", id="marks of a template"),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_names_become_identifiers(name: str, expected: str):
    assert agent_names(agent(name=name)) == [expected]


async def test_a_transfer_to_nobody_is_told_to_the_model():
    models = {
        "desk": [asks(("transfer_to_agent", {"agent_name": "Hour_FAQ"})), asks(("transfer_to_agent", "oops")), "Sorry."]
    }

    (exchange,) = await say(desk(agent()), "?", **models, agent=[])

    assert [one.error for one in exchange.tool_calls] == [
        "there is no agent 'Hour_FAQ'; did you mean 'Hours_FAQ'?",
        "the arguments are not a JSON object",
    ]
    assert (said(exchange), exchange.trouble) == (["Sorry."], None)


# What it costs


async def test_usage_of_all_agents_is_added_up():
    usage = Usage(input_tokens=20, output_tokens=2, cost_usd=0.5)
    hand_over = replace(asks(("transfer_to_agent", {"agent_name": "Hours_FAQ"})), usage=usage)

    (exchange,) = await say(desk(agent()), "?", desk=[hand_over], agent=[Completion(text="At nine.", usage=usage)])

    assert exchange.usage == Usage(calls=2, input_tokens=40, output_tokens=4, cost_usd=1.0)


async def test_the_budget_of_the_run_stops_it_and_that_is_an_error():
    budget = Budget(Allowance(max_calls=1))
    providers = {"scripted": Provider(name="scripted", protocol="scripted")}
    models = Models(providers=providers, around=[Limits(budget).around])
    opened = open_subject(agent(model="scripted:Hello"), SubjectSurroundings(models=models))

    async with opened.open(Setup(), trial="t") as session:
        first, second = [await session.send(Turn(user="Hi"), idle_timeout_s=30) for _ in range(2)]

    assert (said(first), first.trouble) == (["Hello"], None)
    assert second.trouble is not None
    assert (second.trouble.by_agent, "budget of 1 call" in second.trouble.message) == (False, True)


# Trouble


TROUBLES = [
    pytest.param(ModelError("answered 429", status=429, attempts=6), False, "answered 429", id="too busy"),
    pytest.param(ModelError("answered 401", status=401), False, "answered 401", id="no key"),
    pytest.param(ModelError("slow", timed_out=True), True, "no answer within 30 s", id="too slow"),
]


@pytest.mark.parametrize(("error", "by_agent", "why"), TROUBLES)
async def test_a_model_that_gives_no_answer_is_trouble(error: Exception, by_agent: bool, why: str):
    (exchange,) = await say(agent(LOOKUP), "?", agent=[asks(("lookup_order", {"id": 7})), error])

    assert exchange.trouble is not None
    assert (exchange.trouble.by_agent, why in exchange.trouble.message) == (by_agent, True)
    assert [one.result for one in exchange.tool_calls] == [{"status": "sent"}]


async def test_a_model_is_asked_once_since_asking_again_is_for_the_limits():
    model = Scripted([ModelError("answered 429", status=429), "too late"])

    await say(agent(), "?", agent=model)

    assert len(model.requests) == 1


def endlessly(answer: Answer) -> LanguageModel:
    return Scripted(lambda _: answer)


async def test_an_endless_tool_loop_is_the_agents_doing():
    model = endlessly(asks(("lookup_order", {"id": 7})))

    (exchange,) = await say(agent(LOOKUP), "?", max_steps=4, agent=model)

    assert len(exchange.tool_calls) == 4
    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert "4 times in one turn" in exchange.trouble.message


async def test_agents_that_hand_over_in_a_circle_are_an_endless_loop():
    back = asks(("transfer_to_agent", {"agent_name": "Front_desk"}))
    forth = asks(("transfer_to_agent", {"agent_name": "Hours_FAQ"}))

    (exchange,) = await say(desk(agent()), "?", max_steps=5, desk=endlessly(forth), agent=endlessly(back))

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent


async def test_each_turn_may_take_as_many_steps():
    rounds = [asks(("lookup_order", {"id": 7})), "Sent."] * 3

    exchanges = await say(agent(LOOKUP), "a", "b", "c", max_steps=2, agent=rounds)

    assert [one.trouble for one in exchanges] == [None, None, None]


async def test_a_models_own_time_counts_and_nothing_else():
    (exchange,) = await say(agent(), "a", agent=[Completion(text="At nine.", elapsed_ms=40_000.0)])

    assert exchange.response_ms is not None
    assert exchange.response_ms >= 40_000.0


async def test_a_turn_without_time_is_the_agents_trouble():
    (exchange,) = await say(agent(), "a", limit_s=0.0, agent=["too late"])

    assert exchange.trouble is not None
    assert (exchange.trouble.by_agent, exchange.trouble.message) == (True, "no answer within 0 s")


async def test_nothing_said_is_silence():
    (exchange,) = await say(agent(), "?", agent=[Completion(text=" ")])

    assert (said(exchange), exchange.trouble) == ([], None)


async def test_an_answer_that_was_withheld_is_the_agents_trouble():
    (exchange,) = await say(agent(), "?", agent=[Completion(text="", finish_reason="content_filter")])

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent


async def test_a_fault_of_ours_is_never_the_agents():
    def broken(_: Sequence[Message]) -> Answer:
        raise RuntimeError("a fault of ours")

    (exchange,) = await say(agent(), "?", agent=Scripted(broken))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent


REFUSED = [
    pytest.param(Turn(event={"a": 1}), id="an event"),
    pytest.param(Turn(user="x", extra={"user_content": {"parts": [{"inline_data": {"data": "aGk="}}]}}), id="an image"),
]


@pytest.mark.parametrize("turn", REFUSED)
async def test_what_is_no_text_cannot_be_said(turn: Turn):
    opened = open_subject(agent(), SubjectSurroundings(models=Given(agent=Scripted([]))))

    async with opened.open(Setup(), trial="t") as session:
        exchange = await session.send(turn, idle_timeout_s=30)

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent


async def test_workflows_cannot_be_triggered():
    with pytest.raises(AgentError, match="no workflow"):
        await say(agent(), "?", setup=Setup(workflow=WorkflowTrigger(name="w")), agent=[])


def test_a_model_that_nobody_knows_is_told_before_the_first_message():
    with pytest.raises(SettingsError, match="no provider called 'nobody'"):
        open_subject(desk(agent(model="nobody:x"), model="scripted:x"), SubjectSurroundings(models=_scripted()))


def _scripted() -> Models:
    return Models(providers={"scripted": Provider(name="scripted", protocol="scripted")})


async def test_tools_that_are_wrong_are_an_error_of_the_trial():
    with pytest.raises(AgentError, match="kind") as caught:
        await say(agent({"kind": "nonsense", "name": "x"}), "?", agent=[])

    assert not caught.value.by_agent


# ADK's own way


def plain_calls(exchange: Exchange) -> list[tuple[object, ...]]:
    return [(one.name, one.arguments, one.result, one.error, one.transfer) for one in exchange.tool_calls]


def lookup_order(id: int) -> dict[str, str]:
    """Find an order."""
    return {"status": "sent"}


async def test_the_transcript_is_that_of_an_agent_written_with_adk():
    child = LlmAgent(
        name="Hours_FAQ",
        model=Model(answer=in_turn(call("lookup_order", id=7), "It was sent.")),
        instruction="Say when we open.",
        tools=[lookup_order],
    )
    root = LlmAgent(
        name="Front_desk",
        model=Model(answer=in_turn(call("transfer_to_agent", agent_name="Hours_FAQ"))),
        instruction="Hand over.",
        sub_agents=[child],
    )
    async with AdkAgent(root).open(Setup(), trial="t") as session:
        written = await session.send(Turn(user="Where is 7?"), idle_timeout_s=30)

    (ours,) = await say(
        desk(agent(LOOKUP)),
        "Where is 7?",
        desk=[asks(("transfer_to_agent", {"agent_name": "Hours_FAQ"}))],
        agent=[asks(("lookup_order", {"id": 7})), "It was sent."],
    )

    assert plain_calls(ours) == plain_calls(written)
    assert (said(ours), ours.remarks, ours.state) == (said(written), written.remarks, written.state)


async def test_sessions_side_by_side_do_not_touch_each_other():
    def answer(messages: Sequence[Message]) -> Answer:
        return f"{sum(1 for one in messages if one.role == 'user')}: {messages[-1].content}"

    opened = open_subject(agent(), SubjectSurroundings(models=Given(agent=Scripted(answer))))

    async def talk(name: str) -> list[str]:
        async with opened.open(Setup(), trial=name) as session:
            return [said(await session.send(Turn(user=name), idle_timeout_s=30))[0] for _ in range(2)]

    told = await asyncio.gather(*map(talk, "abcdef"))

    assert told == [[f"1: {name}", f"2: {name}"] for name in "abcdef"]
