"""`audition rescore`: the transcripts of a run, judged again."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from audition.cli.commands import _botpress, _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._carrying_out import Wishes, carry_out
from audition.cli.commands._cassette import cassette_of
from audition.cli.commands._history import history_of
from audition.engine.project import budget_of, limits_of, models_of
from audition.engine.rescore import rescore
from audition.engine.standing import fingerprint_of
from audition.engine.tally import new_run
from audition.errors import ExitCode
from audition.settings import Settings

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What the command line asks for; None means that settings decide."""

    run_id: str
    paths: tuple[Path, ...]
    judge_model: str | None
    no_judge: bool
    record: Path | None
    replay: Path | None
    record_missing: bool
    offline: bool
    max_cost_usd: float | None
    max_calls: int | None
    max_tokens: int | None
    allow_code: bool
    no_exec: bool
    report: str
    output: Path | None
    verbose: bool
    botpress_compat: str | None


@click.command("rescore")
@click.argument("run_id", metavar="ID")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@options.judging_options
@options.cassette_options
@options.offline_option
@options.budget_options
@options.code_options
@options.report_options
@_botpress.compat_option
def command(**given: Any) -> ExitCode:
    """Judge the transcripts of a run by the evals as they are now, without calling the agent.

    The evals are read from where they were for that run, unless a PATH says otherwise. The result is a new run.

    \b
    Examples:
      audition rescore 0197a3                          after its checks were changed
      audition rescore 0197a3 --judge-model best       by another judge
      audition rescore 0197a3 evals/refunds.eval.yaml  by the evals of one file
    """
    asked = _Asked(**given)
    with cassette_of(asked.record, asked.replay, record_missing=asked.record_missing) as cassette:
        return _rescore(asked, _project.project_settings(offline=asked.offline), cassette)


def _rescore(asked: _Asked, settings: Settings, cassette: "Cassette | None") -> ExitCode:
    budget = budget_of(
        settings, max_cost_usd=asked.max_cost_usd, max_calls=asked.max_calls, max_tokens=asked.max_tokens
    )
    judging, models = not asked.no_judge, models_of(settings, budget=budget, cassette=cassette)
    judge, judge_name = _project.ready_judge(settings, asked.judge_model, judging=judging, models=models)
    with history_of(settings) as history:
        stored = history.run(asked.run_id)
        paths = asked.paths or tuple(_project.from_here(settings.root / path) for path in stored.paths)
        gathered = _project.load_evals(settings, paths, allow_code=asked.allow_code, no_exec=asked.no_exec)
        run = new_run(
            agent=stored.agent,
            judge=judge_name,
            judge_fingerprint=fingerprint_of(settings, judge_name),
            total=stored.total,
            paths=_project.kept_paths(settings, paths),
            faults=tuple(map(str, gathered.faults)),
            warnings=gathered.warnings + _botpress.ENGINE.remarks(asked.botpress_compat),
            rescored_from=stored.id,
        )
        by_name = {one.name: one for one in gathered.suite.evals}
        results = rescore(
            history.results(stored.id),
            by_name,
            judge,
            defaults=limits_of(settings),
            judging=judging,
            scorer=_botpress.ENGINE.scorer(asked.botpress_compat),
            is_over=budget.is_over,
        )
        results = _botpress.ENGINE.noted(results, by_name, asked.botpress_compat, unasked=asked.verbose)
        wishes = Wishes(
            report=asked.report,
            output=asked.output,
            verbose=asked.verbose,
            many_trials=False,
            keep=True,
            budget=budget,
        )
        return carry_out(settings, run, results, wishes)
