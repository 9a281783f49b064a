"""What a lint rule is shown, and what it says of it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from audition.scoring.lint._english import words

Severity = Literal["error", "warning"]
"""`error`: no response can meet the text, or it contradicts itself. `warning`: what it measures is in doubt."""

_SAME_LENGTH = str.maketrans(
    dict.fromkeys("\u2018\u2019\u02bc", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"')
    | dict.fromkeys("\u00a0\u2009\u202f\t\r", " ")
)
_WITHIN_A_SENTENCE = re.compile(r"\n(?=[a-z(\"'])")
_WORD = re.compile(r"[^\W\d_]{1,30}")
_ENGLISH = words(
    "the a an to of and or that does not with for its it is are in on by from before after then says states asks "
    "gives names explains mentions offers agent response reply answer user customer caller must should never if "
    "when"
)
_OTHERS = words(
    "der die das und ein eine nicht ist den dem zu mit le la les des du et une est pas qui que el los las y un "
    "una no se con por para il di che non e o os do da dos um uma het een en van niet och att som det inte på "
    "jest nie w na si"
)
"""Small words of other languages in Latin script; those that English has too say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LintFinding:
    """One thing wrong with a text: `start` and `end` are offsets in it, `rewrite` is a better text or None."""

    code: str
    severity: Severity
    start: int
    end: int
    message: str
    rewrite: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """A text that a judge is asked about, with what the rules may hold it against.

    `plain` is the text with plain quotes and spaces, of the same length. `english`: it is English, as far as one sees;
    rules that know only English words say nothing otherwise. `scenario` is all that the user or the case gives, `tools`
    are the names of all tools the agent has; None: not known. `canned`: the case says itself what tools return.
    `conversation`: the text is about a whole conversation, not about one reply.
    """

    text: str
    plain: str
    english: bool
    scenario: str | None = None
    tools: frozenset[str] | None = None
    canned: bool = False
    conversation: bool = False

    def finding(
        self, code: str, severity: Severity, span: tuple[int, int], message: str, rewrite: str | None = None
    ) -> LintFinding:
        """Return a finding about a part of the text."""
        start, end = span
        return LintFinding(code=code, severity=severity, start=start, end=end, message=message, rewrite=rewrite)


def criterion(
    text: str,
    *,
    scenario: str | None = None,
    tools: Iterable[str] | None = None,
    canned: bool = False,
    conversation: bool = False,
) -> Criterion:
    """Return a text as the rules read it."""
    return Criterion(
        text=text,
        plain=plain(text),
        english=_is_english(text),
        scenario=None if scenario is None else plain(scenario),
        tools=None if tools is None else frozenset(tools),
        canned=canned,
        conversation=conversation,
    )


def plain(text: str) -> str:
    """Return text of the same length with plain quotes and spaces; a line break within a sentence is a space."""
    return _WITHIN_A_SENTENCE.sub(" ", text.translate(_SAME_LENGTH))


def _is_english(text: str) -> bool:
    """Tell whether a text is English: mostly ASCII letters, and not more small words of others than of English."""
    found = [word.lower() for word in _WORD.findall(text)]
    foreign = sum(not word.isascii() for word in found)
    english = sum(word in _ENGLISH for word in found)
    others = sum(word in _OTHERS and word not in _ENGLISH for word in found)
    return 4 * foreign <= len(found) and english >= others
