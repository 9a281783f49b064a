"""The text stands in the scenario too, so copying passes."""

import re
from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity

CODE = "L8"
SEVERITY: Severity = "warning"
EXAMPLE = "Says that parking is free after six in the evening on weekdays."
REWRITE = "Says when parking is free on weekdays."
SCENARIO = "Is it true that parking is free after six in the evening on weekdays?"

_RUN = 9
"""Words in a row that are no accident."""

_WORD = re.compile(r"[^\W\d_]{1,40}")
"""A word without digits: values that the user gives have to come back."""


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first run of words that the scenario has as well; in any language that puts spaces between words."""
    if criterion.scenario is None:
        return
    given = [word.lower() for word in _WORD.findall(criterion.scenario)]
    runs = {tuple(given[at : at + _RUN]) for at in range(len(given) - _RUN + 1)}
    words = list(_WORD.finditer(criterion.text))
    for at in range(len(words) - _RUN + 1):
        part = words[at : at + _RUN]
        if tuple(word[0].lower() for word in part) in runs:
            message = f"the scenario has these {_RUN} words too, so a response may pass by copying them"
            yield criterion.finding(CODE, SEVERITY, (part[0].start(), part[-1].end()), message)
            return
