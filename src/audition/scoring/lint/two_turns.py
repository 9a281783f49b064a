"""The text describes two turns: it wants a question and what only its answer makes possible."""

from collections.abc import Iterator, Sequence
from itertools import islice

from audition.scoring.lint._clauses import Clause, by_sentence, clauses
from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._people import SOMEBODY, head, is_agent, is_user
from audition.scoring.lint._verbs import ACT, ANSWER, DEPENDS, GET, SAY, any_form
from audition.scoring.lint._world import SOURCE

CODE = "L4"
SEVERITY: Severity = "error"
EXAMPLE = "Asks for their email address, saves it, and sends a recap."
REWRITE = "Asks for their email address."

_ADVICE = "Require the question, or put the answer into the scenario."
_LET = pattern(
    rf"^(?:has|have|lets?|gets?|makes?|allows?) (?:(?:the )?[a-z]{{3,15}}|{SOMEBODY}|him|her|"
    rf"them) (?:to )?{any_form(ANSWER, but='ed')}\b"
    rf"|^(?:has|have|lets?) (?:(?:the )?{SOMEBODY}|him|her|them) (?!know|down|go|off|wait|feel|in\b|see|"
    rf"understand|that|be\b|a\b|the\b)"
    r"[a-z]{3,15}\b"
)
_TAKES = pattern(
    r"^(?:(?:puts?|poses?|fires?) (?:[\w-]{1,15} ){0,5}?questions?\b|(?:gets?|takes?|requires?|finds?|figures?|"
    r"works?|notes?|jots?|pins?|reads?|pulls?|draws?|teases?) "
    r"(?:(?:[\w'-]{1,20} ){0,6}?(?:down|off|from|out of) (?:the )?(?P<who>[a-z]{2,15})\b|"
    r"(?P<whose>(?:the )?[a-z]{2,15}'s|her|his|their)\b|"
    r"(?:hold of )?(?:the |a |an |all |her |his |their )?(?:[\w-]{1,15} ){0,3}?(?:consent|permission|approval|"
    r"details|address|names?|number|e-?mail|"
    r"particulars|contact|phone|date|location|go-ahead|okay|confirmation|choice|preferences?)\b|"
    r"out\b(?! (?:of|that)\b)|(?:a |the )?(?:full )?(?:history|brief)))"
)
_WITH_QUESTIONS = pattern(
    r"\b(?:question by question|(?:through|with|by|over|in) (?:[\w-]{1,15} ){0,3}?(?:questions?|quer(?:y|ies)|asking)|"
    r"(?:sends?|texts?) (?:\w{1,12} ){0,3}?code)\b"
)
_WITH_THEM = pattern(
    r"^(?:sorts?|agrees?|arranges?|settles?|fixe?s?|works?|clears?|checks?|finali[sz]es?|negotiates?|decides?|"
    r"discuss(?:es)?|goes|go|runs?|"
    r"clarif(?:y|ies)|confirms?|establish(?:es)?|plans?|verif(?:y|ies)|"
    r"double-checks?)\b[^.;]{0,60}?\bwith (?:him|her|them|the [a-z]{3,15})\b"
)
_NOT_WHAT_IS_ASKED = pattern(r"^(?:asks?|asking)?\b(?:.{0,20}\b)?(?:anything else|more help)\b")
_WITH_IT = pattern(
    r"\b(?:accordingly|on (?:that|this|its|their) basis|(?:based|depending|building|acting|relying) on\b.{0,40}|"
    r"(?:with|for|from|to|into|in|under|around|by|using|on|of|off|at|against|containing|including|about|as) "
    r"(?:it|that|this|these|those|(?:that|this|the|these|those|his|her|their|whatever) (?:\w{1,12} )?"
    r"(?:answers?|repl(?:y|ies)|responses?|choices?|details|data|information|info|input|specs|preferences?|wish(?:es)?|"
    r"picks?|selection|outcome|basis|code|address|number|date|dates|day|slot|time|option|period|stylist|name|output))|"
    r"(?:that|which) (?:then )?(?:fits?|match(?:es)?|suits?|reflects?|uses?|meets?|takes?)|they|he|she)\b"
)
_USES_IT = pattern(
    rf"\b(?:uses? (?:it|that|them|the \w{{1,12}})|(?:we|it|(?:the )?{SOMEBODY}) "
    rf"(?:has |have |then )?{any_form(ANSWER, but='ing')})\b"
)
_REGARDLESS = pattern(
    r"\b(?:regardless|irrespective|anyway|any case|without (?:an?|any|waiting|the)|either way|no matter|"
    r"even (?:if|without)|"
    r"meanwhile|in the meantime|on its own|before|without)\b"
)
_SPOKEN = words(
    "list reply answer that link offer promise explain tell "
    "say state mention announce reassure inform describe clear warn advise"
)
_COLLECTS = words("collect gather elicit obtain learn get take find interview ascertain determine establish")
_NOT_FROM_IT = words("explain help offer provide guide give point refer use find help add")
_JUDGES = words(
    "choose pick select calculate compute diagnose evaluate assess rank tailor resolve solve handle process carry "
    "complete narrow grade score interpret adjust determine"
)
_ONLY_SPEECH = (
    (SAY | DEPENDS | GET) - _JUDGES
    | _SPOKEN
    | words(
        "avoid ensure be have do like wait help try need want treat think know let listen wish welcome apologise "
        "judge assume guess invent pretend act behave seem appear hope empathise empathize sympathise care take begin "
        "happen lie depend mean fit suit match require concern include rush push blame argue lecture flood overwhelm "
        "accuse ignore come"
    )
)
_LOOKS_UP = words("look check verify search inspect read retrieve pull fetch query locate")
_ALREADY = pattern(r"[^.;,\n]{0,80}\b(?:already|beforehand|earlier)\b")
_FORETELLS = words("offer promise announce leave keep hold stay")
_NOBODY = words("nobody nothing no no-one none")
_NONE = (["nothing"], ["no"], ["none"], ["neither"])
_LATER = words("will would 'll won't can could may might cannot can't")
_OPEN = words("or nor unless otherwise instead because since while whereas without before if")
_PERHAPS = words("or nor unless otherwise instead because since while whereas without before")

_WHO = rf"(?:the |a |an )?(?:{SOMEBODY}|[a-z]{{3,14}}(?:er|or|ant|ent|ist|ee|ian))"
_ANSWERED = any_form(ANSWER, but="base")
_HAS_CONSENTED = pattern(
    r"\b(?:yes|ok|okay|go ahead|please do|(?:confirms?|agrees?|accepts?|agreed|confirmed|accepted) "
    r"(?:to|that|the|with)|"
    r"i (?:agree|confirm|accept|consent))\b"
)
_CONSENT = (
    r"(?:acceptance|agreement|confirmation|approval|reply|answers?|consent|choice|permission|go-ahead|response|yes|ok|"
    r"okay|say-so|authori[sz]ation|decision|sign-off|assent|feedback|selection|input|pick|receipt of)"
)
_NEEDS = (
    pattern(
        rf"(?<!what happens )\b(?:after|once|until|till|as soon as|the moment|whereupon|by the time) {_WHO}"
        rf"(?:'s| has| have|'ve)?(?: then| also| finally)? {_ANSWERED}\b"
    ),
    pattern(
        rf"\bwhen {_WHO} (?:(?:has|have) {_ANSWERED}|answers?|repl(?:y|ies)|responds?|agrees?|confirms?|"
        rf"consents?|accepts?|"
        r"says yes|picks|chooses|selects|decides)\b"
    ),
    pattern(
        rf"\bwait(?:s|ing)?,? (?:(?:for|on|until|till) (?:the |an? |his |her |their |each )?(?:{SOMEBODY}|{_CONSENT})|"
        r"(?:after|for) each|then|before|and then)\b|\bwaits, "
    ),
    pattern(
        rf"\b(?:upon|on|after|following|given|having (?:got|received|obtained)|with(?! (?:an?|the) )) (?:his|"
        rf"her|their|an?|the|{_WHO}(?:'s)?)"
        rf" (?:\w{{1,12}} )?{_CONSENT}\b(?! (?:of the (?:tool|system)|mail|e-mail))"
    ),
    pattern(rf"\b(?:upon|on|following|after) {_CONSENT}\b(?! (?:time|options?|rates?))"),
    pattern(
        rf"\b{_CONSENT}(?: \w{{1,12}})? (?:having been (?:\w{{1,12}})|(?:given|granted|received|obtained|in hand))\b"
    ),
    pattern(
        r"\bhaving (?:asked|been (?:told|given|sent)|learn(?:ed|t)|obtained|collected|got(?:ten)?|gathered|received)\b"
    ),
    pattern(
        r"\b(?:after|once|when|as soon as) (?:both|all|these|those|the|this|that|every|each|it|one)"
        r"(?: [\w'-]{1,15}){0,3} "
        r"(?:is|are|has been|have been|was|were) (?:answered|given|confirmed|chosen|known|received|picked|"
        r"settled|agreed|"
        r"accepted|obtained|supplied|provided|named|clear|in hand|collected|entered|stated)\b"
    ),
    pattern(
        rf"\bthe [a-z]{{3,15}} (?:that |which )?{SOMEBODY} (?:then )?"
        r"(?:chooses?|picks?|selects?|opts? for|settles? on)\b|"
        rf"\b(?:whichever|whatever|the (?:one|option|slot|date|day|time)) (?:\w{{1,15}} )?(?:{_WHO}) (?:then )?"
        r"(?:chooses?|picks?|prefers?|selects?|takes?|opts? for|goes for|decides on|settles on|confirms?|likes?|"
        r"wants?|fancies)\b"
    ),
    pattern(
        r"\b(?:by|at|towards) the (?:very )?end(?: of the (?:conversation|chat|call|dialog(?:ue)?|exchange|talk|"
        r"session))?,? "
        r"(?:the )?\w{1,15} (?:has|have|is)\b"
    ),
    pattern(
        r"\b(?:the|his|her|their) (?:chosen|selected|picked|preferred|agreed|confirmed) (?:one|slot|option|date|"
        r"day|time)\b|"
        r"\bthe (?:one|slot|option|date|time|offer) (?:that (?:is|was) )?(?:chosen|selected|picked|preferred|"
        r"agreed on)\b"
    ),
    pattern(
        r"\bwhereupon\b|\bupon which\b|\b(?:after|at|with) (?:each|every) (?:answer|reply|response)\b|"
        rf"\bto what {_WHO} \w{{3,12}} (?:each time|every time|at each|in turn|next|then)\b"
    ),
    pattern(
        r"\b(?:once|as soon as|after|until|when) (?:we|it|the (?:agent|bot|assistant)) (?:has|have|had|gets?|"
        r"got|receives?|received|knows?|"
        rf"learns?|learnt|learned|obtains?|obtained|is given|hears?|heard|has been (?:given|told|"
        rf"sent)) [^.;,]{{0,30}}?\b(?:{_CONSENT}|details|"
        r"address|number|name|date|size|photos?|information|info|data|choice|this|that|these|it)\b"
    ),
    pattern(rf"\b{_CONSENT} (?:is|are|has been|must be) (?:awaited|obtained|sought|secured|received|in|there|given)\b"),
    pattern(
        r"\b(?:from|by|on|to|with) (?:what|how) (?:he|she|they|the [a-z]{3,15}) (?:then )?(?:says?|answers?|"
        r"replies|tells|describes?|chooses?)\b"
    ),
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first place that needs an answer; nothing for a text about a whole conversation."""
    if not criterion.english or criterion.conversation:
        return
    chain = clauses(criterion.plain)
    found = _asked_and_used(chain, criterion.plain)
    if found is not None:
        asks, until, uses = found
        message = (
            f"the text wants a question and then {_verb(criterion, uses)!r}, but nobody answers within one response"
        )
        said = criterion.text[asks.start : until.end].rstrip(" ,;")
        span = (asks.start, max(until.end, uses.verb_end if uses.verb else uses.end))
        span = (span[0], len(criterion.text[: span[1]].rstrip()))
        yield criterion.finding(CODE, SEVERITY, span, message, f"{said[:1].upper()}{said[1:]}.")
        return
    answered = _after_an_answer(chain, criterion.plain)
    if answered is not None and not _HAS_CONSENTED.search(criterion.scenario or ""):
        message = "the text is about what happens after an answer, but nobody answers within one response"
        yield criterion.finding(CODE, SEVERITY, answered, message, _ADVICE)


def _verb(criterion: Criterion, clause: Clause) -> str:
    start = clause.before[-1].end if clause.before else clause.start
    return criterion.text[start : clause.verb_end].strip() or clause.verb


def _asked_and_used(chain: Sequence[Clause], text: str) -> tuple[Clause, Clause, Clause] | None:
    """Return the clause that asks, the last of what is asked, and the one that uses the answer."""
    for index, clause in enumerate(chain):
        if not _asks(clause, chain, index, text):
            continue
        until = clause
        for later in islice(chain, index + 1, None):
            if later.leads[:1] == ("if",) and _ALREADY.match(text, later.start):
                break
            if later.sentence > clause.sentence + 2 or _REGARDLESS.search(text, later.start, later.end):
                break
            if _uses(later, clause, text, with_what=_added(until, clause, text)):
                return clause, until, later
            if _PERHAPS.intersection(later.leads):
                break
            until = later
    return None


def _asks(clause: Clause, chain: Sequence[Clause], index: int, text: str) -> bool:
    """Tell whether a clause gets something from the user."""
    if clause.negated or not clause.obliged or not clause.verb or _is_spoken(chain, index):
        return False
    if not _OPEN.isdisjoint(clause.leads):
        return False
    said = text[clause.tokens[len(clause.before)].start : clause.end]
    if is_user(clause.before):
        gives = clause.verb in ANSWER and not clause.passive and not clause.past and not clause.leads[1:]
        return gives or (clause.passive and clause.verb in _OF_PEOPLE)
    if clause.passive:
        if head(clause.before) in SOURCE:
            return False  # a tool is asked
        taken = clause.verb == "await" or (clause.verb == "take" and "down" in clause.words())
        told = clause.verb in GET and head(clause.before) in _TOLD_BY_USERS
        return taken or told or clause.verb in GET - _OF_THINGS or _WITH_QUESTIONS.search(said) is not None
    if not (clause.bare or is_agent(clause.before)) or _NOT_WHAT_IS_ASKED.search(said):
        return False
    if clause.verb in GET:
        return not clause.after or clause.after[0].low not in ("no", "nothing", "neither", "nobody")
    whole = text[clause.tokens[len(clause.before)].start : clause.end + 60].split(".")[0].split(",")[0]
    takes = _takes_from_user(whole if " from " in whole else said)
    return bool(_LET.search(said) or takes or _WITH_QUESTIONS.search(said) or _WITH_THEM.search(said))


_TOLD_BY_USERS = words(
    "number code address name details date photo photos proof signature confirmation consent permission email "
    "phone answer information data size amount reason place destination preference preferences choice account "
    "requirements wishes"
)
_OF_PEOPLE = words("ask interview question prompt quiz invite consult")
_OF_THINGS = words("request learn question collect establish consult")


def _takes_from_user(said: str) -> bool:
    found = _TAKES.search(said)
    return found is not None and found["who"] not in ("the", "system", "tool", "database", "record", "account", "file")


def _added(clause: Clause, asks: Clause, text: str) -> str:
    """Return what stands between commas before a verb: and, from the answers, suggests."""
    return "" if clause is asks or clause.verb else text[clause.start : clause.end] + " "


def _uses(clause: Clause, asks: Clause, text: str, *, with_what: str) -> bool:
    """Tell whether a clause does something that needs the answer."""
    leads = [lead for lead in clause.leads if lead not in ("and", "then", "so")]
    if clause.leads[-2:] == ("if", "so"):
        leads = []
    if clause.leads[-2:] == ("after", "which"):
        return clause.verb in ACT and not clause.negated
    if clause.leads == ("which",) and clause.mark == "," and is_agent(clause.before):
        return (clause.verb in ACT or clause.verb == "use") and clause.obliged and not clause.negated
    if leads and not (clause.leads[:2] == ("so", "that") or set(leads) <= {"once", "whereupon", "that", "which"}):
        return False
    if clause.leads and clause.leads[-1] in ("that", "which") and clause.leads[:1] != ("so",):
        return False
    if _does_nothing(clause):
        return False
    if clause.verb in GET and not clause.before:
        return False
    if is_user(clause.before) and not clause.passive:
        return False
    if clause.form == "base" and not clause.modal and asks.form == "s" and clause.bare:
        return False
    if clause.form == "base" and clause.bare and not clause.mark and _asks_to_do(asks) and "then" not in clause.leads:
        return False
    if clause.verb == "come" and [token.low for token in clause.after[:1]] == ["back"]:
        return True
    if asks.verb in _COLLECTS and clause.verb in DEPENDS - _NOT_FROM_IT:
        return True
    said = with_what + text[clause.start : clause.end + 25].split(".")[0]
    then = "then" in clause.leads or bool(_WITH_IT.search(said)) or bool(_USES_IT.search(said))
    if clause.verb in _LOOKS_UP and {token.low for token in asks.after[-2:]}.intersection(clause.words()):
        return True
    if clause.verb in DEPENDS - {"tell", "give", "explain"} and [token.low for token in clause.after[:1]] in (
        ["it"],
        ["them"],
        ["these"],
    ):
        return True
    if clause.verb in ACT - _SPOKEN - {"remind"} or (then and clause.verb in DEPENDS):
        return True
    return clause.verb not in _ONLY_SPEECH and (bool(clause.after) or clause.passive)


def _does_nothing(clause: Clause) -> bool:
    """Tell whether a clause only foretells something, or denies it: nothing is deleted yet."""
    if not clause.verb or clause.negated or clause.modal in _LATER or (clause.form == "ing" and not clause.passive):
        return True
    if clause.verb in _FORETELLS or [token.low for token in clause.before[:1]] in _NONE:
        return True
    return bool(clause.after) and clause.after[0].low in _NOBODY


def _asks_to_do(asks: Clause) -> bool:
    return any(token.low == "to" for token in asks.after)


def _is_spoken(chain: Sequence[Clause], index: int) -> bool:
    """Tell whether a clause is within what is said, offered or promised."""
    clause = chain[index]
    if "that" in clause.leads or "how" in clause.leads or "what" in clause.leads:
        return True
    told = clause.mark == ":" and index > 0 and chain[index - 1].verb in ("explain", "describe", "outline", "clarify")
    return told or clause.verb in ("offer", "promise")


def _after_an_answer(chain: Sequence[Clause], text: str) -> tuple[int, int] | None:
    """Return where something is to happen after an answer."""
    for same in by_sentence(chain):
        start, end = max(0, same[0].start - sum(len(lead) + 1 for lead in same[0].leads)), same[-1].end
        for needs in _NEEDS:
            found = needs.search(text, start, end)
            if found is not None and not _is_told(same, found.start(), text[start : found.start()]):
                return found.span()
    return None


_TOLD = pattern(
    r"\b(?:offers? (?:to|that)|promis\w{1,3}|explains?|tells?|says?|states?|mentions?|informs?|describes?|"
    r"makes? (?:it )?clear|points out|"
    r"reassures?|without|never|not|no|nothing|n't|avoids?|refrains?|only|won't|if|unless|whether|warns?|"
    r"example)\b|n't\b"
)


def _is_told(same: Sequence[Clause], where: int, before: str) -> bool:
    """Tell whether what happens after an answer is only told, promised, forbidden, or left open."""
    if _TOLD.search(before) and not is_user(same[0].before):
        return True
    within = [
        one
        for one in same
        if one.start <= where < one.end and one.verb and one.bare and not one.modal and one.form != "ing"
    ]
    if any(
        one.verb not in ("offer", "promise", "wait")
        and not one.negated
        and (one.verb_end > where + 4 or one.verb in ACT - SAY - _SPOKEN)
        for one in within
    ):
        return False
    main = [one for one in same if one.verb and not (one.start <= where < one.end)]
    return (
        bool(main)
        and all(one.negated or one.modal in _LATER or one.verb in ("offer", "promise", "wait") for one in main)
        and not any(one.verb == "wait" for one in main)
    )
