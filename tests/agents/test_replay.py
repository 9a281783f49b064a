"""The replay agent: a stored run is said again, and nothing but that."""

from collections.abc import Mapping
from typing import get_args

import pytest

from audition.agents import Agent, Facet, Surroundings, open_agent
from audition.errors import AgentError, SettingsError
from audition.evals import Setup, Turn
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble

pytestmark = pytest.mark.anyio

LONG_S = 30.0
HELLO = Exchange(
    user="Hello",
    replies=(Reply(text="Hi", at_ms=12.0),),
    tool_calls=(ToolCall(name="find"),),
    state=State(user={"name": "Ada"}),
    response_ms=12.0,
)
CRASHED = Trouble(message="KeyError: 'id'", by_agent=True, detail="Traceback …")


def replaying(**stored: Transcript) -> Agent:
    """Return an agent that replays these transcripts."""
    return open_agent("replay:r-1", {}, Surroundings(transcripts=lambda run: stored))


async def said(agent: Agent, *turns: Turn) -> list[Exchange]:
    """Say turns to an agent, as the trial `greeting`."""
    async with agent.open(Setup(), trial="greeting") as session:
        return [await session.send(turn, idle_timeout_s=LONG_S) for turn in turns]


# case: empirical-run/empirical#166
async def test_a_stored_exchange_is_said_again_without_its_response_time() -> None:
    agent = replaying(greeting=Transcript(baseline=State(), exchanges=(HELLO,)))

    (exchange,) = await said(agent, Turn(user="Hello"))

    assert exchange.replies == HELLO.replies
    assert exchange.tool_calls == HELLO.tool_calls
    assert exchange.state == HELLO.state
    assert exchange.response_ms is None


@pytest.mark.parametrize(
    "turn",
    [
        pytest.param(Turn(user="Hello!"), id="another text"),
        pytest.param(Turn(event={"text": "Hello"}), id="an event"),
    ],
)
async def test_another_turn_than_the_stored_one_is_an_error(turn: Turn) -> None:
    agent = replaying(greeting=Transcript(exchanges=(HELLO,)))

    (exchange,) = await said(agent, turn)

    assert exchange.trouble == Trouble(message="the stored run has another turn here: 'Hello'", by_agent=False)
    assert exchange.replies == ()


async def test_a_stored_event_is_answered_only_by_the_same_event() -> None:
    agent = replaying(greeting=Transcript(exchanges=(Exchange(event={"id": 7}),)))

    (same,) = await said(agent, Turn(event={"id": 7}))
    (other,) = await said(agent, Turn(event={"id": 8}))

    assert same.trouble is None
    assert other.trouble == Trouble(message="the stored run has another turn here: an event", by_agent=False)


async def test_a_turn_beyond_the_stored_ones_is_an_error() -> None:
    agent = replaying(greeting=Transcript(exchanges=(HELLO,)))

    _, exchange = await said(agent, Turn(user="Hello"), Turn(user="Bye"))

    assert exchange.trouble == Trouble(message="the stored run has no turn 2", by_agent=False)


async def test_a_conversation_cut_short_back_then_is_cut_short_again() -> None:
    agent = replaying(greeting=Transcript(exchanges=(HELLO,), trouble=CRASHED))

    _, exchange = await said(agent, Turn(user="Hello"), Turn(user="Bye"))

    assert exchange.trouble == CRASHED


async def test_a_conversation_that_could_not_be_opened_cannot_be_opened_again() -> None:
    agent = replaying(greeting=Transcript(trouble=CRASHED))

    with pytest.raises(AgentError) as caught:
        await said(agent)

    assert (caught.value.message, caught.value.by_agent, caught.value.detail) == (CRASHED.message, True, "Traceback …")


async def test_a_trial_that_was_not_stored_is_an_error_that_names_a_near_one() -> None:
    agent = replaying(greetings=Transcript(exchanges=(HELLO,)))

    with pytest.raises(AgentError) as caught:
        await said(agent, Turn(user="Hello"))

    assert not caught.value.by_agent
    assert "no trial 'greeting'" in str(caught.value)
    assert "did you mean 'greetings'?" in str(caught.value)


def test_a_replayed_run_shows_what_its_agent_showed() -> None:
    agent = replaying(greeting=Transcript(exchanges=(HELLO,), observes=("replies", "timing")))

    assert agent.observes == {"replies", "timing"}


def test_a_run_that_does_not_say_what_could_be_seen_counts_as_having_shown_everything() -> None:
    agent = replaying(greeting=Transcript(exchanges=(HELLO,)))

    assert agent.observes == set(get_args(Facet))


def test_the_run_is_looked_up_by_what_the_reference_says() -> None:
    asked: list[str] = []

    def transcripts(run: str) -> Mapping[str, Transcript]:
        asked.append(run)
        return {}

    open_agent("replay:r-1", {}, Surroundings(transcripts=transcripts))

    assert asked == ["r-1"]


def test_without_a_history_there_is_nothing_to_replay() -> None:
    with pytest.raises(SettingsError, match="no history"):
        open_agent("replay:r-1")
