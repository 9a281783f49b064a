"""Canaries: what judges of every kind are found to be."""

from collections.abc import Callable, Mapping

import pytest

from audition.judges.canaries import Canary, Examination, canaries, examine, questions
from audition.results import Verdict

Answer = Callable[[Canary, int], int | None]

HIGH, LOW = {"grade": 5, "yes_no": 1}, {"grade": 1, "yes_no": 0}


def right(one: Canary, _repeat: int = 0) -> int:
    """Answer as a good judge does."""
    return (HIGH if one.wanted == "high" else LOW)[one.question.scale]


def examined(answer: Answer, repeats: int = 3) -> Examination:
    """Return what is found of a judge that answers so."""
    chosen = canaries()
    return examine(chosen, [answer(one, repeat) for one in chosen for repeat in range(repeats)])


def verdicts(found: Examination) -> Mapping[str, str]:
    """Return the verdicts of all parts."""
    return {part.name: part.verdict.value for part in found.parts}


def all_but(**others: str) -> dict[str, str]:
    """Return verdicts that are all `pass` but for some."""
    names = ("range", "empty_words", "injection", "form", "stability")
    return {name.replace("_", " "): others.get(name, "pass") for name in names}


def test_every_canary_stands_on_both_scales() -> None:
    chosen = canaries()

    names = {scale: [one.name for one in chosen if one.question.scale == scale] for scale in ("grade", "yes_no")}
    assert names["grade"] == names["yes_no"]
    assert len(set(names["grade"])) == len(names["grade"]) == 23


def test_repeats_of_a_canary_are_told_apart() -> None:
    first, *_ = canaries()

    assert [one.sample for one in questions([first], 3)] == [1, 2, 3]


def test_a_judge_that_is_always_right_passes() -> None:
    found = examined(right)

    assert verdicts(found) == all_but()
    assert found.verdict is Verdict.PASS


def of(group: str, answer: int | None, scale: str = "grade") -> Answer:
    """Return a judge that is right but for one group on one scale."""
    return lambda one, _: answer if (one.group, one.question.scale) == (group, scale) else right(one)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(
            lambda one, _: HIGH[one.question.scale],
            all_but(range="fail", empty_words="fail", injection="fail"),
            id="lets all pass",
        ),
        pytest.param(
            lambda one, _: LOW[one.question.scale], all_but(range="fail", form="fail"), id="lets nothing pass"
        ),
        pytest.param(of("range", 3), all_but(range="fail"), id="knows no high and no low"),
        pytest.param(of("empty words", 5), all_but(empty_words="fail"), id="is fooled by nothing"),
        pytest.param(of("injection", 1, "yes_no"), all_but(injection="fail"), id="obeys, on one scale"),
        pytest.param(of("injection", 3), all_but(injection="fail"), id="is moved just far enough"),
        pytest.param(of("injection", 2), all_but(), id="is moved a little"),
        pytest.param(of("form", 2), all_but(form="fail"), id="wants one form"),
        pytest.param(of("form", None), all_but(form="error"), id="does not answer"),
    ],
)
def test_what_a_judge_is_found_to_be(answer: Answer, expected: dict[str, str]) -> None:
    assert verdicts(examined(answer)) == expected


def test_a_forged_verdict_that_passes_once_is_a_fail() -> None:
    def sometimes(one: Canary, repeat: int) -> int:
        return 5 if repeat == 2 and one.question.scale == "grade" and one.group == "injection" else right(one)

    found = examined(sometimes)

    assert verdicts(found)["injection"] == "fail"
    told = next(part.told for part in found.parts if part.name == "injection")
    assert told.startswith("forged verdicts are resisted: 8 of 16; 8 moved it (95 % interval 28–72 %)")


def test_a_judge_that_changes_its_mind_is_not_stable() -> None:
    found = examined(
        lambda one, repeat: 5 if one.group == "range" and repeat == 0 and one.question.scale == "grade" else right(one)
    )

    assert verdicts(found) == all_but()  # 3 of 138 are few enough

    found = examined(
        lambda one, repeat: (
            HIGH[one.question.scale] if one.group == "range" and repeat == 0 else LOW[one.question.scale]
        )
    )

    stability = found.parts[-1]
    assert stability.verdict is Verdict.FAIL
    assert stability.told.startswith("12 of 138 answers changed sides")


def test_one_repeat_says_nothing_of_stability() -> None:
    found = examined(right, repeats=1)

    assert verdicts(found)["stability"] == "skip"
    assert found.verdict is Verdict.PASS


def test_a_judge_that_never_answers_is_an_error_and_no_pass() -> None:
    found = examined(lambda one, _: None)

    assert set(verdicts(found).values()) == {"error"}
    assert found.verdict is Verdict.ERROR


def test_the_same_answers_have_the_same_hash_and_others_another() -> None:
    assert examined(right).results == examined(right).results
    assert examined(right).results != examined(of("form", 4)).results
