"""The text describes two turns: it wants a question and what only its answer makes possible."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import ACTING, DONE, NEGATION, SPEAKER, PERSON, any_of, pattern, sentences

CODE = "L4"
SEVERITY: Severity = "error"
EXAMPLE = "Asks for their email address, saves it, and sends a recap."
REWRITE = "Asks for their email address."

_THEM = rf"(?:them|him|her|the {PERSON}|the {SPEAKER})"
_ASKS = (
    r"\b(?P<ask>asks?(?: the \w{1,20}| them| her| him)?(?: for| about| which| what| how| whether| if| when| where| who| to)|"
    r"requests? (?:the|their|his|her|an?)|collects?|gathers?|elicits?|interviews?|establishes|clarif(?:y|ies)|takes? down|"
    r"learns? (?:how|what|which|where|when|who|the)|"
    rf"gets? (?:the |their |his |her )|gets? (?:\w{{1,20}} ){{1,4}}?(?:off|from|out of) {_THEM}|obtains?|finds? out|"
    rf"prompts? for|inquires?|enquires?|takes? the {PERSON}'s|(?:is|are|gets) asked (?:for|about|which|what|how|to|whether))\b"
)
_ACTS = any_of(ACTING)
_DONE = rf"(?:is|are|gets?|has been|have been|being|been|be) (?:then |also )?(?:{'|'.join(DONE)})\b"
_AND = r"(?:,? and(?: then)?(?:,[^,.;!?\n]{1,60},)?|,(?: then)?|,? then|[.;] ?then,?|;(?: then)?)"
_SUBJECT = r"(?:(?:the |a |an )?(?:[\w'-]{1,20} ){1,4}?)"
_ASKS_AND_ACTS = pattern(rf"{_ASKS}(?P<asked>[^.;!?\n]{{1,120}}?){_AND} (?P<act>{_ACTS}|{_SUBJECT}{_DONE})")
_SO_THAT = pattern(rf"{_ASKS}[^.;!?\n]{{1,120}}? so that {_SUBJECT}{_DONE}")
_WITH_IT = pattern(
    rf"{_ASKS}[^.;!?\n]{{1,120}}?{_AND} (?:[a-z]{{3,15}}s) (?:[\w'-]{{1,20}} ){{0,6}}?"
    r"(?:with that|for it|with it|that fits? them|based on (?:it|that|the answers?|them)|accordingly|"
    r"(?:containing|with|from|including) (?:his|her|their|the|those) (?:answers?|repl(?:y|ies)|choice|details)|"
    rf"(?:the )?[a-z]{{3,15}} (?:he|she|they|{_THEM}) (?:pastes?|sends?|gives?|provides?|names?|types?|chooses?|picks?|enters?))\b"
)
_ANSWERS = (
    r"(?:repl(?:y|ies|ied)|answers?|answered|confirms?|confirmed|gives?|given|provides?|provided|chooses?|chosen|"
)
_ANSWERS += r"agrees?|agreed|responds?|responded|picks?|picked|supplies|supplied|tells?|told|sent|sends|reports? back|accepts?|accepted)"
_CONSENT = (
    r"(?:acceptance|agreement|confirmation|approval|reply|answer|consent|choice|permission|go-ahead|response|yes|ok)"
)
_WHEN_ANSWERED = pattern(
    rf"(?<!what happens )\b(?:after|once|until) (?:the {SPEAKER}|they|he|she)(?: has| have)? {_ANSWERS}\b"
    rf"|\bwhen (?:the {SPEAKER}|they|he|she) (?:(?:has|have) {_ANSWERS}|answers?|replies|reply)\b"
    rf"|\bwait(?:s|ing)? (?:for (?:the|their|an?|his|her) (?:{PERSON}(?:'s)?|answer|reply|response|confirmation)|"
    rf"(?:after|for) each \w{{1,15}}|for {_THEM} to)\b"
    rf"|\b(?:upon|on|after|with|following) (?:his|her|their|the {PERSON}'s) {_CONSENT}\b"
    rf"|\b{_CONSENT} having been (?:given|granted|received)\b"
    r"|\b(?:after|once|when) (?:both|all|these|those|the questions?)(?: \w{1,15})? (?:are|is|have been|has been) answered\b"
    rf"|\bwhichever (?:\w{{1,15}} )?(?:he|she|they|the {SPEAKER}) (?:chooses?|picks?|prefers?|selects?|wants?|takes?)\b"
    r"|\bby the end of the (?:conversation|chat|call|dialog(?:ue)?|exchange|talk)\b"
)
_REFUSES = pattern(rf"\b(?:{NEGATION}|nothing|no|without|will|'ll|would|offers?|promises?|says?)\b[^.;!?\n]{{0,80}}$")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first place that needs an answer; nothing for a text about a whole conversation."""
    if not criterion.english or criterion.conversation:
        return
    asks = _ASKS_AND_ACTS.search(criterion.plain)
    if asks is not None:
        message = f"the text wants a question and then {asks['act']!r}, but nobody answers within one response"
        rewrite = criterion.text[asks.start() : asks.end("asked")].rstrip(" ,;")
        yield criterion.finding(CODE, SEVERITY, asks.span(), message, f"{rewrite[:1].upper()}{rewrite[1:]}.")
        return
    for start, sentence in sentences(criterion.plain):
        for needs in (_SO_THAT, _WITH_IT, _WHEN_ANSWERED):
            found = needs.search(sentence)
            if found is not None and not _REFUSES.search(sentence[: found.start()]):
                message = "the text is about what happens after an answer, but nobody answers within one response"
                advice = "Require the question, or put the answer into the scenario."
                yield criterion.finding(CODE, SEVERITY, (start + found.start(), start + found.end()), message, advice)
                return
