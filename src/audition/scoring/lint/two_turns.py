"""The text describes two turns: it wants a question and what only its answer makes possible."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import ACTING, PERSON, any_of, pattern

CODE = "L4"
SEVERITY: Severity = "error"
EXAMPLE = "Asks for their email address, saves it, and sends a recap."
REWRITE = "Asks for their email address."

_ASKS = (
    r"\b(?P<ask>asks?(?: the \w{1,20}| them)?(?: for| about| which| what| how| whether| if| when| where| who| to)|"
    r"requests?|collects?|"
    rf"gets? (?:the |their |his |her )|obtains?|finds? out|prompts? for|inquires?|enquires?|takes? the {PERSON}'s)\b"
)
_ACTS = any_of(ACTING)
_AND = r"(?:,? and(?: then)?(?:,[^,.;!?\n]{1,60},)?|,(?: then)?|,? then|[.;] ?then,?|;(?: then)?)"
_ASKS_AND_ACTS = pattern(rf"{_ASKS}(?P<asked>[^.;!?\n]{{1,120}}?){_AND} (?P<act>{_ACTS})")
_ANSWERS = (
    r"(?:repl(?:y|ies|ied)|answers?|answered|confirms?|confirmed|gives?|given|provides?|provided|chooses?|chosen|"
)
_ANSWERS += r"agrees?|agreed|responds?|responded|picks?|picked|supplies|supplied|tells?|told)"
_WHEN_ANSWERED = pattern(
    rf"(?<!what happens )\b(?:after|once) (?:the {PERSON}|they|he|she)(?: has| have)? {_ANSWERS}\b"
    rf"|\bwhen (?:the {PERSON}|they) (?:(?:has|have) {_ANSWERS}|answers?|replies|reply)\b"
    rf"|\bwaits? for (?:the|their|an?) (?:{PERSON}(?:'s)?|answer|reply|response|confirmation)\b"
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first place that needs an answer; nothing for a text about a whole conversation."""
    if not criterion.english or criterion.conversation:
        return
    asks = _ASKS_AND_ACTS.search(criterion.plain)
    if asks is not None:
        message = f"the text wants a question and then {asks['act']!r}, but nobody answers within one response"
        rewrite = criterion.text[asks.start() : asks.end("asked")].rstrip(" ,;")
        yield criterion.finding(CODE, SEVERITY, asks.span(), message, f"{rewrite[:1].upper()}{rewrite[1:]}.")
    elif (waits := _WHEN_ANSWERED.search(criterion.plain)) is not None:
        message = "the text is about what happens after an answer, but nobody answers within one response"
        yield criterion.finding(
            CODE, SEVERITY, waits.span(), message, "Require the question, or put the answer into the scenario."
        )
