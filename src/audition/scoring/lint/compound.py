"""The text wants too many things at once; a response that lacks one of them fails like one that lacks all."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import ACTING, SAYING, any_of, pattern

CODE = "L6"
SEVERITY: Severity = "warning"
EXAMPLE = "States the rent, names the deposit, lists the documents, gives the address, and mentions the rule on pets."
REWRITE = "States the rent."

_MOST = 4
_NEXT = pattern(rf"[,;](?: (?:and|or))?(?= \w)|[.!?](?=\s{{1,4}}\w)|\b(?:and|or)(?= {any_of((*SAYING, *ACTING))})|\n")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield a text of more than four clauses or listed things."""
    ends = [found.start() for found in _NEXT.finditer(criterion.plain.rstrip())] if criterion.english else []
    if len(ends) >= _MOST:
        message = f"the text wants {len(ends) + 1} things at once; one check for each says which of them failed"
        starts = [0, *ends]
        lines = [
            criterion.text[first:last].strip(" ,;.\n").removeprefix("and ").removeprefix("or ")
            for first, last in zip(starts, [*ends, len(criterion.text)], strict=True)
        ]
        rewrite = "\n".join(f"- {line}" for line in lines[:20] if line)
        yield criterion.finding(CODE, SEVERITY, (0, len(criterion.text)), message, rewrite)
