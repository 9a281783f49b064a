"""`audition judge`: whether the judge can be trusted, by canaries and by people's labels."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from audition.cli.commands import _project
from audition.cli.commands import _run_options as options
from audition.cli.commands._judge_text import (
    comparison_data,
    comparison_lines,
    examination_data,
    examination_lines,
    standing_row,
)
from audition.cli.commands._reporting import Screen, tell
from audition.cli.commands._table import table
from audition.engine.project import AT_ONCE
from audition.engine.standing import judges_file, version_of
from audition.errors import ExitCode, SettingsError
from audition.reports.json import json_text
from audition.results import Verdict
from audition.settings import Settings
from audition.store.judges import Calibration, Checkup, keep_calibration, keep_checkup, read_standings, standing_of

_F = TypeVar("_F", bound=Callable[..., Any])

_CODES = {
    Verdict.PASS: ExitCode.PASSED,
    Verdict.FAIL: ExitCode.FAILED,
    Verdict.ERROR: ExitCode.NOT_EVALUATED,
    Verdict.SKIP: ExitCode.NOT_EVALUATED,
}

_model_option = click.option("--judge-model", metavar="MODEL", help="The judge, in place of that of the settings.")
_format_option = click.option(
    "--format", "report", type=click.Choice(["text", "json"]), default="text", help="How it is told."
)


@click.group("judge")
def command() -> None:
    """Find out whether the judge can be trusted.

    \b
    Examples:
      audition judge doctor                    put questions to it whose answers are known
      audition judge calibrate labels.csv      compare it with what people said
      audition judge show                      what is known of the judges of this project
    """


@command.command("doctor")
@_model_option
@options.count_option("--repeats", default=3, help="Ask each question this often.")
@_format_option
def doctor(judge_model: str | None, *, repeats: int, report: str) -> ExitCode:
    """Put canaries to the judge: questions whose answers are known.

    Good and bad replies show whether it uses its scale; replies that say nothing and forged verdicts (in the reply, in
    a tool's result, in the scenario) whether it can be talked into a pass; odd forms and other languages whether it
    looks at the substance; repeats whether it keeps to what it said. There are 46 of them, so that 138 questions are
    asked unless --repeats says otherwise.

    Exit codes: 0 nothing speaks against the judge, 1 something does, 3 it did not answer enough. What was found is kept
    beside the history, and its fingerprint goes into every run that this judge takes part in.

    \b
    Examples:
      audition judge doctor
      audition judge doctor --judge-model best --repeats 10
    """
    from audition.engine.examining import ask_all
    from audition.judges.canaries import canaries, examine, questions

    settings = _project.project_settings()
    named = _named(settings, judge_model)
    chosen = canaries()
    answers = asyncio.run(
        ask_all(_judge(settings, named), questions(chosen, repeats), at_once=settings.concurrency or AT_ONCE)
    )
    found = examine(chosen, answers.scores)
    checkup = Checkup(
        verdict=found.verdict.value,
        parts={part.name: part.verdict.value for part in found.parts},
        repeats=repeats,
        results=found.results,
        date=_now(),
    )
    standing = keep_checkup(judges_file(settings), *version_of(settings, named), checkup)
    _tell_problems(answers.problems)
    if report == "json":
        click.echo(json_text(examination_data(standing, found, repeats, answers.problems, answers.usage)))
    else:
        _show(examination_lines(standing, found, repeats))
    return _CODES[found.verdict]


@command.command("calibrate")
@click.argument("labels", type=click.Path(path_type=Path), metavar="LABELS")
@_model_option
@click.option(
    "--scale",
    type=click.Choice(["grade", "yes_no"]),
    default="grade",
    help="How the judge is asked: as llm_judge does, or as judged criteria do.",
)
@_format_option
def calibrate(labels: Path, *, judge_model: str | None, scale: Any, report: str) -> ExitCode:
    """Compare the judge with what people said of the same replies.

    LABELS is a CSV file whose first line names its columns, or a file of JSON objects, one a line. A row has a
    criterion, a response and a label (pass or fail, or a grade from 1 to 5, which passes from the threshold of the
    settings on); it may have a scenario (what the user said), a conversation, and an id.

    Exit codes: 0 the judge is provisional or certified, 1 it agrees too little with people, 3 too little was answered
    to say so. The status is kept for this model and this prompt; another model or prompt begins anew.

    \b
    Examples:
      audition judge calibrate labels.csv
      audition judge calibrate labels.jsonl --judge-model best --scale yes_no
    """
    from audition.engine.examining import ask_all
    from audition.judges.calibration import compare, status_of
    from audition.judges.labels import read_labels

    settings = _project.project_settings()
    named, file = _named(settings, judge_model), judges_file(settings)
    threshold = settings.judge_pass_threshold if scale == "grade" else 1
    read = read_labels(labels, passes_from=settings.judge_pass_threshold)
    for remark in read.remarks:
        tell(f"{labels}: {remark}")
    asked = [row.question(scale, threshold) for row in read.rows]
    answers = asyncio.run(ask_all(_judge(settings, named), asked, at_once=settings.concurrency or AT_ONCE))
    compared = compare(read.rows, answers.scores, threshold)
    model, prompt = version_of(settings, named)
    checkup = standing_of(read_standings(file), model, prompt).checkup
    status, missing = status_of(compared, examined=checkup is not None and checkup.verdict == "pass")
    calibration = Calibration(
        status=status,
        scale=scale,
        true_pass=compared.seen.true_pass,
        false_pass=compared.seen.false_pass,
        false_fail=compared.seen.false_fail,
        true_fail=compared.seen.true_fail,
        unanswered=compared.unanswered,
        labels=hashlib.sha256(labels.read_bytes()).hexdigest(),
        date=_now(),
    )
    standing = keep_calibration(file, model, prompt, calibration)
    _tell_problems(answers.problems)
    if report == "json":
        click.echo(json_text(comparison_data(standing, compared, missing, answers.problems, answers.usage)))
    else:
        _show(comparison_lines(standing, compared, missing))
    if status != "uncalibrated":
        return ExitCode.PASSED
    return ExitCode.FAILED if compared.enough else ExitCode.NOT_EVALUATED


@command.command("show")
@_format_option
def show(*, report: str) -> ExitCode:
    """Show what is known of the judges of this project: of each model, and of each prompt it was told.

    \b
    Examples:
      audition judge show
      audition judge show --format json
    """
    from dataclasses import asdict

    standings = read_standings(judges_file(_project.project_settings()))
    if report == "json":
        click.echo(json_text({"judges": [asdict(one) | {"fingerprint": one.fingerprint} for one in standings]}))
    elif standings:
        click.echo(table([standing_row(one) for one in standings]))
    else:
        tell("nothing is known of any judge yet: audition judge doctor looks at one")
    return ExitCode.PASSED


def _named(settings: Settings, judge_model: str | None) -> str:
    named = judge_model or settings.judge_model
    if named is None:
        hint = 'pass --judge-model, or set [judge] model = "openai:gpt-4o" in audition.toml'
        raise SettingsError("no judge is configured", key="judge", hint=hint)
    return named


def _judge(settings: Settings, named: str) -> Any:
    from audition.engine.project import judge_of

    return judge_of(settings, named)


def _tell_problems(problems: Iterable[str | None]) -> None:
    for problem in dict.fromkeys(problems):
        if problem is not None:
            tell(f"a question was not answered: {problem}")


def _show(lines: Iterable[str]) -> None:
    Screen().show("".join(f"{line}\n" for line in lines))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
