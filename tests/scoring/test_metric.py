"""Scores from turn to turn: their mean, their threshold, and what a turn is compared with."""

import pytest

from audition.evals import Reference, Turn
from audition.results import Verdict
from audition.scoring.metric import concluded, mean, reaches, referenced, shown_score
from audition.scoring.rule import Seen
from audition.transcript import Exchange, Transcript


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.6] * 10, 0.6),
        ([1.0, None, 0.5], 0.75),
        ([None], None),
        ([], None),
    ],
    ids=["no rounding", "one unknown", "all unknown", "none"],
)
def test_the_mean_is_over_the_scores_there_are(scores: list[float | None], expected: float | None) -> None:
    assert mean(scores) == expected


@pytest.mark.parametrize(("score", "held"), [(0.6, True), (0.5999999999999999, True), (0.5999999, False), (0.7, True)])
def test_rounding_errors_are_forgiven(score: float, held: bool) -> None:
    assert reaches(score, 0.6) is held


@pytest.mark.parametrize(("score", "told"), [(None, "–"), (1.0, "1"), (2 / 3, "0.666667"), (42.0, "42")])
def test_a_score_is_told_in_few_digits(score: float | None, told: str) -> None:
    assert shown_score(score) == told


def test_without_a_score_there_is_no_verdict() -> None:
    finding = concluded([None, None], 0.5, unscored="nothing to compare with")

    assert (finding.verdict, finding.score, finding.turn_scores) == (Verdict.ERROR, None, (None, None))
    assert (finding.reason, finding.threshold) == ("nothing to compare with", 0.5)


def test_reasons_are_given_only_when_the_mean_is_too_low() -> None:
    scores = [1.0, 0.0]

    assert concluded(scores, 0.5, unscored="", reasons=["turn 2"]).reason is None
    assert concluded(scores, 0.6, unscored="", reasons=["turn 2"]).reason == "turn 2"


@pytest.mark.parametrize(
    ("turn", "expected"), [(None, [(1, "a"), (2, None), (3, None)]), (0, [(1, "a")]), (2, [(3, None)])]
)
def test_each_turn_stands_beside_its_reference(turn: int | None, expected: list[tuple[int, str | None]]) -> None:
    transcript = Transcript(exchanges=(Exchange(user="x"), Exchange(user="y"), Exchange(user="z")))
    turns = (Turn(user="x", reference=Reference(response="a")), Turn(user="y"))

    seen = Seen(transcript=transcript, turn=turn, judge_pass_threshold=3, turns=turns)

    assert [(number, reference.response) for number, _, reference in referenced(seen)] == expected
