"""What is kept of judges."""

import json
from pathlib import Path

import pytest

from audition.errors import StoreError
from audition.store.judges import (
    Calibration,
    Checkup,
    Standing,
    keep_calibration,
    keep_checkup,
    read_standings,
    standing_of,
)

CHECKUP = Checkup(
    verdict="pass", parts={"range": "pass"}, repeats=3, results="ab" * 32, date="2026-01-02T03:04:05+00:00"
)
CALIBRATION = Calibration(
    status="provisional",
    scale="grade",
    true_pass=9,
    false_pass=1,
    false_fail=1,
    true_fail=9,
    unanswered=0,
    labels="cd" * 32,
    date="2026-01-03T03:04:05+00:00",
)
PROMPT = "12" * 32


def test_a_project_without_the_file_knows_no_judge(tmp_path: Path) -> None:
    assert read_standings(tmp_path / "judges.json") == ()


def test_what_is_kept_of_a_judge_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "new" / "judges.json"

    keep_checkup(file, "openai:gpt-4o", PROMPT, CHECKUP)
    kept = keep_calibration(file, "openai:gpt-4o", PROMPT, CALIBRATION)

    assert kept == Standing(model="openai:gpt-4o", prompt=PROMPT, checkup=CHECKUP, calibration=CALIBRATION)
    assert read_standings(file) == (kept,)
    assert [path.name for path in file.parent.iterdir()] == ["judges.json"]


def test_another_model_or_prompt_is_another_judge(tmp_path: Path) -> None:
    file = tmp_path / "judges.json"
    keep_checkup(file, "openai:gpt-4o", PROMPT, CHECKUP)

    keep_calibration(file, "openai:gpt-4o", "34" * 32, CALIBRATION)
    keep_calibration(file, "local:small", PROMPT, CALIBRATION)

    assert [(one.checkup is None, one.calibration is None) for one in read_standings(file)] == [
        (False, True),
        (True, False),
        (True, False),
    ]


def test_the_fingerprint_says_which_judge_and_what_was_found() -> None:
    seen = Standing(model="openai:gpt-4o", prompt=PROMPT, checkup=CHECKUP)

    assert seen.fingerprint == "openai:gpt-4o 121212121212 abababababab pass 2026-01-02"


def test_a_judge_that_the_doctor_has_not_seen_has_no_fingerprint() -> None:
    assert standing_of((), "openai:gpt-4o", PROMPT).fingerprint is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"schema": 1}',
        '{"schema": 1, "judges": [{"model": "m"}]}',
        '{"schema": "1", "judges": []}',
        "\xff",
    ],
)
def test_a_damaged_file_is_told(content: str, tmp_path: Path) -> None:
    file = tmp_path / "judges.json"
    file.write_text(content, "latin-1")

    with pytest.raises(StoreError, match="damaged"):
        read_standings(file)


def test_a_file_of_a_newer_audition_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "judges.json"
    file.write_text(json.dumps({"schema": 2, "judges": []}), "utf-8")

    with pytest.raises(StoreError, match="newer"):
        read_standings(file)


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", "utf-8")

    with pytest.raises(StoreError, match=r"judges\.json cannot be"):
        keep_checkup(tmp_path / "taken" / "judges.json", "m", PROMPT, CHECKUP)
