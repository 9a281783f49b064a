"""The text predicts what a lookup returns, which the case cannot know."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from audition.scoring.lint._clauses import Clause, by_sentence, clauses
from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import content_words, pattern, words
from audition.scoring.lint._facts import COUNTED, states
from audition.scoring.lint._finite import Token
from audition.scoring.lint._people import head, is_agent, is_user
from audition.scoring.lint._scenario import Given, given_by
from audition.scoring.lint._states import YET, after_verb
from audition.scoring.lint._verbs import LOOK, SAY, verb_of
from audition.scoring.lint._world import SOURCE, STATE, is_of_the_world, is_state

CODE = "L1"
SEVERITY: Severity = "error"
EXAMPLE = "Looks up the ticket, and the lookup returns no such ticket."
REWRITE = "Reports what the lookup returns: what was found, or that nothing was."
_OPEN = words("if whether unless whatever whichever whenever either otherwise depending regardless or")
_OPEN_WORDS = _OPEN - {"or"}
_OPEN_HERE = words("when whenever once until before how what why who whom till")
_OPEN_PHRASE = pattern(
    r"\b(?:in case|as (?:far|long|soon) as|no matter|as the (?:system|tool|record|calendar)|according to (?:the|"
    r"its) (?:tool|"
    r"result)|only (?:if|when|after|once)|way round|both (?:outcomes|cases)|any\b.{0,12}\bif|should (?:the|it|"
    r"there|no)\b"
    r".{0,60},|whichever|truthfully|honest\w{0,3}|invent(?:s|ed|ing)?\b|guess(?:es|ed|ing)?\b|pretend\w{0,3}|"
    r"claim\w{0,3} that|handles?\b|asked (?:if|"
    r"whether)|would|so far as)"
)
_FRAGMENT = pattern(
    r"^no (?:more |free |open |such |matching |further )?(?P<what>[\w'-]{3,20})\b[^.;!?\n]{0,60}?"
    r"(?:[-\u2013\u2014;:,] ?|, )(?:so|hence|therefore|the|bot|agent|reply|it)\b"
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first result that is predicted, unless the case itself says what tools return."""
    if not criterion.english or criterion.canned:
        return
    span = _predicted(criterion.plain, given_by(criterion.scenario or "")) or _told_after_a_look(
        criterion.plain, criterion.scenario
    )
    if span is not None:
        message = "the text says what the lookup returns, and the case cannot make it return that"
        yield criterion.finding(CODE, SEVERITY, span, message, REWRITE)


def _predicted(text: str, given: Given) -> tuple[int, int] | None:
    """Return where a text predicts a result, None when it does not."""
    looked = False
    for same in by_sentence(clauses(text)):
        found = _in_sentence(same, text, given, before=looked)
        if found is not None:
            return found
        looked = any(
            one.verb in _LOOKS and one.obliged and one.form != "ing" and (one.bare or is_agent(one.before))
            for one in same
        )
    return None


def _told_after_a_look(text: str, scenario: str | None) -> tuple[int, int] | None:
    """Return where, after a lookup, a number or a name is told that the scenario has not."""
    known, looked = (scenario or text).lower(), -1
    for clause in clauses(text):
        before = {(verb_of(token.low) or ("", ""))[0] for token in clause.before}
        has_looked = looked == clause.sentence or not LOOK.isdisjoint(before)
        names = clause.verb in _NAMING and not clause.modal and (clause.bare or is_agent(clause.before[-1:]))
        if has_looked and names and any(_is_news(token, known) for token in clause.after):
            return clause.start, clause.end
        if clause.verb in LOOK and not clause.negated:
            looked = clause.sentence
        if _OPEN.intersection(clause.leads):
            return None
    return None


def _is_news(token: Token, known: str) -> bool:
    """Tell whether a word is a number or a name that is not known."""
    telling = token.text[:1].isdigit() or (token.text[:1].isupper() and len(token.text) > 3)
    return telling and token.low.strip(".,'_") not in known


_LOOKS = LOOK - words("request call")
_NAMING = words("name tell give state report quote mention")


def _in_sentence(same: Sequence[Clause], text: str, given: Given, *, before: bool) -> tuple[int, int] | None:
    begin, end = same[0].start, same[-1].end
    whole = text[begin:end]
    if same[0].leads[:1] and same[0].leads[0] in ("if", "otherwise", "unless", "when", "whenever", "should", "whether"):
        return None
    fragment = _FRAGMENT.search(whole)
    if fragment is not None and is_of_the_world(fragment["what"].lower()):
        return begin, begin + fragment.end("what")
    arrow = _after_arrow(same)
    if arrow is not None:
        return arrow
    answered = same[0].leads[:1] in (("after",), ("once",)) and is_user(same[0].before)
    looked, opens = before, _OPEN_PHRASE.search(text, begin, end)
    for index, clause in enumerate(same):
        if _OPEN.intersection(clause.leads) or (opens is not None and opens.end() <= clause.end):
            return None
        known = _is_open(same, index) or _is_told(clause, text, given.told) or _is_agreed(same, index, given)
        known = known or (answered and head(clause.before) not in SOURCE)
        if not known and states(same, index, text, given, looked=looked):
            return clause.start, clause.end
        looked = looked or (clause.verb in _LOOKS and clause.obliged)
    return None


def _is_open(same: Sequence[Clause], index: int) -> bool:
    """Tell whether a clause, or what follows it, leaves the result open."""
    clause = same[index]
    if _OPEN_HERE.intersection(clause.leads) or any(word in _OPEN_WORDS for word in clause.words()):
        return True
    if clause.leads[-2:] in (("after", "which"), ("upon", "which")):
        return True
    if clause.leads[-1:] == ("which",) and clause.mark != "," and same[0] is not clause:
        return True  # which one it is, or a part of what is named
    if clause.leads[-1:] == ("that",) and index and same[index - 1].negated and same[index - 1].verb in SAY:
        return True
    if any(
        one.leads[:1] == ("or",) and one.bare and one.verb and one.form == "s" for one in same[index + 1 : index + 6]
    ):
        return True
    following = same[index + 1].leads if index + 1 < len(same) else ()
    return not _OPEN.isdisjoint(following) and following[0] != "and"


def _after_arrow(same: Sequence[Clause]) -> tuple[int, int] | None:
    """Return where an arrow leads from a tool to its result."""
    for source, result in pairwise(same):
        if (
            result.mark not in _ARROWS
            or result.leads
            or (source.verb in LOOK and source.bare and len(source.tokens) > 3)
        ):
            continue
        nouns = [token.low for token in source.tokens]
        acts = bool(result.verb) and result.bare and result.form in ("s", "base")
        if not source.verb and nouns[-1] in SOURCE | _LISTS and not acts and source is same[0]:
            return source.start, result.end
        named = is_of_the_world(nouns[-1]) or not SOURCE.isdisjoint(nouns[-3:])
        first = result.tokens[0].low.strip('"')
        if named and (first[:1].isdigit() or first in _RESULTS | STATE or is_state(first, "")):
            return source.start, result.end
    return None


_ARROWS = ("->", "=>", "\u2192", ":", "=")
_LISTS = words("list sheet board")
_RESULTS = words(
    "no not none nothing only error timeout one two three four five false true yes empty zero just already 404 "
    "nil null"
)  # fmt: skip


def _is_agreed(same: Sequence[Clause], index: int, given: Given) -> bool:
    """Tell whether a clause is what the user said, which the agent agrees with."""
    agreed = bool(index) and same[index - 1].verb in ("confirm", "acknowledge", "agree", "accept", "note")
    return agreed and given.complains and "that" in same[index].leads


_CAUSES = words("since because as given")


def _is_told(clause: Clause, text: str, told: frozenset[str]) -> bool:
    """Tell whether most of what a clause says stands in the scenario."""
    if any(token.low in COUNTED for token in clause.tokens[:3]):
        return False
    last = clause.after[1] if len(clause.after) > 1 else clause.tokens[-1]
    said = content_words(text[clause.start : last.end])
    predicate = [word for word in content_words(after_verb(clause, text)) if word not in YET][:1]
    if clause.verb and clause.verb != "be":
        predicate = [clause.verb, *content_words(clause.tokens[len(clause.tokens) - len(clause.after) - 1].text)]
    if clause.passive and clause.after and clause.after[0].low == "as":
        predicate = content_words(after_verb(clause, text))
    if predicate and told.isdisjoint(predicate) and not _CAUSES.intersection(clause.leads):
        return False
    return sum(word in told for word in said) * 3 >= len(said) * 2 if said else not clause.verb
