"""The text predicts what a lookup returns, which the case cannot know."""

import re
from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import PERSON, content_words, pattern, sentences, words

CODE = "L1"
SEVERITY: Severity = "error"
EXAMPLE = "Looks up the ticket, and the lookup returns no such ticket."
REWRITE = "Reports what the lookup returns: what was found, or that nothing was."

_SOURCE = (
    r"(?:look-?up|search|query|tool(?: call)?|api(?: call)?|call|check|database|db|records?|system|directory|calendar|"
    r"crm|service|backend|knowledge base|function(?: call)?|index|registry|register|tracking|tracker|inventory|stock|"
    r"ledger|logs?|job history|timetable|roster|portal|file|schedule|status page)"
)
_ENTRY = (
    r"(?:record|ticket|order|invoice|account|reservation|booking|case|claim|appointment|parcel|package|shipment|entry|"
    r"customer|member|user|product|item|policy|payment|file|document|subscription|flight|contact|employee|patient|"
    r"application|permit|slot|seat|room|table|vehicle|device|registration|transaction|contract|match(?:es)?|results?)"
)
_RESULT = (
    r"(?:returns?|returned|finds?|found|shows?|showed|reports?|yields?|confirms?|says?|contains?|lists?|reveals?|"
    r"turns? up|brings? up|throws?|indicates?|errors? out|times? out|holds?|"
    r"comes? (?:back|up)|came (?:back|up)|succeeds?|fails?|succeeded|failed|responds?|gives? back|has no|has an?|"
    r"has the|exists|does not exist|doesn't exist|(?:is|are|was) (?:not )?found|"
    r"(?:is|are) (?:empty|down|unavailable))"
)
_STATE = (
    r"(?:suspended|expired|overdrawn|sold out|out of stock|in stock|full|fully booked|available|unavailable|overdue|"
    r"paid|unpaid|shipped|dispatched|delivered|delayed|lost|stuck|pending|approved|rejected|declined|denied|cancelled|"
    r"closed|inactive|active|locked|blocked|flagged|missing|outstanding|empty|taken|free|covered|insured|eligible|"
    r"verified|unverified|on hold|in transit|at customs|on its way|out for delivery|under review|in arrears|"
    r"already (?:at|in|on|booked|used|registered|paid|shipped|there)|past due|due|valid|invalid|confirmed|processed)"
)
_THERE = (
    r"(?:(?:is|are|was|were|can be|could be) (?:not )?(?:found|located|traced|listed)|"
    r"(?:does not|doesn't|do not) exist|exists|(?:comes?|turns?) up)"
)
_BEGIN = r"(?:^|[.;!?\n,] ?|\band (?:then )?|\bbut |\bso |\bwhere |\bsince |\bbecause |\bas |\bexpects? )"
_GENERAL = (
    r"(?! (?:whatever|whichever|what|how|where|when|who|if|whether|either|any|something|"
    r"(?:a |the |its |an honest )?(?:results?|answers?|data|outcome|status|current \w{1,20})\b))"
)
_LOOKS = (
    r"(?:looks? (?:\w{1,20} ){0,3}?up|retrieves?|search(?:es)?|quer(?:y|ies)|fetch(?:es)?|checks?|reads?|pulls?(?: up)?|"
    r"tracks?|opens?|consults?|verif(?:y|ies)|runs? (?:a|the)|is queried|is checked|is looked up)"
)
_SAYING = r"(?:explains?|tells?|informs?|says?|mentions?|reports?|notes?|confirms?|states?|apologi[sz]es?|warns?)"

_SAYS_SO = pattern(
    rf"{_BEGIN}((?P<who>(?:[\w'-]{{1,20}} ){{0,4}}?{_SOURCE})(?: [\w'-]{{1,20}}){{0,2}}? {_RESULT}\b{_GENERAL})"
)
_ARROW = pattern(rf"\b({_SOURCE}|{_ENTRY}) ?(?:->|=>|\u2192|:) ?(?:{_STATE}|no\b|not\b|nothing|none|error|\d)")
_IS_THERE = pattern(
    rf"{_BEGIN}((?P<who>(?:(?:the|an?|no|such|one|matching) )(?:[\w'-]{{1,20}} ){{0,2}}?{_ENTRY})"
    rf"(?: [\w'-]{{1,20}}){{0,4}}? {_THERE}\b)"
)
_WHICH = pattern(rf"\b({_SOURCE}(?: call)?, which {_RESULT}\b{_GENERAL})")
_AND_FINDS = pattern(
    rf"\b({_LOOKS}\b[^.;!?\n]{{1,80}}?(?:,| and|, and)(?: then)? "
    r"(?:finds?|sees|gets|receives|discovers|notices|learns) (?:out )?"
    r"(?:that|an?|no|the|exactly|\d{1,9}|one|two|three|nothing|it'?s?)\b"
    rf"(?! (?:results?|answer|outcome|right|best|next|nearest|way|person)\b))"
)
_FINDS = pattern(
    r"\b((?:finds?|uncovers?|discovers?|spots?|comes? across|turns? up) "
    rf"(?:that (?:the|it|he|she|there)\b|(?:the|an?|no|two|three|one) (?:[\w'-]{{1,20}} ){{1,2}}?{_ENTRY}\b|"
    r"the (?:duplicate|missing|second|double|wrong|faulty|old|original)\b))"
)
_TURNS_OUT = pattern(r"\b((?:it )?turns? out (?:to be|to have|that|as)\b)")
_LOOKED = pattern(rf"\b{_LOOKS}\b|\b{_SOURCE}\b")
_IS_SO = pattern(
    r"\b((?:that|because|as|since|where|with) (?:[\w'-]{1,20} ){1,5}?(?:is|are|was|were|has been|have been|being) "
    rf"(?:still |currently |now |all |both )?{_STATE}\b)"
)
_MENTIONS = pattern(
    rf"\b{_SAYING} (?:\w{{1,15}} ){{0,3}}?(that (?:the|her|his|their|it|its) (?:[\w'-]{{1,20}} ){{0,3}}?"
    rf"(?:record|application|account|order|claim|ticket|file|booking|parcel|request|policy|card|permit|it) "
    rf"(?:is|was|has been|had been) (?:still |currently |now )?{_STATE}\b)"
)
_AS_FACT = pattern(
    r"(?:^|[.;] ?)((?:since|because|given that|seeing that|now that) (?P<fact>[^.;,\n]{8,120}?"
    r"(?:\bis|\bare|\bhas|\bhave|\bshows?|\bwas|\bturns? out|\bwere)\b[^.;,\n]{3,80}),)"
)
_OPEN = words(
    "if when whenever whether unless until once what whatever whichever which that as where how because since case "
    "says states tells asks reports explains checks calls uses mentions claims names lists gives makes not never runs"
)
"""Words before a source that make its result a condition, or part of what is to be said."""

_CONDITION = pattern(
    r"\b(?:if|whether|unless|in case|when|once|either|whatever|whichever|should|could|can|may|might|not|without|or)\b|n't\b"
)
_OF_THE_USER = pattern(rf"^(?:the |a )?(?:{PERSON}|he|she|they|it|this|that|we)\b")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first result that is predicted, unless the case itself says what tools return."""
    if not criterion.english or criterion.canned:
        return
    span = _predicted(criterion)
    if span is not None:
        message = "the text says what the lookup returns, and the case cannot make it return that"
        yield criterion.finding(CODE, SEVERITY, span, message, REWRITE)


def _predicted(criterion: Criterion) -> tuple[int, int] | None:
    """Return where a text predicts a result, None when it does not."""
    for predicts in (_SAYS_SO, _IS_THERE, _WHICH, _AND_FINDS, _ARROW):
        for found in predicts.finditer(criterion.plain):
            if predicts in (_WHICH, _AND_FINDS, _ARROW) or not _is_open(found["who"]):
                return found.span(1)
    for start, sentence in sentences(criterion.plain):
        if (span := _stated(sentence, criterion.scenario)) is not None:
            return start + span[0], start + span[1]
    return None


def _stated(sentence: str, scenario: str | None) -> tuple[int, int] | None:
    """Return where a sentence states as a fact what only a lookup can tell."""
    for states in (_TURNS_OUT, _FINDS, _MENTIONS, _IS_SO, _AS_FACT):
        found = states.search(sentence)
        if found is None or _CONDITION.search(sentence[: found.end(1)]) or _is_given(found[1], scenario):
            continue
        if states is _IS_SO and not _LOOKED.search(sentence[: found.start(1)]):
            continue
        if states is _AS_FACT and _OF_THE_USER.search(found["fact"]):
            continue
        return found.span(1)
    return None


def _is_given(said: str, scenario: str | None) -> bool:
    """Tell whether most of what is said stands in the scenario."""
    if scenario is None:
        return False
    told, known = content_words(said), set(content_words(scenario))
    return sum(word in known for word in told) * 3 >= len(told) * 2


def _is_open(said: str) -> bool:
    return not _OPEN.isdisjoint(re.findall(r"[a-z']+", said.lower()))
