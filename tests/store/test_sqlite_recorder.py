"""Recording into a history file: the same rows as the full store, other writers, crashes, full disks."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from audition.errors import StoreError
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.store import Recorder
from audition.store.sql import SqlStore, sqlite_url
from audition.store.sqlite_recorder import SqliteRecorder
from audition.transcript import Exchange, Reply, Transcript

RUN = Run(id="r1", started_at="2026-01-01T10:00:00+00:00", agent="http:http://host/chat?key=s3cret", total=3)
CHECK = CheckResult(category="response", check='contains: "x"', verdict=Verdict.FAIL, turn=0)
RESULTS = [
    TrialResult(
        eval_name=name,
        trial=trial,
        verdict=Verdict.FAIL,
        checks=(CHECK,),
        transcript=Transcript(exchanges=(Exchange(user="grüß", replies=(Reply(text="\ud800"),)),)),
    )
    for name, trial in (("a", 1), ("b\udfff", 1), ("a", 2), ("a", 1))
]

WRITER = """
import sys
from pathlib import Path
from audition.results import Run, TrialResult, Verdict
from audition.store.sqlite_recorder import SqliteRecorder
path, writer, batches, size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
recorder = SqliteRecorder(path)
recorder.begin(Run(id=writer, started_at="", agent="a:b"))
for batch in range(batches):
    named = [f"{batch}-{number}" for number in range(size)]
    recorder.save(writer, [TrialResult(eval_name=name, verdict=Verdict.PASS, error="e" * 500) for name in named])
    print(batch, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "history.db"


def recorded_by(recorder: Recorder, path: Path) -> tuple[list[object], list[object]]:
    """Return all rows of both tables after a run was taken down."""
    recorder.begin(RUN)
    recorder.save("r1", RESULTS)
    recorder.finish(RUN)
    recorder.close()
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM runs").fetchall(), connection.execute(
            "SELECT * FROM results"
        ).fetchall()


def tables_of(path: Path) -> list[str]:
    """Return the statements that made the tables of a file, with all spaces alike."""
    with closing(sqlite3.connect(path)) as connection:
        made = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
        settings = [connection.execute(f"PRAGMA {name}").fetchone() for name in ("user_version", "journal_mode")]
        noted = connection.execute("SELECT version_num FROM audition_version").fetchall()
    statements = ["".join(str(statement).split()) for (statement,) in made]
    return [*statements, str(settings), str(noted)]


def writing(path: Path, writer: str, batches: int, size: int = 1) -> "subprocess.Popen[str]":
    """Start a process that saves results into a history and prints each batch once it is saved."""
    command = [sys.executable, "-c", WRITER, str(path), writer, str(batches), str(size)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def faults_of(path: Path) -> str:
    """Return what SQLite finds wrong with a file: `ok` when it finds nothing."""
    with closing(sqlite3.connect(path)) as connection:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])


def saved_in(path: Path, run_id: str) -> list[str]:
    """Return the names of the results that can be read of a run."""
    with closing(SqlStore(sqlite_url(path))) as store:
        return [kept.eval_name for kept in store.results(run_id)]


def test_it_writes_the_same_rows_as_the_full_store(tmp_path: Path) -> None:
    light, full = tmp_path / "light.db", tmp_path / "full.db"

    assert recorded_by(SqliteRecorder(light), light) == recorded_by(SqlStore(sqlite_url(full)), full)


def test_it_makes_the_same_tables_as_the_migrations(tmp_path: Path) -> None:
    light, full = tmp_path / "light.db", tmp_path / "full.db"

    SqliteRecorder(light).close()
    SqlStore(sqlite_url(full)).close()

    assert tables_of(light) == tables_of(full)


def test_it_records_into_a_new_file_without_loading_sqlalchemy(path: Path) -> None:
    code = f"{WRITER}\nprint([name for name in ('sqlalchemy', 'alembic', 'pydantic') if name in sys.modules])"
    command = [sys.executable, "-c", code, str(path), "r", "1", "1"]

    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert said.splitlines() == ["0", "[]"]


def test_a_file_with_tables_of_an_unknown_age_is_brought_up_to_date(path: Path) -> None:
    SqliteRecorder(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 0")

    SqliteRecorder(path).close()

    assert "[(1,), ('wal',)]" in tables_of(path)


def test_a_file_of_a_newer_audition_is_left_alone(path: Path) -> None:
    SqliteRecorder(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")

    with pytest.raises(StoreError, match="was made by a newer audition") as caught:
        SqliteRecorder(path)

    assert "upgrade audition" in str(caught.value.hint)


def test_a_database_of_something_else_is_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")

    with pytest.raises(StoreError, match="is a database of something else"):
        SqliteRecorder(path)

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("bookmarks",)]


def test_a_file_that_is_no_database_is_named(path: Path) -> None:
    path.write_text("evals: []\n" * 100)

    with pytest.raises(StoreError, match=f"the history {path} is not a database"):
        SqliteRecorder(path)

    assert path.read_text() == "evals: []\n" * 100


def test_a_history_that_stays_locked_is_busy(path: Path) -> None:
    with closing(SqliteRecorder(path, patience_s=0)) as recorder, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="is busy"):
            recorder.begin(RUN)


def test_a_batch_is_kept_whole_or_not_at_all(path: Path) -> None:
    with closing(SqliteRecorder(path)) as recorder:
        recorder.begin(RUN)
        broken = TrialResult(eval_name="b", verdict=Verdict.PASS, trial="one")  # type: ignore[arg-type]
        with closing(sqlite3.connect(path)) as other:
            other.execute(
                "CREATE TRIGGER t BEFORE INSERT ON results WHEN NEW.trial = 'one' BEGIN SELECT RAISE(ABORT,'');END"
            )

        with pytest.raises(StoreError):
            recorder.save("r1", [RESULTS[0], broken])
        recorder.save("r1", [RESULTS[2]])

    assert saved_in(path, "r1") == ["a"]


# case: promptfoo/promptfoo#8805
def test_the_key_in_an_agents_url_is_nowhere_in_the_file(path: Path) -> None:
    recorded_by(SqliteRecorder(path), path)

    assert b"s3cret" not in path.read_bytes()


def test_eight_writers_starting_on_one_new_file_lose_nothing(path: Path) -> None:
    writers = [writing(path, f"w{number}", batches=50) for number in range(8)]

    said = [writer.communicate(timeout=120) for writer in writers]

    assert [writer.returncode for writer in writers] == [0] * 8, said
    assert [len(saved_in(path, f"w{number}")) for number in range(8)] == [50] * 8
    assert faults_of(path) == "ok"


@pytest.mark.parametrize("after", [0, 3, 11], ids=lambda after: f"after batch {after}")
# case: UKGovernmentBEIS/inspect_ai#3652
def test_a_killed_writer_leaves_every_batch_it_was_told_is_saved(path: Path, after: int) -> None:
    writer = writing(path, "w", batches=10_000, size=20)
    assert writer.stdout is not None
    acknowledged = _lines(iter(writer.stdout), after + 1)

    writer.send_signal(signal.SIGKILL)
    acknowledged += _lines(iter(writer.stdout), 10_000)
    writer.communicate()

    expected = [f"{batch}-{number}" for batch in acknowledged for number in range(20)]
    assert faults_of(path) == "ok"
    assert saved_in(path, "w")[: len(expected)] == expected
    assert len(saved_in(path, "w")) % 20 == 0


def _lines(source: Iterator[str], count: int) -> list[str]:
    return [line.strip() for _, line in zip(range(count), source, strict=False)]


def test_a_full_disk_leaves_what_was_saved_before(path: Path) -> None:
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n" + WRITER
    command = [sys.executable, "-c", limited, str(path), "w", "10000", "20"]

    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    acknowledged = ended.stdout.split()
    assert f"StoreError: the history {path} cannot" in ended.stderr
    assert len(acknowledged) > 0
    assert saved_in(path, "w") == [f"{batch}-{number}" for batch in acknowledged for number in range(20)]
    assert faults_of(path) == "ok"
