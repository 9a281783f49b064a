"""What is known of the judge that a project asks."""

from pathlib import Path

import pytest

from audition.engine.standing import fingerprint_of, judges_file, version_of
from audition.errors import SettingsError
from audition.settings import Settings
from audition.store.judges import Checkup, keep_checkup

CHECKUP = Checkup(verdict="pass", parts={}, repeats=3, results="ab" * 32, date="2026-01-02T03:04:05+00:00")


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        (".audition/history.db", ".audition/judges.json"),
        ("kept/runs.db", "kept/judges.json"),
        ("postgresql://db/runs", ".audition/judges.json"),
    ],
)
def test_judges_are_kept_beside_the_history(history: str, expected: str, tmp_path: Path) -> None:
    assert judges_file(Settings(root=tmp_path, history=history)) == tmp_path / expected


def test_an_alias_is_the_judge_that_it_names(tmp_path: Path) -> None:
    settings = Settings(root=tmp_path)
    keep_checkup(judges_file(settings), *version_of(settings, "openai:gpt-4o"), CHECKUP)

    assert fingerprint_of(settings, "best") == fingerprint_of(settings, "openai:gpt-4o")
    assert str(fingerprint_of(settings, "best")).startswith("openai:gpt-4o ")


@pytest.mark.parametrize("reference", [None, "openai:gpt-4o-mini"])
def test_another_judge_has_no_fingerprint(reference: str | None, tmp_path: Path) -> None:
    settings = Settings(root=tmp_path)
    keep_checkup(judges_file(settings), *version_of(settings, "openai:gpt-4o"), CHECKUP)

    assert fingerprint_of(settings, reference) is None


@pytest.mark.parametrize(
    ("models", "votes", "expected"),
    [
        ((), None, "openai:gpt-4o"),
        ((), 3, "openai:gpt-4o, 3 votes"),
        (("best", "fast", "ollama:x"), None, "openai:gpt-4o + openai:gpt-4o-mini + ollama:x"),
        (("best", "fast", "ollama:x"), 9, "openai:gpt-4o + openai:gpt-4o-mini + ollama:x, 9 votes"),
    ],
    ids=["one", "one that votes", "several", "several that vote"],
)
def test_models_that_vote_are_a_judge_of_their_own(
    models: tuple[str, ...], votes: int | None, expected: str, tmp_path: Path
) -> None:
    named = " + ".join(models) or "best"
    settings = Settings(root=tmp_path, judge_model=named, judge_models=models, judge_votes=votes)

    model, _ = version_of(settings, named)

    assert model == expected


def test_a_judge_that_settings_do_not_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no provider"):
        version_of(Settings(root=tmp_path), "nowhere:model")
