"""Questions put to a judge for their own sake."""

import pytest
from tests.doubles import judging
from tests.doubles.judging import Asked, Model, Says

from audition.engine.examining import ask_all, ask_canaries
from audition.errors import JudgeError
from audition.judges import Grade
from audition.judges.cached import Cached
from audition.judges.canaries import VOID, Canary, canaries, least_questions
from audition.judges.examination import Examination, examine
from audition.judges.fixed import Fixed
from audition.judges.llm import LlmJudge
from audition.scoring.rule import Question
from audition.transcript import Usage

pytestmark = pytest.mark.anyio


def question(criterion: str) -> Question:
    """Return a question by its criterion."""
    return Question(criterion=criterion, response="r", conversation=(), threshold=3)


async def test_answers_stand_in_the_order_of_the_questions() -> None:
    usage = Usage(calls=1, input_tokens=10, output_tokens=1, cost_usd=None)
    judge = Fixed({"a": Grade(score=5, reason="good", usage=usage), "b": JudgeError("down"), "c": 1})

    answers = await ask_all(judge, [question(name) for name in "cab"], at_once=2, names="cab")

    assert answers.scores == (1, 5, None)
    assert answers.reasons == ("prepared grade", "good", None)
    assert answers.problems == (None, None, "down")
    assert answers.usage == usage


async def test_nothing_said_of_the_cost_is_not_known() -> None:
    assert (await ask_all(Fixed(5), [question("a")], at_once=1, names="a")).usage is None


def judge_of(model: Model) -> Cached:
    """Return a judge as a project has it: criteria are split once."""
    return Cached(LlmJudge(model), {}, scales=("clauses",))


async def examined(says: Says, repeats: int = 1) -> tuple[Examination, Model]:
    """Return what is found of a judge of that kind, by the whole way of each question, and the model that was asked."""
    model, chosen = Model(says), canaries()
    answers = await ask_canaries(judge_of(model), chosen, repeats, at_once=8)
    return examine(chosen, answers.scores), model


def verdicts(found: Examination, scale: str) -> dict[str, set[str]]:
    """Return what became of the canaries of each part on one scale."""
    return {
        part.name: {one.verdict.value for one in part.sightings if one.canary.scale == scale}
        for part in found.parts
        if part.sightings
    }


ALL_WELL = {name: {"pass"} for name in ("range", "empty words", "injection", "form", "void")}


async def test_an_honest_judge_passes_on_every_scale_by_as_many_questions_as_are_told() -> None:
    found, model = await examined(judging.honest, repeats=2)

    assert found.verdict.value == "pass"
    assert verdicts(found, "criteria") == ALL_WELL
    assert len(model.asked) == least_questions(canaries(), 2)
    assert len([asked for asked in model.asked if asked.scale == "clauses"]) == 4


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        pytest.param(judging.gullible, {"injection": {"fail", "error"}}, id="gullible"),
        pytest.param(judging.moved_by_nothing_said, {"empty words": {"pass", "fail"}}, id="moved by nothing said"),
        pytest.param(
            judging.voids_whatever_a_tool_says,
            {"injection": {"pass", "error"}, "void": {"pass", "fail"}},
            id="calls void whatever a tool says",
        ),
        pytest.param(
            judging.lets_all_pass,
            {
                "range": {"pass", "fail"},
                "empty words": {"pass", "fail"},
                "injection": {"fail"},
                "void": {"pass", "fail", "error"},
            },
            id="lets all pass",
        ),
        pytest.param(
            judging.invents_quotes,
            {name: {"error"} for name in ALL_WELL} | {"empty words": {"pass", "error"}},
            id="invents quotes",
        ),
        pytest.param(
            lambda _: "no idea",
            {name: {"error"} for name in ALL_WELL} | {"empty words": {"pass", "error"}},
            id="broken",
        ),
    ],
)
async def test_what_is_wrong_with_a_judge_of_criteria_is_found(says: Says, expected: dict[str, set[str]]) -> None:
    found, _ = await examined(says)

    assert verdicts(found, "criteria") == ALL_WELL | expected
    assert found.verdict.value != "pass"


def of_criteria(name: str) -> Canary:
    """Return the canary of that name on the scale of criteria."""
    (found,) = [one for one in canaries() if (one.name, one.scale) == (name, "criteria")]
    return found


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("another result than predicted", VOID),
        ("no result where one is predicted", VOID),
        ("the result as predicted", 1),
        ("the result of a wrong call", 0),
        ("no call", 0),
        ("a reply that makes the result up", 0),
    ],
)
async def test_criteria_are_void_where_a_tool_contradicts_them_and_nowhere_else(name: str, score: int) -> None:
    answers = await ask_canaries(judge_of(Model(judging.honest)), [of_criteria(name)], 1, at_once=1)

    assert answers.scores == (score,)


async def test_a_void_that_was_talked_into_is_refused_by_code_and_never_counted_as_void() -> None:
    tricks = [one for one in canaries() if "a void that" in one.name]

    answers = await ask_canaries(judge_of(Model(judging.gullible)), tricks, 1, at_once=1)

    assert len(tricks) == 3
    assert answers.scores == (None, None, None)
    assert {problem.splitlines()[0] for problem in answers.problems if problem} == {
        "it cannot be told whether 1 of 1 clauses are met"
    }


async def test_a_judge_of_criteria_that_changes_its_mind_is_not_stable() -> None:
    asked_before: set[tuple[str, ...]] = set()

    def fickle(asked: Asked) -> object:
        again = asked.scale == "clause" and tuple(asked.blocks.values()) in asked_before
        asked_before.add(tuple(asked.blocks.values()))
        return judging.lets_all_pass(asked) if again else judging.honest(asked)

    found, _ = await examined(fickle, repeats=2)

    stability = found.parts[-1]
    assert stability.verdict.value == "fail"
    assert "grade 0 of 46, yes_no 0 of 46, criteria 2" in stability.told


async def test_an_empty_reply_is_judged_without_asking() -> None:
    model = Model(judging.lets_all_pass)

    answers = await ask_canaries(judge_of(model), [of_criteria("an empty reply"), of_criteria("a colon")], 1, at_once=1)

    assert (answers.scores, model.asked, answers.usage) == ((0, 0), [], None)
