"""Demands in a criterion for an exact wording."""

from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._verbs import any_form

_TELLS = any_form(
    words(
    "say reply answer respond state greet close write use read put contain include carry feature open begin start "
    "end finish conclude introduce word phrase render translate call"
)
)  # fmt: skip
_TEXTS = (
    r"(?:words?|wordings?|phras(?:e|es|ing)|sentences?|texts?|formulations?|formulas?|lines?|language|script|template|"
    r"quotes?|quotations?|expressions?|terms|strings?|spelling|punctuation|capitali[sz]ation)"
)
_COPIES = any_form(
    words(
    "quote repeat recite cite copy reproduce echo mirror read relay paste transcribe parrot render restate "
    "replicate duplicate print give return take adopt carry put use insert"
)
)  # fmt: skip
_ALTERS = (
    r"(?:chang|alter|edit|modif|amend|tweak|touch|add|reword|rephras|paraphras|shorten|embellish|omit|adapt|"
    r"deviat|vary|"
    r"depart|abbreviat|improvis|translat|summari[sz])(?:e|es|ed|ing|y|ies|ied|s|ting|ying)?"
)
FAILS = (
    r"(?:fails?|failed|failures?|counts? as|wrong|not (?:be )?(?:ok|okay|allowed|accepted|permitted|acceptable|"
    r"good enough|"
    r"enough|tolerated)|isn't (?:ok|okay|allowed|accepted|enough|acceptable)|aren't (?:ok|allowed|accepted)|forbidden|"
    r"unacceptable|no-go|rejected|incorrect|invalid|a miss|marked down|is out|ruled out|zero)"
)
_QUOTED = r"\"[^\"\n]{2,300}\""
WORDING = (
    pattern(
        r"\b(?:verbatim|(?:word|letter|line|character|char|sign|comma|syllable)[- ]?(?:for|by|to|:)[- ]?"
        r"(?:word|letter|line|character|char|sign|comma|syllable)|(?:one|1)[- ]?(?:for|to|:)[- ]?(?:one|1)|"
        r"to the letter|1 ?: ?1|cop(?:y|ied)[- ]?and[- ]?pasted?|copy-pasted?|"
        r"ad litteram|word perfect|word-perfect|(?:character|letter)-perfect)\b"
    ),
    pattern(rf"\b(?:exact|precise|literal|identical|very|self-same|original) {_TEXTS}\b"),
    pattern(
        rf"\b(?:exactly|precisely|strictly|just|literally) (?:the way (?:it|they|that)|how (?:it|they)|"
        rf"as (?:written|stated|printed|given|worded|it|they|in\b|on\b|"
        rf"the|per)|like (?:the|it|this)|(?:the|these|this|those) (?:\w{{1,20}} )?{_TEXTS}|what the|so:)"
    ),
    pattern(rf"\b{_TELLS} (?:exactly|precisely|only|nothing but|neither more nor less than|literally)\b(?=:? ?[\"'])"),
    pattern(rf"\b(?:is|be|=|equals?|reads?|must be):? ?(?:exactly |precisely |simply |just )?{_QUOTED}"),
    pattern(r"\b(?:exactly|precisely|literally|verbatim)[,:]? ?\""),
    pattern(r"\b(?:exactly|precisely) as \w{3,12}(?:ed|en)\b(?! (?:by|in the (?:system|order|booking)))"),
    pattern(r"\bfollowing[^\".;!?\n]{0,30}: ?\"|\bno free (?:rendering|version|translation|paraphrase|wording)\b"),
    pattern(
        r"\b(?:every|each) (?:single )?(?:word|letter|comma|syllable)\b[^.;!?\n]{0,40}? (?:counts|matters|"
        r"must|has to)\b"),
    pattern(r"\b(?:identical|equal) (?:to|with)\b(?! (?:\w{1,15} )?(?:price|amount|value|number|total))"),
    pattern(
        r"\bwithout (?:[a-z]{2,12} )?(?:changing|altering|(?:adding|dropping) (?:a |any |one |"
        r"single ){0,2}words?|modifying|rewording|rephrasing|paraphrasing|"
        r"touching|(?:the slightest|any|a|a single|one) (?:departure|deviation|change|alteration|rewording|"
        r"paraphras\w{1,5}|edit|modification|deviation|paraphrase)|paraphrase)\b|\bno libert(?:y|ies)\b"
    ),
    pattern(
        r"\b(?:no|must not|not be|not to be|never|may not be|don't|do not) (?:paraphras\w{0,5}|"
        r"reword\w{0,3}|rephras\w{0,3})\b"),
    pattern(
        r"\b(?:as|in the way|the way) (?:it|they|that|these|this)? ?(?:is|are|stands?|was|were|is written|"
        r"appears?|reads?)?"
        r"(?: ?(?:written|printed|worded|phrased|stands?|spelt|spelled))\b(?! by\b)"
    ),
    pattern(
        rf"\b{_COPIES}\b[^.;!?\n]{{1,80}}? (?:literally|exactly|unchanged|as (?:published|printed|written|"
        rf"worded|is|it is|they are|it stands|they stand))\b"),
    pattern(
        rf"\b{_TEXTS}\b[^.;!?\n]{{0,40}}? (?:match\w{{0,2}}|equals?|corresponds? to|follows?|"
        rf"agrees? with)\b[^.;!?\n]{{1,60}}?"
        r" (?:exactly|precisely|fully|completely|perfectly)\b"
    ),
    pattern(
        rf"\b{_TELLS}(?: (?:off|with|by saying|by|the caller|the user|them|him|her|as follows|thus)){{0,3}}"
        rf"(?: (?:the|our|a|its|following|standard|stock|line|phrase|sentence|words?|formula|text|greeting|"
        rf"slogan|motto|"
        rf"sign-off|closing)){{0,4}}:? ?{_QUOTED}"
    ),
    pattern(
        rf"\b(?:first|last|opening|closing|final) {_TEXTS} (?:is|are|must be|reads?|should be|has to be|"
        rf"says?):? ?\""),
    pattern(rf"\b(?:phrase|sentence|words|line|wording|greeting|slogan|motto|formula)(?: is|:|,)? ?{_QUOTED}"),
    pattern(
        rf"{_QUOTED}[ ,-]{{0,3}}(?:must|has to|should|needs to) (?:be|appear|occur|feature|stand|come|show|"
        rf"turn)\b"),
    pattern(rf"{_QUOTED} ?(?:[-\u2013\u2014,]) ?(?:that|this|these|exactly|no other)\b"),
    pattern(
        rf"\b(?:as (?:is|are)|(?:{_TEXTS}|notice|clause|note|message|disclaimer|{_COPIES})\b[^.;!?\n]{{0,60}}? "
        r"(?:unaltered|unedited|unmodified|unabridged|unadapted|untouched))\b(?! (?:the|usual|"
        r"possible|needed|"
        r"common|customary|known|appropriate|required|often|right|fair|fit|necessary|well|it|typical|proper|also))"
    ),
    pattern(
        rf"\b{_COPIES}\b[^.;!?\n]{{0,60}}?\b(?:as (?:is|it is|they are|it stands)|unchanged|exactly|in the wording)\b"
    ),
    pattern(
        rf"\b(?:(?:the|in) )?(?:same|own|original|exact|identical) {_TEXTS} (?:of|as|in|from|that|used|which|"
        rf"on) (?:the|our|its|in|"
        r"by)?"
    ),
    pattern(
        r"\b(?:in|with|using|by) (?:the|its|our) (?:[a-z]{3,15}'s )?(?:own )?(?:words?|wording|"
        r"phrasing) (?:of|in|from|used)\b"),
    pattern(
        r"\b(?:every|each) (?:word|letter|comma|syllable|line|character|sentence)(?: and \w{3,10})? (?:as|"
        r"the same|in place|of the original)\b"),
    pattern(r"\bin the (?:[a-z]{3,15}'s) (?:own|very|exact|original) (?:words|wording|phrasing|language)\b"),
    pattern(
        r"\bdown to the (?:last )?(?:punctuation|comma|letter|word|capital\w{0,10}|dot|full stop|hyphen|"
        r"spelling)\b"),
    pattern(
        rf"\b(?:synonyms?|re-?phras\w{{1,5}}|re-?wording\w{{0,2}}|reworded|paraphras\w{{1,5}}|other words?|"
        rf"different words?|"
            r"own words|looser|variants?|variations?|improvis\w{1,6}|approximations?|near[- ]misses|"
            r"similar (?:words?|wording)|"
            rf"(?:any )?(?:deviations?|departures?|changes?)(?: \w{{1,12}}){{0,4}}?|"
            rf"anything else)\b[^.;!?\n]{{0,40}}?\b{FAILS}"),
    pattern(
        r"\b(?:not|no|nor|neither)(?: (?:a|an|one|single|even|so much as)){0,3} (?:words?|syllables?|commas?|"
        r"letters?|characters?|"
        r"iota|jot)(?: of \w{1,12}(?: \w{1,15})?)? (?:more|less|different|differently|changed|else|added|"
        r"altered|missing|may|must|"
        r"should|can|is|left|out|moved|dropped|too)\b"
    ),
    pattern(r"\b(?:appears?|used|quoted|stays?|kept|repeated|reproduced|included|cited|remains?) "
        r"(?:unchanged|unaltered|intact)\b"),
    pattern(
        r"\bwithout (?:[a-z]{4,12}ing (?:out |away )?(?:or|and|nor) )?[a-z]{4,12}ing (?:out )?"
        r"(?:a|any|one) (?:single )?(?:words?|syllable|comma|letter)\b"
    ),
    pattern(
        r"\b(?:no|not a) (?:variations?|deviations?|rewording|rephrasing|paraphras\w{1,5}|improvis\w{1,6}|"
        r"own words)\b"),
    pattern(
        r"\b(?:must|has to|have to|should|needs? to|is to|are to) (?:match|follow|stick to|mirror|equal|"
        r"reproduce) (?:the|our|"
        r"this|that) (?:[\w-]{1,20} ){0,2}?(?:text|wording|script|template|book|phrase|sentence|notice|"
        r"disclaimer|leaflet|"
        r"slogan|motto|handbook|letter)\b"
    ),
    pattern(
        r"\b(?:scripted|prescribed|canned|standard|agreed|official|approved|stock|boilerplate|set|mandated|"
        r"house) (?:line|sentence|"
        r"greeting|phrase|formula|wording|opener|opening|closing|sign-off|formulation|script|salutation)\b"
    ),
    pattern(
        r"\b(?:text|wording|words|clause|notice|definition|disclaimer) (?:is |are |must be |"
        r"to be )?(?:taken|copied|lifted|pasted|"
            r"reproduced|kept) (?:over )?(?:straight|directly|unchanged|as|without|word|in full|from)\b"),
    pattern(
        r"\b(?:sticks?|keeps?|adheres?|stays?|cling|hold) (?:strictly |closely |exactly )?to (?:the|"
        r"our) (?:exact |precise |literal )?"
            r"(?:script|wording|words|text|phrasing|letter|formulation)\b"),
    pattern(
        rf"\b(?:{_ALTERS}) (?:nothing|no word|none of (?:it|the words))\b|"
        rf"\bnothing (?:\w{{2,6}} )?(?:changed|added|altered|reworded)\b"),
)  # fmt: skip
