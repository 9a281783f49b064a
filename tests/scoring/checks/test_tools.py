from collections.abc import Callable, Sequence

import pytest

from audition.results import CheckResult, Verdict
from audition.scoring.checks.tools import CHECK
from audition.scoring.rule import OpenCheck
from audition.transcript import Exchange, ToolCall

Decide = Callable[..., CheckResult | OpenCheck]

HIGH = ToolCall(name="createTicket", arguments={"priority": "high", "department": "Engineering (EU)"})
LOW = ToolCall(name="createTicket", arguments={"priority": "low", "department": "Sales"}, error="no such department")
LOOKUP = ToolCall(name="lookupUser", arguments={"user": {"id": 7}})


def called(*calls: ToolCall) -> Exchange:
    """Return an exchange in which these tools were called."""
    return Exchange(user="hi", tool_calls=calls)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"called": "createTicket"}, id="called"),
        pytest.param({"called": "createTicket", "params": {"priority": "HIGH"}}, id="a literal"),
        pytest.param(
            {
                "called": "createTicket",
                "params": {"priority": {"equals": "high"}, "department": {"contains": "Engineering"}},
            },
            id="operators",
        ),
        pytest.param({"called": "lookupUser", "params": {"user.id": {"gte": 7}}}, id="a dotted name"),
        pytest.param({"called": "lookupUser", "params": {"user": {"equals": {"id": 7.0}}}}, id="deep"),  # M39
        pytest.param({"called": "lookupUser", "params": {"user.name": {"exists": False}}}, id="a parameter left out"),
        pytest.param({"called": "createTicket", "times": 2}, id="so often"),
        pytest.param({"called": "createTicket", "times": {"gte": 1, "lte": 2}}, id="about so often"),
        pytest.param({"called": "createTicket", "params": {"priority": "low"}, "times": 1}, id="so often with these"),
        pytest.param({"called": "deleteTicket", "times": 0}, id="no time at all"),
        pytest.param({"called": "createTicket", "params": {"priority": "low"}, "status": "error"}, id="failed"),
        pytest.param({"called": "lookupUser", "status": "success"}, id="succeeded"),
        pytest.param({"not_called": "deleteTicket"}, id="not_called"),
        pytest.param({"notCalled": "deleteTicket"}, id="not_called in camelCase"),
        pytest.param({"call_order": ["lookupUser", "createTicket"]}, id="call_order"),
        pytest.param({"call_order": ["createTicket", "createTicket"]}, id="call_order with others between"),
        pytest.param(
            {"call_order": ["createTicket", "lookupUser", "createTicket"], "exact": True}, id="exact call_order"
        ),
        pytest.param({"called": "lookupUser", "not_called": "x", "call_order": ["createTicket"]}, id="several kinds"),
    ],
)
def test_the_calls_are_as_they_must_be(decide: Decide, written: dict[str, object]) -> None:
    assert decide("tools", written, called(HIGH, LOOKUP, LOW)).verdict is Verdict.PASS


@pytest.mark.parametrize(
    "written",
    [
        pytest.param({"called": "deleteTicket"}, id="not called"),
        pytest.param({"called": "createticket"}, id="names are exact"),
        pytest.param({"called": "createTicket", "params": {"priority": "urgent"}}, id="another value"),
        pytest.param(  # M37
            {"called": "createTicket", "params": {"priority": "low", "department": {"contains": "Engineering"}}},
            id="two calls together",
        ),
        pytest.param({"called": "lookupUser", "params": {"user.id": True}}, id="7 is not true"),
        pytest.param({"called": "lookupUser", "params": {"user.name": {"not_contains": "x"}}}, id="no such parameter"),
        pytest.param({"called": "createTicket", "times": 1}, id="too often"),
        pytest.param({"called": "lookupUser", "times": {"gte": 2}}, id="not often enough"),
        pytest.param({"called": "createTicket", "params": {"priority": "low"}, "status": "success"}, id="it failed"),
        pytest.param({"not_called": "lookupUser"}, id="called although not wanted"),
        pytest.param({"call_order": ["lookupUser", "lookupUser"]}, id="called once only"),
        pytest.param({"call_order": ["createTicket", "lookupUser"], "exact": True}, id="other calls"),
        pytest.param({"called": "lookupUser", "not_called": "createTicket"}, id="one of several kinds"),
    ],
)
def test_the_calls_are_not_as_they_must_be(decide: Decide, written: dict[str, object]) -> None:
    assert decide("tools", written, called(HIGH, LOOKUP, LOW)).verdict is Verdict.FAIL


def test_no_call_is_no_call(decide: Decide) -> None:
    assert decide("tools", {"called": "createTicket"}, called()).actual == "no tool was called"
    assert decide("tools", {"call_order": ["createTicket"]}, called()).verdict is Verdict.FAIL
    assert decide("tools", {"not_called": "createTicket"}, called()).verdict is Verdict.PASS


def test_only_the_calls_of_the_turn_count(decide: Decide) -> None:
    assert decide("tools", {"called": "createTicket"}, called(HIGH), called(LOOKUP)).verdict is Verdict.FAIL


def test_calls_are_ordered_by_the_time_they_began(decide: Decide) -> None:
    late = ToolCall(name="second", started_ms=20.0, ended_ms=25.0)
    early = ToolCall(name="first", started_ms=10.0, ended_ms=90.0)

    assert decide("tools", {"call_order": ["first", "second"]}, called(late, early)).verdict is Verdict.PASS
    assert decide("tools", {"call_order": ["second", "first"]}, called(late, early)).verdict is Verdict.FAIL


def test_calls_of_unknown_times_are_ordered_as_listed(decide: Decide) -> None:
    first = ToolCall(name="first", started_ms=10.0)
    second = ToolCall(name="second")

    assert decide("tools", {"call_order": ["first", "second"]}, called(first, second)).verdict is Verdict.PASS


def test_malformed_arguments_satisfy_no_parameter_and_are_shown(decide: Decide) -> None:
    call = ToolCall(name="search", malformed='{"q": "new')

    result = decide("tools", {"called": "search", "params": {"q": {"exists": False}}}, called(call))

    assert result.verdict is Verdict.FAIL
    assert result.actual == 'search({"q": "new)'
    assert result.reason == 'call 1 search: its arguments are no JSON object: "{\\"q\\": \\"new"'


def test_a_call_with_malformed_arguments_was_made(decide: Decide) -> None:
    call = ToolCall(name="search", malformed="")

    assert decide("tools", {"called": "search"}, called(call)).verdict is Verdict.PASS
    assert decide("tools", {"not_called": "search"}, called(call)).verdict is Verdict.FAIL


def test_a_failed_call_says_how_the_nearest_one_differs(decide: Decide) -> None:
    calls = [
        ToolCall(name="lookup", arguments={}),
        ToolCall(name="search", arguments={"q": "weather", "limit": 3}),
        ToolCall(name="search", arguments={"q": "news", "limit": 5}),
    ]

    result = decide("tools", {"called": "search", "params": {"q": "news 2025", "limit": {"lte": 5}}}, called(*calls))

    assert result.check == 'called: "search" with q equals "news 2025", limit lte 5'
    assert result.expected == '"search" with q equals "news 2025", limit lte 5'
    assert result.actual == 'lookup({})\nsearch({"q": "weather", "limit": 3})\nsearch({"q": "news", "limit": 5})'
    assert result.reason == 'call 2 search: q expected "news 2025", got "weather"'


@pytest.mark.parametrize(
    ("written", "description", "actual", "reason"),
    [
        pytest.param(
            {"called": "b", "status": "error"},
            'called: "b" status error',
            "a({})\nb({})",
            "call 2 b: status expected error, got success",
            id="status",
        ),
        pytest.param(
            {"called": "b", "times": 2}, 'called: "b" times equals 2', "1 such of: a({})\nb({})", None, id="times"
        ),
        pytest.param({"not_called": "b"}, 'not_called: "b"', "b({})", None, id="not_called"),
        pytest.param(
            {"call_order": ["b", "a"]}, 'call_order: "b", "a"', '"a", "b"', '"a" was not called after "b"', id="order"
        ),
        pytest.param({"call_order": ["c"]}, 'call_order: "c"', '"a", "b"', '"c" was not called', id="order, first"),
        pytest.param(
            {"call_order": ["a"], "exact": True},
            'call_order: "a" (exact)',
            '"a", "b"',
            "there were other calls",
            id="exact",
        ),
    ],
)
def test_a_failed_check_says_what_was_called(
    decide: Decide, written: dict[str, object], description: str, actual: str, reason: str | None
) -> None:
    result = decide("tools", written, called(ToolCall(name="a"), ToolCall(name="b")))

    assert (result.check, result.actual, result.reason) == (description, actual, reason)


@pytest.mark.parametrize(
    ("written", "calls", "verdict"),
    [
        pytest.param({}, ["x" * 40 + "y"], Verdict.ERROR, id="cannot be told"),
        pytest.param({}, ["x" * 40 + "y", "x"], Verdict.PASS, id="another call is enough"),
        pytest.param({"times": 1}, ["x" * 40 + "y", "x"], Verdict.ERROR, id="cannot be counted"),
    ],
)
def test_a_pattern_that_takes_too_long_is_never_a_pass(
    decide: Decide, written: dict[str, object], calls: Sequence[str], verdict: Verdict
) -> None:  # case: NVIDIA-NeMo/Guardrails#2271
    exchange = called(*(ToolCall(name="search", arguments={"q": text}) for text in calls))

    result = decide("tools", {"called": "search", "params": {"q": {"matches": "^(x|xx)+$"}}, **written}, exchange)

    assert result.verdict is verdict


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        pytest.param(
            {"params": {"a": 1}, "not_called": "x"},
            "params: 'params' says nothing without 'called'; add 'called'",
            id="params alone",
        ),
        pytest.param(
            {"called": "x", "exact": True},
            "exact: 'exact' says nothing without 'call_order'; add 'call_order'",
            id="exact alone",
        ),
        pytest.param(
            {}, ": this check says nothing that could fail; add one of called, not_called, call_order", id="empty"
        ),
        pytest.param({"call_order": []}, "call_order: 'call_order' must not be empty; None", id="no order"),
        pytest.param(
            {"called": "x", "params": {}},
            "params: 'params' must name a parameter; leave it out if none matters",
            id="no parameter",
        ),
        pytest.param(
            {"called": "x", "parms": {"a": 1}},
            "parms: unknown key 'parms' in tools check; did you mean 'params'?",
            id="misspelt",
        ),
        pytest.param(
            {"called": "x", "times": -1}, "times: 'times' must be at least 0, not -1; None", id="negative times"
        ),
        pytest.param(
            {"called": "x", "params": {"a": {"contians": "b"}}},
            "params.a.contians: unknown key 'contians' in set of operators; did you mean 'contains'?",
            id="misspelt operator",
        ),
    ],
)
def test_what_is_written_wrongly_is_a_fault(
    faults_of: Callable[..., list[str]], written: dict[str, object], fault: str
) -> None:
    assert faults_of(CHECK, written) == [fault]
