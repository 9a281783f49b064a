"""Runs: created, begun by a worker, taken over from dead ones, cancelled and ended; always in one fenced statement.

Every change of a run locks its row first, so that its events are in the order in which they happened, and names the
generation it is made for: a worker that was given up changes nothing any more.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, cast

from sqlalchemy import ColumnElement, Connection, Row, and_, case, exists, func, insert, literal, or_, select, update

from audition.errors import NotFound
from audition.results import RunStatus
from audition.store.service.database import utc
from audition.store.service.run_options import RunKind, RunOptions, decode_options
from audition.store.service.tables import EVENTS, RUNS, WORKERS
from audition.wire import to_json

EventType = Literal[
    "run.claimed", "case.started", "case.judged", "run.progress", "run.completed", "run.failed", "run.cancelled"
]

_OPEN: Collection[RunStatus] = ("pending", "running")
"""The states that are not final."""

_RUNS = RUNS.c


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRun:
    """A run that is to be created.

    `subject` is the tree as it is now, encoded, without the candidate. `planned`: cases times trials. `created_by`:
    the member's address. `parent_id`: the run it repeats or goes on with. `judge`: the reference of the judge that will
    be asked, None when none is configured.
    """

    dataset_id: int
    dataset_version: int
    subject: str
    candidate_system_prompt: str
    planned: int
    created_by: str
    options: RunOptions = RunOptions()
    kind: RunKind = "evaluate"
    parent_id: int | None = None
    label: str | None = None
    judge: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as it is kept; see the table for what the fields mean."""

    id: int
    dataset_id: int
    candidate_system_prompt: str
    status: RunStatus
    error_message: str | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    kind: RunKind
    parent_id: int | None
    dataset_version: int
    subject: str
    options: RunOptions
    label: str | None
    prompt_sha: str
    judge: str | None
    planned: int
    cancelled: bool
    generation: int
    worker: str | None
    usage: str | None
    created_by: str
    deleted_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A worker's right to a run. It ends when somebody else begins a newer generation."""

    run_id: int
    generation: int
    worker: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A run that was begun or taken over; it was first begun `elapsed_s` seconds ago, by the database's clock."""

    run: Run
    claim: Claim
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run that is not at its end and that no worker holds; `is_young`: it was created a moment ago."""

    run_id: int
    generation: int
    is_young: bool


@dataclass(frozen=True, slots=True)
class Holding:
    """A run that a worker holds."""

    run_id: int
    generation: int
    worker: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run; `data` is JSON."""

    id: int
    type: str
    data: str
    created_at: str


def create(connection: Connection, new: NewRun) -> int:
    """Keep a new run, pending, and return its id; have it enqueued in the same transaction."""
    values = {
        "dataset_id": new.dataset_id,
        "dataset_version": new.dataset_version,
        "subject": new.subject,
        "candidate_system_prompt": new.candidate_system_prompt,
        "prompt_sha": hashlib.sha256(new.candidate_system_prompt.encode("utf-8", "surrogatepass")).hexdigest(),
        "planned": new.planned,
        "options": new.options.encode(),
        "kind": new.kind,
        "parent_id": new.parent_id,
        "label": new.label,
        "judge": new.judge,
        "created_by": new.created_by,
        "status": "pending",
        "cancelled": False,
        "generation": 0,
        "created_at": utc(),
    }
    return int(connection.execute(insert(RUNS).values(values).returning(_RUNS.id)).scalar_one())


def run_at(connection: Connection, run_id: int) -> Run:
    """Return a run, deleted or not.

    Raises: NotFound when there is none of that id.
    """
    row = connection.execute(select(RUNS).where(_RUNS.id == run_id)).one_or_none()
    if row is None:
        raise NotFound("there is no such run")
    return run_of(row)


def run_of(row: Row[Any]) -> Run:
    """Return a run from a row with all columns of its table."""
    kept = dict(row._mapping)
    return Run(**kept | {"options": decode_options(row.options), "cancelled": bool(row.cancelled)})


def generation_of(connection: Connection, run_id: int) -> int:
    """Return a run's generation.

    Raises: NotFound when there is none of that id.
    """
    found = connection.execute(select(_RUNS.generation).where(_RUNS.id == run_id)).scalar_one_or_none()
    if found is None:
        raise NotFound("there is no such run")
    return int(found)


def open_runs_of(connection: Connection, created_by: str) -> int:
    """Return how many runs of a member wait or are under way."""
    query = select(func.count()).select_from(RUNS).where(_RUNS.created_by == created_by, _RUNS.status.in_(_OPEN))
    return int(connection.execute(query).scalar_one())


def begin(
    connection: Connection, now_s: ColumnElement[float], run_id: int, *, generation: int, worker: str
) -> Begun | None:
    """Have a worker begin a run, or go on with it; None when it is not to be had.

    `generation` is the one that was enqueued: a run that is at its end, held by a worker, or enqueued anew is refused.
    """
    now = float(connection.execute(select(now_s)).scalar_one())
    started_at = utc(datetime.fromtimestamp(now, UTC))
    is_free = and_(_RUNS.status.in_(_OPEN), _RUNS.generation == generation, _RUNS.worker.is_(None))
    change = (
        update(RUNS)
        .where(_RUNS.id == run_id, is_free, _RUNS.cancelled.is_(False))
        .values(
            status="running",
            worker=worker,
            generation=_RUNS.generation + 1,
            started_at=func.coalesce(_RUNS.started_at, started_at),
        )
    )
    row = connection.execute(change.returning(RUNS)).one_or_none()
    if row is None:
        return None
    append_event(connection, run_id, "run.claimed", {"worker": worker, "generation": row.generation})
    claim = Claim(run_id=run_id, generation=row.generation, worker=worker)
    elapsed_s = now - datetime.fromisoformat(row.started_at).timestamp()
    return Begun(run=run_of(row), claim=claim, elapsed_s=max(0.0, elapsed_s))


def is_held(claim: Claim) -> ColumnElement[bool]:
    """Return the condition under which a claim still holds."""
    return and_(_RUNS.id == claim.run_id, _RUNS.generation == claim.generation, _RUNS.status == "running")


def standing(connection: Connection, claim: Claim) -> Literal["held", "cancelled", "lost"]:
    """Return what a claim is worth now."""
    found = connection.execute(select(_RUNS.cancelled).where(is_held(claim))).scalar_one_or_none()
    if found is None:
        return "lost"
    return "cancelled" if found else "held"


def finish(connection: Connection, claim: Claim, *, error: str | None = None, usage: str | None = None) -> bool:
    """End a run: completed, or failed with `error`; say whether the claim still held, else nothing is changed.

    A run that somebody cancelled keeps the reason that was given then. `usage` is JSON.
    """
    is_cancelled = literal(error is not None) & _RUNS.cancelled
    change = (
        update(RUNS)
        .where(is_held(claim))
        .values(
            status="completed" if error is None else "failed",
            error_message=case((is_cancelled, func.coalesce(_RUNS.error_message, error)), else_=error),
            cancelled=is_cancelled,
            finished_at=utc(),
            usage=usage,
        )
    )
    row = connection.execute(change.returning(_RUNS.error_message, _RUNS.cancelled)).one_or_none()
    if row is None:
        return False
    _append_end(connection, claim.run_id, row.error_message, cancelled=bool(row.cancelled))
    return True


def request_cancel(connection: Connection, run_id: int, *, by: str) -> RunStatus:
    """Have a run end as soon as can be, and return its state: failed at once when no worker holds it.

    `by` says who asked for it. A run at its end stays as it is.

    Raises: NotFound when there is none of that id.
    """
    waits = or_(_RUNS.status == "pending", _RUNS.worker.is_(None))
    change = (
        update(RUNS)
        .where(_RUNS.id == run_id, _RUNS.status.in_(_OPEN), _RUNS.cancelled.is_(False))
        .values(
            cancelled=True,
            error_message=f"cancelled by {by}",
            status=case((waits, "failed"), else_=_RUNS.status),
            finished_at=case((waits, utc()), else_=_RUNS.finished_at),
        )
    )
    row = connection.execute(change.returning(_RUNS.status, _RUNS.error_message)).one_or_none()
    if row is None:
        return run_at(connection, run_id).status
    if row.status == "failed":
        _append_end(connection, run_id, row.error_message, cancelled=True)
    return cast(RunStatus, row.status)


def held(connection: Connection) -> list[Holding]:
    """Return the runs that workers hold."""
    query = select(_RUNS.id, _RUNS.generation, _RUNS.worker).where(_RUNS.status == "running", _RUNS.worker.is_not(None))
    return [Holding(*row) for row in connection.execute(query)]


def waiting(connection: Connection, now_s: ColumnElement[float], *, young_s: float) -> list[Waiting]:
    """Return the runs that wait for a worker, oldest first; those created within `young_s` seconds are young."""
    query = (
        select(_RUNS.id, _RUNS.generation, _RUNS.created_at)
        .where(_RUNS.status.in_(_OPEN), _RUNS.worker.is_(None))
        .order_by(_RUNS.id)
    )
    rows = connection.execute(query).all()
    if not rows:
        return []
    now = float(connection.execute(select(now_s)).scalar_one())
    newest = utc(datetime.fromtimestamp(now - young_s, UTC))
    return [Waiting(row.id, row.generation, row.created_at > newest) for row in rows]


def take_over(connection: Connection, one: Holding, *, seen_s: float | None = None) -> int | None:
    """Take a run from its worker and return the generation to enqueue; None when there is nothing to enqueue.

    `seen_s`: the heartbeat by which the worker was found dead. Should it have given another one since, or the run have
    a newer generation, nothing is changed. None: the worker itself gives the run back, or its process is gone.
    A run that somebody cancelled ends here.
    """
    change = update(RUNS).where(
        _RUNS.id == one.run_id,
        _RUNS.generation == one.generation,
        _RUNS.worker == one.worker,
        _RUNS.status == "running",
    )
    if seen_s is not None:
        has_beaten = select(WORKERS.c.id).where(WORKERS.c.id == one.worker, WORKERS.c.heartbeat_s > seen_s)
        change = change.where(~exists(has_beaten))
    change = change.values(
        generation=_RUNS.generation + 1,
        worker=None,
        status=case((_RUNS.cancelled, "failed"), else_=_RUNS.status),
        finished_at=case((_RUNS.cancelled, utc()), else_=_RUNS.finished_at),
    )
    row = connection.execute(change.returning(_RUNS.generation, _RUNS.cancelled, _RUNS.error_message)).one_or_none()
    if row is None:
        return None
    if row.cancelled:
        _append_end(connection, one.run_id, row.error_message, cancelled=True)
        return None
    return int(row.generation)


def renew(connection: Connection, one: Waiting) -> int | None:
    """Give a run that waits in vain a new generation, which is to be enqueued; None when it waits no more."""
    is_same = and_(_RUNS.id == one.run_id, _RUNS.generation == one.generation, _RUNS.worker.is_(None))
    change = update(RUNS).where(is_same, _RUNS.status.in_(_OPEN)).values(generation=_RUNS.generation + 1)
    found = connection.execute(change.returning(_RUNS.generation)).scalar_one_or_none()
    return None if found is None else int(found)


_NOTE = insert(EVENTS)


def append_event(connection: Connection, run_id: int, type: EventType, data: Mapping[str, object]) -> None:
    """Note what happened in a run, in the transaction that changes it; the row of the run is locked already."""
    row = {"run_id": run_id, "type": type, "data": to_json(data), "created_at": utc()}
    connection.execute(_NOTE, row)


def events_after(connection: Connection, run_id: int, after: int, *, limit: int = 500) -> list[Event]:
    """Return what happened in a run after the event with the id `after` (0: from the beginning), in order."""
    query = (
        select(EVENTS.c.id, EVENTS.c.type, EVENTS.c.data, EVENTS.c.created_at)
        .where(EVENTS.c.run_id == run_id, EVENTS.c.id > after)
        .order_by(EVENTS.c.id)
        .limit(limit)
    )
    return [Event(*row) for row in connection.execute(query)]


def _append_end(connection: Connection, run_id: int, error: str | None, *, cancelled: bool) -> None:
    kind: EventType = "run.completed" if error is None else "run.failed"
    append_event(connection, run_id, "run.cancelled" if cancelled else kind, {"error_message": error})
