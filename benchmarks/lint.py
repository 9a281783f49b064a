"""Linting labelled criteria: how often each rule is right (precision), how much it finds (recall), and what it costs.

The goal of a rule is a lowest value, so what is printed with one is the share that it gets wrong, or misses. Of the two
sets, one was written together with the rules, the other by somebody who had not seen them.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import HERE, Figure, Size

CRITERIA = HERE.parent / "tests" / "data" / "lint_criteria.jsonl"
ANOTHER_HAND = HERE / "data" / "criteria_apart.jsonl"
"""Criteria that the rules were not written from, so it may be missing where they are worked on."""

_WRONG, _MISSED = 0.1, 0.3
_GOALS = ("L1", "L2", "L3", "L4")


def figures(_size: Size) -> Iterator[Figure]:
    """Yield, for each rule about one text, the shares of its findings that are wrong and of the faults it misses."""
    from audition.scoring.lint import rules

    rules()  # what is measured is the linting, not the imports
    yield from _of_set(_rows(CRITERIA), key="labels", name="")
    if ANOTHER_HAND.exists():
        yield from _of_set(_rows(ANOTHER_HAND), key="codes", name="another hand, ")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _of_set(rows: list[dict[str, Any]], *, key: str, name: str) -> Iterator[Figure]:
    from audition.scoring.lint import lint_text

    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    begun = time.process_time()
    for row in rows:
        found = {one.code for one in lint_text(row["criteria"], scenario=row["scenario"], tools=row.get("tools"))}
        right.update(found & set(row[key]))
        wrong.update(found - set(row[key]))
        missed.update(set(row[key]) - found)
    taken_s = time.process_time() - begun
    labelled = {code for row in rows for code in row[key]}
    for code in sorted(labelled, key=lambda one: int(one[1:])):
        precision = right[code] / max(1, right[code] + wrong[code])
        recall = right[code] / max(1, right[code] + missed[code])
        note = f"precision {precision:.2f}, recall {recall:.2f}, {right[code] + missed[code]} labelled"
        goals = (_WRONG, _MISSED) if code in _GOALS else (None, None)
        yield Figure(name=f"{name}{code}, found wrongly", value=1 - precision, unit="", goal=goals[0], note=note)
        yield Figure(name=f"{name}{code}, missed", value=1 - recall, unit="", goal=goals[1])
    yield Figure(name=f"{name}{len(rows)} criteria linted, CPU", value=taken_s, unit="s")
