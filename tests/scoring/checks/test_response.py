from collections.abc import Callable

import pytest

from audition.results import CheckResult, Verdict
from audition.scoring.checks.response import CHECK, says_nothing
from audition.scoring.rule import Line, OpenCheck
from audition.transcript import Exchange, Reply, ToolCall

Decide = Callable[..., CheckResult | OpenCheck]


def said(*texts: str) -> Exchange:
    """Return an exchange in which the agent said these things."""
    return Exchange(user="hi", replies=tuple(Reply(text=text) for text in texts))


@pytest.mark.parametrize(
    ("written", "texts"),
    [
        pytest.param({"contains": "TICKET"}, ["Your ticket is here"], id="contains"),
        pytest.param({"contains": "30$"}, ["It costs 30$ today"], id="contains is literal"),  # case: 68791881717
        pytest.param({"contains": "one\ntwo"}, ["one", "two"], id="replies are joined by line breaks"),
        pytest.param({"not_contains": "100%"}, ["You get 100 % off"], id="not_contains"),  # case: 68791881717
        pytest.param({"notContains": "error"}, ["all well"], id="camelCase"),
        pytest.param({"matches": r"TKT-\d{3}"}, ["see tkt-123"], id="matches"),
        pytest.param({"contains": "a", "matches": "^b"}, ["b a"], id="several"),
        pytest.param({"contains": "Ada", "case_sensitive": True}, ["Hello Ada"], id="case_sensitive"),
    ],
)
def test_a_reply_is_as_it_must_be(decide: Decide, written: dict[str, object], texts: list[str]) -> None:
    assert decide("response", written, said(*texts)).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("written", "text"),
    [
        pytest.param({"contains": "ticket"}, "no", id="contains"),
        pytest.param({"not_contains": "Error"}, "an ERROR", id="not_contains"),
        pytest.param({"matches": "costs 30$"}, "The device costs 30$ today", id="matches"),  # case: 68791881717
        pytest.param({"contains": "a", "matches": "^a"}, "b a", id="several"),
        pytest.param({"contains": "ada", "caseSensitive": True}, "Hello Ada", id="case_sensitive"),
    ],
)
def test_a_reply_is_not_as_it_must_be(decide: Decide, written: dict[str, object], text: str) -> None:
    assert decide("response", written, said(text)).verdict is Verdict.FAIL


@pytest.mark.parametrize("exchange", [said(), said(""), said(" \n", "\u200b")], ids=["silence", "empty", "blank"])
@pytest.mark.parametrize(
    "written", [{"contains": "x"}, {"not_contains": "x"}, {"matches": ".*"}, {"llm_judge": "is polite"}], ids=str
)
def test_nothing_said_satisfies_no_check(decide: Decide, written: dict[str, object], exchange: Exchange) -> None:  # M8
    result = decide("response", written, exchange)

    assert (result.verdict, result.reason) == (
        Verdict.FAIL,
        "the agent said nothing, so there is no reply to look at",
    )


def test_a_failed_check_says_what_was_expected_and_said(decide: Decide) -> None:
    result = decide("response", {"contains": "ticket"}, said("no"))

    assert (result.check, result.expected, result.actual) == ('contains: "ticket"', 'contains "ticket"', '"no"')


def test_a_long_reply_is_cut(decide: Decide) -> None:
    result = decide("response", {"contains": "ticket"}, said("no" * 1_000))

    assert len(result.actual) == 502


def test_a_pattern_that_takes_too_long_is_an_error(decide: Decide) -> None:  # case: NVIDIA-NeMo/Guardrails#2271
    result = decide("response", {"matches": "(x|xx)+$"}, said("x" * 40 + "y"))

    assert (result.verdict, result.reason) == (Verdict.ERROR, "pattern took longer than 1 s")


def test_a_criterion_is_asked_with_the_conversation_so_far(decide: Decide) -> None:
    first = Exchange(
        user="I am Ada",
        replies=(Reply(text="Hello"), Reply(text="Ada")),
        tool_calls=(
            ToolCall(name="find", arguments={"q": "Ada"}, result={"id": 7}),
            ToolCall(name="find", malformed='{"q": ', error="bad arguments"),
        ),
    )
    second = Exchange(event={"kind": "ping"})

    asked = decide("response", {"llm_judge": "recalls the name"}, first, second, said("You are", "Ada"))

    assert isinstance(asked, OpenCheck)
    assert asked.description == 'llm_judge: "recalls the name"'
    assert asked.turn == 2
    assert asked.question.criterion == "recalls the name"
    assert asked.question.response == "You are\nAda"
    assert asked.question.threshold == 3
    assert asked.question.conversation == (
        Line(speaker="user", text="I am Ada"),
        Line(speaker="tool", text='find({"q": "Ada"}) -> {"id": 7}'),
        Line(speaker="tool", text='find({"q": ) -> error: bad arguments'),
        Line(speaker="agent", text="Hello"),
        Line(speaker="agent", text="Ada"),
        Line(speaker="event", text='{"kind": "ping"}'),
        Line(speaker="user", text="hi"),
    )


def test_a_judge_is_asked_only_when_the_rest_holds(decide: Decide) -> None:
    written = {"contains": "Ada", "llm_judge": "is polite"}

    assert isinstance(decide("response", written, said("Hello Ada")), OpenCheck)
    assert decide("response", written, said("Hello")).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param(  # M11
            {"contains": ""},
            "contains: 'contains' must not be empty: every text contains an empty one; None",
            id="empty",
        ),
        pytest.param(
            {"contains": 30}, "contains: 'contains' must be a text, not a number (30); put it in quotes", id="a number"
        ),
        pytest.param(
            {"contians": "x"}, "contians: unknown key 'contians' in response check; did you mean 'contains'?", id="typo"
        ),
        pytest.param(
            {"llm_judge": " "}, "llm_judge: 'llm_judge' must say what the response must be like; None", id="blank"
        ),
        pytest.param({"llm_judge": ""}, "llm_judge: 'llm_judge' must not be empty; None", id="no criterion"),
        pytest.param(
            {"case_sensitive": True},
            ": this check says nothing that could fail; add one of contains, not_contains, matches, llm_judge",
            id="nothing to check",
        ),
    ],
)
def test_what_is_written_wrongly_is_a_fault(
    faults_of: Callable[..., list[str]], written: dict[str, object], fault: str
) -> None:
    assert faults_of(CHECK, written) == [fault]


def test_a_text_of_which_nothing_can_be_seen_says_nothing() -> None:
    assert says_nothing("")
    assert says_nothing(" \t\n\u00a0\u200b\ufeff")
    assert not says_nothing(" .")
    assert not says_nothing("🙂")
