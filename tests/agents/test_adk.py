"""An ADK agent is loaded as ADK loads it, and everything it does is seen."""

import asyncio
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import Agent as LlmAgent
from google.adk.agents import BaseAgent, SequentialAgent
from google.adk.apps import App
from google.adk.events import Event
from google.adk.models import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.tools.agent_tool import AgentTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.tool_context import ToolContext
from google.adk.workflow import Workflow
from google.genai import types
from tests.doubles.adk import Answer, Model, call, in_turn, last, response, says

from audition.agents import Surroundings, open_agent
from audition.agents._adk_loading import without_collecting
from audition.agents.adk import AdkAgent
from audition.errors import AgentError, MissingExtra, SettingsError
from audition.evals import MockResult, SeedState, Setup, ToolMock, Turn, WorkflowTrigger
from audition.transcript import Exchange, State, ToolCall

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:The `plugins` argument is deprecated"),  # ADK's AgentTool passes it to a runner
]

LONG_S = 30.0


def get_light(room: str) -> str:
    """Tell whether the light of a room is on."""
    return f"{room}: on"


def list_rooms() -> list[str]:
    """List the rooms."""
    return ["hall", "attic"]


def measure(room: str) -> dict[str, Any]:
    """Measure a room."""
    return {"room": room, "area": 12.5}


def explode() -> str:
    """Fail."""
    raise RuntimeError("the boiler is gone\nand the roof with it")


def house(answer: Answer, *tools: Any, **more: Any) -> LlmAgent:
    """Return an agent with a model that answers so."""
    return LlmAgent(name="house", model=Model(answer=answer), tools=list(tools), **more)


async def say(agent: AdkAgent, *texts: str, setup: Setup | None = None) -> list[Exchange]:
    """Say texts to an agent, one after another."""
    async with agent.open(setup or Setup(), trial="t") as session:
        return [await session.send(Turn(user=text), idle_timeout_s=LONG_S) for text in texts]


def told(exchange: Exchange) -> list[str]:
    """Return the texts of an answer."""
    return [reply.text for reply in exchange.replies]


def named(calls: tuple[ToolCall, ...]) -> list[tuple[str, object, str | None]]:
    """Return what was called with what, and in whose run."""
    return [(one.name, one.arguments, one.within) for one in calls]


def write_agent(folder: Path, agent: str, *, init: str | None = "from . import agent\n") -> Path:
    """Write the package of an agent, and return its folder."""
    folder.mkdir(parents=True)
    if init is not None:
        (folder / "__init__.py").write_text(init, encoding="utf-8")
    (folder / "agent.py").write_text(HEAD + agent, encoding="utf-8")
    return folder


HEAD = """
import os
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models import BaseLlm, LlmCapabilities, LlmResponse
from google.adk.plugins import BasePlugin
from google.genai import types


class Says(BaseLlm):
    model: str = "says"
    text: str

    @property
    def capabilities(self):
        return LlmCapabilities()

    async def generate_content_async(self, llm_request, stream=False):
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text=self.text)]))


def says(text, **more):
    return LlmAgent(name="house", model=Says(text=text), **more)

"""


@pytest.fixture(autouse=True)
def _everything_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget the modules, paths and variables that loading an agent leaves behind."""
    known, path, variables = set(sys.modules), list(sys.path), dict(os.environ)
    yield
    for name in set(sys.modules) - known:
        if not name.startswith(("google.", "audition.")):
            del sys.modules[name]
    sys.path[:] = path
    os.environ.clear()
    os.environ.update(variables)


# Loading


async def reply_of(where: str, root: Path, **options: object) -> str:
    """Return what the agent of that reference says."""
    agent = open_agent(f"adk:{where}", options, Surroundings(root=root))
    async with agent.open(Setup(), trial="t") as session:
        exchange = await session.send(Turn(user="hello"), idle_timeout_s=LONG_S)
    return "\n".join(told(exchange))


LAYOUTS = {
    "a package that imports its agent": ("from . import agent\n", "root_agent = says('root')", "root"),
    "a package that leaves its agent to be found": ("", "root_agent = says('root')", "root"),
    "a folder with agent.py alone": (None, "root_agent = says('root')", "root"),
    "a package that takes the agent itself": ("from .agent import root_agent\n", "root_agent = says('root')", "root"),
    "an app before the root agent": (
        "from . import agent\n",
        "app = App(name='house', root_agent=says('app'))\nroot_agent = says('root')",
        "app",
    ),
    "an agent that is asked for": (
        "from . import agent\n",
        "async def get_agent_async():\n    return says('asked'), None",
        "asked",
    ),
}


@pytest.mark.parametrize(("init", "agent", "reply"), LAYOUTS.values(), ids=LAYOUTS.keys())
async def test_a_folder_is_loaded_as_adk_eval_loads_it(
    init: str | None, agent: str, reply: str, tmp_path: Path
) -> None:
    write_agent(tmp_path / "house", agent, init=init)

    assert await reply_of("house", tmp_path) == reply


async def test_a_dotted_module_is_loaded_as_agent_evaluator_loads_it_with_the_root_agent_first(tmp_path: Path) -> None:
    write_agent(tmp_path / "homes" / "house", "app = App(name='x', root_agent=says('app'))\nroot_agent = says('root')")

    assert await reply_of("homes.house.agent", tmp_path) == "root"
    assert await reply_of("homes.house", tmp_path) == "root"
    assert await reply_of("homes/house", tmp_path) == "app"


async def test_two_folders_of_the_same_name_are_two_agents(tmp_path: Path) -> None:
    write_agent(tmp_path / "a" / "house", "from .words import text\nroot_agent = says(text)")
    write_agent(tmp_path / "b" / "house", "from .words import text\nroot_agent = says(text)")
    (tmp_path / "a" / "house" / "words.py").write_text("text = 'one'", encoding="utf-8")
    (tmp_path / "b" / "house" / "words.py").write_text("text = 'two'", encoding="utf-8")

    assert await reply_of("a/house", tmp_path) == "one"
    assert await reply_of("b/house", tmp_path) == "two"


@pytest.mark.parametrize("name", ["json", "my-house", "house.v2"])
async def test_a_folder_may_have_a_name_that_is_taken_or_none_for_a_module(name: str, tmp_path: Path) -> None:
    write_agent(tmp_path / name, "from .words import text\nroot_agent = says(text)")
    (tmp_path / name / "words.py").write_text("text = 'mine'", encoding="utf-8")

    assert await reply_of(name, tmp_path) == "mine"
    assert json.dumps(1) == "1"


REFUSED: dict[str, tuple[str, str, dict[str, object], str]] = {
    "a folder that is not there": ("root_agent = says('x')", "./hut", {}, "there is no folder"),
    "a module that is not there": ("root_agent = says('x')", "hut", {}, "no module called 'hut'"),
    "a folder that was meant to be one": ("root_agent = says('x')", "hut", {"loader": "folder"}, "there is no folder"),
    "a package without an agent": ("agents = []", "house", {}, "offers no ADK agent"),
    "a package that breaks": ("raise ValueError('no key')", "house", {}, "ValueError: no key"),
    "a sub-agent that is not there": (
        "root_agent = says('x')",
        "house",
        {"agent_name": "hose"},
        "did you mean 'house'?",
    ),
    "an option that is none": ("root_agent = says('x')", "house", {"user": "x"}, "'user'"),
    "a file of variables that is not there": ("root_agent = says('x')", "house", {"env_file": "x.env"}, "x.env"),
}


@pytest.mark.parametrize(("agent", "where", "options", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_agent_is_refused_before_anything_is_said(
    agent: str, where: str, options: dict[str, object], message: str, tmp_path: Path
) -> None:
    write_agent(tmp_path / "house", agent)

    with pytest.raises(SettingsError) as refused:
        open_agent(f"adk:{where}", options, Surroundings(root=tmp_path))

    assert message in str(refused.value)


def test_a_folder_without_a_package_is_refused(tmp_path: Path) -> None:
    (tmp_path / "house").mkdir()

    with pytest.raises(SettingsError, match=r"neither __init__\.py nor agent\.py"):
        open_agent("adk:house", {}, Surroundings(root=tmp_path))


async def test_dot_env_above_the_folder_is_read_before_the_agent_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_agent(tmp_path / "homes" / "house", "root_agent = says(os.environ['HOUSE_WORDS'] + os.environ['HOUSE_MORE'])")
    (tmp_path / ".env").write_text('HOUSE_WORDS="from the file"\nHOUSE_MORE=, too\n', encoding="utf-8")

    assert await reply_of("homes/house", tmp_path) == "from the file, too"


async def test_env_file_names_another_file_of_variables(tmp_path: Path) -> None:
    write_agent(tmp_path / "house", "root_agent = says(os.environ['HOUSE_WORDS'])")
    (tmp_path / ".env").write_text("HOUSE_WORDS=usual", encoding="utf-8")
    (tmp_path / "test.env").write_text("HOUSE_WORDS=tested", encoding="utf-8")

    assert await reply_of("house", tmp_path, env_file="test.env") == "tested"


def test_without_google_adk_the_extra_is_named() -> None:
    code = (
        "import sys\n"
        "class Gone:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'google':\n"
        "            raise ModuleNotFoundError(name=name)\n"
        "sys.meta_path.insert(0, Gone())\n"
        "from audition.agents import open_agent\n"
        "from audition.errors import MissingExtra\n"
        "try:\n"
        "    open_agent('adk:house')\n"
        "except MissingExtra as missing:\n"
        "    print(missing)\n"
    )

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)

    assert "pip install 'audition[adk]'" in ran.stdout, ran.stderr
    assert issubclass(MissingExtra, Exception)


@pytest.mark.parametrize("breaks", [False, True], ids=["all is well", "an import fails"])
def test_garbage_is_collected_again_once_adk_is_imported(breaks: bool) -> None:
    with suppress(ImportError), without_collecting():
        collected_meanwhile = gc.isenabled()
        if breaks:
            raise ImportError

    assert (collected_meanwhile, gc.isenabled()) == (False, True)


async def test_the_agent_that_is_asked_for_is_asked_for_once() -> None:
    asked: list[str] = []

    async def get_agent_async() -> tuple[BaseAgent, None]:
        asked.append("once")
        await asyncio.sleep(0)
        return house(lambda request: "hello"), None

    agent = AdkAgent(get_agent_async)
    await asyncio.gather(*(say(agent, "hi") for _ in range(3)))

    assert asked == ["once"]


async def test_an_agent_that_cannot_be_had_is_the_agents_own_failure() -> None:
    async def get_agent_async() -> tuple[BaseAgent, None]:
        raise RuntimeError("no key")

    with pytest.raises(AgentError, match="get_agent_async: RuntimeError: no key") as failed:
        await say(AdkAgent(get_agent_async), "hi")

    assert failed.value.by_agent


async def test_agent_name_picks_a_sub_agent() -> None:
    attic = LlmAgent(name="attic", model=Model(answer=lambda request: "up here"))

    (exchange,) = await say(AdkAgent(house(lambda request: "down here", sub_agents=[attic]), agent_name="attic"), "hi")

    assert told(exchange) == ["up here"]


async def test_the_home_automation_example_does_what_its_eval_sets_say() -> None:
    example = Path(__file__).parents[2] / "examples" / "home_automation"
    agent = open_agent("adk:home_automation_agent", {}, Surroundings(root=example))
    cases = [
        case
        for name in ("single_turn.test.json", "multi_session.evalset.json")
        for case in json.loads((example / name).read_text("utf-8"))["eval_cases"]
    ]

    made, meant = [], []
    for case in cases:
        async with agent.open(Setup(), trial=case["eval_id"]) as session:
            for turn in case["conversation"]:
                said = turn["user_content"]["parts"][0]["text"]
                exchange = await session.send(Turn(user=said), idle_timeout_s=LONG_S)
                made.append([(one.name, one.arguments) for one in exchange.tool_calls])
                meant.append([(one["name"], one["args"]) for one in turn["intermediate_data"]["tool_uses"]])

    assert made == meant
    assert len(made) == 4
    assert agent.at_once == 1


# reset_data


async def test_reset_data_is_called_before_each_trial_and_trials_then_run_one_by_one() -> None:
    resets: list[str] = []
    agent = AdkAgent(house(lambda request: "hello"), reset=lambda: resets.append("reset"))

    await say(agent, "hi", "again")
    await say(agent, "hi")

    assert resets == ["reset", "reset"]
    assert agent.at_once == 1
    assert AdkAgent(house(lambda request: "hello")).at_once > 200
    assert AdkAgent(house(lambda request: "hello"), reset=lambda: None, at_once=4).at_once == 4


async def test_reset_data_may_be_awaited_and_its_failure_is_the_agents() -> None:
    async def reset() -> None:
        raise OSError("disk full")

    with pytest.raises(AgentError, match="reset_data: OSError: disk full") as failed:
        await say(AdkAgent(house(lambda request: "hello"), reset=reset), "hi")

    assert failed.value.by_agent


# Answers


async def test_the_answer_is_the_final_text_and_what_was_said_before_it_is_a_remark() -> None:
    answer = in_turn([types.Part(text="Let me look."), call("get_light", room="hall")], "It is on.")

    (exchange,) = await say(AdkAgent(house(answer, get_light)), "Is the light on?")

    assert told(exchange) == ["It is on."]
    assert [one.text for one in exchange.remarks] == ["Let me look."]
    assert exchange.response_ms == exchange.replies[0].at_ms


# case: google/adk-python#7091
async def test_thoughts_are_no_part_of_the_answer() -> None:
    answer = [types.Part(text="Let me think.", thought=True), types.Part(text="The answer is 42"), types.Part(text="!")]

    (exchange,) = await say(AdkAgent(house(lambda request: answer)), "What is 6x7?")

    assert told(exchange) == ["The answer is 42\n!"]


class Streams(BaseAgent):
    """An agent that yields events as it is told."""

    events: list[tuple[bool, str]]

    async def _run_async_impl(self, ctx: Any) -> Any:
        for partial, text in self.events:
            content = types.Content(role="model", parts=[types.Part(text=text)])
            yield Event(author=self.name, invocation_id=ctx.invocation_id, partial=partial, content=content)


# case: beyonai/by-framework-python#132
@pytest.mark.parametrize(
    "events",
    [
        pytest.param([(True, "Your order "), (True, "has shipped."), (False, "Your order has shipped.")], id="both"),
        pytest.param([(False, "Your order has shipped.")], id="the final event alone"),
    ],
)
async def test_chunks_are_never_added_to_the_text_that_they_make_up(events: list[tuple[bool, str]]) -> None:
    (exchange,) = await say(AdkAgent(Streams(name="streams", events=events)), "Where is it?")

    assert told(exchange) == ["Your order has shipped."]
    assert exchange.remarks == ()


@pytest.mark.filterwarnings("ignore:SequentialAgent is deprecated")
async def test_the_last_of_several_agents_gives_the_answer() -> None:
    first = LlmAgent(name="first", model=Model(answer=lambda request: "draft"))
    second = LlmAgent(name="second", model=Model(answer=lambda request: "final"))

    (exchange,) = await say(AdkAgent(SequentialAgent(name="both", sub_agents=[first, second])), "write")

    assert told(exchange) == ["final"]
    assert [one.text for one in exchange.remarks] == ["draft"]


EMPTY: dict[str, object] = {
    "a content without parts": response([]),
    "no content": LlmResponse(),
    "an empty text": "",
    "a thought alone": [types.Part(text="Hm.", thought=True)],
}


@pytest.mark.parametrize("answer", EMPTY.values(), ids=EMPTY.keys())
async def test_a_turn_without_an_answer_is_silence_and_the_next_turn_is_taken(answer: object) -> None:
    silent, spoken = await say(AdkAgent(house(says({"a": answer, "b": "here"}))), "a", "b")

    assert (silent.replies, silent.trouble, silent.response_ms) == ((), None, None)
    assert told(spoken) == ["here"]


async def test_parts_that_are_no_text_reach_the_agent() -> None:
    agent = AdkAgent(house(lambda request: str(last(request).inline_data.mime_type)))  # type: ignore[union-attr]
    content = {"role": "user", "parts": [{"text": "See"}, {"inlineData": {"mimeType": "image/png", "data": "aGk="}}]}

    async with agent.open(Setup(), trial="t") as session:
        exchange = await session.send(Turn(user="See", extra={"user_content": content}), idle_timeout_s=LONG_S)

    assert told(exchange) == ["image/png"]


async def test_content_that_adk_does_not_know_is_nobodys_failure() -> None:
    async with AdkAgent(house(lambda request: "x")).open(Setup(), trial="t") as session:
        turn = Turn(user="x", extra={"user_content": {"parts": [{"txt": "x"}]}})
        exchange = await session.send(turn, idle_timeout_s=LONG_S)

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert "user_content" in exchange.trouble.message


async def test_an_event_is_refused_and_so_is_a_workflow() -> None:
    agent = AdkAgent(house(lambda request: "x"))

    async with agent.open(Setup(), trial="t") as session:
        exchange = await session.send(Turn(event={"kind": "ping"}), idle_timeout_s=LONG_S)
    with pytest.raises(AgentError, match="no workflow 'welcome'") as refused:
        await say(agent, "hi", setup=Setup(workflow=WorkflowTrigger(name="welcome")))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert not refused.value.by_agent


# Tools


async def test_a_tool_call_has_its_arguments_its_own_result_and_its_times() -> None:
    answer = in_turn(call("get_light", room="hall"), call("measure", room="hall"), call("list_rooms"), "done")

    (exchange,) = await say(AdkAgent(house(answer, get_light, measure, list_rooms)), "go")

    assert named(exchange.tool_calls) == [
        ("get_light", {"room": "hall"}, None),
        ("measure", {"room": "hall"}, None),
        ("list_rooms", {}, None),
    ]
    assert [one.result for one in exchange.tool_calls] == [
        "hall: on",
        {"room": "hall", "area": 12.5},
        ["hall", "attic"],
    ]
    times = [(one.started_ms or 0, one.ended_ms or 0) for one in exchange.tool_calls]
    assert [0 < started <= ended <= (exchange.response_ms or 0) for started, ended in times] == [True] * 3


async def test_parallel_calls_stand_in_the_order_in_which_the_model_made_them() -> None:
    calls = [call("get_light", room="hall"), call("get_light", room="attic"), call("get_light", room="hall")]

    (exchange,) = await say(AdkAgent(house(in_turn(calls, "done"), get_light)), "go")

    assert [one.arguments["room"] for one in exchange.tool_calls] == ["hall", "attic", "hall"]
    assert [one.result for one in exchange.tool_calls] == ["hall: on", "attic: on", "hall: on"]


async def test_calls_with_one_and_the_same_id_are_all_counted() -> None:
    same = types.Part(function_call=types.FunctionCall(id="1", name="get_light", args={"room": "hall"}))

    (exchange,) = await say(AdkAgent(house(in_turn(same, same.model_copy(deep=True), "done"), get_light)), "go")

    assert len(exchange.tool_calls) == 2


async def test_a_transfer_is_a_call_and_the_calls_of_the_sub_agent_follow_it() -> None:
    attic = LlmAgent(
        name="attic", model=Model(answer=in_turn(call("get_light", room="attic"), "on")), tools=[get_light]
    )
    root = house(lambda request: call("transfer_to_agent", agent_name="attic"), sub_agents=[attic])

    (exchange,) = await say(AdkAgent(root), "Is it on up there?")

    assert named(exchange.tool_calls) == [
        ("transfer_to_agent", {"agent_name": "attic"}, None),
        ("get_light", {"room": "attic"}, None),
    ]
    assert [made.transfer for made in exchange.tool_calls] == [True, False]
    assert told(exchange) == ["on"]


# case: google/adk-python#3493, google/adk-python#3652
@pytest.mark.parametrize("include_plugins", [True, False], ids=["with plugins", "without plugins"])
async def test_the_calls_of_an_agent_used_as_a_tool_are_seen(include_plugins: bool) -> None:
    usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=5, candidates_token_count=1)
    spends = [response([call("get_light", room="attic")], usage_metadata=usage), response([types.Part(text="on")])]
    attic = LlmAgent(name="attic", model=Model(answer=in_turn(*spends)), tools=[get_light])
    root = house(
        in_turn([call("attic", request="look"), call("get_light", room="hall")], "Both are on."),
        AgentTool(attic, include_plugins=include_plugins),
        get_light,
    )

    (exchange,) = await say(AdkAgent(root), "Are they on?")

    assert sorted(named(exchange.tool_calls), key=str) == [
        ("attic", {"request": "look"}, None),
        ("get_light", {"room": "attic"}, "attic"),
        ("get_light", {"room": "hall"}, None),
    ]
    assert [one.result for one in exchange.tool_calls if one.within] == ["attic: on"]
    assert told(exchange) == ["Both are on."]
    assert exchange.usage is not None
    assert (exchange.usage.calls, exchange.usage.input_tokens) == (1, 5)


async def test_a_tool_that_fails_is_noted_and_ends_the_turn_as_the_agents_own_failure() -> None:
    (exchange,) = await say(AdkAgent(house(in_turn(call("explode"), "never"), explode)), "go")

    assert [one.error for one in exchange.tool_calls] == ["RuntimeError: the boiler is gone"]
    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert exchange.trouble.message == "RuntimeError: the boiler is gone\nand the roof with it"
    assert exchange.trouble.detail is not None
    assert "in explode" in exchange.trouble.detail
    assert "in run_async" not in exchange.trouble.detail


async def test_a_tool_that_ends_the_process_does_not() -> None:
    def quit_all() -> str:
        """Quit."""
        sys.exit(0)

    (exchange,) = await say(AdkAgent(house(in_turn(call("quit_all"), "never"), quit_all)), "go")

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent
    assert exchange.trouble.message == "ToolExit: the tool 'quit_all' called sys.exit(0)"


async def test_a_tool_that_does_not_exist_is_noted_with_what_the_model_was_told() -> None:
    (exchange,) = await say(AdkAgent(house(in_turn(call("get_lihgt", room="hall"), "Sorry."), get_light)), "go")

    (lost,) = exchange.tool_calls
    assert lost.error == "ValueError: Tool 'get_lihgt' not found."
    assert told(exchange) == ["Sorry."]
    assert exchange.trouble is None


async def test_a_result_that_json_does_not_know_becomes_text() -> None:
    def odd() -> dict[str, object]:
        """Return something odd."""
        return {"kind": {1}, "where": Path("attic")}

    (exchange,) = await say(AdkAgent(house(in_turn(call("odd"), "done"), odd)), "go")

    assert exchange.tool_calls[0].result == {"kind": [1], "where": "attic"}


# Trouble


async def test_a_crash_of_the_model_is_the_agents_own_failure() -> None:
    (exchange,) = await say(AdkAgent(house(lambda request: RuntimeError("model overloaded"))), "hi")

    assert exchange.trouble is not None
    assert (exchange.trouble.message, exchange.trouble.by_agent) == ("RuntimeError: model overloaded", True)


class Refused(Exception):
    """What clients of models raise: an error with a status."""

    def __init__(self, code: int) -> None:
        super().__init__(f"status {code}")
        self.code = code


@pytest.mark.parametrize(
    ("error", "by_agent"),
    [
        pytest.param(Refused(429), False, id="too many requests"),
        pytest.param(Refused(503), False, id="unavailable"),
        pytest.param(ConnectionRefusedError("refused"), False, id="out of reach"),
        pytest.param(Refused(400), True, id="a bad request"),
    ],
)
async def test_a_model_out_of_reach_is_trouble_on_the_way(error: Exception, by_agent: bool) -> None:
    (exchange,) = await say(AdkAgent(house(lambda request: error)), "hi")

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent is by_agent


async def test_a_tool_out_of_reach_is_the_agents_own_failure() -> None:
    def dial() -> str:
        """Dial."""
        raise ConnectionRefusedError("nobody there")

    (exchange,) = await say(AdkAgent(house(in_turn(call("dial"), "x"), dial)), "hi")

    assert exchange.trouble is not None
    assert exchange.trouble.by_agent


async def test_a_model_that_gives_an_error_for_an_answer_is_trouble_and_says_which() -> None:
    answer = LlmResponse(error_code="SAFETY", error_message="blocked")

    (exchange,) = await say(AdkAgent(house(lambda request: answer)), "hi")

    assert exchange.trouble is not None
    assert (exchange.trouble.message, exchange.trouble.by_agent) == ("the model gave no answer: SAFETY: blocked", True)


async def test_what_was_done_before_a_crash_is_kept() -> None:
    answer = in_turn(call("get_light", room="hall"), RuntimeError("gone"))

    (exchange,) = await say(AdkAgent(house(answer, get_light)), "hi")

    assert named(exchange.tool_calls) == [("get_light", {"room": "hall"}, None)]
    assert exchange.trouble is not None


async def test_a_crash_says_nothing_on_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    await say(AdkAgent(house(lambda request: RuntimeError("gone"))), "hi")

    assert capfd.readouterr() == ("", "")


# State and sessions


def remember(key: str, value: str, tool_context: ToolContext) -> str:
    """Keep something."""
    tool_context.state[key] = value
    return "kept"


async def test_state_is_seeded_and_read_back_in_three_scopes() -> None:
    answer = in_turn(
        [call("remember", key=key, value="new") for key in ("topic", "user:mood", "app:news", "temp:scrap")], "done"
    )
    seed = SeedState(conversation={"topic": "old", "lamp": 1}, user={"name": "Ada"}, bot={"open": True})

    async with AdkAgent(house(answer, remember)).open(Setup(state=seed), trial="t") as session:
        before = await session.state()
        exchange = await session.send(Turn(user="go"), idle_timeout_s=LONG_S)

    assert before == State(conversation={"topic": "old", "lamp": 1}, user={"name": "Ada"}, bot={"open": True})
    assert exchange.state == State(
        conversation={"topic": "new", "lamp": 1}, user={"name": "Ada", "mood": "new"}, bot={"open": True, "news": "new"}
    )


async def test_seeded_state_is_filled_into_instructions() -> None:
    agent = house(lambda request: str(request.config.system_instruction), instruction="Speak {user:language}.")

    (exchange,) = await say(AdkAgent(agent), "hi", setup=Setup(state=SeedState(user={"language": "Welsh"})))

    assert "Speak Welsh." in told(exchange)[0]


async def test_nothing_of_one_trials_state_is_there_in_another() -> None:
    agent = AdkAgent(house(says({"go": call("remember", key="app:seen", value="x"), "look": "here"}), remember))

    await say(agent, "go")
    (exchange,) = await say(agent, "look")

    assert exchange.state == State()


async def test_sessions_are_opened_as_the_eval_says() -> None:
    def whoami(tool_context: ToolContext) -> str:
        """Tell the session."""
        session = tool_context.session
        return f"{session.app_name}/{session.user_id}/{session.id}"

    agent = AdkAgent(house(says({"go": call("whoami")}), whoami), app_name="house", user_id="visitor")
    own = {"app_name": "shop", "user_id": "ada", "session_id": "s1"}

    (told_all,) = await say(agent, "go", setup=Setup(session=own))
    (told_none,) = await say(agent, "go")

    assert told_all.tool_calls[0].result == "shop/ada/s1"
    assert str(told_none.tool_calls[0].result).startswith("house/visitor/")


async def test_two_hundred_turns_copy_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[int] = []
    agent = AdkAgent(house(lambda request: "yes"))
    original = Event.__deepcopy__

    def counted(self: Event, memo: dict[int, Any] | None = None) -> Event:
        copied.append(1)
        return original(self, memo)

    monkeypatch.setattr(Event, "__deepcopy__", counted)
    exchanges = await say(agent, *(str(number) for number in range(200)))

    assert [told(one) for one in exchanges] == [["yes"]] * 200
    assert len(copied) <= 200


async def test_a_later_turn_sees_the_earlier_ones() -> None:
    agent = house(lambda request: str(len([one for one in request.contents if one.role == "user"])))

    exchanges = await say(AdkAgent(agent), "a", "b", "c")

    assert [told(one) for one in exchanges] == [["1"], ["2"], ["3"]]


# Usage


async def test_usage_is_summed_over_the_models_of_a_turn() -> None:
    def spent(parts: list[types.Part], **counts: int) -> LlmResponse:
        return response(parts, usage_metadata=types.GenerateContentResponseUsageMetadata(**counts))

    answer = in_turn(
        spent([call("list_rooms")], prompt_token_count=100, candidates_token_count=7, thoughts_token_count=3),
        spent([types.Part(text="two")], prompt_token_count=120, tool_use_prompt_token_count=5),
    )

    (exchange,) = await say(AdkAgent(house(answer, list_rooms)), "go")

    assert exchange.usage is not None
    assert (exchange.usage.calls, exchange.usage.input_tokens, exchange.usage.output_tokens) == (2, 225, 10)


async def test_models_that_say_nothing_of_their_cost_have_no_usage() -> None:
    (exchange,) = await say(AdkAgent(house(lambda request: "hello")), "hi")

    assert exchange.usage is None


# Mocks


def mock(name: str, *results: MockResult) -> Setup:
    """Return a setup with one mocked tool."""
    return Setup(tools=(ToolMock(name=name, results=results),))


MOCKED: dict[str, tuple[MockResult, object, object, str | None]] = {
    "an object": (MockResult(result={"on": False}), {"on": False}, {"on": False}, None),
    "a text": (MockResult(result="off"), {"result": "off"}, "off", None),
    "nothing": (MockResult(), {"result": None}, None, None),
    "an error": (MockResult(error="no power"), {"error": "no power"}, None, "no power"),
    "when it matches": (MockResult(when={"room": "hall"}, result="dark"), {"result": "dark"}, "dark", None),
    "when none matches": (
        MockResult(when={"room": "attic"}, result="dark"),
        {"error": "no result is prepared for these arguments"},
        None,
        "no result is prepared for these arguments",
    ),
}


# case: google/adk-python#4051, google/adk-python#4193
@pytest.mark.parametrize(("canned", "heard", "result", "error"), MOCKED.values(), ids=MOCKED.keys())
async def test_a_mocked_tool_is_answered_and_never_run(
    canned: MockResult, heard: object, result: object, error: str | None
) -> None:
    ran: list[str] = []

    def get_light(room: str) -> str:
        """Tell whether the light is on."""
        ran.append(room)
        return "on"

    def answer(request: Any) -> object:
        given = last(request).function_response
        return json.dumps(given.response) if given else call("get_light", room="hall")

    (exchange,) = await say(AdkAgent(house(answer, get_light)), "go", setup=mock("get_light", canned))

    (noted,) = exchange.tool_calls
    assert ran == []
    assert json.loads(told(exchange)[0]) == heard
    assert (noted.arguments, noted.result, noted.error) == ({"room": "hall"}, result, error)


@pytest.mark.parametrize("include_plugins", [True, False], ids=["with plugins", "without plugins"])
async def test_a_tool_of_an_agent_used_as_a_tool_is_mocked_too(include_plugins: bool) -> None:
    attic = LlmAgent(name="attic", model=Model(answer=in_turn(call("explode"), "fine")), tools=[explode])
    root = house(in_turn(call("attic", request="look"), "done"), AgentTool(attic, include_plugins=include_plugins))

    (exchange,) = await say(AdkAgent(root), "go", setup=mock("explode", MockResult(result="calm")))

    assert [(one.name, one.result) for one in exchange.tool_calls if one.within] == [("explode", "calm")]
    assert exchange.trouble is None


async def test_a_mock_of_a_tool_that_the_agent_does_not_have_is_refused() -> None:
    with pytest.raises(AgentError, match="did you mean 'get_light'") as refused:
        await say(AdkAgent(house(lambda request: "x", get_light)), "go", setup=mock("get_lihgt", MockResult()))

    assert not refused.value.by_agent


async def test_a_mock_for_a_toolset_is_taken_at_its_word() -> None:
    class Rooms(BaseToolset):
        async def get_tools(self, readonly_context: Any = None) -> list[Any]:
            return []

    (exchange,) = await say(AdkAgent(house(lambda request: "x", Rooms())), "go", setup=mock("later", MockResult()))

    assert told(exchange) == ["x"]


async def test_a_mock_that_cannot_be_chosen_is_nobodys_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audition.scoring.patterns.LIMIT_S", 0.05)
    slow = MockResult(when={"room": {"matches": "(x|xx)+$"}})
    agent = AdkAgent(house(in_turn(call("get_light", room="x" * 40 + "y"), "x"), get_light))

    (exchange,) = await say(agent, "go", setup=mock("get_light", slow))

    assert exchange.trouble is not None
    assert not exchange.trouble.by_agent
    assert "'get_light' can be chosen" in exchange.trouble.message


# Apps


class Guard(BasePlugin):
    """A plugin that answers for one tool and knows when it is closed."""

    def __init__(self) -> None:
        super().__init__(name="guard")
        self.closed = 0

    async def before_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any) -> dict[str, Any] | None:
        return {"guarded": tool.name}

    async def close(self) -> None:
        self.closed += 1


async def test_the_plugins_of_an_app_take_part_and_are_closed_when_nobody_uses_them() -> None:
    guard = Guard()
    root = house(says({"go": call("explode")}), explode)
    agent = AdkAgent(root, app=App(name="house", root_agent=root, plugins=[guard]))

    async with agent.open(Setup(), trial="a") as one:
        (exchange,) = await say(agent, "go")
        closed_early = guard.closed
        await one.send(Turn(user="go"), idle_timeout_s=LONG_S)

    assert exchange.tool_calls[0].result == {"guarded": "explode"}
    assert (closed_early, guard.closed) == (0, 1)


async def test_sessions_side_by_side_see_their_own_calls_alone() -> None:
    def echo(request: Any) -> object:
        part = last(request)
        return "done" if part.function_response else call("get_light", room=part.text)

    agent = AdkAgent(house(echo, get_light))

    results = await asyncio.gather(*(say(agent, f"room {number}") for number in range(5)))

    assert [[one.arguments["room"] for one in exchange.tool_calls] for (exchange,) in results] == [
        [f"room {number}"] for number in range(5)
    ]


async def test_the_root_of_an_app_may_be_a_workflow() -> None:
    def greet(node_input: Any) -> Event:
        return Event(author="greet", content=types.Content(role="model", parts=[types.Part(text="hello")]))

    workflow = Workflow(name="flow", edges=[("START", greet)])

    (exchange,) = await say(AdkAgent(workflow), "hi")

    assert (told(exchange), exchange.trouble) == (["hello"], None)
