"""Reading a judge's reply: a grade, a yes or no, or an error; never a guess."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from audition.errors import JudgeError
from audition.judges import Grade
from audition.text import without_reasoning

_TEXT_OR_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]', re.DOTALL)
_BEGINS_AN_OBJECT = re.compile(r'\{\s*(?:"|\Z)')
_WHOLE_GRADE = re.compile(r"\s*([1-5])(?:\.0+)?\s*", re.ASCII)
_PLACEHOLDER = re.compile(r"\s*(?:<[^<>]*>|\.\.\.|…|string)?\s*", re.IGNORECASE)

_CUT_SHORT = {
    "length": "it was cut short by the limit on its length",
    "content_filter": "the provider's content filter withheld it",
}
_YES, _NO = {"pass", "passed", "true", "yes", "met"}, {"fail", "failed", "false", "no", "unmet"}
_VERDICT_KEYS = ("pass", "passed", "verdict")

_SOUGHT = {"score": "a score", "clauses": "clauses", "status": "a status"}
"""What is missed in a reply without any object, by the key that is looked for."""

_TRUE_OR_FALSE = {"true": 1, "false": 0}
_ANSWERS: Mapping[str, Mapping[str, int]] = {
    "answer": _TRUE_OR_FALSE | {"yes": 1, "no": 0},
    "is_the_agent_response_valid": _TRUE_OR_FALSE
    | {"valid": 1, "invalid": 0, "partially_valid": 0, "partially valid": 0, "partially": 0, "almost": 0},
}
"""The words that are an answer, by the key they stand under. Source: ADK, final_response_match_v2."""


def read_grade(text: str, finish_reason: str) -> Grade:
    """Return the grade in a judge's reply.

    A reply that is JSON as a whole is taken as it stands. Otherwise reasoning is left out, and the last JSON object
    that speaks of a score is the verdict: text before it may quote the agent.

    Raises: JudgeError, with the reply, when it holds no valid grade.
    """
    return _read(text, finish_reason, ("score",), _grade)


def read_answer(text: str, finish_reason: str) -> Grade:
    """Return the answer in a judge's reply to a question of yes or no: 1 or 0.

    It is looked for as a grade is. Beside `answer` (yes, no, true, false, in any case), the words are read that judges
    of ADK's final_response_match_v2 use; there, half a yes is a no.

    Raises: JudgeError, with the reply, when it holds no answer: `unknown` is none.
    """
    return _read(text, finish_reason, tuple(_ANSWERS), _answer)


def read_object(text: str, finish_reason: str, keys: Sequence[str]) -> dict[str, object]:
    """Return the object in a judge's reply that speaks of one of `keys`, its own keys in lower case.

    It is looked for as a grade is, and may lack everything it should hold.

    Raises: JudgeError, with the reply, when there is none, or when the reply was cut short.
    """
    problem = _CUT_SHORT.get(finish_reason)
    if problem:
        raise JudgeError(problem, raw=text)
    if not text.strip():
        raise JudgeError("it is empty", raw=text)
    try:
        return _verdict(text, keys)
    except _Unreadable as error:
        raise JudgeError(str(error), raw=text) from None


def contradicts(verdict: Mapping[str, object], worth: int | None) -> bool:
    """Tell whether an object says pass or fail besides, and not what its answer is worth, 1 to 5; None: neither."""
    said = [str(verdict[key]).strip().lower() for key in _VERDICT_KEYS if key in verdict]
    if worth is None:
        return any(word in _YES | _NO for word in said)
    return any(_contradicts(word, worth) for word in said)


class _Unreadable(Exception):
    """Why a reply holds no grade."""


_Verdict = dict[str, object]


def _read(text: str, finish_reason: str, keys: Sequence[str], found_in: Callable[[_Verdict], tuple[int, str]]) -> Grade:
    verdict = read_object(text, finish_reason, keys)
    try:
        score, reason = found_in(verdict)
    except _Unreadable as error:
        raise JudgeError(str(error), raw=text) from None
    return Grade(score=score, reason=reason, raw=text)


def _verdict(text: str, keys: Sequence[str]) -> _Verdict:
    """Return the object that holds the verdict, its keys in lower case."""
    try:
        whole = json.loads(text.lstrip("\ufeff"), object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        pass
    else:
        return _object(whole)
    *spans, rest = objects(without_reasoning(text))
    candidates = [span for span in spans if any(key in span.lower() for key in keys)]
    if not candidates:
        raise _Unreadable(f"it holds no JSON object with {_SOUGHT.get(keys[0], 'an answer')}")
    if any(key in rest.lower() for key in keys):
        raise _Unreadable("its last verdict is cut off")
    try:
        return _object(json.loads(candidates[-1], object_pairs_hook=_pairs))
    except (ValueError, RecursionError):
        raise _Unreadable("its verdict is not valid JSON") from None


def objects(text: str) -> Iterator[str]:
    """Yield the balanced `{…}` of a text that stand in no other one, in order, and last the object that is cut off."""
    spans, opened = _matching_braces(text)
    # An unmatched brace that begins an object is a reply that was cut: what stands in it is no verdict.
    cut = next((at for at in opened if _BEGINS_AN_OBJECT.match(text, at)), len(text))
    end = 0
    for first, last in sorted(spans):
        if end <= first < cut:
            yield text[first:last]
            end = last
    yield text[cut:]


def _matching_braces(text: str) -> tuple[list[tuple[int, int]], list[int]]:
    """Return where each balanced `{…}` begins and ends, and the braces that nothing closes; in quotes none counts."""
    spans: list[tuple[int, int]] = []
    opened: list[int] = []
    at = text.find("{")
    while at != -1:
        if text[at] == "{":
            opened.append(at)
        else:
            spans.append((opened.pop(), at + 1))
        at = _next_brace(text, at + 1) if opened else text.find("{", at + 1)
    return spans, opened


def _next_brace(text: str, at: int) -> int:
    found = _TEXT_OR_BRACE.search(text, at)
    while found and found[0][0] == '"':
        found = _TEXT_OR_BRACE.search(text, found.end())
    return found.start() if found else -1


def _pairs(pairs: Sequence[tuple[str, object]]) -> _Verdict:
    """Return an object with its keys in lower case. Raises: _Unreadable when it says something twice."""
    found = {key.strip().lower(): value for key, value in pairs}
    if len(found) != len(pairs):
        raise _Unreadable("it says the same thing twice")
    return found


def _object(value: object) -> _Verdict:
    if not isinstance(value, dict):
        raise _Unreadable("it is JSON, but not an object")
    return value


def _grade(verdict: _Verdict) -> tuple[int, str]:
    missing = [key for key in ("reason", "score") if key not in verdict]
    if missing:
        raise _Unreadable(f"it has no {' and no '.join(map(repr, missing))}")
    score = _score(verdict["score"])
    reason = _reason(verdict["reason"])
    for key in _VERDICT_KEYS:
        if _contradicts(verdict.get(key), score):
            raise _Unreadable(f"its {key!r} contradicts its score of {score}")
    return score, reason


def _answer(verdict: _Verdict) -> tuple[int, str]:
    given = {key: _yes_or_no(key, verdict[key]) for key in _ANSWERS if key in verdict}
    if not given:
        raise _Unreadable("it has no 'answer'")
    (key, answer), *others = given.items()
    if any(other != answer for _, other in others):
        raise _Unreadable("it answers both yes and no")
    written = next((verdict[name] for name in ("reason", "reasoning") if name in verdict), None)
    reason = "(no reason was given)" if written is None else _reason(written)
    for name in _VERDICT_KEYS:
        if _contradicts(verdict.get(name), 5 if answer else 1):
            raise _Unreadable(f"its {name!r} contradicts its {key!r}")
    return answer, reason


def _yes_or_no(key: str, value: object) -> int:
    word = " ".join(str(value).split()).lower() if isinstance(value, str | bool) else ""
    answer = _ANSWERS[key].get(word)
    if answer is None:
        raise _Unreadable(f"its {key!r} is {str(value)[:20]!r}, which is neither yes nor no")
    return answer


def _reason(value: object) -> str:
    if not isinstance(value, str) or _PLACEHOLDER.fullmatch(value):
        raise _Unreadable("its 'reason' is no text")
    return value.strip()


def _score(value: object) -> int:
    """Return a grade: a whole number from 1 to 5, which may be written as 5.0 or in quotes."""
    written = _WHOLE_GRADE.fullmatch(value) if isinstance(value, str) else None
    number = int(written[1]) if written else value
    if isinstance(number, int | float) and not isinstance(number, bool) and number in (1, 2, 3, 4, 5):
        return int(number)
    raise _Unreadable(f"its 'score' is {str(value)[:20]!r}, not a whole number from 1 to 5")


def _contradicts(said: object, score: int) -> bool:
    """Tell whether a verdict in words and a grade cannot both be meant; 3 goes with either."""
    word = str(said).strip().lower()
    return (word in _YES and score <= 2) or (word in _NO and score >= 4)
