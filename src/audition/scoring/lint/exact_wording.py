"""The text demands exact wording or an exact order, where a judge grades substance."""

import re
from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import SUBJECT, pattern

CODE = "L3"
SEVERITY: Severity = "error"
EXAMPLE = "Lists the six features in that order."
REWRITE = "Covers all six features, in any order."

_SAYS = r"(?:says?|repl(?:y|ies)|answers?|responds?|states?|greets?|closes|writes|uses?)"
_WORDS = r"(?:words?|wording|phrases?|sentences?|text|formulation)"
_WORDING = (
    pattern(r"\b(?:verbatim|word[- ]for[- ]word|letter[- ]for[- ]letter)\b"),
    pattern(rf"\b(?:exact|precise|literal|identical) {_WORDS}\b"),
    pattern(rf"\b(?:exactly|precisely) (?:as (?:written|stated|in\b)|(?:the|these|this) (?:\w{{1,20}} )?{_WORDS})"),
    pattern(rf"\b{_SAYS} (?:exactly|precisely|only)\b(?! (?:one|two|three|four|five|six|\d))(?=:? ?[\"'])"),
    pattern(r"\b(?:is|be) (?:exactly|precisely):? ?\""),
    pattern(r"\bidentical (?:to|with)\b"),
    pattern(r"\bwithout (?:changing|altering|adding) (?:a|any|a single) words?\b"),
    pattern(r"\b(?:no|without|must not|not) paraphras\w{0,5}\b"),
    pattern(r"\bas written\b"),
    pattern(r"\b(?:quotes?|repeats?|recites?|cites?)\b[^.;!?\n]{1,80}? literally\b"),
    pattern(rf"\b{_WORDS} (?:matches|equals|must match)\b[^.;!?\n]{{1,60}}? exactly\b"),
    pattern(rf"\b{_SAYS}(?: with| by saying)?(?: the)?(?: (?:phrase|sentence|words?))?:? ?\"[^\"\n]{{2,300}}\""),
    pattern(rf"\b(?:first|last|opening|closing) {_WORDS} (?:is|are|must be|reads?):? ?\""),
    pattern(r"\b(?:phrase|sentence|words) \"[^\"\n]{2,300}\""),
)
_ORDERING = (
    pattern(
        r"\bin (?:exactly |precisely )?(?:that|this|the following|the same|the given|the exact|the stated|the listed) "
        r"(?:exact |same |very )?(?:order|sequence)\b"
    ),
    pattern(r"\bin the order (?:given|listed|shown|stated|below|above|specified)\b"),
    pattern(
        r"\bfirst\b[^.;!?\n]{1,120}?\b(?:then|followed by|next)\b[^.;!?\n]{1,120}?\b(?:finally|lastly|at the end)\b"
    ),
    pattern(r"\b(?:begins?|starts?) (?:by|with)\b[^.;!?\n]{1,120}?, then\b"),
    pattern(
        r"\b(?:mentions|names|lists|gives) (?:[\w'-]{1,20} ){1,5}?before (?!it\b|they\b|asking|\w{2,20}ing\b|any|\d)\w"
    ),
    pattern(
        rf"(?:^|[.;\n,] ?|\band |\b{SUBJECT} )(?:starts?|begins?|opens?|ends?|closes?)"
        r"(?: (?:the|its) (?:reply|answer|response|message))? (?:with|by)\b"
    ),
)
_FREE = pattern(r"\b(?:not|n't|never|need not|no need|without|rather than|instead of|any|needn't)\b[^.;!?\n]{0,30}$")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first demand for a wording and the first for an order; what is said not to be needed is none."""
    if not criterion.english:
        return
    for demands, what, rewrite in (
        (_WORDING, "wording", "Say what the reply must convey, and leave the words to the agent."),
        (_ORDERING, "order", "Say what the reply must cover, in any order."),
    ):
        found = next((span for demand in demands if (span := _demanded(criterion.plain, demand))), None)
        if found is not None:
            message = f"the text demands an exact {what}; a good response that is put otherwise fails it"
            yield criterion.finding(CODE, SEVERITY, found, message, rewrite)


def _demanded(text: str, demand: re.Pattern[str]) -> tuple[int, int] | None:
    for found in demand.finditer(text):
        if not _FREE.search(text[max(0, found.start() - 50) : found.start()]):
            return found.span()
    return None
