"""Reads what Botpress keeps of its eval runs: reports in JSON files, and the database `.adk/evals/evals.db`.

Source: Botpress evals engine 2.0.2, its local store (schema version 2) and EvalRunReport.
"""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from audition.errors import NotFound, StoreError
from audition.results import Run, TrialResult, Verdict
from audition.store._botpress_report import Malformed, as_list, as_number, as_object, as_text, trial_result

AGENT = "botpress"
"""The agent of runs that were not ours: which bot it was is not kept there."""

_DATABASE = "evals.db"
_SCHEMA = "2"
_MAGIC = b"SQLite format 3\0"

_RUNS = "SELECT * FROM eval_runs ORDER BY started_at, id"
_REPORTS = "SELECT seq, name, report_json FROM eval_reports WHERE run_id = ? ORDER BY seq"
_STRAYS = "SELECT run_id, count(*) FROM eval_reports WHERE run_id NOT IN (SELECT id FROM eval_runs) GROUP BY run_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignRun:
    """A run as we would have kept it, and its results; what could not be read of it stands in `run.warnings`."""

    run: Run
    results: tuple[TrialResult, ...]


def read_history(path: Path) -> Iterator[ForeignRun | str]:
    """Yield the runs of a report, of a folder of reports, or of a database; a text for each run that cannot be read.

    An eval that cannot be read becomes a result with an error: nothing is left out.

    Raises: NotFound when there is nothing of the kind; StoreError when a database cannot be read at all.
    """
    files = [path] if path.is_file() else []
    if path.is_dir():
        files = sorted(path.glob("*.json")) + [file for file in (path / _DATABASE,) if file.is_file()]
    if not files:
        hint = f"name a report of adk evals, a folder of them, or .adk/evals/{_DATABASE}"
        raise NotFound(f"there are no Botpress eval runs at {path}", hint=hint)
    for file in files:
        try:
            if _is_database(file):
                yield from _runs_in_database(file)
            else:
                yield _run_in_file(file)
        except Malformed as error:
            yield f"{file}: {error}"
        except OSError as error:
            yield f"{file}: it cannot be read: {error.strerror}"


@dataclass(frozen=True, slots=True)
class _Eval:
    """One eval of a run: where it stands, what to call it if it cannot be read, and its report, read or not."""

    place: str
    name: str
    report: object


def _is_database(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def _run_in_file(path: Path) -> ForeignRun:
    report = as_object(_parsed(path.read_bytes()), "")
    evals = []
    for index, one in enumerate(as_list(report.get("evals"), "evals")):
        name = one.get("name") if isinstance(one, Mapping) else None
        evals.append(_Eval(f"evals[{index}]", name if isinstance(name, str) and name else f"evals[{index}]", one))
    return _foreign_run(report, evals, str(path))


def _runs_in_database(path: Path) -> Iterator[ForeignRun | str]:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            _refuse_other_schema(connection, path)
            for row in connection.execute(_RUNS):
                yield _run_of_row(connection, row, f"{path}: eval_runs, id {row['id']!r}")
            for run_id, count in connection.execute(_STRAYS):
                yield f"{path}: eval_reports has {count} rows of run {run_id!r}, which is not in eval_runs"
    except (sqlite3.Error, IndexError) as error:  # a column that is missing is an IndexError
        raise StoreError(f"{path} cannot be read: {error}", hint="end what is using it, or read a copy") from error


def _refuse_other_schema(connection: sqlite3.Connection, path: Path) -> None:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"eval_runs", "eval_reports", "schema_meta"} <= tables:
        raise StoreError(f"{path} is no database of Botpress evals", hint=f"it is kept in .adk/evals/{_DATABASE}")
    found = connection.execute("SELECT value FROM schema_meta WHERE key = 'schema_version'").fetchone()
    if found is None or str(found[0]) != _SCHEMA:
        version = "no schema version" if found is None else f"schema version {found[0]}"
        hint = "adk evals runs ID --format json writes a report that can be read"
        raise StoreError(f"{path} has {version}, and only version {_SCHEMA} is known", hint=hint)


def _run_of_row(connection: sqlite3.Connection, row: sqlite3.Row, place: str) -> ForeignRun | str:
    evals = [
        _Eval(f"eval_reports, seq {seq}", str(name), _parsed_or_fault(text))
        for seq, name, text in connection.execute(_REPORTS, (row["id"],))
    ]
    try:
        return _foreign_run(dict(row) | {"aborted": row["aborted"] == 1}, evals, place)
    except Malformed as error:
        return f"{place}: {error}"


def _foreign_run(report: Mapping[str, Any], evals: Sequence[_Eval], place: str) -> ForeignRun:
    run_id = as_text(report.get("id"), "id")
    started_at = _moment(as_text(report.get("timestamp"), "timestamp"))
    results: list[TrialResult] = []
    warnings: list[str] = []
    times: Counter[str] = Counter()
    for one in evals:
        try:
            if isinstance(one.report, Malformed):
                raise one.report
            result = trial_result(one.report)
        except Malformed as error:
            warnings.append(f"{place}: {one.place}: {error}")
            told = f"its report cannot be read: {error}"
            result = TrialResult(eval_name=one.name, verdict=Verdict.ERROR, error=told)
        times[result.eval_name] += 1
        results.append(replace(result, trial=times[result.eval_name], started_at=started_at))
    return ForeignRun(run=_run(run_id, started_at, report, results, warnings), results=tuple(results))


def _run(
    run_id: str, started_at: str, report: Mapping[str, Any], results: Sequence[TrialResult], warnings: Sequence[str]
) -> Run:
    """Return a run; its counts are ours, and more evals than there are results are evals that were not run."""
    counts = Counter(result.verdict for result in results)
    aborted = report.get("aborted") is True
    return Run(
        id=run_id,
        started_at=started_at,
        agent=AGENT,
        status="failed" if aborted else "completed",
        passed=counts[Verdict.PASS],
        failed=counts[Verdict.FAIL],
        errors=counts[Verdict.ERROR],
        skipped=counts[Verdict.SKIP],
        total=max(len(results), int(as_number(report.get("total"), "total"))),
        duration_ms=as_number(report.get("duration"), "duration"),
        error="interrupted" if aborted else None,
        warnings=tuple(warnings),
    )


def _moment(timestamp: str) -> str:
    """Return a time as our runs have it: in UTC, with milliseconds.

    Raises: Malformed when it cannot be read.
    """
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        raise Malformed(f"timestamp must be a time in ISO 8601, and is {timestamp!r}") from None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC).isoformat(timespec="milliseconds")


def _parsed(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is not JSON: {error}") from None


def _parsed_or_fault(text: object) -> object:
    try:
        return _parsed(as_text(text, "report_json"))
    except Malformed as error:
        return error
