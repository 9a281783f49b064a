"""The labelled criteria: how often the rules are right about them, and how much they find."""

import json
from collections import Counter
from pathlib import Path

import pytest

from audition.scoring.lint import lint_text

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "lint_criteria.jsonl").read_text("utf-8").splitlines()
]
RIGHT, WRONG, MISSED = Counter[str](), Counter[str](), Counter[str]()
for row in ROWS:
    found = {one.code for one in lint_text(row["criteria"], scenario=row["scenario"], tools=row.get("tools"))}
    RIGHT.update(found & set(row["labels"]))
    WRONG.update(found - set(row["labels"]))
    MISSED.update(set(row["labels"]) - found)


def test_the_set_is_large_and_about_half_of_it_is_clean():
    clean = sum(not row["labels"] for row in ROWS)

    assert len(ROWS) >= 240
    assert 0.45 <= clean / len(ROWS) <= 0.55
    assert len({(row["scenario"], row["criteria"]) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("code", ["L1", "L2", "L3", "L4"])
def test_a_rule_about_criteria_that_cannot_be_met_is_right_and_finds_most(code):
    assert RIGHT[code] / (RIGHT[code] + WRONG[code]) >= 0.9
    assert RIGHT[code] / (RIGHT[code] + MISSED[code]) >= 0.7
