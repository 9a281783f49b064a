"""The text expects a value that nobody gave: a provided text, a number, a date, an address."""

import re
from collections.abc import Iterator, Sequence

from audition.scoring.lint._clauses import Clause, Token, clauses
from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._people import SOMEBODY, head, is_agent, is_user
from audition.scoring.lint._verbs import ACT, FIND, GET, HAND, LOOK, RESULT, SAY, any_form
from audition.scoring.lint._world import SOURCE

CODE = "L2"
SEVERITY: Severity = "error"
EXAMPLE = "Replies with the provided update text."
REWRITE = "Asks for the update."
SCENARIO = "A colleague wants a status update posted."

_GIVEN = (
    r"(?:provided|given|supplied|specified|attached|enclosed|pasted|dictated|uploaded|stated|quoted|submitted|forwarded|"
    r"named|aforementioned|above-mentioned|user-supplied|shared|typed|mentioned|posted|linked|included)"
)
_NOUN = r"(?:(?!and |or |never |not |once |when |if |that |which |after |until |as |is |are |to |in |of |by |for |on |with )[\w'-]{1,30} ){0,2}?(?P<noun>[\w'-]{1,30})"
_WHO = (
    rf"(?:(?:the |a )?(?:{SOMEBODY}|(?!order|letter|number|answer|paper|after|other|either|offer|matter|under|over|document|"
    r"statement|payment|content|appointment)[a-z]{3,14}(?:er|or|ant|ent|ist|ee|ian)))"
)
_HANDED = any_form(HAND - words("want wish ask"), only="ed")
_REFERS = (
    pattern(rf"\b(?:the|this|that|these|those|his|her|their|both|each|every|all) {_GIVEN} (?:[\w'-]{{1,20}} )??(?P<noun>[\w'-]{{2,30}})\b"),
    pattern(
        rf"\b(?:the|their|his|her|all|every|each) {_NOUN} (?:(?:that |which )?(?:was|were|has been|have been) |(?:that |which )(?:is|are) )?"
        rf"(?:{_GIVEN}|mentioned|listed|sent|sent in|handed (?:in|over))"
        rf"(?: by (?:the |their )?{_WHO}\b| (?:above|below)\b| in (?:the|their|her|his) (?:question|message|request|case|notes?|mail|"
        r"email|chat|attachment)\b|(?= ?(?:[.;,]|$)))"
    ),
    pattern(r"\bthe (?:above|preceding) (?P<noun>[\w'-]{2,30})\b"),
    pattern(r"\bthe (?:[\w'-]{1,20} )??(?P<noun>text|message|list|sentence|code|document|table|details|example|draft|note) (?:above|below)\b"),
    pattern(
        rf"\b(?:the|all|both|each|every|those|any|four|three|two|five|points|words)(?: of the| the)? {_NOUN},? (?:(?:that|which|whose \w{{1,15}}) )?"
        rf"{_WHO} (?:has |had |have |'s |just |originally |already )*(?P<handed>{_HANDED})\b"
    ),
    pattern(rf"\b(?P<noun>what|whatever) (?:{_WHO}) (?:has |had |have |just )?(?P<handed>{_HANDED})\b"),
    pattern(rf"\b(?:just |exactly )?(?P<noun>as) {_WHO} (?P<handed>{_HANDED})(?: (?:it|them|this|that))?(?= ?[.,;]|$)"),
    pattern(rf"\bas (?:it |they )?(?:was |were |is )?(?P<noun>given|worded|phrased|written|dictated|supplied|sent in|stated|provided|specified|submitted) by {_WHO}\b"),
)
_OF_THE_SYSTEM = words(
    "context instruction information tool knowledge source policy data guideline rule system prompt documentation role "
    "fact service option example criteria criterion scenario limit"
)
"""What an agent is given by its own makers."""

_NUMBERED = words("number code id date time amount phone email address reading pin price sum figure slot day deadline account iban")
_NAMED = words("name surname recipient person guest place destination city title reason route colour size allergy")
_MATERIAL = pattern(r"\"[^\"\n]{2,300}\"|(?<!\w)'[^'\n]{2,300}'(?!\w)|:\s{0,3}\w|\n\s{0,3}\S|```|\([^)\n]{3,300}\)")
_WHOLLY_QUOTED = pattern(r"^\"([^\"]{1,2000})\"(?=[^\"]{0,40}$)")
_LONG_ENOUGH = 40
"""Words of a scenario that may well hold a text although nothing marks it."""

_WORKS_ON = any_form(
    words("translate summarise summarize proofread correct shorten rewrite rephrase fix review improve condense edit polish "
          "transcribe format paraphrase simplify annotate sum double scale debug refactor render carry keep compare")
)  # fmt: skip
_TEXTS = (
    r"(?:paragraph|sentence|essay|email|e-mail|letter|message|document|report|article|draft|poem|speech|transcript|minutes|subtitles|attachment|slides?|deck|presentation|proposal|brief|manuscript|sheet|worksheet|"
    r"spreadsheet|formula|function|code|script|snippet|recipe|text|note|notes|abstract|post|memo|notice|leaflet|contract|offer|"
    r"quote|quotes|screenshot|photo|file|table|chapter|thesis|cv|resume|poem|translation|version|estimate|list)"
)
_REWORKS = any_form(
    words("translate summarise summarize proofread shorten rewrite rephrase condense edit polish simplify paraphrase improve")
)
_CONTENTS = (
    pattern(
        rf"\b(?:all|every|each|both|the) (?:of the )?(?:(?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,3}}) )?"
        rf"(?P<noun>[a-z-]{{3,20}}(?: [a-z-]{{3,20}})?) (?:of|in|from|on|listed in|made in) (?:the|his|her|their) (?:[\w-]{{2,15}} )?{_TEXTS}\b"
    ),
    pattern(rf"\b(?:an?|the) (?:[\w-]{{2,15}} ){{0,3}}?(?P<noun>version|translation|summary|rewrite|synopsis) of (?:the|his|her|their) (?:[\w-]{{2,15}} )?{_TEXTS}\b"),
    pattern(rf"\b{_REWORKS} (?:the|his|her|their) (?:[\w-]{{2,15}} )?(?P<noun>{_TEXTS})\b(?! (?:of|number|address|history))"),
    pattern(rf"\b(?:line|page|paragraph|section|clause|item|row|cell|step|chapter|verse|no\.|nos\.) (?:no\. )?\d{{1,4}}(?: of| in| on) (?:the|his|her) (?P<noun>[\w-]{{2,20}})\b"),
    pattern(r"\b(?:all|both|the) (?:two|three|four|five|six|seven|eight|nine|ten) (?P<noun>[\w-]{3,20}) (?:in|of|on) it\b"),
    pattern(rf"\b(?:the|his|her|their) (?P<noun>[\w-]{{3,20}}) (?:of|in) (?:the|his|her|their) (?:[\w-]{{2,15}} )?{_TEXTS}\b"),
)
_OF_THE_HOUSE = words(
    "website handbook brochure policy manual faq leaflet catalogue portal app site contract system record account bill invoice "
    "book menu prospectus terms agreement reply answer response poster"
)

_COUNTS = words("two three four five six seven eight nine ten eleven twelve")
_BOUND = (
    r"(?:within|at most|at least|up to|no more than|less than|more than|fewer than|under|over|about|around|every|only|for up to|"
    r"max(?:imum)?|min(?:imum)?|below|above|not exceed\w{0,3}|roughly|approximately|in under|longer than|shorter than|between|top|"
    r"or more|as of|version|step|steps|option|phase|iso|http|error)"
)
_UNIT = (
    r"(?:(?:business |working |full |open |more |short |bullet |simple )?(?:seconds?|minutes?|hours?|words?|sentences?|"
    r"steps?|items?|times|characters?|bullets?|points?|lines?|options?|percent of|attempts?|questions?|trials?|tries|"
    r"suggestions?|alternatives?|examples?|reasons?|paragraphs?|slots?|proposals?|choices?|ideas?|chars?)\b)"
)
_VALUE_UNIT = pattern(r"^[ -]?(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b")
_LITERAL = pattern(
    r"(?P<mail>\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5})|(?P<text>\"[^\"\n]{2,200}\")|"
    rf"(?P<bound>\b{_BOUND} (?:\w{{1,12}} )?\d{{1,9}})|"
    rf"(?P<value>(?<![\w.])(?![123](?:st|nd|rd)\b(?! of| [A-Z]))[#$\u20ac\u00a3]?[A-Z]{{0,12}}-?\d[\w:,/-]{{0,30}}(?:\.\d{{1,9}})?)(?![ -]?{_UNIT})"
)
_RECORD = pattern(
    r"\b(?:order|ticket|invoice|booking|case|claim|appointment|account|policy|reference|tracking|parcel|serial|passport|"
    r"flight|reservation|membership|customer|contract|confirmation|van|flat|plot|gate|seat|po|meter|permit|locker|unit|"
    r"item|candidate|employee|patient|container|shipment|truck|delivery|bus|train|transaction|voucher|file|job|asset|code|coupon|promo)"
    r"(?: (?:number|no\.?|id|code|ref|reference|ending(?: in)?))? "
    r"(?P<value>#?(?:[A-Z]{1,5}[- ]?)?\d[\w-]{1,30})"
)
_ARTEFACT = words(
    "summary note letter message email e-mail mail report ticket invite invitation minutes form complaint request order memo entry "
    "claim card reminder draft announcement post notice log record text invoice reply-letter caption title subject surname name "
    "address account field profile booking reservation event meeting callback label sheet plan"
)
_HOLDS = words("mention name list contain include say read state show cite carry have quote hold record note give refer set feature reflect be bring cover deal use put")
_EXAMPLE = pattern(r"\b(?:e\.g\.|such as|like|for (?:example|instance)|say,|or similar|or something|placeholder|sample|dummy|fictional|made-up|"
                   r"for how long|never|not|don't|doesn't|mustn't|without|rather than|instead of|avoid\w{0,3})\b[^.;!?\n]{0,60}$")
_WANTED = pattern(r"^(?:i|we) (?:want|expect|would like|'d like|need)\b")
_DIGITS = pattern(r"\d{1,20}")
_NUMBER_WORDS = dict(
    zip("one two three four five six seven eight nine ten eleven twelve".split(), map(str, range(1, 13)), strict=True)  # noqa: SIM905  # read more easily as a text
)
_WORD = re.compile(r"[a-z]{1,20}")
_COMMON_NAMES = words(
    "i english german french spanish italian portuguese dutch polish turkish chinese japanese russian arabic hr it faq pdf apa mla "
    "iban vat pin sms eur usd gbp ok id url api crm csv json html a&e gp us uk eu german european british american internet "
    "outlook jira slack google excel word windows christmas easter id. c/o asap pr t&c qr vip cv wifi wi-fi dns vpn tv pc os euros pounds"
)
_INTO_TOOL = words("in via through on using into as a an")
_DAYS = words("monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december")


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
    has_values = "@" in scenario or any(char.isdigit() for char in scenario)
    has_text = bool(_MATERIAL.search(_WHOLLY_QUOTED.sub(r"\1", scenario.strip()))) or scenario.count(" ") >= _LONG_ENOUGH
    has_names = has_values or has_text or bool(_names(scenario))
    for refers in (*_REFERS, *(() if has_text else _CONTENTS)):
        for found in refers.finditer(criterion.plain):
            if found["noun"].lower() in ("once", "when", "until", "after", "if", "that", "which", "is", "are", "was", "were", "be"):
                continue
            noun = found["noun"].lower()
            one = noun.removesuffix("s")
            handed = found.groupdict().get("handed")
            if handed and one[:5] in scenario.lower() and handed.lower()[:5] in scenario.lower() and noun not in ("as", "what"):
                continue
            known = has_values if one in _NUMBERED else has_names if one in _NAMED else has_text
            if one in _OF_THE_SYSTEM or known or _is_excluded(criterion.plain, found, refers):
                continue
            message = f"the text speaks of {found[0]!r}, and the scenario gives none"
            what = noun if noun not in ("what", "whatever", "given", "as", "worded", "phrased", "written", "dictated") else "content"
            rewrite = f"Asks for the {what}. (Or put the {what} into the scenario.)"
            yield criterion.finding(CODE, SEVERITY, found.span(), message, rewrite)
            return


def _is_excluded(text: str, found: re.Match[str], refers: re.Pattern[str]) -> bool:
    before = text[max(0, found.start() - 70) : found.start()]
    if refers in _CONTENTS:
        last = found[0].lower().split()[-1]
        return last in _OF_THE_HOUSE or _IS_WORKED_ON.search(text) is None and refers is not _CONTENTS[1] or bool(_FREE.search(before))
    return bool(_FREE.search(before))


_FREE = pattern(
    r"\b(?:ask\w{0,3}|if|once|until|when|unless|without|request\w{0,3}|whether|offers?|where|how|should|not|n't|after|before|says that|"
    r"explains? (?:that|how)|e\.g\.|such as|in case)\b[^.;!?\n]{0,60}$|n't\b[^.;!?\n]{0,60}$"
)
_IS_WORKED_ON = pattern(rf"\b{_WORKS_ON}\b|\b(?:show up|appear|point(?:s|ed)? out|flag(?:s|ged)?|summar\w{1,6}|make it into|marks?|grades?|counts?|rates?|(?:is|are) (?:all )?(?:still )?there|translat\w{2,6}|version|kept|intact|preserved|survives?|remains?|deal with|includes?|contains?|covers?|comment)\b")


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
            acting = any(one.sentence == clause.sentence and not one.before and one.verb in _MOVES for one in following)
        if clause.sentence in flagged:
            continue
        found = _first_absent(_LITERAL, criterion.plain, (begin, clause.end), folded, known) if acting else None
        if not (head(clause.before) in SOURCE and clause.verb in RESULT):
            found = found or _first_absent(_RECORD, criterion.plain, (begin, clause.end), folded, known)
        if found is None and acting:
            found = _count(clause, known) or _name(clause, criterion.plain, folded)
        if found is not None and not _EXAMPLE.search(criterion.plain, max(0, found[0][0] - 90), found[0][0]):
            flagged.add(clause.sentence)
            span, value = found
            message = f"{value!r} is in the text and not in the scenario, so no response can know it"
            rewrite = f"Put {value} into the scenario, or expect the agent to ask for it."
            yield criterion.finding(CODE, SEVERITY, span, message, rewrite)


def _acts(clause: Clause) -> bool:
    """Tell whether a clause has something done, or tells what is in what is made."""
    if clause.negated or clause.modal in ("can", "could", "may", "might", "would", "will", "cannot", "can't"):
        return False
    if _PLACES.intersection(clause.leads):
        return False
    noun = head(clause.before)
    if noun in SOURCE and clause.verb in RESULT and noun not in _ARTEFACT - {"record", "log", "entry"}:
        return False
    if noun in _ARTEFACT and clause.verb in _HOLDS:
        return True
    if clause.verb in _MOVES and clause.before and not is_agent(clause.before):
        return clause.verb != "end" or [token.low for token in clause.after[:1]] == ["up"]
    if clause.verb == "collect" and clause.bare:
        return True
    if clause.verb in ("close", "open", "end", "begin", "start", "finish", "conclude", "lead") and [token.low for token in clause.after[:1]] in (["with"], ["by"], ["on"]):
        return False
    if clause.verb == "send" and (clause.bare or is_agent(clause.before)) and [token.low for token in clause.after[:1]] in (["her"], ["him"], ["them"]):
        return "to" not in clause.words()
    if clause.bare or is_agent(clause.before):
        if clause.verb in ("want", "expect", "need") and clause.before:
            return not any(token.low in SOURCE for token in clause.after)
        return _does(clause) and clause.form != "ing"
    if clause.passive or (clause.form == "ed" and clause.verb in ACT):
        if is_user(clause.before) and clause.verb == "tell":
            return not any(token.low in ("that", "how", "what") for token in clause.after[:1])
        if clause.verb in ("book", "log", "note"):
            return True
        return head(clause.before) not in _ARTEFACT_PARTS and _does(clause)
    return False


_MOVES = words("go move reach end land")
_PLACES = words("if when whether unless how what which who whose where that why")
_ONLY_SAID = SAY - words("cancel note match draft show") | words(
    "note link reply answer remind get do bring generate produce make prepare quote value estimate translate convert plan show "
    "correct fix mark play check convert check start call complete run end hold build"
) - words("play make get")


def _does(clause: Clause) -> bool:
    """Tell whether the verb of a clause is more than saying, asking or looking."""
    return clause.verb in ACT - _ONLY_SAID or bool(clause.verb) and clause.verb not in _NO_ACT


_NO_ACT = _ONLY_SAID | SAY | GET | LOOK | FIND | RESULT | words("be have do like wait help try need want let produce match cost come use keep stay avoid ensure treat prefer follow assume work figure reckon count")
_ARTEFACT_PARTS = words("answer reply response tone poem haiku story joke steps list exercise example option options")


def _says(clause: Clause) -> bool:
    return bool(clause.verb) and clause.verb not in ACT or bool(clause.verb in SAY and clause.bare)


def _first_absent(
    literal: re.Pattern[str], text: str, span: tuple[int, int], scenario: str, numbers: frozenset[str]
) -> tuple[tuple[int, int], str] | None:
    for found in literal.finditer(text, *span):
        kind = found.lastgroup or ""
        value = found[kind] if kind else ""
        if kind == "bound" or not value:
            continue
        bare = value.strip('"').lower().rstrip(".,")
        known = bare in scenario if kind in ("text", "mail") else _is_known(value, numbers)
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
    return frozenset(found | {str(int(one) + 12) for one in found if len(one) < 3 and int(one) <= 12} | {
        str(int(one) - 12) for one in found if len(one) == 2 and 13 <= int(one) <= 24
    })


def _count(clause: Clause, numbers: frozenset[str]) -> tuple[tuple[int, int], str] | None:
    """Return a number of people or things that is spelt out: a table for six."""
    tokens = clause.tokens
    for before, token in zip(tokens, tokens[1:], strict=False):
        if token.low in _COUNTS and before.low in ("for", "of", "at", "to") and _NUMBER_WORDS[token.low] not in numbers:
            return (token.start, token.end), token.text
    return None


def _name(clause: Clause, text: str, scenario: str) -> tuple[tuple[int, int], str] | None:
    """Return a name of a person, a place or a day that the scenario has not."""
    tokens = clause.tokens
    for index, token in enumerate(tokens):
        low = token.low.removesuffix("'s").strip("_")
        if re.match(r"[A-Z][\w&]{2}", token.text) is None or low in _COMMON_NAMES or _starts(tokens, index, text) or low in scenario:
            continue
        if token.text.isupper() and len(token.text) <= 5 and token.text.isalpha():
            continue
        before = tokens[index - 1].low if index else ""
        if before in _INTO_TOOL and low not in _DAYS and not _is_place(tokens, index):
            continue
        return (token.start, token.end), token.text
    return None


def _is_place(tokens: Sequence[Token], index: int) -> bool:
    return tokens[index - 1].low == "in" and index > 1 and tokens[index - 2].low in (
        "depot", "nephew", "niece", "office", "branch", "sister", "brother", "stop", "shop", "store", "address", "flat", "hotel", "site"
    )  # fmt: skip


def _starts(tokens: Sequence[Token], index: int, text: str) -> bool:
    """Tell whether a word stands at the start of a sentence, where any word has a capital letter."""
    before = text[: tokens[index].start].rstrip()
    return not before or before[-1] in '.!?;:\n"('


def _names(scenario: str) -> list[str]:
    """Return the words in a scenario that have a capital letter within a sentence."""
    return re.findall(r"(?<=[a-z,] )[A-Z][a-z]{2,20}\b", scenario)
