"""The project whose evals a session of pytest runs: its settings with what pytest was asked for, agents and judge."""

import sys
from collections.abc import Callable

import pytest

from audition.agents import Agent
from audition.engine.perform import Users
from audition.engine.project import agent_of, judge_of, limits_of, models_of, side_by_side
from audition.engine.taping import cassette_in
from audition.errors import SettingsError
from audition.formats import with_agent_config
from audition.judges import Judge
from audition.settings import environment, load_settings
from audition.users.simulated import user_for


class Project:
    """What holds for a whole session; close it at the end.

    Raises: SettingsError or LoadError when the project's settings are not right.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.settings = with_agent_config(load_settings(config.rootpath, environment()))
        self._cassette = cassette_in(environment())
        # All of a session share limits, budget and cassette.
        self._models = models_of(self.settings, cassette=self._cassette)
        self.allow_code = bool(self._asked("allow_code"))
        if self.allow_code and str(self.settings.root) not in sys.path:
            sys.path.insert(0, str(self.settings.root))  # custom checks name functions of the project
        self.judging = not self._asked("no_judge")
        self.defaults = limits_of(self.settings, trials=self._count("trials"))

    def close(self) -> None:
        """Close the cassette: no more calls are made."""
        if self._cassette is not None:
            self._cassette.close()

    @property
    def agent_reference(self) -> str:
        """Return the reference of the agent to use.

        Raises: SettingsError when none was named anywhere.
        """
        named = self._text("agent") or self.settings.agent
        if named is None:
            hint = "pass --audition-agent function:shop.bot:reply, or set [agent] use in audition.toml"
            raise SettingsError("no agent was named", key="agent", hint=hint)
        return named

    @property
    def judge_reference(self) -> str | None:
        """Return the model that judges, None when there is none or none is wanted."""
        return (self._text("judge_model") or self.settings.judge_model) if self.judging else None

    @property
    def history_place(self) -> str | None:
        """Return where results are kept, None when they are not."""
        return self.settings.history_place if self._config.getini("audition_history") else None

    def agent(self, given: str | Agent | Callable[..., object] | None = None) -> Agent:
        """Return the agent given, or else the project's."""
        if given is None or isinstance(given, str):
            reference = given or self.agent_reference
            return agent_of(self.settings, reference, models=self._models)
        if callable(given):
            from audition.agents.function import FunctionAgent

            return FunctionAgent(given)
        return given

    def judge(self, given: str | Judge | None = None) -> Judge | None:
        """Return the judge given, or else the project's; None when there is none."""
        reference = given or self.judge_reference
        if reference is None or not isinstance(reference, str):
            return reference
        return judge_of(self.settings, reference, models=self._models)

    def users(self) -> Users:
        """Return who speaks the turns of an eval; for a scenario whose user nobody plays, asking is a PlanError."""
        return user_for(self._models, self._text("user_model") or self.settings.user_model)

    def at_once(self, agent: Agent) -> int:
        """Return how many evals run side by side."""
        return side_by_side(self.settings, agent, self._count("concurrency"))

    def _asked(self, name: str) -> object:
        """Return what an option says, or else the ini setting; what is not said is empty, None or False."""
        return self._config.getoption(f"audition_{name}") or self._config.getini(f"audition_{name}")

    def _text(self, name: str) -> str | None:
        return str(self._asked(name) or "") or None

    def _count(self, name: str) -> int | None:
        return int(self._text(name) or 0) or None
