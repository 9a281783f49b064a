"""Linting labelled criteria: how often each rule is right (precision), how much it finds (recall), and what it costs.

The goal of a rule is a lowest value, so what is printed with one is the share that it gets wrong, or misses.
"""

import json
import time
from collections import Counter
from collections.abc import Iterator

from benchmarks.measure import HERE, Figure, Size

CRITERIA = HERE.parent / "tests" / "data" / "lint_criteria.jsonl"

_WRONG, _MISSED = 0.1, 0.3
_GOALS = ("L1", "L2", "L3", "L4")


def figures(_size: Size) -> Iterator[Figure]:
    """Yield, for each rule about one text, the shares of its findings that are wrong and of the faults it misses."""
    from audition.scoring.lint import lint_text, rules

    rows = [json.loads(line) for line in CRITERIA.read_text("utf-8").splitlines()]
    rules()  # what is measured is the linting, not the imports
    right, wrong, missed = Counter[str](), Counter[str](), Counter[str]()
    begun = time.process_time()
    for row in rows:
        found = {one.code for one in lint_text(row["criteria"], scenario=row["scenario"], tools=row.get("tools"))}
        right.update(found & set(row["labels"]))
        wrong.update(found - set(row["labels"]))
        missed.update(set(row["labels"]) - found)
    taken_s = time.process_time() - begun
    for code in sorted({*right, *wrong, *missed}, key=lambda one: int(one[1:])):
        precision = right[code] / max(1, right[code] + wrong[code])
        recall = right[code] / max(1, right[code] + missed[code])
        note = f"precision {precision:.2f}, recall {recall:.2f}, {right[code] + missed[code]} labelled"
        goals = (_WRONG, _MISSED) if code in _GOALS else (None, None)
        yield Figure(name=f"{code}, found wrongly", value=1 - precision, unit="", goal=goals[0], note=note)
        yield Figure(name=f"{code}, missed", value=1 - recall, unit="", goal=goals[1])
    yield Figure(name=f"{len(rows)} criteria linted, CPU", value=taken_s, unit="s")
