"""Where today's Botpress engine says another thing than its documentation: the table, strict verdicts, notes."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from audition.documents.shape import read_all
from audition.evals import Check, Eval, Setup, Turn, WorkflowTrigger
from audition.results import CheckResult, TrialResult, Verdict
from audition.scoring import botpress_engine
from audition.scoring.checks import CATEGORIES
from audition.scoring.rule import OpenCheck, Opinion
from audition.scoring.score import Row, score, settled, unsettled
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble, WorkflowEvent

PASS, FAIL, ERROR, SKIP = Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.SKIP


def says(*texts: str, **more: object) -> Exchange:
    """Return a turn in which the agent said some texts."""
    return Exchange(user="hi", replies=tuple(Reply(text=text) for text in texts), **more)


def calls(*given: ToolCall) -> Exchange:
    return says("ok", tool_calls=given)


def call(name: str = "t", **arguments: object) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def runs(*statuses: str) -> Exchange:
    return says("ok", workflows=tuple(WorkflowEvent(name="w", status=status) for status in statuses))


def holds(**conversation: object) -> Exchange:
    """Return a turn after which the conversation's state is this."""
    return says("ok", state=State(conversation=conversation))


def check(category: str, written: Mapping[str, object]) -> Check:
    spec, faults = read_all(CATEGORIES.get(category).CHECK, written)
    assert faults == []
    return Check(category=category, spec=spec)


def an_eval(one: Check, exchanges: int = 1, *, outcome: bool = False, **more: object) -> Eval:
    """Return an eval whose last turn (or outcome) has one check."""
    turns = [Turn(user="hi")] * exchanges
    if not outcome:
        turns[-1] = replace(turns[-1], checks=(one,))
    return Eval(name="e", turns=tuple(turns), outcome=(one,) if outcome else (), **more)


def verdict_of(row: Row) -> Verdict | str:
    return "asks" if isinstance(row, OpenCheck) else row.verdict


def both(eval: Eval, transcript: Transcript) -> tuple[Verdict | str, Verdict | str]:
    """Return what the last check comes to as documented, and in the engine."""
    ours = score(eval, transcript, judge_pass_threshold=3)
    theirs = botpress_engine.score(eval, transcript, judge_pass_threshold=3)
    return verdict_of(ours[-1]), verdict_of(theirs[-1])


EMPTY = State()
SLOW_FIRST = (ToolCall(name="a", started_ms=0, ended_ms=9), ToolCall(name="b", started_ms=1, ended_ms=2))

# category, check, exchanges, as documented, in the engine. The table of differences: one row or more for each.
DIFFERENCES = [
    pytest.param("response", {"contains": "a", "not_contains": "b"}, [says("a b")], FAIL, PASS, id="first key only"),
    pytest.param("response", {"contains": "a", "llm_judge": "x"}, [says("a")], "asks", PASS, id="no judge"),
    pytest.param("response", {"contains": "it's"}, [says("It’s")], PASS, FAIL, id="quotes are not folded"),
    pytest.param("response", {"contains": "Ok", "case_sensitive": True}, [says("ok")], FAIL, PASS, id="case"),
    pytest.param("response", {"contains": "end"}, [says("x" * 2000 + "end")], PASS, FAIL, id="previews are cut"),
    pytest.param("response", {"matches": r"^\p{L}+$"}, [says("ok")], PASS, FAIL, id="patterns without the flag u"),
    pytest.param("response", {"matches": r"\u{41}"}, [says("u" * 41)], FAIL, PASS, id="code points without the flag u"),
    pytest.param("tools", {"called": "t", "params": {"a": {"equals": 1}, "b": {"equals": 2}}},
                 [calls(call(a=1, b=0), call(a=0, b=2))], FAIL, PASS, id="each param in another call"),
    pytest.param("tools", {"called": "t", "params": {"a.b": {"equals": 1}}}, [calls(call(a={"b": 1}))], PASS, FAIL,
                 id="flat keys"),
    pytest.param("tools", {"called": "t", "params": {"a": {"gte": 1, "lte": 3}}}, [calls(call(a=9))], FAIL, PASS,
                 id="first operator only"),
    pytest.param("tools", {"called": "t", "params": {"a": {"equals": {"b": 1}}}}, [calls(call(a={"b": 1}))], PASS, FAIL,
                 id="objects are never equal"),
    pytest.param("tools", {"called": "t", "params": {"a": {"equals": "High"}}}, [calls(call(a="high"))], PASS, FAIL,
                 id="equals knows case"),
    pytest.param("tools", {"called": "t", "params": {"a": "5"}}, [calls(call(a=5))], FAIL, PASS, id="text shorthand"),
    pytest.param("tools", {"called": "t", "params": {"a": 5}}, [calls(call(a=5))], PASS, ERROR, id="number shorthand"),
    pytest.param("tools", {"called": "t", "params": {"a": [5]}}, [calls(call(a=[5]))], PASS, FAIL, id="list shorthand"),
    pytest.param("tools", {"called": "t", "params": {"a": {"contains": 5}}}, [calls(call(a=[5]))], PASS, ERROR,
                 id="contains takes texts"),
    pytest.param("tools", {"called": "t", "params": {"a": {"contains": "b,c"}}}, [calls(call(a=["b", "c"]))], FAIL,
                 PASS, id="lists as text"),
    pytest.param("tools", {"called": "t", "params": {"a": {"contains": "object"}}}, [calls(call(a={}))], FAIL, PASS,
                 id="objects as text"),
    pytest.param("tools", {"called": "t", "params": {"a": {"not_contains": "x"}}}, [calls(call())], FAIL, PASS,
                 id="nothing is the text undefined"),
    pytest.param("tools", {"called": "t", "params": {"a": {"matches": "^null$"}}}, [calls(call(a=None))], FAIL, PASS,
                 id="null as text"),
    pytest.param("tools", {"called": "t", "params": {"a": {"in": [[1]]}}}, [calls(call(a=[1]))], PASS, FAIL,
                 id="in is strict"),
    pytest.param("tools", {"called": "t", "params": {"a": {"lte": 5}}}, [calls(call(a=None))], FAIL, PASS,
                 id="null is 0"),
    pytest.param("tools", {"called": "t", "params": {"a": {"gte": 1}}}, [calls(call(a=True))], FAIL, PASS,
                 id="true is 1"),
    pytest.param("tools", {"called": "t", "status": "success"}, [calls(ToolCall(name="t", error="e"))], FAIL, PASS,
                 id="no status"),
    pytest.param("tools", {"called": "t", "times": 2}, [calls(call())], FAIL, PASS, id="no times"),
    pytest.param("tools", {"called": "a", "not_called": "b"}, [calls()], FAIL, PASS, id="not_called comes first"),
    pytest.param("tools", {"call_order": ["a", "b"]}, [calls(*SLOW_FIRST)], PASS, FAIL, id="order by end"),
    pytest.param("tools", {"call_order": ["a"], "exact": True}, [calls(call("a"), call("b"))], FAIL, PASS, id="exact"),
    pytest.param("state", {"path": "conversation.k", "equals": 1}, [holds(k=1), holds(k=1)], PASS, FAIL,
                 id="equals only when saved"),
    pytest.param("state", {"path": "conversation.k.d", "equals": 1}, [holds(k={"d": 1})], PASS, FAIL, id="flat state"),
    pytest.param("state", {"path": "conversation.k", "equals": "A"}, [holds(k="a")], PASS, FAIL, id="state knows case"),
    pytest.param("state", {"path": "conversation.k.d", "changed": True}, [holds(k={"d": 1})], PASS, FAIL,
                 id="changed knows top-level keys"),
    pytest.param("state", {"path": "conversation.k", "changed": False}, [holds()], FAIL, PASS, id="nothing unchanged"),
    pytest.param("state", {"path": "conversation.k", "gte": 5}, [holds(k=1)], FAIL, PASS, id="other operators pass"),
    pytest.param("state", {"path": "k", "equals": 1}, [holds(k=1)], PASS, FAIL, id="path without scope"),
    pytest.param("workflow", {"name": "w", "entered": True}, [runs("entered"), runs("completed")], FAIL, PASS,
                 id="any sign is entered"),
    pytest.param("workflow", {"name": "w", "completed": True}, [runs("entered", "failed")], FAIL, PASS,
                 id="failed is completed"),
    pytest.param("workflow", {"name": "w", "completed": False}, [runs("entered")], PASS, FAIL,
                 id="suspended is completed"),
    pytest.param("workflow", {"name": "w", "failed": True}, [runs()], FAIL, PASS, id="no failed"),
    pytest.param("timing", {"response_time": {"lte": 5}}, [says("ok")], ERROR, PASS, id="no time is 0"),
    pytest.param("timing", {"response_time": {"gte": 1, "lte": 5}}, [says("ok", response_ms=9.0)], FAIL, PASS,
                 id="first timing operator only"),
    pytest.param("timing", {"response_time": 5}, [says("ok", response_ms=5.0)], PASS, ERROR, id="timing shorthand"),
]  # fmt: skip


@pytest.mark.parametrize(("category", "written", "exchanges", "documented", "engine"), DIFFERENCES)
def test_a_difference(
    category: str,
    written: Mapping[str, object],
    exchanges: list[Exchange],
    documented: Verdict | str,
    engine: Verdict | str,
) -> None:
    eval = an_eval(check(category, written), len(exchanges))

    assert both(eval, Transcript(baseline=EMPTY, exchanges=tuple(exchanges))) == (documented, engine)


# The other way round: what both say alike, so that a difference is not seen everywhere.
ALIKE = [
    pytest.param("response", {"contains": "PON"}, [says("pong")], PASS, id="contains ignores case"),
    pytest.param("response", {"not_contains": "x"}, [says("pong")], PASS, id="not_contains"),
    pytest.param("response", {"matches": r"^P\w+G$"}, [says("pong")], PASS, id="matches ignores case"),
    pytest.param("response", {"matches": r"\\p{2}"}, [says(r"a\pp")], PASS, id="an escaped backslash before p"),
    pytest.param("response", {"matches": "P.N"}, [says("png")], FAIL, id="matches may fail"),
    pytest.param("response", {"llm_judge": "polite"}, [says("hi")], "asks", id="the judge is asked"),
    pytest.param("tools", {"called": "t"}, [calls(call())], PASS, id="called"),
    pytest.param("tools", {"called": "t"}, [calls(call("u"))], FAIL, id="not called at all"),
    pytest.param("tools", {"called": "t", "params": {"a": 5}}, [calls()], FAIL, id="no call to break on"),
    pytest.param("tools", {"not_called": "t"}, [calls(call("u"))], PASS, id="not_called"),
    pytest.param("tools", {"call_order": ["a", "b"]}, [calls(call("a"), call("x"), call("b"))], PASS, id="gaps"),
    pytest.param("tools", {"call_order": ["b", "a"]}, [calls(call("a"), call("b"))], FAIL, id="wrong order"),
    pytest.param("tools", {"called": "t", "params": {"a": {"exists": False}}}, [calls(call())], PASS, id="exists"),
    pytest.param("tools", {"called": "t", "params": {"a": {"gte": 3}}}, [calls(call(a="3"))], PASS, id="numeric text"),
    pytest.param("tools", {"called": "t", "params": {"a": {"in": ["x", "y"]}}}, [calls(call(a="y"))], PASS, id="in"),
    pytest.param("state", {"path": "conversation.k", "equals": {"a": [1]}}, [holds(k={"a": [1]})], PASS, id="deep"),
    pytest.param("state", {"path": "conversation.k", "changed": True}, [holds(k=1)], PASS, id="changed"),
    pytest.param("state", {"path": "conversation.k", "changed": True, "equals": 2}, [holds(k=1)], FAIL, id="both"),
    pytest.param("workflow", {"name": "w", "entered": True, "completed": True}, [runs("entered", "completed")], PASS,
                 id="both flags"),
    pytest.param("workflow", {"name": "w", "entered": True}, [runs()], FAIL, id="not entered"),
    pytest.param("timing", {"response_time": {"lte": 5}}, [says("ok", response_ms=4.0)], PASS, id="timing"),
]  # fmt: skip


@pytest.mark.parametrize(("category", "written", "exchanges", "verdict"), ALIKE)
def test_where_they_agree(
    category: str, written: Mapping[str, object], exchanges: list[Exchange], verdict: Verdict | str
) -> None:
    eval = an_eval(check(category, written), len(exchanges))

    assert both(eval, Transcript(baseline=EMPTY, exchanges=tuple(exchanges))) == (verdict, verdict)


OUTCOMES = [
    pytest.param({"path": "conversation.k", "changed": True}, [holds(k=1), holds()], FAIL, PASS, id="there and back"),
    pytest.param({"path": "conversation.k", "equals": 1}, [holds(k=1), holds(k=1)], PASS, PASS, id="saved in any turn"),
    pytest.param({"path": "conversation.k", "equals": 1}, [holds(), holds()], FAIL, FAIL, id="never saved"),
]


@pytest.mark.parametrize(("written", "exchanges", "documented", "engine"), OUTCOMES)
def test_an_outcome_looks_at_all_turns(
    written: Mapping[str, object], exchanges: list[Exchange], documented: Verdict, engine: Verdict
) -> None:
    eval = an_eval(check("state", written), len(exchanges), outcome=True)

    assert both(eval, Transcript(baseline=EMPTY, exchanges=tuple(exchanges))) == (documented, engine)


def test_a_workflow_of_the_setup_does_not_count_for_the_first_turn() -> None:
    setup = Setup(workflow=WorkflowTrigger(name="w"))
    transcript = Transcript(exchanges=(runs("entered", "completed"),))
    one = check("workflow", {"name": "w", "entered": True})

    assert both(an_eval(one, setup=setup), transcript) == (PASS, FAIL)
    assert both(an_eval(one, setup=setup, outcome=True), transcript) == (PASS, PASS)


def test_a_workflow_of_the_setup_that_starts_once_more_does_count() -> None:
    setup = Setup(workflow=WorkflowTrigger(name="w"))
    transcript = Transcript(exchanges=(runs("entered", "completed", "entered"),))

    assert both(an_eval(check("workflow", {"name": "w", "entered": True}), setup=setup), transcript) == (PASS, PASS)


def strictly(eval: Eval, *exchanges: Exchange, **more: object) -> list[Verdict | str]:
    transcript = Transcript(exchanges=exchanges, **more)
    return [verdict_of(row) for row in botpress_engine.score(eval, transcript, judge_pass_threshold=3)]


PRESENCE = [
    pytest.param(Turn(user="hi"), says(" "), [PASS], id="a blank is a reply"),
    pytest.param(Turn(user="hi"), says(""), [FAIL], id="an empty text is none"),
    pytest.param(Turn(user="hi", response_optional=True), says(), [FAIL], id="no reply is optional"),
    pytest.param(Turn(user="hi", expect_silence=True), says(), [PASS], id="silence"),
    pytest.param(Turn(user="hi", expect_silence=True), says(" "), [FAIL], id="a blank breaks the silence"),
]


@pytest.mark.parametrize(("turn", "exchange", "verdicts"), PRESENCE)
def test_whether_there_was_a_reply(turn: Turn, exchange: Exchange, verdicts: list[Verdict]) -> None:
    assert strictly(Eval(name="e", turns=(turn,)), exchange) == verdicts


def test_the_response_is_not_looked_at_when_there_is_none() -> None:
    checks = (check("response", {"contains": "x"}), check("tools", {"not_called": "t"}))

    assert strictly(Eval(name="e", turns=(Turn(user="hi", checks=checks),)), says()) == [FAIL, SKIP, PASS]


def test_one_unreadable_path_spoils_the_state_checks_of_a_turn() -> None:
    checks = (check("state", {"path": "conversation.k", "equals": 1}), check("state", {"path": "k", "equals": 1}))
    checks += (check("workflow", {"name": "w", "entered": False}),)
    eval = Eval(name="e", turns=(Turn(user="hi", checks=checks),))

    assert strictly(eval, holds(k=1), baseline=EMPTY) == [FAIL, FAIL, PASS]


def test_one_unreadable_path_spoils_the_whole_outcome() -> None:
    checks = (check("state", {"path": "k", "equals": 1}), check("workflow", {"name": "w", "entered": False}))
    eval = Eval(name="e", turns=(Turn(user="hi"),), outcome=checks)

    assert strictly(eval, holds(k=1), baseline=EMPTY) == [FAIL, FAIL]


BREAKING = (
    check("tools", {"not_called": "u"}),
    check("tools", {"called": "t", "params": {"a": 5}}),
    check("tools", {"called": "t"}),
)


def test_nothing_is_known_of_a_turn_that_the_engine_breaks_on_and_of_what_follows() -> None:
    turns = (Turn(user="hi", checks=BREAKING[:1]), Turn(user="hi", checks=BREAKING), Turn(user="hi", checks=BREAKING))
    eval = Eval(name="e", turns=turns, outcome=(check("workflow", {"name": "w", "entered": False}),))

    turn = calls(call(a=5))

    assert strictly(eval, turn, turn, turn) == [PASS] + [ERROR] * 7


def test_nothing_checked_is_a_pass_there_and_an_error_here() -> None:
    eval = Eval(name="e", turns=(Turn(user="hi"),))
    transcript = Transcript(exchanges=(says("ok"),))

    assert score(eval, transcript, judge_pass_threshold=3) == []
    assert strictly(eval, says("ok")) == [PASS]


def test_what_did_not_finish_stays_as_it_is() -> None:
    crashed = Exchange(user="hi", trouble=Trouble(message="KeyError", by_agent=True))
    one = check("state", {"path": "k", "gte": 1})
    eval = Eval(name="e", turns=(Turn(user="hi", checks=(one,)), Turn(user="hi", checks=(one,))), outcome=(one,))
    transcript = Transcript(exchanges=(crashed,))

    ours = score(eval, transcript, judge_pass_threshold=3)

    assert botpress_engine.score(eval, transcript, judge_pass_threshold=3) == ours


def test_a_conversation_that_was_cut_short_between_turns_stays_as_it_is() -> None:
    eval = an_eval(check("workflow", {"name": "w", "failed": True}), outcome=True)
    transcript = Transcript(exchanges=(says("ok"),), trouble=Trouble(message="gone", by_agent=False))

    ours = score(eval, transcript, judge_pass_threshold=3)

    assert botpress_engine.score(eval, transcript, judge_pass_threshold=3) == ours


@pytest.mark.parametrize(
    ("category", "written"),
    [("tools", {"called": "t", "status": "success"}), ("state", {"path": "conversation.k", "gte": 1})],
    ids=["tools", "state"],
)
def test_what_nobody_could_see_is_no_pass(category: str, written: Mapping[str, object]) -> None:
    eval = an_eval(check(category, written))

    assert both(eval, Transcript(exchanges=(says("ok"),), observes=("replies",))) == (ERROR, ERROR)


def test_a_state_that_was_not_read_is_no_pass() -> None:
    eval = an_eval(check("state", {"path": "conversation.k", "gte": 1}))

    assert both(eval, Transcript(exchanges=(says("ok"),), observes=("replies", "state"))) == (ERROR, ERROR)


def test_the_judge_is_shown_this_turn_only_and_any_threshold_is_ignored() -> None:
    eval = an_eval(check("response", {"llm_judge": "polite"}), 2)
    transcript = Transcript(exchanges=(says("first"), Exchange(event={"n": 1}, replies=(Reply(text="second"),))))

    (row,) = botpress_engine.score(eval, transcript, judge_pass_threshold=5)

    assert isinstance(row, OpenCheck)
    assert (row.question.threshold, row.question.response) == (3, "second")
    assert [(line.speaker, line.text) for line in row.question.conversation] == [("event", "[event]")]


def judged(eval: Eval, transcript: Transcript, grade: int | None = None, threshold: int = 3) -> TrialResult:
    """Return a result judged as documented; None: no judge answered."""
    rows = score(eval, transcript, judge_pass_threshold=threshold)
    checks = [row if isinstance(row, CheckResult) else _answered(row, grade) for row in rows]
    return TrialResult(eval_name="e", verdict=PASS, checks=tuple(checks), transcript=transcript)


def _answered(row: OpenCheck, grade: int | None) -> CheckResult:
    if grade is None:
        return unsettled(row, ERROR, "no answer")
    return settled(row, [Opinion(score=grade, reason="because")])


def notes(eval: Eval, result: TrialResult) -> list[str | None]:
    return [one.note for one in botpress_engine.with_notes(eval, result).checks]


@pytest.mark.parametrize(("category", "written", "exchanges", "documented", "engine"), DIFFERENCES)
def test_each_difference_is_noted_in_one_line(
    category: str,
    written: Mapping[str, object],
    exchanges: list[Exchange],
    documented: Verdict | str,
    engine: Verdict,
) -> None:
    eval = an_eval(check(category, written), len(exchanges))
    result = judged(eval, Transcript(baseline=EMPTY, exchanges=tuple(exchanges)), grade=1)

    note = notes(eval, result)[-1]

    would = {PASS: "pass this", FAIL: "fail this", ERROR: "break here"}[engine]
    assert str(note).startswith(f"the Botpress engine would {would}: it ")
    assert "\n" not in str(note)


@pytest.mark.parametrize(("category", "written", "exchanges", "verdict"), ALIKE)
def test_nothing_is_noted_where_they_agree(
    category: str, written: Mapping[str, object], exchanges: list[Exchange], verdict: Verdict | str
) -> None:
    eval = an_eval(check(category, written), len(exchanges))
    result = judged(eval, Transcript(baseline=EMPTY, exchanges=tuple(exchanges)), grade=5)

    assert notes(eval, result) == [None] * len(result.checks)


GRADES = [
    pytest.param(3, 4, "the Botpress engine would pass this: its judge says yes or no, and knows no judgePassThreshold",
                 id="a yes below the threshold"),
    pytest.param(2, 2, "the Botpress engine would fail this: its judge says yes or no, and knows no judgePassThreshold",
                 id="a no above the threshold"),
    pytest.param(4, 4, None, id="a yes for both"),
    pytest.param(None, 4, None, id="no answer"),
]  # fmt: skip


@pytest.mark.parametrize(("grade", "threshold", "note"), GRADES)
def test_a_threshold_makes_a_difference(grade: int | None, threshold: int, note: str | None) -> None:
    eval = an_eval(check("response", {"llm_judge": "polite"}))

    assert notes(eval, judged(eval, Transcript(exchanges=(says("hi"),)), grade, threshold)) == [note]


def test_where_the_engine_breaks_is_noted_once() -> None:
    turn = Turn(user="hi", checks=BREAKING)
    eval = Eval(name="e", turns=(turn, turn))
    result = judged(eval, Transcript(exchanges=(calls(call(a=5)), calls(call(a=5)))))

    assert [note is not None for note in notes(eval, result)] == [False, True, False, False, False, False]


def test_a_result_without_checks_has_nothing_to_note() -> None:
    broken = TrialResult(eval_name="e", verdict=ERROR, error="broke")

    assert botpress_engine.with_notes(an_eval(BREAKING[0]), broken) == broken
