"""Word stems by Porter's algorithm, with the deviations that NLTK makes by default.

Source: M. F. Porter, "An algorithm for suffix stripping" (1980); `nltk.stem.PorterStemmer` in its mode NLTK_EXTENSIONS,
whose results ADK's ROUGE depends on. Importing that takes 0.7 s and 55 MB, since all of NLTK comes with it.
"""

from collections.abc import Mapping
from functools import lru_cache

_IRREGULAR = {
    "sky": "sky", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news",
    "innings": "inning", "inning": "inning", "outings": "outing", "outing": "outing",
    "cannings": "canning", "canning": "canning",
    "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}  # fmt: skip

_KINDS = str.maketrans({char: "v" if char in "aeiou" else "c" for char in "abcdefghijklmnopqrstuvwxz0123456789"})

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble",
    "fulli": "ful",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = dict.fromkeys(
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
     "ous", "ive", "ize"), "",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a word of at least three small letters and digits of ASCII."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    word = _without_past(_without_plural(word))
    if len(word) > 2 and word[-1] == "y" and _shape(word[:-1])[-1] == "c":
        word = word[:-1] + "i"
    word = _step_2(word)
    word = _replaced(word, _STEP_3, above=0)
    word = _replaced(word, _STEP_4, above=1)
    return _tidied(word)


def _shape(part: str) -> str:
    """Return a part of a word as `c` and `v`: a y is a vowel behind a consonant, and a digit is a consonant."""
    shape = part.translate(_KINDS)
    if "y" not in shape:
        return shape
    kinds: list[str] = []
    for kind in shape:
        kinds.append(kind if kind != "y" else ("v" if kinds and kinds[-1] == "c" else "c"))
    return "".join(kinds)


def _measure(part: str) -> int:
    """Return how often vowels are followed by consonants."""
    return _shape(part).count("vc")


def _short_end(part: str) -> bool:
    """Tell whether a part ends in consonant, vowel and consonant (not w, x or y), or is a vowel and a consonant."""
    shape = _shape(part)
    return shape == "vc" or (shape.endswith("cvc") and part[-1] not in "wxy")


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_past(word: str) -> str:
    """Return a word without -ed and -ing."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        part = word.removesuffix(suffix)
        if part != word and "v" in _shape(part):
            return _mended(part)
    return word


def _mended(part: str) -> str:
    """Return what -ed or -ing was taken from as a word again: conflat(ed) is conflate, hopp(ing) hop, fil(ing) file."""
    if part.endswith(("at", "bl", "iz")):
        return part + "e"
    if len(part) > 1 and part[-1] == part[-2] and _shape(part)[-1] == "c":
        return part if part[-1] in "lsz" else part[:-1]
    return part + "e" if _measure(part) == 1 and _short_end(part) else part


def _step_2(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _step_2(word[:-2])
    if word.endswith("logi"):  # the l counts as part of the stem, so that geologi is like archaeologi
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, _STEP_2, above=0)


def _replaced(word: str, table: Mapping[str, str], *, above: int) -> str:
    """Return a word with its longest suffix of the table replaced, when the measure of the rest is above that."""
    for length in range(min(7, len(word)), 1, -1):
        suffix = word[-length:]
        if suffix in table:
            part = word[:-length]
            fits = _measure(part) > above and (suffix != "ion" or part[-1] in "st")
            return part + table[suffix] if fits else word
    return word


def _tidied(word: str) -> str:
    """Return a word without a last e, and with one l for two, when it is long enough."""
    if word.endswith("e"):
        part = word[:-1]
        measure = _measure(part)
        if measure > 1 or (measure == 1 and not _short_end(part)):
            word = part
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
