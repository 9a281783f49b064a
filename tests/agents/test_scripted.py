"""The scripted agent: which answer is taken, what it does, and what is wrong with a file of answers."""

from pathlib import Path
from typing import Any

import pytest

from audition.agents import open_agent
from audition.agents.scripted import Scripted
from audition.errors import LoadError, SettingsError
from audition.evals import SeedState, Setup, Turn
from audition.transcript import Exchange, State, Trouble

pytestmark = pytest.mark.anyio

LONG_S = 30.0
BARE = Setup()


async def said(agent: Scripted, *turns: Turn, trial: str = "greeting", setup: Setup = BARE) -> list[Exchange]:
    """Say turns to an agent in one session."""
    async with agent.open(setup, trial=trial) as session:
        return [await session.send(turn, idle_timeout_s=LONG_S) for turn in turns]


def texts(exchanges: list[Exchange]) -> list[str]:
    """Return all that was said."""
    return [reply.text for exchange in exchanges for reply in exchange.replies]


@pytest.mark.parametrize(
    ("when", "turn", "is_meant"),
    [
        pytest.param({"user": "hello"}, Turn(user="Hello"), True, id="a text, whatever its case"),
        pytest.param({"user": "hello"}, Turn(user="Hello you"), False, id="another text"),
        pytest.param({"user": {"contains": "you"}}, Turn(user="Hello you"), True, id="operators"),
        pytest.param({"user": {"contains": "a", "matches": "b$"}}, Turn(user="ab"), True, id="all operators hold"),
        pytest.param({"user": {"contains": "a", "matches": "b$"}}, Turn(user="ba"), False, id="one does not hold"),
        pytest.param({"user": "hello"}, Turn(event={"user": "hello"}), False, id="an event is not said"),
        pytest.param({"event": {"kind": "ping"}}, Turn(event={"kind": "ping", "n": 1}), True, id="an event"),
        pytest.param({"event": {"order.id": {"gte": 7}}}, Turn(event={"order": {"id": 7}}), True, id="a dotted path"),
        pytest.param({"event": {"kind": "ping"}}, Turn(event={}), False, id="an event without it"),
        pytest.param({"event": {}}, Turn(event={"kind": "ping"}), True, id="any event"),
        pytest.param({"event": {}}, Turn(user="ping"), False, id="what is said is no event"),
        pytest.param({}, Turn(user="ping"), True, id="nothing asked for"),
    ],
)
async def test_an_answer_is_taken_for_the_turns_it_is_meant_for(when: Any, turn: Turn, is_meant: bool) -> None:
    agent = Scripted([{"when": when, "say": "taken"}, {"say": "not taken"}])

    assert texts(await said(agent, turn)) == ["taken" if is_meant else "not taken"]


async def test_a_turn_for_which_nothing_is_written_is_an_error() -> None:
    agent = Scripted([{"when": {"user": "Hello"}, "say": "Hi"}])

    (exchange,) = await said(agent, Turn(user="Bye"))

    assert exchange.trouble == Trouble(message="no answer is written for this turn", by_agent=False)


@pytest.mark.parametrize(
    ("trial", "replies"),
    [
        pytest.param("greeting", ["first", "second", "any"], id="by eval"),
        pytest.param("greeting#1", ["first", "second", "any"], id="by eval, for one of its trials"),
        pytest.param("greeting#2", ["other", "any", "any"], id="by trial"),
        pytest.param("farewell", ["any", "any", "any"], id="another eval"),
    ],
)
async def test_answers_of_a_conversation_are_taken_in_turn(trial: str, replies: list[str]) -> None:
    conversations = {"greeting": [{"say": "first"}, {"say": "second"}], "greeting#2": [{"say": "other"}]}
    agent = Scripted([{"say": "any"}], conversations=conversations)

    assert texts(await said(agent, *[Turn(user="Hello")] * 3, trial=trial)) == replies


async def test_each_session_begins_a_conversation_anew() -> None:
    agent = Scripted(conversations={"greeting": [{"say": "first"}]})

    first, second = await said(agent, Turn(user="Hello")), await said(agent, Turn(user="Hello"))

    assert texts(first) == texts(second) == ["first"]


async def test_state_is_written_by_dotted_path_and_the_rest_stays() -> None:
    answer = {"say": "ok", "state": {"conversation": {"ticket.id": 7, "topic.name": "refund"}, "bot": {"open": None}}}
    seed = SeedState(user={"name": "Ada"}, conversation={"ticket": {"status": "new"}, "topic": "none", "kept": 1})

    (exchange,) = await said(Scripted([answer]), Turn(user="Hello"), setup=Setup(state=seed))

    assert exchange.state == State(
        bot={"open": None},
        user={"name": "Ada"},
        conversation={"ticket": {"status": "new", "id": 7}, "topic": {"name": "refund"}, "kept": 1},
    )


async def test_what_one_session_writes_into_a_value_does_not_reach_the_next() -> None:
    agent = Scripted(
        [
            {"when": {"user": "open"}, "say": "ok", "state": {"conversation": {"ticket": {"status": "new"}}}},
            {"when": {"user": "close"}, "say": "ok", "state": {"conversation": {"ticket.status": "closed"}}},
        ]
    )

    await said(agent, Turn(user="open"), Turn(user="close"))
    (exchange,) = await said(agent, Turn(user="open"))

    assert exchange.state == State(conversation={"ticket": {"status": "new"}})


async def test_what_was_done_before_a_crash_is_kept() -> None:
    agent = Scripted([{"say": "one moment", "tools": [{"name": "find", "error": "down"}], "error": "KeyError: 'id'"}])

    (exchange,) = await said(agent, Turn(user="Hello"))

    assert texts([exchange]) == ["one moment"]
    assert [(call.name, call.error) for call in exchange.tool_calls] == [("find", "down")]
    assert exchange.trouble == Trouble(message="KeyError: 'id'", by_agent=True)


async def test_what_was_done_before_a_time_out_is_kept() -> None:
    agent = Scripted([{"say": "late", "tools": [{"name": "find"}], "delayMs": 3_600_000}])

    async with agent.open(BARE, trial="one") as session:
        exchange = await session.send(Turn(user="Hello"), idle_timeout_s=0.01)

    assert exchange.trouble == Trouble(message="no answer within 0.01 s", by_agent=True)
    assert exchange.replies == ()
    assert [call.name for call in exchange.tool_calls] == ["find"]


# case: empirical-run/empirical#166
async def test_the_delay_is_part_of_the_response_time() -> None:
    (exchange,) = await said(Scripted([{"say": "pong", "delay_ms": 20}]), Turn(user="Ping"))

    assert exchange.response_ms is not None
    assert exchange.response_ms >= 19


async def test_a_tool_call_may_be_malformed() -> None:
    (exchange,) = await said(Scripted([{"tools": [{"name": "find", "malformed": "{id: "}]}]), Turn(user="Hello"))

    assert [(call.arguments, call.malformed) for call in exchange.tool_calls] == [({}, "{id: ")]


async def test_an_agent_whose_state_cannot_be_seen_shows_none() -> None:
    agent = Scripted([{"say": "Hi"}], observes=frozenset({"replies"}))

    (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.state is None


def test_wrong_answers_are_refused_all_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        Scripted([{"say": 7}, {"sya": "Hi"}])

    assert "replies.0.say" in str(caught.value)
    assert "unknown key 'sya' in answer" in str(caught.value)


WRONG = """\
replies:
  - when: {user: {contians: refund}}
    say: 7
  - when: {user: a, event: {b: c}}
    say: Hi
  - unreachable: refused
    say: Hi
  - tools: [{args: {id: 1}}]
    delay: 3
conversations:
  greeting:
    - {when: {user: Hello}, say: Hi}
"""


def test_every_fault_of_a_file_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text(WRONG)

    with pytest.raises(LoadError) as caught:
        open_agent(f"scripted:{tmp_path / 'answers.yaml'}")

    places = [(fault.where.line, fault.where.column) for fault in caught.value.faults]
    assert places == [(2, 19), (3, 5), (4, 5), (6, 5), (8, 13), (9, 5), (12, 8)]
    assert caught.value.faults[0].hint == "did you mean 'contains'?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "holds one document, not 0", id="empty"),
        pytest.param("replies: []\n---\nreplies: []\n", "holds one document, not 2", id="two documents"),
        pytest.param("replies: [", "not YAML", id="broken"),
        pytest.param("[]", "must be an object (file of answers), not a list", id="a list"),
    ],
)
def test_a_file_that_is_none_is_told(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "answers.yaml").write_text(text)

    with pytest.raises(LoadError) as caught:
        open_agent(f"scripted:{tmp_path / 'answers.yaml'}")

    assert message in str(caught.value)


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(LoadError, match="cannot be read"):
        open_agent("scripted:nowhere/answers.yaml")


def test_what_can_be_seen_of_it_may_be_set(tmp_path: Path) -> None:
    (tmp_path / "answers.yaml").write_text("replies: [{say: Hi}]")

    agent = open_agent(f"scripted:{tmp_path / 'answers.yaml'}", {"observes": ["replies"]})

    assert agent.observes == {"replies"}
