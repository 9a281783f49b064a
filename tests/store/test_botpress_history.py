"""Reading the eval runs that Botpress keeps."""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audition.errors import NotFound, StoreError
from audition.results import Run, TrialResult, Verdict
from audition.store.botpress_history import ForeignRun, read_history

PASSED = {
    "assertion": 'contains "hi"',
    "pass": True,
    "expected": 'Response contains "hi"',
    "actual": "Found in response",
}
FAILED = {"assertion": "tool called: pay", "pass": False, "expected": "pay was called", "actual": "Not called."}
UNJUDGED = {"assertion": 'llm_judge: "kind"', "pass": False, "skipped": True, "expected": "kind",
            "actual": "FAILED — LLM judge unavailable: 401"}  # fmt: skip


def a_turn(*assertions: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    turn = {"turnIndex": 0, "userMessage": "hello", "botResponse": "hi", "assertions": list(assertions), "pass": True}
    return turn | {"botDuration": 120, "evalDuration": 3} | more


def an_eval(*turns: Mapping[str, Any], passed: bool = True, **more: Any) -> dict[str, Any]:
    return {"name": "greeting", "turns": list(turns), "outcomeAssertions": [], "pass": passed, "duration": 900} | more


def a_report(*evals: object, **more: Any) -> dict[str, Any]:
    report = {"id": "0123456789abcdef0123456789", "timestamp": "2026-05-04T03:02:01.000Z", "evals": list(evals)}
    return report | {"passed": 1, "failed": 0, "total": len(evals), "duration": 1000} | more


def write(folder: Path, report: object, name: str = "run.json") -> Path:
    path = folder / name
    path.write_text(report if isinstance(report, str) else json.dumps(report), encoding="utf-8")
    return path


def write_database(folder: Path, *reports: dict[str, Any], version: str | None = "2") -> Path:
    """Write reports as Botpress's store does; an eval that is a text is written as it is."""
    path = folder / "evals.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript("""
            CREATE TABLE eval_runs (id TEXT PRIMARY KEY, timestamp TEXT NOT NULL, started_at INTEGER NOT NULL,
                passed INTEGER NOT NULL, failed INTEGER NOT NULL, total INTEGER NOT NULL, duration REAL NOT NULL,
                bot_duration REAL NOT NULL DEFAULT 0, eval_duration REAL NOT NULL DEFAULT 0,
                aborted INTEGER NOT NULL DEFAULT 0, filter_json TEXT, eval_names TEXT NOT NULL DEFAULT '[]');
            CREATE TABLE eval_reports (run_id TEXT NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL,
                started_at INTEGER NOT NULL, pass INTEGER NOT NULL, duration REAL NOT NULL, type TEXT, error TEXT,
                report_json TEXT NOT NULL, PRIMARY KEY (run_id, seq));
            CREATE TABLE schema_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
        """)
        if version is not None:
            connection.execute("INSERT INTO schema_meta VALUES ('schema_version', ?)", (version,))
        for number, one in enumerate(reports):
            connection.execute(
                "INSERT INTO eval_runs (id, timestamp, started_at, passed, failed, total, duration, aborted)"
                " VALUES (:id, :timestamp, :number, :passed, :failed, :total, :duration, :aborted)",
                {**one, "number": number, "aborted": int(one.get("aborted", False))},
            )
            rows = [
                (one["id"], seq, f"eval {seq}", 0, 1, 1.0, item if isinstance(item, str) else json.dumps(item))
                for seq, item in enumerate(one["evals"])
            ]
            statement = "INSERT INTO eval_reports (run_id, seq, name, started_at, pass, duration, report_json)"
            connection.executemany(f"{statement} VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return path


def read_one(path: Path) -> ForeignRun:
    (found,) = read_history(path)
    assert isinstance(found, ForeignRun)
    return found


def result_of(folder: Path, one: object) -> TrialResult:
    (result,) = read_one(write(folder, a_report(one))).results
    return result


def test_a_report_becomes_a_run_under_its_own_id(tmp_path: Path) -> None:
    found = read_one(write(tmp_path, a_report(an_eval(a_turn(PASSED), type="regression", tags=["smoke"]))))

    assert found.run == Run(
        id="0123456789abcdef0123456789",
        started_at="2026-05-04T03:02:01.000+00:00",
        agent="botpress",
        status="completed",
        passed=1,
        total=1,
        duration_ms=1000.0,
    )
    (result,) = found.results
    assert (result.eval_name, result.verdict, result.type, result.tags) == (
        "greeting", Verdict.PASS, "regression", ("smoke",),
    )  # fmt: skip
    assert (result.duration_ms, result.started_at) == (900.0, found.run.started_at)


def test_a_turn_becomes_an_exchange(tmp_path: Path) -> None:
    said, pushed = result_of(
        tmp_path, an_eval(a_turn(PASSED), a_turn(userMessage="[event]", botResponse="", botDuration=0))
    ).transcript.exchanges

    assert (said.user, said.replies[0].text, said.response_ms) == ("hello", "hi", 120.0)
    assert (pushed.user, pushed.event, pushed.replies, pushed.response_ms) == (None, {}, (), None)


def test_checks_are_in_our_words_and_keep_what_was_seen(tmp_path: Path) -> None:
    result = result_of(tmp_path, an_eval(a_turn(PASSED, FAILED), passed=False, outcomeAssertions=[PASSED]))

    assert [(check.category, check.check, check.verdict, check.turn) for check in result.checks] == [
        ("response", 'contains: "hi"', Verdict.PASS, 0),
        ("tools", 'called: "pay"', Verdict.FAIL, 0),
        ("response", 'contains: "hi"', Verdict.PASS, None),
    ]
    assert (result.checks[1].expected, result.checks[1].actual) == ("pay was called", "Not called.")


def test_the_words_of_a_judge_are_a_reason(tmp_path: Path) -> None:
    judged = {"assertion": 'llm_judge: "kind"', "pass": True, "expected": "kind", "actual": "Pass — it is — mostly"}

    (check,) = result_of(tmp_path, an_eval(a_turn(judged))).checks

    assert (check.actual, check.reason) == ("Pass", "it is — mostly")


VERDICTS = [
    pytest.param(an_eval(a_turn(PASSED)), Verdict.PASS, None, id="pass"),
    pytest.param(an_eval(a_turn(PASSED, FAILED), passed=False), Verdict.FAIL, None, id="fail"),
    pytest.param(an_eval(a_turn(PASSED, UNJUDGED), passed=False), Verdict.ERROR,
                 "FAILED — LLM judge unavailable: 401", id="no judge"),
    pytest.param(an_eval(a_turn({**UNJUDGED, "skipped": False}), passed=False), Verdict.ERROR,
                 "FAILED — LLM judge unavailable: 401", id="no judge, in older reports"),
    pytest.param(an_eval(a_turn(FAILED, UNJUDGED), passed=False), Verdict.FAIL,
                 "FAILED — LLM judge unavailable: 401", id="a failure beside it"),
    pytest.param(an_eval(a_turn(PASSED), passed=False, error="Eval aborted"), Verdict.ERROR, "Eval aborted",
                 id="error of the eval"),
    pytest.param(an_eval(passed=False, error="no handler"), Verdict.ERROR, "no handler", id="error before any turn"),
    pytest.param(an_eval(a_turn({**UNJUDGED, "pass": True})), Verdict.ERROR,
                 "the report says that it passed, but nothing in it was evaluated", id="a judge that let all pass"),
    pytest.param(an_eval(a_turn()), Verdict.ERROR,
                 "the report says that it passed, but nothing in it was evaluated", id="nothing evaluated"),
    pytest.param(an_eval(a_turn(FAILED)), Verdict.FAIL,
                 "the report says that it passed, but not every assertion in it does", id="a pass that is none"),
    pytest.param(an_eval(a_turn(PASSED), passed=False), Verdict.FAIL,
                 "the report says that it failed, but no assertion in it does", id="a failure without a reason"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "verdict", "error"), VERDICTS)
def test_the_verdict_of_an_eval(tmp_path: Path, one: object, verdict: Verdict, error: str | None) -> None:
    result = result_of(tmp_path, one)

    assert (result.verdict, result.error) == (verdict, error)


def test_an_eval_that_was_cut_short_is_so_in_the_transcript_too(tmp_path: Path) -> None:
    result = result_of(tmp_path, an_eval(passed=False, error="no handler"))

    assert result.transcript.trouble is not None
    assert (result.transcript.trouble.message, result.transcript.trouble.by_agent) == ("no handler", False)


def test_one_name_twice_is_two_trials(tmp_path: Path) -> None:
    found = read_one(write(tmp_path, a_report(an_eval(a_turn(PASSED)), an_eval(a_turn(PASSED)))))

    assert [result.trial for result in found.results] == [1, 2]


def test_an_aborted_run_did_not_complete(tmp_path: Path) -> None:
    run = read_one(write(tmp_path, a_report(an_eval(a_turn(PASSED)), aborted=True))).run

    assert (run.status, run.error) == ("failed", "interrupted")


def test_evals_that_are_counted_but_not_there_were_not_run(tmp_path: Path) -> None:
    run = read_one(write(tmp_path, a_report(an_eval(a_turn(PASSED)), total=3))).run

    assert (run.ran, run.total) == (1, 3)


MALFORMED = [
    pytest.param("text", "the report must be an object, and is a text", id="no object"),
    pytest.param(an_eval(name=""), "name must be a text, and is an empty text", id="no name"),
    pytest.param(an_eval(turns=None), "turns must be a list, and is nothing", id="no turns"),
    pytest.param(an_eval(a_turn(), {}), "turns[1].userMessage must be a text, and is nothing", id="empty turn"),
    pytest.param(an_eval(a_turn(botDuration="1")), "turns[0].botDuration must be a number, and is a text", id="time"),
    pytest.param(an_eval(a_turn({**PASSED, "pass": 1})),
                 "turns[0].assertions[0].pass must be true or false, and is a number", id="verdict"),
    pytest.param(an_eval(outcomeAssertions=[[]]), "outcomeAssertions[0] must be an object, and is a list", id="list"),
    pytest.param(an_eval(duration=None), "duration must be a number, and is nothing", id="duration"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "told"), MALFORMED)
def test_an_eval_that_cannot_be_read_is_an_error_and_told_with_its_place(
    tmp_path: Path, one: object, told: str
) -> None:
    path = write(tmp_path, a_report(an_eval(a_turn(PASSED)), one))

    found = read_one(path)

    assert found.run.warnings == (f"{path}: evals[1]: {told}",)
    assert (found.results[1].verdict, found.results[1].error) == (Verdict.ERROR, f"its report cannot be read: {told}")
    assert (found.run.passed, found.run.errors, found.run.total) == (1, 1, 2)


UNREADABLE = [
    pytest.param("{", "it is not JSON: Expecting property name", id="no JSON"),
    pytest.param("[" * 100_000, "it is not JSON: maximum recursion depth", id="nested without end"),
    pytest.param([], "the report must be an object, and is a list", id="a list"),
    pytest.param({}, "evals must be a list, and is nothing", id="empty"),
    pytest.param(a_report(id=None), "id must be a text, and is nothing", id="no id"),
    pytest.param(
        a_report(timestamp="yesterday"), "timestamp must be a time in ISO 8601, and is 'yesterday'", id="time"
    ),
    pytest.param(a_report(total="two"), "total must be a number, and is a text", id="total"),
]


@pytest.mark.parametrize(("report", "told"), UNREADABLE)
def test_a_report_that_cannot_be_read_is_told_with_its_place(tmp_path: Path, report: object, told: str) -> None:
    path = write(tmp_path, report)

    (problem,) = read_history(path)

    assert str(problem).startswith(f"{path}: {told}")


def test_a_folder_of_reports_is_read_in_the_order_of_names_whatever_one_of_them_holds(tmp_path: Path) -> None:
    write(tmp_path, a_report(id="b"), "2.json")
    write(tmp_path, "oops", "1.json")
    write(tmp_path, a_report(id="a"), "3.json")
    write(tmp_path, "not a report", "readme.txt")

    found = list(read_history(tmp_path))

    assert [one.run.id if isinstance(one, ForeignRun) else "told" for one in found] == ["told", "b", "a"]


def test_the_database_gives_what_the_reports_give(tmp_path: Path) -> None:
    first = a_report(an_eval(a_turn(PASSED)), an_eval(a_turn(FAILED), name="pay", passed=False))
    second = a_report(an_eval(a_turn(UNJUDGED), passed=False), id="b", aborted=True)
    expected = [read_one(write(tmp_path, one, f"{one['id']}.txt")) for one in (first, second)]

    assert list(read_history(write_database(tmp_path, first, second))) == expected


def test_a_folder_with_the_database_is_read_too(tmp_path: Path) -> None:
    write_database(tmp_path, a_report(id="a"))

    assert read_one(tmp_path).run.id == "a"


def test_the_database_is_only_read(tmp_path: Path) -> None:
    path = write_database(tmp_path, a_report(an_eval(a_turn(PASSED))))
    path.chmod(0o444)
    before = path.read_bytes()

    read_one(path)

    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["evals.db"]


def test_what_botpress_has_just_written_is_read_while_it_has_the_database_open(tmp_path: Path) -> None:
    path = write_database(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        with connection:
            connection.execute(
                "INSERT INTO eval_runs (id, timestamp, started_at, passed, failed, total, duration)"
                " VALUES ('a', '2026-05-04T03:02:01Z', 0, 0, 0, 0, 0)"
            )

        assert read_one(path).run.id == "a"


def test_a_row_that_cannot_be_read_is_an_error_and_told_with_its_place(tmp_path: Path) -> None:
    path = write_database(tmp_path, a_report(an_eval(a_turn(PASSED)), "{"))

    found = read_one(path)

    (told,) = found.run.warnings
    assert told.startswith(f"{path}: eval_runs, id '{found.run.id}': eval_reports, seq 1: it is not JSON")
    assert [(result.eval_name, result.verdict) for result in found.results] == [
        ("greeting", Verdict.PASS), ("eval 1", Verdict.ERROR),
    ]  # fmt: skip


def test_a_run_that_cannot_be_read_is_told_and_the_others_are_read(tmp_path: Path) -> None:
    path = write_database(tmp_path, a_report(id="a", timestamp="?"), a_report(id="b"))

    problem, found = read_history(path)

    assert problem == f"{path}: eval_runs, id 'a': timestamp must be a time in ISO 8601, and is '?'"
    assert isinstance(found, ForeignRun)
    assert found.run.id == "b"


def test_results_of_no_run_are_told(tmp_path: Path) -> None:
    path = write_database(tmp_path, a_report(an_eval(a_turn(PASSED))))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE eval_runs SET id = 'other'")

    _, problem = read_history(path)

    assert str(problem).endswith(
        "eval_reports has 1 rows of run '0123456789abcdef0123456789', which is not in eval_runs"
    )


@pytest.mark.parametrize(
    ("version", "told"),
    [("3", "has schema version 3, and only version 2 is known"), (None, "has no schema version, and only version 2")],
)
def test_a_database_of_another_version_is_refused(tmp_path: Path, version: str | None, told: str) -> None:
    path = write_database(tmp_path, version=version)

    with pytest.raises(StoreError, match=told):
        list(read_history(path))


def test_another_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE t (x)")

    with pytest.raises(StoreError, match="is no database of Botpress evals"):
        list(read_history(path))


def test_a_damaged_database_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "evals.db"
    path.write_bytes(b"SQLite format 3\0" + b"\xff" * 4096)

    with pytest.raises(StoreError, match=r"evals\.db cannot be read"):
        list(read_history(path))


@pytest.mark.parametrize("name", ["", "absent.json"], ids=["an empty folder", "no file"])
def test_where_there_are_no_runs_it_is_said_what_to_name(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound, match="there are no Botpress eval runs at") as caught:
        list(read_history(tmp_path / name))

    assert "evals.db" in str(caught.value.hint)
