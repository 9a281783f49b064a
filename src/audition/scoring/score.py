"""Judging a whole transcript: every check of an eval becomes one result, or one question for a judge."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from types import ModuleType

from audition.evals import Check, Eval, Turn
from audition.results import CheckResult, Verdict, Vote
from audition.scoring.checks import CATEGORIES
from audition.scoring.checks.response import says_nothing
from audition.scoring.matchers import shown
from audition.scoring.rule import Finding, Inquiry, OpenCheck, Opinion, Question, Seen
from audition.transcript import Transcript, Trouble, Usage, response_text

Row = CheckResult | OpenCheck
"""What became of a check: its result, or the question that must be answered first."""


def score(eval: Eval, transcript: Transcript, *, judge_pass_threshold: int) -> list[Row]:
    """Return one row for each check, turn by turn and then the outcome; and one for each thing that went wrong.

    `judge_pass_threshold`: the lowest grade that passes, 1 to 5.

    Raises: UnknownName for a check of a category that nobody offers.
    """
    rows: list[Row] = []
    unfinished: str | None = None
    whole = Seen(
        transcript=transcript,
        turn=None,
        judge_pass_threshold=judge_pass_threshold,
        turns=eval.turns,
        scenario=eval.scenario,
    )
    turns = eval.turns if eval.scenario is None else _simulated(transcript)
    for index, turn in enumerate(turns):
        seen = replace(whole, turn=index)
        trouble = transcript.exchanges[index].trouble if index < len(transcript.exchanges) else None
        if trouble is not None:
            rows.append(_trouble_row(trouble, "finishes the turn", index))
            rows.extend(_unseen(turn, index, f"the turn did not finish: {trouble.message}"))
            unfinished = unfinished or f"turn {index + 1} did not finish"
        elif seen.exchanges:
            rows.extend(_turn_rows(turn, index, seen))
        else:
            rows.extend(_unseen(turn, index, unfinished or _never_reached(transcript)))
    if unfinished is None and (cut_short := _cut_short(max(len(turns), 1 if eval.scenario else 0), transcript)):
        rows.append(cut_short)
        unfinished = _never_reached(transcript)
    look = whole if unfinished is None else _undecided(unfinished)
    rows.extend(_evaluated(check, None, look) for check in eval.outcome)
    return rows


def settled(
    open_check: OpenCheck, opinions: Sequence[Opinion], usage: Usage | None = None, votes: Sequence[Vote] = ()
) -> Row:
    """Return the result of a check that a judge answered: `opinions` holds one for each question, in order.

    It is an open check again when the answers lead to further questions.
    """
    asked = open_check.question
    if isinstance(asked, Inquiry):
        found = asked.conclude(opinions)
    else:
        (opinion,) = opinions
        found = _held_against(asked, opinion)
    if isinstance(found, Inquiry):
        return replace(open_check, question=found)
    return replace(_result(open_check.check, open_check.description, open_check.turn, found, usage), votes=tuple(votes))


def unsettled(open_check: OpenCheck, verdict: Verdict, reason: str) -> CheckResult:
    """Return the result of a check that no judge graded: `error` when none could, `skip` when none was to."""
    found = Finding(verdict=verdict, expected=_wanted(open_check.question), reason=reason)
    return _result(open_check.check, open_check.description, open_check.turn, found)


def _held_against(question: Question, opinion: Opinion) -> Finding:
    if opinion.score is None:
        return Finding(verdict=Verdict.ERROR, expected=_wanted(question), reason=opinion.reason)
    return Finding(
        verdict=Verdict.PASS if opinion.score >= question.threshold else Verdict.FAIL,
        expected=_wanted(question),
        actual=f"grade {opinion.score}" if question.scale == "grade" else ("yes" if opinion.score else "no"),
        reason=opinion.reason,
        score=opinion.score,
    )


def _wanted(asked: Question | Inquiry) -> str:
    if isinstance(asked, Inquiry):
        return asked.expected
    return f"a grade of at least {asked.threshold}" if asked.scale == "grade" else "yes"


def _simulated(transcript: Transcript) -> tuple[Turn, ...]:
    """Return the turns that a simulated user took: nothing is written of them but that the agent has to reply."""
    return tuple(Turn(user=exchange.user) for exchange in transcript.exchanges)


def _turn_rows(turn: Turn, index: int, seen: Seen) -> Iterator[Row]:
    text = response_text(seen.exchanges[0])
    silent = says_nothing(text)
    if turn.expect_silence:
        yield _silence_row(index, Verdict.PASS if silent else Verdict.FAIL, actual=None if silent else shown(text))
    elif silent and not turn.response_optional:
        allowed = "; expectSilence: true or responseOptional: true allows it" if seen.turns else ""
        reason = f"the agent said nothing{allowed}"
        yield CheckResult(category="response", check="a reply", verdict=Verdict.FAIL, turn=index, reason=reason)
    for check in turn.checks:
        if silent and turn.response_optional and check.category == "response":
            unsaid = Finding(verdict=Verdict.SKIP, reason="nothing was said, which this turn allows")
            yield _evaluated(check, index, unsaid)
        else:
            yield _evaluated(check, index, seen)


def _evaluated(check: Check, turn: int | None, look: Seen | Finding) -> Row:
    """Return what a rule says of what may be looked at, or the finding that it is not to be looked at.

    A rule that breaks is our fault and leaves its check undecided.
    """
    category = _category(check.category)
    description = None
    try:
        rule = category.rule(check.spec)
        description = rule.describe()
        found = look if isinstance(look, Finding) else _unobserved(category, look) or rule.evaluate(look)
    except Exception as error:
        description = description or shown(check.spec)
        found = _undecided(f"this check could not be evaluated: {type(error).__name__}: {error}")
    if isinstance(found, Question | Inquiry):
        return OpenCheck(check=check, description=description, turn=turn, question=found)
    return _result(check, description, turn, found)


def _result(
    check: Check, description: str, turn: int | None, found: Finding, usage: Usage | None = None
) -> CheckResult:
    return CheckResult(
        category=check.category,
        check=description,
        verdict=found.verdict,
        turn=turn,
        expected=found.expected,
        actual=found.actual,
        reason=found.reason,
        where=_where(check),
        score=found.score,
        threshold=found.threshold,
        turn_scores=found.turn_scores,
        judge_usage=usage,
        note=found.note,
    )


@cache
def _category(name: str) -> ModuleType:
    return CATEGORIES.get(name)


def _unobserved(category: ModuleType, seen: Seen) -> Finding | None:
    """Return that a check looks at what nobody could see (`not_called` would hold for want of evidence), else None."""
    observes = seen.transcript.observes
    if observes is not None and category.FACET not in observes:
        return _undecided(f"the agent could not be observed: it did not show its {category.FACET}")
    if not seen.transcript.exchanges and category.FACET != "state":
        return _undecided(f"no turn was taken, so nobody saw the agent's {category.FACET}; give the eval a turn")
    return None


def _undecided(reason: str) -> Finding:
    return Finding(verdict=Verdict.ERROR, reason=reason)


def _where(check: Check) -> str | None:
    return str(check.where) if check.where else None


def _silence_row(turn: int, verdict: Verdict, *, actual: str | None = None, reason: str | None = None) -> CheckResult:
    return CheckResult(
        category="response",
        check="silence",
        verdict=verdict,
        turn=turn,
        expected="no reply",
        actual=actual,
        reason=reason,
    )


def _unseen(turn: Turn, index: int, reason: str) -> Iterator[Row]:
    """Yield the rows of a turn that did not finish, or was never reached."""
    if turn.expect_silence:
        yield _silence_row(index, Verdict.ERROR, reason=reason)
    for check in turn.checks:
        yield _evaluated(check, index, _undecided(reason))


def _trouble_row(trouble: Trouble, check: str, turn: int | None) -> CheckResult:
    verdict = Verdict.FAIL if trouble.by_agent else Verdict.ERROR
    return CheckResult(category="agent", check=check, verdict=verdict, turn=turn, reason=trouble.message)


def _cut_short(turns: int, transcript: Transcript) -> CheckResult | None:
    """Return what kept a conversation from its end, when no turn is to blame; None when it took all its `turns`."""
    count = len(transcript.exchanges)
    if transcript.trouble is not None:
        check = "goes on with the conversation" if count else "opens a conversation"
        return _trouble_row(transcript.trouble, check, None)
    if count < turns:
        reason = f"the transcript has {count} of {turns} turns"
        return CheckResult(category="agent", check="takes every turn", verdict=Verdict.ERROR, reason=reason)
    return None


def _never_reached(transcript: Transcript) -> str:
    exchanges = transcript.exchanges
    if transcript.trouble is None:
        return f"the transcript ends after {len(exchanges)} turns"
    what = f"did not go on after turn {len(exchanges)}" if exchanges else "could not be opened"
    return f"the conversation {what}: {transcript.trouble.message}"
