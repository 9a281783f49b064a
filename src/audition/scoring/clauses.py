"""Clauses: the parts that criteria are split into, and what a judge says of one; both are read from plain data.

Whoever answers is not believed more than it shows: a split must hold every word of the criteria, and an answer must be
complete and of one mind.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from audition.evals import Data
from audition.text import fold

ClauseType = Literal["coverage", "tool_use", "tool_outcome", "style", "forbidden"]
"""What a clause is about: what is said, what is done with tools, what a tool returns or is true outside the
conversation, how it is said, and what must not be said or done."""

Status = Literal["met", "unmet", "void", "unsure"]
"""What became of a clause; `void`: nobody can be held to it, since a tool's real result says otherwise."""

MAX_CLAUSES = 20
MAX_EVIDENCE = 20
"""How many clauses criteria may have, and how many quotes an answer: more is no reading of them."""

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\w+")
_MAY_GO = frozenset(["and", "also", "but", "both", "und", "et", "y", "e", "и"])
"""Words that only join clauses. Not `or`: what is split there would have to hold twice."""

_MAY_COME = frozenset(["the", "a", "an", "agent", "response", "reply", "it", "is"]) | _MAY_GO
_EITHER = re.compile(r"\W*(?:or|oder|ou)\b.*|.*\b(?:or|oder|ou)\W*", re.DOTALL)
_PLACEHOLDER = re.compile(r"\s*(?:<[^<>]*>|\.\.\.|…|string)?\s*", re.IGNORECASE)
_SAYS_MET = re.compile(
    r"\b(?:clause|criterion|requirement|condition|this|it) (?:is|was|has been) "
    r"(?:(?:clearly|fully|therefore|thus|also|indeed) )?(not |un)?(?:met|satisfied|fulfilled)\b"
)


class Unusable(Exception):
    """Why an answer is none, as a text that fits behind a colon."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One thing that criteria ask for, in their words."""

    text: str
    type: ClauseType


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words that are said to stand in a source. `source` is its label, as R1 or T2, in capitals."""

    source: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseAnswer:
    """What a judge says of a clause, evidence first.

    `call` says whether the tool call that decides was the right one, with arguments from the scenario; `faithful`,
    whether the replies say what the tools returned. Both are None when the judge says that they do not matter.
    """

    evidence: tuple[Quote, ...]
    reasoning: str
    call: Literal["right", "wrong"] | None
    faithful: bool | None
    status: Status


def read_clauses(answer: Data, criteria: str) -> tuple[Clause, ...]:
    """Return the clauses that an answer splits criteria into: at least one, and together all that is asked.

    Raises: Unusable for a split that leaves out a word, adds one, or takes alternatives apart.
    """
    given = answer.get("clauses")
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise Unusable("it has no list of 'clauses'")
    if len(given) > MAX_CLAUSES:
        raise Unusable(f"it has {len(given)} clauses, more than {MAX_CLAUSES}")
    clauses = tuple(map(_clause, given))
    if len({fold(clause.text) for clause in clauses}) != len(clauses):
        raise Unusable("it has the same clause twice")
    _same_words(clauses, criteria)
    return clauses


def read_clause_answer(answer: Data) -> ClauseAnswer:
    """Return what an answer says of a clause.

    Raises: Unusable for one that is incomplete, of another shape, or that contradicts itself.
    """
    evidence = answer.get("evidence")
    if not isinstance(evidence, Sequence) or isinstance(evidence, str):
        raise Unusable("it has no list of 'evidence'")
    if len(evidence) > MAX_EVIDENCE:
        raise Unusable(f"it has {len(evidence)} quotes, more than {MAX_EVIDENCE}")
    quotes = tuple(map(_quote, evidence))
    reasoning = _text(answer, "reasoning")
    call = _word(answer, "call", {"right": "right", "wrong": "wrong", "none": None})
    faithful = _word(answer, "faithful", {"yes": True, "no": False, "none": None})
    status: Status = _word(answer, "status", {word: word for word in get_args(Status)})
    if (said := _said(reasoning)) is not None and status in ("met", "unmet") and said != status:
        raise Unusable(f"its reasoning says that the clause is {said}, and its status is {status!r}")
    return ClauseAnswer(evidence=quotes, reasoning=reasoning, call=call, faithful=faithful, status=status)


def _clause(given: object) -> Clause:
    if not isinstance(given, Mapping):
        raise Unusable("a clause is not an object")
    text = _text(given, "text")
    if _EITHER.fullmatch(fold(text)):
        raise Unusable(f"the clause {text[:40]!r} is one of several alternatives; keep those in one clause")
    return Clause(text=text, type=_word(given, "type", {word: word for word in get_args(ClauseType)}))


def _quote(given: object) -> Quote:
    if not isinstance(given, Mapping):
        raise Unusable("a piece of evidence is not an object")
    source, text = given.get("source"), given.get("quote")
    if not isinstance(source, str) or not source.strip():
        raise Unusable("a piece of evidence has no 'source'")
    if not isinstance(text, str) or not text.strip():
        raise Unusable("a piece of evidence has no 'quote'")
    return Quote(source=source.strip().upper(), text=text)


def _text(given: Data, key: str) -> str:
    value = given.get(key)
    if not isinstance(value, str) or _PLACEHOLDER.fullmatch(value):
        raise Unusable(f"its {key!r} is no text" if key in given else f"it has no {key!r}")
    return value.strip()


def _word(given: Data, key: str, meanings: Mapping[str, Any]) -> Any:
    """Return what the word under a key means; a word of another kind means nothing."""
    if key not in given:
        raise Unusable(f"it has no {key!r}")
    value = given[key]
    word = value.strip().lower() if isinstance(value, str) else ""
    if word not in meanings:
        raise Unusable(f"its {key!r} is {str(value)[:20]!r}, which is none of {', '.join(meanings)}")
    return meanings[word]


def _same_words(clauses: Sequence[Clause], criteria: str) -> None:
    """Refuse clauses that do not hold, together, the words of the criteria and no others."""
    asked = Counter(_WORD.findall(fold(criteria)))
    split = Counter(word for clause in clauses for word in _WORD.findall(fold(clause.text)))
    for word, times in asked.items():
        if word not in _MAY_GO and split[word] < times:
            raise Unusable(f"its clauses leave out {word!r}")
    for word in split:
        if word not in asked and word not in _MAY_COME:
            raise Unusable(f"its clauses hold {word!r}, which the criteria do not")


def _said(reasoning: str) -> Status | None:
    """Return what a reasoning says of the clause last, None when it says nothing plain."""
    found = list(_SAYS_MET.finditer(fold(reasoning)))
    if not found:
        return None
    return "unmet" if found[-1][1] else "met"
