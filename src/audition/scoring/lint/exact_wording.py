"""The text demands exact wording or an exact order, where a judge grades substance."""

import re
from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern
from audition.scoring.lint._ordering import ORDERING
from audition.scoring.lint._wording import WORDING

CODE = "L3"
SEVERITY: Severity = "error"
EXAMPLE = "Lists the six features in that order."
REWRITE = "Covers all six features, in any order."
_FREE = pattern(
    r"\b(?:not|n't|never|need not|no need|without|rather than|instead of|any|needn't|whatever|irrelevant|nor|"
    r"neither|no matter|"
    r"doesn't|don't|avoids?|refrains?|explains? (?:that|why|how|which|what|in)|"
    r"which|what|when|how|whether|says that|means|says (?:the|an?) \w{2,20}|if|"
    r"tool|api|checker|"
    r"lookup|search|database|portal|tracker|feed|service)\b[^.;!?\n]{0,30}$"
)
_OF_A_TEXT = pattern(r"(?:the |very )?(?:first|last|opening|closing|final|second|top)\b")
_WORKS_ON = pattern(
    r"\b(?:explains?|interprets?|discusses?|means|of|rewrites?|improves?|shortens?|translates?|corrects?|"
    r"deletes?|changes?) $"
)
_FREE_AFTER = pattern(
    r"^[^.;!?\n]{0,40}?\b(?:(?:is|are|isn't|doesn't|not|need) (?:\w{1,10} ){0,2}?(?:optional|fine|irrelevant|"
    r"free|required|necessary|"
    r"needed|matter|up to|demanded|important)|is up to|(?:is|are) (?:also )?(?:ok|okay|allowed|accepted))\b"
)
_STRICT = pattern(
    r"(?:\b|(?=n't))(?:n't|not (?:be )?\w{2,12}(?: up)? (?:until|till|before|ahead)|no other|not one|not a|"
    r"no word|nothing|no variation|no deviation|without|no paraphras|nor)\b"
)
_ABOUT_ORDER = pattern(
    r"\b(?:sort|order (?:by|of)|rank|alphabetical\w{0,2}|chronological\w{0,2}|by (?:date|name|price|size|year)|"
    r"which (?:is|comes) "
    r"first|first|count|sequence|in order|list the planets|word for word|exact words|verbatim)\b"
)
_OPENS = pattern(
    r"(?:starts?|begins?|opens?|leads?|kicks?|ends?|closes?|finishes|finish|concludes?|rounds?|signs?|tops?|"
    r"heads?|winds?)\b.{0,40} (?:with|by|on|in)\b"
)
_IS_REPLY = pattern(
    r"(?:^|[.,;:!?\n>+] ?|\b(?:and|then|but|it|to|must|should|shall|also|always|first|reply|answer|response|"
    r"message|text|e-?mail|bot|agent|"
    r"assistant|model|output|letter|note|summary|list|greeting|which|that|we|expect|explanation|first|finally|"
    r"last|please|pls|should|"
    r"everything|conversation|chat) )$"
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first demand for a wording and the first for an order; what is said not to be needed is none.

    An order that the user asks for is a part of the task and no demand of the criterion's own.
    """
    if not criterion.english:
        return
    asked = criterion.scenario is not None and _ABOUT_ORDER.search(criterion.scenario) is not None
    for demands, what, rewrite in (
        (WORDING, "wording", "Say what the reply must convey, and leave the words to the agent."),
        (() if asked else ORDERING, "order", "Say what the reply must cover, in any order."),
    ):
        found = next((span for demand in demands if (span := _demanded(criterion.plain, demand))), None)
        if found is not None:
            message = f"the text demands an exact {what}; a good response that is put otherwise fails it"
            yield criterion.finding(CODE, SEVERITY, found, message, rewrite)


def _demanded(text: str, demand: re.Pattern[str]) -> tuple[int, int] | None:
    for found in demand.finditer(text):
        before = text[max(0, found.start() - 50) : found.start()]
        if _OPENS.match(found[0]) and not _IS_REPLY.search(before):
            continue
        if _OF_A_TEXT.match(found[0]) and _WORKS_ON.search(before):
            continue  # the last line is of a text that the reply is about
        strict = _STRICT.match(found[0]) is not None
        if (strict or not _FREE.search(before)) and not _FREE_AFTER.search(text[found.end() : found.end() + 60]):
            return found.span()
    return None
