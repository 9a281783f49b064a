"""What a trial came to, as a row of the results: a verdict, or why there is none."""

from collections.abc import Iterable, Sequence

from audition.engine.settle import NO_JUDGE
from audition.results import CheckResult, TrialResult, Verdict, agent_usage, judge_usage
from audition.scoring.checks.criteria import ALL_VOID
from audition.store.service.trials import NewResult, Outcome
from audition.text import shorten
from audition.transcript import Usage, response_text, total
from audition.wire import encode_result, storable, to_json

_LONGEST_LINE = 600
_WORDS = {Verdict.PASS: "met", Verdict.FAIL: "not met", Verdict.ERROR: "not known", Verdict.SKIP: "skipped"}

PROVIDER_TROUBLE: frozenset[Outcome] = frozenset({"subject_error", "judge_error"})
"""Outcomes that are nobody's answer: the subject could not be reached, or no judge answered."""


def result_of(case_id: int, result: TrialResult) -> NewResult:
    """Return the row for what a trial of a case came to.

    Trouble that the agent made is a fail, since a prompt that crashes must not look better than one that tries; trouble
    on the way to it, or to the judge, is an error. Source: service research 6.8, rule 2; evals REST API, Run lifecycle.
    """
    outcome = outcome_of(result)
    verdict = outcome if outcome in ("pass", "fail") else None
    return NewResult(
        case_id=case_id,
        trial=result.trial,
        verdict=verdict,
        outcome=outcome,
        actual_response=_said(result),
        judge_reasoning=reasoning_of(result.checks),
        error_message=None if verdict else storable(result.error or "nothing was evaluated"),
        document=encode_result(result),
    )


def outcome_of(result: TrialResult) -> Outcome:
    """Return what became of a trial: void when every clause was, abstain when it was judged and could not be told."""
    if result.verdict is Verdict.PASS:
        return "pass"
    if result.verdict is Verdict.FAIL:
        return "fail"
    errors = [check for check in result.checks if check.verdict is Verdict.ERROR]
    if not result.checks or any(check.category == "agent" for check in errors):
        return "subject_error"
    if not errors:
        return "skipped"
    if any(map(_is_unanswered, errors)):
        return "judge_error"
    return "void" if all((check.reason or "").startswith(ALL_VOID) for check in errors) else "abstain"


def reasoning_of(checks: Sequence[CheckResult]) -> str | None:
    """Return why, one line a clause or check; None when nothing was looked at."""
    lines = [line for check in checks if not _is_unanswered(check) for line in _lines(check, alone=len(checks) == 1)]
    return storable("\n".join(lines)) if lines else None


def usage_of(results: Iterable[TrialResult]) -> str:
    """Return what the models of a run took, as JSON: the agent's and the judge's, null where nobody says."""
    agents: list[Usage] = []
    judges: list[Usage] = []
    for result in results:
        agents += [usage for usage in [agent_usage(result)] if usage]
        judges += [usage for usage in [judge_usage(result)] if usage]
    spent = {"agent": total(agents) if agents else None, "judge": total(judges) if judges else None}
    return to_json(spent)


def _is_unanswered(check: CheckResult) -> bool:
    """Say whether a judge was to be asked, and no model gave any answer."""
    silent = all(vote.raw is None and vote.score is None and vote.answer is None for vote in check.votes)
    return check.verdict is Verdict.ERROR and (check.reason == NO_JUDGE or (bool(check.votes) and silent))


def _lines(check: CheckResult, *, alone: bool) -> list[str]:
    said = (check.reason or "").splitlines()
    if check.category == "criteria" and said:
        return [shorten(line, _LONGEST_LINE) for line in said]
    if alone and said and check.votes:
        return [shorten(" ".join(said), _LONGEST_LINE)]
    compared = f"expected {check.expected}, got {check.actual}" if check.expected and check.actual else ""
    because = " ".join(said) or compared
    line = f"{_WORDS[check.verdict]}: {check.category} {check.check}"
    return [shorten(f"{line}: {because}" if because else line, _LONGEST_LINE)]


def _said(result: TrialResult) -> str | None:
    """Return what the agent said, its replies joined by line breaks; None when it said nothing."""
    texts = [response_text(exchange) for exchange in result.transcript.exchanges if exchange.replies]
    return storable("\n".join(texts)) if texts else None
