"""Text that looks like a verdict or speaks to the judge, found in what an agent and its tools said.

What is found changes no verdict: people are told, so that they read that answer themselves. Source: reliability of
judges (answers that forge a verdict, a rating line, a role, or the end of the block they stand in).
"""

import re
import unicodedata
from collections.abc import Iterator

from audition.scoring._verdict_phrases import PATTERNS
from audition.scoring.rule import Inquiry, Question
from audition.text import shorten

LONGEST_SEARCHED = 60_000
"""Characters of one text that are searched: half of them at its beginning, half at its end."""

_SHOWN = 80
_WHOSE = {"agent": "an earlier answer", "tool": "a tool's result", "R": "an earlier answer", "T": "a tool's result"}

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_LOOK_ALIKES = str.maketrans(
    "аеорсухіјѕԁһӏԛԝвкмнтɡαεοριυκνχτɑ⟦⟧【】",
    "aeopcyxijsdhlqwbkmhtgaeopiukvxta[][]",
)
"""Letters of other scripts that are read as Latin ones, and brackets that are read as square."""


def verdict_like(text: str) -> str | None:
    """Return the first piece of a text that looks like a verdict or speaks to a judge; None when there is none."""
    if len(text) > LONGEST_SEARCHED:
        half = LONGEST_SEARCHED // 2
        text = f"{text[:half]}\n{text[-half:]}"
    for view in _views(text):
        for pattern in PATTERNS:
            if found := pattern.search(view):
                return shorten(" ".join(found[0].split()), _SHOWN)
    return None


def remark(asked: Question | Inquiry) -> str | None:
    """Return what people are to be told of the answer that a judge is shown; None when there is nothing."""
    for text, whose in _shown_to_the_judge(asked).items():
        if (found := verdict_like(text)) is not None:
            return f"{whose} contains verdict-like text: {found!r}"
    return None


def _shown_to_the_judge(asked: Question | Inquiry) -> dict[str, str]:
    """Return each text that the agent or its tools wrote, once, and whose it is."""
    questions = asked.questions if isinstance(asked, Inquiry) else (asked,)
    texts = {question.response: "the answer" for question in questions}
    for line in (line for question in questions for line in question.conversation):
        speaker = line.speaker.rstrip("0123456789")
        if speaker in _WHOSE:
            texts.setdefault(line.text, _WHOSE[speaker])
    return texts


def _views(text: str) -> Iterator[str]:
    """Yield a text as it is compared, and as it looks to somebody who reads Latin letters."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).lower()
    yield plain
    if not plain.isascii():
        bare = "".join(char for char in unicodedata.normalize("NFKD", plain) if not unicodedata.combining(char))
        yield bare.translate(_LOOK_ALIKES)
