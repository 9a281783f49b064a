"""`audition lint`: what is wrong with the texts that judges are asked about."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from audition.cli.commands import _linting, _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._models import ModelWishes, asked_models
from audition.cli.commands._reporting import tell
from audition.engine.doubting import doubt
from audition.engine.plan import Selection, choose
from audition.engine.project import AT_ONCE
from audition.errors import ExitCode, SettingsError
from audition.evals import Eval
from audition.judges import Judge
from audition.llm import Models
from audition.scoring.lint import EvalFinding, judged_texts
from audition.settings import Settings
from audition.text import printable


@click.command("lint")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option("--format", "report", type=click.Choice(["text", "json"]), default="text", help="How they are written.")
@click.option("--select", multiple=True, metavar="CODES", help="Tell only findings of these rules, as L1,L2.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Tell no findings of these rules.")
@click.option("--deep", is_flag=True, help="Ask the judge too, which texts no response can meet.")
@click.option("--judge-model", metavar="MODEL", help="The model that judges: openai:gpt-4o, or an alias of one.")
@options.model_options
@options.code_options
def command(
    paths: tuple[Path, ...],
    *,
    report: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    deep: bool,
    judge_model: str | None,
    allow_code: bool,
    no_exec: bool,
    **of_models: Any,
) -> ExitCode:
    """Find criteria that no response can meet, and those that measure little. No agent is called.

    Looked at are the texts that judges are asked about: llm_judge, criteria and rubrics. An error is a text that no
    response can meet (L1 to L4, L9, L11); all else is a warning.

    \b
    Examples:
      audition lint                             all evals of the project
      audition lint evals/refunds.eval.yaml     one file
      audition lint --select L1,L2              two rules
      audition lint --deep --judge-model best   with a judge's doubts
      audition lint --deep --replay doubts.cassette

    Exit codes: 0 no errors, 1 errors were found, 2 something does not load, 3 the judge could not tell of some.
    """
    wishes = ModelWishes(**of_models)
    if wishes.any_cassette and not deep:
        raise click.UsageError("--record and --replay go with --deep: without it no model is asked")
    settings = _project.project_settings(offline=wishes.offline)
    codes = _linting.codes_wanted(settings, select, ignore)
    gathered = _project.load_evals(settings, paths, allow_code=allow_code, no_exec=no_exec)
    with _project.faults_first(gathered):
        evals = choose(gathered.suite.evals, Selection())
    findings = _linting.findings_of(settings, evals, codes)
    problems: tuple[str, ...] = ()
    if deep:
        with asked_models(settings, wishes) as models:
            doubts, problems = _doubts(settings, evals, _judge(settings, judge_model, models))
        findings += doubts
    for problem in problems:
        tell(problem)
    if report == "json":
        click.echo(_linting.as_json(findings, len(evals)))
    else:
        _show(findings, len(evals))
    return _exit_code(findings, faulty=bool(gathered.faults), unsure=bool(problems))


def _judge(settings: Settings, reference: str | None, models: Models) -> Judge:
    judge, _ = _project.ready_judge(settings, reference, judging=True, models=models)
    if judge is None:
        hint = "set [judge] model in audition.toml, or pass --judge-model"
        raise SettingsError("--deep needs a judge, and none is configured", key="judge", hint=hint)
    return judge


def _doubts(settings: Settings, evals: Sequence[Eval], judge: Judge) -> tuple[tuple[EvalFinding, ...], tuple[str, ...]]:
    texts = [text for one in evals for text in judged_texts(one)]
    found = asyncio.run(doubt(texts, judge, at_once=settings.concurrency or AT_ONCE))
    return found.findings, found.problems


def _show(findings: Sequence[EvalFinding], evals: int) -> None:
    for one in findings:
        click.echo(printable(_linting.in_lines(one)))
    click.echo(_linting.summary(findings, evals))


def _exit_code(findings: Sequence[EvalFinding], *, faulty: bool, unsure: bool) -> ExitCode:
    if faulty:
        return ExitCode.ASKED_WRONGLY
    if any(one.finding.severity == "error" for one in findings):
        return ExitCode.FAILED
    return ExitCode.NOT_EVALUATED if unsure else ExitCode.PASSED
