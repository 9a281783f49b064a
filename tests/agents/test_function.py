"""The function agent: what a callable may return, what it may record, and what is made of its faults."""

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from audition.agents import Surroundings, open_agent
from audition.agents.function import AgentTurn, FunctionAgent, FunctionSession
from audition.errors import AgentError, SettingsError
from audition.evals import SeedState, Setup, ToolMock, Turn, WorkflowTrigger
from audition.transcript import Exchange, State, Trouble

pytestmark = pytest.mark.anyio

LONG_S = 30.0
SHORT_S = 0.02
HELLO = Turn(user="Hello")


async def answered(reply: Callable[..., object], turn: Turn = HELLO, **seed: Mapping[str, object]) -> Exchange:
    """Say one turn to a callable."""
    async with FunctionAgent(reply).open(Setup(state=SeedState(**seed)), trial="one") as session:
        return await session.send(turn, idle_timeout_s=LONG_S)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project's folder, importable only as long as the test runs."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        pytest.param(None, [], id="nothing"),
        pytest.param("Hi", ["Hi"], id="a text"),
        pytest.param(["Hi", "there"], ["Hi", "there"], id="a list"),
        pytest.param(("Hi", "there"), ["Hi", "there"], id="a tuple"),
        pytest.param([], [], id="an empty list"),
    ],
)
async def test_a_callable_returns_its_replies(said: object, texts: list[str]) -> None:
    exchange = await answered(lambda turn, session: said)

    assert [reply.text for reply in exchange.replies] == texts
    assert exchange.trouble is None
    assert (exchange.response_ms is None) == (not texts)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        pytest.param(7, "returned int, expected None, a text or a list of texts", id="a number"),
        pytest.param({"text": "Hi"}, "returned dict, expected None, a text or a list of texts", id="a dict"),
        pytest.param(True, "returned bool, expected None, a text or a list of texts", id="true"),
        pytest.param(
            ["Hi", None], "returned a list that holds NoneType, expected None, a text or a list of texts", id="a list"
        ),
    ],
)
async def test_anything_else_is_trouble_of_its_own(said: object, message: str) -> None:
    exchange = await answered(lambda turn, session: said)

    assert exchange.trouble == Trouble(message=message, by_agent=True)


async def test_the_callable_hears_the_turn_without_what_is_expected_of_it() -> None:
    heard: list[AgentTurn] = []

    await answered(lambda turn, session: heard.append(turn), Turn(event={"order": {"id": 7}}, expect_silence=True))

    assert (heard[0].user, heard[0].event) == (None, {"order": {"id": 7}})
    assert not hasattr(heard[0], "expect_silence")


async def test_a_callable_that_returns_an_awaitable_is_awaited() -> None:
    async def later() -> str:
        return "later"

    exchange = await answered(lambda turn, session: later())

    assert [reply.text for reply in exchange.replies] == ["later"]


async def test_an_object_with_an_async_call_is_awaited() -> None:
    class Desk:
        async def __call__(self, turn: AgentTurn, session: FunctionSession) -> str:
            return "from the desk"

    agent = FunctionAgent(Desk())
    async with agent.open(Setup(), trial="one") as session:
        exchange = await session.send(HELLO, idle_timeout_s=LONG_S)

    assert [reply.text for reply in exchange.replies] == ["from the desk"]
    assert agent.at_once == 64


async def test_callables_that_are_not_async_run_side_by_side() -> None:
    both = threading.Barrier(2)

    def reply(turn: AgentTurn, session: FunctionSession) -> str:
        both.wait(timeout=LONG_S)
        return "met"

    exchanges = await asyncio.gather(answered(reply), answered(reply))

    assert [exchange.trouble for exchange in exchanges] == [None, None]


async def test_a_thread_sees_the_callers_context() -> None:
    language: ContextVar[str] = ContextVar("language", default="none")
    language.set("French")

    exchange = await answered(lambda turn, session: language.get())

    assert [reply.text for reply in exchange.replies] == ["French"]


# case: google/adk-python#2729
async def test_a_crash_is_told_with_its_traceback_and_what_came_before_it() -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> str:
        session.tool("look_up", {"id": 7})
        session.state.conversation["topic"] = "orders"
        raise RuntimeError("model overloaded")

    exchange = await answered(reply)

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert exchange.trouble.message == "RuntimeError: model overloaded"
    assert exchange.trouble.detail is not None
    assert 'raise RuntimeError("model overloaded")' in exchange.trouble.detail
    assert "_workers" not in exchange.trouble.detail
    assert [call.name for call in exchange.tool_calls] == ["look_up"]
    assert exchange.state == State(conversation={"topic": "orders"})


@pytest.mark.parametrize(
    ("error", "message"),
    [
        pytest.param(SystemExit(0), "SystemExit: 0", id="sys.exit"),
        pytest.param(TimeoutError("the shop is slow"), "TimeoutError: the shop is slow", id="its own timeout"),
        pytest.param(StopIteration("no more"), "RuntimeError: coroutine raised StopIteration", id="StopIteration"),
        pytest.param(asyncio.CancelledError("inside"), "CancelledError: inside", id="its own cancellation"),
        pytest.param(ValueError(), "ValueError", id="without a word"),
    ],
)
@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_what_an_agent_raises_never_ends_more_than_its_trial(
    error: BaseException, message: str, is_async: bool
) -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> str:
        raise error

    async def reply_later(turn: AgentTurn, session: FunctionSession) -> str:
        raise error

    exchange = await answered(reply_later if is_async else reply)

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert exchange.trouble.message == message


@pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
async def test_a_cancellation_from_outside_passes_through(is_async: bool) -> None:
    begun, never = threading.Event(), threading.Event()

    def reply(turn: AgentTurn, session: FunctionSession) -> None:
        begun.set()
        never.wait()

    async def reply_later(turn: AgentTurn, session: FunctionSession) -> None:
        begun.set()
        await asyncio.Event().wait()

    task = asyncio.create_task(answered(reply_later if is_async else reply))
    await asyncio.to_thread(begun.wait, LONG_S)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    never.set()


async def test_a_callable_that_blocks_too_long_loses_its_turn_but_not_what_it_recorded() -> None:
    never = threading.Event()

    def reply(turn: AgentTurn, session: FunctionSession) -> None:
        session.tool("look_up", {"id": 7})
        never.wait()

    async with FunctionAgent(reply).open(Setup(), trial="one") as session:
        exchange = await session.send(HELLO, idle_timeout_s=SHORT_S)
    never.set()

    assert exchange.trouble == Trouble(message="no answer within 0.02 s", by_agent=True)
    assert [call.name for call in exchange.tool_calls] == ["look_up"]
    assert exchange.state is None


async def test_blocked_calls_do_not_use_up_the_threads() -> None:
    never = threading.Event()

    def reply(turn: AgentTurn, session: FunctionSession) -> str | None:
        return "free" if turn.user == "Hello" else str(never.wait())

    agent = FunctionAgent(reply, at_once=1)
    async with agent.open(Setup(), trial="one") as session:
        await session.send(Turn(user="block"), idle_timeout_s=SHORT_S)
    async with agent.open(Setup(), trial="two") as session:
        exchange = await session.send(HELLO, idle_timeout_s=LONG_S)
    never.set()

    assert [reply.text for reply in exchange.replies] == ["free"]


async def test_a_callable_that_catches_its_cancellation_was_still_too_late() -> None:
    async def reply(turn: AgentTurn, session: FunctionSession) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "sorry"
        return "never"

    async with FunctionAgent(reply).open(Setup(), trial="one") as session:
        exchange = await session.send(HELLO, idle_timeout_s=SHORT_S)

    assert exchange.trouble == Trouble(message="no answer within 0.02 s", by_agent=True)
    assert exchange.replies == ()


async def test_a_tool_call_is_kept_as_it_was_when_it_was_recorded() -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> str:
        args: dict[str, Any] = {"ids": [1]}
        result = session.tool("look_up", args, {"found": ("a", 1.5)}, error="half of it")
        args["ids"].append(2)
        return str(result)

    exchange = await answered(reply)

    (call,) = exchange.tool_calls
    assert (call.arguments, call.result, call.error) == ({"ids": [1]}, {"found": ["a", 1.5]}, "half of it")
    assert [reply.text for reply in exchange.replies] == ["{'found': ('a', 1.5)}"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param(datetime(2026, 1, 1, tzinfo=UTC), "is a datetime, which JSON cannot hold", id="datetime"),
        pytest.param({1, 2}, "is a set, which JSON cannot hold", id="set"),
        pytest.param(float("nan"), "is nan, which JSON cannot hold", id="NaN"),
        pytest.param({1: "one"}, "has the key 1 (int), expected a text", id="a key that is no text"),
    ],
)
async def test_state_that_is_no_json_is_trouble_that_names_the_place(value: object, message: str) -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> str:
        session.state.conversation["cart"] = [{"item": value}]
        return "ok"

    exchange = await answered(reply)

    assert exchange.trouble == Trouble(message=f"state.conversation.cart[0].item {message}", by_agent=True)
    assert [reply.text for reply in exchange.replies] == ["ok"]


async def test_state_that_holds_itself_is_trouble() -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> None:
        session.state.bot["self"] = session.state.bot

    exchange = await answered(reply)

    assert exchange.trouble == Trouble(message="state.bot is nested too deep, or holds itself", by_agent=True)


async def test_a_tool_call_with_arguments_that_are_no_json_is_a_crash() -> None:
    exchange = await answered(lambda turn, session: session.tool("book", {"at": {1}}))

    assert exchange.trouble is not None
    assert exchange.trouble.message == "TypeError: tool 'book': at is a set, which JSON cannot hold"


async def test_a_workflow_whose_block_raises_has_failed() -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> None:
        with session.workflow("refund", {"id": 7}):
            raise ValueError("no money left")

    exchange = await answered(reply)

    assert [(event.name, event.status) for event in exchange.workflows] == [("refund", "entered"), ("refund", "failed")]
    assert exchange.trouble is not None
    assert exchange.trouble.message == "ValueError: no money left"


async def test_a_workflow_cut_off_by_the_time_limit_was_cancelled() -> None:
    async def reply(turn: AgentTurn, session: FunctionSession) -> None:
        with session.workflow("refund"):
            await asyncio.Event().wait()

    async with FunctionAgent(reply).open(Setup(), trial="one") as session:
        exchange = await session.send(HELLO, idle_timeout_s=SHORT_S)

    assert [event.status for event in exchange.workflows] == ["entered", "cancelled"]


async def test_scratch_lasts_for_a_conversation() -> None:
    def reply(turn: AgentTurn, session: FunctionSession) -> str:
        session.scratch["turns"] = turns = int(str(session.scratch.get("turns", 0))) + 1
        return str(turns)

    async with FunctionAgent(reply).open(Setup(), trial="one") as session:
        exchanges = [
            await session.send(turn, idle_timeout_s=LONG_S)
            for turn in (HELLO, HELLO, Turn(user="Hello", new_conversation=True))
        ]

    assert [exchange.replies[0].text for exchange in exchanges] == ["1", "2", "1"]


async def test_a_triggered_workflow_works_on_the_seeded_state_before_the_first_turn() -> None:
    def start(input: dict[str, object], session: FunctionSession) -> None:
        with session.workflow("onboarding", input):
            session.state.user["step"] = input["step"]

    agent = FunctionAgent(lambda turn, session: None, workflows={"onboarding": start})
    setup = Setup(workflow=WorkflowTrigger(name="onboarding", input={"step": 2}))
    async with agent.open(setup, trial="one") as session:
        baseline = await session.state()
        exchange = await session.send(HELLO, idle_timeout_s=LONG_S)

    assert baseline == State(user={"step": 2})
    assert [event.status for event in exchange.workflows] == ["entered", "completed"]


async def test_a_workflow_cannot_change_the_input_for_the_next_trial() -> None:
    def start(input: dict[str, Any], session: FunctionSession) -> None:
        input["items"].append("more")

    agent = FunctionAgent(lambda turn, session: None, workflows={"onboarding": start})
    setup = Setup(workflow=WorkflowTrigger(name="onboarding", input={"items": ["one"]}))
    async with agent.open(setup, trial="one") as session:
        exchange = await session.send(HELLO, idle_timeout_s=LONG_S)

    assert setup.workflow is not None
    assert setup.workflow.input == {"items": ["one"]}
    assert [event.input for event in exchange.workflows] == [{"items": ["one"]}]


async def test_a_workflow_may_be_async() -> None:
    async def start(input: dict[str, Any], session: FunctionSession) -> None:
        session.state.user["begun"] = True

    for_later: list[Callable[..., object]] = [start, lambda input, session: start(input, session)]
    agents = [FunctionAgent(lambda turn, session: None, workflows={"begin": begin}) for begin in for_later]
    states = []
    for agent in agents:
        async with agent.open(Setup(workflow=WorkflowTrigger(name="begin")), trial="one") as session:
            states.append(await session.state())

    assert states == [State(user={"begun": True})] * 2


@pytest.mark.parametrize(
    ("workflows", "by_agent", "message"),
    [
        pytest.param(None, False, "cannot trigger workflow 'onboarding'", id="none"),
        pytest.param({"onbording": print}, False, "did you mean 'onbording'?", id="misspelt"),
        pytest.param({"onboarding": lambda: None}, True, "workflow 'onboarding': TypeError", id="crashes"),
    ],
)
async def test_a_workflow_that_cannot_be_triggered_is_told(
    workflows: dict[str, Callable[..., object]] | None, by_agent: bool, message: str
) -> None:
    agent = FunctionAgent(lambda turn, session: None, workflows=workflows)

    with pytest.raises(AgentError) as caught:
        async with agent.open(Setup(workflow=WorkflowTrigger(name="onboarding")), trial="one"):
            pass

    assert message in str(caught.value)
    assert caught.value.by_agent is by_agent


async def test_mocked_tools_are_refused_rather_than_really_called() -> None:
    agent = FunctionAgent(lambda turn, session: None)

    with pytest.raises(AgentError, match="'refund' cannot be mocked"):
        async with agent.open(Setup(tools=(ToolMock(name="refund"),)), trial="one"):
            pass


# case: google/adk-python#3513
async def test_what_a_module_keeps_passes_between_trials_unless_it_is_reset(project: Path) -> None:
    (project / "leaky_shop.py").write_text(LEAKY)
    leaking = open_agent("function:leaky_shop:reply", {}, Surroundings(root=project))
    resetting = open_agent("function:leaky_shop:reply", {"reset": "forget"}, Surroundings(root=project))

    sizes = []
    for agent in (leaking, leaking, resetting, resetting):
        async with agent.open(Setup(), trial="one") as session:
            exchange = await session.send(HELLO, idle_timeout_s=LONG_S)
        sizes.append(exchange.replies[0].text)

    assert sizes == ["1", "2", "1", "1"]
    assert resetting.at_once == 1


LEAKY = """
CART = []

def forget():
    CART.clear()

def reply(turn, session):
    CART.append(turn.user)
    return str(len(CART))
"""


async def test_a_module_of_the_project_is_found_with_its_workflows(project: Path) -> None:
    (project / "tidy_shop").mkdir()
    (project / "tidy_shop" / "bot.py").write_text(
        "def begin(input, session):\n    session.state.user['begun'] = True\n"
        "workflows = {'begin': begin}\n"
        "class Bot:\n    async def reply(self, turn, session):\n        return 'found'\n"
        "bot = Bot()\n"
    )

    agent = open_agent("function:tidy_shop.bot:bot.reply", {"at_once": 3}, Surroundings(root=project))
    async with agent.open(Setup(workflow=WorkflowTrigger(name="begin")), trial="one") as session:
        exchange = await session.send(HELLO, idle_timeout_s=LONG_S)

    assert [reply.text for reply in exchange.replies] == ["found"]
    assert exchange.state == State(user={"begun": True})
    assert agent.at_once == 3


def test_the_projects_folder_is_searched_first_and_listed_once(project: Path) -> None:
    (project / "plain_shop.py").write_text("def reply(turn, session):\n    return None\n")
    sys.path.append(str(project))

    open_agent("function:plain_shop:reply", {}, Surroundings(root=project))

    assert sys.path[0] == str(project.resolve())
    assert sys.path.count(str(project.resolve())) == 1


@pytest.mark.parametrize(
    ("where", "message"),
    [
        pytest.param("odd_shop", "does not name a callable", id="no callable"),
        pytest.param("missing_shop:reply", "no module called 'missing_shop'", id="no such module"),
        pytest.param("odd_shop.py:reply", "write it with dots and without .py: odd_shop", id="a file name"),
        pytest.param("shops/odd_shop:reply", "write it with dots and without .py: shops.odd_shop", id="a path"),
        pytest.param("odd_shop:replly", "did you mean 'reply'?", id="misspelt"),
        pytest.param("odd_shop:NAME", "'NAME' of 'odd_shop' is str, expected a callable", id="no callable there"),
        pytest.param("broken_shop:reply", "cannot be imported: ZeroDivisionError: division by zero", id="crashes"),
        pytest.param("quitting_shop:reply", "cannot be imported: SystemExit: 0", id="ends the process"),
        pytest.param("needy_shop:reply", "No module named 'nowhere_to_be_found'", id="needs another module"),
    ],
)
def test_a_reference_that_leads_nowhere_is_told(project: Path, where: str, message: str) -> None:
    (project / "odd_shop.py").write_text("NAME = 'odd'\ndef reply(turn, session):\n    return None\n")
    (project / "broken_shop.py").write_text("1 / 0\n")
    (project / "quitting_shop.py").write_text("import sys\nsys.exit(0)\n")
    (project / "needy_shop.py").write_text("import nowhere_to_be_found\n")

    with pytest.raises(SettingsError) as caught:
        open_agent(f"function:{where}", {}, Surroundings(root=project))

    assert message in str(caught.value)


def test_an_unknown_option_is_refused(project: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        open_agent("function:a:b", {"at_onse": 3}, Surroundings(root=project))

    assert "did you mean 'at_once'?" in str(caught.value)
    assert caught.value.key == "agent.at_onse"
