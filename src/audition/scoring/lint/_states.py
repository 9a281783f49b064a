"""How a clause says that something is in a state, or that something happened."""

from audition.scoring.lint._clauses import Clause
from audition.scoring.lint._english import words
from audition.scoring.lint._people import head, is_person
from audition.scoring.lint._verbs import ACT, LOOK, RESULT, SAY
from audition.scoring.lint._world import ABSENT, ENTITY, FOUND, SOURCE, STATE, is_of_the_world, is_state

YET = words("still already currently now")


def after_verb(clause: Clause, text: str) -> str:
    return text[clause.after[0].start : clause.end] if clause.after else ""


def is_fact(clause: Clause, *, none: bool, known: bool, reported: bool) -> bool:
    """Tell whether a clause says how something is or was, rather than what is to be done."""
    after = " ".join(token.low for token in clause.after[:4])
    if clause.verb in ABSENT and not clause.passive and after.split(" ")[0] != "up":
        return known or clause.past
    if clause.form == "ing" and not clause.passive and not clause.modal and clause.verb not in SAY:
        return known
    if clause.verb == "go" and after.startswith("through"):
        return False
    if clause.passive:
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
    """Tell whether a present passive may name a state: is closed."""
    return clause.passive and not clause.modal and not clause.past and participle_of(clause) in STATE - _HOURS


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
