"""ADK's eval configs: reading them, and giving evals the checks they ask for. Source: google-adk, EvalConfig."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from typing import Any

from audition.documents.files import read_text
from audition.documents.json import read_json
from audition.documents.located import Path, mark_at
from audition.documents.shape import Choice, Faults, MapOf, Number, Text
from audition.errors import Fault, Where
from audition.evals import Check, Data, Eval, Scenario
from audition.formats._adk_criteria import (
    CUSTOM_CRITERION,
    CUSTOM_METRIC,
    MEASURES,
    METRICS,
    rubrics_of,
    spec_of,
    unused,
)
from audition.formats._adk_records import AdkRecord, AnyJson, AnyObject, Key, LaxFlag, faults_in, in_words, may
from audition.text import nearest

BESIDE = ("test_config.json", "eval_config.json")
"""What a config is called that holds for the files beside it; the first one counts. ADK reads the second when named."""

_MAX_TURNS = "max_allowed_invocations"
_SIMULATOR = AdkRecord(
    "user simulator's config",
    type=may(Choice(("llm_backed", "llm_audio"))),
    model=Key(Text(min_length=1)),
    model_configuration=Key(AnyObject()),
    max_allowed_invocations=Key(Number(minimum=-1, whole=True)),
    custom_instructions=may(Text()),
    include_function_calls=Key(LaxFlag()),
    audio_model=Key(Text()),
    audio_model_configuration=Key(AnyObject()),
)
_CONFIG = AdkRecord(
    "eval config",
    criteria=Key(MapOf(AnyJson())),
    custom_metrics=may(MapOf(CUSTOM_METRIC)),
    user_simulator_config=may(_SIMULATOR),
    live_model_config=may(AdkRecord("live model's config", timeout_seconds=Key(Number(minimum=1, whole=True)))),
)
_UNUSED_OF_A_SIMULATOR = ("model_configuration", "custom_instructions", "include_function_calls")


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One criterion as the check it is. `rubric_type`: rubrics of that type, of cases and of turns, join its own."""

    check: Check
    rubric_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What evals of ADK's are held against, in the order of the config.

    `path` is None for ADK's defaults. `judge_model` and `user_model` are the models that are named for judging and for
    simulating users, None without one. `max_turns` is how long a simulated user goes on, None for no limit.
    """

    criteria: tuple[Criterion, ...] = ()
    path: str | None = None
    judge_model: str | None = None
    user_model: str | None = None
    max_turns: int | None = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReading:
    """What was found in a config: with a fault, it is not to be used."""

    config: Config = field(default_factory=Config)
    faults: tuple[Fault, ...] = ()
    warnings: tuple[str, ...] = ()


def default_config() -> Config:
    """Return what ADK holds evals against when there is no config."""
    exact: Data = {"metric": "tool_trajectory_avg_score", "threshold": 1.0, "match_type": "EXACT", "ignore_args": False}
    words: Data = {"metric": "response_match_score", "threshold": 0.8}
    checks = Check(category="trajectory", spec=exact), Check(category="overlap", spec=words)
    return Config(criteria=tuple(Criterion(check=check) for check in checks))


def config_beside(path: FilePath) -> FilePath | None:
    """Return the config that holds for a file of eval data because it lies beside it, None when there is none."""
    return next((found for name in BESIDE if (found := path.parent / name).is_file()), None)


def read_config(path: FilePath, *, allow_code: bool = False) -> ConfigReading:
    """Return what is in a config. Custom metrics run code, and are a fault unless that is allowed."""
    text = read_text(path)
    if isinstance(text, Fault):
        return ConfigReading(faults=(text,))
    documents, faults = read_json(text, str(path))
    if faults:
        return ConfigReading(faults=tuple(faults))
    return _ConfigReader(documents[0], str(path), allow_code=allow_code).reading()


def config_of(document: object, name: str, *, allow_code: bool = False) -> ConfigReading:
    """Return what is in a config that is no file; faults say that they are in `name`."""
    return _ConfigReader(document, name, allow_code=allow_code).reading()


class _ConfigReader:
    def __init__(self, document: object, file: str, *, allow_code: bool) -> None:
        self._document, self._file, self._allow_code = document, file, allow_code
        self._faults = Faults()
        self._warnings: list[str] = []
        self._judges: list[str] = []

    def reading(self) -> ConfigReading:
        """Return all that is in the config."""
        read: Any = self._read_whole()
        custom = read.get("custom_metrics", {})
        criteria = [
            found
            for name, written in read.get("criteria", {}).items()
            if (found := self._criterion(name, written, custom)) is not None
        ]
        if not criteria and not self._faults.found:
            self._warn("the config names no criteria", ())
        for name in custom.keys() - read.get("criteria", {}).keys():
            self._warn(f"no criterion uses the custom metric {name!r}", ("custom_metrics", name))
        simulator = self._simulator(read.get("user_simulator_config", {}))
        if "live_model_config" in read:
            self._warn("'live_model_config' is not used: agents are not run live", ())
        config = Config(
            criteria=tuple(criteria),
            path=self._file,
            judge_model=self._judge(),
            user_model=simulator.get("model"),
            max_turns=None if simulator.get(_MAX_TURNS, 20) == -1 else simulator.get(_MAX_TURNS, 20),
        )
        faults = faults_in(self._document, self._faults.found, self._file)
        return ConfigReading(config=config, faults=faults, warnings=tuple(self._warnings))

    def _read_whole(self) -> object:
        bare = set(self._document) & (METRICS.keys() | MEASURES.keys()) if isinstance(self._document, Mapping) else ()
        if not bare:
            return _CONFIG.read(self._document, (), self._faults)
        for name in sorted(bare):
            self._faults.add(f"the criterion {name!r} stands outside of 'criteria'", (name,), "put it in 'criteria'")
        return {}

    def _criterion(self, name: str, written: object, custom: Mapping[str, Any]) -> Criterion | None:
        path: Path = ("criteria", name)
        if name in custom:
            return self._custom(name, custom[name], written, path)
        metric = METRICS.get(name)
        if metric is None:
            self._unknown(name, custom, path)
            return None
        before = len(self._faults.found)
        if isinstance(written, Mapping):
            read = metric.shape(name).read(written, path, self._faults)
        else:
            read = {"threshold": metric.threshold.read(written, path, self._faults)}
        if len(self._faults.found) > before:
            return None
        self._refuse_rubrics_twice(read, path)
        self._remark(name, read, path)
        check = Check(category=metric.category, spec=spec_of(name, read), where=self._where(path))
        return Criterion(check=check, rubric_type=metric.rubric_type)

    def _custom(self, name: str, metric: Mapping[str, Any], written: object, path: Path) -> Criterion | None:
        if not self._allow_code:
            hint = "--allow-code allows it"
            self._faults.add(f"the custom metric {name!r} runs code of its own, which is not allowed", path, hint)
            return None
        whole = written if isinstance(written, Mapping) else {"threshold": written}
        before = len(self._faults.found)
        read: Any = CUSTOM_CRITERION.read(whole, path, self._faults)
        if len(self._faults.found) > before:
            return None
        for key in read.keys() - {"threshold"}:
            self._warn(f"{key!r} is not passed on to a custom metric", path)
        spec = {"metric": name, "function": metric["code_config"]["name"], "threshold": read["threshold"]}
        return Criterion(check=Check(category="custom", spec=spec, where=self._where(path)))

    def _unknown(self, name: str, custom: Mapping[str, Any], path: Path) -> None:
        if name in MEASURES:
            hint = "take it out: it is reported without being asked for"
            self._faults.add(f"{name!r} only tells, and takes no threshold", path, hint)
            return
        known = [*METRICS, *custom]
        guess = nearest(name, known)
        hint = f"did you mean {guess!r}?" if guess else f"there are: {', '.join(known)}"
        self._faults.add(f"no criterion called {name!r}", path, hint)

    def _refuse_rubrics_twice(self, read: Mapping[str, Any], path: Path) -> None:
        ids: list[str] = []
        for index, rubric in enumerate(read.get("rubrics", ())):
            place = (*path, "rubrics", index)
            if rubric["rubric_id"] in ids:
                self._faults.add(f"the rubric_id {rubric['rubric_id']!r} is given twice", place)
            elif not rubric["rubric_content"].get("text_property"):
                self._faults.add(f"the rubric {rubric['rubric_id']!r} has no 'text_property'", place)
            ids.append(rubric["rubric_id"])

    def _remark(self, name: str, read: Mapping[str, Any], path: Path) -> None:
        for remark in unused(name, read):
            self._warn(remark, path)
        if METRICS[name].ours:
            self._warn("in ADK Vertex AI decides this; here it is our judge, with a rubric of ours", path)
        named = read.get("judge_model_options", {}).get("judge_model")
        if named is not None:
            self._judges.append(named)

    def _judge(self) -> str | None:
        others = sorted(set(self._judges[1:]) - set(self._judges[:1]))
        if others:
            chosen = self._judges[0]
            self._warn(
                f"one judge judges all criteria: {chosen!r}, and not {', '.join(map(repr, others))}", ("criteria",)
            )
        return self._judges[0] if self._judges else None

    def _simulator(self, read: dict[str, Any]) -> dict[str, Any]:
        path: Path = ("user_simulator_config",)
        if read.get(_MAX_TURNS) == 0:
            self._faults.add("a simulated user takes at least one turn; -1 means no limit", (*path, _MAX_TURNS))
        if read.get("type") == "llm_audio":
            self._warn("the simulated user writes: audio is not made", path)
        for key in _UNUSED_OF_A_SIMULATOR:
            if key in read:
                self._warn(f"{key!r} is not used by our simulated user", (*path, key))
        return read

    def _where(self, path: Path) -> Where:
        mark = mark_at(self._document, path)
        return Where(self._file, *mark) if mark else Where(self._file)

    def _warn(self, message: str, path: Path) -> None:
        place = f"{in_words(path)}: " if path else ""
        self._warnings.append(f"{self._where(path)}: {place}{message}")


def with_criteria(evals: Sequence[Eval], config: Config) -> tuple[Eval, ...]:
    """Return evals of ADK's with the checks that a config asks for, after their own, and what is always measured.

    Rubrics of the case and of each of its turns join the criterion of their type. Scenarios get the config's limit,
    unless they have one of their own.
    """
    measures = tuple(
        Check(category="measure", spec={"metric": name, "measure": measure}) for name, measure in MEASURES.items()
    )
    return tuple(_with_criteria(one, config, measures) for one in evals)


def _with_criteria(one: Eval, config: Config, measures: tuple[Check, ...]) -> Eval:
    checks = tuple(_check(criterion, one) for criterion in config.criteria)
    scenario = one.scenario
    usual = Scenario(starting_prompt="", plan="").max_turns
    if scenario is not None and scenario.max_turns == usual:
        scenario = replace(scenario, max_turns=config.max_turns)
    return replace(one, scenario=scenario, outcome=(*one.outcome, *checks, *measures))


def _check(criterion: Criterion, one: Eval) -> Check:
    wanted = criterion.rubric_type
    if wanted is None:
        return criterion.check
    spec: dict[str, Any] = dict(criterion.check.spec)
    spec["rubrics"] = [*spec["rubrics"], *_of_type(one.extra.get("rubrics"), wanted)]
    by_turn = {str(index): _of_type(turn.extra.get("rubrics"), wanted) for index, turn in enumerate(one.turns)}
    if turns := {number: rubrics for number, rubrics in by_turn.items() if rubrics}:
        spec["turns"] = turns
    return replace(criterion.check, spec=spec)


def _of_type(rubrics: Any, wanted: str) -> list[dict[str, object]]:
    return rubrics_of(rubric for rubric in rubrics or () if rubric.get("type") == wanted)
