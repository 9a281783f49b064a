"""The public names: adding to them is a decision."""

import pytest

import audition


def test_the_public_names_are_these() -> None:
    assert audition.__all__ == [
        "AuditionError",
        "Check",
        "CheckResult",
        "Eval",
        "MockResult",
        "Options",
        "Reference",
        "Run",
        "RunResult",
        "SeedState",
        "Setup",
        "Suite",
        "ToolCallReference",
        "ToolMock",
        "TrialResult",
        "Turn",
        "Verdict",
        "WorkflowTrigger",
        "agent",
        "arescore",
        "arun",
        "load",
        "render",
        "rescore",
        "run",
    ]


@pytest.mark.parametrize("name", audition.__all__)
def test_each_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert getattr(audition, name).__doc__


def test_a_name_that_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'evaluate'"):
        getattr(audition, "evaluate")  # noqa: B009  # mypy knows better
