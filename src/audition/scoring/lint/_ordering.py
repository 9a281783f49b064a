"""Demands in a criterion for an order of the reply's parts."""

from audition.scoring.lint._english import pattern, words
from audition.scoring.lint._verbs import any_form
from audition.scoring.lint._wording import FAILS

_NOT_DONE = (
    r"(?!(?:[\w'-]{1,20} ){1,4}(?:has|have) been (?!mentioned|stated|named|given|explained|said|told|listed|covered|"
    r"shown|discussed|presented))"
)
"""Not what must be done before something is said: before the account has been looked up."""

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
ORDERING = (
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
            r"first)\b|\b(?:an? )?(?:alphabetical|chronological|ascending|"
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
        rf"(?:the )?(?:end|deadline|departure|tool|lookup|order|purchase|booking|payment|trip)\b){_NOT_DONE}\w"
    ),
    pattern(rf"\b{_DEMANDS} (?:also |only |always )?(?:come|stand|appear|go|wait|be|follow|feature|sit|occur|figure)"
            r"(?: (?:given|mentioned|named|listed|placed|put|stated|dealt with|covered|discussed|treated|shown|"
            r"explained|addressed|"
            r"answered|presented|the))?(?: right| directly| straight| only| immediately)? "
            r"(?:first|last|second|third|before|after|ahead|until|"
            r"at the (?:very )?(?:top|end|start|beginning|bottom|head|foot|outset|close)|"
            r"on top|above|below|beneath|up front|"
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
            rf"(?!it\b|they\b|he\b|she\b|\w{{2,20}}ing\b|\d){_NOT_DONE}\w"),
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
    pattern(rf"\b(?:any |some |an?)?other (?:{_ORDER}|way round)\b[^.;!?\n]{{0,40}}?\b{FAILS}|"
            rf"\b(?:a |any )?(?:different|wrong|changed|another) {_ORDER}\b[^.;!?\n]{{0,40}}?\b{FAILS}|"
            rf"\b(?:swapp\w{{2,3}}|switch(?:ing|ed)|revers\w{{1,3}}|shuffl\w{{1,3}}|"
            rf"mix(?:ing|ed)) [^.;!?\n]{{1,50}}?\b{FAILS}"),
    pattern(
        rf"\b{_ORDER} (?:matters|counts|is (?:fixed|important|key|binding|essential|crucial|strict|decisive|"
        rf"not free)|"
            r"is (?:\w{1,20} )?mandatory)\b"),
    pattern(
        r"\b(?:the )?(?:very |opening |closing |top )?(?:first|last|opening|closing|final|second|top|"
        r"topmost) (?:sentence|line|paragraph|bullet)(?: [a-z]{3,14}s (?:the|a|an|that|how|why|for|on|up|out|what)\b"
        rf"| of (?:the|its|his|her) (?:\w{{2,12}} )?{_PART}\b)|"
        r"\b(?:the )?(?:very |opening |closing |top )?(?:first|last|opening|closing|final|second|top|"
        r"topmost) (?:sentence|thing|line|"
        r"words?|paragraph|bullet|point|topic|item|half|part)\b(?= (?:is|are|must|in|should|has|names?|says?|"
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
            r"ahead of|up front|next|on top|in front)\b"),
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
    pattern(
        r"\bfrom (?:the )?(?:north|south|east|west|left|right|old|young|new|small|large|cheap|front|inside|"
        r"outside|early|late)(?:ern)?"
        r" to (?:the )?\w{3,10}\b"
    ),
    pattern(r"\bit says [\w' -]{2,30}, then [\w' -]{2,30}, (?:and )?then\b"),
    pattern(
        r"\b(?P<part>sentence|paragraph|line|bullet|section|heading) (?:one|1|#1)\b[^!?\n]{1,120}?"
        r"\b(?P=part) (?:two|2|#2)\b|\b(?:1st|first) (?P<same>sentence|paragraph|line|bullet|section)\b[^!?\n]{1,120}?"
        r"\b(?:2nd|second) (?P=same)\b"
    ),
    pattern(
        r"\bin (?:the )?order of (?!the day\b|\d|magnitude)(?:the |their |its |his |her )?[a-z]|"
        r"\bin the order:? (?:[\w-]{1,20} ){0,3}[\w-]{1,20}, (?:and )?(?:[\w-]{1,20} ){0,3}[\w-]{1,20}(?:,| and\b)"
    ),
    pattern(
        rf"\b(?:{_PLACED}|lists?|covers?|(?:runs?|goes|go|walks?) through)\b"
        r"[^.;!?\n]{1,40}? from (?:the )?[\w-]{1,20} "
        r"(?:down to|up to|outwards?|inwards?|backwards?|downwards?|upwards?)\b"
    ),
    pattern(
        r"\b(?:opens?|closes?|ends?|begins?|starts?|heads?|concludes?|tops?|precedes?) (?:the|its) "
        r"(?:reply|answer|message|"
        r"response|e-?mail|text|letter)\b(?! (?:with|by|on|in|from|to|field|box)\b)"
    ),
    pattern(rf"\b{_DEMANDS} (?:open|start|begin|end|close|finish) on (?:the|an?|its)\b"),
    pattern(
        r"\b\w{2,20} before \w{2,20}(?:,| and)? (?:\w{2,20} )?before \w{2,20}\b|\bin this way: first\b"),
)  # fmt: skip
