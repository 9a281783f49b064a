"""Workers: processes that carry runs out, each with a heartbeat by the database's clock."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, exists, select, update

from audition.store.service.database import utc
from audition.store.service.tables import RUNS, WORKERS
from audition.store.service.trials import Insert

BEAT_S = 5.0
"""How often a worker says that it lives, seconds."""

DEAD_S = 15.0
"""A worker that was silent for longer is taken for dead, seconds."""

_FORGOTTEN_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A process that carries runs out; a process has a new `id` each time it starts.

    `host` is where process ids mean the same: the machine since its last start, and the container.
    """

    id: str
    host: str
    pid: int
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A worker as it was found: `silent_s` seconds after its last heartbeat, which was at `heartbeat_s`."""

    worker: Worker
    heartbeat_s: float
    silent_s: float
    has_stopped: bool


def beat(connection: Connection, insert: Insert, now_s: ColumnElement[float], worker: Worker) -> None:
    """Note that a worker lives."""
    row = {"id": worker.id, "host": worker.host, "pid": worker.pid, "version": worker.version, "started_at": utc()}
    made = insert(WORKERS).values(**row, heartbeat_s=now_s)
    connection.execute(made.on_conflict_do_update(index_elements=["id"], set_={"heartbeat_s": now_s}))


def stop(connection: Connection, worker_id: str) -> None:
    """Note that a worker has stopped."""
    connection.execute(update(WORKERS).where(WORKERS.c.id == worker_id).values(stopped_at=utc()))


def everyone(connection: Connection, now_s: ColumnElement[float]) -> list[Seen]:
    """Return all workers that are known."""
    rows = connection.execute(select(WORKERS, now_s.label("now_s")))
    return [
        Seen(
            worker=Worker(id=row.id, host=row.host, pid=row.pid, version=row.version),
            heartbeat_s=row.heartbeat_s,
            silent_s=row.now_s - row.heartbeat_s,
            has_stopped=row.stopped_at is not None,
        )
        for row in rows
    ]


def silent_s(connection: Connection, now_s: ColumnElement[float], worker_id: str) -> float | None:
    """Return how many seconds ago a worker last gave a sign of life; None for one that nobody knows."""
    found = connection.execute(select(now_s - WORKERS.c.heartbeat_s).where(WORKERS.c.id == worker_id))
    seconds = found.scalar_one_or_none()
    return None if seconds is None else float(seconds)


def forget(connection: Connection, now_s: ColumnElement[float]) -> None:
    """Forget workers that were silent for a day and hold no run."""
    holds = select(RUNS.c.id).where(RUNS.c.worker == WORKERS.c.id, RUNS.c.status == "running")
    connection.execute(delete(WORKERS).where(WORKERS.c.heartbeat_s < now_s - _FORGOTTEN_S, ~exists(holds)))
