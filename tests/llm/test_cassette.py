"""Cassettes: what is recorded, what is played back, and what is said when something is missing."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from audition.errors import ModelError, SettingsError
from audition.llm import Completion, LanguageModel, Message, Models, ToolDefinition, ToolRequest
from audition.llm.cassette import Cassette, Mode, Recorded
from audition.llm.scripted import Answer, Scripted
from audition.llm.trial import of_no_trial, of_place, of_trial
from audition.providers import Provider
from audition.text import fence
from audition.transcript import Usage

pytestmark = pytest.mark.anyio

KEY = "sk-canary-7f3a91"


def says(*texts: str) -> tuple[Message, ...]:
    """Return what is said to a model by its user."""
    return tuple(Message(role="user", content=text) for text in texts)


def counting() -> Scripted:
    """Return a model that says how often it was asked."""
    return Scripted(map(str, range(1, 100)))


async def record(path: Path, model: LanguageModel, *asked: Sequence[Message], mode: Mode = "record") -> list[str]:
    """Return the answers of a model, recorded in the trial greeting#1."""
    with Cassette(path, mode) as cassette, of_trial("greeting", 1):
        recorded = Recorded(model, cassette, "local:tiny")
        return [(await recorded.complete(messages)).text for messages in asked]


async def replay(path: Path, *asked: Sequence[Message], trial: int = 1) -> list[str]:
    """Return what a cassette answers in a trial of the eval `greeting`."""
    with Cassette(path, "replay") as cassette, of_trial("greeting", trial):
        recorded = Recorded(None, cassette, "local:tiny")
        return [(await recorded.complete(messages)).text for messages in asked]


def written(path: Path) -> bytes:
    """Return a cassette as it lies on the disk."""
    return path.read_bytes()


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """Return where a cassette may be kept."""
    return tmp_path / "tape.cassette"


async def test_an_answer_comes_back_whole_but_without_a_response_time(tape: Path) -> None:
    answer = Completion(
        text="Sunny, 🌞 \ud800\0",
        tool_requests=(ToolRequest(id="c1", name="weather", arguments='{"city": "Rome"}'),),
        finish_reason="tool_calls",
        usage=Usage(calls=1, input_tokens=12, cost_usd=0.01),
        model="tiny-2026",
        elapsed_ms=812.5,
    )
    with Cassette(tape, "record") as cassette:
        assert await Recorded(Scripted([answer]), cassette, "local:tiny").complete(says("Weather?")) == answer

    with Cassette(tape, "replay") as cassette:
        replayed = await Recorded(None, cassette, "local:tiny").complete(says("Weather?"))

    assert (replayed.elapsed_ms, replayed.replayed) == (0.0, True)
    assert (replayed.text, replayed.tool_requests, replayed.finish_reason) == (
        answer.text,
        answer.tool_requests,
        "tool_calls",
    )
    assert (replayed.usage, replayed.model) == (answer.usage, "tiny-2026")


async def test_the_same_request_gets_its_recordings_in_their_order(tape: Path) -> None:
    await record(tape, counting(), says("a"), says("b"), says("a"))

    assert await replay(tape, says("a"), says("a"), says("b")) == ["1", "3", "2"]


async def test_requests_side_by_side_each_get_a_recording_of_their_own(tape: Path) -> None:
    with Cassette(tape, "record") as cassette:
        recorded = Recorded(counting(), cassette, "local:tiny")
        await asyncio.gather(*(recorded.complete(says("vote")) for _ in range(5)))

    with Cassette(tape, "replay") as cassette:
        replayed = Recorded(None, cassette, "local:tiny")
        votes = await asyncio.gather(*(replayed.complete(says("vote")) for _ in range(5)))

    assert sorted(vote.text for vote in votes) == ["1", "2", "3", "4", "5"]


async def test_trials_are_distinct_recordings(tape: Path) -> None:
    with Cassette(tape, "record") as cassette:
        recorded = Recorded(counting(), cassette, "local:tiny")
        for number in (1, 2):
            with of_trial("greeting", number):
                await recorded.complete(says("hi"))

    assert await replay(tape, says("hi"), trial=2) == ["2"]
    assert await replay(tape, says("hi"), trial=1) == ["1"]


async def test_trials_side_by_side_do_not_mix(tape: Path) -> None:
    async def hold(recorded: LanguageModel, number: int) -> str:
        with of_trial("greeting", number):
            await asyncio.sleep(0)
            return (await recorded.complete(says("hi"))).text

    with Cassette(tape, "record") as cassette:
        recorded = Recorded(counting(), cassette, "local:tiny")
        first = await asyncio.gather(*(hold(recorded, number) for number in (1, 2, 3)))

    with Cassette(tape, "replay") as cassette:
        replayed = Recorded(None, cassette, "local:tiny")
        again = await asyncio.gather(*(hold(replayed, number) for number in (3, 2, 1)))

    assert again == first[::-1]


async def test_what_trials_share_is_found_by_whichever_trial_comes_first(tape: Path) -> None:
    with Cassette(tape, "record") as cassette, of_trial("greeting", 1), of_no_trial():
        await Recorded(counting(), cassette, "local:tiny").complete(says("split"))

    with Cassette(tape, "replay") as cassette, of_trial("farewell", 2), of_no_trial():
        answer = await Recorded(None, cassette, "local:tiny").complete(says("split"))

    assert answer.text == "1"


def shared(model: LanguageModel | None, cassette: Cassette) -> Recorded:
    """Return a model on a cassette, as another process has it."""
    return Recorded(model, cassette, "local:tiny")


async def test_what_trials_share_is_recorded_by_one_of_several_processes(tape: Path) -> None:
    begun = datetime.now(UTC)
    with (
        Cassette(tape, "record", since=begun) as one,
        Cassette(tape, "record", since=begun) as two,
        of_no_trial(),
    ):
        first = await shared(Scripted(["one way"]), one).complete(says("split"))
        second = await shared(Scripted([]), two).complete(says("split"))

    assert (first.text, second.text) == ("one way", "one way")


@pytest.mark.parametrize("mode", ["record", "auto"])
async def test_of_two_processes_that_ask_for_it_at_once_the_first_answer_holds(tape: Path, mode: Mode) -> None:
    both = asyncio.Barrier(2)

    class Waits:
        def __init__(self, text: str) -> None:
            self.text = text

        async def complete(self, messages: Sequence[Message], **_: object) -> Completion:
            await both.wait()
            return Completion(text=self.text)

    begun = datetime.now(UTC) - timedelta(seconds=1)
    with Cassette(tape, mode, since=begun) as one, Cassette(tape, mode, since=begun) as two, of_no_trial():
        answers = await asyncio.gather(
            *(shared(Waits(text), cassette).complete(says("split")) for text, cassette in (("a", one), ("b", two)))
        )

    with Cassette(tape, "replay") as cassette, of_no_trial():
        replayed = await shared(None, cassette).complete(says("split"))
    assert [answer.text for answer in answers] == [replayed.text] * 2


async def test_what_trials_share_is_asked_for_anew_in_another_session(tape: Path) -> None:
    with Cassette(tape, "record") as cassette, of_no_trial():
        await shared(Scripted(["old"]), cassette).complete(says("split"))

    later = datetime.now(UTC) + timedelta(seconds=1)
    with Cassette(tape, "record", since=later) as cassette, of_no_trial():
        answer = await shared(Scripted(["new"]), cassette).complete(says("split"))

    with Cassette(tape, "replay") as cassette, of_no_trial():
        replayed = await shared(None, cassette).complete(says("split"))
    assert (answer.text, replayed.text) == ("new", "new")


async def test_trials_of_one_name_in_two_places_are_two(tape: Path) -> None:
    for place in ("a.eval.yaml", "b.eval.yaml"):
        with of_place(place):
            await record(tape, Scripted([place]), says("hi"))

    with of_place("a.eval.yaml"):
        assert await replay(tape, says("hi")) == ["a.eval.yaml"]
    with of_place("c.eval.yaml"), pytest.raises(ModelError, match=r"recorded in 'a\.eval\.yaml::greeting#1'"):
        await replay(tape, says("hi"))


WEATHER = ToolDefinition(name="weather")
DIFFERENT = {
    "another model": ("local:big", {}, {}),
    "a parameter": ("local:tiny", {"temperature": 1}, {}),
    "a tool": ("local:tiny", {}, {"tools": [WEATHER]}),
    "a schema": ("local:tiny", {}, {"schema": {"type": "object"}}),
}


@pytest.mark.parametrize(("reference", "parameters", "more"), DIFFERENT.values(), ids=DIFFERENT)
async def test_what_else_is_asked_is_another_request(
    tape: Path, reference: str, parameters: dict[str, object], more: dict[str, object]
) -> None:
    await record(tape, counting(), says("hi"))

    with (
        Cassette(tape, "replay") as cassette,
        of_trial("greeting", 1),
        pytest.raises(ModelError, match="no such request was recorded"),
    ):
        await Recorded(None, cassette, reference, parameters).complete(says("hi"), **more)  # type: ignore[arg-type]


async def test_time_limits_and_parameters_that_say_nothing_are_no_part_of_a_request(tape: Path) -> None:
    with Cassette(tape, "record") as cassette:
        asked = Recorded(counting(), cassette, "local:tiny", {"seed": None, "temperature": 0, "top_p": 1})
        await asked.complete(says("hi"), timeout_s=30)

    with Cassette(tape, "replay") as cassette:
        replayed = Recorded(None, cassette, "local:tiny", {"top_p": 1, "temperature": 0})
        assert (await replayed.complete(says("hi"), timeout_s=0.5)).text == "1"


async def test_random_marks_differ_without_making_another_request_and_come_back_as_asked(tape: Path) -> None:
    def fenced(mark: str) -> tuple[Message, ...]:
        return says(fence("response", "Hello", mark) + f"\nEnd with </finished-{mark}>")

    await record(tape, Scripted([f"Bye </finished-{'a' * 16}>"]), fenced("a" * 16))

    assert await replay(tape, fenced("b" * 16)) == [f"Bye </finished-{'b' * 16}>"]


async def test_recording_again_replaces_what_is_asked_again_and_leaves_the_rest(tape: Path) -> None:
    await record(tape, Scripted(["old a", "old b"]), says("a"), says("b"))
    await record(tape, Scripted(["new a"]), says("a"))

    assert await replay(tape, says("a"), says("b")) == ["new a", "old b"]


async def test_auto_replays_what_is_there_and_records_what_is_not(tape: Path) -> None:
    await record(tape, Scripted(["one"]), says("a"))
    model = Scripted(["two"])

    answers = await record(tape, model, says("a"), says("b"), mode="auto")

    assert answers == ["one", "two"]
    assert [asked.messages for asked in model.requests] == [says("b")]
    assert await replay(tape, says("a"), says("b")) == ["one", "two"]


LASTING = {
    "refused": ModelError("too long", status=400),
    "too large": ModelError("too large", status=413, hint="say less"),
    "not valid": ModelError("no", status=422),
    "no completion": ModelError("<html>", status=200, attempts=2),
}


@pytest.mark.parametrize("error", LASTING.values(), ids=LASTING)
async def test_errors_that_answer_the_request_are_recorded(tape: Path, error: ModelError) -> None:
    with pytest.raises(ModelError):
        await record(tape, Scripted([error]), says("hi"))

    with pytest.raises(ModelError) as replayed:
        await replay(tape, says("hi"))

    told = replayed.value
    assert (told.message, told.status, told.attempts, told.hint) == (
        error.message,
        error.status,
        error.attempts,
        error.hint,
    )


PASSING = {
    "no connection": ModelError("refused"),
    "wrong key": ModelError("key", status=401),
    "no such model": ModelError("model", status=404),
    "too many": ModelError("busy", status=429),
    "broken": ModelError("oops", status=500),
    "too late": ModelError("late", status=200, timed_out=True),
}


@pytest.mark.parametrize("error", PASSING.values(), ids=PASSING)
async def test_errors_on_the_way_to_an_answer_are_not_recorded(tape: Path, error: ModelError) -> None:
    with pytest.raises(ModelError):
        await record(tape, Scripted([error]), says("hi"))

    with pytest.raises(ModelError, match="not on the cassette"):
        await replay(tape, says("hi"))


async def test_secrets_are_masked_in_requests_and_answers_before_they_are_written(tape: Path) -> None:
    # case: promptfoo/promptfoo#8805
    provider = Provider(
        name="local", protocol="scripted", api_key=KEY, headers={"X-Auth": "Basic canary-9c1e", "X-Version": "2026-01"}
    )
    messages = says(f"my key is {KEY}", "canary-9c1e", "2026-01")
    with Cassette(tape, "record") as cassette:
        around = cassette.around(provider.secrets)
        model = around(Scripted([f"You said {KEY}"]), provider, "tiny", {"user": KEY})
        answer = await model.complete(messages)

    with Cassette(tape, "replay") as cassette:
        model = cassette.around(provider.secrets)(Scripted([]), provider, "tiny", {"user": KEY})
        replayed = await model.complete(messages)

    assert answer.text == f"You said {KEY}"
    kept = written(tape)
    assert KEY.encode() not in kept
    assert b"canary-9c1e" not in kept
    assert b"2026-01" in kept
    assert replayed.text == "You said ***"


async def test_in_replay_the_model_is_never_asked(tape: Path) -> None:
    await record(tape, counting(), says("hi"))
    model = counting()

    with Cassette(tape, "replay") as cassette:
        models = Models(
            {"fast": "local:tiny"},
            {"local": Provider(name="local", protocol="scripted")},
            around=[cassette.around(), lambda recorded, *_: recorded],
        )
        with pytest.raises(ModelError, match="not on the cassette"):
            await models.open("fast").complete(says("other"))
        with pytest.raises(ModelError, match="not on the cassette"):
            await cassette.around()(model, Provider(name="local"), "tiny", {}).complete(says("other"))

    assert model.requests == []


async def test_a_miss_shows_the_nearest_recording_and_what_differs(
    tape: Path, golden: Callable[[str, str], None]
) -> None:
    system = Message(role="system", content="You sell shoes.\nBe brief.")
    await record(tape, counting(), (system, *says("Do you have boots?")), says("Something else entirely"))

    with pytest.raises(ModelError) as missed:
        await replay(tape, (system, *says("Do you have \x1b[31mred boots?")))

    golden("cassette_miss.txt", str(missed.value).replace(str(tape), "tape.cassette") + "\n")


async def test_a_miss_says_that_the_request_was_recorded_fewer_times(tape: Path) -> None:
    await record(tape, counting(), says("hi"))

    with pytest.raises(ModelError, match="recorded 1x in 'greeting#1', and is now made for the 2nd time"):
        await replay(tape, says("hi"), says("hi"))


async def test_a_miss_says_that_another_trial_has_the_request(tape: Path) -> None:
    await record(tape, counting(), says("hi"))

    with pytest.raises(ModelError, match="recorded in 'greeting#1', but not in 'greeting#2'"):
        await replay(tape, says("hi"), trial=2)


async def test_a_long_difference_is_cut(tape: Path) -> None:
    await record(tape, counting(), says("\n".join(map(str, range(200)))))

    with pytest.raises(ModelError) as missed:
        await replay(tape, says("\n".join(map(str, range(200, 400)))))

    assert len(missed.value.message.splitlines()) < 40
    assert "more lines)" in missed.value.message


def test_a_cassette_that_is_not_there_cannot_be_replayed(tape: Path) -> None:
    with pytest.raises(SettingsError, match="there is no cassette"):
        Cassette(tape, "replay")

    assert not tape.exists()


def other_database(path: Path) -> None:
    """Write a database that is no cassette."""
    rows = sqlite3.connect(path)
    rows.execute("CREATE TABLE runs (id TEXT)")
    rows.commit()
    rows.close()


NO_CASSETTES: dict[str, Callable[[Path], object]] = {
    "text": lambda path: path.write_text("name: greeting\n" * 100),
    "another database": other_database,
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("mode", ["record", "replay", "auto"])
@pytest.mark.parametrize("write", NO_CASSETTES.values(), ids=NO_CASSETTES)
def test_what_is_no_cassette_is_refused_and_left_as_it_is(
    tape: Path, write: Callable[[Path], object], mode: Mode
) -> None:
    write(tape)
    before = tape.is_file() and tape.read_bytes()

    with pytest.raises(SettingsError, match="cannot be used"):
        Cassette(tape, mode)

    assert (tape.is_file() and tape.read_bytes()) == before


@pytest.mark.parametrize(
    "answer", ["[]", "{", "null", '{"completion": {}}', '{"completion": {"text": 1}}', '{"error": 1}']
)
async def test_a_damaged_recording_is_an_error_and_no_answer(tape: Path, answer: str) -> None:
    await record(tape, counting(), says("hi"))
    rows = sqlite3.connect(tape)
    rows.execute("UPDATE recordings SET answer = ?", (answer,))
    rows.commit()
    rows.close()

    with pytest.raises(ModelError, match="damaged"):
        await replay(tape, says("hi"))


async def test_what_cannot_be_written_is_an_error_of_its_call(tape: Path) -> None:
    with Cassette(tape, "record") as cassette, of_trial("greeting", 1):
        rows = sqlite3.connect(tape)
        rows.execute("DROP TABLE recordings")
        rows.close()

        with pytest.raises(ModelError, match="cannot be written"):
            await Recorded(counting(), cassette, "local:tiny").complete(says("hi"))


async def test_any_error_that_is_none_of_the_model_goes_its_way(tape: Path) -> None:
    broken: Answer = RuntimeError("a fault of ours")

    with pytest.raises(RuntimeError, match="a fault of ours"):
        await record(tape, Scripted([broken]), says("hi"))
