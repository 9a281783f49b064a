"""The text expects a value that nobody gave: a provided text, a number, a date, an address."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from audition.scoring.lint._clauses import Clause, clauses
from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._finite import Token
from audition.scoring.lint._people import head, is_agent, is_user
from audition.scoring.lint._references import reference
from audition.scoring.lint._verbs import ACT, FIND, GET, LOOK, RESULT, SAY
from audition.scoring.lint._world import SOURCE

CODE = "L2"
SEVERITY: Severity = "error"
EXAMPLE = "Replies with the provided update text."
REWRITE = "Asks for the update."
SCENARIO = "A colleague wants a status update posted."
_COUNTS = words("two three four five six seven eight nine ten eleven twelve")
_BOUND = (
    r"(?:within|at most|at least|up to|no more than|less than|more than|fewer than|under|over|about|around|"
    r"every|only|for up to|"
    r"max(?:imum)?|min(?:imum)?|below|above|not exceed\w{0,3}|roughly|approximately|in under|longer than|"
    r"shorter than|between|top|"
    r"or more|as of|version|step|steps|option|phase|iso|http|error)"
)
_UNIT = (
    r"(?:(?:business |working |full |open |more |short |bullet |simple )?(?:seconds?|minutes?|hours?|words?|sentences?|"
    r"steps?|items?|times|characters?|bullets?|points?|lines?|options?|percent of|attempts?|questions?|trials?|tries|"
    r"suggestions?|alternatives?|examples?|reasons?|paragraphs?|slots?|proposals?|choices?|ideas?|chars?)\b)"
)
_LITERAL = pattern(
    r"(?P<file>\b[\w-]{2,40}\.(?:pdf|docx?|xlsx?|csv|txt|png|jpe?g|zip|md|py)\b)|(?P<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})|(?P<text>\"[^\"\n]{2,200}\")|"
    rf"(?P<bound>\b{_BOUND} (?:\w{{1,12}} )?\d{{1,9}}(?: and \d{{1,9}})?)|"
    rf"(?P<value>(?<![\w.])(?![123](?:st|nd|rd)\b(?! of|"
    rf" [A-Z]))[#$\u20ac\u00a3]?[A-Z]{{0,12}}-?\d[\w:,/-]{{0,30}}(?:\.\d{{1,9}})?)(?![\w,]{{0,20}}\d)(?![ -]?{_UNIT})"
)
_RECORD = pattern(
    r"\b(?:order|ticket|invoice|booking|case|claim|appointment|account|policy|reference|tracking|parcel|serial|"
    r"passport|"
    r"flight|reservation|membership|customer|contract|confirmation|van|flat|plot|gate|seat|po|meter|permit|locker|unit|"
    r"item|candidate|employee|patient|container|shipment|truck|delivery|bus|train|transaction|voucher|file|job|"
    r"asset|code|coupon|promo|card|reading|tag|plate|pin|extension)"
    r"(?: (?:number|no\.?|id|code|ref|reference|ending(?: in)?))? "
    r"(?P<value>#?(?-i:[A-Z]{1,5}[- ]?)?\d[\w-]{1,30})"
)
_ARTEFACT = words(
    "summary note letter message email e-mail mail report ticket invite invitation minutes form complaint request "
    "order memo entry claim card reminder draft announcement post notice log record text invoice reply-letter "
    "caption title subject surname name address account field profile booking reservation event meeting callback "
    "label sheet plan"
)
_HOLDS = words(
    "mention name list contain include say read state show cite carry have quote hold record note give refer set "
    "feature reflect be bring cover deal use put"
)
_EXAMPLE = pattern(
    r"\b(?:e\.g\.|such as|like|for (?:example|instance)|say,|or similar|or something|placeholder|sample|dummy|"
    r"fictional|made-up|"
    r"for how long|never|not|don't|doesn't|mustn't|without|rather than|instead of|avoid\w{0,3})\b[^.;!?\n]{0,60}$"
)
_DIGITS = pattern(r"\d{1,20}")
_NUMBER_WORDS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), map(str, range(1, 13)), strict=True)  # noqa: SIM905  # read more easily as a text
)
_WORD = re.compile(r"[a-z]{1,20}")
_COMMON_NAMES = words(
    "i english german french spanish italian portuguese dutch polish turkish chinese japanese russian arabic hr "
    "it faq pdf apa mla iban vat pin sms eur usd gbp ok id url api crm csv json html a&e gp us uk eu european "
    "british american internet outlook jira slack google excel word windows christmas easter id. c/o asap pr t&c "
    "qr vip cv wifi wi-fi dns vpn tv pc os euros pounds"
)
_INTO_TOOL = words("in via through on using into as a an")
_DAYS = words(
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december"
)


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
    """Yield the first reference to something that the scenario is said to give."""
    found = reference(criterion.plain, scenario)
    if found is None:
        return
    span, what = found
    message = f"the text speaks of {criterion.text[slice(*span)]!r}, and the scenario gives none"
    rewrite = f"Asks for the {what}. (Or put the {what} into the scenario.)"
    yield criterion.finding(CODE, SEVERITY, span, message, rewrite)


def _literals(criterion: Criterion, scenario: str) -> Iterator[LintFinding]:
    """Yield the values that an action, or what it makes, must have and that nobody gave."""
    folded = scenario.lower()
    known = _numbers(folded)
    chain = clauses(criterion.plain)
    flagged = set[int]()
    acting = False
    for index, clause in enumerate(chain):
        if index and chain[index - 1].sentence != clause.sentence:
            acting = False
        acting = _acts(clause) or (acting and not _says(clause))
        begin = clause.after[0].start if clause.verb in _MOVES and clause.before and clause.after else clause.start
        following = chain[index + 1 : index + 3]
        if not clause.verb and not acting and not clause.leads:
            acting = any(
                one.sentence == clause.sentence
                and not one.before
                and not one.leads
                and (
                    one.verb in _MOVES or (one.passive and one.verb in ACT - SAY and not one.negated and not one.modal)
                )
                for one in following
            )
        if clause.sentence in flagged or (clause.verb in _REWORKS and '"' in scenario):
            continue
        found = _first_absent(_LITERAL, criterion.plain, (begin, clause.end), folded, known) if acting else None
        has = clause.verb == "have" and is_user(clause.before)
        if not has and not (head(clause.before) in SOURCE and clause.verb in RESULT):
            found = found or _first_absent(_RECORD, criterion.plain, (clause.start, clause.end), folded, known)
        if found is not None and _is_of_its_making(clause, criterion.plain, found[0][0]):
            found = None
        if found is None and acting:
            found = _count(clause, known) or _name(clause, criterion.plain, folded)
        if found is not None and not _EXAMPLE.search(criterion.plain, max(0, found[0][0] - 90), found[0][0]):
            flagged.add(clause.sentence)
            span, value = found
            message = f"{value!r} is in the text and not in the scenario, so no response can know it"
            rewrite = f"Put {value} into the scenario, or expect the agent to ask for it."
            yield criterion.finding(CODE, SEVERITY, span, message, rewrite)


def _is_of_its_making(clause: Clause, text: str, where: int) -> bool:
    """Tell whether a number is one of what the agent makes: a plan with 4 exercises."""
    designed = clause.verb in _DESIGNS and _PARTS_OF_IT.match(text, where) is not None
    return designed or _IN_EACH.match(text, where) is not None


def _acts(clause: Clause) -> bool:
    """Tell whether a clause has something done, or tells what is in what is made."""
    if clause.negated or clause.modal in _FORETELLS or _PLACES.intersection(clause.leads):
        return False
    noun = head(clause.before)
    if noun in SOURCE and clause.verb in RESULT and noun not in _ARTEFACT - {"record", "log", "entry"}:
        return False
    if noun == "account" and clause.verb in RESULT:
        return False
    if noun in _ARTEFACT and clause.verb in _HOLDS:
        return True
    first = clause.after[0].low if clause.after else ""
    if clause.verb in _MOVES and clause.before and not clause.passive and not is_agent(clause.before):
        return clause.form in ("s", "base") and (clause.verb != "end" or first == "up")
    if clause.bare or is_agent(clause.before):
        return _agent_acts(clause, first)
    if not clause.passive and (clause.form != "ed" or clause.verb not in ACT):
        return False
    if is_user(clause.before) and clause.verb == "tell":
        return first not in ("that", "how", "what")
    if is_user(clause.before) and not clause.passive and clause.past:
        return False  # what somebody else did
    return clause.verb in ("book", "log", "note") or (noun not in _ARTEFACT_PARTS and _does(clause))


def _agent_acts(clause: Clause, first: str) -> bool:
    """Tell whether the agent does more than speak; `first` is the word after the verb."""
    if clause.verb in ("want", "expect", "need") and clause.before:
        return not any(token.low in SOURCE for token in clause.after)
    if clause.verb == "collect" or (clause.verb == "give" and "back" in clause.words()):
        return True
    if clause.verb in _FRAMES and first in ("with", "by", "on"):
        return False
    if clause.verb == "sign" and first == "up":
        return True
    if clause.verb == "send" and first in ("her", "him", "them"):
        return False  # sends her to somebody
    return _does(clause) and clause.form != "ing" and (clause.form != "ed" or clause.verb in ACT)


_FORETELLS = words("can could may might would will cannot can't")
_FRAMES = words("close open end begin start finish conclude lead")
_DESIGNS = words("create write generate draft design produce make compile prepare build compose invent")
_PARTS_OF_IT = pattern(r"\d{1,2} [a-z-]{3,20}s\b")
_IN_EACH = pattern(r"\d{1,2} [a-z-]{3,20} (?:each|per)\b")
_REWORKS = words("correct fix translate rewrite improve convert")
_MOVES = words("go move reach end land become")
_PLACES = words("if when whether unless how what which who whose where that why")
_ONLY_SAID = SAY - words("cancel note match draft show correct fix") | words(
    "note link reply answer remind get do bring generate produce make prepare quote value estimate translate "
    "convert plan show mark play check start call complete run end hold build"
) - words("play make get")


def _does(clause: Clause) -> bool:
    """Tell whether the verb of a clause is more than saying, asking or looking."""
    return clause.verb in ACT - _ONLY_SAID or (bool(clause.verb) and clause.verb not in _NO_ACT)


_NO_ACT = (
    _ONLY_SAID
    | SAY
    | GET
    | LOOK
    | FIND
    | RESULT
    | words(
        "arrive conclude reach total amount add equal differ "
        "be have do like wait help try need want let produce match cost come use keep stay avoid ensure treat prefer "
        "follow assume work figure reckon count"
    )
)
_ARTEFACT_PARTS = words("answer reply response tone poem haiku story joke steps list exercise example option options")


def _says(clause: Clause) -> bool:
    return (bool(clause.verb) and clause.verb not in ACT) or bool(clause.verb in SAY and clause.bare)


def _first_absent(
    literal: re.Pattern[str], text: str, span: tuple[int, int], scenario: str, numbers: frozenset[str]
) -> tuple[tuple[int, int], str] | None:
    for found in literal.finditer(text, *span):
        kind = found.lastgroup or ""
        value = found[kind] if kind else ""
        if kind == "bound" or not value:
            continue
        bare = value.strip('"').lower().rstrip(".,")
        known = bare in scenario if kind in ("text", "mail", "file") else _is_known(value, numbers)
        if not known:
            return found.span(kind), value
    return None


def _is_known(value: str, numbers: frozenset[str]) -> bool:
    digits = [one.lstrip("0") or "0" for one in _DIGITS.findall(value.replace(",", ""))]
    return all(one in numbers or (one == "0" and len(digits) > 1) for one in digits)


def _numbers(scenario: str) -> frozenset[str]:
    """Return the numbers in a text, spelt out ones too, and hours of the afternoon both ways."""
    found = {one.lstrip("0") or "0" for one in _DIGITS.findall(scenario.replace(",", ""))}
    found |= {_NUMBER_WORDS[word] for word in _WORD.findall(scenario) if word in _NUMBER_WORDS}
    return frozenset(
        found
        | {str(int(one) + 12) for one in found if len(one) < 3 and int(one) <= 12}
        | {str(int(one) - 12) for one in found if len(one) == 2 and 13 <= int(one) <= 24}
    )


def _count(clause: Clause, numbers: frozenset[str]) -> tuple[tuple[int, int], str] | None:
    """Return a number of people or things that is spelt out: a table for six."""
    tokens = clause.tokens
    for before, token in pairwise(tokens):
        if token.low in _COUNTS and before.low in ("for", "of", "at", "to") and _NUMBER_WORDS[token.low] not in numbers:
            return (token.start, token.end), token.text
    return None


def _name(clause: Clause, text: str, scenario: str) -> tuple[tuple[int, int], str] | None:
    """Return a name of a person, a place or a day that the scenario has not."""
    tokens = clause.tokens
    for index, token in enumerate(tokens):
        low = token.low.removesuffix("'s").strip("_")
        if (
            re.match(r"[A-Z][\w&]{2}", token.text) is None
            or low in _COMMON_NAMES
            or _starts(tokens, index, text)
            or low in scenario
            or (low in _DAYS and re.search(rf"\b{low[:3]}\b", scenario))
        ):
            continue
        if token.text.isupper() and token.text.isalpha():
            continue
        before = tokens[index - 1].low if index else ""
        if before in _INTO_TOOL and low not in _DAYS and not _is_place(tokens, index):
            continue
        return (token.start, token.end), token.text
    return None


def _is_place(tokens: Sequence[Token], index: int) -> bool:
    return index > 1 and tokens[index - 1].low == "in" and tokens[index - 2].low in _AT_PLACES


_AT_PLACES = words(
    "depot nephew niece office branch sister brother stop shop store address flat hotel site cousin house daughter son"
)


def _starts(tokens: Sequence[Token], index: int, text: str) -> bool:
    """Tell whether a word stands at the start of a sentence, where any word has a capital letter."""
    before = text[: tokens[index].start].rstrip()
    return not before or before[-1] in '.!?;:\n"('
