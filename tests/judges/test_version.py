"""The version of a judge."""

from audition.judges.version import prompt_hash


def test_the_version_of_the_prompt_is_the_same_each_time() -> None:
    assert prompt_hash() == prompt_hash()
    assert len(prompt_hash()) == 64
