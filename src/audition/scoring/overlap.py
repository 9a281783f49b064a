"""Word overlap of two texts: ROUGE-1, with the words that ADK makes of a text.

Source: C.-Y. Lin, "ROUGE" (2004); google-adk 2.13, response_match_score.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from audition.scoring._porter import stem
from audition.text import fold

_STEMMED_FROM = 4
"""Shorter words are taken as they are."""

_SINGLE = ((0x4E00, 0x9FFF), (0x3040, 0x30FF), (0xAC00, 0xD7AF))
"""Chinese characters, kana and Hangul: each is a word."""

_UNSPACED = ((0x0E00, 0x0EFF), (0x1780, 0x17FF), (0x1000, 0x109F))
"""Thai, Lao, Khmer and Myanmar: each character begins a word, and marks belong to what they stand behind."""

_ASCII_WORD = re.compile("[a-z0-9]+")

_NUMBER = "[\\d〇零一二三四五六七八九十百千万億亿][\\d.,〇零一二三四五六七八九十百千万億亿]*"
_SPOKEN = r"[^\W_]+(?:'t\b)?"
_NEGATIONS = frozenset({
    "not", "no", "never", "none", "nothing", "nobody", "cannot", "without", "nicht", "kein", "keine", "keinen",
    "keinem", "keiner", "nie", "ohne", "pas", "jamais", "sans", "non", "mai", "senza", "nunca", "sin", "não", "nao",
    "sem", "не", "нет", "нельзя", "никогда", "без", "δεν", "μην", "لا", "لم", "لن", "ليس", "غير",
})  # fmt: skip
_NEGATION_PARTS = "नहीं|不|没|沒|無|无|未|ない|ません|なし|않|못|없|아니|ไม่"
"""Negations of scripts that are written without spaces, or with marks."""


class _Spacing(dict[int, str]):
    """What becomes of a character (by its code) before a text is split: spaces part words. Filled when asked."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        mark = unicodedata.category(char).startswith("M")
        if _within(code, _SINGLE):
            spaced = f" {char} "
        elif _within(code, _UNSPACED):
            spaced = char if mark else f" {char}"
        else:
            spaced = char if mark or char.isalnum() else " "
        self[code] = spaced
        return spaced


_SPACING = _Spacing()


def rouge_1(reference: str, answer: str) -> float:
    """Return the F-measure of the words two texts share, 0 to 1: 0 when either has none, whatever their order.

    rouge_1("the light is on", "the light is off")      # 0.75
    """
    return shared(words(reference), words(answer))


def shared(wanted: Sequence[str], said: Sequence[str]) -> float:
    """Return the F-measure of two lists of words."""
    left = Counter(said)
    found = 0
    for word in wanted:
        if left.get(word):
            left[word] -= 1
            found += 1
    if not found:
        return 0.0
    precision, recall = found / len(said), found / len(wanted)
    return 2 * precision * recall / (precision + recall)


def words(text: str) -> list[str]:
    """Return the words of a text in lower case: those of ASCII as stems, all others as they are (NFKC)."""
    if text.isascii():
        return [word if len(word) < _STEMMED_FROM else stem(word) for word in _ASCII_WORD.findall(text.lower())]
    parted = unicodedata.normalize("NFKC", text).lower().translate(_SPACING).split()
    return [stem(word) if len(word) >= _STEMMED_FROM and word.isascii() else word for word in parted]


def told_apart(reference: str, answer: str) -> str | None:
    """Return what may turn the meaning of a text and hardly shows in the overlap: numbers and negations; else None."""
    parts = []
    wanted, said = _numbers(reference), _numbers(answer)
    if wanted != said:
        parts.append(f"numbers expected: {_listed(wanted - said)}, said: {_listed(said - wanted)}")
    wanted, said = _negations(reference), _negations(answer)
    if wanted.total() != said.total():
        parts.append(f"negations expected: {_listed(wanted)}, said: {_listed(said)}")
    return ", ".join(parts) or None


def _within(code: int, ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= code <= last for first, last in ranges)


def _numbers(text: str) -> Counter[str]:
    found = re.findall(_NUMBER, unicodedata.normalize("NFKC", text))
    return Counter(number.rstrip(".,").replace(",", "") for number in found)


def _negations(text: str) -> Counter[str]:
    folded = fold(text)
    found = [word for word in re.findall(_SPOKEN, folded) if word in _NEGATIONS or word.endswith("'t")]
    return Counter(found if text.isascii() else found + re.findall(_NEGATION_PARTS, folded))


def _listed(found: Counter[str]) -> str:
    return " ".join(found) or "none"
