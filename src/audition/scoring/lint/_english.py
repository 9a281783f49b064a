"""English, as far as the lint rules know it: verbs of criteria, sentences, and patterns made of them."""

import re
from collections.abc import Iterator

SAYING = (
    "says", "states", "tells", "mentions", "names", "lists", "gives", "explains", "describes", "answers", "replies",
    "responds", "offers", "suggests", "recommends", "proposes", "warns", "points", "conveys", "covers", "acknowledges",
    "apologises", "apologizes", "declines", "refuses", "greets", "asks", "reports", "summarises", "summarizes",
    "informs", "notes", "confirms", "admits", "refers", "advises", "shows", "provides", "includes", "presents",
    "compares", "cites", "quotes", "thanks", "admits", "addresses", "uses", "stays", "keeps", "remains", "expresses",
)  # fmt: skip
"""What a criterion has an agent do in its reply, as verbs in the third person."""

ACTING = (
    "saves", "stores", "records", "logs", "books", "reserves", "creates", "opens", "files", "submits", "sends",
    "emails", "texts", "posts", "updates", "changes", "corrects", "sets", "moves", "reschedules", "renames",
    "registers", "applies", "adds", "removes", "deletes", "transfers", "forwards", "refunds", "charges", "places",
    "orders", "schedules", "cancels", "issues", "resets", "blocks", "unblocks", "upgrades", "downgrades", "dispatches",
    "activates", "processes", "completes", "makes", "prints", "pays", "subscribes", "unsubscribes", "enters",
    "verifies", "calculates", "recommends", "reroutes", "connects", "escalates", "ships", "assigns", "passes",
    "credits", "debits", "deducts", "matches", "waives", "extends", "renews", "enrols", "enrolls", "closes", "requests",
    "raises",
)  # fmt: skip
"""What a criterion has an agent do beyond its reply, as verbs in the third person."""

SUBJECT = (
    "(?:(?:the|its|your) )?(?:agent|assistant|bot|model|response|reply|answer|message|text|it)"
    "(?: (?:must|should|has to|needs to|will|then|also|only))?"
)
"""Who does what the criterion says; before a verb."""

NEGATION = (
    r"(?:(?:does|do|did|must|should|shall|can|could|will|would|may|is|are|has|have) ?(?:not|n't)|cannot|can't|won't|"
    r"never|avoids?|refrains? from|declines? to|no longer)"
)

_SENTENCE = re.compile(r"[^.!?;\n]{1,2000}(?:[.!?](?=\S)[^.!?;\n]{0,2000}){0,50}")


def words(text: str) -> frozenset[str]:
    """Return the words of a text, which is easier to read than a list of them."""
    return frozenset(text.split())


def any_of(verbs: tuple[str, ...]) -> str:
    """Return a pattern for any of some verbs: as it stands, or without its s when an object follows (`save the`)."""
    bare = [f"{_base(word)}(?= (?:the|it|them|an?|their|his|her|this|that|these)\\b)" for word in verbs]
    return rf"\b(?:{'|'.join(sorted([*verbs, *bare], key=len, reverse=True))})\b"


def _base(verb: str) -> str:
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("sses", "ches", "shes")) else verb[:-1]


def pattern(source: str) -> re.Pattern[str]:
    """Return a pattern over English text in any case.

    Its repeats have bounds, or looking for it could take time that grows with the square of the text.
    """
    return re.compile(source, re.IGNORECASE)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text with where they begin; a semicolon ends one, a dot within a number does not."""
    for found in _SENTENCE.finditer(text):
        said = found[0].strip()
        if said:
            yield found.start() + len(found[0]) - len(found[0].lstrip()), said


_CONTENT = re.compile(r"\w{1,40}(?:[-']\w{1,40}){0,3}")
_SMALL = words(
    "a an the of to in on at for and or but with by from as is are be it its that this these those do does did "
    "don't doesn't not never no must should shall can may will would has have any there their they"
)


def content_words(text: str) -> list[str]:
    """Return the words of a text that say something, in lower case and without a plural or verb ending in s."""
    found = (word.lower() for word in _CONTENT.findall(text))
    return [_bare(word) for word in found if word not in _SMALL]


def _bare(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
