"""Overlap checks: what a turn scores, what the mean is held against, and what a good score does not show."""

from collections.abc import Callable

import pytest

from audition.evals import Reference, Turn
from audition.results import Verdict
from audition.scoring.checks import overlap
from audition.scoring.rule import Finding, Seen
from audition.transcript import Exchange, Reply, Transcript

Pair = tuple[str | None, str]
"""What the reference says (None: nothing), and what the agent says."""


def found(*pairs: Pair, threshold: float = 0.8, turn: int | None = None) -> Finding:
    """Return what an overlap check comes to over turns."""
    turns = tuple(Turn(user="hi", reference=Reference(response=wanted)) for wanted, _ in pairs)
    exchanges = tuple(Exchange(user="hi", replies=(Reply(text=said),)) for _, said in pairs)
    transcript = Transcript(exchanges=exchanges)
    seen = Seen(transcript=transcript, turn=turn, judge_pass_threshold=3, turns=turns)
    finding = overlap.rule({"threshold": threshold}).evaluate(seen)
    assert isinstance(finding, Finding)
    return finding


@pytest.mark.parametrize(
    ("said", "verdict", "score"),
    [
        ("The answer is 42", Verdict.PASS, 1.0),
        ("the answer is 42.", Verdict.PASS, 1.0),
        ("I do not know", Verdict.FAIL, 0.0),
        # case: promptfoo/promptfoo#10411: a blank answer is 0 and fails
        ("", Verdict.FAIL, 0.0),
    ],
)
def test_an_answer_is_compared_with_the_reference(said: str, verdict: Verdict, score: float) -> None:
    finding = found(("The answer is 42", said))

    assert (finding.verdict, finding.score, finding.threshold, finding.turn_scores) == (verdict, score, 0.8, (score,))


@pytest.mark.parametrize("blank", [None, "", " \n", "👍"], ids=["none", "empty", "spaces", "no words"])
def test_without_a_reference_text_nothing_is_evaluated(blank: str | None) -> None:
    # case: promptfoo/promptfoo#10411
    finding = found((blank, "Your parcel left today"))

    assert (finding.verdict, finding.score, finding.turn_scores) == (Verdict.ERROR, None, (None,))
    assert finding.reason is not None
    assert finding.reason.startswith("no reference text")


def test_a_turn_without_a_reference_is_left_out_of_the_mean() -> None:
    finding = found((None, "hello"), ("a b", "a b"), ("a b", "a c"))

    assert (finding.score, finding.turn_scores) == (0.75, (None, 1.0, 0.5))


def test_an_eval_without_turns_has_nothing_to_compare_with() -> None:
    transcript = Transcript(exchanges=(Exchange(user="hi", replies=(Reply(text="hello"),)),))

    finding = overlap.rule({}).evaluate(Seen(transcript=transcript, turn=None, judge_pass_threshold=3))

    assert isinstance(finding, Finding)
    assert finding.verdict is Verdict.ERROR


def test_ten_turns_that_reach_the_threshold_reach_it_together() -> None:
    # case: google/adk-python:src/google/adk/evaluation/final_response_match_v1.py
    finding = found(*[("a1 b2 c3 d4 e5", "a1 b2 c3 x y")] * 10, threshold=0.6)

    assert finding.verdict is Verdict.PASS
    assert finding.score == pytest.approx(0.6)


def test_a_mean_just_below_the_threshold_fails() -> None:
    assert found(("a b c d", "a b c x"), threshold=0.751).verdict is Verdict.FAIL


def test_the_reason_shows_the_worst_turn() -> None:
    finding = found(("a b", "a c"), ("Paris", "London"))

    assert finding.reason == 'turn 2: expected "Paris", got "London"'
    assert finding.actual == "0.25 (turns: 0.5, 0)"


def test_the_reason_says_that_nothing_was_said() -> None:
    assert found(("Paris", " ")).reason == 'turn 1: expected "Paris", got nothing'


def test_a_check_of_a_turn_looks_at_that_turn_alone() -> None:
    finding = found(("Paris", "London"), ("Rome", "Rome"), turn=1)

    assert (finding.verdict, finding.turn_scores) == (Verdict.PASS, (1.0,))


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        pytest.param(
            "the heating in the hall is at 21 degrees", "the heating in the hall is not at 21 degrees", id="negation"
        ),
        pytest.param(
            "the refund for the order was sent to account 9100",
            "the refund for the order was sent to account 1900",
            id="number",
        ),
    ],
)
def test_a_good_score_with_another_meaning_is_noted(wanted: str, said: str) -> None:
    # peers M26: 0.9 and more is a pass, and says the opposite
    finding = found((wanted, said))

    assert finding.verdict is Verdict.PASS
    assert finding.note is not None
    assert finding.note.startswith("turn 1: ")


def test_a_good_answer_has_no_note() -> None:
    assert found(("It is not at 21", "It is not at 21")).note is None


def test_the_default_threshold_is_that_of_adk() -> None:
    assert overlap.rule({}).describe() == "threshold: 0.8"


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ({"threshold": 80}, "threshold: 'threshold' must be from 0 to 1, not 80; None"),
        ({"treshold": 0.8}, "treshold: unknown key 'treshold' in overlap check; did you mean 'threshold'?"),
    ],
)
def test_a_check_that_is_written_wrongly_is_refused(
    faults_of: Callable[..., list[str]], written: dict[str, object], fault: str
) -> None:
    assert faults_of(overlap.CHECK, written) == [fault]
