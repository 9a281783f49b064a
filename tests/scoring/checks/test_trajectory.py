"""Trajectory checks: the three modes, how arguments are compared, partial credit, and what is said of a miss."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from audition.documents.shape import read_all
from audition.evals import Reference, ToolCallReference, Turn
from audition.results import Verdict
from audition.scoring.checks import trajectory
from audition.scoring.rule import Finding, Seen
from audition.transcript import Exchange, ToolCall, Transcript

Arguments = Mapping[str, object] | None
Call = tuple[str, Arguments]
"""A tool and its arguments; None: they do not matter."""

Turns = list[tuple[list[Call] | None, list[Call]]]
"""For each turn the expected calls (None: nothing is said of them) and those that were made."""


def found(spec: Mapping[str, object], turns: Turns, *, turn: int | None = None) -> Finding:
    """Return what a trajectory check comes to."""
    written = tuple(Turn(user="hi", reference=Reference(tool_calls=expected(calls))) for calls, _ in turns)
    exchanges = tuple(
        Exchange(user="hi", tool_calls=tuple(ToolCall(name=name, arguments=given or {}) for name, given in calls))
        for _, calls in turns
    )
    seen = Seen(transcript=Transcript(exchanges=exchanges), turn=turn, judge_pass_threshold=3, turns=written)
    finding = trajectory.rule(spec).evaluate(seen)
    assert isinstance(finding, Finding)
    return finding


def expected(calls: list[Call] | None) -> tuple[ToolCallReference, ...] | None:
    """Return expected calls as a reference has them."""
    if calls is None:
        return None
    return tuple(ToolCallReference(name=name, arguments=arguments) for name, arguments in calls)


def scores(wanted: list[Call] | None, made: list[Call], **spec: object) -> list[float | None]:
    """Return what one turn scores in the modes EXACT, IN_ORDER and ANY_ORDER."""
    modes = ("EXACT", "IN_ORDER", "ANY_ORDER")
    return [found({"match_type": mode, **spec}, [(wanted, made)]).score for mode in modes]


A: Call = ("a", {"x": 1})
B: Call = ("b", {})
C: Call = ("c", {})


@pytest.mark.parametrize(
    ("wanted", "made", "expected"),
    [
        pytest.param([A, B], [A, B], [1, 1, 1], id="identical"),
        pytest.param([A, B], [A, C, B], [0, 1, 1], id="an extra call between"),
        pytest.param([A, B], [A, B, C], [0, 1, 1], id="an extra call at the end"),
        pytest.param([A, B], [B, A], [0, 0, 1], id="swapped"),
        # case: confident-ai/deepeval#3141
        pytest.param([A, A], [A, A], [1, 1, 1], id="expected twice, called twice"),
        pytest.param([A, A], [A], [0, 0, 0], id="expected twice, called once"),
        pytest.param([A], [A, A], [0, 1, 1], id="expected once, called twice"),
        # case: confident-ai/deepeval#2244
        pytest.param([], [A], [0, 1, 1], id="nothing expected, something called"),
        # case: confident-ai/deepeval#1234
        pytest.param([], [], [1, 1, 1], id="nothing expected, nothing called"),
        pytest.param([A], [], [0, 0, 0], id="expected, nothing called"),
        pytest.param([A], [("a", {"x": 1, "y": 2})], [0, 0, 0], id="an extra argument"),
        pytest.param([A], [("a", {})], [0, 0, 0], id="an argument is missing"),
        pytest.param([A], [("a", {"x": 2})], [0, 0, 0], id="another value"),
        pytest.param([("a", {"x": 1, "y": 2})], [("a", {"y": 2, "x": 1})], [1, 1, 1], id="the order of keys"),
        pytest.param([A], [("a", {"x": 1.0})], [1, 1, 1], id="1 and 1.0"),
        # case: google/adk-python:src/google/adk/evaluation/trajectory_evaluator.py; peers M19, M23
        pytest.param([A], [("a", {"x": True})], [0, 0, 0], id="1 and true"),
        pytest.param([A], [("a", {"x": "1"})], [0, 0, 0], id="a number and a text"),
        pytest.param([("a", {"x": [1, 2]})], [("a", {"x": [2, 1]})], [0, 0, 0], id="the order of a list"),
        pytest.param([("A", {})], [("a", {})], [0, 0, 0], id="the case of a name"),
        pytest.param([("a", {"x": "News"})], [("a", {"x": "news"})], [0, 0, 0], id="the case of a text"),
        # case: microsoft/agent-framework#8558: a missing key is not an explicit null
        pytest.param([("book", {"view": None})], [("book", {})], [0, 0, 0], id="null and missing"),
        # case: microsoft/agent-framework#8609; peers M24
        pytest.param([B], [("b", None)], [1, 1, 1], id="no arguments"),
        # peers M16, M17, M18
        pytest.param([A], [A, ("rm_rf", {})], [0, 1, 1], id="M16: another call"),
        pytest.param([B, A], [A, B], [0, 0, 1], id="M17: another order"),
        pytest.param([A, B], [A], [0, 0, 0], id="M18: one of two"),
        # peers M29
        pytest.param([("refund", {"order_id": 7, "amount": 5})], [("refund", {})], [0, 0, 0], id="M29: no arguments"),
        pytest.param(
            [("refund", {"order_id": 7, "amount": 5})], [("refund", {"order_id": 7})], [0, 0, 0], id="M29: half of them"
        ),
    ],
)
def test_calls_are_compared_in_three_modes(wanted: list[Call], made: list[Call], expected: list[float]) -> None:
    assert scores(wanted, made) == expected


def test_arguments_that_a_reference_leaves_open_do_not_matter() -> None:
    assert scores([("a", None)], [A]) == [1, 1, 1]


# case: google/adk-python#2757
@pytest.mark.parametrize("spec", [{"ignore_args": True}, {"args": "ignore"}, {"args": {"send": "ignore"}}])
def test_arguments_can_be_ignored(spec: dict[str, object]) -> None:
    mail = [("send", {"body": "Hi Sam"})], [("send", {"body": "Hello Sam!"})]

    assert scores(*mail, **spec) == [1, 1, 1]
    assert scores(*mail) == [0, 0, 0]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ({"q": "news", "page": 2}, [1, 1, 1]),
        ({"q": "other", "page": 2}, [0, 0, 0]),
        # peers M29
        ({}, [0, 0, 0]),
    ],
)
def test_a_subset_of_the_arguments_is_enough_where_it_says_so(made: Arguments, expected: list[float]) -> None:
    wanted: list[Call] = [("search", {"q": "news"})]

    assert scores(wanted, [("search", made)], args="subset") == expected
    assert scores(wanted, [("search", made)], args={"search": "subset"}) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"q": "latest news today", "page": 1}, [1, 1, 1]),
        ({"q": "weather", "page": 1}, [0, 0, 0]),
        ({"page": 1}, [0, 0, 0]),
        ({"q": "news", "page": 2}, [0, 0, 0]),
    ],
)
def test_operators_stand_in_for_the_value_of_an_argument(given: Arguments, expected: list[float]) -> None:
    params = {"search": {"q": {"contains": "news"}}}

    assert scores([("search", {"q": "news 2025", "page": 1})], [("search", given)], params=params) == expected


def test_operators_look_into_nested_arguments() -> None:
    wanted: list[Call] = [("ship", {"to": {"city": "Rome", "zip": 1}})]
    params = {"ship": {"to.city": {"in": ["Rome", "Roma"]}}}

    assert scores(wanted, [("ship", {"to": {"city": "Roma"}})], params=params) == [1, 1, 1]
    assert scores(wanted, [("ship", {"to": {"city": "Oslo"}})], params=params) == [0, 0, 0]


def test_in_any_order_calls_are_given_to_whom_they_fit() -> None:
    wanted: list[Call] = [("a", {}), ("a", {"x": 1})]

    assert scores(wanted, [("a", {"x": 1}), ("a", {"y": 2})], args="subset")[2] == 1


def test_in_any_order_several_may_have_to_move() -> None:
    wanted: list[Call] = [("a", {}), ("a", {"x": 1}), ("a", {"x": 1, "y": 1}), ("a", {"x": 1, "y": 1, "z": 1})]
    made: list[Call] = [("a", {"x": 1, "y": 1, "z": 1}), ("a", {"x": 1, "y": 1}), ("a", {"x": 1}), ("a", {})]

    assert scores(wanted, made, args="subset")[2] == 1
    assert scores(wanted, [*made[:3], ("a", {"z": 1})], args="subset")[2] == 1
    assert scores(wanted, [*made[:2], ("a", {}), ("a", {})], args="subset")[2] == 0


@pytest.mark.parametrize(
    ("wanted", "made", "expected"),
    [
        pytest.param([A, B], [A, B], [1, 1, 1], id="all"),
        pytest.param([A, B], [B, A], [0.5, 0.5, 1], id="swapped"),
        pytest.param([A, B], [A], [2 / 3] * 3, id="one of two"),
        pytest.param([A], [A, A], [2 / 3] * 3, id="called twice"),
        pytest.param([A], [B], [0, 0, 0], id="none"),
        pytest.param([], [], [1, 1, 1], id="nothing at all"),
        pytest.param([], [A], [0, 0, 0], id="nothing expected"),
        # peers M10: arguments and how often count
        pytest.param([A], [("a", {"x": 2})], [0, 0, 0], id="other arguments"),
        pytest.param([A, B, C, A], [B, C, B, A], [0.75, 0.75, 0.75], id="the longest common sequence"),
    ],
)
def test_graded_calls_earn_partial_credit(wanted: list[Call], made: list[Call], expected: list[float]) -> None:
    assert scores(wanted, made, graded=True) == pytest.approx(expected)


def test_a_turn_whose_reference_says_nothing_of_tools_has_no_score() -> None:
    finding = found({}, [(None, [A]), ([B], [B])])

    assert (finding.verdict, finding.score, finding.turn_scores) == (Verdict.PASS, 1.0, (None, 1.0))


def test_without_any_expectation_nothing_is_evaluated() -> None:
    finding = found({}, [(None, [A])])

    assert (finding.verdict, finding.score) == (Verdict.ERROR, None)
    assert finding.reason is not None
    assert finding.reason.startswith("no turn says which tools are expected")


def test_the_mean_over_the_turns_is_held_against_the_threshold() -> None:
    turns: Turns = [([A], [A]), ([A], [B])]

    assert found({"threshold": 0.5}, turns).verdict is Verdict.PASS
    assert found({}, turns).verdict is Verdict.FAIL
    assert found({}, turns).turn_scores == (1.0, 0.0)


def test_a_check_of_a_turn_looks_at_that_turn_alone() -> None:
    assert found({}, [([A], [B]), ([A], [A])], turn=1).verdict is Verdict.PASS


def test_ids_and_results_never_count() -> None:
    # case: google/adk-python#3434
    call = ToolCall(name="transfer_to_agent", arguments={"agent_name": "diary"}, result={"id": "adk-5f0c"})
    reference = Reference(tool_calls=expected([("transfer_to_agent", {"agent_name": "diary"})]))

    finding = trajectory.rule({}).evaluate(
        Seen(
            transcript=Transcript(exchanges=(Exchange(tool_calls=(call,)),)),
            turn=None,
            judge_pass_threshold=3,
            turns=(Turn(user="hi", reference=reference),),
        )
    )

    assert isinstance(finding, Finding)
    assert finding.verdict is Verdict.PASS


def made_by(call: ToolCall, spec: Mapping[str, object]) -> Finding:
    """Return what becomes of one call where `search({})` is expected."""
    seen = Seen(
        transcript=Transcript(exchanges=(Exchange(tool_calls=(call,)),)),
        turn=None,
        judge_pass_threshold=3,
        turns=(Turn(user="hi", reference=Reference(tool_calls=expected([("search", {})]))),),
    )
    finding = trajectory.rule(spec).evaluate(seen)
    assert isinstance(finding, Finding)
    return finding


def test_arguments_that_are_no_object_fail_unless_they_are_ignored() -> None:
    # peers M21
    call = ToolCall(name="search", malformed='{"q": ')

    assert made_by(call, {}).verdict is Verdict.FAIL
    assert made_by(call, {}).reason == 'turn 1: call 1 search: its arguments are no JSON object: "{\\"q\\": "'
    assert made_by(call, {"args": "ignore"}).verdict is Verdict.PASS


def test_calls_inside_an_agent_that_was_a_tool_do_not_count() -> None:
    call = ToolCall(name="search")

    assert made_by(call, {}).verdict is Verdict.PASS
    assert made_by(replace(call, within="expert"), {}).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("wanted", "made", "reason"),
    [
        pytest.param(
            [("find_room", {})],
            [("find_room", {}), ("send_mail", {})],
            "expected [find_room], got [find_room, send_mail]; extra: send_mail",
            id="extra",
        ),
        pytest.param([A, B], [A], "expected [a, b], got [a]; missing: b", id="missing"),
        pytest.param([A], [], "expected [a], got []; missing: a", id="nothing"),
        pytest.param(
            [("search", {"q": "news 2025"})],
            [("search", {"q": "news"})],
            'call 1 search: q expected "news 2025", got "news"',
            id="an argument",
        ),
        pytest.param(
            [("a", {"x": 1, "y": 1})],
            [("a", {"x": 2, "z": 3})],
            "call 1 a: x expected 1, got 2, y expected 1, got (nothing), z expected (nothing), got 3",
            id="several arguments",
        ),
        pytest.param(
            [("a", {"x": 1, "y": 1})],
            [("a", {"x": 2, "y": 2}), ("a", {"x": 1, "y": 2})],
            "expected [a], got [a, a]; call 2 a: y expected 1, got 2; extra: a",
            id="the call that is nearest",
        ),
        pytest.param([A, B], [B, A], "expected [a, b], got [b, a]; the calls are in another order", id="order"),
        pytest.param(
            [("a", {"x": 1}), ("a", {"x": 2})],
            [("a", {"x": 2}), ("a", {"x": 1})],
            "the calls are in another order",
            id="order of arguments",
        ),
    ],
)
def test_the_reason_says_what_is_wrong(wanted: list[Call], made: list[Call], reason: str) -> None:
    assert found({}, [(wanted, made)]).reason == f"turn 1: {reason}"


def test_the_reason_shows_what_operators_wanted() -> None:
    params = {"search": {"q": {"contains": "news"}}}

    finding = found({"params": params}, [([("search", {})], [("search", {"q": "weather"})])])

    assert finding.reason == 'turn 1: call 1 search: q expected contains "news", got "weather"'


@pytest.mark.parametrize(
    ("wanted", "note"),
    [
        # peers M25; case: confident-ai/deepeval#2244
        pytest.param([], "turn 1: no call was expected, and rm was called; IN_ORDER allows it", id="none expected"),
        pytest.param([A], "turn 1: rm was called besides; IN_ORDER allows it", id="another expected"),
    ],
)
def test_calls_that_a_mode_allows_are_noted(wanted: list[Call], note: str) -> None:
    finding = found({"match_type": "IN_ORDER"}, [(wanted, [*wanted, ("rm", {})])])

    assert (finding.verdict, finding.note) == (Verdict.PASS, note)


def test_many_calls_take_no_time_to_speak_of() -> None:
    many: list[Call] = [A] * 400

    assert scores(many, [A] * 399, graded=True)[2] == pytest.approx(2 * 399 / 799)


@pytest.mark.parametrize("written", ["in_order", "In Order", "IN-ORDER", "IN_ORDER"])
def test_a_mode_may_be_written_in_several_ways(written: str) -> None:
    assert read_all(trajectory.CHECK, {"match_type": written}) == ({"match_type": "IN_ORDER"}, [])


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ({"match_type": "FUZZY"}, "match_type: 'match_type' must be one of 'EXACT', 'IN_ORDER', 'ANY_ORDER', not"),
        ({"match_typ": "EXACT"}, "match_typ: unknown key 'match_typ' in trajectory check; did you mean 'match_type'?"),
        ({"args": {"search": "some"}}, "args.search: 'search' must be one of 'exact', 'subset', 'ignore', not 'some'"),
        ({"params": {"search": {}}}, "params.search: 'search' must name a parameter"),
        ({"args": "exact", "ignore_args": True}, "ignore_args: 'args' and 'ignore_args' say the same thing"),
        ({"threshold": 2}, "threshold: 'threshold' must be from 0 to 1, not 2"),
    ],
)
def test_a_check_that_is_written_wrongly_is_refused(
    faults_of: Callable[..., list[str]], written: dict[str, object], fault: str
) -> None:
    (told,) = faults_of(trajectory.CHECK, written)

    assert told.startswith(fault)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, "match_type: EXACT, threshold 1"),
        ({"match_type": "IN_ORDER", "threshold": 0.5}, "match_type: IN_ORDER, threshold 0.5"),
        ({"ignore_args": True, "graded": True}, "match_type: EXACT, threshold 1, args ignore, graded"),
        (
            {"args": {"a": "subset"}, "params": {"a": {"x": 1}}},
            "match_type: EXACT, threshold 1, args of a subset, params",
        ),
    ],
)
def test_a_check_is_told_in_words(spec: dict[str, object], words: str) -> None:
    assert trajectory.rule(spec).describe() == words
