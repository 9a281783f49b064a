"""What a clause of a criterion states as a fact about the world outside the reply, which only a lookup can tell."""

from collections.abc import Sequence

from audition.scoring.lint._clauses import Clause
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._people import head, is_agent, is_person
from audition.scoring.lint._scenario import Given
from audition.scoring.lint._states import (
    YET,
    after_verb,
    is_absolute,
    is_as_recorded,
    is_definite,
    is_fact,
    is_in_state,
    is_somebody,
    is_specific,
    is_state_of,
    is_stated,
)
from audition.scoring.lint._verbs import ACT, ANSWER, FIND, LOOK, RESULT, SAY
from audition.scoring.lint._world import ABSENT, AVAILABLE, ENTITY, FOUND, SOURCE, STATE, is_of_the_world, is_state

_GENERAL = pattern(
    r"^(?:\W{0,3}(?:that |what|how|the |a |an |its |his |her |their |any |some |current |"
    r"exact ){0,4}(?:results?|answers?|"
    r"data|outcome|status|state|information|details|output|response|(?:it|them)(?=\W{0,3}$)|something|object|"
    r"json|list of|number of)\b)"
)
_TURNS_OUT = pattern(
    r"\b(?:(?:turn|come|work)(?:s|ed)? out (?:to (?:be|have)|that|as|negative|positive|clean|empty|blank|normal|"
    r"\w{4,15}ed)|"
    r"pro(?:ves?|ved) (?:to (?:be|have)|\w{4,15}ed)|happen(?:s|ed) to (?:be|have)|(?:it )?(?:emerges?|emerged|"
    r"transpires?|transpired|appears?) that|it (?:then )?becomes? clear that|comes? to light|"
    r"(?:is|are|was|were) (?:then )?(?:found|seen|shown|discovered) to (?:be|have)|"
    r"c(?:o|a)mes? to (?:nil|zero|nothing|\d))\b"
)
_COMES_BACK = pattern(
    r"\bc(?:o|a)mes? (?P<how>(?:up|away|out|back) (?:empty\S{0,9}|blank|short|with nothing|\w{1,20}))|\bdraws? a blank|"
    r"\bin vain\b|\bto no avail\b"
)
_EMPTY = pattern(r"empty|blank|short|nothing|in vain|avail")
_ANAPHORA = pattern(
    r"^\W{0,2}(?:and |so |hence |therefore )?(?:the )?(?:\w{2,15} )?(?:(?:says|tells|explains|confirms|states|"
    r"admits|reports|"
    r"passes|points|repeats|mentions|announces|breaks|communicates|relays|acknowledges)(?: \w{2,12}){0,3}? "
    r"(?:so|this|that|it)\b(?! (?:is|was|has|can|the|a|an|it|there|he|she)\b)|agrees\b)"
)
_WHICH_IS_TOLD = pattern(
    r"^,? which (?:the |is )?(?:\w{2,15} )?(?:then |politely |also )?(?:explain|point|tell|quote|state|report|"
    r"mention|confirm|"
    r"repeat|announce|pass|convey|say|communicat|relay|admit)\w{0,4}\b"
)
_HENCE = words("so hence therefore thus")
_WE_EXPECT = pattern(
    r"\b(?:expect|assume|want|trust|count on|anticipate)s? (?:that )?(?:the |a )?(?P<what>(?:[\w'-]{1,20} ){1,5}?)"
    r"(?:to )(?P<does>[a-z]{2,15})\b"
)
_GET_RESULT = pattern(
    r"^(?:a|an|the|one|two|three|no|zero|several|\d{1,6}) (?:[\w-]{1,15} )?(?:hits?|errors?|match(?:es)?|"
    r"results?|records?|"
    r"entry|entries|timeout|404|reply that|message that)\b"
)
_NOT_FOUND_OBJECT = words(
    "way solution answer time words out compromise common alternative it what how which who when where whatever "
    "best right next nearest suitable another something"
)
_PARTS = words(
    "sequence length format answer reply response message tone text wording sentence apology explanation greeting "
    "summary note letter draft report list sheet question questions offer suggestion advice step steps "
    "instruction instructions language style email mail minutes criterion point distinction definition term terms "
    "rule rules option options poem story joke attempt choice data phrase phrases word words promise claim? "
    "guarantee attention content complaint feedback"
)
_CAUSES = words("since because as given considering seeing")
COUNTED = words("no nobody none nothing neither two three four five six seven eight nine ten")


def states(same: Sequence[Clause], index: int, text: str, given: Given, *, looked: bool) -> bool:
    """Tell whether a clause states as a fact what only a lookup can tell."""
    clause = same[index]
    said = text[clause.start : clause.end]
    reported = _is_reported(same, index)
    if _is_relative(same, index):
        return False
    if clause.leads[-1:] == ("which",) and clause.bare and index and same[index - 1].tokens[-1].low in SOURCE | _TESTS:
        if same[index - 1].verb in LOOK and clause.verb in ("pass", "fail", "succeed") and not clause.modal:
            return True
        return (clause.verb in RESULT or clause.verb == "have") and not _GENERAL.search(after_verb(clause, text))
    if _THERE.search(said) and _there_is(clause, reported=reported):
        return True
    if clause.modal not in _MAY and _comes_out(clause, text):
        return True
    if is_absolute(clause, text):
        return True
    if not clause.verb or _is_shortened(same, index):
        return False
    if clause.modal in _FORETOLD and not reported and _source_answers(clause, reported=False, text=text):
        return True
    if clause.modal and clause.modal not in ("should", "must", "has", "have", "can't", "cannot"):
        return False
    if reported and any(one.leads[:1] in (("when",), ("whenever",), ("if",)) for one in same[index + 1 : index + 6]):
        return False
    if reported and looked and clause.before and head(clause.before) == "it":
        return clause.past or is_state_of(clause)
    if clause.bare or is_agent(clause.before):
        sees = given.shows and not any(
            word in SOURCE for one in same[max(0, index - 5) : index + 1] for word in one.words()
        )
        return (not sees and _finds(same, index, text, looked=looked)) or _expects(said)
    if not looked and not clause.modal and head(clause.before) in given.wanted:
        return False
    return (
        _source_answers(clause, reported=reported, text=text)
        or is_as_recorded(same, index, said)
        or _world_is(clause, same, index, given, reported=reported, text=text, looked=looked)
    )


def _is_shortened(same: Sequence[Clause], index: int) -> bool:
    """Tell whether a participle shares the auxiliary of the clause before: a ticket is opened and its number given."""
    clause = same[index]
    lone = clause.form == "ed" and not (clause.passive or clause.perfect)
    if lone and clause.before and clause.before[-1].low == "as":
        return True  # temperature and rain as returned
    return lone and clause.leads == ("and",) and index > 0 and same[index - 1].passive


_TESTS = words("test diagnosis check")
_FORETOLD = words("will won't 'll")
_MAY = words("may might can could would")


def _comes_out(clause: Clause, text: str) -> bool:
    """Tell whether something turns out in some way, or a search comes back with something or nothing."""
    alone = head(clause.before) in ("", "it")
    if _TURNS_OUT.search(text, clause.start, min(len(text), clause.end + 5)):
        return alone or not is_agent(clause.before)
    found = _COMES_BACK.search(text, clause.start, clause.end)
    if found is None or (found["how"] or "").endswith(" to"):
        return False
    return _EMPTY.search(found[0]) is not None or (
        found["how"].startswith("back") and not clause.bare and not is_agent(clause.before)
    )


def _is_reported(same: Sequence[Clause], index: int) -> bool:
    """Tell whether a clause is within what is said."""
    if "that" not in same[index].leads or index == 0:
        return False
    return same[index - 1].verb in SAY or same[index - 1].tokens[-1].low in _NEWS


_THERE = pattern(r"^(?:that |as )?there(?: being| will be| won't be|'s|'re| is| are| was| were| has been)\b")
_ADMITS = words("acknowledge regret apologise apologize thank express concede recognise recognize understand")


def _is_relative(same: Sequence[Clause], index: int) -> bool:
    """Tell whether a clause only says which: the number that the tool returned."""
    clause = same[index]
    if "that" not in clause.leads or index == 0:
        return False
    before = same[index - 1]
    if before.verb in _ADMITS:
        return True
    last = before.tokens[-1].low
    if last in _NEWS:
        return False
    reports = before.verb in SAY | FIND | _BELIEVE or before.verb in ("turn", "come")
    return not (reports and (not before.after or is_person(last) or last in _OBJECTS or before.verb in FIND | _BELIEVE))


_NEWS = words("news fact information message effect")
_BELIEVE = words("know expect assume want emerge transpire find")
_OBJECTS = words("her him them me us so politely out up honestly clearly news user back")


def _source_answers(clause: Clause, *, reported: bool, text: str) -> bool:
    """A tool or a record, and what it does: the lookup returns no ticket."""
    noun = head(clause.before)
    if (
        (noun not in SOURCE and (noun != "list" or len(clause.before) < 3))
        or is_somebody(clause.before[-1].low)
        or (reported and not clause.past)
    ):
        return False
    if any(token.low in ("your", "any", "no") for token in clause.before[:1]):
        return False
    after = text[clause.after[0].start : clause.end] if clause.after else ""
    if clause.passive:
        return is_state(clause.verb, after) and clause.verb not in LOOK | ACT | SAY
    if clause.verb == "be":
        return is_state_of(clause)
    if clause.verb == "come" and not {"back", "up", "out"}.intersection(token.low for token in clause.after[:1]):
        return False
    if clause.verb == "have" or clause.verb in RESULT:
        return not _GENERAL.search(after) or clause.negated
    return False


def _there_is(clause: Clause, *, reported: bool) -> bool:
    """A record or a place that there is, or is not: there are no rooms left."""
    nouns = [token.low for token in clause.tokens[1:10]]
    foretold = clause.modal in _FORETOLD and (nouns[1:2] in (["no"], ["any"]) or nouns[2:3] in (["no"], ["any"]))
    if (clause.modal and not foretold) or any(
        noun in ("usually", "always", "often", "need", "no-one") for noun in nouns
    ):
        return False
    known = AVAILABLE if reported else AVAILABLE | ENTITY | SOURCE
    return any(noun in known or noun.removesuffix("s") in known for noun in nouns)


_IDENTIFIES = pattern(r"\d{4}|[a-z]-?\d|\d-?[a-z]")


def _world_is(
    clause: Clause, same: Sequence[Clause], index: int, given: Given, *, reported: bool, text: str, looked: bool
) -> bool:
    """Something outside the reply is in a state, or came to be: the parcel was lost."""
    noun, first = head(clause.before), clause.before[0].low
    if clause.verb == "exist" and first == "no":
        return not clause.modal and not reported
    if _is_no_single_thing(clause, noun, first):
        return False
    none = first in ("no", "none", "neither") or clause.negated
    numbered = any(char.isdigit() for token in clause.before for char in token.low)
    known = is_of_the_world(noun) or noun in SOURCE or numbered or noun in given.asked
    if not known and (none or first in ("nothing", "nobody")) and _is_of_the_reply(clause):
        return False
    asked_after = given.inquires and clause.perfect and noun in given.asked | given.told
    in_doubt = (noun in given.whether or asked_after) and is_definite(clause) and clause.verb != "be"
    fact = is_fact(clause, none=none, known=known, reported=reported) or (in_doubt and is_in_state(clause))
    if reported:
        named = {token.low for token in clause.before if _IDENTIFIES.search(token.low)}
        user = (is_somebody(noun) and noun not in ("he", "she", "they")) or is_somebody(clause.before[-1].low)
        nobody_said = not named <= given.told | given.asked
        return not (user or nobody_said) and _is_news(clause, noun, fact=fact, known=known, looked=looked)
    return _is_so(clause, same, index, fact=fact, likely=known or none, text=text, looked=looked)


def _is_no_single_thing(clause: Clause, noun: str, first: str) -> bool:
    """Tell whether a clause is about the reply, or about things in general: gift cards don't expire."""
    if noun in _PARTS or (noun.removesuffix("s") in _PARTS and noun not in ENTITY):
        return True
    general = clause.verb in ABSENT and clause.negated and noun.endswith("s") and not is_definite(clause)
    return general or first in ("any", "every", "each")


def _is_of_the_reply(clause: Clause) -> bool:
    """Tell whether what is not there is a part of the reply: no jargon left undefined, nothing else was added."""
    lone = clause.form == "ed" and not (clause.passive or clause.perfect)
    return lone or (clause.passive and clause.verb in ACT | SAY)


def _is_so(
    clause: Clause, same: Sequence[Clause], index: int, *, fact: bool, likely: bool, text: str, looked: bool
) -> bool:
    """Tell whether a clause that nobody is said to say states a fact of the world."""
    noun = head(clause.before)
    if clause.perfect and noun in ("she", "he", "they") and index == 0 and clause.verb not in ANSWER:
        return len(same) > 1 and bool(same[1].before) and is_agent(same[1].before)
    if clause.leads and clause.leads[0] not in _CAUSES and clause.leads[-1] in _ATTACHING:
        return False
    if clause.leads[-1:] == ("where",) and looked and clause.verb in ("be", "have"):
        return True
    if is_somebody(noun) or is_somebody(clause.before[-1].low):
        return _user_is(clause, fact=fact) or _is_told_of(clause, same, index, text)
    happens = fact or is_stated(clause) or (clause.verb in ABSENT and not clause.passive)
    if looked and not clause.leads[1:] and happens:
        return True
    if fact and (likely or clause.past or not YET.isdisjoint(clause.words())):
        return True
    follows = is_specific(clause) and is_stated(clause)
    follows = follows and _agent_follows(same[index + 1 : index + 2], text, clause.end)
    return follows or _is_consequence(clause, same, index, text)


_ATTACHING = words("after once when until that")


def _is_news(clause: Clause, noun: str, *, fact: bool, known: bool, looked: bool) -> bool:
    """Tell whether what is said is something that only a lookup can tell."""
    if looked and noun in ("he", "she", "they") and clause.verb in ("have", "owe"):
        return True
    if looked and noun in ("it", "they") and (clause.past or fact):
        return True
    happened = noun not in ("he", "she") and clause.past and not any(token.text[:1].isdigit() for token in clause.after)
    return fact and (known or happened) and is_definite(clause)


def _user_is(clause: Clause, *, fact: bool) -> bool:
    """Tell whether the user is in the records: the runner is listed."""
    listed = clause.verb == "be" and any(token.low in SOURCE for token in clause.after[:5])
    return fact and (listed or (clause.passive and clause.verb in FOUND))


def _is_told_of(clause: Clause, same: Sequence[Clause], index: int, text: str) -> bool:
    """Tell whether the agent tells of what a clause states: ..., which the reply mentions."""
    following = same[index + 1].leads if index + 1 < len(same) else ()
    return following[:1] == ("which",) and _is_consequence(clause, same, index, text)


_NEXT_AGENT = pattern(
    r"[.;,:\u2013\u2014 -]{0,4}(?:and |so |hence |thus |therefore |which |as )?(?:the |our )?(?:agent|assistant|"
    r"bot|chatbot|reply|answer|response|"
    r"clerk bot|model)(?: \w{2,12}ly)? (?!is\b|must be\b)\w"
)
_INFORMED = words(
    "learn hear tell inform offer advise get receive see read know notify invite ask point refer direct find"
)


def _agent_follows(following: Sequence[Clause], text: str, end: int) -> bool:
    """Tell whether what the agent does, or what the user hears, comes next."""
    if _NEXT_AGENT.match(text, end):
        return True
    if not following:
        return False
    first = following[0]
    informed = (
        bool(first.before)
        and (is_somebody(head(first.before)) or first.verb in ("learn", "hear"))
        and first.verb in _INFORMED
        and not first.leads[1:]
    )
    return informed and not {"if", "or", "who", "whom"}.intersection(first.leads)


def _is_consequence(clause: Clause, same: Sequence[Clause], index: int, text: str) -> bool:
    """Tell whether the agent's part follows from what a clause says, as from a fact: `, so the agent says sorry`."""
    if clause.passive and not clause.past and clause.verb in ACT | SAY | LOOK and not is_stated(clause):
        return False
    if clause.form == "ing" or clause.modal:
        return False
    if not is_specific(clause):
        return False
    if index + 1 < len(same):
        following = same[index + 1]
        then_agent = is_agent(following.before) or not following.before
        if following.leads and following.leads[0] in _HENCE and following.leads[-1] != "that" and then_agent:
            return True
        after = text[following.start - 6 if following.start > 6 else 0 : following.end]
        if following.leads[:1] == ("which",) and _WHICH_IS_TOLD.search(
            f", which {text[following.start : following.end]}"
        ):
            return clause.verb not in ACT or (clause.past and not clause.passive)
        if then_agent and following.before and _ANAPHORA.search(text, following.start, following.end):
            return clause.verb in ("be", "have") or clause.past or bool(after and clause.verb in RESULT)
    return bool(_CAUSES.intersection(clause.leads)) and index == 0 and not is_agent(clause.before)


def _finds(same: Sequence[Clause], index: int, text: str, *, looked: bool) -> bool:
    """The agent finds something: sees that the item is sold out."""
    clause = same[index]
    if clause.negated:
        return False
    after = text[clause.after[0].start : clause.end] if clause.after else ""
    if clause.verb in ("get", "receive", "meet", "hit", "encounter"):
        back = after.strip() == "back" and text[clause.end : clause.end + 6].strip().startswith("that")
        return back or bool(_GET_RESULT.search(after)) or (looked and " that" in after)
    if (
        looked
        and clause.verb in ("gather", "read", "conclude", "infer", "deduce", "hear", "understand")
        and (text[clause.end : clause.end + 6].strip().startswith("that"))
    ):
        return True
    if clause.verb not in FIND:
        return False
    objects = [token.low for token in clause.after[:7]]
    if not objects:
        found = {token.low for one in same[max(0, index - 3) : index + 2] for token in one.tokens}
        if not looked and not any(is_of_the_world(word) or word in SOURCE | STATE for word in found):
            return False  # a thought, not a finding
        return text[clause.end : clause.end + 6].strip().startswith("that")
    follows = text[clause.end : clause.end + 6].strip().startswith("that")
    if follows and any(word in SOURCE for word in objects):
        return True
    if objects[0] == "it" and len(objects) > 2:
        return looked
    if objects[0] in _NOT_FOUND_OBJECT or (objects[1:2] and objects[1] in _NOT_FOUND_OBJECT):
        return False
    if clause.verb in ("learn", "receive", "identify", "see", "recognise", "recognize"):
        return looked
    return looked or any(
        is_of_the_world(word) or word in ("duplicate", "missing", "double", "wrong") for word in objects
    )


def _expects(said: str) -> bool:
    """We expect the search to turn up something."""
    found = _WE_EXPECT.search(said)
    if found is None:
        return False
    noun = found["what"].split()[-1].lower()
    return noun in SOURCE and found["does"].lower() in RESULT
