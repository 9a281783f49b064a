"""Eval files with random damage: whatever is in a file, reading it ends, and says what is wrong."""

import random
from pathlib import Path

import pytest

from audition.formats.botpress import read

FILES = sorted((Path(__file__).with_name("botpress") / "read").glob("*.eval.*"))
TEXTS = [path.read_text(encoding="utf-8-sig") for path in FILES]
PIECES = (
    *"{}()[]`'\",:;\\/\n <>é#@😀\u2028", "${", "...", "=>", "//", "/*", "*/", "?.", "??", "new ", "enum ", "export ",
    "const ", "import ", "undefined", "process.env", " as ", "0x", "1e999",
)  # fmt: skip


def damaged(seed: int) -> str:
    dice = random.Random(seed)
    text = dice.choice(TEXTS)
    for _ in range(dice.randint(1, 4)):
        begin = dice.randrange(len(text) + 1)
        end = begin + dice.choice((0, 1, 1, 2, 5, 20, 100))
        other = dice.choice(TEXTS)
        at = dice.randrange(len(other))
        piece = dice.choice(
            (dice.choice(PIECES), text[begin:end] * 2, other[at : at + 30], chr(dice.randrange(1, 0xD7FF)))
        )
        text = text[:begin] + dice.choice((piece, "", piece)) + text[end:]
    return text


def read_damaged(folder: Path, seeds: range) -> int:
    """Read one damaged file for each seed; return how many gave neither an eval nor a fault nor a warning."""
    path, silent = folder / "a.eval.ts", 0
    for seed in seeds:
        path.write_text(damaged(seed), encoding="utf-8")
        reading = read(path)
        silent += not (reading.evals or reading.faults or reading.warnings)
    return silent


def test_two_hundred_damaged_files_are_read_to_their_end(tmp_path: Path) -> None:
    assert read_damaged(tmp_path, range(200)) == 0


@pytest.mark.slow
def test_ten_thousand_damaged_files_are_read_to_their_end(tmp_path: Path) -> None:
    assert read_damaged(tmp_path, range(10_000)) == 0
