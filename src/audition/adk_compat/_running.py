"""Running eval cases: the agent is opened once, each set has the judge that its config names."""

import logging
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from audition.adk_compat._evaluation import CaseResult, case_result
from audition.agents import Agent, Surroundings, open_agent
from audition.engine.perform import perform
from audition.engine.plan import Defaults, plan
from audition.evals import Eval
from audition.formats.adk import Config, eval_set_of, models_for
from audition.judges.llm import LlmJudge
from audition.llm import Models
from audition.results import TrialResult
from audition.scoring.adk_strict import with_notes
from audition.settings import Settings, environment, load_settings
from audition.users.simulated import user_for

_AT_ONCE = 8
_LOG = logging.getLogger(__name__)


class Runner:
    """Runs cases of one agent, each `runs` times.

    Raises: SettingsError when there is no such agent, or the project's settings are not right.
    """

    def __init__(self, agent_module: str, agent_name: str | None, runs: int) -> None:
        self._settings = load_settings(Path.cwd(), environment())
        self._models = Models(self._settings.models, self._settings.providers)
        self._agent, self._runs = self._opened(agent_module, agent_name), runs

    async def run(self, evals: Sequence[Eval], config: Config) -> tuple[CaseResult, ...]:
        """Return what the cases came to, in their order.

        Raises: PlanError when a case cannot be run against this agent.
        """
        named = models_for(self._settings, config)
        for remark in named.remarks:
            _LOG.warning("%s", remark)
        judge = None if named.judge is None else LlmJudge(self._models.open(named.judge))
        trials = plan(evals, self._defaults(), self._agent.observes)
        users = user_for(self._models, named.user, evals)
        at_once = min(self._settings.concurrency or _AT_ONCE, self._agent.at_once)
        found: dict[str, list[TrialResult]] = {one.name: [] for one in evals}
        async with aclosing(perform(trials, self._agent, judge, at_once=at_once, users=users)) as results:
            async for result in results:
                found[result.eval_name].append(result)
        return tuple(_case_result(one, found[one.name]) for one in evals)

    def _defaults(self) -> Defaults:
        settings: Settings = self._settings
        return Defaults(
            trials=self._runs,
            idle_timeout_ms=settings.idle_timeout_ms,
            judge_pass_threshold=settings.judge_pass_threshold,
            timeout_s=settings.timeout_s,
        )

    def _opened(self, module: str, agent_name: str | None) -> Agent:
        around = Surroundings(root=Path.cwd(), models=self._models, secrets=environment())
        if ":" in module:
            return open_agent(module, None, around)
        options = {"loader": "module"} | ({"agent_name": agent_name} if agent_name else {})
        return open_agent(f"adk:{module}", options, around)


def _case_result(one: Eval, results: Sequence[TrialResult]) -> CaseResult:
    set_id = str(eval_set_of(one.extra).get("eval_set_id", ""))
    trials = sorted(results, key=lambda result: result.trial)
    return case_result(one, set_id, [with_notes(one, trial) for trial in trials])
