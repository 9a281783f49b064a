"""The rows that runs and results become, whoever writes them."""

from audition.results import Run, TrialResult
from audition.wire import encode_result, encode_run, storable


def run_row(run: Run) -> dict[str, str | int]:
    """Return a run's row in the table `runs`."""
    return {
        "id": run.id,
        "started_at": run.started_at,
        "status": run.status,
        "passed": run.passed,
        "failed": run.failed,
        "errors": run.errors,
        "skipped": run.skipped,
        "total": run.total,
        "document": encode_run(run),
    }


def result_row(run_id: str, result: TrialResult) -> dict[str, str | int]:
    """Return a result's row in the table `results`, without its position: the database gives it one."""
    return {
        "run_id": run_id,
        "eval_name": storable(result.eval_name),
        "trial": result.trial,
        "verdict": result.verdict.value,
        "document": encode_result(result),
    }
