"""The fixture `audition`: what is said, what is expected, and what a test that fails tells."""

from collections.abc import Callable
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

Run = Callable[..., pytest.RunResult]

ASYNC = """
import asyncio, pytest

pytestmark = pytest.mark.anyio

@pytest.fixture
def anyio_backend():
    return "asyncio"
"""

CLOSED = """
from contextlib import asynccontextmanager
from audition.transcript import Exchange, Reply

class Agent:
    observes, at_once, loops = frozenset({"replies"}), 1, []

    @asynccontextmanager
    async def open(self, setup, *, trial):
        self.loops.append(asyncio.get_running_loop())
        try:
            yield self
        finally:
            self.loops.append("closed")

    async def send(self, turn, *, idle_timeout_s):
        self.loops.append(asyncio.get_running_loop())
        return Exchange(user=turn.user, replies=(Reply(text="hi"),))

AGENT = Agent()
"""


def outcome_of(run: Run, project: pytest.Pytester, body: str, *, header: str = ASYNC) -> pytest.RunResult:
    """Return what comes of a file with these tests."""
    project.makepyfile(test_it=f"{header}\n{body}")
    return run()


def test_an_async_test_talks_with_the_agent(run: Run, project: pytest.Pytester) -> None:
    body = """
async def test_it(audition):
    assert await audition.say("hi") == "You said: hi"
    assert await audition.say("bye") == "You said: bye"
    audition.expect(response={"contains": "bye"}, tools=[{"called": "look_up", "params": {"what": {"equals": "bye"}}}])
    assert len(audition.transcript.exchanges) == 2
"""

    outcome_of(run, project, body).assert_outcomes(passed=1)


def test_a_test_that_is_not_async_talks(run: Run, project: pytest.Pytester) -> None:
    body = """
def test_it(audition):
    assert audition.talk("hi") == "You said: hi"
    audition.expect(response=[{"contains": "hi"}, {"not_contains": "bye"}])
"""

    outcome_of(run, project, body, header="").assert_outcomes(passed=1)


def test_a_fixture_that_is_not_async_may_begin_an_async_test(run: Run, project: pytest.Pytester) -> None:
    body = """
@pytest.fixture
def greeted(audition):
    audition.talk("hi")
    return audition

async def test_it(greeted):
    await greeted.say("bye")
    assert [one.user for one in greeted.transcript.exchanges] == ["hi", "bye"]
"""

    outcome_of(run, project, body).assert_outcomes(passed=1)


def test_talking_would_block_an_async_test(run: Run, project: pytest.Pytester) -> None:
    body = """
async def test_it(audition):
    audition.talk("hi")
"""

    outcome_of(run, project, body).stdout.fnmatch_lines(
        ["*talk() would block the running loop", "*await audition.say(...)"]
    )


def test_an_async_test_keeps_the_agent_in_its_own_loop(run: Run, project: pytest.Pytester) -> None:
    body = """
@pytest.mark.audition(agent=AGENT)
async def test_one(audition):
    await audition.say("hi")
    assert AGENT.loops == [asyncio.get_running_loop()] * 2

async def test_two():
    assert AGENT.loops[2:] == ["closed"]
"""

    outcome_of(run, project, body, header=ASYNC + CLOSED).assert_outcomes(passed=2)


def test_a_conversation_that_talk_began_is_closed_as_well(run: Run, project: pytest.Pytester) -> None:
    body = """
@pytest.mark.audition(agent=AGENT)
def test_one(audition):
    audition.talk("hi")

def test_two():
    assert AGENT.loops[2:] == ["closed"]
"""

    outcome_of(run, project, body, header="import asyncio, pytest" + CLOSED).assert_outcomes(passed=2)


def test_what_is_not_as_expected_is_shown(run: Run, project: pytest.Pytester) -> None:
    body = """
async def test_it(audition):
    await audition.say("hi")
    audition.expect(response={"contains": "bye"}, tools={"called": "look_up"})
"""

    result = outcome_of(run, project, body)

    result.stdout.fnmatch_lines(
        [
            ">       audition.expect(*",
            'E       AssertionError: response.contains: "bye" did not hold on turn 1',
            "E           Turn 1: hi",
            "E             agent: You said: hi",
            'E             tool: look_up {"what":"hi"} → {"found":true}',
            'E             ✗ response.contains: "bye"',
            'E                 expected: contains "bye"',
            'E                 actual:   "You said: hi"',
            'E             ✓ tools.called: "look_up"',
        ],
        consecutive=True,
    )
    assert "_conversation.py" not in result.stdout.str()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("expect(respons={'contains': 'hi'})", "unknown key 'respons' in expect(); did you mean 'response'?"),
        ("expect(response={'contain': 'hi'})", "unknown key 'contain' in response check; did you mean 'contains'?"),
        ("expect(response=[])", "'response' must not be empty"),
        ("expect()", "expect() is given nothing to check"),
        ("expect(response={'llm_judge': 'kind'})", "expect() asks no judge"),
    ],
    ids=["category", "operator", "empty list", "nothing", "judge"],
)
def test_checks_that_are_wrongly_written_are_refused(call: str, said: str, run: Run, project: pytest.Pytester) -> None:
    body = f"""
def test_it(audition):
    audition.talk("hi")
    audition.{call}
"""

    result = outcome_of(run, project, body, header="")

    result.stdout.fnmatch_lines([f"E *AuditionError: {said}"])
    result.assert_outcomes(failed=1)


def test_expecting_before_anything_was_said_is_refused(run: Run, project: pytest.Pytester) -> None:
    body = """
def test_it(audition):
    audition.expect(response={"contains": "hi"})
"""

    outcome_of(run, project, body, header="").stdout.fnmatch_lines(["E *AuditionError: there is no turn to check yet"])


def test_a_silent_agent_fails_a_response_check_and_no_other(run: Run, project: pytest.Pytester) -> None:
    body = """
def test_other(audition):
    assert audition.talk("nothing") == ""
    audition.expect(tools={"not_called": "look_up"})

def test_response(audition):
    audition.talk("nothing")
    audition.expect(response={"not_contains": "bye"})
"""

    outcome_of(run, project, body, header="").assert_outcomes(passed=1, failed=1)


def test_an_agent_that_crashes_fails_the_test_with_its_traceback(run: Run, project: pytest.Pytester) -> None:
    body = """
def test_it(audition):
    audition.talk("crash")
"""

    result = outcome_of(run, project, body, header="")

    result.stdout.fnmatch_lines(["E *AgentError: ValueError: boom", "E *bot.py*in reply", "E *ValueError: boom"])
    assert "_conversation.py" not in result.stdout.str()


def test_a_check_that_nobody_can_decide_is_no_failed_assertion(run: Run, project: pytest.Pytester) -> None:
    body = """
def test_it(audition):
    audition.talk("hi")
    audition.expect(tools={"not_called": "buy"})
"""
    Path("answers.yaml").write_text("replies: [{say: hi}]", "utf-8")
    Path("audition.toml").write_text('[agent]\nuse = "scripted:answers.yaml"\nobserves = ["replies"]', "utf-8")

    result = outcome_of(run, project, body, header="")

    result.stdout.fnmatch_lines(["E *AuditionError: could not be evaluated: the agent could not be observed*"])


def test_events_are_pushed(run: Run, project: pytest.Pytester) -> None:
    body = """
def reply(turn, session):
    return f"got {turn.event['kind']}"

@pytest.mark.audition(agent=reply)
async def test_it(audition):
    assert await audition.push({"kind": "ping"}) == "got ping"
"""

    outcome_of(run, project, body).assert_outcomes(passed=1)


def test_markers_say_what_a_conversation_starts_from_the_nearest_last(run: Run, project: pytest.Pytester) -> None:
    body = """
def reply(turn, session):
    session.state.user["asked"] = True
    return f"Hello {session.state.user['name']}"

@pytest.mark.audition(agent=reply, state={"user": {"name": "Eve"}})
class TestIt:
    @pytest.mark.audition(state={"user": {"name": "Ann"}})
    async def test_it(self, audition):
        assert await audition.say("hi") == "Hello Ann"
        audition.expect(state={"path": "user.asked", "equals": True, "changed": True})
"""

    outcome_of(run, project, body).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("agnt='function:bot:reply'", "the marker 'audition' knows no 'agnt'"),
        ("state={'usr': {}}", "the state of the marker 'audition' knows no 'usr'"),
    ],
    ids=["key", "scope"],
)
def test_a_marker_that_is_wrongly_written_is_refused(given: str, said: str, run: Run, project: pytest.Pytester) -> None:
    body = f"""
import pytest

@pytest.mark.audition({given})
def test_it(audition):
    pass
"""

    result = outcome_of(run, project, body, header="")

    result.stdout.fnmatch_lines([f"E *AuditionError: {said}", "E *did you mean '*'?"])
    result.assert_outcomes(errors=1)


@pytest.mark.parametrize(("grade", "outcome"), [(5, "passed"), (2, "failed")])
def test_a_judge_is_asked_about_the_last_reply(grade: int, outcome: str, run: Run, project: pytest.Pytester) -> None:
    body = f"""
from audition.judges.fixed import Fixed

@pytest.mark.audition(judge=Fixed({grade}))
async def test_it(audition):
    await audition.say("hi")
    await audition.judge("it is kind")
"""

    outcome_of(run, project, body).assert_outcomes(**{outcome: 1})


def test_the_grade_that_passes_may_be_given(run: Run, project: pytest.Pytester) -> None:
    body = """
from audition.judges.fixed import Fixed

@pytest.mark.audition(judge=Fixed(4))
async def test_it(audition):
    await audition.say("hi")
    await audition.judge("it is kind", threshold=5)
"""

    outcome_of(run, project, body).stdout.fnmatch_lines(["E *expected: a grade of at least 5"])


def test_without_a_judge_nothing_is_judged(run: Run, project: pytest.Pytester) -> None:
    body = """
async def test_it(audition):
    await audition.say("hi")
    await audition.judge("it is kind")
"""

    outcome_of(run, project, body).stdout.fnmatch_lines(
        ["E *AuditionError: could not be evaluated: no judge is configured*"]
    )


def test_a_test_whose_judge_nobody_wants_is_skipped(run: Run, project: pytest.Pytester) -> None:
    body = """
async def test_it(audition):
    await audition.say("hi")
    await audition.judge("it is kind")
"""
    project.makepyfile(test_it=f"{ASYNC}\n{body}")

    run("--audition-no-judge").assert_outcomes(skipped=1)
