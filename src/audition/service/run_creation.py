"""What a new run is: what a client may choose, what is wrong with a choice, and the row that comes of it."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from audition.errors import SettingsError
from audition.llm import Models
from audition.service.bodies import Id, Label, LongText, Tags, refuse
from audition.service.context import Service
from audition.service.conventions import Body
from audition.service.problems import Problem
from audition.settings import Settings
from audition.store.service import runs, subjects
from audition.store.service.cases import Case, cases_at, page_of_cases
from audition.store.service.database import Connection
from audition.store.service.datasets import Dataset
from audition.store.service.people import Principal
from audition.store.service.run_options import RunOptions, ToolMode
from audition.store.service.run_views import recording_for
from audition.store.service.runs import NewRun

MOST_TRIALS = 100_000
"""The most trials of one run: cases times trials. Source: reliability research, S15."""

_SCRIPTED = "scripted:"
_AGAIN_S = 30


def _odd(votes: int) -> int:
    if votes % 2 == 0:
        raise ValueError("this must be an odd number, so that there is a majority")
    return votes


Model = Annotated[str, Field(min_length=1, max_length=10_000, description="PROVIDER:MODEL, or a name of [models]")]
Votes = Annotated[
    int, Field(ge=1, le=99, description="how often the judge is asked, an odd number"), AfterValidator(_odd)
]


class AtLeast(Body):
    """A policy: a case passes when `k` of its trials do."""

    k: Annotated[int, Field(ge=1, le=50)]


class RunIn(Body):
    """A run that is to be. Only the candidate is needed; it is not saved to the subject."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"candidate_system_prompt": "We are open 9-5 Mon-Fri."}]})

    candidate_system_prompt: LongText
    label: Label | None = Field(default=None, description="a name to find the run by")
    trials: Annotated[int, Field(ge=1, le=50, description="how often each case is run")] = 1
    pass_policy: Literal["all", "majority"] | AtLeast = Field(
        default="all", description="how many of the trials must pass"
    )
    concurrency: Annotated[int, Field(ge=1, le=1000, description="how many cases side by side")] = 1
    dataset_version: Id | None = Field(default=None, description="the latest when it is left out")
    case_ids: list[Id] = Field(default_factory=list, max_length=10_000, description="only these cases")
    tags: Tags = Field(default_factory=list, description="only cases with one of these tags")
    tool_mode: ToolMode = Field(default="live", description="where the results of tools come from")
    replay_of: Id | None = Field(default=None, description="the run whose recorded tool results are used")
    judge: Model | None = None
    judge_votes: Votes | None = None
    subject_model: Model | None = None
    max_cost_usd: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None = None
    max_calls: Annotated[int, Field(ge=1, le=2**53)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=2**53)] | None = None
    max_duration_s: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] | None = None
    validate_only: bool = Field(default=False, description="say what the run would take, and begin nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A run that may be begun: the dataset, its version, how many cases of it, and the options with all gaps filled.

    `judge` None: none is configured.
    """

    dataset: Dataset
    version: int
    count: int
    options: RunOptions
    judge: str | None

    @property
    def planned(self) -> int:
        """Return how many trials there will be."""
        return self.count * self.options.trials


def choose(connection: Connection, here: Service, dataset: Dataset, wanted: RunIn) -> Choice:
    """Return what a client asks for, with all gaps filled.

    Raises: Problem 422 for what cannot be run.
    """
    refuse(_faults(here.settings, dataset, wanted))
    version = wanted.dataset_version or dataset.version
    count = _count(connection, dataset, version, wanted)
    if count * wanted.trials > MOST_TRIALS:
        told = f"{count:,} cases, {wanted.trials} times each, are more than {MOST_TRIALS:,} trials"
        raise Problem(422, told, code="too_many_trials", errors=[{"pointer": "/trials", "detail": told}])
    options = RunOptions(
        trials=wanted.trials,
        pass_policy=wanted.pass_policy.k if isinstance(wanted.pass_policy, AtLeast) else wanted.pass_policy,
        concurrency=wanted.concurrency,
        case_ids=tuple(wanted.case_ids),
        tags=tuple(wanted.tags),
        tool_mode=wanted.tool_mode,
        replay_of=_recording(connection, dataset, wanted),
        judge=wanted.judge,
        judge_votes=wanted.judge_votes,
        subject_model=wanted.subject_model,
        max_cost_usd=wanted.max_cost_usd,
        max_calls=wanted.max_calls,
        max_tokens=wanted.max_tokens,
        max_duration_s=wanted.max_duration_s,
    )
    judge = wanted.judge or here.settings.judge_model
    return Choice(dataset=dataset, version=version, count=count, options=options, judge=judge)


def cases_of(connection: Connection, choice: Choice) -> list[Case]:
    """Return the cases that a run would try."""
    chosen = choice.options
    return cases_at(connection, choice.dataset.id, choice.version, ids=frozenset(chosen.case_ids), tags=chosen.tags)


def create(connection: Connection, here: Service, choice: Choice, wanted: RunIn, *, by: Principal) -> int:
    """Keep the run and have it enqueued; return its id.

    Raises: Problem 429 when too many runs of this member wait or are under way.
    """
    insist_on_room(connection, here, by)
    dataset = choice.dataset
    tree = subjects.tree(connection, dataset.family, dataset.subject_id)
    new = NewRun(
        dataset_id=dataset.id,
        dataset_version=choice.version,
        subject=subjects.encode_subject(tree),
        candidate_system_prompt=wanted.candidate_system_prompt,
        planned=choice.planned,
        created_by=by.email,
        options=choice.options,
        label=wanted.label,
        judge=choice.judge,
    )
    run_id = runs.create(connection, new)
    here.runs.enqueue(connection, run_id)
    return run_id


def insist_on_room(connection: Connection, here: Service, by: Principal) -> None:
    """Refuse another run of a member who has as many as may be.

    Raises: Problem 429.
    """
    most = here.settings.service.max_pending_runs
    if runs.open_runs_of(connection, by.email) >= most:
        told = f"{most} runs of yours wait or are under way, and more may not; wait until one ends, or cancel one"
        raise Problem(429, told, code="too_many_runs", headers={"Retry-After": str(_AGAIN_S)})


def with_judge(settings: Settings, options: RunOptions, judge: str | None, votes: int | None) -> RunOptions:
    """Return options with another judge, or other votes, where they are given.

    Raises: Problem 422 for a model that settings do not name.
    """
    refuse(_faults_of_model(settings, "/judge", judge))
    return replace(options, scope=None, judge=judge or options.judge, judge_votes=votes or options.judge_votes)


def _faults(settings: Settings, dataset: Dataset, wanted: RunIn) -> list[tuple[str, str]]:
    """Return what is wrong with a choice, but for what only the database can tell."""
    faults = [*_faults_of_model(settings, "/judge", wanted.judge)]
    faults += _faults_of_model(settings, "/subject_model", wanted.subject_model)
    if isinstance(wanted.pass_policy, AtLeast) and wanted.pass_policy.k > wanted.trials:
        faults.append(("/pass_policy/k", f"{wanted.pass_policy.k} of {wanted.trials} trials cannot pass"))
    most = settings.service.concurrency
    if wanted.concurrency > most:
        faults.append(("/concurrency", f"at most {most} cases of a run side by side"))
    if wanted.dataset_version is not None and wanted.dataset_version > dataset.version:
        faults.append(("/dataset_version", f"the dataset has {dataset.version} versions"))
    if wanted.replay_of is not None and wanted.tool_mode != "replay":
        faults.append(("/replay_of", "this goes with tool_mode replay only"))
    return faults


def _faults_of_model(settings: Settings, pointer: str, reference: str | None) -> list[tuple[str, str]]:
    if reference is None or (reference.startswith(_SCRIPTED) and reference != _SCRIPTED):
        return []
    try:
        Models(settings.models, settings.providers).resolve(reference)
    except SettingsError as error:
        return [(pointer, "; ".join(filter(None, (error.message, error.hint))))]
    return []


def _count(connection: Connection, dataset: Dataset, version: int, wanted: RunIn) -> int:
    """Return how many cases are chosen.

    Raises: Problem 422 when there are none, or a case is asked for that this version does not have.
    """
    if not wanted.case_ids and not wanted.tags:
        _, count = page_of_cases(connection, dataset.id, version, after=0, limit=1)
        if not count:
            raise Problem(422, "the dataset has no cases yet; add one first", code="no_cases")
        return count
    found = cases_at(connection, dataset.id, version, ids=frozenset(wanted.case_ids))
    missing = set(wanted.case_ids) - {case.id for case in found}
    refuse(
        [(f"/case_ids/{index}", "there is no such case") for index, one in enumerate(wanted.case_ids) if one in missing]
    )
    chosen = [case for case in found if not wanted.tags or set(case.tags) & set(wanted.tags)]
    if not chosen:
        raise Problem(422, "the dataset has no case with any of these tags", code="no_cases")
    return len(chosen)


def _recording(connection: Connection, dataset: Dataset, wanted: RunIn) -> int | None:
    if wanted.tool_mode != "replay":
        return None
    found = recording_for(connection, dataset.id, wanted.replay_of)
    if found is None:
        pointer = "/tool_mode" if wanted.replay_of is None else "/replay_of"
        refuse([(pointer, "there is no completed run with tool_mode record of this dataset; run it so first")])
    return found


def audited(choice: Choice, wanted: RunIn) -> dict[str, Any]:
    """Return what the audit log says of a new run; the candidate is in the run itself."""
    return {
        "dataset_id": choice.dataset.id,
        "dataset_version": choice.version,
        "planned": choice.planned,
        "label": wanted.label,
        "kind": "evaluate",
    }
