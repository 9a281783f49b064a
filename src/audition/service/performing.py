"""What a run is carried out with: its subject as an agent, its judge and their models, made once for all its trials."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import urlsplit

from audition.agents import Agent
from audition.agents.replay import ReplayAgent
from audition.agents.subject import SubjectSurroundings, open_subject
from audition.agents.tools import ToolSurroundings, secrets_of
from audition.engine import plan
from audition.engine.perform import perform_one
from audition.engine.project import judge_of, limits_of, models_of
from audition.engine.settle import NO_JUDGE
from audition.errors import PlanError, SettingsError
from audition.evals import Eval
from audition.judges import Judge
from audition.llm import Models
from audition.llm.budget import Budget
from audition.llm.egress import Egress
from audition.providers import Allowance, is_loopback
from audition.results import TrialResult, Verdict, agent_usage, judge_usage
from audition.scoring.lint import judged_texts
from audition.service.case_evals import to_eval
from audition.service.conducting import Trial
from audition.service.masking import Masking, secrets_in
from audition.settings import Settings
from audition.store.service import runs, trials
from audition.store.service.cases import Case, cases_at
from audition.store.service.database import Connection, Database
from audition.store.service.run_options import RunOptions
from audition.store.service.subjects import decode_subject
from audition.store.service.tool_recordings import ToolRecordings
from audition.subjects import Subject, everyone, with_candidate
from audition.transcript import Usage, total
from audition.users.simulated import user_for

Number = TypeVar("Number", int, float)


def opener(settings: Settings) -> Callable[[Database, runs.Begun], "Ready"]:
    """Return what makes everything ready for a run, with the models, tools and limits of a project's settings."""
    return lambda database, begun: _ready(settings, database, begun.run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """Everything a run needs; see `conducting.Performance`. `unplanned` are cases that cannot be run, and why."""

    trials: Sequence[Trial]
    at_once: int
    max_duration_s: float | None
    agent: Agent
    judge: Judge | None
    models: Models
    budget: Budget
    user_model: str | None
    planned: Mapping[Trial, plan.Trial]
    unplanned: Mapping[int, str]
    masking: Masking

    async def perform(self, case_id: int, number: int) -> TrialResult:
        """Return what came of a trial; one that cannot be planned is an error."""
        trial = self.planned.get((case_id, number))
        if trial is None:
            started_at, name = datetime.now(UTC).isoformat(), f"case-{case_id}"
            why = self.unplanned[case_id]
            return TrialResult(eval_name=name, verdict=Verdict.ERROR, trial=number, error=why, started_at=started_at)
        users = user_for(self.models, self.user_model)
        return self.masking.result(await perform_one(trial, self.agent, self.judge, users=users))

    def refusal(self) -> str | None:
        """Return why the run's models may spend no more, None while they may."""
        return self.budget.refusal


def _ready(settings: Settings, database: Database, run: runs.Run) -> Ready:
    """Return everything a run needs.

    Raises: AuditionError when there is no way to carry it out: no judge though one is needed, a model or provider that
    settings do not name, a tree that cannot be built, nothing left to spend.
    """
    options = run.options
    settings = replace(settings, judge_votes=options.judge_votes or settings.judge_votes)
    cases, earlier, stored = database.read(lambda connection: _kept(connection, run))
    budget = _budget_left(settings, options, earlier)
    models = models_of(settings, budget=budget)
    reference = options.judge or run.judge or settings.judge_model
    if reference is not None:
        together = settings.judge_models if reference == settings.judge_model else ()
        _insist_on_keys(models, together or [reference])
    judge = judge_of(settings, reference, models=models)
    evals, unplanned = _evals(cases)
    if judge is None and any(any(judged_texts(one)) for one in evals.values()):
        raise SettingsError(NO_JUDGE, key="judge")
    agent = _agent_for(settings, database, run, models, stored)
    planned: dict[Trial, plan.Trial] = {}
    for case_id, one in evals.items():
        try:
            found = plan.plan([one], limits_of(settings, trials=options.trials), agent.observes)
        except PlanError as error:
            unplanned[case_id] = str(error)
        else:
            planned |= {(case_id, trial.number): trial for trial in found}
    every = [(case.id, number) for case in cases for number in range(1, options.trials + 1)]
    return Ready(
        trials=every if stored is None else [one for one in every if _label(*one, of=options.trials) in stored],
        at_once=max(1, min(options.concurrency, settings.service.concurrency, agent.at_once)),
        max_duration_s=options.max_duration_s,
        agent=agent,
        judge=judge,
        models=models,
        budget=budget,
        user_model=settings.user_model,
        planned=planned,
        unplanned=unplanned,
        masking=Masking((*secrets_in(settings), *_secrets_of_tools(run))),
    )


Stored = Mapping[str, TrialResult]
"""The results of another run by what its trials are called."""


def _kept(connection: Connection, run: runs.Run) -> tuple[Sequence[Case], Sequence[TrialResult], Stored | None]:
    """Return the cases of a run, the results it has already, and those of the run whose conversations are judged."""
    options = run.options
    cases = cases_at(connection, run.dataset_id, run.dataset_version, ids=options.case_ids, tags=options.tags)
    earlier = tuple(trials.results_of(connection, run.id))
    if run.kind != "rejudge" or run.parent_id is None:
        return cases, earlier, None
    found = trials.results_of(connection, run.parent_id, copies=True)
    return cases, earlier, {_name(result, of=options.trials): result for result in found}


def _agent_for(settings: Settings, database: Database, run: runs.Run, models: Models, stored: Stored | None) -> Agent:
    if stored is not None:
        return ReplayAgent({name: result.transcript for name, result in stored.items()})
    options = run.options
    subject = _subject(run)
    _insist_on_keys(models, [one.model for one in everyone(subject)])
    service = settings.service
    around = SubjectSurroundings(
        models=models,
        tools=ToolSurroundings(
            egress=Egress(service.allow_hosts),
            functions=service.functions,
            root=settings.root,
            secrets=secrets_in(settings),
        ),
        tool_mode=options.tool_mode,
        recordings=_recordings(database, run),
    )
    return open_subject(subject, around)


def _secrets_of_tools(run: runs.Run) -> tuple[str, ...]:
    return tuple(secret for one in everyone(_subject(run)) for secret in secrets_of(one.tools))


def _subject(run: runs.Run) -> Subject:
    subject = with_candidate(decode_subject(run.subject), run.candidate_system_prompt)
    model = run.options.subject_model
    return subject if model is None else replace(subject, model=model)


def _recordings(database: Database, run: runs.Run) -> ToolRecordings | None:
    if run.options.tool_mode == "record":
        return ToolRecordings(database, run.id)
    if run.options.tool_mode == "replay" and run.options.replay_of is not None:
        return ToolRecordings(database, run.options.replay_of)
    return None


def _evals(cases: Sequence[Case]) -> tuple[dict[int, Eval], dict[int, str]]:
    """Return the eval of each case, and why those that have none cannot be run."""
    evals: dict[int, Eval] = {}
    faulty: dict[int, str] = {}
    for case in cases:
        try:
            evals[case.id] = to_eval(case)
        except PlanError as error:
            faulty[case.id] = str(error)
    return evals, faulty


def _budget_left(settings: Settings, options: RunOptions, earlier: Sequence[TrialResult]) -> Budget:
    """Return what is left of a run's budget, once what earlier workers saved of it is taken off.

    Raises: PlanError when nothing is left.
    """
    usages = [usage for result in earlier for usage in (agent_usage(result), judge_usage(result)) if usage]
    spent = total(usages) if usages else Usage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0.0)
    tokens = (spent.input_tokens or 0) + (spent.output_tokens or 0)
    allowed = settings.budget
    return Budget(
        Allowance(
            max_calls=_left(options.max_calls or allowed.max_calls, spent.calls or 0, "calls"),
            max_tokens=_left(options.max_tokens or allowed.max_tokens, tokens, "tokens"),
            max_cost_usd=_left(options.max_cost_usd or allowed.max_cost_usd, spent.cost_usd or 0.0, "US dollars"),
        )
    )


def _left(allowed: Number | None, spent: Number, unit: str) -> Number | None:
    if allowed is None:
        return None
    if spent >= allowed:
        raise PlanError(f"the budget of {allowed:,} {unit} is spent")
    return allowed - spent


def _insist_on_keys(models: Models, references: Iterable[str]) -> None:
    """Refuse models that cannot answer for want of a key, before every case finds that out by itself.

    Raises: SettingsError.
    """
    for reference in references:
        provider, _ = models.resolve(reference)
        needs_key = provider.api_key_env is not None and not is_loopback(urlsplit(provider.base_url).hostname or "")
        if needs_key and provider.api_key is None:
            hint = f"set {provider.api_key_env} where the workers run"
            message = f"the provider {provider.name!r} of the model {reference!r} is not configured"
            raise SettingsError(message, key="providers", hint=hint)


def _name(result: TrialResult, *, of: int) -> str:
    return result.eval_name if of == 1 else f"{result.eval_name}#{result.trial}"


def _label(case_id: int, number: int, *, of: int) -> str:
    return f"case-{case_id}" if of == 1 else f"case-{case_id}#{number}"
