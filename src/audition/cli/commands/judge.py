"""`audition judge`: whether the judge can be trusted, by canaries and by people's labels."""

import asyncio
import hashlib
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

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
from audition.cli.commands._models import ModelWishes, asked_models
from audition.cli.commands._reporting import Screen, tell
from audition.cli.commands._table import table
from audition.engine.project import AT_ONCE, judge_of
from audition.engine.standing import judges_file, version_of
from audition.errors import ExitCode, SettingsError
from audition.judges.calibration import LEAST_BOUND
from audition.reports.json import json_text
from audition.results import Verdict
from audition.settings import Settings
from audition.statistics.agreement import Confusion
from audition.store.judges import (
    Calibration,
    Checkup,
    Standing,
    keep_calibration,
    keep_checkup,
    read_standings,
    standing_of,
)

if TYPE_CHECKING:
    from audition.engine.examining import Answers

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
@options.model_options
@_format_option
def doctor(judge_model: str | None, *, repeats: int, report: str, **of_models: Any) -> ExitCode:
    """Put canaries to the judge: questions whose answers are known.

    Good and bad replies show whether it uses its scale; replies that say nothing and forged verdicts (in the reply, in
    a tool's result, in the scenario) whether it can be talked into a pass; odd forms and other languages whether it
    looks at the substance; repeats whether it keeps to what it said. Each is put as llm_judge asks (a grade), as judged
    criteria do (yes or no) and as criteria do: split into clauses, each clause asked about, the answer verified by
    code; there, also whether what a tool's result contradicts is void, and nothing else. There are 78, which take 232
    questions unless --repeats says otherwise.

    Exit codes: 0 nothing speaks against the judge, 1 something does, 3 it did not answer enough. What was found is kept
    beside the history, and its fingerprint goes into every run that this judge takes part in.

    \b
    Examples:
      audition judge doctor
      audition judge doctor --judge-model best --repeats 10
      audition judge doctor --record doctor.cassette      to be examined again without asking
    """
    from audition.engine.examining import ask_canaries
    from audition.judges.canaries import canaries, least_questions
    from audition.judges.examination import examine

    wishes = ModelWishes(**of_models)
    settings = _project.project_settings(offline=wishes.offline)
    named = _named(settings, judge_model)
    chosen = canaries()
    tell(f"{least_questions(chosen, repeats)} questions, and more where an answer cannot be used")
    answers = _answers(settings, named, wishes, partial(ask_canaries, chosen=chosen, repeats=repeats))
    found = examine(chosen, answers.scores)
    checkup = Checkup(
        verdict=found.verdict.value,
        parts={part.name: part.verdict.value for part in found.parts},
        repeats=repeats,
        results=found.results,
        date=_now(),
    )
    file = judges_file(settings)
    standing = _with_status(file, keep_checkup(file, *version_of(settings, named), checkup))
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
@click.option(
    "--least-bound",
    type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
    default=LEAST_BOUND,
    show_default=True,
    help="What the lower 95 % bounds of sensitivity and specificity must reach for a certified judge.",
)
@options.model_options
@_format_option
def calibrate(
    labels: Path, *, judge_model: str | None, scale: Any, least_bound: float, report: str, **of_models: Any
) -> ExitCode:
    """Compare the judge with what people said of the same replies.

    LABELS is a CSV file whose first line names its columns, or a file of JSON objects, one a line. A row has a
    criterion, a response and a label (pass or fail, or a grade from 1 to 5, which passes from the threshold of the
    settings on); it may have a scenario (what the user said), a conversation, and an id.

    Exit codes: 0 the judge is provisional or certified, 1 it agrees too little with people, 3 too little was answered
    to say so. The status is kept for this model and this prompt; another model or prompt begins anew.

    \b
    Examples:
      audition judge calibrate labels.csv
      audition judge calibrate labels.csv --least-bound 0.9
      audition judge calibrate labels.jsonl --judge-model best --scale yes_no
      audition judge calibrate labels.csv --replay labels.cassette
    """
    from audition.engine.examining import ask_all
    from audition.judges.calibration import compare, status_of
    from audition.judges.labels import read_labels

    wishes = ModelWishes(**of_models)
    settings = _project.project_settings(offline=wishes.offline)
    named, file = _named(settings, judge_model), judges_file(settings)
    threshold = settings.judge_pass_threshold if scale == "grade" else 1
    read = read_labels(labels, passes_from=settings.judge_pass_threshold)
    for remark in read.remarks:
        tell(f"{labels}: {remark}")
    asked = [row.question(scale, threshold) for row in read.rows]
    names = [f"label: {row.id or number}" for number, row in enumerate(read.rows, 1)]
    answers = _answers(settings, named, wishes, partial(ask_all, questions=asked, names=names))
    compared = compare(read.rows, answers.scores, threshold)
    model, prompt = version_of(settings, named)
    examined = _examined(standing_of(read_standings(file), model, prompt).checkup)
    status, missing = status_of(compared, examined=examined, least_bound=least_bound)
    calibration = Calibration(
        status=status,
        least_bound=least_bound,
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


def _answers(
    settings: Settings, named: str, wishes: ModelWishes, asking: "Callable[..., Coroutine[Any, Any, Answers]]"
) -> "Answers":
    with asked_models(settings, wishes) as models:
        judge = judge_of(settings, named, models=models)
        return asyncio.run(asking(judge, at_once=settings.concurrency or AT_ONCE))


def _examined(checkup: Checkup | None) -> bool:
    """Say whether the doctor found nothing wrong with all that it looks at today."""
    from audition.judges.examination import PARTS

    return checkup is not None and checkup.verdict == "pass" and set(PARTS) <= set(checkup.parts)


def _with_status(file: Path, standing: Standing) -> Standing:
    """Return what is known of a judge with the status that the doctor's last findings leave it, and keep that."""
    from audition.judges.calibration import Compared, status_of

    found = standing.calibration
    if found is None:
        return standing
    seen = Confusion(
        true_pass=found.true_pass,
        false_pass=found.false_pass,
        false_fail=found.false_fail,
        true_fail=found.true_fail,
    )
    compared, least_bound = Compared(seen=seen, unanswered=found.unanswered), found.least_bound or LEAST_BOUND
    status, _ = status_of(compared, examined=_examined(standing.checkup), least_bound=least_bound)
    again = replace(found, status=status, least_bound=least_bound)
    return keep_calibration(file, standing.model, standing.prompt, again)


def _tell_problems(problems: Iterable[str | None]) -> None:
    for problem in dict.fromkeys(problems):
        if problem is not None:
            tell(f"a question was not answered: {problem}")


def _show(lines: Iterable[str]) -> None:
    Screen().show("".join(f"{line}\n" for line in lines))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
