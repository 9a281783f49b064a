"""The version of a judge."""

import pytest

from audition.judges.version import prompt_hash


def test_the_version_of_the_prompt_is_the_same_each_time() -> None:
    assert prompt_hash() == prompt_hash()
    assert len(prompt_hash()) == 64


@pytest.mark.parametrize("told", ["_SPLIT", "_JUDGE_RULES", "_JUDGE"])
def test_the_version_covers_what_a_judge_is_told_about_criteria(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = prompt_hash()
    monkeypatch.setattr(f"audition.judges.criteria_prompt.{told}", "Do as you like.")

    assert prompt_hash() != before
