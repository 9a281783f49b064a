"""One eval in a Botpress run report, as we would have kept it.

Source: Botpress evals engine 2.0.2, EvalReport.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import isfinite
from typing import Any

from audition.documents.shape import kind_of
from audition.results import CheckResult, TrialResult, Verdict, roll_up
from audition.scoring.botpress_labels import check_of
from audition.transcript import Exchange, Reply, Transcript, Trouble

OBSERVES = ("replies", "timing")
"""What such a report tells of the agent: tools, state and workflows only through assertions."""

_JUDGED = ("Pass — ", "Fail — ")
_UNKNOWN = "FAILED — "

_VERDICTS = {
    (True, False): Verdict.PASS,
    (False, False): Verdict.FAIL,
    (True, True): Verdict.SKIP,
    (False, True): Verdict.ERROR,
}
"""What an assertion came to, by whether it passed and whether it was skipped."""


class Malformed(Exception):
    """A report does not have the shape it should have; the message says where in it."""


def trial_result(report: object) -> TrialResult:
    """Return one eval of a run report as a result: its first trial, its start not known.

    The verdict follows from the assertions as ours do, so that nothing evaluated is no pass; where the report says
    another, the `error` of the result says so.

    Raises: Malformed, saying which part of the report.
    """
    found = as_object(report, "")
    name = as_text(found.get("name"), "name")
    exchanges: list[Exchange] = []
    checks: list[CheckResult] = []
    for index, turn in enumerate(as_list(found.get("turns"), "turns")):
        at = f"turns[{index}]"
        exchanges.append(_exchange(as_object(turn, at), at))
        checks += _checks(as_object(turn, at).get("assertions"), f"{at}.assertions", index)
    checks += _checks(found.get("outcomeAssertions"), "outcomeAssertions", None)
    trouble = None
    if (error := found.get("error")) is not None:
        # Whose doing it was is not told.
        trouble = Trouble(message=as_text(error, "error"), by_agent=False)
        checks.append(_trouble_check(trouble))
    result = TrialResult(
        eval_name=name,
        verdict=Verdict.ERROR,
        type=None if found.get("type") is None else as_text(found["type"], "type"),
        tags=tuple(as_text(tag, "tags") for tag in as_list(found.get("tags") or [], "tags")),
        checks=tuple(checks),
        transcript=Transcript(exchanges=tuple(exchanges), trouble=trouble, observes=OBSERVES),
        duration_ms=as_number(found.get("duration"), "duration"),
    )
    return _concluded(result, passed=_as_flag(found.get("pass"), "pass"))


def as_object(value: object, at: str) -> Mapping[str, Any]:
    """Return an object.

    Raises: Malformed.
    """
    return value if isinstance(value, Mapping) else _wrong("an object", value, at)


def as_list(value: object, at: str) -> list[Any]:
    """Return a list.

    Raises: Malformed.
    """
    return value if isinstance(value, list) else _wrong("a list", value, at)


def as_text(value: object, at: str) -> str:
    """Return a text that is not empty.

    Raises: Malformed.
    """
    return value if isinstance(value, str) and value else _wrong("a text", value, at)


def as_number(value: object, at: str) -> float:
    """Return a finite number.

    Raises: Malformed.
    """
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    return float(value) if number else _wrong("a number", value, at)  # type: ignore[arg-type]  # a number, just seen


def _as_flag(value: object, at: str) -> bool:
    return value if isinstance(value, bool) else _wrong("true or false", value, at)


def _wrong(expected: str, value: object, at: str) -> Any:
    found = "nothing" if value is None else "an empty text" if value == "" else kind_of(value)
    raise Malformed(f"{at or 'the report'} must be {expected}, and is {found}")


def _exchange(turn: Mapping[str, Any], at: str) -> Exchange:
    said = turn.get("userMessage")
    reply = turn.get("botResponse")
    took = as_number(turn.get("botDuration") or 0, f"{at}.botDuration")
    event = said == "[event]"
    return Exchange(
        user=None if event else as_text(said, f"{at}.userMessage"),
        event={} if event else None,
        replies=(Reply(text=as_text(reply, f"{at}.botResponse")),) if reply else (),
        response_ms=took or None,
    )


def _checks(assertions: object, at: str, turn: int | None) -> Iterator[CheckResult]:
    for index, assertion in enumerate(as_list(assertions, at)):
        found = as_object(assertion, f"{at}[{index}]")
        yield _check(found, f"{at}[{index}]", turn)


def _check(found: Mapping[str, Any], at: str, turn: int | None) -> CheckResult:
    expected, actual = (str(found.get(key, "")) for key in ("expected", "actual"))
    category, check = check_of(as_text(found.get("assertion"), f"{at}.assertion"), expected)
    passed = _as_flag(found.get("pass"), f"{at}.pass")
    skipped = found.get("skipped") is True or actual.startswith(_UNKNOWN)
    result = CheckResult(
        category=category,
        check=check,
        verdict=_VERDICTS[passed, skipped],
        turn=turn,
        expected=expected or None,
        actual=actual or None,
    )
    if skipped:
        return replace(result, actual=None, reason=actual)
    if actual.startswith(_JUDGED) and check.startswith("llm_judge: "):
        said, _, explanation = actual.partition(" — ")
        return replace(result, actual=said, reason=explanation)
    return result


def _trouble_check(trouble: Trouble) -> CheckResult:
    return CheckResult(
        category="agent", check="goes on with the conversation", verdict=Verdict.ERROR, reason=trouble.message
    )


def _concluded(result: TrialResult, *, passed: bool) -> TrialResult:
    """Return the result with its verdict: what the assertions come to, unless the report says that it failed."""
    verdict = roll_up(check.verdict for check in result.checks)
    error = next((check.reason for check in result.checks if check.verdict is Verdict.ERROR), None)
    if passed and verdict is not Verdict.PASS:
        what = "not every assertion in it does" if verdict is Verdict.FAIL else "nothing in it was evaluated"
        error = f"the report says that it passed, but {what}"
    elif not passed and (verdict is Verdict.PASS or (verdict is Verdict.ERROR and error is None)):
        verdict, error = Verdict.FAIL, "the report says that it failed, but no assertion in it does"
    return replace(result, verdict=verdict, error=error)
