"""Running eval cases: the agent is opened once, each set has the judge that its config names."""

import logging
from collections.abc import Sequence
from contextlib import aclosing
from pathlib import Path

from audition.adk_compat._evaluation import CaseResult, case_result
from audition.adk_compat._taping import current_cassette, current_test
from audition.agents import Agent, Surroundings, open_agent
from audition.engine.perform import perform
from audition.engine.plan import plan
from audition.engine.project import judge_of, limits_of, models_of, side_by_side
from audition.evals import Eval
from audition.formats.adk import Config, eval_set_of, models_for
from audition.llm.trial import of_place
from audition.results import TrialResult
from audition.scoring.adk_strict import with_notes
from audition.settings import environment, load_settings
from audition.users.simulated import user_for

_LOG = logging.getLogger(__name__)


class Runner:
    """Runs cases of one agent, each `runs` times.

    Its models are on the cassette that the environment names, in trials that belong to the running test.

    Raises: SettingsError when there is no such agent, or the project's settings are not right.
    """

    def __init__(self, agent_module: str, agent_name: str | None, runs: int) -> None:
        self._settings = load_settings(Path.cwd(), environment())
        self._models = models_of(self._settings, cassette=current_cassette())
        self._agent, self._runs = self._opened(agent_module, agent_name), runs

    async def run(self, evals: Sequence[Eval], config: Config) -> tuple[CaseResult, ...]:
        """Return what the cases came to, in their order.

        Raises: PlanError when a case cannot be run against this agent.
        """
        named = models_for(self._settings, config)
        for remark in named.remarks:
            _LOG.warning("%s", remark)
        judge = judge_of(self._settings, named.judge, models=self._models)
        trials = plan(evals, limits_of(self._settings, trials=self._runs), self._agent.observes)
        users = user_for(self._models, named.user, evals)
        at_once = side_by_side(self._settings, self._agent)
        found: dict[str, list[TrialResult]] = {one.name: [] for one in evals}
        with of_place(current_test()):
            async with aclosing(perform(trials, self._agent, judge, at_once=at_once, users=users)) as results:
                async for result in results:
                    found[result.eval_name].append(result)
        return tuple(_case_result(one, found[one.name]) for one in evals)

    def _opened(self, module: str, agent_name: str | None) -> Agent:
        around = Surroundings(
            root=Path.cwd(),
            models=self._models,
            secrets=environment(),
            offline=self._settings.offline,
        )
        if ":" in module:
            return open_agent(module, None, around)
        options = {"loader": "module"} | ({"agent_name": agent_name} if agent_name else {})
        return open_agent(f"adk:{module}", options, around)


def _case_result(one: Eval, results: Sequence[TrialResult]) -> CaseResult:
    set_id = str(eval_set_of(one.extra).get("eval_set_id", ""))
    trials = sorted(results, key=lambda result: result.trial)
    return case_result(one, set_id, [with_notes(one, trial) for trial in trials])
