from collections.abc import Callable

import pytest

from audition.results import CheckResult, Verdict
from audition.scoring.checks.state import CHECK
from audition.scoring.rule import OpenCheck
from audition.transcript import Exchange, State

Decide = Callable[..., CheckResult | OpenCheck]

STATE = State(
    bot={"ticketCount": 3, "flags": {"beta": True}},
    user={"plan": "pro", "tags": ["a", "b"]},
    conversation={"topic": "support", "a.b": 1, "note": None},
)


@pytest.mark.parametrize(
    ("written", "verdict"),
    [
        pytest.param({"path": "conversation.topic", "equals": "support"}, Verdict.PASS, id="conversation"),
        pytest.param({"path": "topic", "equals": "support"}, Verdict.PASS, id="no scope is the conversation"),
        pytest.param({"path": "conversation.a.b", "equals": 1}, Verdict.PASS, id="a flat key"),
        pytest.param({"path": "bot.ticketCount", "gte": 1, "lte": 3}, Verdict.PASS, id="several operators"),
        pytest.param({"path": "bot.flags.beta", "equals": True}, Verdict.PASS, id="nested"),
        pytest.param({"path": "user.tags", "contains": "b"}, Verdict.PASS, id="a list"),
        pytest.param({"path": "user.plan", "in": ["free", "pro"]}, Verdict.PASS, id="in"),
        pytest.param({"path": "user.plan", "exists": True}, Verdict.PASS, id="exists"),
        pytest.param({"path": "conversation.note", "exists": False}, Verdict.PASS, id="null does not exist"),
        pytest.param({"path": "user.plan", "matches": "^p", "case_sensitive": True}, Verdict.PASS, id="matches"),
        pytest.param({"path": "bot.topic", "equals": "support"}, Verdict.FAIL, id="another scope"),
        pytest.param({"path": "user.plan", "equals": "free"}, Verdict.FAIL, id="another value"),
        pytest.param({"path": "bot.flags.beta", "equals": 1}, Verdict.FAIL, id="true is not 1"),  # M23
        pytest.param({"path": "user.age", "not_contains": "x"}, Verdict.FAIL, id="missing is no evidence"),
        pytest.param({"path": "bot.ticketCount", "gte": 1, "lte": 2}, Verdict.FAIL, id="second operator"),  # M38
    ],
)
def test_the_value_after_the_turn_is_compared(decide: Decide, written: dict[str, object], verdict: Verdict) -> None:
    assert decide("state", written, Exchange(user="hi", state=STATE)).verdict is verdict


def test_a_value_that_was_seeded_and_not_written_since_is_there(decide: Decide) -> None:  # M41
    written = {"path": "conversation.topic", "equals": "support"}

    result = decide("state", written, Exchange(user="hi", state=STATE), baseline=STATE)

    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        pytest.param({"x": 1}, {"x": 2}, True, id="another value"),
        pytest.param({"x": ["apple"]}, {"x": ["apple", "pear"]}, True, id="deep inside"),  # case: strands/evals#245
        pytest.param({"x": {"y": [1]}}, {"x": {"y": [True]}}, True, id="1 became true"),  # M23
        pytest.param({"x": "Billing"}, {"x": "billing"}, True, id="case alone"),
        pytest.param({}, {"x": 1}, True, id="it came"),
        pytest.param({"x": 1}, {}, True, id="it went"),
        pytest.param({"x": 1}, {"x": 1.0}, False, id="the same number"),
        pytest.param({"x": {"a": 1, "b": 2}}, {"x": {"b": 2, "a": 1}}, False, id="another order of keys"),
        pytest.param({"x": 1, "y": 1}, {"x": 1, "y": 2}, False, id="another field"),
    ],
)
def test_a_change_is_told_from_the_values(
    decide: Decide, before: dict[str, object], after: dict[str, object], changed: bool
) -> None:
    exchange = Exchange(user="hi", state=State(conversation=after))
    baseline = State(conversation=before)

    verdicts = [
        decide("state", {"path": "conversation.x", "changed": wanted}, exchange, baseline=baseline).verdict
        for wanted in (changed, not changed)
    ]

    assert verdicts == [Verdict.PASS, Verdict.FAIL]


@pytest.mark.parametrize("changed", [True, False])
def test_a_value_that_never_was_is_no_evidence_of_anything(decide: Decide, changed: bool) -> None:
    written = {"path": "conversation.tpoic", "changed": changed}

    result = decide("state", written, Exchange(user="hi", state=STATE), baseline=STATE)

    assert (result.verdict, result.reason) == (Verdict.FAIL, "there is no such value, neither before nor after")


def test_a_turn_compares_with_the_turn_before_and_an_outcome_with_the_start(decide: Decide) -> None:
    states = [State(bot={"n": value}) for value in (1, 2, 2)]
    exchanges = [Exchange(user="hi", state=state) for state in states[1:]]
    written = {"path": "bot.n", "changed": True}

    assert decide("state", written, *exchanges, baseline=states[0]).verdict is Verdict.FAIL
    assert decide("state", written, *exchanges, baseline=states[0], outcome=True).verdict is Verdict.PASS


def test_a_changed_value_must_satisfy_the_operators_too(decide: Decide) -> None:
    exchange = Exchange(user="hi", state=STATE)
    written = {"path": "user.plan", "changed": True, "equals": "free"}

    assert decide("state", written, exchange, baseline=State()).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("written", "baseline", "exchange"),
    [
        pytest.param({"path": "bot.n", "equals": 1}, STATE, Exchange(user="hi"), id="after"),
        pytest.param({"path": "bot.n", "changed": False}, None, Exchange(user="hi", state=STATE), id="before"),
    ],
)
def test_state_that_was_not_observed_is_an_error(
    decide: Decide, written: dict[str, object], baseline: State | None, exchange: Exchange
) -> None:
    assert decide("state", written, exchange, baseline=baseline).verdict is Verdict.ERROR


@pytest.mark.parametrize(
    ("written", "description"),
    [
        pytest.param({"path": "topic", "equals": "x"}, 'conversation.topic: equals "x"', id="operator"),
        pytest.param({"path": "bot.n", "changed": True}, "bot.n: changed", id="changed"),
        pytest.param({"path": "bot.n", "changed": False, "gte": 1}, "bot.n: not changed and gte 1", id="both"),
    ],
)
def test_a_check_is_described(decide: Decide, written: dict[str, object], description: str) -> None:
    assert decide("state", written, Exchange(user="hi", state=STATE), baseline=STATE).check == description


def test_a_failed_check_says_both_values(decide: Decide) -> None:
    written = {"path": "user.plan", "changed": False}

    result = decide("state", written, Exchange(user="hi", state=STATE), baseline=State(user={"plan": "free"}))

    assert (result.expected, result.actual) == ("the value from before", '"free" before, "pro" after')


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param(
            {"path": "bot.n"},
            ": this check says nothing that could fail; "
            "add 'changed' or one of equals, contains, not_contains, matches, in, exists, gte, lte",
            id="nothing to check",
        ),
        pytest.param(
            {"path": "user", "exists": True},
            "path: 'user' names no field of the user state; write user.FIELD",
            id="a scope alone",
        ),
        pytest.param(
            {"path": "bot.", "exists": True}, "path: 'bot.' names no field of the bot state; write bot.FIELD", id="dot"
        ),
        pytest.param({"equals": 1}, ": the state check has no 'path'; None", id="no path"),
        pytest.param(
            {"path": "bot.n", "chnaged": True},
            "chnaged: unknown key 'chnaged' in state check; did you mean 'changed'?",
            id="misspelt",
        ),
    ],
)
def test_what_is_written_wrongly_is_a_fault(
    faults_of: Callable[..., list[str]], written: dict[str, object], fault: str
) -> None:
    assert faults_of(CHECK, written) == [fault]
