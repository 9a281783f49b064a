"""The eval dict: what it means, every rule about what it may hold, and the way back."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.documents.files import MAX_FAULTS
from audition.documents.yaml import read_yaml
from audition.errors import Where
from audition.evals import (
    Check,
    Eval,
    MockResult,
    Options,
    Reference,
    Scenario,
    SeedState,
    Setup,
    ToolCallReference,
    ToolMock,
    Turn,
    WorkflowTrigger,
)
from audition.formats import Reading
from audition.formats.eval_dict import read_evals, schema, write_eval

SEED = Path(__file__).with_name("seed.eval.yaml")


def reading_of(text: str) -> Reading:
    documents, faults = read_yaml(text, "f.yaml")
    return read_evals(documents, "f.yaml", faults)


def the_eval(text: str) -> Eval:
    reading = reading_of(text)
    assert [str(fault) for fault in reading.faults] == []
    [an_eval] = reading.evals
    return an_eval


def faults_of(text: str) -> list[str]:
    reading = reading_of(text)
    assert reading.evals == ()
    return [str(fault) for fault in reading.faults]


def with_turns(*turns: str) -> str:
    return "name: x\nconversation:\n" + "".join(f"  - {turn}\n" for turn in turns)


def with_key(line: str) -> str:
    return with_turns("{user: hi, expectSilence: true}") + line


def test_a_whole_eval_becomes_what_people_wrote() -> None:
    an_eval = the_eval(
        "name: x\ndescription: d\ntype: regression\ntags: [a, b]\n"
        "setup:\n"
        "  state: {bot: {n: 1}, conversation: {}}\n"
        "  workflow: {trigger: w, input: {i: 1}}\n"
        "  tools:\n"
        "    - {name: t, description: D, parameters: {type: object}, result: {ok: true}}\n"
        "    - {name: u, error: down}\n"
        "    - {name: v, results: [{when: {id: {gte: 3}}, error: big}, {result: null}]}\n"
        "conversation:\n"
        "  - user: hi\n"
        "    responseOptional: true\n"
        "    assert:\n"
        "      response: [{contains: a}, {matches: b}]\n"
        "      tools: {called: t}\n"
        "    reference: {response: r, toolCalls: [{name: t, arguments: {a: 1}}, {name: u}]}\n"
        "  - {event: {payload: {n: 1}}, expectSilence: true, newConversation: true}\n"
        "outcome: {state: [{path: bot.n, equals: 1}]}\n"
        "options: {idleTimeout: 1500.4, judgePassThreshold: 4.0}\n"
    )

    assert an_eval == Eval(
        name="x",
        description="d",
        type="regression",
        tags=("a", "b"),
        setup=Setup(
            state=SeedState(bot={"n": 1}, conversation={}),
            workflow=WorkflowTrigger(name="w", input={"i": 1}),
            tools=(
                ToolMock(
                    name="t",
                    description="D",
                    parameters={"type": "object"},
                    results=(MockResult(result={"ok": True}),),
                ),
                ToolMock(name="u", results=(MockResult(error="down"),)),
                ToolMock(name="v", results=(MockResult(when={"id": {"gte": 3}}, error="big"), MockResult())),
            ),
        ),
        turns=(
            Turn(
                user="hi",
                response_optional=True,
                checks=(
                    Check(category="response", spec={"contains": "a"}, where=Where("f.yaml", 16, 18)),
                    Check(category="response", spec={"matches": "b"}, where=Where("f.yaml", 16, 33)),
                    Check(category="tools", spec={"called": "t"}, where=Where("f.yaml", 17, 7)),
                ),
                reference=Reference(
                    response="r",
                    tool_calls=(ToolCallReference(name="t", arguments={"a": 1}), ToolCallReference(name="u")),
                ),
                where=Where("f.yaml", 13, 5),
            ),
            Turn(event={"n": 1}, expect_silence=True, new_conversation=True, where=Where("f.yaml", 19, 5)),
        ),
        outcome=(Check(category="state", spec={"path": "bot.n", "equals": 1}, where=Where("f.yaml", 20, 19)),),
        options=Options(idle_timeout_ms=1500, judge_pass_threshold=4),
        where=Where("f.yaml", 1, 1),
    )


def test_keys_are_taken_in_snake_case_too() -> None:
    an_eval = the_eval(
        "name: x\nconversation:\n"
        "  - {user: a, response_optional: true, assert: {timing: [{response_time: {lte: 5}}]}}\n"
        "  - {user: b, expect_silence: true, new_conversation: true}\n"
        "options: {idle_timeout: 5, judge_pass_threshold: 2}\n"
    )

    assert an_eval.options == Options(idle_timeout_ms=5, judge_pass_threshold=2)
    assert [turn.response_optional for turn in an_eval.turns] == [True, False]
    assert [turn.expect_silence for turn in an_eval.turns] == [False, True]
    assert [turn.new_conversation for turn in an_eval.turns] == [False, True]


LIST = "".join(f"- {{name: {name}, conversation: [{{user: b, expectSilence: true}}]}}\n" for name in "ab")
ONE = "name: NAME\nconversation: [{user: hi, expectSilence: true}]\n"


@pytest.mark.parametrize(
    "text",
    [
        f"evals:\n{LIST}",
        LIST,
        ONE.replace("NAME", "a") + "---\n" + ONE.replace("NAME", "b"),
        "evals: [{name: a, conversation: [{user: b, expectSilence: true}]}]\n---\n" + ONE.replace("NAME", "b"),
    ],
    ids=["evals", "list", "documents", "both"],
)
def test_several_evals_may_stand_in_one_file(text: str) -> None:
    assert [an_eval.name for an_eval in reading_of(text).evals] == ["a", "b"]


def test_every_example_of_the_seed_document_is_read_and_nothing_of_it_is_lost() -> None:
    document: Any = read_yaml(SEED.read_text(encoding="utf-8"), "seed")[0][0]

    reading = read_evals([document], "seed")

    assert [str(fault) for fault in reading.faults] == []
    assert [write_eval(an_eval) for an_eval in reading.evals] == [without_empty(item) for item in document["evals"]]


def without_empty(an_eval: dict[str, Any]) -> dict[str, Any]:
    """Return an eval of the seed file as it is written back: what is set to nothing is left out."""
    turns = [{k: v for k, v in turn.items() if v != {}} for turn in an_eval["conversation"]]
    return {k: v for k, v in (an_eval | {"conversation": turns}).items() if v != {}}


# case: botpress/skills:eval-format.md#mistakes
@pytest.mark.parametrize(
    ("turn", "fault"),
    [
        ("{user: hi, event: {payload: {n: 1}}}", "f.yaml:3:16: turn 1 has both 'user' and 'event'"),
        ("{expectSilence: true}", "f.yaml:3:5: turn 1: neither 'user' nor 'event' is given"),
        ("{user: '', expectSilence: true}", "f.yaml:3:5: turn 1: 'user' is empty"),
        (
            "{user: hi, expectSilence: true, assert: {response: [{contains: hi}]}}",
            "f.yaml:3:46: turn 1: 'expectSilence' and 'assert.response' exclude each other",
        ),
        (
            "{user: hi, expectSilence: true, responseOptional: true}",
            "f.yaml:3:5: turn 1: 'expectSilence' and 'responseOptional' exclude each other",
        ),
        ("{event: {}, expectSilence: true}", "f.yaml:3:6: the event has no 'payload'"),
        ("{event: 3, expectSilence: true}", "f.yaml:3:6: 'event' must be an object (event), not a number (3)"),
        ("{user: 3, expectSilence: true}", "f.yaml:3:6: 'user' must be a text, not a number (3)"),
        ("{user: , expectSilence: true}", "f.yaml:3:6: 'user' must be a text, not nothing"),
        ("{user: hi, expectSilence: 'yes'}", "f.yaml:3:16: 'expectSilence' must be true or false, not a text ('yes')"),
        ("hi", "f.yaml:3:5: this must be an object (turn), not a text ('hi')"),
    ],
    ids=[
        "both", "neither", "empty user", "silence and response", "silence and optional", "no payload", "event", "user",
        "no user", "flag", "no object",
    ],
)  # fmt: skip
def test_a_turn_that_makes_no_sense_is_a_fault(turn: str, fault: str) -> None:
    faults = faults_of(with_turns(turn))

    assert [found.split(";")[0] for found in faults] == [fault]


def test_a_silent_turn_may_not_even_hold_an_empty_list_of_response_checks() -> None:
    faults = faults_of(with_turns("{user: hi, expectSilence: true, assert: {response: []}}"))

    assert any("exclude each other" in fault for fault in faults)


def test_a_turn_names_its_number_from_one_in_every_fault() -> None:
    faults = faults_of(with_turns("{user: hi, expectSilence: true}", "{}", "{user: a, event: {payload: {}}}"))

    assert [fault.split(": ", 1)[1][:6] for fault in faults] == ["turn 2", "turn 3"]


@pytest.mark.parametrize(
    "turn", ["{event: {payload: {}}, expectSilence: true}", "{user: '', event: {payload: {}}, expectSilence: true}"]
)
def test_an_event_may_carry_an_empty_payload_and_stand_beside_an_empty_user(turn: str) -> None:
    assert the_eval(with_turns(turn)).turns[0].event == {}
    assert the_eval(with_turns(turn)).turns[0].user is None


def test_the_type_of_an_old_event_is_a_warning() -> None:
    reading = reading_of(with_turns("{event: {type: order, payload: {n: 1}}, expectSilence: true}"))

    assert reading.evals[0].turns[0].event == {"n": 1}
    assert reading.warnings == ("f.yaml:3:6: turn 1: the event's 'type' is ignored; agents get its payload",)


def test_a_new_conversation_on_the_first_turn_is_a_warning_and_without_effect() -> None:
    reading = reading_of(with_turns("{user: a, newConversation: true, expectSilence: true}"))

    assert reading.evals[0].turns[0].new_conversation is False
    assert reading.warnings == ("f.yaml:3:5: turn 1: 'newConversation' is ignored: the first turn always opens one",)


# case: Rul1an/assay#1959; M7
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            with_turns("{user: Hi, assert: {tools: []}}"),
            "f.yaml:3:25: turn 1: assert.tools is empty: it checks nothing",
        ),
        (with_key("outcome: {state: []}"), "f.yaml:4:11: outcome.state is empty: it checks nothing"),
        (with_turns("{user: Hi}"), "f.yaml:1:1: the eval asserts nothing: it could not fail"),
        (with_turns("{user: Hi, assert: {}}"), "f.yaml:1:1: the eval asserts nothing: it could not fail"),
        (with_turns("{user: Hi, expectSilence: false}"), "f.yaml:1:1: the eval asserts nothing: it could not fail"),
        ("name: x\nconversation: []\n", "f.yaml:1:1: the eval asserts nothing: it could not fail"),
        (
            "name: x\nconversation: []\noutcome: {state: [{path: bot.a, equals: 1}]}\n",
            "f.yaml:2:1: the conversation is empty and there is no setup: nothing would happen",
        ),
    ],
    ids=["empty list", "empty outcome", "bare", "empty assert", "no silence", "no turns", "no setup"],
)
def test_an_eval_that_could_not_fail_is_refused(text: str, fault: str) -> None:
    assert [found.split(";")[0] for found in faults_of(text)] == [fault]


def test_a_wrong_type_and_nothing_asserted_are_both_told() -> None:
    faults = faults_of("name: x\ntype: unit\nconversation: [{user: hi}]\n")

    assert [fault.split(":")[1] for fault in faults] == ["1", "2"]


# case: promptfoo/promptfoo#61, promptfoo/promptfoo#4321; M6, M35
@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (with_turns("{user: a, asserts: {}}"), "f.yaml:3:15: unknown key 'asserts' in turn; did you mean 'assert'?"),
        (with_turns("{usr: a}"), "f.yaml:3:6: unknown key 'usr' in turn; did you mean 'user'?"),
        (
            with_turns("{user: a, assert: {respnse: []}}"),
            "f.yaml:3:24: unknown key 'respnse' in assert; did you mean 'response'?",
        ),
        (
            with_turns("{user: a, assert: {response: [{contians: x}]}}"),
            "f.yaml:3:36: unknown key 'contians' in response check; did you mean 'contains'?",
        ),
        (with_key("option: {}\n"), "f.yaml:4:1: unknown key 'option' in eval; did you mean 'options'?"),
        (with_key("setup: {stat: {}}"), "f.yaml:4:9: unknown key 'stat' in setup; did you mean 'state'?"),
        (with_key("setup: {state: {bott: {}}}"), "f.yaml:4:17: unknown key 'bott' in state; did you mean 'bot'?"),
        (
            with_key("options: {idletimeout: 5}"),
            "f.yaml:4:11: unknown key 'idletimeout' in options; did you mean 'idleTimeout'?",
        ),
        ("evals: [{name: a, conversation: [{user: b, expectSilence: true}]}]\neval: 3\n",
         "f.yaml:2:1: unknown key 'eval'; did you mean 'evals'?"),
    ],
)  # fmt: skip
def test_an_unknown_key_is_a_fault_that_names_the_nearest(text: str, fault: str) -> None:
    assert faults_of(text) == [fault]


# case: botpress/skills:eval-format.md#matches; M11
@pytest.mark.parametrize(
    ("check", "words"),
    [("{contains: ''}", "'contains' must not be empty"), ("{matches: '*ticket'}", "nothing to repeat")],
)
def test_a_check_that_means_nothing_is_a_fault_at_its_place(check: str, words: str) -> None:
    [fault] = faults_of(with_turns(f"{{user: a, assert: {{response: [{check}]}}}}"))

    assert fault.startswith("f.yaml:3:36: ")
    assert words in fault


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("type: unit", "'type' must be one of 'capability', 'regression', not 'unit'"),
        ("tags: smoke", "'tags' must be a list, not a text ('smoke')"),
        ("tags: [1]", "this must be a text, not a number (1)"),
        ("options: {idleTimeout: 0}", "'idleTimeout' must be above 0, not 0"),
        ("options: {idleTimeout: -5}", "'idleTimeout' must be above 0, not -5"),
        ("options: {idleTimeout: true}", "'idleTimeout' must be a number, not true or false (True)"),
        ("options: {idleTimeout: 30s}", "'idleTimeout' must be a number, not a text ('30s')"),
        (
            "options: {idleTimeout: 86400001}",
            "'idleTimeout' must be at most 86,400,000 milliseconds, which is a day",
        ),
        ("options: {judgePassThreshold: 0}", "'judgePassThreshold' must be from 1 to 5, not 0"),
        ("options: {judgePassThreshold: 6}", "'judgePassThreshold' must be from 1 to 5, not 6"),
        ("options: {judgePassThreshold: 3.5}", "'judgePassThreshold' must be a whole number, not a number (3.5)"),
        ("setup: {workflow: {input: {}}}", "the workflow has no 'trigger'"),
        ("setup: {state: {bot: 3}}", "'bot' must be an object, not a number (3)"),
        ("setup: {tools: [{result: 1}]}", "the tool has no 'name'"),
        ("setup: {tools: [{name: t}]}", "the tool 't': no result is given"),
        ("setup: {tools: [{name: t, result: 1, error: x}]}", "the tool 't': 'result' and 'error' exclude each other"),
        ("setup: {tools: [{name: t, results: [{when: {}}]}]}", "this result: no result is given"),
        ("setup: {tools: [{name: t, results: []}]}", "'results' must not be empty"),
        ("setup: {tools: [{name: t, result: 1}, {name: t, result: 2}]}", "the tool 't' is given twice"),
        ("setup: {tools: [{name: t, results: [{when: {a: {gte: x}}, result: 1}]}]}", "'gte' must be a number"),
        ("outcome: {response: [{contains: x}]}", "'response' checks are per-turn only"),
        ("outcome: {tools: [{called: x}]}", "'tools' checks are per-turn only"),
        ("outcome: []", "'outcome' must be an object (outcome), not a list"),
    ],
)
def test_a_wrong_value_is_a_fault_on_its_line(line: str, fault: str) -> None:
    faults = faults_of(with_key(line))

    assert len(faults) == 1
    assert faults[0].startswith("f.yaml:4:")
    assert fault in faults[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "the eval has no 'name'"),
        ("name: ''\n", "'name' must not be empty"),
        ("name: '  '\n", "'name' must not be empty"),
        ("name: 12\n", "'name' must be a text"),
        ('name: "a\\nb"\n', "'name' must be one line"),
        ('name: "a\\0b"\n', "'name' must be one line"),
        ("name: [a]\n", "'name' must be a text"),
    ],
)
def test_a_name_is_one_line_of_text(name: str, words: str) -> None:
    [fault] = faults_of(name + "conversation: [{user: hi, expectSilence: true}]\n")

    assert words in fault


@pytest.mark.parametrize("name", ["../../etc/passwd", "con", "漢字 ✅ 👩‍👩‍👧", "a\u00a0b", "x" * 500])
def test_a_name_may_be_any_text_since_it_never_becomes_a_path(name: str) -> None:
    assert the_eval(
        f"name: {json.dumps(name, ensure_ascii=False)}\nconversation: [{{user: a, expectSilence: true}}]"
    ).name


# case: UKGovernmentBEIS/inspect_ai#972
def test_a_name_given_twice_is_a_fault_that_names_both_places() -> None:
    one = ONE.replace("NAME", "twin")

    assert faults_of(one + "---\n" + one) == [
        "f.yaml:4:1: the name 'twin' is taken: another eval has it, at f.yaml:1:1; names are unique across a run"
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("evals: []", "this list holds no eval"),
        ("[]", "this list holds no eval"),
        ("evals: 3", "'evals' must be a list of evals"),
        ("hello", "must be an object (eval), not a text"),
        ("- 3", "must be an object (eval), not a number"),
        ("{}", "the eval has no 'name'"),
    ],
)
def test_a_file_without_an_eval_is_a_fault(text: str, words: str) -> None:
    assert any(words in fault for fault in faults_of(text))


def test_no_document_at_all_is_a_fault() -> None:
    [fault] = read_evals([], "f.json").faults

    assert fault.message == "the file holds no eval"


def test_all_faults_of_a_file_are_told_at_once_in_their_order() -> None:
    faults = faults_of(
        "name: a\ntype: x\nconversation: [{user: hi, expectSilence: 3}]\n---\n"
        "name: b\nname: c\nconversation: [{usr: hi}]\noptions: {idleTimeout: 0}\n"
    )

    places = [fault.split(": ")[0].removeprefix("f.yaml:") for fault in faults]
    assert places == ["2:1", "3:27", "6:1", "7:17", "8:11"]


def test_a_fault_in_data_of_no_file_says_where_in_words() -> None:
    documents = [{"evals": [{"name": "x", "conversation": [{"user": "hi", "assert": {"respnse": []}}]}]}]

    [fault] = read_evals(documents, "body").faults

    assert str(fault) == (
        "body: evals[0].conversation[0].assert.respnse: unknown key 'respnse' in assert; did you mean 'response'?"
    )


def test_a_file_of_nothing_but_faults_is_given_up_on() -> None:
    keys = ", ".join(f"key{number}: 1" for number in range(20 * MAX_FAULTS))

    faults = faults_of("{" + keys + "}")

    assert len(faults) == MAX_FAULTS
    assert any("more than 1,000 faults" in fault for fault in faults)


def test_a_fault_does_not_repeat_a_text_of_a_megabyte() -> None:
    faults = faults_of(with_key("type: " + "x" * 1_000_000))

    assert max(map(len, faults)) < 1000


# case: volcengine/veadk-python#291
def test_numbers_and_texts_come_back_exactly() -> None:
    payload = {"big": 9007199254740993, "f": 1.1, "n": None, "t": True, "u": "漢"}
    document = {"name": "x", "conversation": [{"event": {"payload": payload}, "expectSilence": True}]}

    [an_eval] = read_evals([document], "f").evals

    assert write_eval(an_eval) == document


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Zl", "Zp", "Cs")), min_size=1, max_size=8)
NAME = TEXT.filter(lambda text: text.strip() != "")
DATA = st.dictionaries(
    TEXT,
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
        max_leaves=5,
    ),
    max_size=3,
)
RESPONSE = st.builds(lambda text: Check(category="response", spec={"llm_judge": text}), NAME)
STATE = st.builds(lambda n: Check(category="state", spec={"path": "bot.n", "gte": n}), st.integers())
RESULT = st.builds(MockResult, result=DATA) | st.builds(MockResult, error=TEXT)
TOOL = st.builds(
    ToolMock,
    name=NAME,
    description=TEXT,
    parameters=st.none() | DATA,
    results=st.lists(RESULT, min_size=1, max_size=2).map(tuple),
)
REFERENCE = st.builds(
    Reference,
    response=st.none() | TEXT,
    tool_calls=st.none() | st.lists(st.builds(ToolCallReference, name=NAME, arguments=st.none() | DATA)).map(tuple),
)
SCENARIO = st.builds(
    Scenario,
    starting_prompt=TEXT.filter(str.strip),
    plan=TEXT.filter(str.strip),
    persona=st.none() | st.sampled_from(["EXPERT", "someone in a hurry"]),
    max_turns=st.none() | st.integers(1, 100),
)
SAID = st.builds(
    Turn,
    user=TEXT,
    response_optional=st.booleans(),
    reference=st.none() | REFERENCE,
    checks=st.lists(RESPONSE, max_size=2).map(tuple),
)
PUSHED = st.builds(Turn, event=DATA, expect_silence=st.booleans())
EVAL = st.builds(
    Eval,
    name=NAME,
    description=st.none() | TEXT,
    type=st.sampled_from([None, "capability", "regression"]),
    tags=st.lists(TEXT, max_size=2).map(tuple),
    setup=st.builds(
        Setup,
        state=st.builds(SeedState, bot=st.none() | DATA, user=st.none() | DATA, conversation=st.none() | DATA),
        workflow=st.none() | st.builds(WorkflowTrigger, name=NAME, input=DATA),
        tools=st.lists(TOOL, max_size=2, unique_by=lambda tool: tool.name).map(tuple),
    ),
    turns=st.lists(SAID | PUSHED, min_size=1, max_size=2).map(tuple),
    outcome=st.lists(STATE, min_size=1, max_size=2).map(tuple),
    options=st.builds(
        Options,
        idle_timeout_ms=st.none() | st.integers(1, 86_400_000),
        judge_pass_threshold=st.none() | st.integers(1, 5),
    ),
)


HELD = st.builds(Eval, name=NAME, scenario=SCENARIO, outcome=st.lists(STATE, min_size=1, max_size=2).map(tuple))


def nowhere(an_eval: Eval) -> Eval:
    """Return an eval without its places."""
    turns = tuple(replace(turn, where=None, checks=placeless(turn.checks)) for turn in an_eval.turns)
    return replace(an_eval, where=None, turns=turns, outcome=placeless(an_eval.outcome))


def placeless(checks: tuple[Check, ...]) -> tuple[Check, ...]:
    return tuple(replace(check, where=None) for check in checks)


@settings(max_examples=100, deadline=None)
@given(EVAL | HELD)
def test_what_is_written_is_read_back_and_fits_the_schema(an_eval: Eval) -> None:
    written = write_eval(an_eval)

    reading = read_evals([written], "f")

    assert [str(fault) for fault in reading.faults] == []
    assert [nowhere(found) for found in reading.evals] == [an_eval]
    assert VALIDATOR.is_valid(written)


VALIDATOR = jsonschema_rs.validator_for(schema())


def test_the_schema_takes_the_seed_examples() -> None:
    documents, _ = read_yaml(SEED.read_text(encoding="utf-8"), "seed")

    assert [error.message for error in VALIDATOR.iter_errors(json.loads(json.dumps(documents[0])))] == []


@pytest.mark.parametrize(
    "document",
    [
        {"name": "x"},
        {"name": "x", "scenario": {"startingPrompt": "a"}},
        {"name": "x", "scenario": {"startingPrompt": "a", "plan": "b", "maxTurns": 0}},
        {"conversation": []},
        {"name": "x", "conversation": [{"user": "a", "event": {"payload": {}}}]},
        {"name": "x", "conversation": [{}]},
        {"name": "x", "conversation": [{"user": "a", "assert": {"respnse": []}}]},
        {"name": "x", "conversation": [{"user": "a", "assert": {"response": [{"contians": "x"}]}}]},
        {"name": "x", "conversation": [], "outcome": {"response": [{"contains": "x"}]}},
        {"name": "x", "conversation": [], "setup": {"tools": [{"name": "t"}]}},
        {"name": "x", "conversation": [], "options": {"idleTimeout": 0}},
        {"evals": []},
        {"evals": [], "more": 1},
        3,
    ],
)
def test_the_schema_refuses_what_the_reader_refuses(document: object) -> None:
    assert not VALIDATOR.is_valid(document)
    assert read_evals([document], "f").faults


def test_a_file_may_name_its_schema_for_editors() -> None:
    document = {"$schema": "evals.schema.json", "name": "x", "conversation": [{"user": "a", "expectSilence": True}]}

    assert read_evals([document], "f").faults == ()
    assert read_evals([{"$schema": "s", "evals": [document]}], "f").faults == ()
    assert VALIDATOR.is_valid({"$schema": "s", "evals": [document]})


LEAVE_ONE_OUT = "leave one out: a simulated user holds the conversation of a scenario"
HELD_BY_SCENARIO = """\
name: refund
scenario:
  starting_prompt: I want a refund.
  plan: Name order 7 when asked.
  persona: NOVICE
  maxTurns: 5
outcome: {state: [{path: bot.refunds, equals: 1}]}
"""


@pytest.mark.parametrize("conversation", ["", "conversation: []\n"], ids=["absent", "empty"])
def test_a_scenario_stands_in_place_of_the_conversation(conversation: str) -> None:
    an_eval = the_eval(HELD_BY_SCENARIO + conversation)

    assert an_eval.turns == ()
    assert an_eval.scenario == Scenario(
        starting_prompt="I want a refund.", plan="Name order 7 when asked.", persona="NOVICE", max_turns=5
    )


@pytest.mark.parametrize(
    ("written", "read"), [("maxTurns: 5", 5), ("maxTurns: null", None), ("max_turns: 1", 1), ("", 20)]
)
def test_a_scenario_ends_after_twenty_turns_unless_it_says_otherwise(written: str, read: int | None) -> None:
    an_eval = the_eval(HELD_BY_SCENARIO.replace("maxTurns: 5", written))

    assert an_eval.scenario is not None
    assert an_eval.scenario.max_turns == read


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("persona: NOVICE", "persona: NOVISE"), "f.yaml:5:3: no persona is called 'NOVISE'; did you mean 'NOVICE'?"),
        (("persona: NOVICE", "persona: ' '"), "f.yaml:5:3: 'persona' must not be empty"),
        (("  plan: Name order 7 when asked.\n", ""), "f.yaml:2:1: the scenario has no 'plan'"),
        (("plan: Name", "plann: Name"), "f.yaml:4:3: unknown key 'plann' in scenario; did you mean 'plan'?"),
        (("I want a refund.", "''"), "f.yaml:3:3: 'starting_prompt' must not be empty"),
        (("maxTurns: 5", "maxTurns: 0"), "f.yaml:6:3: 'maxTurns' must be at least 1, not 0"),
        (("maxTurns: 5", "maxTurns: many"), "f.yaml:6:3: 'maxTurns' must be a whole number, not a text ('many')"),
        (
            ("outcome: {state: [{path: bot.refunds, equals: 1}]}\n", ""),
            "f.yaml:1:1: the eval asserts nothing: it could not fail; add a check under 'outcome'",
        ),
        (
            ("outcome:", "conversation: [{user: hi, expectSilence: true}]\noutcome:"),
            "f.yaml:2:1: 'conversation' and 'scenario' exclude each other; " + LEAVE_ONE_OUT,
        ),
    ],
)
def test_a_scenario_that_cannot_be_meant_is_a_fault(change: tuple[str, str], fault: str) -> None:
    text = HELD_BY_SCENARIO.replace(*change)

    assert text != HELD_BY_SCENARIO
    assert fault in faults_of(text)
