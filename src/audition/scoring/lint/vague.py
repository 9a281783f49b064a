"""The text names nothing that one could see: good, appropriate, helpful, and nothing else."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import content_words, sentences, words

CODE = "L5"
SEVERITY: Severity = "warning"
EXAMPLE = "Responds appropriately."
REWRITE = "Apologises and offers a refund or a replacement."

_VAGUE = words(
    "good well appropriate appropriately helpful helpfully proper properly professional professionally nice "
    "nicely correct correctly high-quality quality useful satisfactory satisfying reasonable reasonably great "
    "excellent adequate adequately acceptable acceptably suitable suitably fine best better sensible effective "
    "effectively right natural naturally decent okay ok perfect accurate accurately"
)
_GENERAL = words(
    "agent assistant bot model response respond reply replie answer answering act behave handle situation give "
    "provide way job user customer caller question request manner very quite overall one sound be being make in"
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the text when none of its words is an observable, and one of them praises."""
    if not criterion.english:
        return
    said = set(content_words(criterion.plain))
    if said & _VAGUE and said <= _VAGUE | _GENERAL:
        start, _ = next(iter(sentences(criterion.plain)))
        message = "the text names nothing that can be seen in a response, so judges will differ"
        yield criterion.finding(CODE, SEVERITY, (start, len(criterion.text.rstrip())), message)
