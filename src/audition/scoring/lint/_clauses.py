"""A shallow analysis of English: the clauses of a sentence, and who does what in each.

It knows no grammar beyond what the lint rules ask: where a clause begins and which word opens it, its verb with voice,
tense, modality and negation, and what stands before and after the verb.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from audition.scoring.lint._english import words
from audition.scoring.lint._finite import (
    ADVERBS,
    CONTRACTED,
    IS,
    MODALS,
    NOT,
    SAME_PARTICIPLE,
    Token,
    reading_of,
    tokens_of,
    verb_at,
)
from audition.scoring.lint._verbs import Form, verb_of

_SENTENCE_END = frozenset(".!?;\n")
_LEADS = words(
    "and but or nor then so because since as if when whenever once after before until till unless while whereas "
    "where which who whom whose whether what how why that whereupon hence therefore thus otherwise whatever "
    "whichever"
)
_MARKS = frozenset(",:()-\u2013\u2014+/&") | {"->", "=>", "\u2192"}
_PAST = words("was were had got")
_OBLIGES = words("must should shall ought needs need has have")
_PREPOSITIONS = words("upon on after with by at in for following given from based using through under without")
_DETERMINERS = words("the a an this that these those his her their its")
_OR_ELSE = words("more fewer less so later two three four better earlier")
_BEFORE_THAT = words("in on at for with from by to of about under after before all than like into using")
_ABBREVIATED = words("no nr dr mr mrs ms approx ref tel st vs incl max min prof e.g i.e")


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
        said = [token.low for token in self.before if token.low not in ADVERBS and not token.low.endswith("ly")]
        if said and said[0] in _PREPOSITIONS and said[:2] not in (["at", "least"], ["at", "most"]):
            return sum(word in _DETERMINERS for word in said) <= 1
        return not said

    @property
    def obliged(self) -> bool:
        """Whether it is stated or demanded, rather than allowed or foretold."""
        return not self.modal or self.modal in _OBLIGES

    def words(self) -> list[str]:
        """Return its words in lower case."""
        return [token.low for token in self.tokens]


@lru_cache(maxsize=8)  # the rules look at one text in turn
def clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a text, in its order; what is said without a `that` is a clause of its own as well."""
    return tuple(part for parts in _parts(text) for part in _with_reported(_analysed(*parts)))


def by_sentence(chain: Sequence[Clause]) -> Iterator[Sequence[Clause]]:
    """Yield the clauses of each sentence."""
    return (tuple(same) for _sentence, same in groupby(chain, key=lambda clause: clause.sentence))


def _with_reported(clause: Clause) -> tuple[Clause, ...]:
    """Return a clause, or two when what it says follows without a word between: says the parcel is lost."""
    if clause.verb not in _REPORTING:
        return (clause,)
    for index, token in enumerate(clause.after[:3]):
        numbered = index == 0 and len(clause.after) > 2 and clause.after[1].text[-1].isdigit() and token.low.isalpha()
        if (token.low not in _SUBJECTS and not numbered) or (
            index == 0 and clause.verb in ("tell", "inform", "give", "show")
        ):
            continue
        rest = list(clause.after[index:])
        first, _main = verb_at(rest)
        if rest[0].low == "there's" or (first > 0 and _tells(rest[first].low)):
            told = clause.tokens[: len(clause.tokens) - len(rest)]
            return _analysed(clause.sentence, clause.leads, clause.mark, list(told)), _analysed(
                clause.sentence, ("that",), "", rest
            )
        break
    return (clause,)


def _tells(low: str) -> bool:
    """Tell whether a verb makes a statement; a past that may be a participle does not."""
    verb, form = reading_of(low) or ("", "base")
    return form == "s" or verb == "be" or low == "had" or (form == "ed" and verb in _HAPPENS)


_HAPPENS = words(
    "happen lapse arrive bounce expire fail go leave come end start ship run break fall rise become get clear"
)
_REPORTING = words("say tell explain confirm mention inform state admit report reply answer")
_SUBJECTS = words("the her his their its it there there's no she he they this that one")


def _parts(text: str) -> Iterator[tuple[int, tuple[str, ...], str, list[Token]]]:
    """Yield sentence number, leads, mark and tokens of each clause."""
    tokens = tokens_of(text)
    sentence, leads, mark, held = 0, list[str](), "", list[Token]()
    for index, token in enumerate(tokens):
        short = token.low == "." and index > 0 and tokens[index - 1].low in _ABBREVIATED and index + 1 < len(tokens)
        ends = (token.low in _SENTENCE_END and not short) or (
            index > 0 and "\n" in text[tokens[index - 1].end : token.start]
        )
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
    first, main = verb_at(tokens)
    group = [token.low for token in tokens[first : main + 1]] if first >= 0 else []
    auxiliaries = [CONTRACTED.get(word, word) for word in group[:-1]]
    nothing: tuple[str, Form] = ("", "base")
    unknown: tuple[str, Form] = (tokens[main].low.removesuffix("s"), "s")  # it stands where a verb does
    verb, form = (reading_of(tokens[main].low) or unknown) if first >= 0 else nothing
    if form == "base" and verb in SAME_PARTICIPLE and auxiliaries and auxiliaries[-1] in IS:
        form = "ed"
    being = any((verb_of(word) or ("",))[0] in ("be", "get") for word in auxiliaries)
    having = any(word in ("has", "have", "had", "having", "'ve") for word in auxiliaries)
    passive = form == "ed" and verb != "be" and being
    perfect = form == "ed" and having
    lone_past = form == "ed" and not auxiliaries
    before = tuple(tokens[: max(first, 0)])
    if main == first >= 0 and tokens[first].low.endswith("'s") and tokens[first].low not in CONTRACTED:
        before = tuple(tokens[: first + 1])  # the parcel's lost: the noun and the verb are one word
    return Clause(
        sentence=sentence,
        leads=leads,
        mark=mark,
        tokens=tuple(tokens),
        verb=verb,
        form=form,
        before=before,
        after=tuple(tokens[main + 1 :]),
        passive=passive,
        past=perfect or lone_past or not _PAST.isdisjoint([*auxiliaries, *group[-1:]]),
        perfect=perfect,
        modal=_modal(group, form),
        negated=any(word in NOT or word == "avoids" for word in group),
    )


def _modal(group: list[str], form: Form) -> str:
    for index, word in enumerate(group[:-1]):
        if word in MODALS and (word not in ("has", "have", "needs", "need") or group[index + 1 : index + 2] == ["to"]):
            return word
    return "should" if group[:1] in (["is"], ["are"]) and "to" in group and form == "base" else ""
