"""The Python surface: load evals, run them against an agent, judge them again, and write the result down.

    import audition

    result = audition.run("evals/", agent="function:shop.bot:reply")
    print(audition.render(result))
    assert result.verdict == "pass"

Everything works inside a running event loop too: `arun` and `arescore` are to be awaited, and `run` and `rescore`
bring a loop of their own, in a thread of their own where one is already running.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from audition.agents import Agent
from audition.engine.perform import perform
from audition.engine.plan import Selection, choose, plan
from audition.engine.project import agent_of, budget_of, judge_of, limits_of, models_of, side_by_side
from audition.engine.rescore import rescore as rescored
from audition.engine.standing import fingerprint_of
from audition.engine.tally import Tally, new_run
from audition.errors import LoadError, SettingsError
from audition.evals import Eval, Suite
from audition.formats import load as load_suite
from audition.formats import with_agent_config
from audition.formats.eval_dict import read_evals, write_eval
from audition.judges import Judge
from audition.llm import LanguageModel, Models
from audition.llm.budget import Budget
from audition.reports import REPORTS
from audition.results import Run, RunStatus, TrialResult, Verdict, roll_up
from audition.settings import Settings, environment, load_settings
from audition.store import Recorder
from audition.store.recording import Recording
from audition.users.simulated import user_for

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette

Reply = Callable[..., object]
"""A function agent's callable: `reply(turn, session)`, sync or async."""

Evals = str | Path | Suite | Sequence[str | Path] | Sequence[Eval]
"""What can be run: files and folders, a suite, or evals built in Python."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A finished run and the results of its trials, in the order in which they finished."""

    run: Run
    trials: tuple[TrialResult, ...]

    @property
    def verdict(self) -> Verdict:
        """Return the verdict of the whole: fail beats error beats pass; nothing evaluated is an error."""
        return roll_up(trial.verdict for trial in self.trials)

    @property
    def ran(self) -> int:
        """Return how many trials have a result."""
        return len(self.trials)


def load(paths: str | Path | Sequence[str | Path], *, allow_code: bool = False) -> Suite:
    """Return the evals of files and folders. Python eval files in folders are read only with `allow_code`.

    Raises: LoadError with every fault of every file.
    """
    return load_suite(paths, allow_code=allow_code)


def agent(where: str | Reply, options: Mapping[str, object] | None = None) -> Agent:
    """Return an agent: from a reference such as `http:http://127.0.0.1:8000/turn`, or around a callable.

    Raises: SettingsError and UnknownName for a reference or options that are none.
    """
    if callable(where):
        from audition.agents.function import FunctionAgent

        return FunctionAgent(where)
    settings = _settings()
    return agent_of(settings, where, options=options)


async def arun(
    evals: Evals,
    agent: str | Reply | Agent | None = None,
    *,
    judge: str | Judge | None = None,
    judging: bool = True,
    user: str | LanguageModel | None = None,
    select: Selection | None = None,
    trials: int | None = None,
    at_once: int | None = None,
    history: Recorder | None = None,
    cassette: "Cassette | None" = None,
) -> RunResult:
    """Run evals against an agent and return what came of it; a threshold that is missed raises nothing.

    What is left out comes from the project's settings (`audition.toml` above the current folder), then from audition's
    defaults. `judge` is a model reference such as `openai:gpt-4o`, or a Judge; `judging` False skips checks that need
    one. `user` is the model that plays simulated users. `history` is a store that takes the results down.
    `cassette` records or replays the calls of the models that are named by a reference. When the budget of the
    settings is spent, what had finished is returned, and the run says why it ended.

    Raises: LoadError, SettingsError, UnknownName, NothingSelected, PlanError, before the first message.
    """
    settings = _settings()
    suite = _suite(evals)
    budget = budget_of(settings)
    models = models_of(settings, budget=budget, cassette=cassette)
    auditioned, name = _agent(agent, settings, models)
    judges, judge_name = _judge(judge, settings, models)
    chosen = choose(suite.evals, select or Selection())
    users = user_for(models, user or settings.user_model, chosen)
    planned = plan(chosen, limits_of(settings, trials=trials), auditioned.observes)
    run = new_run(
        agent=name,
        judge=judge_name,
        judge_fingerprint=_fingerprint(judge, settings),
        total=len(planned),
        paths=(suite.name,),
    )
    width = side_by_side(settings, auditioned, at_once)
    results = perform(planned, auditioned, judges, at_once=width, judging=judging, users=users, is_over=budget.is_over)
    return await _gathered(run, results, history, budget)


async def arescore(
    result: RunResult,
    evals: Evals,
    *,
    judge: str | Judge | None = None,
    judging: bool = True,
    cassette: "Cassette | None" = None,
) -> RunResult:
    """Judge the transcripts of a run again by the evals given, without calling the agent, and return a new run."""
    settings = _settings()
    budget = budget_of(settings)
    judges, judge_name = _judge(judge, settings, models_of(settings, budget=budget, cassette=cassette))
    by_name = {one.name: one for one in _suite(evals).evals}
    run = new_run(
        agent=result.run.agent,
        judge=judge_name,
        judge_fingerprint=_fingerprint(judge, settings),
        total=len(result.trials),
        rescored_from=result.run.id,
    )
    results = rescored(
        result.trials, by_name, judges, defaults=limits_of(settings), judging=judging, is_over=budget.is_over
    )
    return await _gathered(run, results, None, budget)


def run(
    evals: Evals,
    agent: str | Reply | Agent | None = None,
    *,
    judge: str | Judge | None = None,
    judging: bool = True,
    user: str | LanguageModel | None = None,
    select: Selection | None = None,
    trials: int | None = None,
    at_once: int | None = None,
    history: Recorder | None = None,
    cassette: "Cassette | None" = None,
) -> RunResult:
    """Do what `arun` does, and wait for it."""
    return _wait(
        arun(
            evals,
            agent,
            judge=judge,
            judging=judging,
            user=user,
            select=select,
            trials=trials,
            at_once=at_once,
            history=history,
            cassette=cassette,
        )
    )


def rescore(
    result: RunResult,
    evals: Evals,
    *,
    judge: str | Judge | None = None,
    judging: bool = True,
    cassette: "Cassette | None" = None,
) -> RunResult:
    """Do what `arescore` does, and wait for it."""
    return _wait(arescore(result, evals, judge=judge, judging=judging, cassette=cassette))


def render(result: RunResult, format: str = "text", *, verbose: bool = False) -> str:
    """Return a run as a report: `text`, `json`, `junit` or any other file of `audition/reports/`.

    Raises: UnknownName for a format nobody offers.
    """
    return "".join(REPORTS.get(format).render(result.run, result.trials, verbose=verbose))


async def _gathered(
    run: Run, results: AsyncGenerator[TrialResult], history: Recorder | None, budget: Budget
) -> RunResult:
    begun, tally, trials = time.perf_counter(), Tally(run), []
    with Recording(history, run) if history else nullcontext() as recording:
        async with aclosing(results):
            async for result in results:
                tally.count(result)
                trials.append(result)
                if recording:
                    recording.add(result)
        status: RunStatus = "failed" if budget.is_over() else "completed"
        duration_ms = (time.perf_counter() - begun) * 1000
        finished = tally.run(status, duration_ms=duration_ms, error=budget.refusal)
        if recording:
            recording.finish(finished)
    return RunResult(run=finished, trials=tuple(trials))


def _settings() -> Settings:
    return with_agent_config(load_settings(Path.cwd(), environment()))


def _suite(evals: Evals) -> Suite:
    if isinstance(evals, Suite):
        return evals
    if isinstance(evals, str | Path):
        return load_suite(evals)
    paths = [one for one in evals if not isinstance(one, Eval)]
    built = [one for one in evals if isinstance(one, Eval)]
    read = load_suite(paths).evals if paths else ()
    return Suite(name="python", evals=(*_checked(built), *read))


def _checked(built: Sequence[Eval]) -> tuple[Eval, ...]:
    """Return evals built in Python as a file would have given them.

    Raises: LoadError for what an eval file could not hold.
    """
    if not built:
        return ()
    reading = read_evals([write_eval(one) for one in built], "python")
    if reading.faults:
        raise LoadError(reading.faults)
    return reading.evals


def _agent(given: str | Reply | Agent | None, settings: Settings, models: Models) -> tuple[Agent, str]:
    reference = given or settings.agent
    if isinstance(reference, str):
        return agent_of(settings, reference, models=models), reference
    if reference is None:
        raise SettingsError("no agent is named", key="agent", hint="pass agent=…, or set [agent] use in audition.toml")
    name = getattr(reference, "__qualname__", type(reference).__name__)
    return agent(reference) if callable(reference) else reference, f"python:{name}"


def _judge(given: str | Judge | None, settings: Settings, models: Models) -> tuple[Judge | None, str | None]:
    reference = given or settings.judge_model
    if isinstance(reference, str):
        return judge_of(settings, reference, models=models), reference
    return reference, None if reference is None else f"python:{type(reference).__name__}"


def _fingerprint(given: str | Judge | None, settings: Settings) -> str | None:
    reference = given or settings.judge_model
    return fingerprint_of(settings, reference) if isinstance(reference, str) else None


def _wait(work: Coroutine[object, object, _T]) -> _T:
    """Run a coroutine to its end, in a thread of its own when this one already runs a loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1, "audition") as thread:
        return thread.submit(asyncio.run, work).result()
