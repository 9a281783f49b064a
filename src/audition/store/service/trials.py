"""Trials of a run: counted as they begin, and their results, written once, only by the worker that holds the run."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from typing import Any, Literal

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    Text,
    and_,
    bindparam,
    cast,
    func,
    literal,
    select,
    union_all,
    update,
)
from sqlalchemy import insert as insert_into

from audition.results import TrialResult
from audition.store.service.database import utc
from audition.store.service.runs import Claim, EventType, append_event, is_held
from audition.store.service.tables import ATTEMPTS, EVENTS, RESULTS, RUNS
from audition.wire import decode_result, to_json

Outcome = Literal["pass", "fail", "void", "abstain", "subject_error", "judge_error", "skipped"]
"""What became of a trial, in more words than a verdict has. Source: service research 4.1."""

Insert = Callable[..., Any]
"""The dialect's insert: `Database.insert`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewResult:
    """The result of a trial as it is kept. `verdict` None comes with an `error_message`.

    `document` is the TrialResult, encoded; `copied_from` the result it was taken over from.
    """

    case_id: int
    trial: int
    verdict: Literal["pass", "fail"] | None
    outcome: Outcome
    actual_response: str | None
    judge_reasoning: str | None
    error_message: str | None
    document: str
    copied_from: int | None = None


def start(connection: Connection, insert: Insert, claim: Claim, case_id: int, trial: int) -> int | None:
    """Count that a trial is begun, and return how often it was; None when the claim holds no more, or is cancelled."""
    key = {"case_id": case_id, "trial": trial}
    found = connection.execute(_counting(insert), _given({**key, "worker": claim.worker}, claim))
    attempts = found.scalar_one_or_none()
    if attempts is None:
        return None
    append_event(connection, claim.run_id, "case.started", {**key, "attempt": attempts})
    return int(attempts)


def uncount(connection: Connection, claim: Claim, case_id: int, trial: int) -> None:
    """Take back that a trial was begun: its worker gave it up, and did not die of it."""
    is_it = and_(ATTEMPTS.c.run_id == claim.run_id, ATTEMPTS.c.case_id == case_id, ATTEMPTS.c.trial == trial)
    change = update(ATTEMPTS).where(is_it, ATTEMPTS.c.worker == claim.worker)
    connection.execute(change.values(attempts=ATTEMPTS.c.attempts - 1))


def save(connection: Connection, insert: Insert, claim: Claim, result: NewResult) -> Literal["saved", "there", "lost"]:
    """Keep a result, unless there is one already, or the claim holds no more: then nothing is changed."""
    at = utc()
    row = {"generation": claim.generation, **asdict(result), "created_at": at}
    result_id = connection.execute(_keeping(insert), _given(row, claim)).scalar_one_or_none()
    if result_id is None:
        held = connection.execute(select(RUNS.c.id).where(is_held(claim))).scalar_one_or_none()
        return "lost" if held is None else "there"
    told = {"case_id": result.case_id, "trial": result.trial, "result_id": result_id, "verdict": result.verdict}
    events = {"run": claim.run_id, "judged": to_json(told | {"outcome": result.outcome}), "at": at}
    connection.execute(_TELLING, events)
    return "saved"


def done(connection: Connection, run_id: int) -> set[tuple[int, int]]:
    """Return which trials (case, number) of a run have a result."""
    query = select(RESULTS.c.case_id, RESULTS.c.trial).where(RESULTS.c.run_id == run_id)
    return {(row.case_id, row.trial) for row in connection.execute(query)}


def count(connection: Connection, run_id: int) -> int:
    """Return how many results a run has."""
    query = select(func.count()).select_from(RESULTS).where(RESULTS.c.run_id == run_id)
    return int(connection.execute(query).scalar_one())


def outcomes(connection: Connection, run_id: int) -> list[tuple[Outcome, str | None]]:
    """Return each result's outcome and error message, in the order in which they were written."""
    query = select(RESULTS.c.outcome, RESULTS.c.error_message).where(RESULTS.c.run_id == run_id).order_by(RESULTS.c.id)
    return [(row.outcome, row.error_message) for row in connection.execute(query)]


def results_of(connection: Connection, run_id: int, *, copies: bool = False) -> Iterator[TrialResult]:
    """Yield what the trials of a run came to, in the order in which they were written.

    `copies`: also those that were taken over from another run.
    """
    query = select(RESULTS.c.id, RESULTS.c.document).where(RESULTS.c.run_id == run_id)
    if not copies:
        query = query.where(RESULTS.c.copied_from.is_(None))
    for row in connection.execute(query.order_by(RESULTS.c.id)):
        yield decode_result(row.document, row=f"result {row.id}")


def _given(row: Mapping[str, object], claim: Claim) -> dict[str, object]:
    """Return the parameters of a statement that adds a row if a claim holds."""
    values = {f"new_{name}": value for name, value in row.items()}
    return values | {"held_run": claim.run_id, "held_generation": claim.generation}


def _if_held(*columns: Column[Any]) -> Any:
    """Return a query for new values of these columns that finds nothing when the claim holds no more.

    It locks the run's row, so that nobody takes the run between the look and the end of the transaction.
    """
    values = [bindparam(f"new_{column.name}", type_=column.type) for column in columns]
    is_it = and_(RUNS.c.id == bindparam("held_run"), RUNS.c.generation == bindparam("held_generation"))
    return select(RUNS.c.id, *values).where(is_it, RUNS.c.status == "running").with_for_update()


@cache  # these two are made once: each trial needs them, and making them takes longer than carrying them out
def _counting(insert: Insert) -> Any:
    """Return the statement that counts a trial as begun."""
    columns = ATTEMPTS.c.case_id, ATTEMPTS.c.trial, ATTEMPTS.c.worker
    held = _if_held(*columns).where(RUNS.c.cancelled.is_(False)).add_columns(literal(1))
    names = ["run_id", "case_id", "trial"]
    counted = insert(ATTEMPTS).from_select([*names, "worker", "attempts"], held)
    again = {"attempts": ATTEMPTS.c.attempts + 1, "worker": bindparam("new_worker")}
    return counted.on_conflict_do_update(index_elements=names, set_=again).returning(ATTEMPTS.c.attempts)


@cache
def _keeping(insert: Insert) -> Any:
    """Return the statement that keeps a result."""
    names = ["generation", *(one.name for one in fields(NewResult)), "created_at"]
    kept = insert(RESULTS).from_select(["run_id", *names], _if_held(*(RESULTS.c[name] for name in names)))
    kept = kept.on_conflict_do_nothing(index_elements=["run_id", "case_id", "trial"])
    return kept.returning(RESULTS.c.id)


def _telling() -> Any:
    """Return the statement that notes a result and how far the run is, counted by the database: one way less to it."""
    run, at = bindparam("run", type_=Integer), bindparam("at", type_=Text)
    have = select(func.count()).where(RESULTS.c.run_id == run).scalar_subquery()
    progress = literal('{"done":') + cast(have, Text) + literal(',"of":') + cast(RUNS.c.planned, Text) + literal("}")
    judged: EventType = "case.judged"
    so_far: EventType = "run.progress"
    both = union_all(
        select(run, literal(judged), bindparam("judged", type_=Text), at),
        select(run, literal(so_far), progress, at).where(RUNS.c.id == run),
    )
    return insert_into(EVENTS).from_select(["run_id", "type", "data", "created_at"], both)


_TELLING = _telling()
