"""What ADK says of a transcript: its numbers and verdicts in strict mode, and the notes where it would differ."""

from collections.abc import Sequence
from typing import Any

import pytest

from audition.evals import Check, Eval, Reference, ToolCallReference, Turn
from audition.results import CheckResult, TrialResult, Verdict, roll_up
from audition.scoring import adk_strict
from audition.scoring.rule import Finding, Inquiry, OpenCheck, Opinion, Question
from audition.scoring.score import score as documented
from audition.scoring.score import settled
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble, Usage

OVERLAP = Check(category="overlap", spec={})
TRAJECTORY = Check(category="trajectory", spec={})
TOKENS = Check(category="measure", spec={"measure": "tokens"})


def a_turn(response: str | None = None, calls: Sequence[ToolCallReference] | None = None, **extra: object) -> Turn:
    """Return a turn with a reference."""
    reference = Reference(response=response, tool_calls=None if calls is None else tuple(calls))
    return Turn(user="hi", reference=reference, extra=extra)


def an_exchange(said: str = "hello", *calls: ToolCall, **more: Any) -> Exchange:
    """Return what an agent made of a turn."""
    return Exchange(user="hi", replies=(Reply(text=said),), tool_calls=calls, **more)


def strict(turns: Sequence[Turn], exchanges: Sequence[Exchange], *checks: Check) -> list[CheckResult]:
    """Return the rows in strict mode, none of them open."""
    eval = Eval(name="e", turns=tuple(turns), outcome=checks)
    rows = adk_strict.score(eval, Transcript(exchanges=tuple(exchanges)), judge_pass_threshold=3)
    assert all(isinstance(row, CheckResult) for row in rows)
    return [row for row in rows if isinstance(row, CheckResult)]


def note(turns: Sequence[Turn], exchanges: Sequence[Exchange], check: Check) -> str | None:
    """Return what is noted on a check of the outcome that is judged as documented."""
    eval, transcript = Eval(name="e", turns=tuple(turns), outcome=(check,)), Transcript(exchanges=tuple(exchanges))
    rows = documented(eval, transcript, judge_pass_threshold=3)
    checks = tuple(row for row in rows if isinstance(row, CheckResult))
    result = TrialResult(eval_name="e", verdict=Verdict.PASS, checks=checks, transcript=transcript)
    return adk_strict.with_notes(eval, result).checks[-1].note


ROUNDED = [a_turn("ant bee cat dog eel")] * 10, [an_exchange("ant bee cat x y")] * 10
AT_06 = Check(category="overlap", spec={"threshold": 0.6})

NULL = (
    # case: microsoft/agent-framework#8609
    [
        a_turn(
            calls=[ToolCallReference(name="list_devices", arguments={})],
            intermediate_data={"tool_uses": [{"name": "list_devices"}]},
        )
    ],
    [an_exchange("x", ToolCall(name="list_devices"))],
)

TRUE = (
    # case: google/adk-python:src/google/adk/evaluation/trajectory_evaluator.py
    [a_turn(calls=[ToolCallReference(name="set_flag", arguments={"value": 1})])],
    [an_exchange("x", ToolCall(name="set_flag", arguments={"value": True}))],
)


def test_a_mean_is_added_up_plainly() -> None:
    # case: google/adk-python:src/google/adk/evaluation/final_response_match_v1.py
    (result,) = strict(*ROUNDED, AT_06)

    assert (result.verdict, result.score) == (Verdict.FAIL, 0.5999999999999999)
    assert result.turn_scores == (pytest.approx(0.6),) * 10


@pytest.mark.parametrize("blank", [None, ""])
def test_a_blank_reference_scores_0(blank: str | None) -> None:
    # case: promptfoo/promptfoo#10411
    (result,) = strict([a_turn(blank)], [an_exchange()], OVERLAP)

    assert (result.verdict, result.score) == (Verdict.FAIL, 0.0)


def test_thoughts_of_the_reference_are_part_of_it() -> None:
    content = {"parts": [{"text": "Let me think.", "thought": True}, {"text": "The answer is 42"}]}

    (result,) = strict([a_turn("The answer is 42", final_response=content)], [an_exchange("The answer is 42")], OVERLAP)

    # case: google/adk-python#7091, with the sides exchanged: the agent's own thoughts are not in a transcript
    assert result.score == pytest.approx(0.727273, abs=1e-6)


def test_null_arguments_are_not_empty_ones() -> None:
    (result,) = strict(*NULL, TRAJECTORY)

    assert (result.verdict, result.score) == (Verdict.FAIL, 0.0)


def test_null_arguments_in_events_are_seen_too() -> None:
    events = [
        {"author": "a", "content": {"parts": [{"text": "hm"}, {"function_call": {"name": "f", "args": {}}}]}},
        {"author": "a", "content": {"parts": [{"function_call": {"name": "g"}}]}},
        {"author": "a"},
    ]
    calls = [ToolCallReference(name="f", arguments={}), ToolCallReference(name="g", arguments={})]
    turn = a_turn(calls=calls, intermediate_data={"invocation_events": events})
    only_names = Check(category="trajectory", spec={"ignore_args": True})

    results = strict([turn], [an_exchange("x", ToolCall(name="f"), ToolCall(name="g"))], TRAJECTORY, only_names)

    assert [result.score for result in results] == [0.0, 1.0]


def test_true_is_1() -> None:
    (result,) = strict(*TRUE, TRAJECTORY)

    assert (result.verdict, result.score) == (Verdict.PASS, 1.0)


@pytest.mark.parametrize(
    ("calls", "score"), [((), 1.0), ((ToolCall(name="rm"),), 0.0)], ids=["none called", "one called"]
)
def test_a_reference_that_says_nothing_of_tools_expects_none(calls: tuple[ToolCall, ...], score: float) -> None:
    (result,) = strict([a_turn("hello")], [an_exchange("hello", *calls)], TRAJECTORY)

    assert result.score == score


def test_an_unexpected_call_in_order_is_a_pass() -> None:
    in_order = Check(category="trajectory", spec={"match_type": "IN_ORDER"})

    (result,) = strict([a_turn(calls=[])], [an_exchange("x", ToolCall(name="rm"))], in_order)

    assert (result.verdict, result.score) == (Verdict.PASS, 1.0)


def test_what_only_we_can_say_of_a_trajectory_stays_as_it_is() -> None:
    graded = Check(category="trajectory", spec={"graded": True})
    made = ToolCall(name="a"), ToolCall(name="b")

    (result,) = strict([a_turn(calls=[ToolCallReference(name="a")])], [an_exchange("x", *made)], graded)

    assert result.score == pytest.approx(2 / 3)


@pytest.mark.parametrize("check", [OVERLAP, TRAJECTORY], ids=["overlap", "trajectory"])
def test_a_metric_without_anything_to_compare_with_is_left_out(check: Check) -> None:
    (result,) = strict([], [an_exchange()], check)

    assert result.verdict is Verdict.SKIP


def test_the_final_session_state_is_not_looked_at() -> None:
    state = Check(category="state", spec={"path": "conversation.paid", "equals": True})
    eval = Eval(name="e", turns=(a_turn("hello"),), outcome=(OVERLAP, state))
    transcript = Transcript(baseline=State(), exchanges=(an_exchange(state=State()),))

    rows = adk_strict.score(eval, transcript, judge_pass_threshold=3)

    assert [row.verdict for row in rows if isinstance(row, CheckResult)] == [Verdict.PASS, Verdict.SKIP]


def test_informational_metrics_stay_as_they_are() -> None:
    exchange = an_exchange(usage=Usage(calls=1, input_tokens=3, output_tokens=4))

    (result,) = strict([a_turn()], [exchange], TOKENS)

    assert (result.verdict, result.score) == (Verdict.SKIP, 7)


BOUNDED = Check(category="measure", spec={"measure": "tokens", "lte": 10})
"""A metric that cannot be evaluated when no usage is known."""


@pytest.mark.parametrize(
    ("said", "checks", "documented_verdict", "verdict"),
    [
        # case: google/adk-python#5732; peers M28
        ("hello", (OVERLAP, BOUNDED), Verdict.ERROR, Verdict.PASS),
        ("bye", (OVERLAP, BOUNDED), Verdict.FAIL, Verdict.FAIL),
        ("hello", (BOUNDED,), Verdict.ERROR, Verdict.ERROR),
        ("hello", (OVERLAP, TOKENS), Verdict.PASS, Verdict.PASS),
    ],
    ids=["one passed", "one failed", "none evaluated", "informational"],
)
def test_a_case_passes_on_what_could_be_evaluated(
    said: str, checks: tuple[Check, ...], documented_verdict: Verdict, verdict: Verdict
) -> None:
    eval, transcript = (
        Eval(name="e", turns=(a_turn("hello"),), outcome=checks),
        Transcript(exchanges=(an_exchange(said),)),
    )

    ours = documented(eval, transcript, judge_pass_threshold=3)
    theirs = adk_strict.score(eval, transcript, judge_pass_threshold=3)

    assert roll_up(row.verdict for row in ours if isinstance(row, CheckResult)) is documented_verdict
    assert roll_up(row.verdict for row in theirs if isinstance(row, CheckResult)) is verdict


def test_the_right_calls_with_a_wrong_answer_fail() -> None:
    # peers M20: a trajectory says nothing of the answer, which is a check of its own
    turn = a_turn("The light is off", [ToolCallReference(name="switch", arguments={})])

    results = strict([turn], [an_exchange("TOTALLY WRONG", ToolCall(name="switch"))], TRAJECTORY, OVERLAP)

    assert [result.verdict for result in results] == [Verdict.PASS, Verdict.FAIL]


@pytest.mark.parametrize(
    ("exchanges", "observes"),
    [
        ((), None),
        ((an_exchange(trouble=Trouble(message="refused", by_agent=False)),), None),
        ((an_exchange(),), ("replies",)),
    ],
    ids=["nothing happened", "trouble", "nobody could see"],
)
def test_what_was_not_seen_stays_an_error(exchanges: tuple[Exchange, ...], observes: tuple[str, ...] | None) -> None:
    eval = Eval(name="e", turns=(a_turn("hello", []),), outcome=(TRAJECTORY,))
    transcript = Transcript(exchanges=exchanges, observes=observes)

    rows = adk_strict.score(eval, transcript, judge_pass_threshold=3)

    assert rows == documented(eval, transcript, judge_pass_threshold=3)
    assert roll_up(row.verdict for row in rows if isinstance(row, CheckResult)) is Verdict.ERROR


def judged(check: Check, opinions: Sequence[Opinion]) -> CheckResult:
    """Return what a metric that asks a judge comes to in strict mode; its score is that of its one opinion."""

    def conclude(given: Sequence[Opinion]) -> Finding:
        (opinion,) = given
        if opinion.score is None:
            return Finding(verdict=Verdict.ERROR, reason=opinion.reason)
        return Finding(verdict=Verdict.PASS, score=opinion.score)

    question = Question(criterion="c", response="r", conversation=(), threshold=1, scale="yes_no")
    inquiry = Inquiry(questions=(question,), conclude=conclude, expected="yes")
    eval, transcript = Eval(name="e", turns=(a_turn(),), outcome=(check,)), Transcript(exchanges=(an_exchange(),))
    row = OpenCheck(check=check, description="d", turn=None, question=inquiry)
    theirs = adk_strict._theirs(eval, transcript, check, row)
    assert isinstance(theirs, OpenCheck)
    return settled(theirs, opinions)


@pytest.mark.parametrize(
    ("opinion", "verdict"),
    [(Opinion(score=1, reason="good"), Verdict.PASS), (Opinion(score=None, reason="no answer"), Verdict.SKIP)],
    ids=["answered", "not answered"],
)
def test_a_judge_that_gives_no_answer_is_left_out(opinion: Opinion, verdict: Verdict) -> None:
    assert judged(BOUNDED, [opinion]).verdict is verdict


@pytest.mark.parametrize(
    ("turns", "exchanges", "check", "expected"),
    [
        pytest.param(
            *ROUNDED,
            AT_06,
            "ADK would fail this (score 0.5999999999999999): it adds up with rounding errors",
            id="rounding",
        ),
        pytest.param(
            *NULL,
            TRAJECTORY,
            "ADK would fail this (score 0.0): it takes arguments that are null, or left out, for others than {}",
            id="null arguments",
        ),
        pytest.param(
            *TRUE,
            TRAJECTORY,
            "ADK would pass this (score 1.0): it compares arguments as Python does: true is 1, and texts must be the"
            " same to the byte",
            id="true is 1",
        ),
        pytest.param(
            [a_turn("")],
            [an_exchange()],
            OVERLAP,
            "ADK would fail this (score 0.0): it scores a turn without a reference text 0",
            id="blank reference",
        ),
        pytest.param(
            [a_turn("hello")],
            [an_exchange()],
            TRAJECTORY,
            "ADK would pass this (score 1.0): it takes a reference that says nothing of tools for one that expects no"
            " call",
            id="nothing said of tools",
        ),
        pytest.param(
            [a_turn("a b"), a_turn(None)],
            [an_exchange("a b"), an_exchange()],
            Check(category="overlap", spec={"threshold": 0.5}),
            "ADK would pass this (score 0.5): it scores a turn without a reference text 0",
            id="the number alone",
        ),
        pytest.param(
            [a_turn()],
            [an_exchange()],
            BOUNDED,
            "ADK leaves out what it could not evaluate: tokens is not known of every turn",
            id="not evaluated",
        ),
        pytest.param([a_turn("hello")], [an_exchange("hello")], OVERLAP, None, id="the same"),
        pytest.param([a_turn("hello")], [an_exchange("hello")], TOKENS, None, id="informational"),
    ],
)
def test_a_check_notes_where_adk_would_differ(
    turns: Sequence[Turn], exchanges: Sequence[Exchange], check: Check, expected: str | None
) -> None:
    assert note(turns, exchanges, check) == expected


def test_a_failed_state_check_notes_that_adk_does_not_look() -> None:
    state = Check(category="state", spec={"path": "conversation.paid", "equals": True})

    told = note([a_turn()], [an_exchange(state=State())], state)

    assert told == "ADK does not look at the final session state"


def test_a_note_of_ours_is_kept() -> None:
    turns = [a_turn("the heating in the hall is at 21 degrees"), a_turn(None)]
    exchanges = [an_exchange("the heating in the hall is not at 21 degrees"), an_exchange()]

    told = note(turns, exchanges, OVERLAP)

    assert told is not None
    assert told.startswith("turn 1: negations expected: none, said: not; ADK would fail this")


@pytest.mark.parametrize(
    "result",
    [
        TrialResult(eval_name="e", verdict=Verdict.ERROR),
        TrialResult(
            eval_name="e",
            verdict=Verdict.ERROR,
            checks=(CheckResult(category="overlap", check="c", verdict=Verdict.ERROR),),
        ),
    ],
    ids=["broken", "cut short"],
)
def test_a_trial_that_did_not_come_to_its_end_has_no_notes(result: TrialResult) -> None:
    eval = Eval(name="e", turns=(a_turn(""),), outcome=(OVERLAP,))

    assert adk_strict.with_notes(eval, result) == result


def test_checks_of_turns_stay_as_they_are() -> None:
    turn = Turn(user="hi", checks=(Check(category="overlap", spec={}),), reference=Reference(response=""))

    (result,) = strict([turn], [an_exchange()])

    assert result.verdict is Verdict.ERROR


def test_written_calls_that_do_not_fit_the_reference_are_not_read() -> None:
    turn = a_turn(
        calls=[ToolCallReference(name="f", arguments={})],
        intermediate_data={"tool_uses": [{"name": "f"}, {"name": "g"}]},
    )

    (result,) = strict([turn], [an_exchange("x", ToolCall(name="f"))], TRAJECTORY)

    assert result.score == 1.0
