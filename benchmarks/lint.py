"""Linting labelled criteria: how often each rule is right (precision), how much it finds (recall), and what it costs.

The goal of a rule is a lowest value, so what is printed with one is the share that it gets wrong, or misses. What
counts is the set that was kept apart from the rules: see data/README.md.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import HERE, Figure, Size

SETS = {
    "kept apart, ": HERE / "data" / "criteria_apart.jsonl",
    "earlier, ": HERE / "data" / "criteria_earlier.jsonl",
    "own, ": HERE.parent / "tests" / "data" / "lint_criteria.jsonl",
}

_WRONG, _MISSED = 0.1, 0.3
_GOALS = ("L1", "L2", "L3", "L4")


def figures(_size: Size) -> Iterator[Figure]:
    """Yield, for each rule about one text, the shares of its findings that are wrong and of the faults it misses."""
    from audition.scoring.lint import rules

    rules()  # what is measured is the linting, not the imports
    for name, path in SETS.items():
        yield from _of_set(_rows(path), name=name)


def _rows(path: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [row | {"codes": row.get("codes", row.get("labels"))} for row in rows]


def _of_set(rows: list[dict[str, Any]], *, name: str) -> Iterator[Figure]:
    from audition.scoring.lint import lint_text

    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    begun = time.process_time()
    for row in rows:
        found = {one.code for one in lint_text(row["criteria"], scenario=row["scenario"], tools=row.get("tools"))}
        right.update(found & set(row["codes"]))
        wrong.update(found - set(row["codes"]))
        missed.update(set(row["codes"]) - found)
    taken_s = time.process_time() - begun
    labelled = {code for row in rows for code in row["codes"]}
    for code in sorted(labelled, key=lambda one: int(one[1:])):
        precision = right[code] / max(1, right[code] + wrong[code])
        recall = right[code] / max(1, right[code] + missed[code])
        note = f"precision {precision:.2f}, recall {recall:.2f}, {right[code] + missed[code]} labelled"
        goals = (_WRONG, _MISSED) if code in _GOALS else (None, None)
        yield Figure(name=f"{name}{code}, found wrongly", value=1 - precision, unit="", goal=goals[0], note=note)
        yield Figure(name=f"{name}{code}, missed", value=1 - recall, unit="", goal=goals[1])
    yield Figure(name=f"{name}{len(rows)} criteria linted, CPU", value=taken_s, unit="s")
