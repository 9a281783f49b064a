"""The text depends on the day it is judged on."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern

CODE = "L10"
SEVERITY: Severity = "warning"
EXAMPLE = "Names the events of this week."
REWRITE = "Names the events of the week of 2 March."

_WHEN = pattern(
    r"\b(?:today(?:'s)?|tonight|tomorrow|yesterday|currently|right now|as of now|nowadays|at the moment|at present|"
    r"latest|most recent|up[- ]to[- ]date|(?:this|next|last|current) (?:week|month|year|quarter|season))\b"
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first word whose meaning changes with the date."""
    found = _WHEN.search(criterion.plain) if criterion.english else None
    if found is not None:
        message = f"{found[0]!r} means something else on another day; fix the date in the case"
        yield criterion.finding(CODE, SEVERITY, found.span(), message)
