"""The text predicts what a lookup returns, which the case cannot know."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, words

CODE = "L1"
SEVERITY: Severity = "error"
EXAMPLE = "Looks up the ticket, and the lookup returns no such ticket."
REWRITE = "Reports what the lookup returns: what was found, or that nothing was."

_SOURCE = (
    r"(?:look-?up|search|query|tool(?: call)?|api(?: call)?|database|db|records?|system|directory|calendar|crm|service|"
    r"backend|knowledge base|function(?: call)?|status check|index|registry)"
)
_ENTRY = (
    r"(?:record|ticket|order|invoice|account|reservation|booking|case|claim|appointment|parcel|package|shipment|entry|"
    r"customer|member|user|product|item|policy|payment|file|document|subscription|flight|contact|employee|patient)"
)
_RESULT = (
    r"(?:returns?|returned|finds?|found|shows?|showed|reports?|yields?|confirms?|says?|contains?|lists?|"
    r"comes? (?:back|up)|came (?:back|up)|succeeds?|fails?|succeeded|failed|responds?|gives? back|has no|exists|"
    r"does not exist|doesn't exist|(?:is|are|was) (?:not )?found|(?:is|are) empty)"
)
_THERE = r"(?:(?:is|are|was|were) (?:not )?found|(?:does not|doesn't|do not) exist|exists)"
_BEGIN = r"(?:^|[.;!?\n,] ?|\band (?:then )?|\bbut |\bso |\bwhere )"
_GENERAL = r"(?! (?:whatever|whichever|what|either|any|something|(?:a |the |its )?(?:results?|answers?|data)\b))"

_SAYS_SO = pattern(
    rf"{_BEGIN}((?P<who>(?:[\w'-]{{1,20}} ){{0,4}}?{_SOURCE})(?: [\w'-]{{1,20}}){{0,2}}? {_RESULT}\b{_GENERAL})"
)
_IS_THERE = pattern(
    rf"{_BEGIN}((?P<who>(?:(?:the|an?|no|such|one|matching) )(?:[\w'-]{{1,20}} ){{0,2}}?{_ENTRY})"
    rf"(?: [\w'-]{{1,20}}){{0,4}}? {_THERE}\b)"
)
_WHICH = pattern(rf"\b({_SOURCE}(?: call)?, which {_RESULT}\b{_GENERAL})")
_AND_FINDS = pattern(
    r"\b((?:looks? up|retrieves?|searches|queries|fetches|checks?|reads?)\b[^.;!?\n]{1,80}? and "
    r"(?:finds?|sees|gets|receives) (?:an?|no|that|exactly|\d{1,9}|one|two|three|nothing)\b)"
)
_OPEN = words(
    "if when whenever whether unless until once what whatever whichever which that as where how because since case "
    "says states tells asks reports explains checks calls uses mentions claims names lists gives makes"
)
"""Words before a source that make its result a condition, or part of what is to be said."""


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield each result that is predicted, unless the case itself says what tools return."""
    if not criterion.english or criterion.canned:
        return
    for predicts in (_SAYS_SO, _IS_THERE, _WHICH, _AND_FINDS):
        for found in predicts.finditer(criterion.plain):
            if predicts in (_WHICH, _AND_FINDS) or not _is_open(found["who"]):
                message = "the text says what the lookup returns, and the case cannot make it return that"
                yield criterion.finding(CODE, SEVERITY, found.span(1), message, REWRITE)
                return


def _is_open(said: str) -> bool:
    return not _OPEN.isdisjoint(said.lower().split())
