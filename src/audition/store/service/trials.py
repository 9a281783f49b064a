"""Trials of a run: counted as they begin, and their results, written once, only by the worker that holds the run."""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import Connection, and_, func, literal, select, update

from audition.results import TrialResult
from audition.store.service.database import utc
from audition.store.service.runs import Claim, append_event, is_held
from audition.store.service.tables import ATTEMPTS, RESULTS, RUNS
from audition.wire import decode_result

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
    key = {"run_id": claim.run_id, "case_id": case_id, "trial": trial}
    values = [*map(literal, key.values()), literal(1), literal(claim.worker)]
    counted = insert(ATTEMPTS).from_select(
        [*key, "attempts", "worker"], _if_held(claim, *values).where(RUNS.c.cancelled.is_(False))
    )
    counted = counted.on_conflict_do_update(
        index_elements=list(key), set_={"attempts": ATTEMPTS.c.attempts + 1, "worker": claim.worker}
    )
    attempts = connection.execute(counted.returning(ATTEMPTS.c.attempts)).scalar_one_or_none()
    if attempts is None:
        return None
    append_event(connection, claim.run_id, "case.started", {"case_id": case_id, "trial": trial, "attempt": attempts})
    return int(attempts)


def uncount(connection: Connection, claim: Claim, case_id: int, trial: int) -> None:
    """Take back that a trial was begun: its worker gave it up, and did not die of it."""
    is_it = and_(ATTEMPTS.c.run_id == claim.run_id, ATTEMPTS.c.case_id == case_id, ATTEMPTS.c.trial == trial)
    change = update(ATTEMPTS).where(is_it, ATTEMPTS.c.worker == claim.worker)
    connection.execute(change.values(attempts=ATTEMPTS.c.attempts - 1))


def save(connection: Connection, insert: Insert, claim: Claim, result: NewResult) -> Literal["saved", "there", "lost"]:
    """Keep a result, unless there is one already, or the claim holds no more: then nothing is changed."""
    row = {"run_id": claim.run_id, "generation": claim.generation, **asdict(result), "created_at": utc()}
    values = [literal(value, RESULTS.c[name].type) for name, value in row.items()]
    kept = insert(RESULTS).from_select(list(row), _if_held(claim, *values))
    kept = kept.on_conflict_do_nothing(index_elements=["run_id", "case_id", "trial"])
    result_id = connection.execute(kept.returning(RESULTS.c.id)).scalar_one_or_none()
    if result_id is None:
        held = connection.execute(select(RUNS.c.id).where(is_held(claim))).scalar_one_or_none()
        return "lost" if held is None else "there"
    told = {"case_id": result.case_id, "trial": result.trial, "result_id": result_id, "verdict": result.verdict}
    append_event(connection, claim.run_id, "case.judged", told | {"outcome": result.outcome})
    have = select(func.count()).where(RESULTS.c.run_id == claim.run_id).scalar_subquery()
    progress = connection.execute(select(have.label("done"), RUNS.c.planned).where(RUNS.c.id == claim.run_id)).one()
    append_event(connection, claim.run_id, "run.progress", {"done": progress.done, "of": progress.planned})
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


def _if_held(claim: Claim, *values: Any) -> Any:
    """Return a query for these values that finds nothing when the claim holds no more.

    It locks the run's row, so that nobody takes the run between the look and the end of the transaction.
    """
    return select(*values).select_from(RUNS).where(is_held(claim)).with_for_update()
