"""Runs that go on from others: which results they take over, and what a run and those before it took together."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Connection, func, insert, literal, select, true, update

from audition.errors import Conflict
from audition.store.service.database import utc
from audition.store.service.run_options import RunKind, RunOptions, decode_options
from audition.store.service.run_views import FINAL
from audition.store.service.runs import NewRun, Run, create
from audition.store.service.tables import RESULTS, RUNS

Scope = Literal["errors", "failed", "all"]
"""What a retry does again: what could not be evaluated; that and what failed; everything."""

_RESULTS = RESULTS.c
_LONGEST_CHAIN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What a run took together with those it goes on from.

    It began at `started_at`, workers were at it for `active_s` seconds, and `usages` is what the models of each took,
    as runs keep it; None for one that does not say.
    """

    started_at: str | None
    active_s: float
    usages: tuple[str | None, ...]


def retry(connection: Connection, parent: Run, scope: Scope, *, by: str) -> int:
    """Keep a run that does again what the scope says and takes over the rest; return its id.

    Raises: Conflict when the parent is not at its end, or judged what another run had said.
    """
    kept = {"errors": _RESULTS.verdict.is_not(None), "failed": _RESULTS.verdict == "pass", "all": ~true()}
    options = replace(parent.options, scope=scope)
    return _go_on(connection, parent, "retry", options, taken_over=kept[scope], by=by)


def resume(connection: Connection, parent: Run, *, by: str) -> int:
    """Keep a run that does what its parent did not come to, and takes over all that has a verdict; return its id.

    Raises: Conflict when the parent did not fail, or judged what another run had said.
    """
    if parent.status != "failed":
        raise Conflict(f"only a run that failed or was cancelled can be resumed; this one is {parent.status}")
    options = replace(parent.options, scope=None)
    return _go_on(connection, parent, "resume", options, taken_over=_RESULTS.verdict.is_not(None), by=by)


def rejudge(connection: Connection, parent: Run, options: RunOptions, *, judge: str | None, by: str) -> int:
    """Keep a run that has a judge look at its parent's conversations; return its id.

    Raises: Conflict when the parent is not at its end, or has no conversations.
    """
    count = select(func.count()).select_from(RESULTS).where(_RESULTS.run_id == parent.id)
    planned = connection.execute(count).scalar_one()
    if planned == 0:
        raise Conflict("this run has no results that could be judged again")
    new = replace(_copy_of(parent, "rejudge", options, by=by), judge=judge, planned=planned)
    return create(connection, new)


def forget(connection: Connection, run: Run) -> None:
    """Delete a run; its rows stay for the audit log and the runs that go on from it.

    Raises: Conflict when it is not at its end.
    """
    _insist_on_end(run)
    connection.execute(update(RUNS).where(RUNS.c.id == run.id).values(deleted_at=utc()))


def is_selective(connection: Connection, run: Run) -> bool:
    """Say whether only what had failed was tried again, in a run or in those it took results from.

    Its pass rate is then too high, for whoever draws failures again keeps the lucky passes. Source: service research
    4.4.
    """
    options, parent_id = run.options, run.parent_id
    for _ in range(_LONGEST_CHAIN):
        if options.scope == "failed":
            return True
        if parent_id is None or options.scope == "all":
            return False
        parent = connection.execute(select(RUNS.c.options, RUNS.c.parent_id).where(RUNS.c.id == parent_id)).one()
        options, parent_id = decode_options(parent.options), parent.parent_id
    return True


def effort_of(connection: Connection, run: Run) -> Effort:
    """Return what a run and those it goes on from took. A rejudged run begins anew."""
    began, active_s, usages = run.started_at, _seconds(run.started_at, run.finished_at), [run.usage]
    parent_id, kind = run.parent_id, run.kind
    columns = (RUNS.c.parent_id, RUNS.c.kind, RUNS.c.started_at, RUNS.c.finished_at, RUNS.c.usage)
    for _ in range(_LONGEST_CHAIN):
        if parent_id is None or kind == "rejudge":
            break
        parent = connection.execute(select(*columns).where(RUNS.c.id == parent_id)).one()
        began = parent.started_at or began
        active_s += _seconds(parent.started_at, parent.finished_at)
        usages.append(parent.usage)
        parent_id, kind = parent.parent_id, parent.kind
    return Effort(started_at=began, active_s=round(active_s, 3), usages=tuple(usages))


def _go_on(
    connection: Connection,
    parent: Run,
    kind: RunKind,
    options: RunOptions,
    *,
    taken_over: ColumnElement[bool],
    by: str,
) -> int:
    if parent.kind == "rejudge":  # what is missing in it was never said, and there is nobody to say it
        raise Conflict("this run judged what another one had said", hint="rejudge it, or go on from that other run")
    run_id = create(connection, _copy_of(parent, kind, options, by=by))
    copied: Mapping[str, ColumnElement[Any]] = {
        "run_id": literal(run_id),
        "generation": literal(0),
        "copied_from": func.coalesce(_RESULTS.copied_from, _RESULTS.id),
    }
    names = [column.name for column in _RESULTS if column.name != "id"]
    found = select(*(copied.get(name, _RESULTS[name]) for name in names))
    found = found.where(_RESULTS.run_id == parent.id, taken_over).order_by(_RESULTS.id)
    connection.execute(insert(RESULTS).from_select(names, found))
    return run_id


def _copy_of(parent: Run, kind: RunKind, options: RunOptions, *, by: str) -> NewRun:
    _insist_on_end(parent)
    return NewRun(
        dataset_id=parent.dataset_id,
        dataset_version=parent.dataset_version,
        subject=parent.subject,
        candidate_system_prompt=parent.candidate_system_prompt,
        planned=parent.planned,
        created_by=by,
        options=options,
        kind=kind,
        parent_id=parent.id,
        label=parent.label,
        judge=parent.judge,
    )


def _insist_on_end(run: Run) -> None:
    if run.status not in FINAL:
        raise Conflict(f"the run is {run.status}", hint="wait until it is completed or failed, or cancel it")


def _seconds(began: str | None, ended: str | None) -> float:
    if began is None or ended is None:
        return 0.0
    return max(0.0, (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds())
