"""The text demands exact wording or an exact order, where a judge grades substance."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from audition.scoring.lint._clauses import Clause, clauses
from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._finite import Token
from audition.scoring.lint._ordering import ORDERING
from audition.scoring.lint._people import head, is_agent, is_user
from audition.scoring.lint._verbs import SAY
from audition.scoring.lint._wording import WORDING

CODE = "L3"
SEVERITY: Severity = "error"
EXAMPLE = "Lists the six features in that order."
REWRITE = "Covers all six features, in any order."
_FREE = pattern(
    r"\b(?:not|n't|never|need not|no need|without|rather than|instead of|any|needn't|whatever|irrelevant|nor|"
    r"neither|no matter|"
    r"doesn't|don't|avoids?|refrains?|explains? (?:that|why|how|which|what|in)|"
    r"which|what|when|how|whether|who|whom|whose|where|"
    r"says that|means|says (?:the|an?) \w{2,20}|if|"
    r"tool|api|checker|"
    r"lookup|search|database|portal|tracker|feed|service)\b(?:[^.;!?\n]|\.(?= ?(?:[a-z]|$))){0,30}$|"
    r"n't\b[^.;!?\n]{0,30}$"
)
_OF_A_TEXT = pattern(r"(?:the |very )?(?:first|last|opening|closing|final|second|top)\b")
_WORKS_ON = pattern(
    r"\b(?:explains?|interprets?|discusses?|means|of|rewrites?|improves?|shortens?|translates?|corrects?|"
    r"deletes?|changes?) $"
)
_FREE_AFTER = pattern(
    r"^(?![^.;!?\n]{0,40}\b(?:no other|only|nothing else)\b)"
    r"[^.;!?\n]{0,40}?\b(?:(?:is|are|isn't|doesn't|not|need) (?:\w{1,10} ){0,2}?(?:optional|fine|irrelevant|"
    r"free|required|necessary|"
    r"needed|matter|up to|demanded|important)|"
    r"or (?:leaves|offers|asks|says|explains|lets|tells)|is up to|(?:is|are) (?:also )?(?:ok|okay|allowed|accepted))\b"
)
_STRICT = pattern(
    r"(?:\b|(?=n't))(?:n't|not (?:be )?\w{2,12}(?: up)? (?:until|till|before|ahead)|no other|not one|not a|"
    r"no word|nothing|no (?:variation|deviation|re-?word|re-?phras|synonym)\w{0,5}|without|no paraphras|nor)\b"
)
_ABOUT_ORDER = pattern(
    r"\b(?:sort|order (?:by|of)|rank|alphabetical\w{0,2}|chronological\w{0,2}|by (?:date|name|price|size|year)|"
    r"which (?:is|comes) "
    r"first|first|count|sequence|"
    r"backwards?|reverse\w{0,2}|in order|list the planets|word for word|exact words|verbatim)\b"
)
_OPENS = pattern(
    r"(?:starts?|begins?|opens?|leads?|kicks?|ends?|closes?|finishes|finish|concludes?|rounds?|signs?|tops?|"
    r"heads?|winds?)\b.{0,40} (?:with|by|on|in)\b"
)
_HAS_WORDS = pattern(r"\w{2,12} \"")
_OF_THE_REPLY = words(
    "explanation summary greeting email e-mail mail letter note list everything conversation chat apology "
    "paragraph sentence line post statement description overview comparison recap introduction intro conclusion "
    "description ending closing close post caption page poem story translation part section advice we i"
)
_TELLS_TO = pattern(r"(?:says?|tells?|explains?|states?)\b(?: (?!that\b)[\w']{1,12}){0,3} to [a-z]")
_TOLD_TO = pattern(
    r"\b(?:recommends?|suggests?|advises?|advocates?) [a-z]{3,15}ing\b[^.;!?\n]{0,40}$|"
    r"\b(?:tells?|advises?|recommends?|suggests?|explains?|says?) (?:[\w']{1,12} ){0,3}to $"
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
        spans = (span for demand in demands if (span := _demanded(criterion.plain, demand)))
        found = next((span for span in spans if what == "wording" or not _is_told(criterion.plain, span)), None)
        if found is not None:
            message = f"the text demands an exact {what}; a good response that is put otherwise fails it"
            yield criterion.finding(CODE, SEVERITY, found, message, rewrite)


def _is_of_another(text: str, where: int) -> bool:
    """Tell whether what begins or reads in some way is not the reply: the number begins with a letter."""
    chain = clauses(text)
    subject = _subject(chain, bisect_right(chain, where, key=_start) - 1, steps=5)
    return bool(subject) and not (head(subject) in _OF_THE_REPLY or is_agent(subject) or is_user(subject))


def _is_told(text: str, span: tuple[int, int]) -> bool:
    """Tell whether an order is one of what the reply tells of: mentions that families go first."""
    chain = clauses(text)
    index = max(0, bisect_left(chain, span[1], key=_start) - 1)
    first = max(0, index - 5)
    while index > first and (not chain[index].verb or (chain[index].leads == ("and",) and not chain[index].bare)):
        index -= 1
    clause, before = chain[index], chain[index - 1]
    told = "that" in clause.leads and index > 0 and before.sentence == clause.sentence and before.verb in SAY | _HEARS
    return told and not (is_agent(clause.before) or head(clause.before) in _OF_THE_REPLY)


_HEARS = words("learn hear understand know realise realize see find")


def _start(clause: Clause) -> int:
    return clause.start


def _subject(chain: Sequence[Clause], index: int, *, steps: int) -> Sequence[Token]:
    """Return who does what a clause says; a verb without a subject shares the one of the clause before."""
    clause = chain[index]
    if clause.before and not clause.bare:
        return clause.before
    if index < 1 or not steps or chain[index - 1].sentence != clause.sentence:
        return ()
    if clause.leads[-1:] in (("that",), ("which",), ("whose",)):
        return chain[index - 1].tokens[-1:]
    return _subject(chain, index - 1, steps=steps - 1) if clause.leads[-1:] in (("and",), ("then",), ("but",)) else ()


def _demanded(text: str, demand: re.Pattern[str]) -> tuple[int, int] | None:
    for found in demand.finditer(text):
        before = text[max(0, found.start() - 50) : found.start()]
        if _OPENS.match(found[0]) and not _IS_REPLY.search(before):
            continue
        if (_OPENS.match(found[0]) or _HAS_WORDS.match(found[0])) and _is_of_another(text, found.start()):
            continue
        if _OF_A_TEXT.match(found[0]) and _WORKS_ON.search(before):
            continue  # the last line is of a text that the reply is about
        if _TELLS_TO.match(found[0]) or _TOLD_TO.search(before):
            continue
        strict = _STRICT.match(found[0]) is not None
        free = _FREE_AFTER.search(text[found.end() : found.end() + 60]) and not found[0].lower().startswith("no ")
        if (strict or not _FREE.search(before)) and not free:
            return found.span()
    return None
