"""Two clauses of the text cannot both hold."""

from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import ACTING, NEGATION, SAYING, SUBJECT, any_of, content_words, pattern, sentences

CODE = "L11"
SEVERITY: Severity = "error"
EXAMPLE = "Mentions the delivery fee. Does not mention the delivery fee."
REWRITE = "Mentions the delivery fee."

_SPLIT = pattern(rf"(?:, |\b(?:and|but) )(?=(?:{SUBJECT} )?(?:{NEGATION}\b|{any_of((*SAYING, *ACTING))}))")
_FORBIDS = pattern(rf"(?:{SUBJECT} )?{NEGATION}\b")
_OPPOSITES = (
    (pattern(r"\b(?:is|stays|keeps?|very) (?:it )?(?:short|brief|concise)\b|\bbriefly\b|\bconcisely\b"),
     pattern(r"\bin (?:full |great |every )?detail\b|\bdetailed\b|\bat length\b|\bexhaustive(?:ly)?\b")),
    (pattern(r"\bformal\b"), pattern(r"\b(?:casual|informal|colloquial)\b")),
)  # fmt: skip


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first clause that another one rules out."""
    if not criterion.english:
        return
    said: dict[tuple[bool, frozenset[str]], int] = {}
    for start, clause in _clauses(criterion.plain):
        forbids = _FORBIDS.match(clause)
        rest = clause[forbids.end() :] if forbids else clause
        meaning = frozenset(content_words(rest)) - {"agent", "response", "reply", "answer", "assistant"}
        if len(meaning) > 1 and (not forbids, meaning) in said:
            message = f"{clause!r} contradicts another clause of the text"
            yield criterion.finding(CODE, SEVERITY, (start, start + len(clause)), message)
            return
        said[bool(forbids), meaning] = start
    for one, other in _OPPOSITES:
        first, second = one.search(criterion.plain), other.search(criterion.plain)
        if first and second:
            message = f"{first[0]!r} and {second[0]!r} cannot both hold"
            yield criterion.finding(CODE, SEVERITY, second.span(), message)
            return


def _clauses(text: str) -> Iterator[tuple[int, str]]:
    for start, sentence in sentences(text):
        at = 0
        for cut in _SPLIT.finditer(sentence):
            yield start + at, sentence[at : cut.start()].strip(" ,")
            at = cut.end()
        yield start + at, sentence[at:].strip(" ,")
