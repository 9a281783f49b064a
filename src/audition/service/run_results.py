"""What the trials of a case come to: one result a case, as the API shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Literal

from audition.results import Verdict
from audition.statistics.intervals import wilson
from audition.statistics.policy import needed_passes, verdict_of_trials
from audition.statistics.repeats import pass_hat_k
from audition.store.service.run_options import RunOptions
from audition.store.service.run_views import ResultLine
from audition.store.service.trials import Outcome

_VERDICTS = {"pass": Verdict.PASS, "fail": Verdict.FAIL, None: Verdict.ERROR}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """The result of a case: the policy's verdict on its trials, with the first one's id and response.

    `verdict` None comes with an `error_message`. `lines` are the trials that are there, in order.
    """

    id: int
    case_id: int
    verdict: Literal["pass", "fail"] | None
    outcome: Outcome
    actual_response: str | None
    judge_reasoning: str | None
    error_message: str | None
    lines: tuple[ResultLine, ...]


def case_results(lines: Sequence[ResultLine], options: RunOptions, *, is_final: bool) -> list[CaseResult]:
    """Return one result a case, in the order of the cases; `lines` are in the order of cases, then trials.

    A case whose trials are not all there is left out, unless the run is final: then the missing ones are errors.
    """
    if options.trials == 1:
        return [_of_one(line) for line in lines]
    cases = (tuple(group) for _, group in groupby(lines, key=attrgetter("case_id")))
    return [_of_several(case, options) for case in cases if is_final or len(case) == options.trials]


def counts_of(cases: Sequence[CaseResult]) -> dict[str, int]:
    """Return how many cases passed, failed, and could not be evaluated."""
    verdicts = [case.verdict for case in cases]
    return {"pass": verdicts.count("pass"), "fail": verdicts.count("fail"), "error": verdicts.count(None)}


def pass_rate(cases: Sequence[CaseResult]) -> dict[str, object]:
    """Return how many cases passed, with the 95 % interval; a case that could not be evaluated did not pass."""
    passed, of = counts_of(cases)["pass"], len(cases)
    low, high = wilson(passed, of)
    return {
        "passed": passed,
        "n": of,
        "rate": passed / of if of else None,
        "low": low,
        "high": high,
        "confidence": 0.95,
        "method": "wilson",
    }


def pass_hat(cases: Sequence[CaseResult], trials: int) -> list[dict[str, object]] | None:
    """Return the chance that k trials of a case all pass, for each k; None for a single trial, or without cases.

    A trial that could not be evaluated, or is missing, did not pass.
    """
    if trials == 1 or not cases:
        return None
    passes = [sum(line.verdict == "pass" for line in case.lines) for case in cases]
    return [
        {"k": k, "value": sum(pass_hat_k(one, trials, k) for one in passes) / len(passes)} for k in range(1, trials + 1)
    ]


def _of_one(line: ResultLine) -> CaseResult:
    return CaseResult(
        id=line.id,
        case_id=line.case_id,
        verdict=line.verdict,
        outcome=line.outcome,
        actual_response=line.actual_response,
        judge_reasoning=line.judge_reasoning,
        error_message=_why(line) if line.verdict is None else None,
        lines=(line,),
    )


def _of_several(lines: tuple[ResultLine, ...], options: RunOptions) -> CaseResult:
    needed = needed_passes(options.pass_policy, options.trials)
    found = verdict_of_trials([_VERDICTS[line.verdict] for line in lines], needed=needed, trials=options.trials)
    verdict: Literal["pass", "fail"] | None = {Verdict.PASS: "pass", Verdict.FAIL: "fail"}.get(found)  # type: ignore[assignment]  # a Literal is lost in a dict
    passed = sum(line.verdict == "pass" for line in lines)
    telling = next((line for line in lines if line.verdict == verdict), lines[0])
    told = f"{passed} of {options.trials} trials passed, {needed} needed"
    reasoning = f"{told}; trial {telling.trial}: {telling.judge_reasoning}" if telling.judge_reasoning else told
    return CaseResult(
        id=lines[0].id,
        case_id=lines[0].case_id,
        verdict=verdict,
        outcome=telling.outcome if telling.verdict == verdict else "skipped",
        actual_response=lines[0].actual_response,
        judge_reasoning=reasoning,
        error_message=_why_none(lines, options.trials) if verdict is None else None,
        lines=lines,
    )


def _why_none(lines: tuple[ResultLine, ...], trials: int) -> str:
    broken = [line for line in lines if line.verdict is None]
    parts = [f"trial {line.trial}: {_why(line)}" for line in broken[:1]]
    if len(lines) < trials:
        parts.append(f"{trials - len(lines)} of {trials} trials were not run")
    return f"{len(broken)} of {trials} trials could not be evaluated; {'; '.join(parts)}"


def _why(line: ResultLine) -> str:
    return line.error_message or "it could not be evaluated"
