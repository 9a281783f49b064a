"""What today's Botpress engine says of a transcript, and where that is not what is documented.

Source: the evals engine of the Botpress ADK, 2.0.2. How it grades each check is in `_botpress_grading`; here is what
becomes of a whole eval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from audition.evals import Check, Eval, Turn
from audition.results import CheckResult, TrialResult, Verdict
from audition.scoring._botpress_grading import YES, EngineBreaks, Place, grade, messages_of, unreadable_path
from audition.scoring.checks import CATEGORIES
from audition.scoring.matchers import shown
from audition.scoring.patterns import PatternTimeout
from audition.scoring.rule import Finding, OpenCheck, Question
from audition.scoring.score import Row, unsettled
from audition.scoring.score import score as documented
from audition.transcript import Exchange, Transcript

_BROKE_BEFORE = "the Botpress engine broke before it came here, and did not go on"
_WOULD: Mapping[Verdict, str] = {Verdict.PASS: "pass this", Verdict.FAIL: "fail this", Verdict.ERROR: "break here"}

_Pair = tuple[Row | None, Row]
"""A row as documented, and the same as the engine has it; None where only the engine has one."""


def score(eval: Eval, transcript: Transcript, *, judge_pass_threshold: int) -> list[Row]:
    """Return one row for each check as `scoring.score.score` does, with the verdicts of the Botpress engine.

    What did not finish, and what nobody could see, stays as it is: neither is a pass there. A judge that gives no
    answer is a failure there, and stays an error here.
    """
    rows = documented(eval, transcript, judge_pass_threshold=judge_pass_threshold)
    return [theirs for _, theirs in _read_again(eval, transcript, rows)] or [_nothing_checked()]


def with_notes(eval: Eval, result: TrialResult) -> TrialResult:
    """Return a result whose checks note where the Botpress engine would give another verdict for the same transcript.

    `eval` is what the result was judged by, as documented.
    """
    if not result.checks:
        return result
    pairs = _read_again(eval, result.transcript, result.checks)
    noted = (replace(ours, note=_note(ours, theirs)) for ours, theirs in pairs if isinstance(ours, CheckResult))
    return replace(result, checks=tuple(noted))


def _read_again(eval: Eval, transcript: Transcript, rows: Sequence[Row]) -> list[_Pair]:
    """Return the rows of an eval beside the engine's, in the same order."""
    exchanges = transcript.exchanges
    finished = not transcript.trouble and len(exchanges) >= len(eval.turns)
    pairs: list[_Pair] = []
    broken = False
    for index, turn in enumerate(eval.turns):
        own = [row for row in rows if row.turn == index]
        if broken:
            pairs += _lost(own)
        elif index >= len(exchanges) or exchanges[index].trouble:
            pairs, finished = [*pairs, *_kept(own)], False
        else:
            more, broken = _turn_pairs(Place(eval, transcript, index), turn, exchanges[index], own)
            pairs += more
    own = [row for row in rows if row.turn is None]
    if broken or not finished:
        return pairs + (_lost(own) if broken else _kept(own))
    return pairs + _check_pairs(Place(eval, transcript, None), eval.outcome, own)[0]


def _turn_pairs(place: Place, turn: Turn, exchange: Exchange, rows: Sequence[Row]) -> tuple[list[_Pair], bool]:
    """Return the rows of a turn that finished, and whether the engine breaks on it."""
    count = len(rows) - len(turn.checks)
    extra, own = rows[:count], rows[count:]
    messages = messages_of(exchange)
    no_reply = not messages and not turn.expect_silence
    pairs: list[_Pair] = []
    if extra or no_reply:
        ours = extra[0] if extra else None
        reply = CheckResult(category="response", check="a reply", verdict=Verdict.FAIL, turn=place.turn)
        pairs.append((ours, _told(ours or reply, _presence(turn, messages))))
    more, broken = _check_pairs(place, turn.checks, own, no_reply=no_reply)
    return pairs + more, broken


def _presence(turn: Turn, messages: Sequence[str]) -> Finding:
    """Decide whether there was a reply, or silence."""
    held = bool(messages) is not turn.expect_silence
    return Finding(
        verdict=Verdict.PASS if held else Verdict.FAIL,
        expected="no reply" if turn.expect_silence else "a reply",
        actual=shown("\n".join(messages)) if messages else "no reply",
        reason="it takes any message for a reply, be it blank",
    )


def _check_pairs(
    place: Place, checks: Sequence[Check], rows: Sequence[Row], *, no_reply: bool = False
) -> tuple[list[_Pair], bool]:
    """Return the rows of some checks, and whether the engine breaks on one of them."""
    found: list[Finding | Question | None] = []
    for check in checks:
        try:
            found.append(_found(place, check, checks, no_reply=no_reply))
        except EngineBreaks as error:
            # It throws away what it had found of this turn, too.
            broke = Finding(verdict=Verdict.ERROR, reason=str(error))
            at = len(found)
            return [*_lost(rows[:at]), (rows[at], _told(rows[at], broke)), *_lost(rows[at + 1 :])], True
    pairs: list[_Pair] = []
    for check, row, finding in zip(checks, rows, found, strict=True):
        if isinstance(finding, Question):
            description = row.description if isinstance(row, OpenCheck) else row.check
            pairs.append((row, OpenCheck(check=check, description=description, turn=row.turn, question=finding)))
        else:
            pairs.append((row, row if finding is None else _told(row, finding)))
    return pairs, False


def _found(place: Place, check: Check, beside: Sequence[Check], *, no_reply: bool) -> Finding | Question | None:
    """Return what the engine says of a check; None where nobody could see, or only we know such checks."""
    observes = place.transcript.observes
    if observes is not None and CATEGORIES.get(check.category).FACET not in observes:
        return None
    spoilt = {"state"} if place.turn is not None else {"state", "workflow"}
    if check.category in spoilt and (path := unreadable_path(beside)) is not None:
        return Finding(
            verdict=Verdict.FAIL, reason=f"it cannot read the path {shown(path)}, and gives up on all beside it"
        )
    if check.category == "response" and no_reply:
        return Finding(verdict=Verdict.SKIP, reason="it looks at no response when there is none")
    try:
        return grade(place, check)
    except PatternTimeout as error:
        return Finding(verdict=Verdict.ERROR, reason=str(error))


def _kept(rows: Sequence[Row]) -> list[_Pair]:
    return [(row, row) for row in rows]


def _lost(rows: Sequence[Row]) -> list[_Pair]:
    return [(row, _told(row, Finding(verdict=Verdict.ERROR, reason=_BROKE_BEFORE))) for row in rows]


def _told(row: Row, found: Finding) -> CheckResult:
    """Return a row with what the engine found in place of what it says."""
    return replace(
        unsettled(row, found.verdict, "") if isinstance(row, OpenCheck) else row,
        verdict=found.verdict,
        expected=found.expected,
        actual=found.actual,
        reason=found.reason,
        score=None,
    )


def _nothing_checked() -> CheckResult:
    reason = "nothing is checked, and the Botpress engine takes that for a pass"
    return CheckResult(category="agent", check="takes every turn", verdict=Verdict.PASS, reason=reason)


def _note(ours: CheckResult, theirs: Row) -> str | None:
    """Return that the engine would give another verdict, and why; None where it would not, or cannot be told."""
    if isinstance(theirs, CheckResult):
        verdict, reason = theirs.verdict, theirs.reason
    elif ours.score is None:
        return None
    else:
        verdict = Verdict.PASS if ours.score >= YES else Verdict.FAIL
        reason = "its judge says yes or no, and knows no judgePassThreshold"
    if verdict in (ours.verdict, Verdict.SKIP) or reason == _BROKE_BEFORE:
        return None
    return f"the Botpress engine would {_WOULD[verdict]}: {reason}"
