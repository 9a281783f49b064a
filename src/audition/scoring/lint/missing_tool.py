"""The text names a tool that the agent does not have."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, sentences
from audition.text import nearest

CODE = "L9"
SEVERITY: Severity = "error"
EXAMPLE = "Calls cancel_orders for order 12."
REWRITE = "Calls cancel_order for order 12."
TOOLS = ("search_orders", "cancel_order")

_CALLS = pattern(r"\b(?:calls?|called|calling|uses?|using|invokes?|invoking|runs?|executes?|tools?)\b")
_NAME = pattern(r"`(?P<quoted>\w{2,64})`|\b(?P<snake>[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6})\b")
_CAMEL = pattern(r"(?-i:\b(?P<camel>[a-z]{2,20}(?:[A-Z][a-z0-9]{1,20}){1,5})\b)")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield each tool that is not there; nothing when the agent's tools are not known."""
    if criterion.tools is None:
        return
    for start, sentence in sentences(criterion.plain):
        if not _CALLS.search(sentence):
            continue
        for name_of in (_NAME, _CAMEL):
            for found in name_of.finditer(sentence):
                name = found[found.lastgroup or 0]
                if name not in criterion.tools:
                    span = (start + found.start(), start + found.end())
                    yield criterion.finding(CODE, SEVERITY, span, *_said(criterion, name))


def _said(criterion: Criterion, name: str) -> tuple[str, str | None]:
    known = nearest(name, sorted(criterion.tools or ()))
    rewrite = criterion.text.replace(name, known) if known else None
    return f"the agent has no tool called {name!r}", rewrite
