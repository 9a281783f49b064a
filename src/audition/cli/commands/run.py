"""`audition run`: evals against an agent."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audition.agents import Agent
from audition.cli.commands import _adk, _botpress, _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._carrying_out import Wishes, carry_out
from audition.cli.commands._cassette import cassette_of
from audition.cli.commands._history import history_of
from audition.cli.commands._reporting import tell
from audition.engine.perform import Scorer, perform
from audition.engine.plan import Defaults, Selection, choose, plan
from audition.engine.project import AT_ONCE, budget_of, limits_of, models_of
from audition.engine.standing import fingerprint_of
from audition.engine.tally import new_run
from audition.errors import NothingSelected
from audition.evals import Eval
from audition.llm.budget import Budget
from audition.results import Verdict
from audition.settings import Settings
from audition.users.simulated import user_for

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the command line asks for; None means that settings decide."""

    targets: tuple[str, ...]
    tags: tuple[str, ...]
    type_: str | None
    agent: str | None
    instruction: Path | None
    judge_model: str | None
    no_judge: bool
    user_model: str | None
    record: Path | None
    replay: Path | None
    record_missing: bool
    offline: bool
    max_cost_usd: float | None
    max_calls: int | None
    max_tokens: int | None
    trials: int | None
    concurrency: int | None
    timeout: float | None
    idle_timeout: int | None
    allow_code: bool
    no_exec: bool
    report: str
    output: Path | None
    verbose: bool
    botpress_compat: str | None
    adk_compat: str | None
    config_file_path: Path | None
    fail_fast: bool
    rerun_failed: bool
    no_history: bool


@click.command("run")
@click.argument("targets", nargs=-1, metavar="[NAME|PATH]...")
@options.selection_options
@options.agent_options
@options.judging_options
@options.user_model_option
@options.cassette_options
@options.offline_option
@options.budget_options
@options.limit_options
@options.code_options
@options.report_options
@_botpress.compat_option
@_adk.compat_option
@_adk.config_option
@click.option("--fail-fast", is_flag=True, help="Stop at the first eval that fails or cannot be evaluated.")
@click.option("--rerun-failed", is_flag=True, help="Only evals that failed or were errors in the latest run.")
@click.option("--no-history", is_flag=True, help="Keep no record of this run.")
def command(**given: Any) -> int:
    """Run evals against an agent, and say what holds.

    What is given is a file or folder if there is one of that name, and else the name of an eval, which may be a
    pattern such as 'refund*'.

    \b
    Examples:
      audition run                                       all evals of the project
      audition run evals/refunds.eval.yaml               those of one file
      audition run 'refund*' --tag smoke -v              some of them, with all that was checked
      audition run --agent function:shop.bot:reply       another agent than the project's
      audition run --trials 5 --concurrency 2            each five times, two at once
      audition run --format junit --output results.xml   a report for continuous integration
      audition run --format json | jq '.failed == 0'     a report for scripts
      audition run --rerun-failed                        what did not pass last time
      audition run --max-cost-usd 2.50                   stop before it becomes dear
      audition run --record tape.cassette                what models say is kept, to be played back
      audition run --replay tape.cassette --offline      the same again, without a model
      audition run sets.evalset.json --config_file_path eval_config.json
    """
    asked = _Asked(**given)
    with cassette_of(asked.record, asked.replay, record_missing=asked.record_missing) as cassette:
        return _run(asked, _project.project_settings(offline=asked.offline), cassette)


def _run(asked: _Asked, settings: Settings, cassette: "Cassette | None") -> int:
    paths, names = _project.sort_targets(asked.targets)
    readers = _adk.readers(asked.config_file_path, allow_code=asked.allow_code)
    gathered = _project.load_evals(settings, paths, allow_code=asked.allow_code, no_exec=asked.no_exec, readers=readers)
    with _project.faults_first(gathered):
        chosen = _choose(asked, settings, names, gathered.suite.evals)
    reference = _project.named_agent(settings, asked.agent)
    budget = budget_of(
        settings, max_cost_usd=asked.max_cost_usd, max_calls=asked.max_calls, max_tokens=asked.max_tokens
    )
    models = models_of(settings, budget=budget, cassette=cassette)
    agent = _project.ready_agent(settings, reference, models=models, instruction=asked.instruction)
    trials = plan(chosen, _limits(asked, settings), agent.observes)
    users = user_for(models, asked.user_model or settings.user_model, chosen)
    judge, judge_name = _project.ready_judge(settings, asked.judge_model, judging=not asked.no_judge, models=models)
    run = new_run(
        agent=reference,
        judge=judge_name,
        judge_fingerprint=fingerprint_of(settings, judge_name),
        total=len(trials),
        paths=_project.kept_paths(settings, paths),
        faults=tuple(map(str, gathered.faults)),
        warnings=gathered.warnings
        + _botpress.ENGINE.remarks(asked.botpress_compat)
        + _adk.ENGINE.remarks(asked.adk_compat),
    )
    results = perform(
        trials,
        agent,
        judge,
        at_once=_at_once(asked, settings, agent),
        judging=not asked.no_judge,
        scorer=_scorer(asked),
        users=users,
        is_over=budget.is_over,
    )
    by_name = {one.name: one for one in chosen}
    results = _botpress.ENGINE.noted(results, by_name, asked.botpress_compat, unasked=asked.verbose)
    results = _adk.ENGINE.noted(results, by_name, asked.adk_compat, unasked=asked.verbose)
    return carry_out(settings, run, results, _wishes(asked, budget, many_trials=len(trials) > len(chosen)))


def _scorer(asked: _Asked) -> Scorer:
    if asked.adk_compat != "strict":
        return _botpress.ENGINE.scorer(asked.botpress_compat)
    if asked.botpress_compat == "strict":
        raise click.UsageError("a run is judged as one other tool would judge, not as two: give one strict")
    return _adk.ENGINE.scorer(asked.adk_compat)


def _choose(asked: _Asked, settings: Settings, names: tuple[str, ...], evals: tuple[Eval, ...]) -> tuple[Eval, ...]:
    chosen = choose(evals, Selection(names=names, tags=asked.tags, type=asked.type_))
    if not asked.rerun_failed:
        return chosen
    failed = _failed_last_time(settings)
    again = tuple(one for one in chosen if one.name in failed)
    if not again:
        hint = "audition runs --latest shows that run"
        raise NothingSelected("nothing that was asked for failed or was an error in the latest run", hint=hint)
    return again


def _failed_last_time(settings: Settings) -> set[str]:
    """Return the names of the evals that failed or were errors in the latest run; tell what else did not pass."""
    with history_of(settings) as history:
        latest = next(iter(history.runs(limit=1)), None)
        if latest is None:
            return set()
        if latest.ran < latest.total:
            tell(f"warning: the latest run did not finish: {latest.total - latest.ran} of {latest.total} were not run")
        results = history.results(latest.id)
        return {one.eval_name for one in results if one.verdict in (Verdict.FAIL, Verdict.ERROR)}


def _limits(asked: _Asked, settings: Settings) -> Defaults:
    return limits_of(settings, trials=asked.trials, idle_timeout_ms=asked.idle_timeout, timeout_s=asked.timeout)


def _at_once(asked: _Asked, settings: Settings, agent: Agent) -> int:
    wanted = asked.concurrency or settings.concurrency
    if wanted is not None and wanted > agent.at_once:
        tell(f"warning: {wanted} side by side were asked for, but this agent takes {agent.at_once} at once")
    return min(wanted or AT_ONCE, agent.at_once)


def _wishes(asked: _Asked, budget: Budget, *, many_trials: bool) -> Wishes:
    return Wishes(
        report=asked.report,
        output=asked.output,
        verbose=asked.verbose,
        many_trials=many_trials,
        keep=not asked.no_history,
        fail_fast=asked.fail_fast,
        budget=budget,
    )
