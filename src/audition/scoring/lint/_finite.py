"""Where the verb of an English clause stands."""

import re
from typing import NamedTuple

from audition.scoring.lint._english import words
from audition.scoring.lint._verbs import Form, verb_of


class Token(NamedTuple):
    """A word, a number, a quotation or a mark; `low` is it in lower case."""

    text: str
    low: str
    start: int
    end: int


_TOKEN = re.compile(
    r"\"[^\"\n]{1,300}\"|[\w.+-]{1,64}@[\w.-]{1,80}\w|[#$]?\d[\w:,./-]{0,40}\w|[^\W_][\w'-]{0,40}(?:\.(?:pdf|docx?|xlsx?|csv|txt|png|jpe?g|zip|md|py)\b)?|[-=]>|\S",
    re.IGNORECASE,
)
MODALS = words("must should shall can could may might will would cannot can't won't ought needs need has have 'll")
NOT = words(
    "not never n't don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't cannot can't won't "
    "shouldn't mustn't couldn't wouldn't no-one nobody"
)  # fmt: skip
BEFORE_NOUN = words(
    "the a an this these those its his her their our your my of in on at for with from by under into onto no any "
    "each every all both some another such about per via two three four five six seven eight nine ten missing "
    "same exact"
)
ADVERBS = words(
    "last recently also only then now still already just first simply always even both again politely clearly "
    "ever never yet long please either automatically immediately instead afterwards finally next"
)  # fmt: skip
CONTRACTED = {"isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "hasn't": "has", "haven't": "have",
               "doesn't": "does", "don't": "do", "didn't": "did", "hadn't": "had", "there's": "is", "it's": "is",
               "that's": "is", "she's": "is", "he's": "is", "who's": "is"}  # fmt: skip
SAME_PARTICIPLE = words("run put set read cut let shut hit cost come become input")
_AFTER_IS = words("not been out gone still already now on down full sold no over up")
IS = words("is are was were be been being gets get got")
_BE_HAVE = words("be have do")
_PLURAL_SUBJECTS = words("we i you they users customers agents")


def tokens_of(text: str) -> list[Token]:
    """Return the words, numbers, quotations and marks of a text."""
    return [Token(found[0], _low(found), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def _low(found: re.Match[str]) -> str:
    return "may_" if found[0] == "May" and found.start() else found[0].lower()


def verb_at(tokens: list[Token]) -> tuple[int, int]:
    """Return where the verb with its auxiliaries begins and where its main verb stands; -1 where there is none."""
    first = next((index for index in range(len(tokens)) if _is_finite(tokens, index)), -1)
    if first < 0:
        first = _participle_at(tokens)
    if first < 0:
        return -1, -1
    main = first
    if _is_auxiliary(tokens[first].low):
        for index in range(first + 1, min(len(tokens), first + 7)):
            low = tokens[index].low
            reading = reading_of(low)
            if reading is not None and not _is_auxiliary(low):
                return first, index if _may_follow(tokens[index - 1].low, reading, low) else main
            if reading is not None and _is_auxiliary(low):
                main = index
            elif not (low in ADVERBS or low in NOT or low in ("to", "going", "be", "been") or low.endswith("ly")):
                break
    return first, main


def _may_follow(previous: str, reading: tuple[str, Form], low: str) -> bool:
    """Tell whether a verb goes with the auxiliary before it: `has booked`, not `has invoice`."""
    auxiliary = verb_of(CONTRACTED.get(previous, previous))
    if low in ("missing", "outstanding", "pending"):
        return False
    if auxiliary is None or auxiliary[0] not in ("be", "have", "get") or reading[0] in SAME_PARTICIPLE:
        return True
    return reading[1] in ("ed", "ing") if auxiliary[0] == "be" else reading[1] == "ed"


def _is_auxiliary(low: str) -> bool:
    reading = verb_of(CONTRACTED.get(low, low))
    return (
        low in MODALS or (reading is not None and reading[0] in ("be", "have", "do")) or low in ("gets", "got", "get")
    )


def reading_of(low: str) -> tuple[str, Form] | None:
    """Return the verb and its form, also of a verb that is not known but ends as one in the past."""
    low = CONTRACTED.get(low, low)
    if low.endswith("'s"):
        return "be", "s"
    known = verb_of(low)
    if known is None and low in MODALS:
        return low, "base"
    if known is None and len(low) > 4 and low.endswith("ed"):
        return low, "ed"
    return known


def _is_finite(tokens: list[Token], index: int) -> bool:
    low = tokens[index].low
    reading = reading_of(low)
    if reading is None:
        return (
            len(low) > 3
            and low.endswith("s")
            and not low.endswith("ss")
            and ((index == 0 and _takes_object(tokens, 1)) or _takes_particle(tokens, index + 1))
        )
    previous = tokens[index - 1].low if index else ""
    following = tokens[index + 1].low if index + 1 < len(tokens) else ""
    verb, form = reading
    if low.endswith("'s") and low not in CONTRACTED:
        return following.endswith("ly") or following in _AFTER_IS
    if low in MODALS or (verb in _BE_HAVE and form in ("s", "ed")):
        return previous not in ("a", "the") and form != "ing"
    if _only_adverbs(tokens, index):
        if form == "s":
            noun = not _takes_object(tokens, index + 1) and _another_finite(tokens, index)
            return not _is_auxiliary(following) and not noun
        return form == "base" and not _another_finite(tokens, index)
    if previous in BEFORE_NOUN or previous == "to" or tokens[index].text[:1].isupper():
        return False
    if form == "s":
        pronoun = "'s" in following
        return (pronoun or not _is_auxiliary(following)) and not (
            following and _is_plain_verb(following) and verb != "say"
        )
    plural = _is_plural(previous) or (
        index > 1 and previous.endswith("s") and "'" not in previous and tokens[index - 2].low in BEFORE_NOUN
    )
    if form != "base" or not (previous in _PLURAL_SUBJECTS or plural):
        return False
    return verb not in _NOUNS_TOO or _takes_object(tokens, index + 1)


_NOUNS_TOO = words("order check search record request report call name address text list")


def _is_plural(low: str) -> bool:
    reading = verb_of(low)
    return (
        len(low) > 3
        and low.endswith("s")
        and not low.endswith(("ss", "us", "is", "'s"))
        and (reading is None or reading[1] != "s")
    )


def _is_plain_verb(low: str) -> bool:
    reading = verb_of(low)
    return reading is not None and reading[1] == "base" and low not in BEFORE_NOUN


def _takes_object(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].low in (
        "the", "a", "an", "it", "them", "her", "him", "his", "their", "that", "this", "those", "for", "to", "up", "out",
    )  # fmt: skip


def _takes_particle(tokens: list[Token], index: int) -> bool:
    """Tell whether a particle and an object follow, as after a verb: `draws up the plan`."""
    if index + 1 >= len(tokens) or tokens[index].low not in ("up", "out", "off", "down", "over", "away", "back"):
        return False
    return tokens[index + 1].low in ("the", "a", "an", "his", "her", "their", "it", "them", "that")


def _only_adverbs(tokens: list[Token], index: int) -> bool:
    return all(token.low in ADVERBS or token.low.endswith("ly") for token in tokens[:index])


def _another_finite(tokens: list[Token], index: int) -> bool:
    """Tell whether the verb comes later, so that what looks like one here is a noun: `Order 5 was cancelled`."""
    for later in range(index + 1, min(len(tokens), index + 12)):
        low, previous = tokens[later].low, tokens[later - 1].low
        if previous == "to":
            continue
        reading = reading_of(low)
        if reading is None or previous in BEFORE_NOUN:
            if low in MODALS:
                return True
            continue
        if low in MODALS or (reading[0] in _BE_HAVE and reading[1] in ("s", "ed")):
            return True
        if (reading[1] == "s" and tokens[index].low != low and reading[0] in ("be", "have")) or (
            reading[1] == "s" and tokens[index].low != low and reading[0] not in ("order", "name", "note", "text")
        ):
            nominal = reading_of(tokens[index].low)
            return nominal is not None and nominal[1] == "base"
    return False


def _participle_at(tokens: list[Token]) -> int:
    """Return where a participle stands; one at the start may be an adjective: `standing order bounced`."""
    found = [index for index in range(len(tokens)) if _is_participle(tokens, index)]
    if (
        len(found) > 1
        and found[0] == 0
        and tokens[0].low not in ("having", "being")
        and not _takes_object(tokens, 1)
        and (reading_of(tokens[found[1]].low) or ("", ""))[1] == "ed"
    ):
        return found[1]
    return found[0] if found else -1


def _is_participle(tokens: list[Token], index: int) -> bool:
    reading = reading_of(tokens[index].low)
    if reading is None or reading[1] not in ("ed", "ing"):
        return False
    return index == 0 or tokens[index - 1].low not in BEFORE_NOUN
