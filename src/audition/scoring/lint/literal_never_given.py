"""The text expects a value that nobody gave: a provided text, a number, a date, an address."""

import re
from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import ACTING, PERSON, SUBJECT, any_of, pattern, sentences, words

CODE = "L2"
SEVERITY: Severity = "error"
EXAMPLE = "Replies with the provided update text."
REWRITE = "Asks for the update."
SCENARIO = "A colleague wants a status update posted."

_GIVEN = r"(?:provided|given|supplied|specified|attached|enclosed|pasted)"
_NOUN = r"(?:[\w'-]{1,30} ){0,2}?(?P<noun>[\w'-]{1,30})"
_REFERS = (
    pattern(rf"\bthe {_GIVEN} (?:[\w'-]{{1,20}} )??(?P<noun>[\w'-]{{2,30}})\b"),
    pattern(
        rf"\b(?:the|their|his|her) {_NOUN} (?:(?:that |which )?(?:was|were|is|are) )?(?:{_GIVEN}|mentioned|listed)"
        rf"(?: by (?:the |their )?{PERSON}\b| (?:above|below)\b| in (?:the|their) (?:question|message|request|case)\b"
        r"|(?= ?(?:[.;,]|$)))"
    ),
    pattern(r"\bthe (?:above|preceding) (?P<noun>[\w'-]{2,30})\b"),
    pattern(r"\bthe (?:[\w'-]{1,20} )??(?P<noun>text|message|list|sentence|code|document|table) above\b"),
)
_OF_THE_SYSTEM = words("context instruction information tool knowledge source policy data guideline rule")
"""What an agent is given by its own makers."""

_NUMBERED = words("number code id date time amount phone email address reading pin price sum figure")
_MATERIAL = pattern(r"\"[^\"\n]{2,300}\"|(?<!\w)'[^'\n]{2,300}'(?!\w)|:\s{0,3}\w|\n\s{0,3}\S|```|\([^)\n]{3,300}\)")
_LONG_ENOUGH = 40
"""Words of a scenario that may well hold a text although nothing marks it."""

_ACTS = pattern(rf"(?:^|, |\band |\bthen |\b{SUBJECT} )(?P<verb>{any_of(ACTING)})")
_BOUND = (
    r"(?:within|at most|at least|up to|no more than|less than|more than|under|over|about|around|every|only|for up to)"
)
_UNIT = (
    r"(?:(?:business |working |full |open )?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|words?|sentences?|"
    r"steps?|items?|times|characters?|bullets?|points?|lines?|options?|percent|%|attempts?|questions?|trials?)\b)"
)
_LITERAL = pattern(
    r"(?P<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})|(?P<text>\"[^\"\n]{2,200}\")|"
    rf"(?P<bound>\b{_BOUND} (?:\w{{1,12}} )?\d{{1,9}})|"
    rf"(?P<value>(?<![\w.])#?[A-Z]{{0,12}}-?\d[\w:,/-]{{0,30}}(?:\.\d{{1,9}})?)(?![ -]?{_UNIT})"
)
_RECORD = pattern(
    r"\b(?:order|ticket|invoice|booking|case|claim|appointment|account|policy|reference|tracking|parcel|serial|passport|"
    r"flight|reservation|membership|customer|contract|confirmation)(?: (?:number|no\.?|id|code))? "
    r"(?P<value>#?(?:[A-Z]{1,5}[- ]?)?\d[\w-]{1,30})"
)
_DIGITS = pattern(r"\d{1,20}")
_NUMBER_WORDS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), map(str, range(1, 13)), strict=True)  # noqa: SIM905  # read more easily as a text
)
_WORD = re.compile(r"[a-z]{1,20}")


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield each value that is not in the scenario; nothing when the scenario is not known."""
    if not criterion.english or criterion.scenario is None:
        return
    seen = set[int]()
    for finding in (*_references(criterion, criterion.scenario), *_literals(criterion, criterion.scenario)):
        if finding.start not in seen:
            seen.add(finding.start)
            yield finding


def _references(criterion: Criterion, scenario: str) -> Iterator[LintFinding]:
    has_values = "@" in scenario or any(char.isdigit() for char in scenario)
    has_text = bool(_MATERIAL.search(scenario)) or scenario.count(" ") >= _LONG_ENOUGH
    for refers in _REFERS:
        for found in refers.finditer(criterion.plain):
            noun = found["noun"].lower()
            one = noun.removesuffix("s")
            if one not in _OF_THE_SYSTEM and not (has_values if one in _NUMBERED else has_text):
                message = f"the text speaks of {found[0]!r}, and the scenario gives none"
                rewrite = f"Asks for the {noun}. (Or put the {noun} into the scenario.)"
                yield criterion.finding(CODE, SEVERITY, found.span(), message, rewrite)
                return


def _literals(criterion: Criterion, scenario: str) -> Iterator[LintFinding]:
    folded = scenario.lower()
    numbers = set(_DIGITS.findall(folded)) | {_NUMBER_WORDS.get(word, "") for word in _WORD.findall(folded)}
    for start, sentence in sentences(criterion.plain):
        acts = _ACTS.search(sentence)
        found = _first_absent(_LITERAL, sentence, acts.end(), folded, numbers) if acts else None
        found = found or _first_absent(_RECORD, sentence, 0, folded, numbers)
        if found is not None:
            (first, last), value = found
            message = f"{value!r} is in the text and not in the scenario, so no response can know it"
            rewrite = f"Put {value} into the scenario, or expect the agent to ask for it."
            yield criterion.finding(CODE, SEVERITY, (start + first, start + last), message, rewrite)


def _first_absent(
    literal: re.Pattern[str], sentence: str, begin: int, scenario: str, numbers: set[str]
) -> tuple[tuple[int, int], str] | None:
    for found in literal.finditer(sentence, begin):
        kind = found.lastgroup or ""
        value = found[kind] if kind else ""
        if kind == "bound" or not value:
            continue
        bare = value.strip('"').lower()
        known = bare in scenario if kind in ("text", "mail") else set(_DIGITS.findall(value)) <= numbers
        if not known:
            return found.span(kind), value
    return None
