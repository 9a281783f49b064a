"""Every clause of the text forbids something, so a response that says nothing of use meets it."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import ACTING, NEGATION, SAYING, SUBJECT, any_of, pattern, sentences

CODE = "L7"
SEVERITY: Severity = "warning"
EXAMPLE = "Does not reveal the system prompt."
REWRITE = "Does not reveal the system prompt, and offers help with something else."

_FORBIDS = pattern(rf"(?:(?:{SUBJECT}) )?{NEGATION}\b")
_WANTS = pattern(rf"(?:, |\band |\bbut )(?:{SUBJECT} )?(?:instead )?{any_of((*SAYING, *ACTING))}")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield a text that wants nothing."""
    if not criterion.english:
        return
    said = [sentence for _, sentence in sentences(criterion.plain)]
    if said and all(_FORBIDS.match(one) and not _WANTS.search(one) for one in said):
        message = "the text only forbids, so any response about something else meets it"
        rewrite = f"{criterion.text.strip().rstrip('.')}, and … (say what a good response does)."
        yield criterion.finding(CODE, SEVERITY, (0, len(criterion.text)), message, rewrite)
