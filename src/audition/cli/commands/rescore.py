"""`audition rescore`: the transcripts of a run, judged again."""

from pathlib import Path

import click

from audition.cli.commands import _botpress, _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._carrying_out import Wishes, carry_out
from audition.cli.commands._history import history_of
from audition.engine.project import limits_of
from audition.engine.rescore import rescore
from audition.engine.tally import new_run
from audition.errors import ExitCode


@click.command("rescore")
@click.argument("run_id", metavar="ID")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@options.judging_options
@options.code_options
@options.report_options
@_botpress.compat_option
def command(
    run_id: str,
    paths: tuple[Path, ...],
    *,
    judge_model: str | None,
    no_judge: bool,
    allow_code: bool,
    no_exec: bool,
    report: str,
    output: Path | None,
    verbose: bool,
    botpress_compat: str | None,
) -> ExitCode:
    """Judge the transcripts of a run by the evals as they are now, without calling the agent.

    The evals are read from where they were for that run, unless a PATH says otherwise. The result is a new run.

    \b
    Examples:
      audition rescore 0197a3                          after its checks were changed
      audition rescore 0197a3 --judge-model best       by another judge
      audition rescore 0197a3 evals/refunds.eval.yaml  by the evals of one file
    """
    settings = _project.project_settings()
    judge, judge_name = _project.ready_judge(settings, judge_model, judging=not no_judge)
    with history_of(settings) as history:
        stored = history.run(run_id)
        paths = paths or tuple(_project.from_here(settings.root / path) for path in stored.paths)
        gathered = _project.load_evals(settings, paths, allow_code=allow_code, no_exec=no_exec)
        run = new_run(
            agent=stored.agent,
            judge=judge_name,
            total=stored.total,
            paths=_project.kept_paths(settings, paths),
            faults=tuple(map(str, gathered.faults)),
            warnings=gathered.warnings + _botpress.ENGINE.remarks(botpress_compat),
            rescored_from=stored.id,
        )
        by_name = {one.name: one for one in gathered.suite.evals}
        defaults = limits_of(settings)
        results = rescore(
            history.results(stored.id),
            by_name,
            judge,
            defaults=defaults,
            judging=not no_judge,
            scorer=_botpress.ENGINE.scorer(botpress_compat),
        )
        results = _botpress.ENGINE.noted(results, by_name, botpress_compat, unasked=verbose)
        wishes = Wishes(report=report, output=output, verbose=verbose, many_trials=False, keep=True)
        return carry_out(settings, run, results, wishes)
