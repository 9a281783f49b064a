"""Re-scoring: stored transcripts judged again by the evals as they are now, without the agent."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import replace

from audition.engine.perform import Scorer, why
from audition.engine.plan import Defaults
from audition.engine.settle import settle
from audition.evals import Eval
from audition.judges import Judge
from audition.llm.trial import of_trial
from audition.results import TrialResult, Verdict, roll_up
from audition.scoring.score import score


async def rescore(
    stored: Iterable[TrialResult],
    evals: Mapping[str, Eval],
    judge: Judge | None,
    *,
    defaults: Defaults,
    judging: bool = True,
    scorer: Scorer = score,
    is_over: Callable[[], bool] = lambda: False,
) -> AsyncGenerator[TrialResult]:
    """Yield each stored result, judged anew; `evals` are those of today, by name.

    An eval that is gone, or that has other turns than the stored conversation, gives an error, never an old verdict.
    `is_over` is asked before each: once it says so, no further one is judged.
    """
    for result in stored:
        if is_over():
            return
        one = evals.get(result.eval_name)
        if one is None:
            yield _not_rescored(result, "there is no eval of this name any more")
        elif not _same_turns(one, result):
            yield _not_rescored(result, "the eval has other turns than the stored conversation; run it again")
        else:
            threshold = one.options.judge_pass_threshold or defaults.judge_pass_threshold
            scored = scorer(one, result.transcript, judge_pass_threshold=threshold)
            with of_trial(result.eval_name, result.trial):
                checks = await settle(scored, judge, judging=judging, within_s=defaults.timeout_s)
            verdict = roll_up(check.verdict for check in checks)
            yield replace(result, verdict=verdict, error=why(checks), checks=checks, type=one.type, tags=one.tags)


def _not_rescored(result: TrialResult, reason: str) -> TrialResult:
    return replace(result, verdict=Verdict.ERROR, error=reason, checks=())


def _same_turns(one: Eval, result: TrialResult) -> bool:
    """Say whether a stored conversation is one of this eval, as far as it went."""
    exchanges, trouble = result.transcript.exchanges, result.transcript.trouble
    cut_short = trouble is not None or any(exchange.trouble for exchange in exchanges)
    spoken = [(exchange.user, exchange.event) for exchange in exchanges]
    if one.scenario is not None:  # what a simulated user says after its first words is not written anywhere
        return spoken[:1] == [(one.scenario.starting_prompt, None)] or (cut_short and not spoken)
    written = [(turn.user, turn.event) for turn in one.turns]
    return spoken == (written[: len(spoken)] if cut_short else written)
