"""Echoes: what a judge repeats of the answer, and of what it was shown besides, is never its own verdict."""

import re

from audition.judges.reply import objects
from audition.scoring.rule import Question
from audition.text import without_reasoning

_SPACES = re.compile(r"[\s\\]+")
_REPEATED = "(repeated)"


def without_echoes(text: str, question: Question) -> str:
    """Return a judge's reply without the JSON objects that stand in what it was shown; spaces do not tell them apart.

    A reply that is nothing but a repetition comes to one word in brackets, in which no verdict can be read.
    """
    *spans, _ = objects(without_reasoning(text))
    said = [span for span in (text.strip(), *spans) if span]
    if not said:
        return text
    told = [question.response, question.reference or "", *(line.text for line in question.conversation)]
    shown = _squeezed("\n".join(told))
    for span in said:
        if _squeezed(span) in shown:
            text = text.replace(span, _REPEATED)
    return text


def _squeezed(text: str) -> str:
    return _SPACES.sub("", text)
