"""What a scenario tells, asks and wants, as far as it bears on what a lookup would tell."""

import re
from dataclasses import dataclass

from audition.scoring.lint._english import content_words, pattern, words

_ASKED = pattern(r"\?|\b(?:if|whether|wonders?|wants? to know|any news|curious)\b")
_SHOWS = pattern(
    r"\b(?:past(?:es?|ed)|shar(?:es?|ed)|attach(?:es|ed)?|upload(?:s|ed)?|snippet|stack ?trace|spreadsheet|excerpt|"
    r"(?:source|python|java|my|this) code|screenshot|draft|essay|photo)\b|```"
)
_WHETHER = pattern(r"^(?:is|are|has|have|did|does|was|were)\b|\b(?:if|whether|where)\b")
_MADE = words("table list plan letter form report schedule sheet spreadsheet page post quiz file record statement")
_WANTED = pattern(r"\b(?:for|me|write|draft|create|make|compile|prepare) an? ((?:[\w-]{2,15} ){0,2}[\w-]{2,15})")
_MAY = pattern(r"\b(?:can|could|may|might|would|possible|please|how)\b")
_INQUIRES = pattern(r"\basks? (?:about|after|when|where|if|whether)\b|\?|\bstatus\b")
_WISHES = pattern(r"\b(?:wants?|would like|needs?|asks? (?:to|for)|please|i'd like|wishes|can you|could you)\b")
_COMPLAINS = pattern(r"\b(?:says?|said|tells?|told|complains?|claims?|reports?|mentions?|writes?|states?)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What a scenario gives.

    `told`, `asked`, `whether`: the words of what it states, of what it asks, and of what it asks whether it is so.
    `inquires`: the user asks and wants nothing done. `wanted`: the texts that the user wants made. `shows`: the user
    shows something that the agent is to look at. `complains`: the user says how things are.
    """

    told: frozenset[str]
    asked: frozenset[str]
    whether: frozenset[str]
    inquires: bool
    wanted: frozenset[str]
    shows: bool
    complains: bool


def given_by(scenario: str) -> Given:
    """Return what a scenario states, asks, and shows."""
    parts = re.split(r"(?<=[.!?])\s", scenario)
    asked = [one for one in parts if _ASKED.search(one)]
    stated = [one for one in parts if one not in asked]
    return Given(
        told=frozenset(content_words(" ".join(stated))),
        asked=frozenset(content_words(" ".join(asked))),
        whether=frozenset(
            word for one in asked if _WHETHER.search(one) and not _MAY.search(one) for word in content_words(one)
        ),
        inquires=_INQUIRES.search(scenario) is not None and _WISHES.search(scenario) is None,
        wanted=frozenset(
            word for found in _WANTED.findall(scenario) for word in found.lower().split() if word in _MADE
        ),
        shows=_SHOWS.search(scenario) is not None,
        complains=_COMPLAINS.search(" ".join(stated)) is not None,
    )
