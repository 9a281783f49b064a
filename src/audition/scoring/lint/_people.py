"""Who is who in a criterion: the agent, the one it speaks with, and what it looks into."""

from collections.abc import Sequence

from audition.scoring.lint._english import words
from audition.scoring.lint._finite import Token
from audition.scoring.lint._world import SOURCE

SOMEBODY = (
    r"(?:user|caller|customer|client|patient|guest|travell?er|employee|tenant|member|person|he|she|they|lead|"
    r"buyer|parent|"
    r"student|reporter|requester|sender|applicant|people|visitor|shopper|subscriber|policyholder|pupil|driver|"
    r"owner|other side)"
)
"""Those who speak with an agent, as a pattern."""

AGENT = words(
    "agent assistant bot chatbot model response reply answer output it we i you message text helper copilot clerk "
    "advisor adviser representative rep operator grader ai llm"
)
"""The agent, or its reply."""

_PEOPLE = words(
    "nurse chef coach pilot cook clerk farmer bride host haulier cyclist spouse couple family neighbour neighbor "
    "user caller customer client patient guest traveller traveler employee tenant member person he she they lead "
    "buyer parent student reporter requester sender applicant people somebody someone anyone everybody colleague "
    "kid child boss chief staff pupil pensioner driver owner mother father woman man lady gentleman resident "
    "citizen human"
)
_ENDINGS = ("er", "or", "ant", "ent", "ist", "ee", "ian")
_THINGS = words(
    "order letter number computer server tracker register answer offer voucher paper router transfer payment "
    "appointment document statement agent assistant account consent amount discount matter folder counter weather "
    "water power error factor sensor monitor motor door floor mirror calendar refund permit shipment content "
    "comment event department equipment instrument apartment deployment incident accident ticket header footer "
    "filter printer newsletter meter chapter disclaimer reminder helper carrier cover layer membership agreement "
    "settlement fee committee guarantee coffee refer never other either neither another under over after whatever "
    "whichever further later earlier former latter first rather together per for nor or ever there their her "
    "consider checker finder locker charger restaurant plant grant percent dinner supper summer winter september "
    "october november december river corner burger tender center theater theatre poster sticker calculator "
    "generator indicator elevator colour flavour cucumber butter pepper flower tower shower sweater jumper proper "
    "major minor prior inner outer upper lower super regular similar cancer fever trailer container cleaner "
    "heater boiler freezer scanner timer adapter buffer cluster docker parser browser"
)
_NOUNS_IN_LY = words("reply supply family assembly ally anomaly bully fly")
_STOPS = words(
    "of in on at for with from by under about to that which who whose during without named called between ending"
)


def head(tokens: Sequence[Token]) -> str:
    """Return the noun that what stands before a verb is about, in lower case; "" for none."""
    found = ""
    for token in tokens:
        if token.low in _STOPS and not found:
            continue
        if token.low in _STOPS:
            if token.low == "of" and found in ("one", "none", "all", "both", "each", "neither", "some", "two", "any"):
                continue
            break
        if (
            token.low[:1].isalpha()
            and (not token.low.endswith("ly") or token.low in _NOUNS_IN_LY)
            and token.low not in ("also", "then", "now", "still")
        ):
            found = token.low
    return found


def is_agent(tokens: Sequence[Token]) -> bool:
    """Tell whether words name the agent or its reply."""
    return head(tokens) in AGENT


def is_user(tokens: Sequence[Token]) -> bool:
    """Tell whether words name somebody who speaks with the agent."""
    noun = head(tokens)
    return is_person(noun) and noun not in SOURCE


def is_person(noun: str) -> bool:
    """Tell whether a noun names a person other than the agent."""
    if noun in _PEOPLE or noun.removesuffix("s") in _PEOPLE:
        return True
    if noun.endswith(("ment", "list", "meter", "ware")):
        return False
    return noun.endswith(_ENDINGS) and len(noun) > 4 and noun not in _THINGS and noun not in AGENT
