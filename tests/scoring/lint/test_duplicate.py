"""Evals with the same conversation."""

from audition.evals import Eval, SeedState, Setup, Turn
from audition.scoring.lint import lint_evals


def asking(name: str, *said: str, **more) -> Eval:
    """Return an eval in which a user says something."""
    return Eval(name=name, turns=tuple(Turn(user=text) for text in said), **more)


def test_the_second_of_two_evals_with_one_conversation_is_told():
    evals = [asking("a", "Where is my order?"), asking("b", "hi"), asking("c", "where is  my order")]

    (found,) = lint_evals(evals)

    assert (found.eval_name, found.finding.code, found.finding.severity) == ("c", "L12", "warning")
    assert "'a'" in found.finding.message


def test_another_number_another_turn_or_another_setup_makes_another_eval():
    other = Setup(state=SeedState(user={"plan": "free"}))
    evals = [
        asking("a", "order 3"),
        asking("b", "order 30"),
        asking("c", "order 3", setup=other),
        asking("d", "order", "3"),
    ]

    assert lint_evals(evals) == []


def test_evals_of_one_cluster_are_known_to_be_alike():
    alike = [asking(name, "hi", tags=("cluster:greeting",)) for name in "ab"]
    unlike = [asking(name, "hi", tags=(f"cluster:{name}",)) for name in "ab"]

    assert lint_evals(alike) == []
    assert len(lint_evals(unlike)) == 1


def test_evals_without_words_are_left_alone():
    assert lint_evals([asking("a", "🙂"), asking("b", "🙂"), Eval(name="c"), Eval(name="d")]) == []
