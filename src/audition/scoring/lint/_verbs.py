"""The verbs that the lint rules know, by what somebody does with them, and the forms that each takes."""

from collections.abc import Sequence
from functools import cache
from itertools import groupby
from typing import Literal

from audition.scoring.lint._english import words

Form = Literal["base", "s", "ed", "ing"]
"""`ed` is the past and the participle; the rules need not tell them apart."""

SAY = words(
    "say state tell mention name list give explain describe answer reply respond offer suggest recommend propose "
    "warn point convey cover acknowledge apologise apologize decline refuse greet report summarise summarize "
    "inform note confirm admit refer advise show provide include present compare cite quote thank address use "
    "stay keep remain express sound promise reassure remind direct guide steer encourage invite clarify outline "
    "define illustrate sum stress underline emphasise emphasize indicate repeat relay announce read write draft "
    "sign speak talk discuss own concede regret congratulate welcome deal demonstrate highlight advocate urge "
    "caution assure concludes conclude"
)
"""What an agent does in its reply."""

ACT = words(
    "save store record log book reserve create open file submit send email mail text post update change correct "
    "set move reschedule rename register apply add remove delete transfer forward refund charge place order "
    "schedule cancel issue reset block unblock unlock upgrade downgrade dispatch activate deactivate process "
    "complete print pay subscribe unsubscribe enter calculate reroute connect escalate ship assign pass credit "
    "debit deduct match waive extend renew enrol enroll close request raise put switch attach route hand fill "
    "publish execute amend edit adjust insert upload download install start launch initiate trigger build "
    "generate produce make arrange fix repair swap exchange replace return release lodge note sign tag label "
    "merge approve authorise authorize grant reject confirm finalise finalize redeem top wire donate settle bill "
    "invoice buy purchase sell rent hire lease deliver hold pause freeze suspend resume restore reinstate "
    "terminate shut end disable enable convert translate copy archive report notify message call ring phone page "
    "alert invite remind reply answer link pair map key type feed append pencil slot allocate commission dispute "
    "reverse write draft compose compile prepare plan customise customize tailor adapt configure provision "
    "onboard admit check reorder input capture document jot list mark flag prescribe deposit withdraw carry do "
    "bring get play double round bump sort push drop take accept proceed relay share fetch leave include enlist "
    "pre-order patch perform run rebook reallocate deploy go decrease increase lower lift cut quote price value "
    "estimate organise organize"
)
"""What an agent does beyond its reply."""

DEPENDS = words(
    "quote calculate compute value estimate recommend suggest assess evaluate interpret diagnose analyse analyze "
    "inspect examine judge decide choose select pick propose present tailor verify validate check look retrieve "
    "pull query search fetch read give tell summarise summarize translate work price rate rank filter compare "
    "refer direct point name state show reveal disclose release explain adjust base use find advise identify "
    "process review resolve solve proceed continue handle carry troubleshoot narrow match offer deliver provide "
    "guide produce correct score help plan determine finish complete repeat spell confirm grade mark score put place"
)
"""What an agent does with an answer that it got."""

GET = words(
    "ask request inquire enquire elicit solicit prompt interview quiz question clarify establish ascertain "
    "determine collect gather obtain learn secure seek acquire survey poll probe consult await require demand"
)
"""How an agent gets something from the one it speaks with."""

LOOK = words(
    "look check search query fetch retrieve read pull open consult track verify inspect examine review scan run "
    "browse call access load view investigate trace research ping poll request"
)
"""How an agent looks into what it cannot know."""

FIND = words("find see discover notice learn spot uncover detect realise realize recognise recognize receive identify")
"""How what a lookup tells reaches the agent."""

RESULT = words(
    "return show report yield list contain hold reveal confirm indicate say give have find know produce respond "
    "fail error succeed resolve place mention include lack state tell come turn throw exist display read carry "
    "record note bring name point suggest prove put locate identify deliver spit match feature output answer miss "
    "log see warn print flag signal stand need offer crash"
)
"""What a source does when it is asked."""

HAND = words(
    "give provide supply dictate specify mention name state type paste upload attach send enter quote list "
    "describe make file submit write post share forward draft tell say suggest request choose pick select "
    "indicate stipulate read spell include compile jot enclose hand put pass note outline detail set record "
    "photograph scan report leave ask want wish prefer raise"
)
"""How somebody gives an agent something."""

ANSWER = words(
    "answer reply respond confirm agree consent accept choose pick select decide give provide supply name tell "
    "send enter type say state approve specify share show present submit upload paste spell describe report "
    "finish complete acknowledge sign verify pass authorise authorize settle opt indicate read click come take "
    "prove return pay mention identify hand dictate reveal disclose volunteer explain fill list call text write "
    "react grant produce declare clarify express make"
)
"""How somebody answers an agent."""

_OTHERS = words(
    "exclude cover apply publish bounce scan clear overwrite sort agree trawl gather infer deduce hear understand "
    "await be have do want expect need like begin close precede follow come go happen lapse leave break expire "
    "arrive ship receive see stick match differ equal become turn wait let help try avoid omit skip prove emerge "
    "transpire appear seem belong depend fit suit stand sit lie run land reach miss end start finish lead win "
    "lose grow fall rise drop work think believe feel mean require concern include refrain treat sell cost last "
    "serve wear narrow walk acknowledge contradict echo recite reproduce copy paste ensure guess invent assume "
    "demand insist qualify"
)
_IRREGULAR = {
    "be": "is are was were been being 's",
    "have": "has had had having",
    "do": "does did done doing",
    "go": "goes went gone going",
}
_PAST = {
    "give": "gave given", "tell": "told", "say": "said", "send": "sent", "make": "made", "put": "put", "set": "set",
    "read": "read", "write": "wrote written", "find": "found", "see": "saw seen", "get": "got gotten",
    "take": "took taken",
    "hold": "held", "pay": "paid", "choose": "chose chosen", "spell": "spelt", "learn": "learnt", "bring": "brought",
    "come": "came", "know": "knew known", "show": "shown", "speak": "spoke spoken", "shut": "shut", "feed": "fed",
    "leave": "left", "break": "broke broken", "run": "ran", "throw": "threw thrown", "hear": "heard", "buy": "bought",
    "sell": "sold", "withdraw": "withdrew withdrawn", "stand": "stood", "stick": "stuck", "seek": "sought",
    "build": "built", "mean": "meant", "let": "let", "keep": "kept", "begin": "began begun", "become": "became",
    "ring": "rang rung", "deal": "dealt", "sit": "sat", "lie": "lay", "lead": "led", "win": "won", "lose": "lost",
    "grow": "grew grown", "fall": "fell fallen", "rise": "rose risen", "think": "thought", "feel": "felt",
    "cost": "cost",
    "cut": "cut", "fit": "fit", "freeze": "froze frozen", "spit": "spat", "wear": "wore worn", "input": "input",
}  # fmt: skip
_DOUBLED = words(
    "log set ship transfer refer put get cancel submit admit drop cut shut run stop plan tag pin swap quiz enrol "
    "commit spot let begin jot map slot label chat sit win flag wrap sum spit pop bar step opt top"
)
_EITHER = words("cancel label")
"""Verbs whose last letter is doubled in Britain and not in America."""
_VOWELS = frozenset("aeiou")


def forms_of(verb: str) -> dict[str, Form]:
    """Return the forms of a verb, made by the rules of spelling."""
    if verb in _IRREGULAR:
        s, *others = _IRREGULAR[verb].split()
        forms: dict[str, Form] = {verb: "base", s: "s"}
        for one in others:
            forms[one] = "ing" if one.endswith("ing") else "ed"
        return forms
    stems = [verb + verb[-1]] if verb in _DOUBLED else [verb]
    if verb in _EITHER:
        stems.append(verb)
    forms = {verb: "base", _with_s(verb): "s"}
    forms.update(dict.fromkeys([_with_ing(stem) for stem in stems], "ing"))
    past = _PAST[verb].split() if verb in _PAST else [_with_ed(stem) for stem in stems]
    return forms | dict.fromkeys([one for one in past if one != verb], "ed")


def _with_s(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}ies"
    return f"{verb}es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else f"{verb}s"


def _with_ed(verb: str) -> str:
    if verb.endswith("y") and verb[-2] not in _VOWELS:
        return f"{verb[:-1]}ied"
    return f"{verb}d" if verb.endswith("e") else f"{verb}ed"


def _with_ing(verb: str) -> str:
    return f"{verb[:-1]}ing" if verb.endswith("e") and not verb.endswith("ee") else f"{verb}ing"


@cache
def _known() -> dict[str, tuple[str, Form]]:
    """Return all forms of all verbs, each with its verb; the first verb that has a form keeps it."""
    found: dict[str, tuple[str, Form]] = {}
    for verb in sorted(SAY | ACT | DEPENDS | GET | LOOK | FIND | RESULT | HAND | ANSWER | _OTHERS):
        for form, kind in forms_of(verb).items():
            found.setdefault(form, (verb, kind))
    return found | {"are": ("be", "s"), "was": ("be", "ed"), "were": ("be", "ed")}


def verb_of(word: str) -> tuple[str, Form] | None:
    """Return the verb that a word in lower case is a form of, and which form; None for a word that is none."""
    return _known().get(word)


def any_form(verbs: frozenset[str], *, but: Form | None = None, only: Form | None = None) -> str:
    """Return the source of a pattern for any form of some verbs, without those of one kind, or only those of one."""
    forms = {form for verb in verbs for form, kind in forms_of(verb).items() if kind != but and only in (None, kind)}
    return _alternatives(sorted(forms))


def _alternatives(forms: Sequence[str]) -> str:
    """Return the source of a pattern for any of some sorted words, the longest first.

    Words share what they begin with, or each would be tried at every place of a text.
    """
    if len(forms) == 1:
        return forms[0]
    parts = [
        first + _alternatives([form[1:] for form in same]) if first else ""
        for first, same in groupby(forms, key=lambda form: form[:1])
    ]
    return rf"(?:{'|'.join(sorted(parts, key=bool, reverse=True))})"
