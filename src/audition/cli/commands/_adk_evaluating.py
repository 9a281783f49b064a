"""Carrying out `audition adk eval`."""

import logging
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from time import time

import click

from audition.agents import AGENTS
from audition.cli.commands import _adk, _project
from audition.cli.commands._adk_selection import Wanted, insist_on_cases, unique_names, wanted_sets
from audition.cli.commands._adk_text import case_text, criteria_line, notes_text, summary_text
from audition.cli.commands._carrying_out import Wishes, carry_out
from audition.cli.commands._cassette import cassette_of
from audition.cli.commands._reporting import tell, write_text
from audition.engine.perform import perform
from audition.engine.plan import plan
from audition.engine.project import budget_of, limits_of, models_of, side_by_side
from audition.engine.standing import fingerprint_of
from audition.engine.tally import new_run
from audition.errors import ExitCode, Fault, LoadError, SettingsError, Where
from audition.evals import Eval
from audition.formats import without_code
from audition.formats.adk import Config, config_beside, default_config, eval_set_of, models_for, read_with_config
from audition.llm import Models
from audition.llm.budget import Budget
from audition.results import TrialResult
from audition.settings import Settings
from audition.store.adk_history import FOLDER, CaseRun, file_name, set_result
from audition.users.simulated import user_for

_ADK_CONFIG = "test_config.json"
"""The config that ADK looks for beside a single file."""

_CODES = {ExitCode.NOT_EVALUATED: ExitCode.FAILED, ExitCode.NOTHING_SELECTED: ExitCode.FAILED}
"""What ADK has one code for: whatever is not a pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command line asks for."""

    agent: str
    sets: tuple[str, ...]
    config_file_path: Path | None
    print_detailed_results: bool
    log_level: str | None
    enable_features: tuple[str, ...]
    disable_features: tuple[str, ...]
    num_runs: int | None
    concurrency: int | None
    report: str | None
    output: Path | None
    adk_compat: str | None
    adk_history: bool
    judge_model: str | None
    user_model: str | None
    max_cost_usd: float | None
    max_calls: int | None
    max_tokens: int | None
    record: Path | None
    replay: Path | None
    record_missing: bool
    offline: bool
    allow_code: bool
    no_history: bool
    verbose: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A case that is wanted: `eval_id` is its name in its set, the eval's name is unique in the run."""

    set_id: str
    eval_id: str
    eval: Eval


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """What is to be run: which cases of which files, against what agent and criteria; `remarks` stop nothing.

    `folder` is the agent's, None for an agent that has none.
    """

    reference: str
    folder: Path | None
    config: Config
    cases: tuple[_Case, ...]
    paths: tuple[Path, ...]
    remarks: tuple[str, ...]

    @property
    def app(self) -> str:
        """Return what ADK calls the app: the name of its folder."""
        return self.folder.resolve().name if self.folder else ""


def evaluate(asked: Asked) -> int:
    """Run the cases that are asked for, and return what the shell is told: what ADK tells, an error counting as 1."""
    settings = _project.project_settings(offline=asked.offline)
    _note_logging(asked)
    planned = _planned(asked, settings)
    results_folder = _results_folder(planned.folder) if asked.adk_history else None
    criteria = criteria_line(one.check for one in planned.config.criteria)
    if asked.report is None and asked.output is None:
        write_text([criteria], None)
    with cassette_of(asked.record, asked.replay, record_missing=asked.record_missing) as cassette:
        budget = budget_of(
            settings, max_cost_usd=asked.max_cost_usd, max_calls=asked.max_calls, max_tokens=asked.max_tokens
        )
        models = models_of(settings, budget=budget, cassette=cassette)
        code, finished = _run(asked, settings, planned, models, budget)
    by_set = _by_set(planned.cases, finished)
    if asked.report is None:
        report = [*([criteria] if asked.output else []), *_report(asked, by_set)]
        write_text(report, asked.output)
    if results_folder is not None:
        _write_results(results_folder, planned.app, by_set)
    return _CODES.get(code, code)


def _planned(asked: Asked, settings: Settings) -> _Planned:
    if asked.allow_code:
        _project.make_importable(settings)
    reference, folder = _agent(asked.agent, settings)
    wanted = wanted_sets(asked.sets, folder)
    config, remarks = _config(asked, wanted)
    cases, more = _cases(wanted, config, allow_code=asked.allow_code)
    return _Planned(
        reference=reference,
        folder=folder,
        config=config,
        cases=tuple(cases),
        paths=tuple(one.path for one in wanted),
        remarks=remarks + more,
    )


def _note_logging(asked: Asked) -> None:
    if asked.log_level is not None:
        logging.basicConfig(level=asked.log_level.upper())
    for given, variable in ((asked.enable_features, "ADK_ENABLE_"), (asked.disable_features, "ADK_DISABLE_")):
        names = [name.strip() for text in given for name in text.split(",") if name.strip()]
        if names:
            variables = " ".join(f"{variable}{name}=1" for name in names)
            tell(f"warning: features of ADK are switched in the environment here, and not by an option: {variables}")


def _agent(named: str, settings: Settings) -> tuple[str, Path | None]:
    """Return the reference of the agent, and its folder; None for an agent that has none."""
    kind, colon, where = named.partition(":")
    if Path(named).is_dir():
        return f"adk:{_project.kept_paths(settings, (Path(named),))[0]}", Path(named)
    if not colon or kind not in AGENTS.names():
        hint = "name the folder of an ADK agent, or any agent as KIND:WHERE, such as function:shop.bot:reply"
        raise SettingsError(f"there is no folder {named!r}", key="agent", hint=hint)
    folder = settings.root / where
    return named, folder if kind == "adk" and folder.is_dir() else None


def _config(asked: Asked, wanted: Sequence[Wanted]) -> tuple[Config, tuple[str, ...]]:
    """Return what the cases are held against, and remarks on it: the config that is named, or beside a single file.

    Raises: LoadError with all that is wrong with it.
    """
    path = asked.config_file_path
    if path is None:
        beside = [found for one in wanted if (found := config_beside(one.path)) and found.name == _ADK_CONFIG]
        if len(wanted) > 1 or not beside:
            unused = (
                f"{found}: not used, as ADK does not use it with several files" for found in dict.fromkeys(beside)
            )
            return default_config(), tuple(unused)
        path = beside[0]
    reading = _adk.named_config(path, allow_code=asked.allow_code)
    return reading.config, reading.warnings


def _cases(wanted: Sequence[Wanted], config: Config, *, allow_code: bool) -> tuple[list[_Case], tuple[str, ...]]:
    """Return the cases that are wanted, in the order of their files, and remarks on those.

    Raises: LoadError with all that is wrong with the files, UnknownName for a case that is not in its set.
    """
    readings = [read_with_config(one.path, config) for one in wanted]
    readings = readings if allow_code else [without_code(reading) for reading in readings]
    if faults := [fault for reading in readings for fault in reading.faults]:
        raise LoadError(faults)
    found: list[_Case] = []
    for one, reading in zip(wanted, readings, strict=True):
        insist_on_cases(one, [an_eval.name for an_eval in reading.evals])
        chosen = [an_eval for an_eval in reading.evals if not one.ids or an_eval.name in one.ids]
        found += [_Case(set_id=_set_id(an_eval), eval_id=an_eval.name, eval=an_eval) for an_eval in chosen]
    return _named_apart(found), tuple(warning for reading in readings for warning in reading.warnings)


def _set_id(one: Eval) -> str:
    return str(eval_set_of(one.extra).get("eval_set_id", ""))


def _named_apart(cases: Sequence[_Case]) -> list[_Case]:
    ids = [(case.set_id, case.eval_id) for case in cases]
    first: dict[tuple[str, str], _Case] = {}
    for case, its_ids in zip(cases, ids, strict=True):
        if (other := first.setdefault(its_ids, case)) is not case:
            where = case.eval.where or Where(case.set_id)
            message = f"the case {case.eval_id!r} of the set {case.set_id!r} is in two files"
            raise LoadError([Fault(message, where, f"the other is {other.eval.where}")])
    names = unique_names(ids)
    return [replace(case, eval=replace(case.eval, name=names[key])) for case, key in zip(cases, ids, strict=True)]


def _run(
    asked: Asked, settings: Settings, planned: _Planned, models: Models, budget: Budget
) -> tuple[ExitCode, list[TrialResult]]:
    """Run the cases, and return what came of it."""
    evals = [case.eval for case in planned.cases]
    options = {"at_once": asked.concurrency} if asked.concurrency and planned.reference.startswith("adk:") else {}
    agent = _project.ready_agent(settings, planned.reference, models=models, more=options)
    trials = plan(evals, limits_of(settings, trials=asked.num_runs), agent.observes)
    named = models_for(settings, planned.config, judge=asked.judge_model, user=asked.user_model)
    users = user_for(models, named.user, evals)
    judge, judge_name = _project.ready_judge(settings, named.judge, judging=True, models=models)
    remarks = (*planned.remarks, *named.remarks, *_adk.ENGINE.remarks(asked.adk_compat))
    for remark in remarks:
        tell(f"warning: {remark}")
    run = new_run(
        agent=planned.reference,
        judge=judge_name,
        judge_fingerprint=fingerprint_of(settings, judge_name),
        total=len(trials),
        paths=_project.kept_paths(settings, planned.paths),
        warnings=remarks,
    )
    at_once = side_by_side(settings, agent, asked.concurrency)
    results = perform(
        trials,
        agent,
        judge,
        at_once=at_once,
        scorer=_adk.ENGINE.scorer(asked.adk_compat),
        users=users,
        is_over=budget.is_over,
    )
    noted = _adk.ENGINE.noted(results, {one.name: one for one in evals}, asked.adk_compat, unasked=True)
    finished: list[TrialResult] = []
    wishes = _wishes(asked, budget, many_trials=len(trials) > len(evals))
    return carry_out(settings, run, _kept(noted, finished), wishes), finished


def _wishes(asked: Asked, budget: Budget, *, many_trials: bool) -> Wishes:
    return Wishes(
        report=asked.report,
        output=asked.output,
        verbose=asked.verbose or asked.print_detailed_results,
        many_trials=many_trials,
        keep=not asked.no_history,
        budget=budget,
    )


async def _kept(results: AsyncGenerator[TrialResult], finished: list[TrialResult]) -> AsyncGenerator[TrialResult]:
    async with aclosing(results):
        async for result in results:
            finished.append(result)
            yield result


def _by_set(cases: Sequence[_Case], finished: Sequence[TrialResult]) -> list[list[CaseRun]]:
    """Return what came of the cases, set by set, in the order of the files and not in that in which they finished."""
    results: dict[str, list[TrialResult]] = {}
    for result in finished:
        results.setdefault(result.eval_name, []).append(result)
    sets: dict[str, list[CaseRun]] = {case.set_id: [] for case in cases}
    for case in cases:
        trials = sorted(results.get(case.eval.name, ()), key=lambda result: result.trial)
        sets[case.set_id] += [
            CaseRun(set_id=case.set_id, eval_id=case.eval_id, eval=case.eval, result=result) for result in trials
        ]
    return [runs for runs in sets.values() if runs]


def _report(asked: Asked, by_set: Sequence[Sequence[CaseRun]]) -> Iterator[str]:
    yield summary_text(by_set)
    if asked.print_detailed_results:
        for runs in by_set:
            for run in runs:
                yield case_text(run, runs=asked.num_runs or 1, verbose=asked.verbose)
    else:
        yield notes_text(by_set)


def _results_folder(folder: Path | None) -> Path:
    """Return the folder that ADK keeps results in, made before anything is spent on a run."""
    if folder is None:
        raise click.UsageError("--adk-history writes into the agent's folder, and this agent has none")
    results = folder / FOLDER
    try:
        results.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise click.FileError(str(results), error.strerror) from error
    return results


def _write_results(folder: Path, app: str, by_set: Sequence[Sequence[CaseRun]]) -> None:
    now = time()
    for number, runs in enumerate(by_set):
        set_id, created_at_s = runs[0].set_id, now + number / 1000  # two ids may look the same in a file's name
        path = folder / file_name(app, set_id, created_at_s)
        write_text(set_result(app, set_id, runs, created_at_s=created_at_s), path)
        tell(f"wrote {path}")
