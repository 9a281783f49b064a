"""Scripts: what a scripted model answers, and which files may be one."""

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from audition.errors import LoadError, ModelError, SettingsError
from audition.llm import Completion, LanguageModel, Message, Models, ToolRequest
from audition.providers import Provider
from audition.settings import PROVIDERS

pytestmark = pytest.mark.anyio


def opened(folder: Path, name: str) -> LanguageModel:
    """Return the scripted model of that name."""
    return Models(providers={"scripted": replace(PROVIDERS["scripted"], folder=str(folder))}).open(f"scripted:{name}")


def script(folder: Path, text: str) -> LanguageModel:
    """Return the model of a script."""
    (folder / "desk.yaml").write_text(text, encoding="utf-8")
    return opened(folder, "desk.yaml")


def user(text: str) -> Message:
    return Message(role="user", content=text)


def asked_for(completion: Completion) -> list[tuple[str, object]]:
    """Return the calls of an answer."""
    return [(one.name, json.loads(one.arguments)) for one in completion.tool_requests]


def after(said: str, *completions: Completion) -> list[Message]:
    """Return a conversation in which the model has answered with calls so far, and each has its result."""
    messages = [user(said)]
    for completion in completions:
        messages.append(Message(role="assistant", content="", tool_requests=completion.tool_requests))
        messages += [Message(role="tool", content="{}", tool_call_id=one.id) for one in completion.tool_requests]
    return messages


async def test_a_model_without_a_file_always_says_its_name(tmp_path: Path):
    answer = await opened(tmp_path, "We open at nine.").complete([user("When?")])

    assert (answer.text, answer.usage.calls, answer.usage.cost_usd) == ("We open at nine.", 1, 0.0)


async def test_turns_are_answered_in_their_order(tmp_path: Path):
    model = script(tmp_path, "turns: [{reply: Hello!}, {reply: Bye!}]\notherwise: {reply: Still here?}\n")
    talk = [user("a"), Message(role="assistant", content="Hello!"), user("b")]

    said = [(await model.complete(messages)).text for messages in (talk[:1], talk, [*talk, user("c")])]

    assert said == ["Hello!", "Bye!", "Still here?"]


async def test_calls_come_one_after_another_and_then_the_reply(tmp_path: Path):
    model = script(
        tmp_path,
        """
turns:
  - calls:
      - {tool: find, arguments: {id: 7}}
      - [{tool: pack}, {tool: weigh, arguments: {kg: 1.5}}]
    reply: It is on its way.
""",
    )

    first = await model.complete(after("Where is it?"))
    second = await model.complete(after("Where is it?", first))
    third = await model.complete(after("Where is it?", first, second))

    assert asked_for(first) == [("find", {"id": 7})]
    assert asked_for(second) == [("pack", {}), ("weigh", {"kg": 1.5})]
    assert [one.id for one in (*first.tool_requests, *second.tool_requests)] == ["call_1", "call_2", "call_3"]
    assert (first.finish_reason, third.text, third.tool_requests) == ("tool_calls", "It is on its way.", ())


CHOOSING = """
answers:
  - {when: refund, system: the desk, reply: desk}
  - {when: [refund, urgent], reply: urgent}
  - {when: refund, reply: other}
otherwise: {reply: nothing}
"""
CHOICES = [
    pytest.param("You are THE DESK", "A REFUND, please", "desk", id="system and text, in any case"),
    pytest.param("", "an urgent refund", "urgent", id="all texts"),
    pytest.param("", "refund", "other", id="the first that is meant"),
    pytest.param("the desk", "hello", "nothing", id="otherwise"),
]


@pytest.mark.parametrize(("system", "said", "expected"), CHOICES)
async def test_the_first_answer_that_is_meant_is_taken(tmp_path: Path, system: str, said: str, expected: str):
    answer = await script(tmp_path, CHOOSING).complete([Message(role="system", content=system), user(said)])

    assert answer.text == expected


async def test_what_adk_tells_of_other_agents_is_nothing_that_a_user_said(tmp_path: Path):
    model = script(tmp_path, "turns: [{reply: first}]\nanswers: [{when: data for you, reply: wrong}]\n")

    answer = await model.complete([user("Hello"), user("For context: data for you to read")])

    assert answer.text == "first"


@pytest.mark.parametrize(
    ("written", "expected"),
    [("{status: met}", '{"status": "met"}'), ("[1, 'ü']", '[1, "ü"]'), ("7", "7"), ("null", ""), ("'7'", "7")],
    ids=["object", "list", "number", "silence", "text"],
)
async def test_what_is_no_text_is_said_as_json(tmp_path: Path, written: str, expected: str):
    answer = await script(tmp_path, f"otherwise: {{reply: {written}}}\n").complete([user("?")])

    assert answer.text == expected


async def test_the_same_messages_have_the_same_answer(tmp_path: Path):
    model = script(tmp_path, "turns: [{calls: [{tool: find}], reply: done}]\n")

    first, again = await model.complete(after("Go")), await model.complete(after("Go"))

    assert first.tool_requests == again.tool_requests == (ToolRequest(id="call_1", name="find", arguments="{}"),)


async def test_an_error_that_is_written_is_one(tmp_path: Path):
    with pytest.raises(ModelError, match="the model is down"):
        await script(tmp_path, "otherwise: {error: the model is down}\n").complete([user("?")])


async def test_a_message_without_an_answer_is_an_error(tmp_path: Path):
    with pytest.raises(ModelError, match=r"the script 'desk\.yaml' has no answer to 'Hello'"):
        await script(tmp_path, "answers: [{when: refund, reply: x}]\n").complete([user("Hello")])


async def test_a_model_that_takes_longer_than_it_may_is_late(tmp_path: Path):
    model = script(tmp_path, "otherwise: {reply: x, delayMs: 60000}\n")

    with pytest.raises(ModelError, match="took longer") as caught:
        await model.complete([user("?")], timeout_s=0.001)

    assert caught.value.timed_out


async def test_a_script_that_was_changed_is_read_again(tmp_path: Path):
    before = await script(tmp_path, "otherwise: {reply: one}\n").complete([user("?")])
    after_change = await script(tmp_path, "otherwise: {reply: another}\n").complete([user("?")])

    assert (before.text, after_change.text) == ("one", "another")


FAULTY = [
    pytest.param("turns: [\n", "desk.yaml:2", id="no YAML"),
    pytest.param("turns:\n  - repply: x\n", "desk.yaml:2:5: unknown key 'repply' in turn", id="unknown key"),
    pytest.param("turns:\n  - calls: [{arguments: {}}]\n", "desk.yaml:2", id="call without a tool"),
    pytest.param("answers:\n  - {reply: a}\n  - {when: x}\n", "desk.yaml:3", id="answer that says nothing"),
    pytest.param("otherwise: {error: a, reply: b}\n", "stands in place", id="error and reply"),
    pytest.param("{}\n", "the script has no answer", id="empty"),
    pytest.param("a: 1\n---\nb: 2\n", "one document", id="two documents"),
]


@pytest.mark.parametrize(("text", "expected"), FAULTY)
def test_the_faults_of_a_script_say_where_they_are(tmp_path: Path, text: str, expected: str):
    with pytest.raises(LoadError) as caught:
        script(tmp_path, text)

    assert expected in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


TRICKS = (
    "../outside.yaml", "../../outside.yaml", "a/../../outside.yaml", "./../outside.yaml", "..\\outside.yaml",
    "a\\..\\..\\outside.yaml", "/etc/passwd.yaml", "//etc/passwd.yaml", "\\\\host\\share\\x.yaml", "C:\\x.yaml",
    "C:/x.yaml", "file:///x.yaml", "~/x.yaml", "~root/x.yaml", "$HOME/x.yaml", "%2e%2e/outside.yaml",
    "..%2foutside.yaml", "%252e%252e/outside.yaml", "..;/outside.yaml", "....//outside.yaml", "a//b.yaml",
    ".../outside.yaml", ".hidden.yaml", "inside.yaml\x00.yaml", "inside.yaml:stream.yaml", " /inside.yaml",
    "\uff0e\uff0e/outside.yaml", "..\u2215outside.yaml", "\u202e/inside.yaml", "sub/./inside.yaml", "|cat.yaml",
)  # fmt: skip


@pytest.mark.parametrize("name", TRICKS)
def test_a_name_that_leads_out_of_the_folder_is_refused(tmp_path: Path, name: str):
    # case: 25 path tricks, 0 opens outside the folder
    folder = tmp_path / "scripts"
    (folder / "sub").mkdir(parents=True)
    for place in (tmp_path / "outside.yaml", folder / "inside.yaml"):
        place.write_text("otherwise: {reply: read}\n", encoding="utf-8")

    with pytest.raises(SettingsError):
        opened(folder, name)


def linked(folder: Path) -> None:
    (folder / "link.yaml").symlink_to(folder.parent / "outside.yaml")


def linked_folder(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent)


def circle(folder: Path) -> None:
    (folder / "link.yaml").symlink_to(folder / "link.yaml")


def pipe(folder: Path) -> None:
    os.mkfifo(folder / "link.yaml")


def directory(folder: Path) -> None:
    (folder / "link.yaml").mkdir()


@pytest.mark.parametrize(
    ("make", "name"),
    [
        pytest.param(linked, "link.yaml", id="a link to a file outside"),
        pytest.param(linked_folder, "link/outside.yaml", id="a link to a folder outside"),
        pytest.param(circle, "link.yaml", id="a link to itself"),
        pytest.param(pipe, "link.yaml", id="a pipe"),
        pytest.param(directory, "link.yaml", id="a folder"),
        pytest.param(lambda folder: None, "link.yaml", id="nothing"),
    ],
)
def test_what_is_no_file_of_the_folder_is_refused(tmp_path: Path, make, name: str):
    folder = tmp_path / "scripts"
    folder.mkdir()
    (tmp_path / "outside.yaml").write_text("otherwise: {reply: read}\n", encoding="utf-8")
    make(folder)

    with pytest.raises(SettingsError):
        opened(folder, name)


@pytest.mark.parametrize("name", ["a b.yaml", "sub/desk-1.2.yml", "früh.json"])
async def test_ordinary_names_are_read(tmp_path: Path, name: str):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"otherwise": {"reply": "read"}}', encoding="utf-8")

    answer = await opened(tmp_path, name).complete([user("?")])

    assert answer.text == "read"


def test_scripts_without_a_folder_are_refused():
    models = Models(providers={"scripted": Provider(name="scripted", protocol="scripted")})

    with pytest.raises(SettingsError, match="no folder for the script"):
        models.open("scripted:desk.yaml")


JUDGE = """
answers:
  - system: You split criteria into clauses
    reply: {clauses: [{text: Says when it opens, type: coverage}]}
  - system: You say of one clause
    when: nine
    reply:
      evidence: [{source: R1, quote: nine}]
      reasoning: It says so.
      call: none
      faithful: none
      status: met
"""
QUESTIONS: Sequence[tuple[str, str]] = (
    ("You split criteria into clauses.", "Says when it opens"),
    ("You say of one clause what became of it", "R1: We open at nine"),
)


async def test_a_judge_can_be_scripted(tmp_path: Path):
    model = script(tmp_path, JUDGE)

    split, judged = [
        json.loads((await model.complete([Message(role="system", content=system), user(said)])).text)
        for system, said in QUESTIONS
    ]

    assert split["clauses"][0]["type"] == "coverage"
    assert judged["status"] == "met"
