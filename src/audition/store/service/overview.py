"""How much of everything there is, for those who watch the service."""

from sqlalchemy import ColumnElement, Connection, func, select

from audition.store.service.tables import RESULTS, RUNS, WORKERS
from audition.store.service.workers import DEAD_S


def counts(connection: Connection) -> dict[str, dict[str, int]]:
    """Return how many `runs` there are by status, and how many `results` by outcome."""
    runs = select(RUNS.c.status, func.count()).where(RUNS.c.deleted_at.is_(None)).group_by(RUNS.c.status)
    results = select(RESULTS.c.outcome, func.count()).group_by(RESULTS.c.outcome)
    found = {"runs": connection.execute(runs), "results": connection.execute(results)}
    return {name: {row[0]: int(row[1]) for row in rows} for name, rows in found.items()}


def workers_alive(connection: Connection, now_s: ColumnElement[float]) -> int:
    """Return how many workers have lately said that they live."""
    is_alive = WORKERS.c.stopped_at.is_(None), WORKERS.c.heartbeat_s > now_s - DEAD_S
    return int(connection.execute(select(func.count()).select_from(WORKERS).where(*is_alive)).scalar_one())
