"""A shallow analysis of English: the clauses of a sentence, and who does what in each.

It knows no grammar beyond what the lint rules ask: where a clause begins and which word opens it, its verb with voice,
tense, modality and negation, and what stands before and after the verb.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from audition.scoring.lint._english import words
from audition.scoring.lint._verbs import Form, verb_of

_TOKEN = re.compile(
    r"\"[^\"\n]{1,300}\"|[\w.+-]{1,64}@[\w.-]{1,80}\w|[#$]?\d[\w:,./-]{0,40}\w|[^\W_][\w'-]{0,40}|[-=]>|\S", re.IGNORECASE
)
_SENTENCE_END = frozenset(".!?;\n")
_LEADS = words(
    "and but or nor then so because since as if when whenever once after before until till unless while whereas where "
    "which who whom whose whether what how why that whereupon hence therefore thus otherwise whatever whichever"
)
_MARKS = frozenset(",:()-\u2013\u2014+/&") | {"->", "=>", "\u2192"}
_MODALS = words("must should shall can could may might will would cannot can't won't ought needs need has have 'll")
_OBLIGES = words("must should shall ought needs need has have")
_NOT = words("not never n't don't doesn't didn't isn't aren't wasn't weren't hasn't haven't hadn't cannot can't won't "
             "shouldn't mustn't couldn't wouldn't no-one nobody")  # fmt: skip
_BEFORE_NOUN = words(
    "the a an this these those its his her their our your my of in on at for with from by under into onto no any each "
    "every all both some another such about per via two three four five six seven eight nine ten missing same exact"
)
_ADVERBS = words("last recently also only then now still already just first simply always even both again politely clearly "
                 "ever never yet long please either automatically immediately instead afterwards finally next")  # fmt: skip
_CONTRACTED = {"isn't": "is", "aren't": "are", "wasn't": "was", "weren't": "were", "hasn't": "has", "haven't": "have",
               "doesn't": "does", "don't": "do", "didn't": "did", "hadn't": "had", "there's": "is", "it's": "is",
               "that's": "is", "she's": "is", "he's": "is", "who's": "is"}  # fmt: skip
_SAME_PARTICIPLE = words("run put set read cut let shut hit cost come become input")
_AFTER_IS = words("not been out gone still already now on down full sold no over up")
_IS = words("is are was were be been being gets get got")
_PREPOSITIONS = words("upon on after with by at in for following given from based using through under without")
_DETERMINERS = words("the a an this that these those his her their its")
_OR_ELSE = words("more fewer less so later two three four better earlier")
_BE_HAVE = words("be have do")
_BEFORE_THAT = words("in on at for with from by to of about under after before all than like into using")
_ABBREVIATED = words("no nr dr mr mrs ms approx ref tel st vs incl max min prof e.g i.e")
_PLURAL_SUBJECTS = words("we i you they users customers agents")


class Token(NamedTuple):
    """A word, a number, a quotation or a mark; `low` is it in lower case."""

    text: str
    low: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A part of a sentence with at most one verb that matters.

    `leads` are the words that open it and `mark` the punctuation before it. `verb` is "" where none was found, else
    its base form; then `before` and `after` are the words around it. `modal`: the modal verb, or "". `past`: it is in
    the past or the perfect. `bare`: nothing stands before the verb.
    """

    sentence: int
    leads: tuple[str, ...]
    mark: str
    tokens: tuple[Token, ...]
    verb: str
    form: Form
    before: tuple[Token, ...]
    after: tuple[Token, ...]
    passive: bool
    past: bool
    perfect: bool
    modal: str
    negated: bool

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.tokens[-1].end

    @property
    def verb_end(self) -> int:
        """Where its verb ends in the text."""
        return self.after[0].start if self.after else self.end

    @property
    def bare(self) -> bool:
        """Whether its verb has no subject of its own."""
        said = [token.low for token in self.before if token.low not in _ADVERBS and not token.low.endswith("ly")]
        if said and said[0] in _PREPOSITIONS:
            return sum(word in _DETERMINERS for word in said) <= 1
        return not said

    @property
    def obliged(self) -> bool:
        """Whether it is stated or demanded, rather than allowed or foretold."""
        return not self.modal or self.modal in _OBLIGES

    def words(self) -> list[str]:
        """Return its words in lower case."""
        return [token.low for token in self.tokens]


def tokens_of(text: str) -> list[Token]:
    """Return the words, numbers, quotations and marks of a text."""
    return [Token(found[0], _low(found), found.start(), found.end()) for found in _TOKEN.finditer(text)]


def _low(found: re.Match[str]) -> str:
    return "may_" if found[0] == "May" and found.start() else found[0].lower()


def clauses(text: str) -> list[Clause]:
    """Return the clauses of a text, in its order; what is said without a `that` is a clause of its own as well."""
    return [part for parts in _parts(text) for part in _with_reported(_analysed(*parts))]


def _with_reported(clause: Clause) -> tuple[Clause, ...]:
    """Return a clause, or two when what it says follows without a word between: says the parcel is lost."""
    if clause.verb not in _REPORTING:
        return (clause,)
    for index, token in enumerate(clause.after[:3]):
        if token.low not in _SUBJECTS or (index == 0 and clause.verb in ("tell", "inform", "give", "show")):
            continue
        rest = list(clause.after[index:])
        first, _main = _verb_at(rest, ())
        if rest[0].low == "there's" or (first > 0 and _tells(rest[first].low)):
            told = clause.tokens[: len(clause.tokens) - len(rest)]
            return _analysed(clause.sentence, clause.leads, clause.mark, list(told)), _analysed(
                clause.sentence, ("that",), "", rest
            )
        break
    return (clause,)


def _tells(low: str) -> bool:
    """Tell whether a verb makes a statement; a past that may be a participle does not."""
    verb, form = _reading(low) or ("", "base")
    return form == "s" or verb == "be" or low == "had" or (form == "ed" and verb in _HAPPENS)


_HAPPENS = words("happen lapse arrive bounce expire fail go leave come end start ship run break fall rise become get clear")
_REPORTING = words("say tell explain confirm mention inform state admit report reply answer")
_SUBJECTS = words("the her his their its it there there's no she he they this that one")


def _parts(text: str) -> Iterator[tuple[int, tuple[str, ...], str, list[Token]]]:
    """Yield sentence number, leads, mark and tokens of each clause."""
    tokens = tokens_of(text)
    sentence, leads, mark, held = 0, list[str](), "", list[Token]()
    for index, token in enumerate(tokens):
        short = token.low == "." and index > 0 and tokens[index - 1].low in _ABBREVIATED and index + 1 < len(tokens)
        ends = (token.low in _SENTENCE_END and not short) or (index > 0 and "\n" in text[tokens[index - 1].end : token.start])
        divides = token.low in _MARKS
        if not (ends or divides or _leads(tokens, index, held)):
            held.append(token)
            continue
        if held:
            yield sentence, tuple(leads), mark, held
            leads, mark, held = [], "", []
        if token.low in _SENTENCE_END or divides:
            mark = token.low
            leads = leads if leads[-2:] == ["if", "so"] else []
        elif ends:
            held = [token]
        else:
            leads.append(token.low)
        if ends:
            sentence, leads = sentence + 1, leads if not held and token.low in _LEADS else []
    if held:
        yield sentence, tuple(leads), mark, held


def _leads(tokens: list[Token], index: int, held: list[Token]) -> bool:
    """Tell whether a word opens a clause here."""
    low = tokens[index].low
    if low in ("given", "considering", "seeing") and index == 0:
        return True
    if low not in _LEADS:
        return False
    if low == "or" and index + 1 < len(tokens) and tokens[index + 1].low in _OR_ELSE:
        return False
    if low == "so" and index + 1 < len(tokens) and tokens[index + 1].low in ("far", "long", "much"):
        return False
    if low == "that":
        following = tokens[index + 1].low if index + 1 < len(tokens) else "."
        return following not in _SENTENCE_END | _MARKS | _LEADS and (not held or held[-1].low not in _BEFORE_THAT)
    if low == "as":
        return not held or held[-1].low in ("just", "exactly")
    return True


def _analysed(sentence: int, leads: tuple[str, ...], mark: str, tokens: list[Token]) -> Clause:
    first, main = _verb_at(tokens, leads)
    group = [token.low for token in tokens[first : main + 1]] if first >= 0 else []
    auxiliaries = [_CONTRACTED.get(word, word) for word in group[:-1]]
    verb, form = (_reading(tokens[main].low) or ("", "base")) if first >= 0 else ("", "base")
    if form == "base" and verb in _SAME_PARTICIPLE and auxiliaries and auxiliaries[-1] in _IS:
        form = "ed"
    being = any((verb_of(word) or ("",))[0] in ("be", "get") for word in auxiliaries)
    having = any(word in ("has", "have", "had", "having", "'ve") for word in auxiliaries)
    passive = form == "ed" and verb != "be" and being
    perfect = form == "ed" and having
    lone_past = form == "ed" and not auxiliaries
    return Clause(
        sentence=sentence, leads=leads, mark=mark, tokens=tuple(tokens), verb=verb, form=form,
        before=tuple(tokens[: first + (main == first and tokens[first].low.endswith("'s") and tokens[first].low not in _CONTRACTED)]) if first >= 0 else (), after=tuple(tokens[main + 1 :]) if first >= 0 else tuple(tokens),
        passive=passive, past=perfect or lone_past or any(word in ("was", "were", "had", "got") for word in [*auxiliaries, *group[-1:]]),
        perfect=perfect, modal=_modal(group, form), negated=any(word in _NOT or word == "avoids" for word in group),
    )  # fmt: skip


def _modal(group: list[str], form: Form) -> str:
    for index, word in enumerate(group[:-1]):
        if word in _MODALS and (word not in ("has", "have", "needs", "need") or group[index + 1 : index + 2] == ["to"]):
            return word
    return "should" if group[:1] in (["is"], ["are"]) and "to" in group and form == "base" else ""


def _verb_at(tokens: list[Token], leads: tuple[str, ...]) -> tuple[int, int]:
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
            reading = _reading(low)
            if reading is not None and not _is_auxiliary(low):
                return first, index if _may_follow(tokens[index - 1].low, reading, low) else main
            if reading is not None and _is_auxiliary(low):
                main = index
            elif not (low in _ADVERBS or low in _NOT or low in ("to", "going", "be", "been") or low.endswith("ly")):
                break
    return first, main


def _may_follow(previous: str, reading: tuple[str, Form], low: str) -> bool:
    """Tell whether a verb goes with the auxiliary before it: `has booked`, not `has invoice`."""
    auxiliary = verb_of(_CONTRACTED.get(previous, previous))
    if auxiliary is None or auxiliary[0] not in ("be", "have", "get") or reading[0] in _SAME_PARTICIPLE:
        return True
    return reading[1] in ("ed", "ing") if auxiliary[0] == "be" else reading[1] == "ed"


def _is_auxiliary(low: str) -> bool:
    reading = verb_of(_CONTRACTED.get(low, low))
    return low in _MODALS or (reading is not None and reading[0] in ("be", "have", "do")) or low in (
        "gets", "got", "get"
    )


def _reading(low: str) -> tuple[str, Form] | None:
    """Return the verb and its form, also of a verb that is not known but ends as one in the past."""
    low = _CONTRACTED.get(low, low)
    known = ("be", "s") if low.endswith("'s") else verb_of(low)
    if known is None and low in _MODALS:
        return low, "base"
    if known is None and len(low) > 4 and low.endswith("ed"):
        return low, "ed"
    return known


def _is_finite(tokens: list[Token], index: int) -> bool:
    low = tokens[index].low
    reading = _reading(low)
    if reading is None:
        return len(low) > 3 and low.endswith("s") and not low.endswith("ss") and (
            (index == 0 and _takes_object(tokens, 1)) or _takes_particle(tokens, index + 1)
        )
    previous = tokens[index - 1].low if index else ""
    following = tokens[index + 1].low if index + 1 < len(tokens) else ""
    verb, form = reading
    if low.endswith("'s") and low not in _CONTRACTED:
        return following.endswith("ly") or following in _AFTER_IS
    if low in _MODALS or verb in _BE_HAVE and form in ("s", "ed"):
        return previous not in ("a", "the") and form != "ing"
    if _only_adverbs(tokens, index):
        if form == "s":
            noun = not _takes_object(tokens, index + 1) and _another_finite(tokens, index)
            return not _is_auxiliary(following) and not noun
        return form == "base" and not _another_finite(tokens, index)
    if previous in _BEFORE_NOUN or previous == "to" or tokens[index].text[:1].isupper():
        return False
    if form == "s":
        pronoun = "'s" in following
        return (pronoun or not _is_auxiliary(following)) and not (following and _is_plain_verb(following))
    plural = _is_plural(previous) or (index > 1 and previous.endswith("s") and "'" not in previous and tokens[index - 2].low in _BEFORE_NOUN)
    return form == "base" and (previous in _PLURAL_SUBJECTS or plural) and (
        verb not in ("order", "check", "search", "record", "request", "report", "call", "name", "address", "text", "list")
    )


def _is_plural(low: str) -> bool:
    reading = verb_of(low)
    return len(low) > 3 and low.endswith("s") and not low.endswith(("ss", "us", "is", "'s")) and (
        reading is None or reading[1] != "s"
    )


def _is_plain_verb(low: str) -> bool:
    reading = verb_of(low)
    return reading is not None and reading[1] == "base" and low not in _BEFORE_NOUN


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
    return all(token.low in _ADVERBS or token.low.endswith("ly") for token in tokens[:index])


def _another_finite(tokens: list[Token], index: int) -> bool:
    """Tell whether the verb comes later, so that what looks like one here is a noun: `Order 5 was cancelled`."""
    for later in range(index + 1, min(len(tokens), index + 12)):
        low, previous = tokens[later].low, tokens[later - 1].low
        if previous == "to":
            continue
        reading = _reading(low)
        if reading is None or previous in _BEFORE_NOUN:
            if low in _MODALS:
                return True
            continue
        if low in _MODALS or (reading[0] in _BE_HAVE and reading[1] in ("s", "ed")):
            return True
        if reading[1] == "s" and tokens[index].low != low and reading[0] in ("be", "have") or reading[1] == "s" and tokens[index].low != low and reading[0] not in ("order", "name", "note", "text"):
            nominal = _reading(tokens[index].low)
            return nominal is not None and nominal[1] == "base"
    return False


def _participle_at(tokens: list[Token]) -> int:
    """Return where a participle stands; one at the start may be an adjective: `standing order bounced`."""
    found = [index for index in range(len(tokens)) if _is_participle(tokens, index)]
    if len(found) > 1 and found[0] == 0 and tokens[0].low not in ("having", "being") and not _takes_object(tokens, 1) and (_reading(tokens[found[1]].low) or ("", ""))[1] == "ed":
        return found[1]
    return found[0] if found else -1


def _is_participle(tokens: list[Token], index: int) -> bool:
    reading = _reading(tokens[index].low)
    if reading is None or reading[1] not in ("ed", "ing"):
        return False
    return index == 0 or tokens[index - 1].low not in _BEFORE_NOUN
