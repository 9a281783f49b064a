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
    pattern(
        r"\b(?:to the letter|letter by letter|word by word|character[- ](?:for|by)[- ]character|unaltered|unedited)\b"
    ),
    pattern(
        r"\b(?:recited|recites?|read out|reads? out|copied|copies|reproduced?s?|repeated|repeats?)\b"
        r"[^.;!?\n]{0,60}?\b(?:as (?:is|it is|they are|it stands|it was)|unchanged|exactly|1:1|in the wording)\b"
    ),
    pattern(rf"\b(?:same|in the|the) {_WORDS} (?:of|as in|from) the \w"),
    pattern(r"\bdown to the (?:last )?(?:punctuation|comma|letter|word|capital\w{0,10})\b"),
    pattern(
        r"\b(?:synonyms?|rephras\w{1,5}|rewording|reworded|paraphras\w{1,5}|other words?|different words?|"
        r"(?:any )?deviations?)\b[^.;!?\n]{0,40}?\b(?:fails?|failed|counts? as|wrong|not (?:ok|okay|allowed|accepted|"
        r"permitted|acceptable)|isn't (?:ok|allowed|accepted)|forbidden|unacceptable|a no-go)\b"
    ),
    pattern(rf"\b(?:not|no) (?:a|one|single) (?:single )?words? (?:more|less|different|changed|else|added)\b"),
    pattern(
        r"\b(?:must|has to|have to|should|needs to) (?:match|follow|stick to) (?:the|our) (?:[\w-]{1,20} ){0,2}?"
        r"(?:text|wording|script|template|book|phrase|sentence)\b"
    ),
    pattern(
        r"\b(?:scripted|prescribed|canned|standard|agreed|official) (?:line|sentence|greeting|phrase|formula|wording)\b"
    ),
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
        r"(?: (?:the|its) (?:reply|answer|response|message))?(?: off)? (?:with|by)\b"
    ),
    pattern(
        r"\bprecedes?\b|\b(?:must|has to|have to|should|needs? to) (?:come|be (?:\w{1,20} )?|stand|appear|go|wait) ?"
        r"(?:first|last|second|before|after|ahead|until|only|right|directly|straight)\b"
    ),
    pattern(
        r"\b(?:comes?|goes|stands?|appears?|(?:is|are) (?:\w{1,20}))[^.;!?\n]{0,20}? (?:first|second|third)\b[^.!?\n]{1,80}?"
        r"\b(?:second|third|next|then|last|after)\b"
    ),
    pattern(r"\b(?:discussed|mentioned|listed|named|given|covered|explained|stated|presented|comes?) ahead of\b"),
    pattern(
        r"\b(?:straight|directly|immediately|right) after the \w{1,20}[^.;!?\n]{0,40}?\b(?:must |should |has to )?comes?\b"
    ),
    pattern(r"\bonly (?:afterwards|then|after that)\b"),
    pattern(
        r"\b(?:alphabetical\w{0,2}|chronological\w{0,2}|ascending|descending|reverse|numerical) (?:order|list\w{0,3}|"
        r"sequence|arrangement|sort\w{0,3})\b|\balphabetically\b|\bback to front\b"
    ),
    pattern(
        r"\b(?:check|mind|watch|keep|respect|follow|observe)s? (?:to )?(?:the|this|that) (?:exact )?(?:sequence|order)\b"
    ),
    pattern(r"\b(?:any )?other (?:order|arrangement|sequence)\b[^.;!?\n]{0,40}?\b(?:fails?|wrong|counts?|not)\b"),
    pattern(r"\b(?:order|sequence) (?:matters|counts|is fixed|must|has to|is (?:\w{1,20} )?mandatory)\b"),
    pattern(
        r"\b(?:the )?very (?:first|last) (?:sentence|thing|line|words?)\b|\bat the (?:very )?(?:top|bottom|end|start|beginning) "
        r"of (?:the|its|it) (?:reply|message|answer|response)\b|\bbefore anything else\b"
    ),
    pattern(r"\bfirst\b[^.;!?\n]{1,60}?,? (?:second|then)\b[^.;!?\n]{1,60}?,? (?:third|last|finally)\b"),
)
_FREE = pattern(
    r"\b(?:not|n't|never|need not|no need|without|rather than|instead of|any|needn't|whatever|irrelevant)\b[^.;!?\n]{0,30}$"
)


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
