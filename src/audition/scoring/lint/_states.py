"""How a clause says that something is in a state, or that something happened."""

from collections.abc import Sequence

from audition.scoring.lint._clauses import Clause
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._people import head, is_agent, is_person
from audition.scoring.lint._verbs import ACT, LOOK, RESULT, SAY
from audition.scoring.lint._world import ABSENT, ENTITY, FOUND, SOURCE, STATE, is_of_the_world, is_state

YET = words("still already currently now")


def after_verb(clause: Clause, text: str) -> str:
    return text[clause.after[0].start : clause.end] if clause.after else ""


def is_fact(clause: Clause, *, none: bool, known: bool, reported: bool) -> bool:
    """Tell whether a clause says how something is or was, rather than what is to be done."""
    after = " ".join(token.low for token in clause.after[:4])
    if clause.verb in ABSENT and not clause.passive and after.split(" ")[0] not in ("up", "for", "with"):
        return known or clause.past
    if clause.form == "ing" and not clause.passive and not clause.modal and clause.verb not in SAY:
        return known
    if clause.verb == "go" and after.startswith("through"):
        return False
    if clause.passive:
        return _is_done(clause, after, none=none, known=known, reported=reported)
    if clause.modal:
        return False
    if clause.verb == "be":
        return is_state_of(clause)
    if clause.past and not clause.perfect and not known and not is_definite(clause) and clause.verb not in _HAPPENS:
        return False
    if clause.past and clause.form == "ed" and not clause.perfect and clause.verb in (ACT | SAY | LOOK) - _HAPPENS:
        return False
    if clause.past:
        return clause.verb not in ("mean", "want", "need", "require", "concern", "include")
    return clause.verb in ("exist", "turn") and (known or none)


def _is_done(clause: Clause, after: str, *, none: bool, known: bool, reported: bool) -> bool:
    """Tell whether a passive says how something is or was; `after` are the first words after it."""
    if clause.verb in ("contain", "include", "hold", "keep"):
        away = clause.verb == "hold" and after.startswith(("at ", "in ", "up"))
        return (none or known) and (away or any(token.low in SOURCE for token in clause.after))
    if _names_state(clause, after):
        return True
    if clause.verb in FOUND:
        recorded = (
            reported
            or clause.verb not in ACT
            or clause.past
            or after.startswith(_IN_RECORDS)
            or not YET.isdisjoint(clause.words())
        )
        return none or (known and not clause.modal and recorded)
    if clause.modal:
        return False
    if reported and clause.perfect:
        return known
    if clause.verb in ACT and (clause.perfect or not clause.past):
        return is_state(participle_of(clause), after) and known
    return clause.past or is_state(participle_of(clause), after)


_IN_RECORDS = ("as ", "among ", "at ", "by ", "against ", "in ", "on ", "under ", "with ", "until ", "till ", "up")
_HAPPENS = words("leave report go end run call move drop start open close return come ship bounce")


def is_somebody(noun: str) -> bool:
    return is_person(noun) and noun not in SOURCE | ENTITY


def is_definite(clause: Clause) -> bool:
    if any(token.low.endswith("'s") for token in clause.before):
        return True
    return clause.before[0].low in words(
        "the his her their its your my no one two both all none this that there's it last"
    ) or any(char.isdigit() for token in clause.before for char in token.text)


def is_specific(clause: Clause) -> bool:
    """Tell whether a clause is about one thing rather than about things in general: `grapes are toxic`."""
    return clause.verb != "be" or clause.past or is_definite(clause) or is_of_the_world(head(clause.before))


def participle_of(clause: Clause) -> str:
    return clause.tokens[len(clause.tokens) - len(clause.after) - 1].low


def _names_state(clause: Clause, after: str) -> bool:
    return is_state(participle_of(clause), after) or (clause.verb == "book" and "fully" in clause.words())


_HOURS = words("open opened closed")
"""What an agent may know of a house."""


def is_in_state(clause: Clause) -> bool:
    """Tell whether a passive may name a state of now: is closed, has been shipped."""
    return (
        clause.passive
        and not clause.modal
        and (clause.perfect or not clause.past)
        and (
            participle_of(clause) in STATE - _HOURS
            or (participle_of(clause) in STATE and any(token.low.isdigit() for token in clause.before))
        )
    )


def _first_after(clause: Clause) -> str:
    return clause.after[0].low if clause.after else ""


def is_stated(clause: Clause) -> bool:
    """Tell whether a clause is in the indicative and about how something is or was."""
    if clause.modal or (clause.form == "ing" and not clause.past and clause.verb not in RESULT):
        return False
    if clause.form == "ed" and not clause.passive and not clause.perfect and clause.verb in ACT - _HAPPENS:
        return False  # what is done, told in short: and the calf registered
    if clause.passive:
        if _names_state(clause, _first_after(clause)):
            return True
        return clause.past and (clause.verb not in ACT or bool(YET.intersection(clause.words())) or not clause.perfect)
    if clause.verb in ("be", "have"):
        return bool(clause.after) and clause.after[0].low not in (
            "to",
            "about",
            "for",
            "optional",
            "fine",
            "short",
            "polite",
        )
    return clause.past or clause.verb in ("exist", "exclude", "cover", "include", "apply", "belong", "expire", "show")


def is_state_of(clause: Clause) -> bool:
    """Tell whether `is` is followed by a state or a place in the records."""
    said = [token.low for token in clause.after[:6] if token.low not in _NOT_A_STATE]
    if not said:
        return False
    if said[0] in STATE or (len(said) > 1 and f"{said[0]} {said[1]}" in STATE):
        return True
    if said[0] == "among" and any(word in ("hits", "matches", "results", "search") for word in said[1:4]):
        return True
    if said[0] in ("in", "on", "at", "among", "under", "with", "listed") and any(word in SOURCE for word in said[1:5]):
        return True
    return any(word in STATE for word in said[:3]) and said[0] not in ("to", "a", "the", "for", "if", "in")


_NOT_A_STATE = words("not still already currently now all both fully unfortunately indeed again also only")


def _shows(clause: Clause) -> bool:
    return clause.leads == ("as",) and head(clause.before) in SOURCE and clause.verb in RESULT


_RECORDED = pattern(
    r"\b(?:as per|per|according to|judging by|going by) (?:the |its |our )?(?P<what>(?:[\w-]{2,15} ){0,2}[\w-]{2,15})\b"
)


def is_as_recorded(same: Sequence[Clause], index: int, said: str) -> bool:
    """Tell whether something is so as a record has it: it is late per the tracking data, as the system shows."""
    clause, following = same[index], same[index + 1 : index + 2]
    if clause.verb in ("be", "have") and not clause.modal and any(_shows(one) for one in following):
        return True
    found = _RECORDED.search(said)
    if found is None or clause.modal or clause.form == "ing" or (clause.passive and clause.verb in ACT | SAY | LOOK):
        return False
    return any(word in SOURCE for word in found["what"].lower().split()) and not is_somebody(head(clause.before))


_ABSOLUTE = pattern(
    r"^(?:with )?(?P<what>(?:[\w'-]{1,20} ){1,5}?)(?:being|(?:shown|listed|marked|recorded|flagged|given|down|"
    r"logged) as|"
    r"already|still|not) (?P<state>[^,.;]{3,60}),"
)


def is_absolute(clause: Clause, text: str) -> bool:
    """With the delivery shown as missing, ...: a state that stands before what the agent does."""
    found = _ABSOLUTE.search(text, clause.start, min(len(text), clause.end + 1)) if not clause.leads else None
    if found is None:
        return False
    return any(word in STATE or is_state(word, "") for word in found["state"].lower().split()) and not is_agent(
        clause.tokens[:2]
    )
