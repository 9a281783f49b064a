"""Data to JSON and back."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TypeVar, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.errors import StoreError
from audition.results import CheckResult, Run, RunStatus, TrialResult, Verdict, Vote
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble, Usage, WorkflowEvent
from audition.wire import SCHEMA, decode_result, decode_run, encode_result, encode_run, to_json, without_secrets

Item = TypeVar("Item")

TEXT = st.text(max_size=20)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)


def tuples(items: st.SearchStrategy[Item]) -> st.SearchStrategy[tuple[Item, ...]]:
    return st.lists(items, max_size=2).map(tuple)


def maybe(values: st.SearchStrategy[Item]) -> st.SearchStrategy[Item | None]:
    return st.none() | values


STATES = st.builds(State, bot=OBJECTS, user=OBJECTS, conversation=OBJECTS)
COUNTS = maybe(st.integers(min_value=0))
USAGES = st.builds(Usage, calls=COUNTS, input_tokens=COUNTS, output_tokens=COUNTS, cost_usd=maybe(NUMBERS))
TROUBLES = st.builds(Trouble, message=TEXT, by_agent=st.booleans(), detail=maybe(TEXT))
TOOL_CALLS = st.builds(
    ToolCall, name=TEXT, arguments=OBJECTS, result=JSON, error=maybe(TEXT), malformed=maybe(TEXT),
    started_ms=maybe(NUMBERS), ended_ms=maybe(NUMBERS),
)  # fmt: skip
EXCHANGES = st.builds(
    Exchange, user=maybe(TEXT), event=maybe(OBJECTS), replies=tuples(st.builds(Reply, text=TEXT, at_ms=maybe(NUMBERS))),
    tool_calls=tuples(TOOL_CALLS), state=maybe(STATES), response_ms=maybe(NUMBERS), usage=maybe(USAGES),
    workflows=tuples(st.builds(WorkflowEvent, name=TEXT, status=TEXT, input=maybe(OBJECTS), at_ms=maybe(NUMBERS))),
    trouble=maybe(TROUBLES),
)  # fmt: skip
VOTES = st.builds(
    Vote, reason=TEXT, asked=TEXT, model=maybe(TEXT), score=maybe(st.integers()), answer=maybe(OBJECTS),
    prompt_hash=maybe(TEXT), usage=maybe(USAGES), raw=maybe(TEXT),
)  # fmt: skip
CHECKS = st.builds(
    CheckResult, category=TEXT, check=TEXT, verdict=st.sampled_from(Verdict), turn=COUNTS, expected=maybe(TEXT),
    actual=maybe(TEXT), reason=maybe(TEXT), where=maybe(TEXT), score=maybe(NUMBERS), judge_usage=maybe(USAGES),
    votes=tuples(VOTES),
)  # fmt: skip
TRANSCRIPTS = st.builds(Transcript, baseline=maybe(STATES), exchanges=tuples(EXCHANGES), trouble=maybe(TROUBLES))
RESULTS = st.builds(
    TrialResult, eval_name=TEXT, verdict=st.sampled_from(Verdict), trial=st.integers(min_value=1), type=maybe(TEXT),
    tags=tuples(TEXT), error=maybe(TEXT), checks=tuples(CHECKS), transcript=TRANSCRIPTS, duration_ms=NUMBERS,
    started_at=TEXT, user_usage=maybe(USAGES),
)  # fmt: skip
TOTALS = st.integers(min_value=0)
RUNS = st.builds(
    Run, id=TEXT, started_at=TEXT, agent=TEXT.filter(lambda text: "://" not in text),
    status=st.sampled_from(get_args(RunStatus)), judge=maybe(TEXT), passed=TOTALS, failed=TOTALS, errors=TOTALS,
    skipped=TOTALS, total=TOTALS, duration_ms=NUMBERS, error=maybe(TEXT), paths=tuples(TEXT), faults=tuples(TEXT),
    warnings=tuples(TEXT), rescored_from=maybe(TEXT), agent_usage=maybe(USAGES), judge_usage=maybe(USAGES),
    user_usage=maybe(USAGES),
)  # fmt: skip


class Stubborn:
    """An object that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")


def with_tool_result(result: object) -> TrialResult:
    """Return a result in which a tool returned something."""
    call = ToolCall(name="look", result=result)
    return TrialResult(
        eval_name="e", verdict=Verdict.PASS, transcript=Transcript(exchanges=(Exchange(user="u", tool_calls=(call,)),))
    )


def stored_tool_result(result: object) -> object:
    """Return what became of a tool's result once it was encoded and decoded."""
    decoded = decode_result(encode_result(with_tool_result(result)), row="it")
    return decoded.transcript.exchanges[0].tool_calls[0].result


def looped() -> object:
    """Return data that holds itself."""
    data: dict[str, object] = {"a": 1}
    data["self"] = data
    return data


def nested(levels: int) -> object:
    """Return a list in a list in a list …"""
    data: list[object] = []
    for _ in range(levels):
        data = [data]
    return data


@settings(deadline=None)
@given(RESULTS)
def test_a_result_comes_back_as_it_was(result: TrialResult) -> None:
    assert decode_result(encode_result(result), row="it") == result


@settings(deadline=None)
@given(RUNS)
def test_a_run_comes_back_as_it_was(run: Run) -> None:
    assert decode_run(encode_run(run), row="it") == run


@settings(deadline=None)
@given(RESULTS)
def test_an_encoded_result_is_one_line_of_json_that_says_its_schema(result: TrialResult) -> None:
    text = encode_result(result)

    assert json.loads(text)["schema"] == SCHEMA
    assert "\n" not in text


def test_fields_at_their_default_are_left_out() -> None:
    text = encode_result(TrialResult(eval_name="e", verdict=Verdict.PASS))

    assert text == '{"schema":1,"eval_name":"e","verdict":"pass"}'


@pytest.mark.parametrize(
    ("handed_over", "kept"),
    [
        pytest.param(float("nan"), "nan", id="not a number"),
        pytest.param([float("inf")], ["inf"], id="infinite"),
        pytest.param(date(2026, 1, 2), "2026-01-02", id="a date"),
        pytest.param(datetime(2026, 1, 2, tzinfo=UTC), "2026-01-02 00:00:00+00:00", id="a time"),
        pytest.param(Decimal("1.50"), "1.50", id="a decimal"),
        pytest.param({"a"}, "{'a'}", id="a set"),
        pytest.param(b"ab", "b'ab'", id="bytes"),
        pytest.param(Stubborn(), "<Stubborn>", id="an object without a text"),
        pytest.param((1, 2), [1, 2], id="a tuple"),
        pytest.param({1: "a", None: "b"}, {"1": "a", "null": "b"}, id="keys that are no text"),
        pytest.param({(1, 2): float("nan")}, {"(1, 2)": "nan"}, id="keys that JSON refuses"),
        pytest.param(MappingProxyType({"a": 1}), {"a": 1}, id="a read-only mapping"),
        pytest.param("a\ud800b", "a\ufffdb", id="half a character"),
        pytest.param({"\udfff": "x"}, {"\ufffd": "x"}, id="half a character in a key"),
        pytest.param("a\x00b", "a\x00b", id="a null character"),
        pytest.param(10**40, 10**40, id="a big number"),
        pytest.param(16**5000, "0x1" + "0" * 5000, id="a number too big to read"),
        pytest.param(True, True, id="true is not 1"),
        pytest.param({}, {}, id="empty is not nothing"),
        pytest.param(looped(), {"a": 1, "self": "… (holds itself)"}, id="data that holds itself"),
    ],
)
def test_whatever_an_agent_hands_over_is_kept_as_data_or_as_its_text(handed_over: object, kept: object) -> None:
    found = stored_tool_result(handed_over)

    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize("levels", [200, 5_000, 100_000])
def test_data_nested_too_deep_is_cut_and_can_be_read_again(levels: int) -> None:
    text = encode_result(with_tool_result(nested(levels)))

    assert "nested more than 100 levels deep" in text
    assert decode_result(text, row="it").eval_name == "e"


def test_many_flat_objects_are_not_taken_for_deep_ones() -> None:
    flat = [{"a": [index]} for index in range(500)]

    assert stored_tool_result(flat) == flat


def test_a_time_of_ours_that_is_no_number_is_not_known() -> None:
    exchange = Exchange(user="u", response_ms=float("nan"), tool_calls=(ToolCall(name="t", started_ms=float("inf")),))
    result = TrialResult(eval_name="e", verdict=Verdict.PASS, transcript=Transcript(exchanges=(exchange,)))

    decoded = decode_result(encode_result(result), row="it").transcript.exchanges[0]

    assert (decoded.response_ms, decoded.tool_calls[0].started_ms) == (None, None)


# case: promptfoo/promptfoo#10884
def test_a_value_of_eight_million_characters_is_kept_as_it_is() -> None:
    value = "A" * 8_000_000

    assert stored_tool_result([value, float("nan")]) == [value, "nan"]


@settings(deadline=None)
@given(JSON)
def test_any_data_becomes_json_that_reads_back(data: object) -> None:
    assert json.loads(to_json(data)) == data


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("", "Expecting value", id="empty"),
        pytest.param('{"schema":1,"eval_name":"e","verdi', "EOF while parsing", id="cut off"),
        pytest.param('{"schema":1,"eval_name":"e"}', "verdict: Field required", id="a field is missing"),
        pytest.param('{"schema":1,"eval_name":"e","verdict":"PASSED"}', "verdict: Input should be", id="wrong word"),
        pytest.param(
            '{"schema":1,"eval_name":"e","verdict":"pass","trial":"1"}', "trial: Input should", id="wrong kind"
        ),
        pytest.param('{"eval_name":"e","verdict":"pass"}', "it says no schema", id="no schema"),
        pytest.param('{"schema":"1","eval_name":"e"}', "it says no schema", id="a schema that is none"),
        pytest.param("[1]", "it says no schema", id="not an object"),
        pytest.param('{"schema": 1}' + "[" * 100_000, "is damaged", id="brackets without end"),
        pytest.param("[" * 100_000, "is damaged", id="nothing but brackets"),
    ],
)
def test_a_damaged_row_is_named_with_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason) as caught:
        decode_result(text, row="result 'e' (trial 1)")

    assert caught.value.message.startswith("result 'e' (trial 1) is damaged")


def test_a_damaged_row_is_not_quoted() -> None:
    with pytest.raises(StoreError) as caught:
        decode_result('{"schema":1,"eval_name":"e","verdict":"sk-secret"}', row="it")

    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize("decode", [decode_result, decode_run])
def test_a_row_of_a_newer_audition_asks_for_an_upgrade(decode: Callable[..., object]) -> None:
    with pytest.raises(StoreError, match="made by a newer audition"):
        decode(f'{{"schema":{SCHEMA + 1}}}', row="it")


def test_a_row_written_with_other_spacing_is_read_too() -> None:
    assert decode_result('{ "schema": 1, "eval_name": "e", "verdict": "fail" }', row="it").verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("function:shop.bot:reply", "function:shop.bot:reply"),
        ("chat:openai:gpt-4o", "chat:openai:gpt-4o"),
        ("http:http://127.0.0.1:9000/chat", "http:http://127.0.0.1:9000/chat"),
        ("http:http://127.0.0.1:9000/chat?api_key=qk-77aa&x=1", "http:http://127.0.0.1:9000/chat?***"),
        ("http:https://me:qk-77aa@host/a@b", "http:https://***@host/a@b"),
        ("scripted:what?.yaml", "scripted:what?.yaml"),
    ],
)
# case: promptfoo/promptfoo#8805
def test_a_key_in_an_agents_url_is_masked(reference: str, shown: str) -> None:
    assert without_secrets(reference) == shown


# case: promptfoo/promptfoo#8805
def test_a_run_is_kept_without_the_key_in_its_agents_url() -> None:
    run = Run(id="r", started_at="", agent="http:http://127.0.0.1:9000/chat?api_key=qk-77aa")

    assert "qk-77aa" not in encode_run(run)
