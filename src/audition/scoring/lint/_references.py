"""References in a criterion to something that somebody is said to have given: the note she dictated."""

import re
from dataclasses import dataclass

from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._people import SOMEBODY, is_person
from audition.scoring.lint._verbs import HAND, any_form
from audition.scoring.lint._world import SOURCE

_GIVEN = (
    r"(?:provided|given|supplied|specified|attached|enclosed|pasted|dictated|uploaded|stated|quoted|submitted|"
    r"forwarded|"
    r"named|aforementioned|above-mentioned|user-supplied|shared|typed|mentioned|posted|linked|included)"
)
_NOUN = (
    r"(?:(?!and |or |never |not |once |when |if |that |which |after |until |as |is |are |to |in |of |by |for |on |"
    r"with )[\w'-]{1,30} ){0,2}?(?P<noun>[\w'-]{1,30})"
)
_WHO = (
    rf"(?:(?:the |a )?(?:{SOMEBODY}|(?!order|letter|number|answer|paper|after|other|either|offer|matter|under|"
    rf"over|document|"
    r"statement|payment|content|appointment)[a-z]{3,14}(?:er|or|ant|ent|ist|ee|ian)))"
)
_HANDED = any_form(HAND - words("want wish ask"), only="ed")
_REFERS = (
    pattern(
        rf"\b(?:the|this|that|these|those|his|her|their|both|each|every|"
        rf"all) {_GIVEN} (?:[\w'-]{{1,20}} )??(?P<noun>[\w'-]{{2,30}})\b"
    ),
    pattern(
        rf"\b(?:the|their|his|her|all|every|each|the (?:[\w'-]{{1,20}} ){{1,2}}and) {_NOUN} "
        r"(?:(?:that |which )?(?:was|were|has been|have been) |"
        rf"(?:that |which )(?:is|are) )?"
        rf"(?:{_GIVEN}|mentioned|listed|sent|sent in|handed (?:in|over))"
        rf"(?: by (?:the |their )?{_WHO}\b| (?:above|below)\b| in (?:the|their|her|his) (?:question|message|"
        rf"request|case|notes?|mail|"
        r"email|chat|attachment)\b|(?= ?(?:[.;,]|$)))"
    ),
    pattern(r"\bthe (?:above|preceding) (?P<noun>[\w'-]{2,30})\b"),
    pattern(
        r"\bthe (?:[\w'-]{1,20} )??(?P<noun>text|message|e-?mail|mail|letter|question|paragraph|"
        r"list|sentence|code|document|table|details|example|"
        r"draft|note) (?:above|below)\b"
    ),
    pattern(
        rf"\b(?:and|the|all|both|each|every|those|any|four|three|two|five|points|words)(?: of the|"
        rf" the)? {_NOUN},? (?:(?:that|which|whose \w{{1,15}}) )?"
        rf"{_WHO} (?:has |had |have |'s |just |originally |already ){{0,3}}(?P<handed>{_HANDED})\b"
        r"(?! (?:so|that|about|of)\b)"
    ),
    pattern(
        r"\b(?:the|his|her|their) (?:[\w'-]{1,20} )?(?P<noun>text|message|note|letter|draft|file|code|photo|document|"
        r"image|screenshot|details|data|list|table|wording|template|original|transcript) "
        r"(?:provided|supplied|attached|pasted|uploaded|dictated|enclosed)(?= (?:and|to|into|for|as|in|with)\b)"
    ),
    pattern(
        rf"\b(?:the|a|an|all|every|each) {_NOUN} (?:that|which) "
        r"(?:stands?|appears?|(?:is|are|was|were|can be) (?:\w{3,12}))"
        rf" (?:in|on) (?:the|his|her|their) (?:[\w'-]{{2,20}} )?(?:message|photos?|pictures?|screenshot|attachment|"
        r"e-?mail|letter|draft|file|image|video|sketch|recording)\b"
    ),
    pattern(rf"\b(?P<noun>what|whatever) (?:{_WHO}) (?:has |had |have |just )?(?P<handed>{_HANDED})\b"),
    pattern(rf"\b(?:just |exactly )?(?P<noun>as) {_WHO} (?P<handed>{_HANDED})(?: (?:it|them|this|that))?(?= ?[.,;]|$)"),
    pattern(
        rf"\bas (?:it |they )?(?:was |were |is )?(?P<noun>given|listed|named|reported|described|"
        r"told|typed|worded|phrased|written|dictated|supplied|"
        rf"sent in|stated|provided|specified|submitted) by {_WHO}\b"
    ),
)
_OF_THE_SYSTEM = words(
    "context instruction information tool knowledge source policy data guideline rule system prompt documentation "
    "role fact service option example criteria criterion scenario limit"
)
"""What an agent is given by its own makers."""
_NUMBERED = words(
    "number code id date time amount phone email address reading pin price sum figure slot day deadline account iban"
)
_NAMED = words("name surname recipient person guest place destination city title reason route colour size allergy")
_MATERIAL = pattern(r"\"[^\"\n]{2,300}\"|(?<!\w)'[^'\n]{2,300}'(?!\w)|:\s{0,3}\w|\n\s{0,3}\S|```|\([^)\n]{3,300}\)")
_WHOLLY_QUOTED = pattern(r"^\"([^\"]{1,2000})\"(?=[^\"]{0,40}$)")
_LONG_ENOUGH = 40
"""Words of a scenario that may well hold a text although nothing marks it."""
_WORKS_ON = any_form(
    words(
    "translate summarise summarize proofread correct shorten rewrite rephrase fix review improve condense edit "
    "polish transcribe format paraphrase simplify annotate sum double scale debug refactor render carry keep "
    "compare"
)
)  # fmt: skip
_TEXTS = (
    r"(?:paragraph|sentence|essay|email|e-mail|letter|message|document|report|article|draft|poem|speech|"
    r"transcript|minutes|tender|questionnaire|subtitles|attachment|slides?|deck|presentation|proposal|brief|"
    r"manuscript|sheet|worksheet|"
    r"spreadsheet|formula|function|code|script|snippet|recipe|text|note|notes|abstract|post|memo|notice|leaflet|"
    r"contract|offer|"
    r"quote|quotes|screenshot|photo|file|table|chapter|thesis|cv|resume|poem|translation|version|estimate|list)"
)
_REWORKS = any_form(
    words(
        "translate summarise summarize proofread shorten rewrite rephrase condense edit polish simplify paraphrase "
        "improve"
    )
)
_CONTENTS = (
    pattern(
        rf"\b(?:all|every|each|both|the) (?:of the )?(?:(?:two|three|four|five|six|seven|eight|nine|ten|\d{{1,3}}) )?"
        rf"(?P<noun>[a-z-]{{3,20}}(?: [a-z-]{{3,20}})?) (?:of|in|from|on|listed in|made in) (?:the|his|her|"
        rf"their) (?:[\w-]{{2,15}} )?{_TEXTS}\b"
    ),
    pattern(
        rf"\b(?:an?|the) (?:[\w-]{{2,15}} ){{0,3}}?(?P<noun>version|translation|summary|rewrite|"
        rf"synopsis) of (?:the|his|her|their) (?:[\w-]{{2,15}} )?{_TEXTS}\b"
    ),
    pattern(
        rf"\b{_REWORKS} (?:the|his|her|their) (?:[\w-]{{2,15}} )?(?P<noun>{_TEXTS})\b(?! (?:of|number|address|history))"
    ),
    pattern(
        r"\b(?:line|page|paragraph|section|clause|item|row|cell|step|chapter|verse|no\.|"
        r"nos\.) (?:no\. )?\d{1,4}(?: of| in| on) (?:the|his|her) (?P<noun>[\w-]{2,20})\b"
    ),
    pattern(
        r"\b(?:all|both|the) (?:two|three|four|five|six|seven|eight|nine|ten) (?P<noun>[\w-]{3,20}) (?:in|of|on) it\b"
    ),
    pattern(
        rf"\b(?:the|his|her|their) (?P<noun>[\w-]{{3,20}}) (?:of|in) (?:the|his|her|"
        rf"their) (?:[\w-]{{2,15}} )?{_TEXTS}\b"
    ),
)
_OF_THE_HOUSE = words(
    "website handbook brochure policy manual faq leaflet catalogue portal app site contract system record account "
    "bill invoice book menu prospectus terms agreement reply answer response poster"
)


def reference(text: str, scenario: str) -> tuple[tuple[int, int], str] | None:
    """Return where a text first refers to what the scenario does not give, and what that is; None when it does not."""
    given = _given(scenario)
    for refers in (*_REFERS, *(() if given.text else _CONTENTS)):
        for found in refers.finditer(text):
            noun = found["noun"].lower()
            if (
                noun in _NO_NOUN
                or noun.endswith(("ly", "n't"))
                or (refers is _REFERS[0] and found[0].split()[1].lower() in given.scenario)
                or (refers is _REFERS[1] and (is_person(noun) or noun in SOURCE))
                or given.has(noun, found.groupdict().get("handed"))
                or _is_excluded(text, found, refers)
            ):
                continue
            return found.span(), "content" if noun in _NO_NAME else noun
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """What a scenario, in lower case, gives: a text, values, names."""

    scenario: str
    text: bool
    values: bool
    names: bool

    def has(self, noun: str, handed: str | None) -> bool:
        """Tell whether the scenario gives something of a kind, or says itself that it was given."""
        one = noun.removesuffix("s")
        if one in _OF_THE_SYSTEM:
            return True
        if handed and noun not in _NO_NAME and one[:5] in self.scenario and handed.lower()[:5] in self.scenario:
            return True
        if one in _NUMBERED:
            return self.values
        return self.names if one in _NAMED else self.text


def _given(scenario: str) -> _Given:
    marked = _MATERIAL.search(_WHOLLY_QUOTED.sub(r"\1", scenario.strip())) is not None
    text = marked or scenario.count(" ") >= _LONG_ENOUGH
    values = "@" in scenario or any(char.isdigit() for char in scenario)
    named = _NAME.search(scenario) is not None
    return _Given(scenario=scenario.lower(), text=text, values=values, names=values or text or named)


_NO_NOUN = words("once when until after if that which is are was were be")
_NO_NAME = words("listed named reported described told typed what whatever given as worded phrased written dictated")
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,20}\b")


def _is_excluded(text: str, found: re.Match[str], refers: re.Pattern[str]) -> bool:
    before = text[max(0, found.start() - 70) : found.start()]
    if refers in _CONTENTS:
        last = found[0].lower().split()[-1]
        return (
            last in _OF_THE_HOUSE
            or (_IS_WORKED_ON.search(text) is None and refers is not _CONTENTS[1])
            or bool(_FREE.search(before))
        )
    return bool(_FREE.search(before))


_FREE = pattern(
    r"\b(?:ask\w{0,3}|if|once|until|when|unless|without|request\w{0,3}|whether|offers?|where|how|should|not|n't|"
    r"after|before|says that|"
    r"explains? (?:that|how)|e\.g\.|such as|in case)\b[^.;!?\n]{0,60}$|n't\b[^.;!?\n]{0,60}$"
)
_IS_WORKED_ON = pattern(
    rf"\b{_WORKS_ON}\b|\b(?:show up|appear|point(?:s|ed)? out|flag(?:s|ged)?|summar\w{1, 6}|make it into|marks?|"
    rf"grades?|counts?|rates?|(?:is|are) (?:all )?(?:still )?there|translat\w{2, 6}|version|kept|intact|"
    rf"preserved|survives?|remains?|deal with|answered|includes?|contains?|covers?|comment)\b"
)
