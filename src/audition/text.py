"""One way to treat text: how texts are compared, shortened, shown and fenced in, and which name was probably meant."""

import re
import unicodedata
from collections.abc import Iterable

_QUOTES = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201b": "'", "\u2032": "'", "\u02bc": "'",
        "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u201f": '"', "\u2033": '"', "\u00ab": '"', "\u00bb": '"',
        "\u00a0": " ", "\u2007": " ", "\u2009": " ", "\u200a": " ", "\u202f": " ", "\u3000": " ",
        "\u2002": " ", "\u2003": " ",
        "\u200b": None, "\u2060": None, "\ufeff": None, "\u00ad": None,
    }
)  # fmt: skip

_ROLE_MARKS = re.compile(r"<\|([^|<>]{1,40})\|>|\[(/?INST)\]|<(</?SYS>)>|<((?:start|end)_of_turn)>", re.IGNORECASE)
"""Marks by which chat templates tell who speaks; some servers obey them inside a message too."""

_REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_REASONING_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)

_CREDENTIAL = re.compile(
    r"aud_[st]_[\w-]{8,}|(?<=[Bb]earer )[^\s\"',;]{6,}|(?<=[Bb]asic )[\w+/=]{6,}|(?<=://)[^\s/?#@]+(?=@)"
)
_NAMED = re.compile(
    r"""((?:authorization|api[-_]?key|password|secret|token|cookie)["']?\s*[:=]\s*["']?)([^\s"'&,;}]{3,})""",
    re.IGNORECASE,
)
"""A word that says that a secret follows, and the secret."""

_LONGEST_NAME = 100
"""Comparing takes time that grows with the square of the length, and a near miss this long is no slip of the pen."""


def fold(text: str) -> str:
    """Return text in the form in which texts are compared: NFC, case folded, plain quotes and spaces.

    Curly quotes become straight, no-break and thin spaces become spaces, zero-width marks and soft hyphens go.
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold().translate(_QUOTES))


def settle_form(text: str) -> str:
    """Return text in NFC, with case, quotes and spaces as they are: how case-sensitive comparisons read it."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def shorten(text: str, limit: int = 200) -> str:
    """Return text cut to at most `limit` characters, an ellipsis in place of what is left out."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name most like `name`, or None when none is near or the name is longer than any of ours."""
    if len(name) > _LONGEST_NAME:
        return None
    from difflib import get_close_matches  # rarely needed, 5 ms of CPU

    folded = {candidate.lower(): candidate for candidate in known}
    found = get_close_matches(name.lower(), folded, n=1, cutoff=0.6)
    return folded[found[0]] if found else None


def printable(text: str) -> str:
    """Return text that is safe on a terminal: control characters, escapes and bidirectional marks are made visible.

    Line breaks and tabs stay. Source: cases, area report; OWASP LLM05 (output handling for terminals and logs).
    """
    if text.isprintable():
        return text
    return "".join(char if char in "\n\t" or char.isprintable() or char == " " else _visible(char) for char in text)


def fence(name: str, data: str, nonce: str) -> str:
    """Return data in a block for a language model, which it can neither end nor leave as another speaker.

    The marks of the block hold `nonce`, a random text that whoever wrote the data did not know.
    """
    mark = f"{name}-{nonce}"
    unmarked = _ROLE_MARKS.sub(lambda found: f"(mark: {next(filter(None, found.groups()))})", data)
    harmless = re.sub(re.escape(nonce), "(removed)", unmarked, flags=re.IGNORECASE)
    return f"<{mark}>\n{harmless}\n</{mark}>"


def without_reasoning(text: str) -> str:
    """Return what follows a model's reasoning; reasoning that never ends leaves nothing, one may have begun unseen."""
    return _REASONING_END.split(_REASONING.sub("", text))[-1]


def without_credentials(text: str) -> str:
    """Return a message with whatever looks like a secret by its form, or by the word before it, masked as `***`."""
    return _NAMED.sub(r"\1***", _CREDENTIAL.sub("***", text))


def _visible(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
