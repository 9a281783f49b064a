"""Verdicts and their roll-up."""

from itertools import product

import pytest

from audition.results import Run, Verdict, roll_up

P, F, E, S = Verdict.PASS, Verdict.FAIL, Verdict.ERROR, Verdict.SKIP


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ([P, P], P),
        ([P, F], F),
        ([F, E], F),
        ([P, E], E),
        ([P, S], P),
        ([E, S], E),
        ([S, S], E),
        ([], E),
    ],
    ids=str,
)
def test_fail_beats_error_beats_pass_and_nothing_evaluated_is_an_error(parts: list[Verdict], whole: Verdict) -> None:
    assert roll_up(parts) is whole


@pytest.mark.parametrize("parts", list(product(Verdict, repeat=3)), ids=str)
def test_a_roll_up_is_a_pass_only_when_something_passed_and_nothing_failed_or_erred(parts: tuple[Verdict, ...]) -> None:
    passes = P in parts and F not in parts and E not in parts

    assert (roll_up(parts) is P) == passes


def test_what_ran_is_the_sum_of_all_four_verdicts() -> None:
    run = Run(id="r", started_at="", agent="a", passed=3, failed=2, errors=1, skipped=1, total=9)

    assert run.ran == 7
