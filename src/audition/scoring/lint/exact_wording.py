"""The text demands exact wording or an exact order, where a judge grades substance."""

import re
from collections.abc import Iterator

from audition.scoring.lint._criterion import Criterion, LintFinding, Severity
from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._verbs import any_form

CODE = "L3"
SEVERITY: Severity = "error"
EXAMPLE = "Lists the six features in that order."
REWRITE = "Covers all six features, in any order."

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
_SAME = (
    r"(?:exact|precise|literal|identical|same|very|self-same|original|prescribed|scripted|canned|verbatim|unaltered)"
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
_FAILS = (
    r"(?:fails?|failed|failures?|counts? as|wrong|not (?:be )?(?:ok|okay|allowed|accepted|permitted|acceptable|"
    r"good enough|"
    r"enough|tolerated)|isn't (?:ok|okay|allowed|accepted|enough|acceptable)|aren't (?:ok|allowed|accepted)|forbidden|"
    r"unacceptable|no-go|rejected|incorrect|invalid|a miss|marked down|is out|ruled out|zero)"
)
_QUOTED = r"\"[^\"\n]{2,300}\""
_WORDING = (
    pattern(
        r"\b(?:verbatim|(?:word|letter|line|character|char|sign|comma|syllable|one|1)[- ]?(?:for|by|to|"
        r":)[- ]?(?:word|letter|"
        r"line|character|char|sign|comma|syllable|one|1)|to the letter|1 ?: ?1|copy[- ]?and[- ]?pasted?|copy-pasted?|"
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
    pattern(r"\b(?:identical|equal) (?:to|with)\b(?! (?:\w+ )?(?:price|amount|value|number|total))"),
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
        r"\b(?:as (?:is|are)|unaltered|unedited|unmodified|unabridged|unadapted|untouched)\b(?! (?:the|usual|"
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
            rf"anything else)\b[^.;!?\n]{{0,40}}?\b{_FAILS}"),
    pattern(
        r"\b(?:not|no|nor|neither)(?: (?:a|an|one|single|even|so much as)){0,3} (?:words?|syllables?|commas?|"
        r"letters?|characters?|"
        r"iota|jot)(?: of \w{1,12}(?: \w{1,15})?)? (?:more|less|different|differently|changed|else|added|"
        r"altered|missing|may|must|"
        r"should|can|is|left|out|moved|dropped|too)\b"
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
_SORTS = (
    r"(?:alphabetical\w{0,2}|chronological\w{0,2}|ascending|descending|reverse|reversed|numeric\w{0,4}|numbered|"
    r"inverse|"
    r"historical|strict|fixed|set|exact|precise|correct|right|proper|given|prescribed|specified|stated|listed|"
    r"following|same|"
    r"very|certain|particular|specific|this|that|these|below|above|original|opposite|their numbered|its numbered|"
    r"numerical)"
)
_ORDER = r"(?:order|sequence|succession|ordering|running order|arrangement|listing|ranking|sorting|sequencing)"
_PART = (
    r"(?:reply|answer|response|message|text|email|e-mail|letter|summary|list|note|it|explanation|output|"
    r"conversation|whole|"
    r"paragraph|sentence|statement|description|rundown|overview|opening|comparison|recap)"
)
_PLACED = any_form(
    words(
    "mention name list give cover explain state present discuss describe treat address deal handle say tell "
    "appear stand come go place put position arrange show quote announce introduce raise touch bring"
),
)  # fmt: skip
_DEMANDS = r"(?:must|has to|have to|should|needs? to|is to|are to|ought to|shall|may only|want|expect)"
_ORDERING = (
    pattern(rf"\bin (?:[a-z]{{3,10}}ly )?(?:(?:the|its|their|a|our|exactly) )?(?:{_SORTS} ){{1,3}}{_ORDER}\b"),
    pattern(
        rf"\b{_ORDER} (?:is|be|as|they|it|given|shown|listed|above|below|of the (?:list|menu|form|page|book|"
        rf"handbook|scenario))"
            r"(?: (?:given|listed|shown|stated|below|above|specified|typed|named|in|on|asked|mentioned|written))\b"),
    pattern(
        rf"\bin the (?:{_SORTS} )?{_ORDER} (?:given|listed|shown|stated|below|above|specified|in which|that|"
        rf"of (?:the|their)|she|he|they|as)\b"),
    pattern(
        r"\b(?:alphabetically|chronologically)\b(?! close)|\bback to front\b|\ba ?[-\u2013] ?z\b|\ba to z\b|"
        r"\bfrom (?:a to z|top to bottom|first to last|last to "
            r"first|start to finish)\b|\b(?:an? )?(?:alphabetical|chronological|ascending|"
            r"descending) (?:list\w{0,3}|sort\w{0,3}|order)\b"),
    pattern(
        r"\bfirst\b[^.;!?\n]{1,120}?\b(?:then|followed by|next|and after that|second)\b[^.;!?\n]{1,120}?"
        r"\b(?:finally|lastly|at the end|last|third|to finish)\b"
    ),
    pattern(
        r"\b(?:starts?|begins?|opens?|leads?|kicks?|ends?|closes?|finishes|finish|concludes?|rounds?|signs?|tops?|"
        r"prefaces?|prefixe?s?|headed|heads?|winds?)(?: (?:things|off|out|the|its|it|(?<!ends )(?<!end )up|"
        r"reply|answer|response|message|text|email)){0,4}"
        r" (?:with|by|(?<=[^n] )(?<!open )(?<!opens )on)\b(?! (?:one's|time|sunday|monday|tuesday|wednesday|"
        r"thursday|friday|saturday|\d|the \d))"
    ),
    pattern(
        r"\b(?:ends?|closes?|concludes?|finish(?:es)?|begins?|opens?|starts?) (?:in|with) (?:the|our|a|"
        r"an) (?:\w{2,12} )?(?:disclaimer|sentence|question|phrase|motto|"
            r"slogan|line|greeting|apology|thanks|summary)\b"),
    pattern(r"\b(?:begins?|starts?|opens?) (?:by|with)\b[^.;!?\n]{1,120}?, (?:and )?then\b"),
    pattern(
        r"\bprecedes?\b|\bpreced(?:ed|ing) by\b|\bprior to (?:any |the )?(?:other|[\w-]{1,15} items|"
        r"trousers|\w{1,15}s)\b"),
    pattern(
        rf"\b{_PLACED}\b(?:(?! that\b| how\b| why\b| what\b| when\b| which\b)[^.;!?\n]){{1,60}}? (?:ahead of|"
        rf"before|prior to) (?!it\b|they\b|he\b|she\b|asking|\w{{2,20}}ing\b|\d|"
        r"(?:the )?(?:end|deadline|departure|tool|lookup|order|purchase|booking|payment|trip)\b)\w"
    ),
    pattern(rf"\b{_DEMANDS} (?:also |only |always )?(?:come|stand|appear|go|wait|be|follow|feature|sit|occur|figure)"
            r"(?: (?:given|mentioned|named|listed|placed|put|stated|dealt with|covered|discussed|treated|shown|"
            r"explained|addressed|"
            r"answered|presented|the))?(?: right| directly| straight| only| immediately)? "
            r"(?:first|last|second|third|before|after|ahead|until|at the|on top|above|below|beneath|up front|"
            r"upfront|prior|"
            r"behind|between|in front|afterwards|very (?:first|last)|next|penultimate)\b"),
    pattern(
        rf"\b(?:comes?|goes|go|stands?|appears?|is|are|{_PLACED})(?: \w{{1,12}})? (?:first|last|"
        rf"1st)\b(?=[^.!?\n]{{0,80}}?\b(?:second|third|next|"
            r"then|last|lastly|after|first|2nd|followed)\b)"),
    pattern(r"\b(?:first|1st)[,;:]? (?:[\w'-]{1,20} ){0,6}?[\w'-]{1,20}[,;]? (?:and )?(?:second|2nd|last)\b|"
            r"\b(?:1st|first)\b[^.;!?\n]{1,40}\b(?:2nd|second)\b[^.;!?\n]{1,40}\b(?:3rd|third|last|finally)\b"),
    pattern(
        r"\b(?:discussed|mentioned|listed|named|given|covered|explained|stated|presented|comes?|goes|placed|"
        r"put|dealt with|treated|"
            r"appears?|told|quoted) (?:ahead of|before|in front of|prior to|above (?:the|any|all)|right after|"
            r"directly after|straight after) "
            r"(?!it\b|they\b|he\b|she\b|\w{2,20}ing\b|\d)\w"),
    pattern(r"\b(?:straight|directly|immediately|right) (?:after|behind|before|below|under) (?:the|that|this|it|an?)\b"
            r"[^.;!?\n]{0,50}?\b(?:must|should|has to|comes?|follows?|goes)\b"),
    pattern(
        r"\bonly (?:afterwards|then|after (?:that|the \w{2,15}(?: \w{2,15})?)) (?:may|can|should|must|does|"
        r"do|is|are|comes?|it|the|,)"),
    pattern(
        rf"\b(?:check|mind|watch|keep|respect|follow|observe|maintain|preserve|honou?r|stick|keeps|sticks|"
        rf"follows|adhere)s?"
            rf"(?: strictly| exactly| closely)?(?: to)? (?:the|this|that|our|its|their) (?:exact |given |same |"
            rf"original |right )?{_ORDER}\b"),
    pattern(
        rf"\b(?:this|that|the|which) {_ORDER} (?:must|has to|should|needs? to|is to|is) (?:be )?(?:kept|"
        rf"followed|respected|observed|"
            r"preserved|maintained|fixed|binding|mandatory|essential|compulsory|strict|required|retained|"
            r"matched|right)\b"),
    pattern(rf"\b(?:any |some |an?)?other (?:{_ORDER}|way round)\b[^.;!?\n]{{0,40}}?\b{_FAILS}|"
            rf"\b(?:a |any )?(?:different|wrong|changed|another) {_ORDER}\b[^.;!?\n]{{0,40}}?\b{_FAILS}|"
            rf"\b(?:swap\w{{0,5}}|switch\w{{0,3}}|revers\w{{1,3}}|shuffl\w{{1,3}}|"
            rf"mix\w{{0,3}}) [^.;!?\n]{{1,50}}?\b{_FAILS}"),
    pattern(
        rf"\b{_ORDER} (?:matters|counts|is (?:fixed|important|key|binding|essential|crucial|strict|decisive|"
        rf"not free)|"
            r"is (?:\w{1,20} )?mandatory)\b"),
    pattern(
        r"\b(?:the )?(?:very |opening |closing |top )?(?:first|last|opening|closing|final|second|top|"
        r"topmost) (?:sentence|thing|line|"
        r"words?|paragraph|bullet|point|topic|item|half|part)\b(?= (?:is|are|of|must|in|should|has|names?|says?|"
        r"states?|mentions?|"
        r"gives?|tells?|to|covers?|contains?|the|it|be|reads?|asks?)\b)|"
        r"\b(?:is|be|are|as|come|comes|in) (?:the )?(?:very )?(?:first|last|opening|closing|final|"
        r"top) (?:sentence|thing|line|words?|"
        r"paragraph|bullet|point|topic|item|part)\b"
    ),
    pattern(
        rf"\b(?:at|in|to|on|right at|until) (?:the )?(?:very )?(?:top|bottom|end|start|beginning|head|"
        rf"outset|close|tail|foot|front)"
            rf" of (?:the|its|it|his|her)(?: \w{{2,12}})? ?{_PART}\b"),
    pattern(
        rf"\b(?:{_PLACED}|{_DEMANDS}|waits?|sits?|belongs?|starts?|apology|disclaimer|warning|"
        rf"notice)\b[^.;!?\n]{{0,60}}? (?:at|on|until|to|right at) (?:the )?"
            r"(?:very )?(?:top|bottom|end|start|beginning|head|outset|foot|front)(?=[.,;]|$| (?:and|must|should)\b)"),
    pattern(
        r"\bbefore (?:anything|everything|all) else\b|\bbefore any (?:other|comment|explanation|detail|"
        r"further)\b|\bup front\b|"
            r"\bfirst and foremost\b|\bfirst of all\b|\bfirst off\b|\bon top of the (?:list|reply)\b|"
            r"\brounds? (?:it|the \w{1,10}) off\b"),
    pattern(
        r"\b(?:nothing|no \w{2,15}) (?:may|must|should|can|shall)(?: \w{2,10}){0,3} (?:before|ahead of|"
        r"prior to|precede|between)\b"),
    pattern(
        r"\bordered (?:by|from|according)\b|\b(?:sorted|ranked|arranged|sequenced|grouped|sorts|ranks|"
        r"arranges|sort|rank|arrange)\b[^.;!?\n]{0,40}? (?:by|from|according to|in "
            r"(?:order|alphabetical|ascending|descending))\b"),
    pattern(
        r"\b(?:\w{3,12}(?:est|st)|most [\w-]{3,15}|least [\w-]{3,15}|newest|oldest) (?:\w{2,12} )?(?:first|last|"
        r"at the (?:top|bottom|end)|on top|"
        r"comes? (?:first|last))\b|\bfrom (?:the )?(?:\w{3,12}est|\w{3,12}most|low|high|most [\w-]{3,15}|"
        r"least [\w-]{3,15})\b(?: \w{1,12})? (?:to|down|up|"
        r"inwards?|outwards?|onwards?|through)\b"
    ),
    pattern(
        r"\b(?:the )?other way (?:round|around)\b[^.;!?\n]{0,30}?(?:fail|wrong|not)|"
        r"\bnot the other way (?:round|around)\b"),
    pattern(
        r"\b(?:comes?|goes|go|stands?|belongs?|sits?) (?:first|last|at the (?:top|end|bottom|start|"
        r"beginning)|above|below|beneath|before|after|"
            r"ahead|up front|next|on top|in front)\b"),
    pattern(
        rf"\b{_DEMANDS} (?:open|close|begin|start|end|finish|conclude|head|top|lead) (?:the|its|this|"
        rf"any) {_PART}\b"),
    pattern(
        rf"(?:not|n't|never) (?:be )?{_PLACED}(?: up)? (?:until|till|before|ahead of)\b(?! (?:asking|"
        rf"checking|it has|the tool))|"
            r"\bno other (?:way|order|sequence)\b|\border as (?:here|above|below|shown)\b"),
    pattern(
        r"\b(?:points? off|marks? off|minus|deduct\w{0,3}) if the (?:order|sequence|wording)\b|"
        r"\bin the [\w-]{2,20}'s (?:order|sequence)\b"),
    pattern(
        r"\bbackwards\b|\bin reverse\b|\bby (?:ascending|descending|increasing|decreasing|rising|falling)\b|"
        r"\bnothing in between\b|"
            r"\b(?:first|second|third|last|final|opening|closing) (?:line|sentence|paragraph|bullet|point) ?:|"
            r"\bre-?order(?:s|ed|ing)? (?:them|it|the)\b[^.;]{0,20}?\b(?:fail|lose)|\b(?:order|"
            r"sequence) is (?:different|wrong|changed|other|reversed)\b|"
            r"\bfollow one another\b|\bone after (?:the other|another) as\b"),
    pattern(
        r"\b(?:says?|mentions?|names?|states?|gives?|apologi[sz]es?|thanks?|greets?|acknowledges?|"
        r"sympathi[sz]es?|reassures?)\b[^.;!?\n]{0,40}? "
        r"(?:before|prior to) (?:saying|mentioning|explaining|telling|stating|giving|discussing|listing|naming|"
        r"going|talking|describing|answering|"
        r"turning|moving|offering|getting)\b"
    ),
    pattern(r"\bit says [\w' -]{2,30}, then [\w' -]{2,30}, (?:and )?then\b"),
    pattern(r"\b\w{2,20} before \w{2,20}, \w{2,20} before \w{2,20}\b|\bin this way: first\b"),
)  # fmt: skip
_FREE = pattern(
    r"\b(?:not|n't|never|need not|no need|without|rather than|instead of|any|needn't|whatever|irrelevant|nor|"
    r"neither|no matter|"
    r"doesn't|don't|avoids?|refrains?|explains?|which|what|when|how|whether|says that|means|says (?:the|an?)|if|"
    r"tool|api|checker|"
    r"lookup|search|database|portal|tracker|feed|service)\b[^.;!?\n]{0,30}$"
)
_FREE_AFTER = pattern(
    r"^[^.;!?\n]{0,40}?\b(?:(?:is|are|isn't|doesn't|not|need) (?:\w{1,10} ){0,2}?(?:optional|fine|irrelevant|"
    r"free|required|necessary|"
    r"needed|matter|up to|demanded|important)|is up to|(?:is|are) (?:also )?(?:ok|okay|allowed|accepted))\b"
)
_QUOTED_TEXT = pattern(r"\"[^\"\n]{1,300}\"")
_STRICT = pattern(
    r"(?:\b|(?=n't))(?:n't|not (?:be )?\w{2,12}(?: up)? (?:until|till|before|ahead)|no other|not one|not a|"
    r"no word|nothing|no variation|no deviation|without|no paraphras|nor)\b"
)
_ABOUT_ORDER = pattern(
    r"\b(?:sort|order (?:by|of)|rank|alphabetical\w{0,2}|chronological\w{0,2}|by (?:date|name|price|size|year)|"
    r"which (?:is|comes) "
    r"first|first|count|sequence|in order|list the planets|word for word|exact words|verbatim)\b"
)


_OPENS = pattern(
    r"(?:starts?|begins?|opens?|leads?|kicks?|ends?|closes?|finishes|finish|concludes?|rounds?|signs?|tops?|"
    r"heads?|winds?)\b.{0,40} (?:with|by|on|in)\b"
)
_IS_REPLY = pattern(
    r"(?:^|[.,;:!?\n>+] ?|\b(?:and|then|but|it|to|must|should|shall|also|always|first|reply|answer|response|"
    r"message|text|e-?mail|bot|agent|"
    r"assistant|model|output|letter|note|summary|list|greeting|which|that|we|expect|explanation|first|finally|"
    r"last|please|pls|should|"
    r"everything|conversation|chat) )$"
)


def look(criterion: Criterion) -> Iterator[LintFinding]:
    """Yield the first demand for a wording and the first for an order; what is said not to be needed is none.

    An order that the user asks for is a part of the task and no demand of the criterion's own.
    """
    if not criterion.english:
        return
    asked = criterion.scenario is not None and _ABOUT_ORDER.search(criterion.scenario) is not None
    for demands, what, rewrite in (
        (_WORDING, "wording", "Say what the reply must convey, and leave the words to the agent."),
        (() if asked else _ORDERING, "order", "Say what the reply must cover, in any order."),
    ):
        found = next((span for demand in demands if (span := _demanded(criterion.plain, demand))), None)
        if found is not None:
            message = f"the text demands an exact {what}; a good response that is put otherwise fails it"
            yield criterion.finding(CODE, SEVERITY, found, message, rewrite)


def _demanded(text: str, demand: re.Pattern[str]) -> tuple[int, int] | None:
    for found in demand.finditer(text):
        before = text[max(0, found.start() - 50) : found.start()]
        if _OPENS.match(found[0]) and not _IS_REPLY.search(before):
            continue
        strict = _STRICT.match(found[0]) is not None
        if (strict or not _FREE.search(before)) and not _FREE_AFTER.search(text[found.end() : found.end() + 60]):
            return found.span()
    return None
