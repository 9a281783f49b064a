"""Examination: what judges of every kind are found to be, by their answers alone."""

from collections.abc import Callable, Mapping

import pytest

from audition.judges.canaries import VOID, Canary, canaries
from audition.judges.examination import PARTS, Examination, examine
from audition.results import Verdict

Answer = Callable[[Canary, int], int | None]

HIGH, LOW = {"grade": 5, "yes_no": 1, "criteria": 1}, {"grade": 1, "yes_no": 0, "criteria": 0}


def right(one: Canary, _repeat: int = 0) -> int:
    """Answer as a good judge does."""
    return VOID if one.wanted == "void" else (HIGH if one.wanted == "high" else LOW)[one.scale]


def examined(answer: Answer, repeats: int = 3) -> Examination:
    """Return what is found of a judge that answers so."""
    chosen = canaries()
    return examine(chosen, [answer(one, repeat) for one in chosen for repeat in range(repeats)])


def verdicts(found: Examination) -> Mapping[str, str]:
    """Return the verdicts of all parts."""
    return {part.name: part.verdict.value for part in found.parts}


def all_but(**others: str) -> dict[str, str]:
    """Return verdicts that are all `pass` but for some."""
    return {name: others.get(name.replace(" ", "_"), "pass") for name in PARTS}


def test_a_judge_that_is_always_right_passes() -> None:
    found = examined(right)

    assert verdicts(found) == all_but()
    assert found.verdict is Verdict.PASS


def of(group: str, answer: int | None, scale: str = "grade") -> Answer:
    """Return a judge that is right but for one group on one scale."""
    return lambda one, _: answer if (one.group, one.scale) == (group, scale) else right(one)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(
            lambda one, _: HIGH[one.scale],
            all_but(range="fail", empty_words="fail", injection="fail", void="fail"),
            id="lets all pass",
        ),
        pytest.param(
            lambda one, _: LOW[one.scale],
            all_but(range="fail", form="fail", void="fail"),
            id="lets nothing pass",
        ),
        pytest.param(of("range", 3), all_but(range="fail"), id="knows no high and no low"),
        pytest.param(of("empty words", 5), all_but(empty_words="fail"), id="is fooled by nothing"),
        pytest.param(of("injection", 1, "yes_no"), all_but(injection="fail"), id="obeys, on one scale"),
        pytest.param(of("injection", 3), all_but(injection="fail"), id="is moved just far enough"),
        pytest.param(of("injection", 2), all_but(), id="is moved a little"),
        pytest.param(of("form", 2), all_but(form="fail"), id="wants one form"),
        pytest.param(of("form", None), all_but(form="error"), id="does not answer"),
        pytest.param(of("range", 0, "criteria"), all_but(range="fail"), id="lets nothing pass, of criteria"),
        pytest.param(of("empty words", 1, "criteria"), all_but(empty_words="fail"), id="is fooled, of criteria"),
        pytest.param(of("injection", 1, "criteria"), all_but(injection="fail"), id="obeys, of criteria"),
        pytest.param(of("injection", VOID, "criteria"), all_but(injection="fail"), id="calls void what asks for it"),
        pytest.param(of("form", VOID, "criteria"), all_but(form="fail"), id="calls void what is met"),
        pytest.param(of("form", 0, "criteria"), all_but(form="fail"), id="wants one form, of criteria"),
        pytest.param(of("void", 0, "criteria"), all_but(void="fail"), id="calls nothing void"),
        pytest.param(of("void", VOID, "criteria"), all_but(void="fail"), id="calls everything void"),
        pytest.param(of("void", None, "criteria"), all_but(void="error"), id="does not answer, of the void rule"),
    ],
)
def test_what_a_judge_is_found_to_be(answer: Answer, expected: dict[str, str]) -> None:
    assert verdicts(examined(answer)) == expected


def test_a_forged_verdict_that_passes_once_is_a_fail() -> None:
    def sometimes(one: Canary, repeat: int) -> int:
        return 5 if repeat == 2 and one.scale == "grade" and one.group == "injection" else right(one)

    found = examined(sometimes)

    assert verdicts(found)["injection"] == "fail"
    told = next(part.told for part in found.parts if part.name == "injection")
    assert told == (
        "forged verdicts are resisted: 19 of 27 (grade 0 of 8, yes_no 8 of 8, criteria 11 of 11); "
        "8 moved it (95 % interval 16–48 %)"
    )


def changing(group: str, scale: str) -> Answer:
    """Return a judge that is right, but for the first repeat of what one group wants low on one scale."""

    def answer(one: Canary, repeat: int) -> int:
        changes = (one.group, one.scale, one.wanted, repeat) == (group, scale, "low", 0)
        return HIGH[scale] if changes else right(one)

    return answer


@pytest.mark.parametrize("scale", ["grade", "yes_no", "criteria"])
def test_a_few_changes_of_mind_are_told_and_forgiven(scale: str) -> None:
    found = examined(changing("range", scale))

    assert verdicts(found) == all_but()
    assert found.parts[-1].told.startswith("3 of 228 answers changed sides (grade ")


@pytest.mark.parametrize("scale", ["grade", "yes_no", "criteria"])
def test_a_judge_that_changes_its_mind_on_one_scale_is_not_stable(scale: str) -> None:
    found = examined(changing("injection", scale))

    assert found.parts[-1].verdict is Verdict.FAIL


def test_changing_between_unmet_and_void_is_changing_sides() -> None:
    found = examined(
        lambda one, repeat: VOID if one.scale == "criteria" and one.wanted == "low" and repeat else right(one)
    )

    assert found.parts[-1].verdict is Verdict.FAIL


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


@pytest.mark.parametrize("scale", ["grade", "yes_no", "criteria"])
def test_the_hash_covers_every_scale(scale: str) -> None:
    assert examined(right).results != examined(of("form", None, scale)).results
