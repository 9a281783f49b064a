"""The AgentEvaluator of Google's ADK, with our engine behind it: a test changes its import, and nothing else.

    from audition.adk_compat import AgentEvaluator

    async def test_home_automation():
        await AgentEvaluator.evaluate("home_automation.agent", "tests/")

Beyond ADK's: failures name their eval case and where it stands, a file that fails or does not load hides no other, and
what came of it all is returned, or is the `evaluation` of the error that is raised.
"""

import json
import logging
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from audition.adk_compat._evaluation import CaseResult, CasesFailed, Evaluation, MetricResult, failures
from audition.adk_compat._running import Runner
from audition.adk_compat._table import append
from audition.errors import AuditionError, LoadError
from audition.evals import Suite
from audition.formats import Reading, without_code
from audition.formats.adk import (
    Config,
    ConfigReading,
    config_of,
    default_config,
    read_cases,
    read_config,
    read_eval_set,
    session_setup,
    with_criteria,
    write_eval_set,
)
from audition.reports.text import result_text
from audition.results import Verdict
from audition.store.adk_history import STATUSES
from audition.text import nearest

__all__ = ["AgentEvaluator", "CaseResult", "CasesFailed", "Evaluation", "MetricResult"]

NUM_RUNS = 2
"""How often each eval case is run when a test does not say."""

_CONFIG = "test_config.json"
_SESSION_KEYS = ("app_name", "user_id", "state")
_LOG = logging.getLogger(__name__)


class _Model(Protocol):
    """A pydantic model, as ADK's EvalSet and EvalConfig are."""

    def model_dump(self, **how: Any) -> dict[str, Any]:
        """Return the model as data."""
        ...


_Data = Mapping[str, Any] | _Model
"""An EvalSet or EvalConfig: ADK's own object, or the same as in a file."""


class AgentEvaluator:
    """Runs eval sets against an agent and raises when a case did not pass. Source: google-adk, AgentEvaluator."""

    @staticmethod
    def find_config_for_test_file(test_file: str) -> Config:
        """Return what a file's cases are held against: `test_config.json` in its folder, or else ADK's two criteria.

        Raises: LoadError with all that is wrong with the config.
        """
        path = Path(test_file).parent / _CONFIG
        if path.is_file():
            return _usable(read_config(path, allow_code=True))
        other = path.with_name("eval_config.json")
        if other.is_file():
            _LOG.warning("%s: not used: AgentEvaluator takes %s, and without it ADK's criteria hold", other, _CONFIG)
        return default_config()

    @staticmethod
    async def evaluate_eval_set(
        agent_module: str,
        eval_set: _Data,
        criteria: Mapping[str, float] | None = None,
        eval_config: Config | _Data | None = None,
        num_runs: int = NUM_RUNS,
        agent_name: str | None = None,
        print_detailed_results: bool = True,
        artifact_service: object = None,
        output_file: str | None = None,
        app_name: str | None = None,  # noqa: ARG004  # ADK files results under it, for a manager
        eval_set_results_manager: object = None,
    ) -> Evaluation:
        """Run the cases of an eval set `num_runs` times and return what came of them.

        `agent_module` is a dotted module, or any agent as KIND:WHERE; `agent_name` one of its sub-agents. `criteria`
        is the old form of `eval_config`. `output_file` is a CSV file to add to.

        Raises: CasesFailed when a case did not pass; ValueError, LoadError and SettingsError for what is no eval set,
        config or agent.
        """
        _insist(num_runs, artifact_service, eval_set_results_manager)
        document = _document(eval_set)
        if not document.get("eval_cases"):
            raise ValueError("the eval set has no cases, so there is nothing that could pass or fail")
        reading = _without_faults(without_code(read_eval_set(document, "eval_set")))
        config = _config(criteria, eval_config)
        runner = Runner(agent_module, agent_name, num_runs)
        results = await runner.run(with_criteria(reading.evals, config), config)
        return _concluded(Evaluation(results=results), agent_module, print_detailed_results, output_file)

    @staticmethod
    async def evaluate(
        agent_module: str,
        eval_dataset_file_path_or_dir: str,
        num_runs: int = NUM_RUNS,
        agent_name: str | None = None,
        initial_session_file: str | None = None,
        print_detailed_results: bool = True,
        artifact_service: object = None,
        output_file: str | None = None,
        app_name: str | None = None,  # noqa: ARG004  # ADK files results under it, for a manager
        eval_set_results_manager: object = None,
    ) -> Evaluation:
        """Run the cases of a file, or of all `*.test.json` at and below a folder, and return what came of them.

        `initial_session_file` holds the session that cases in the old form of eval data begin with. The rest is as for
        `evaluate_eval_set`.

        Raises: CasesFailed when a case did not pass or a file could not be evaluated; ValueError when there is no file.
        """
        _insist(num_runs, artifact_service, eval_set_results_manager)
        files = _test_files(Path(eval_dataset_file_path_or_dir))
        session = _initial_session(initial_session_file)
        runner = Runner(agent_module, agent_name, num_runs)
        results: list[CaseResult] = []
        unread: list[str] = []
        for file in files:
            try:
                config = AgentEvaluator.find_config_for_test_file(str(file))
                reading = _without_faults(without_code(_begun_with(session, read_cases(file), file)))
                results += await runner.run(with_criteria(reading.evals, config), config)
            except AuditionError as error:
                unread.append(str(error))
        evaluation = Evaluation(results=tuple(results), unread=tuple(unread))
        return _concluded(evaluation, agent_module, print_detailed_results, output_file)

    @staticmethod
    def migrate_eval_data_to_new_schema(
        old_eval_data_file: str, new_eval_data_file: str, initial_session_file: str | None = None
    ) -> None:
        """Write eval data of an old form as an EvalSet. Raises: LoadError with all that is wrong with the old file."""
        old = Path(old_eval_data_file)
        reading = _without_faults(_begun_with(_initial_session(initial_session_file), read_cases(old), old))
        written = write_eval_set(Suite(name=old.name, evals=reading.evals))
        Path(new_eval_data_file).write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", "utf-8")


def _insist(num_runs: int, artifact_service: object, eval_set_results_manager: object) -> None:
    if num_runs < 1:
        raise ValueError(f"num_runs must be at least 1, not {num_runs}")
    if artifact_service is not None:
        hint = "leave it out: each case has an artifact service of its own, in memory"
        raise AuditionError("an artifact_service of one's own is not supported", hint=hint)
    if eval_set_results_manager is not None:
        hint = "leave it out: the results are returned, and audition adk eval --adk-history writes ADK's result files"
        raise AuditionError("an eval_set_results_manager is not supported", hint=hint)


def _test_files(path: Path) -> list[Path]:
    """Return a file itself, or the test files at and below a folder, sorted. Raises: ValueError when there is none."""
    if not path.is_dir():
        if not path.exists():
            raise ValueError(f"there is no file or folder {str(path)!r}")
        return [path]
    files = sorted(path.rglob("*.test.json"))
    if not files:
        raise ValueError(f"no *.test.json is in {str(path)!r} or below, so there is nothing to evaluate")
    return files


def _document(data: _Data) -> Mapping[str, Any]:
    """Return an object of ADK's as a file would hold it; what was not set in it is left out."""
    if isinstance(data, Mapping):
        return data
    return data.model_dump(mode="json", exclude_unset=True, exclude_none=True, serialize_as_any=True)


def _config(criteria: Mapping[str, float] | None, eval_config: Config | _Data | None) -> Config:
    if criteria:
        _LOG.warning("'criteria' is deprecated: give 'eval_config'")
        eval_config = {"criteria": dict(criteria)}
    if eval_config is None:
        raise ValueError("an eval_config is required")
    if isinstance(eval_config, Config):
        return eval_config
    return _usable(config_of(_document(eval_config), "eval_config", allow_code=True))


def _usable(found: ConfigReading) -> Config:
    if found.faults:
        raise LoadError(found.faults)
    for warning in found.warnings:
        _LOG.warning("%s", warning)
    return found.config


def _without_faults(reading: Reading) -> Reading:
    if reading.faults:
        raise LoadError(reading.faults)
    for warning in reading.warnings:
        _LOG.warning("%s", warning)
    return reading


def _initial_session(file: str | None) -> Mapping[str, Any] | None:
    """Return what is in a session file, None without one. Raises: ValueError for what is no session."""
    if file is None:
        return None
    session = json.loads(Path(file).read_text("utf-8-sig"))
    if not isinstance(session, dict):
        raise ValueError(f"{file}: must be an object with any of {', '.join(_SESSION_KEYS)}")
    for key in session.keys() - set(_SESSION_KEYS):
        near = nearest(key, _SESSION_KEYS)
        raise ValueError(f"{file}: unknown key {key!r}" + (f"; did you mean {near!r}?" if near else ""))
    return session


def _begun_with(session: Mapping[str, Any] | None, reading: Reading, file: Path) -> Reading:
    """Return evals that begin with a session, which only cases of the old form may be given beside their file.

    Raises: ValueError for an eval set of today, whose cases hold their own.
    """
    if session is None or reading.faults:
        return reading
    if not isinstance(json.loads(file.read_text("utf-8-sig")), list):
        raise ValueError(f"{file}: an initial session belongs into the 'session_input' of the cases of an eval set")
    setup = session_setup({"app_name": "", "user_id": "", **session})
    return replace(reading, evals=tuple(replace(one, setup=setup) for one in reading.evals))


def _concluded(evaluation: Evaluation, agent: str, print_details: bool, output_file: str | None) -> Evaluation:
    """Return the evaluation when all passed.

    Raises: CasesFailed when a case did not, or something could not be evaluated.
    """
    if output_file:
        append(evaluation.results, Path(output_file))
    if print_details:
        # As ADK, and not in a log: pytest shows it with the test that failed, whatever logging is set up.
        sys.stdout.write("\n".join(_details(evaluation)) + "\n")
    failed = [line for case in evaluation.results for line in failures(case, agent)]
    unread = ["Could not be evaluated:", *evaluation.unread] if evaluation.unread else []
    if failed or unread:
        told = ["Following are all the test failures.", *failed] if failed else []
        raise CasesFailed("\n".join([*told, *unread]), evaluation)
    return evaluation


def _details(evaluation: Evaluation) -> Iterator[str]:
    for case in evaluation.results:
        for metric in case.metrics.values():
            status = "INFORMATIONAL" if metric.verdict is Verdict.SKIP else STATUSES[metric.verdict]
            told = f"Expected threshold: {metric.threshold}, actual value: {metric.score}."
            yield f"{case.eval_id}: {status} for metric {metric.name}. {told}"
        for trial in case.trials:
            yield result_text(trial, verbose=True, many_trials=len(case.trials) > 1)
