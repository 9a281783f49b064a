"""Runs as they are read: one, several, their results and what they have come to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, or_, select, tuple_
from sqlalchemy.sql.selectable import Select

from audition.errors import NotFound
from audition.results import RunStatus
from audition.store.service.run_options import RunOptions, decode_options
from audition.store.service.runs import Run, run_of
from audition.store.service.subjects import TABLES
from audition.store.service.tables import DATASETS, RESULTS, RUNS, WORKERS
from audition.store.service.trials import Outcome
from audition.subjects import Family

_RUNS, _RESULTS = RUNS.c, RESULTS.c

FINAL: Collection[RunStatus] = ("completed", "failed")
"""The states that a run never leaves."""


@dataclass(frozen=True, slots=True)
class RunLine:
    """What the seed shows of a run, and what is needed to show its results."""

    id: int
    dataset_id: int
    candidate_system_prompt: str
    status: RunStatus
    error_message: str | None
    created_at: str
    options: RunOptions


@dataclass(frozen=True, slots=True)
class RunState:
    """What changes of a run while it is watched: `results` is how many there are."""

    status: RunStatus
    error_message: str | None
    cancelled: bool
    results: int

    @property
    def is_final(self) -> bool:
        """Say whether nothing of the run will change any more."""
        return self.status in FINAL


@dataclass(frozen=True, slots=True)
class ResultLine:
    """The result of one trial in plain columns; `verdict` None comes with an `error_message`."""

    id: int
    case_id: int
    trial: int
    verdict: Literal["pass", "fail"] | None
    outcome: Outcome
    actual_response: str | None
    judge_reasoning: str | None
    error_message: str | None


@dataclass(frozen=True, slots=True)
class WholeResult:
    """The result of one trial with its document, a TrialResult. `copied_from`: the result it was taken over from."""

    line: ResultLine
    document: str
    copied_from: int | None
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which runs are wanted; None: whatever it is. `since` as the tables have times."""

    status: RunStatus | None = None
    label: str | None = None
    since: str | None = None
    prompt_sha: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """What is known of the worker that has a run: `silent_s` seconds after its last sign of life, at `at_s`."""

    at_s: float
    silent_s: float
    has_stopped: bool


def state_of(connection: Connection, family: Family, subject_id: int, dataset_id: int, run_id: int) -> RunState:
    """Return the state of a run, in one question.

    Raises: NotFound when the subject has no such dataset, the dataset no such run, or one of them was deleted.
    """
    given = {"subject": subject_id, "dataset": dataset_id, "run": run_id}
    found = connection.execute(_STATE[family], given).one_or_none()
    if found is None:
        raise NotFound("there is no such run")
    return RunState(*found)


def run_in(connection: Connection, family: Family, subject_id: int, dataset_id: int, run_id: int) -> Run:
    """Return a run with all that is kept of it. Raises: as `state_of`."""
    given = {"subject": subject_id, "dataset": dataset_id, "run": run_id}
    found = connection.execute(_WHOLE[family], given).one_or_none()
    if found is None:
        raise NotFound("there is no such run")
    return run_of(found)


def line_of(connection: Connection, run_id: int) -> RunLine:
    """Return a run, which was found to be there."""
    return _line(connection.execute(_LINE, {"run": run_id}).one())


def runs_of(
    connection: Connection, dataset_id: int, wanted: Filter, *, after: int, limit: int
) -> tuple[list[RunLine], int]:
    """Return the runs of a dataset in the order of their ids, those after an id, and how many there are in all."""
    fitting = [_RUNS.dataset_id == dataset_id, _RUNS.deleted_at.is_(None), *_conditions(wanted)]
    total = connection.execute(select(func.count()).select_from(RUNS).where(*fitting)).scalar_one()
    query = select(*_LINE_COLUMNS).where(*fitting, _RUNS.id > after).order_by(_RUNS.id).limit(limit)
    return [_line(row) for row in connection.execute(query)], total


def latest_runs(
    connection: Connection, wanted: Filter, *, before: int, limit: int
) -> tuple[list[tuple[Run, int | None, int | None]], int]:
    """Return runs of all subjects, the newest first, with the ids of the agent or orchestrator; and how many there are.

    `before`: only those with smaller ids, 0 for all. Runs of what was deleted are left out.
    """
    owners = [
        and_(owner.is_not(None), owner.in_(select(table.c.id).where(table.c.deleted_at.is_(None))))
        for owner, table in ((_OWNERS[family], TABLES[family]) for family in TABLES)
    ]
    fitting = [_RUNS.deleted_at.is_(None), DATASETS.c.deleted_at.is_(None), or_(*owners), *_conditions(wanted)]
    joined = RUNS.join(DATASETS, DATASETS.c.id == _RUNS.dataset_id)
    total = connection.execute(select(func.count()).select_from(joined).where(*fitting)).scalar_one()
    query = select(RUNS, DATASETS.c.agent_id, DATASETS.c.orchestrator_id).select_from(joined).where(*fitting)
    if before:
        query = query.where(_RUNS.id < before)
    found = []
    for row in connection.execute(query.order_by(_RUNS.id.desc()).limit(limit)):
        *kept, agent_id, orchestrator_id = row
        found.append((_run(kept), agent_id, orchestrator_id))
    return found, total


def results_of(connection: Connection, run_id: int) -> list[ResultLine]:
    """Return the results of a run in the order of their cases, then trials."""
    return [ResultLine(*row) for row in connection.execute(_LINES, {"run": run_id})]


def whole_results(connection: Connection, run_id: int, case_ids: Sequence[int]) -> list[WholeResult]:
    """Return the results of some cases of a run with their documents, in the order of the cases, then trials."""
    query = _WHOLE_RESULTS.where(_RESULTS.run_id == run_id, _RESULTS.case_id.in_(case_ids))
    return [_whole(row) for row in connection.execute(query.order_by(_RESULTS.case_id, _RESULTS.trial))]


def some_results(
    connection: Connection, run_id: int, *, after: tuple[int, int], up_to: int, limit: int
) -> list[WholeResult]:
    """Return results of a run in the order of their cases, then trials: those after a case and trial.

    `up_to` is the largest id they may have, so that those written meanwhile are left out.
    """
    query = _WHOLE_RESULTS.where(
        _RESULTS.run_id == run_id, _RESULTS.id <= up_to, tuple_(_RESULTS.case_id, _RESULTS.trial) > after
    )
    return [_whole(row) for row in connection.execute(query.order_by(_RESULTS.case_id, _RESULTS.trial).limit(limit))]


def result_in(connection: Connection, run_id: int, result_id: int) -> WholeResult:
    """Return one result of a run. Raises: NotFound when it has none of that id."""
    query = _WHOLE_RESULTS.where(_RESULTS.run_id == run_id, _RESULTS.id == result_id)
    found = connection.execute(query).one_or_none()
    if found is None:
        raise NotFound("there is no such result")
    return _whole(found)


def beat_of(connection: Connection, now_s: ColumnElement[float], worker: str) -> Beat | None:
    """Return the last sign of life of a worker; None for one that nobody knows."""
    query = select(WORKERS.c.heartbeat_s, now_s - WORKERS.c.heartbeat_s, WORKERS.c.stopped_at)
    found = connection.execute(query.where(WORKERS.c.id == worker)).one_or_none()
    if found is None:
        return None
    return Beat(at_s=float(found[0]), silent_s=max(0.0, float(found[1])), has_stopped=found[2] is not None)


def past_runs(connection: Connection, dataset_id: int, *, limit: int = 20) -> list[tuple[str, int]]:
    """Return what the models of a dataset's latest completed runs took (JSON), and how many trials that was for."""
    own = select(func.count()).where(_RESULTS.run_id == _RUNS.id, _RESULTS.copied_from.is_(None)).scalar_subquery()
    query = select(_RUNS.usage, own).where(
        _RUNS.dataset_id == dataset_id,
        _RUNS.deleted_at.is_(None),
        _RUNS.status == "completed",
        _RUNS.kind != "rejudge",
        _RUNS.usage.is_not(None),
    )
    return [(usage, count) for usage, count in connection.execute(query.order_by(_RUNS.id.desc()).limit(limit))]


def recording_for(connection: Connection, dataset_id: int, run_id: int | None) -> int | None:
    """Return the run whose recorded tool results a replay uses: that one, or the latest there is; None without any."""
    query = select(_RUNS.id, _RUNS.options).where(
        _RUNS.dataset_id == dataset_id,
        _RUNS.deleted_at.is_(None),
        _RUNS.status == "completed",
        _RUNS.options.contains('"record"'),
    )
    if run_id is not None:
        query = query.where(_RUNS.id == run_id)
    for row in connection.execute(query.order_by(_RUNS.id.desc())):
        if decode_options(row.options).tool_mode == "record":
            return int(row.id)
    return None


_OWNERS: Mapping[Family, Any] = {"agents": DATASETS.c.agent_id, "orchestrators": DATASETS.c.orchestrator_id}
_LINE_COLUMNS = (
    _RUNS.id,
    _RUNS.dataset_id,
    _RUNS.candidate_system_prompt,
    _RUNS.status,
    _RUNS.error_message,
    _RUNS.created_at,
    _RUNS.options,
)
_RESULT_COLUMNS = (
    _RESULTS.id,
    _RESULTS.case_id,
    _RESULTS.trial,
    _RESULTS.verdict,
    _RESULTS.outcome,
    _RESULTS.actual_response,
    _RESULTS.judge_reasoning,
    _RESULTS.error_message,
)


def _found_by(family: Family, *columns: Any) -> Select[Any]:
    """Return the question for a run that a subject has in a dataset, none of the three being deleted."""
    table, owner = TABLES[family], _OWNERS[family]
    return (
        select(*columns)
        .select_from(RUNS.join(DATASETS, DATASETS.c.id == _RUNS.dataset_id).join(table, table.c.id == owner))
        .where(_RUNS.id == bindparam("run"), _RUNS.deleted_at.is_(None))
        .where(DATASETS.c.id == bindparam("dataset"), DATASETS.c.deleted_at.is_(None))
        .where(table.c.id == bindparam("subject"), table.c.deleted_at.is_(None))
    )


_COUNT = select(func.count()).where(_RESULTS.run_id == _RUNS.id).scalar_subquery()
_STATE = {family: _found_by(family, _RUNS.status, _RUNS.error_message, _RUNS.cancelled, _COUNT) for family in TABLES}
_WHOLE = {family: _found_by(family, RUNS) for family in TABLES}
_LINE = select(*_LINE_COLUMNS).where(_RUNS.id == bindparam("run"))
_LINES = select(*_RESULT_COLUMNS).where(_RESULTS.run_id == bindparam("run")).order_by(_RESULTS.case_id, _RESULTS.trial)
_WHOLE_RESULTS = select(*_RESULT_COLUMNS, _RESULTS.document, _RESULTS.copied_from, _RESULTS.created_at)


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.status is not None:
        found.append(_RUNS.status == wanted.status)
    if wanted.label is not None:
        found.append(_RUNS.label == wanted.label)
    if wanted.since is not None:
        found.append(_RUNS.created_at >= wanted.since)
    if wanted.prompt_sha is not None:
        found.append(_RUNS.prompt_sha == wanted.prompt_sha)
    return found


def _line(row: Any) -> RunLine:
    return RunLine(
        id=row.id,
        dataset_id=row.dataset_id,
        candidate_system_prompt=row.candidate_system_prompt,
        status=row.status,
        error_message=row.error_message,
        created_at=row.created_at,
        options=decode_options(row.options),
    )


def _run(values: Sequence[Any]) -> Run:
    kept = dict(zip(RUNS.c.keys(), values, strict=True))
    return Run(**kept | {"options": decode_options(kept["options"]), "cancelled": bool(kept["cancelled"])})


def _whole(row: Sequence[Any]) -> WholeResult:
    *line, document, copied_from, created_at = row
    return WholeResult(ResultLine(*line), document, copied_from, created_at)
