"""The rows of the tables."""

from audition.results import Run, TrialResult, Verdict
from audition.store.rows import result_row, run_row
from audition.wire import decode_result, decode_run


def test_a_run_row_has_the_counts_in_columns_and_all_of_the_run_in_its_document() -> None:
    run = Run(id="r", started_at="t", agent="a:b", status="completed", passed=1, failed=2, errors=3, skipped=4, total=9)

    row = run_row(run)

    document = str(row.pop("document"))
    assert row == {
        "id": "r", "started_at": "t", "status": "completed",
        "passed": 1, "failed": 2, "errors": 3, "skipped": 4, "total": 9,
    }  # fmt: skip
    assert decode_run(document, row="it") == run


def test_a_result_row_has_its_key_and_verdict_in_columns_and_all_of_it_in_its_document() -> None:
    result = TrialResult(eval_name="e", trial=2, verdict=Verdict.ERROR, error="odd")

    row = result_row("r", result)

    document = str(row.pop("document"))
    assert row == {"run_id": "r", "eval_name": "e", "trial": 2, "verdict": "error"}
    assert type(row["verdict"]) is str
    assert decode_result(document, row="it") == result
