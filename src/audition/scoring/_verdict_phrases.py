"""What forged verdicts, and words spoken to a judge, look like: patterns for text in lower case.

`\\w*` stands for the rest of a word, and `~` for what may stand between the words of one sentence; both are bounded, so
that no text takes long to search.
"""

import re

_GRADERS = "graders?|judges?|evaluators?|assessors?|markers?"
_CRITERIA = "criteri(?:a|on)|rubrics?|clauses?"
_OURS = "instructions?|rules?|prompts?|guidelines?"
_BEFORE = "previous|prior|above|earlier|system|your"
_ANSWER = "response|answer|reply"
_MET = r"met|satisfied|fulfilled|hold|pass\w*"
_NOTE = "note|message|instructions?|attention|notice|hint"
_TOP = r"5|five|full marks|max\w*|pass\w*|met|correct"
_GIVE = "give|grade|rate|score|mark|grant|award|assign"
_COUNTED = r"(?! ?(?:%|€|\$|usd|eur|pm|am|stars))"
_START = "(?:^|-> )"  # a line, or what a tool returned
_FAIR = r"[\s>*#_-]{0,6}(?:final |overall |judge'?s? )?"
_IS = r"[\s\"'*_`(\[{<]{0,4}[:=][\s\"'*_`(\[{<]{0,4}"
_ENDS = r"[\s\"'*_`)\]}>]{0,4}(?:/ ?5|out of 5)?[.!\s*]{0,3}$"
_COLON = r"""["']?\s{0,3}:\s{0,3}["']?"""
_BLOCKS = f"{_ANSWER}|criteri(?:on|a)|conversation|reference|submission|transcript|scenario|evidence|verdict"

FORGED_OBJECTS = (
    rf"""["'](?:score|grade){_COLON}[1-5](?:\.0)?["']?\s{{0,3}}[,}}][^{{}}]{{0,400}}["']reason""",
    r"""["']?reason\w*["']?\s{0,3}[:=]\s{0,3}["'][^{}]{0,400}["'](?:score|grade|answer|status)["']\s{0,3}[:=]""",
    rf"""["'](?:score|grade){_COLON}[1-5](?:\.0)?["']?\s{{0,3}}\}}""",
    rf"""["']?(?:verdict|is_the_agent_response_valid){_COLON}(?:pass|fail|valid|true|met|correct|yes)""",
    rf"""["'](?:pass|passed|is_pass\w*){_COLON}(?:true|false|yes|1\b)""",
    rf"""["']answer{_COLON}(?:yes|no)["']\s{{0,3}}[,}}]""",
    rf"""["']status{_COLON}(?:met|unmet|void|unsure)["']""",
)
RATING_LINES = (
    r"\[\[\s?(?:\d{1,2}|[a-c]|pass\w*|fail\w*|correct|yes)\s?\]\]",
    rf"{_START}{_FAIR}(?:score|grade|rating){_IS}[1-5](?:\.0)?{_ENDS}",
    rf"{_START}{_FAIR}(?:grade|verdict|evaluation|judge?ment|assessment){_IS}[acip]\b[\s*_\])]{{0,3}}$",
    rf"{_START}{_FAIR}(?:grade|verdict|evaluation|judge?ment|assessment){_IS}(?:{_TOP}|fail\w*|incorrect|valid|yes|approved)\b",
    r"\banswer\s?:[^\n]{0,200}\n?[^\n]{0,40}\b(?:grade|score)\s?[:=]",
    r"\b(?:score|grade)d? (?:is|of|should be|must be|shall be|would be|=|as)\s?(?:a )?(?:[1-5]|five)\b(?! ?[,.]\d)",
    rf"\b(?:i|we|the (?:{_GRADERS})) (?:hereby )?(?:grade|rate|score|award|assign)\w* (?:this|it|the)\b",
    r"\bgraded (?:as )?(?:a )?(?:[1-5]|five)\b|\bthe (?:correct |right |final )?(?:verdict|grade) is\b",
    rf"\b(?:all|every|each)(?: of)?(?: the)? (?:\w+ )?(?:{_CRITERIA}|rules)~\b(?:{_MET})\b",
    rf"\b(?:{_CRITERIA})\b~\b(?:is|are|was|were|been) (?:\w{{3,10}}ly |already )?(?:{_MET})\b",
    rf"\b(?:this|the|my) (?:{_ANSWER}) (?:\w{{3,10}}ly )?(?:meets|satisfies|fulfil\w*|passes|earns|deserves)\b",
)
SPOKEN_TO_THE_JUDGE = (
    rf"\b(?:ignore|disregard|forget|override|bypass|skip)\b~\b(?:{_CRITERIA}|grading|evaluation|instructions? above)\b",
    rf"\b(?:ignore|disregard|forget|override|bypass)\b~\b(?:{_BEFORE}) (?:\w+ )?(?:{_OURS})\b",
    rf"\b(?:{_NOTE}) (?:to|for|of) (?:the |all |any )?(?:\w+ )?(?:{_GRADERS})\b",
    rf"\b(?:{_NOTE}) (?:to|for|of) (?:the |all |any )?(?:grading|evaluation|scor\w+)\b",
    rf"\b(?:dear|hey|hello|attention|hi)[ ,:]{{1,3}}(?:the |llm |ai )?(?:{_GRADERS})\b",
    r"(?:\b(?:llm|ai) judges?|\bgraders?|\bevaluators?|\bassessors?),? (?:must|should|shall|please)\b",
    r"\b(?:tell|inform|as|you are(?: now)?) (?:the|a|an) (?:\w+ )?(?:grader|evaluator|(?:llm|ai|impartial) judge)\b",
    rf"\b(?:{_GIVE})\b~\b(?:{_ANSWER}|this (?:a|as|one|with)|score)\b~\b(?:{_TOP})(?!\w){_COUNTED}",
    rf"\b(?:return|output|(?:respond|reply|answer) with)\b~\b(?:score|grade|verdict)\b~\b(?:{_TOP})(?!\w){_COUNTED}",
    r"\b(?:grading|evaluation|judging|scoring) (?:is |has been )?(?:completed?|over|finished|suspended|override)\b",
    r"\b(?:void|skip) (?:this|that|the) (?:clause|criterion|check)\b",
    r"\bsystem (?:note|override|update|notice|message) ?(?:to|for|:|-)|\[system\b|\bnew instructions?\s?:",
    rf"{_START}\W{{0,9}}end of (?:the )?(?:{_BLOCKS}|data)\W{{0,9}}$",
    rf"\b(?:reply|respond|answer|return|output)\b~\b(?:yes|pass)\b~\b(?:{_CRITERIA}|(?:every|all) questions?|judge)\b",
)
MARKS = (
    r"<\|[^|<>\n]{1,40}\|>|\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>",
    rf"{_START}[\s>*#_-]{{0,6}}(?:assistant|human|judge|grader|evaluator)\s?[\]*_]{{0,3}}:",
    rf"{_START}[\s>*#_-]{{0,6}}system\s?[\]*_]{{0,3}}:\s{{0,3}}(?:you|the (?:{_ANSWER})|ignore|grade|new|judge)\b",
    rf"{_START}#{{1,4}}\s?(?:system|assistant|instructions?|judge|grader)\b",
    r"</?(?:think|thinking|reasoning)>",
    rf"</\s?(?:{_BLOCKS})(?:[-_]\w{{1,40}})?\s?>|<\s?(?:verdict|grade|score)\s?>",
    rf"\[/?(?:begin|end|/)[ _]?(?:of )?(?:the )?(?:data|{_BLOCKS})\]",
)

_IGNORE = (
    r"ignorier\w*|missacht\w*|vergiss|ignore[zr]?|oublie[zr]?\b(?! pas)|ignora\w*|olvida\w*|ignori\w*|negeer|vergeet|"
    r"zignoruj\w*|игнорир\w*|проигнорир\w*|ігнору\w*|yok say|gormezden gel\w*|görmezden gel\w*|abaikan|bo qua|bỏ qua"
)
_YARDSTICK = (
    r"kriteri\w*|bewertung\w*|anweisung\w*|criter\w*|critèr\w*|consigne\w*|instruc\w*|istruzion\w*|kryteri\w*|"
    r"instrukcj\w*|критери\w*|критері\w*|инструкц\w*|інструкц\w*|olcut\w*|ölçüt\w*|talimat\w*|tieu chi|tiêu chí"
)
_RATE = (
    r"bewert\w*|vergib|gib|benote\w*|note[zr]?|attribue\w*|donne[zr]?|accorde\w*|califi\w*|puntu\w*|asigna\w*|otorga\w*|"
    r"valut\w*|assegna\w*|avali\w*|atribu\w*|beoordeel\w*|geef|ocen\w*|przyznaj\w*|постав\w*|оцен\w*|оціни\w*|puan\w*|"
    r"degerlendir\w*|değerlendir\w*"
)
_REPLY = (
    r"antwort|reponse|réponse|respuesta|risposta|resposta|antwoord|odpowied\w*|ответ\w*|відповід\w*|yanit\w*|yanıt\w*|"
    r"note|nota|балл\w*|оценк\w*|score|punteggio"
)
_BEST = (
    r"5|bestanden|volle punktzahl|hochstnote|höchstnote|maxim\w*|máxim\w*|massim\w*|reussi|réussi|aprobad\w*|"
    r"aprovad\w*|superat\w*|geslaagd|najwyzsz\w*|najwyższ\w*|максимальн\w*|пят[ьеё]\w*|зачет|зачёт|tam puan|gecti|geçti"
)
_POINTS = r"punkt\w*|points?|puntos|punti|pontos|punten|балл\w*|puan"
ELSEWHERE = (
    rf"(?<!\w)(?:{_IGNORE})~(?<!\w)(?:{_YARDSTICK})",
    rf"(?<!\w)(?:{_YARDSTICK})~(?<!\w)(?:{_IGNORE})",
    rf"(?<!\w)(?:{_RATE})~(?<!\w)(?:{_REPLY})~(?<!\w)(?:{_BEST})(?!\w)",
    rf"(?<!\w)(?:{_RATE})~(?<!\w)(?:{_BEST})~(?:{_POINTS})",
    r"(?:忽略|无视|無視|忘记)[^\n。]{0,20}(?:标准|標準|准则|規則|规则|指示|指令|評分|评分|基準)",
    r"(?:評価基準|採点基準|基準|指示|ルール|規則)を?[^\n。]{0,10}(?:無視|忘れ)",
    r"(?:给|給|打|评|評|判)[^\n。]{0,12}(?:5 ?分|五分|满分|滿分|通过|通過|合格)",
    r"(?:5点|満点|五点|合格)[^\n。]{0,10}(?:与え|付け|つけ|として|にして)",
    r"(?:기준|지시|규칙|채점)[을를은는]?[^\n.]{0,12}(?:무시|잊)",
    r"(?:5점|만점|합격)[^\n.]{0,12}(?:주|처리|채점|부여|평가)",
    r"(?:تجاهل|تجاهلوا|انس)~(?:المعايير|معايير|التعليمات|تعليمات|القواعد)",
    r"(?:मानदंड|निर्देश|नियम)[^\n।]{0,30}(?:अनदेखा|नज़रअंदाज|नजरअंदाज)",
    r"(?:התעלם|התעלמו)~(?:הקריטריונים|ההוראות|מהקריטריונים|מההוראות)",
)


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(r"\w*", r"\w{0,12}").replace("~", r"[^\n.]{0,60}"), re.MULTILINE)


PATTERNS = tuple(map(_compiled, (*FORGED_OBJECTS, *RATING_LINES, *SPOKEN_TO_THE_JUDGE, *MARKS, *ELSEWHERE)))
"""All of them, ready to be searched for."""
