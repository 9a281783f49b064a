"""What eval cases came to over all their runs, and what is said of those that did not pass."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from audition.evals import Eval
from audition.results import CheckResult, TrialResult, Verdict, roll_up
from audition.scoring.metric import mean, reaches
from audition.store.adk_history import CaseRun, metrics_of


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """What one criterion came to over all runs of a case.

    `score` is the mean over the turns of all runs, None without any. `verdict` is `skip` for a metric that only tells.
    `reason` says why it is no pass, None when the score says it all.
    """

    name: str
    verdict: Verdict
    score: float | None = None
    threshold: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One eval case. `metrics` are by name, in the config's order; `trials` holds a result for each run, in order."""

    set_id: str
    eval_id: str
    eval: Eval
    metrics: Mapping[str, MetricResult]
    trials: tuple[TrialResult, ...]

    @property
    def verdict(self) -> Verdict:
        """Return the verdict of the case: fail beats error beats pass; only metrics that tell is an error."""
        return roll_up(metric.verdict for metric in self.metrics.values())

    def runs(self) -> Iterator[CaseRun]:
        """Yield the runs of the case as ADK's own history has them."""
        for trial in self.trials:
            yield CaseRun(set_id=self.set_id, eval_id=self.eval_id, eval=self.eval, result=trial)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What came of all eval cases, in the order of their files; `unread` says what could not be evaluated at all."""

    results: tuple[CaseResult, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def cases(self) -> Mapping[str, CaseResult]:
        """Return the cases by their ids; those that share an id with another have their set's id and `/` in front."""
        ids = [result.eval_id for result in self.results]
        return {
            one.eval_id if ids.count(one.eval_id) == 1 else f"{one.set_id}/{one.eval_id}": one for one in self.results
        }


class CasesFailed(AssertionError):
    """Eval cases failed, or could not be evaluated; `evaluation` holds what came of all of them."""

    def __init__(self, message: str, evaluation: Evaluation) -> None:
        super().__init__(message)
        self.evaluation = evaluation


def case_result(one: Eval, set_id: str, trials: Sequence[TrialResult]) -> CaseResult:
    """Return what a case came to in its runs."""
    by_name: dict[str, list[CheckResult]] = {}
    for trial in trials:
        run = CaseRun(set_id=set_id, eval_id=one.name, eval=one, result=trial)
        for metric in metrics_of(run):
            by_name.setdefault(metric.name, []).append(metric.check)
    metrics = {name: _over_all_runs(name, checks) for name, checks in by_name.items()}
    lost = next((trial for trial in trials if not trial.checks), None)
    if lost is not None or all(metric.verdict is Verdict.SKIP for metric in metrics.values()):
        reason = lost.error if lost else "nothing was evaluated"
        metrics["evaluation"] = MetricResult(name="evaluation", verdict=Verdict.ERROR, reason=reason)
    return CaseResult(set_id=set_id, eval_id=one.name, eval=one, metrics=metrics, trials=tuple(trials))


def _over_all_runs(name: str, checks: Sequence[CheckResult]) -> MetricResult:
    """Return what the results of one metric come to.

    Where runs disagree, and each has a score, the mean over the turns of all runs decides. Source: AgentEvaluator.
    """
    verdicts = {check.verdict for check in checks}
    threshold = checks[0].threshold
    score = mean(score for check in checks for score in (check.turn_scores or (check.score,)))
    if verdicts == {Verdict.PASS, Verdict.FAIL} and _all_are_scored(checks) and None not in (score, threshold):
        verdict = Verdict.PASS if reaches(score or 0.0, threshold or 0.0) else Verdict.FAIL
    else:
        verdict = Verdict.SKIP if verdicts == {Verdict.SKIP} else roll_up(verdicts)
    reason = None
    if verdict in (Verdict.FAIL, Verdict.ERROR):
        reason = next((_why(check) for check in checks if check.verdict is verdict), None)
    return MetricResult(name=name, verdict=verdict, score=score, threshold=threshold, reason=reason)


def _all_are_scored(checks: Sequence[CheckResult]) -> bool:
    """Say whether a threshold decides; of a custom metric, its own function may say what passes."""
    return all(check.score is not None and check.category != "custom" for check in checks)


def _why(check: CheckResult) -> str | None:
    if check.reason is not None or check.score is not None:
        return check.reason
    return f"{check.check}: expected {check.expected}, got {check.actual}" if check.expected else check.check


def failures(case: CaseResult, agent: str) -> Iterator[str]:
    """Yield a line for each metric of a case that did not pass, in ADK's words, with the case and the reason added."""
    at = f" [{case.eval.where}]" if case.eval.where else ""
    for metric in case.metrics.values():
        reason = f" {metric.reason}" if metric.reason else ""
        if metric.verdict is Verdict.ERROR:
            yield f"{case.eval_id}: {metric.name} for {agent} was not evaluated.{reason}{at}"
        elif metric.verdict is Verdict.FAIL and metric.threshold is None:
            yield f"{case.eval_id}: {metric.name} for {agent} Failed.{reason}{at}"
        elif metric.verdict is Verdict.FAIL:
            told = f"Expected {metric.threshold}, but got {metric.score}."
            yield f"{case.eval_id}: {metric.name} for {agent} Failed. {told}{reason}{at}"
