"""Workers are killed, stopped, asked to end and starved, and no run loses or doubles a result.

Short campaigns belong to every run of the tests; the long ones are marked `slow`.
"""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Select, func, select, update
from tests.doubles.service_runs import Crew, Served, Worker, add_dataset, add_run, crew, ends, run_of, served, until

from audition.errors import StoreError
from audition.service.runs import Runs
from audition.store.service import runs, trials, workers
from audition.store.service.database import Database
from audition.store.service.run_options import RunOptions
from audition.store.service.tables import RESULTS, RUNS, WORKERS

SLOW = pytest.mark.slow


@dataclass
class Place:
    """A database, its queue, and the workers on it."""

    database: Database
    queue: Runs
    crew: Crew

    def add(self, cases: int, *, concurrency: int = 1) -> int:
        """Create a run and queue it, in one transaction, as an endpoint does."""

        def make(connection: runs.Connection) -> int:
            options = RunOptions(concurrency=concurrency)
            run_id = add_run(connection, add_dataset(connection, cases), cases=cases, options=options)
            self.queue.enqueue(connection, run_id)
            return run_id

        return self.database.write(make)

    def done(self, run_id: int) -> int:
        """Return how many results a run has."""
        return self.database.read(lambda connection: trials.count(connection, run_id))

    def judged(self, run_id: int) -> int:
        """Return how many results the events of a run tell of."""
        found, after = 0, 0
        while page := self.database.read(partial(runs.events_after, run_id=run_id, after=after)):
            found, after = found + sum(event.type == "case.judged" for event in page), page[-1].id
        return found


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[[str], Place]]:
    """Return what opens a place on the database of a URL."""
    places: list[Place] = []
    with crew("", tmp_path) as together:

        def place(url: str) -> Place:
            together.url = url
            database = Database(url)
            places.append(Place(database, Runs(database), together))
            return places[-1]

        yield place
        together.end()
        for one in places:
            one.queue.close()
            one.database.close()


@pytest.fixture
def sqlite(opened: Callable[[str], Place], tmp_path: Path) -> Place:
    """Return a place on a new SQLite file."""
    return opened(f"sqlite:///{tmp_path}/service.db")


@pytest.fixture
def postgresql(opened: Callable[[str], Place], postgres: str) -> Place:
    """Return a place on a new database in PostgreSQL."""
    import psycopg

    name = f"campaign_{os.getpid()}_{time.monotonic_ns()}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return opened(f"{postgres.rpartition('/')[0]}/{name}")


def insist_that_nothing_is_lost(place: Place, run_id: int, cases: int) -> None:
    """Insist on one result, one event and at least one call for each case, and on a sound database."""
    assert (place.done(run_id), place.judged(run_id)) == (cases, cases)
    assert len([key for key in place.crew.calls() if key[0] == run_id]) == cases
    if place.database.is_sqlite:
        with closing(sqlite3.connect(str(place.database.url.database))) as connection, connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def kill_again_and_again(place: Place, run_id: int, *, kills: int, hands: int, delay_s: float) -> int:
    """Kill workers at random moments, and start others at once; return how many kills came before the run's end."""
    chance = random.Random(kills * 10 + hands)
    alive = [place.crew.start(delay_s=delay_s) for _ in range(hands)]
    for done in range(kills):
        if run_of(place.database, run_id).status == "completed":
            return done
        moment = chance.random()
        victim = alive.pop(chance.randrange(hands))
        if moment > 0.2:  # else within a tenth of a second of its start, or of that of the process
            victim.wait_until_ready()
        time.sleep(chance.uniform(0, 0.1) if moment < 0.5 else chance.uniform(0, 0.8))
        victim.kill()
        alive.append(place.crew.start(delay_s=delay_s))
    return kills


@pytest.mark.parametrize(
    ("where", "hands", "cases", "kills"),
    [
        pytest.param("sqlite", 1, 30, 6, id="one worker on SQLite, 6 kills"),
        pytest.param("postgresql", 2, 30, 6, id="two workers on PostgreSQL, 6 kills"),
        pytest.param("sqlite", 1, 200, 50, id="one worker on SQLite, 50 kills", marks=SLOW),
        pytest.param("postgresql", 2, 200, 50, id="two workers on PostgreSQL, 50 kills", marks=SLOW),
        pytest.param("sqlite", 1, 1000, 300, id="one worker on SQLite, 300 kills", marks=SLOW),
        pytest.param("postgresql", 2, 1000, 300, id="two workers on PostgreSQL, 300 kills", marks=SLOW),
    ],
)
def test_no_kill_loses_or_doubles_a_result(
    request: pytest.FixtureRequest, where: str, hands: int, cases: int, kills: int
) -> None:
    place: Place = request.getfixturevalue(where)
    run_id = place.add(cases)

    killed = kill_again_and_again(place, run_id, kills=kills, hands=hands, delay_s=0.15)

    run = ends(place.database, run_id, within_s=120 + cases)
    repeated = place.crew.calls().total() - cases
    print(f"\n{where}: {killed} kills, {repeated} calls repeated, generation {run.generation}")  # noqa: T201
    assert (run.status, run.error_message) == ("completed", None)
    insist_that_nothing_is_lost(place, run_id, cases)
    assert repeated <= killed  # one case is under way at a time
    assert killed == kills


# case: evoila/meho#1501
def test_a_run_whose_worker_died_is_taken_by_the_next_one(sqlite: Place) -> None:
    run_id = sqlite.add(50, concurrency=4)
    first = sqlite.crew.start(delay_s=0.05)
    until(lambda: sqlite.done(run_id) >= 20)
    first.kill()

    sqlite.crew.start()

    assert ends(sqlite.database, run_id).status == "completed"
    insist_that_nothing_is_lost(sqlite, run_id, 50)
    assert sqlite.crew.calls().total() - 50 <= 4


# case: RapidFireAI/rapidfireai#222
def test_the_silence_of_a_dead_worker_grows(sqlite: Place) -> None:
    run_id = sqlite.add(200)
    worker = sqlite.crew.start(delay_s=0.2)
    until(lambda: sqlite.done(run_id) >= 1)
    worker.kill()
    name = run_of(sqlite.database, run_id).worker
    assert name is not None

    def silence() -> float:
        now_s = sqlite.database.now_s
        return sqlite.database.read(lambda connection: workers.silent_s(connection, now_s, name)) or 0.0

    before = silence()

    assert until(lambda: silence() > before + 0.5)


# case: codefreak/codefreak#231
def test_runs_that_wait_when_everything_is_started_anew_come_to_their_end(sqlite: Place) -> None:
    first = sqlite.crew.start(delay_s=0.1, at_once=1)
    first.wait_until_ready()
    made = [sqlite.add(5) for _ in range(3)]
    until(lambda: sqlite.done(made[0]) >= 1)
    first.kill()

    sqlite.crew.start()

    assert [ends(sqlite.database, run_id).status for run_id in made] == ["completed"] * 3


# case: aegra/aegra#526
def test_an_old_run_that_nobody_holds_and_nobody_queued_is_begun(sqlite: Place) -> None:
    def lost(connection: runs.Connection) -> tuple[int, int]:
        old, young = (add_run(connection, add_dataset(connection, 1)) for _ in range(2))
        change = update(RUNS).where(RUNS.c.id == old)
        connection.execute(change.values(status="running", generation=4, created_at="2026-01-01T00:00:00.000Z"))
        connection.execute(update(RUNS).where(RUNS.c.id == young).values(status="running", generation=4))
        return old, young

    old, young = sqlite.database.write(lost)

    sqlite.crew.start()

    assert ends(sqlite.database, old).status == "completed"
    assert run_of(sqlite.database, young).generation == 4


def test_a_run_that_was_queued_for_an_older_version_is_queued_for_this_one(sqlite: Place) -> None:
    run_id = sqlite.add(2)
    with closing(sqlite3.connect(str(sqlite.database.url.database))) as connection, connection:
        connection.execute("UPDATE workflow_status SET application_version = 'audition-0'")

    sqlite.crew.start()

    assert ends(sqlite.database, run_id).status == "completed"
    assert run_of(sqlite.database, run_id).generation == 2


def put_to_sleep(place: Place, worker: Worker) -> None:
    """Stop a process, but not while it holds SQLite's only lock: nobody could go on then, however dead it is."""

    def is_asleep() -> bool:
        worker.send(signal.SIGSTOP)
        until(lambda: Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        impatient = Database(place.crew.url, patience_s=0.2)
        try:
            impatient.write(lambda connection: connection.execute(update(RUNS).where(RUNS.c.id == 0).values(id=0)))
        except StoreError:
            worker.send(signal.SIGCONT)
            return False
        finally:
            impatient.close()
        return True

    until(is_asleep)


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_a_worker_that_wakes_up_changes_nothing_of_a_run_that_was_taken_from_it(
    request: pytest.FixtureRequest, where: str
) -> None:
    place: Place = request.getfixturevalue(where)
    run_id = place.add(40, concurrency=4)
    sleeper = place.crew.start(delay_s=0.1)
    until(lambda: place.done(run_id) >= 4)
    put_to_sleep(place, sleeper)
    asleep = run_of(place.database, run_id).worker
    hour_ago = update(WORKERS).where(WORKERS.c.id == asleep).values(heartbeat_s=WORKERS.c.heartbeat_s - 3600)
    place.database.write(lambda connection: connection.execute(hour_ago))
    place.crew.start(delay_s=0.1)
    until(lambda: run_of(place.database, run_id).worker not in (asleep, None))
    taken = run_of(place.database, run_id).generation
    before = place.database.read(lambda connection: connection.execute(_written_by(1)).scalar_one())

    sleeper.send(signal.SIGCONT)

    run = ends(place.database, run_id)
    assert (run.status, run.generation) == ("completed", taken)
    insist_that_nothing_is_lost(place, run_id, 40)
    assert place.crew.calls().total() - 40 <= 4
    by_sleeper = place.database.read(lambda connection: connection.execute(_written_by(1)).scalar_one())
    assert by_sleeper == before


def _written_by(generation: int) -> Select[tuple[int]]:
    return select(func.count()).select_from(RESULTS).where(RESULTS.c.generation == generation)


@pytest.mark.slow
def test_a_worker_that_is_silent_for_long_loses_its_run_within_30_seconds(sqlite: Place) -> None:
    run_id = sqlite.add(200)
    sleeper = sqlite.crew.start(delay_s=0.1)
    other = sqlite.crew.start(delay_s=0.1)
    other.wait_until_ready()
    until(lambda: sqlite.done(run_id) >= 4)
    asleep = run_of(sqlite.database, run_id).worker
    victim = sleeper if asleep and f"/{sleeper.process.pid}/" in asleep else other
    put_to_sleep(sqlite, victim)

    until(lambda: run_of(sqlite.database, run_id).worker not in (asleep, None), within_s=30)
    victim.send(signal.SIGCONT)

    assert ends(sqlite.database, run_id).status == "completed"
    insist_that_nothing_is_lost(sqlite, run_id, 200)
    assert sqlite.crew.calls().total() - 200 <= 1


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
@pytest.mark.parametrize(
    ("claimers", "many"),
    [pytest.param(4, 100, id="4 x 100"), pytest.param(16, 1000, id="16 x 1000", marks=SLOW)],
)
def test_no_run_is_claimed_twice(request: pytest.FixtureRequest, where: str, claimers: int, many: int) -> None:
    place: Place = request.getfixturevalue(where)
    dataset = place.database.write(lambda connection: add_dataset(connection, 1))
    ids = place.database.write(lambda connection: [add_run(connection, dataset) for _ in range(many)])

    def claim(worker: int) -> list[int]:
        own = Database(place.crew.url)
        order = random.Random(worker).sample(ids, len(ids))
        begin = partial(runs.begin, now_s=own.now_s, generation=0, worker=str(worker))
        got = [run_id for run_id in order if own.write(partial(begin, run_id=run_id)) is not None]
        own.close()
        return got

    with ThreadPoolExecutor(claimers) as together:
        claimed = [run_id for got in together.map(claim, range(claimers)) for run_id in got]

    assert sorted(claimed) == ids


def test_a_worker_that_is_asked_to_end_hands_back_what_it_holds(sqlite: Place) -> None:
    run_id = sqlite.add(20, concurrency=2)
    first = sqlite.crew.start(delay_s=1.0)
    until(lambda: sqlite.crew.calls().total() >= 2)
    asked = time.monotonic()

    first.send(signal.SIGTERM)

    assert first.wait(25) == 0
    assert time.monotonic() - asked < 25
    handed = run_of(sqlite.database, run_id)
    assert (handed.status, handed.worker) == ("running", None)
    assert sqlite.done(run_id) == sqlite.crew.calls().total()  # what was under way had its time
    second = sqlite.crew.start()
    second.wait_until_ready()
    until(lambda: run_of(sqlite.database, run_id).worker is not None, within_s=2)
    assert ends(sqlite.database, run_id).status == "completed"
    assert sqlite.crew.calls().total() == 20


def test_a_worker_that_is_asked_twice_ends_at_once(sqlite: Place) -> None:
    run_id = sqlite.add(3)
    worker = sqlite.crew.start(delay_s=60)
    until(lambda: sqlite.crew.calls().total() >= 1)

    worker.send(signal.SIGTERM)
    until(lambda: worker.has_ended(after=signal.SIGTERM), within_s=5)

    assert worker.wait() == 128 + signal.SIGTERM
    assert run_of(sqlite.database, run_id).status == "running"


@pytest.mark.parametrize(
    ("writers", "readers", "seconds"),
    [pytest.param(4, 2, 3, id="4 writers, 3 s"), pytest.param(16, 8, 60, id="16 writers, 60 s", marks=SLOW)],
)
def test_many_writers_and_readers_and_a_run_get_along_on_sqlite(
    tmp_path: Path, writers: int, readers: int, seconds: float
) -> None:
    example, kept = Path(__file__).parents[2] / "examples" / "front_desk", shutil.ignore_patterns(".audition")
    shutil.copytree(example, tmp_path, ignore=kept, dirs_exist_ok=True)
    with (tmp_path / "audition.toml").open("a") as settings:
        settings.write("\n[service]\nrequests_per_minute = 10000000\nmax_cases = 1000000\n")
    with served(tmp_path) as service, ThreadPoolExecutor(writers + readers) as together:
        agent = {"name": "Hours FAQ", "base_system_prompt": "You answer.", "model": "scripted:hours.yaml"}
        assert service.ask("POST", "/api/v1/agents", agent)[0] == 201
        datasets = "/api/v1/agents/1/eval-datasets"
        for number in range(writers + 1):
            assert service.ask("POST", datasets, {"name": f"set {number}"})[0] == 201
        case = {
            "scenario": "A customer asks what your business hours are.",
            "expected_criteria": "States specific opening and closing hours or days of the week.",
        }
        for _ in range(50):
            assert service.ask("POST", f"{datasets}/1/cases", case)[0] == 201
        run = service.ask("POST", f"{datasets}/1/runs", {"candidate_system_prompt": "You answer.", "concurrency": 4})
        assert run[0] == 201
        until_s = time.monotonic() + seconds

        def write(number: int) -> list[int]:
            found = []
            while time.monotonic() < until_s:
                found.append(service.ask("POST", f"{datasets}/{number + 2}/cases", case)[0])
            return found

        def read(_: int) -> list[int]:
            found = []
            while time.monotonic() < until_s:
                found.append(service.ask("GET", f"{datasets}/1/runs/1")[0])
            return found

        reading = [together.submit(read, number) for number in range(readers)]
        written = [one.result() for one in [together.submit(write, number) for number in range(writers)]]
        assert {status for statuses in written for status in statuses} == {201}
        assert {status for one in reading for status in one.result()} == {200}
        ended = until(lambda: ended_run(service.ask("GET", f"{datasets}/1/runs/1")[1]))
        counts = [full_count(service, f"{datasets}/{number + 2}") for number in range(writers)]
        print(f"\n{sum(map(len, written))} written, {sum(len(one.result()) for one in reading)} read")  # noqa: T201
        assert service.end() == 0

    assert counts == [len(statuses) for statuses in written]
    assert (ended["status"], ended["error_message"], len(ended["results"])) == ("completed", None, 50)


def ended_run(run: dict[str, Any]) -> dict[str, Any] | None:
    """Return a run that is at its end."""
    return run if run["status"] in ("completed", "failed") else None


def full_count(service: Served, dataset: str) -> int:
    """Return how many cases a dataset has."""
    return int(service.ask("GET", f"{dataset}?view=full")[1]["case_count"])


def test_a_run_goes_on_when_its_connections_to_the_server_were_cut(postgresql: Place, postgres: str) -> None:
    import psycopg

    run_id = postgresql.add(40, concurrency=4)
    worker = postgresql.crew.start(delay_s=0.1)
    worker.wait_until_ready()
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s"
    for results in (2, 10, 20):
        until(lambda results=results: postgresql.done(run_id) >= results)
        with psycopg.connect(postgres, autocommit=True) as connection:
            connection.execute(cut, [postgresql.database.url.database])

    run = ends(postgresql.database, run_id)

    assert run.status == "completed"
    insist_that_nothing_is_lost(postgresql, run_id, 40)


@pytest.mark.parametrize("times", [pytest.param(4, id="4"), pytest.param(20, id="20", marks=SLOW)])
def test_a_database_whose_making_was_killed_is_made_again(tmp_path: Path, times: int) -> None:
    program = "import sys; from audition.store.service.database import Database; from audition.service.runs import Runs"
    steps = "print('go', flush=True); Runs(Database(sys.argv[1]))"
    chance = random.Random(times)
    for number in range(times):
        url = f"sqlite:///{tmp_path}/{number}.db"
        process = subprocess.Popen([sys.executable, "-c", f"{program}; {steps}", url], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0, 0.4))
        process.kill()
        process.wait()
        process.stdout.close()

        database = Database(url)
        queue = Runs(database)

        assert database.read(runs.held) == []
        queue.close()
        database.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a folder on a disk of 8 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(folder)], capture_output=True)
    if mounted.returncode:
        pytest.skip("needs to mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(file: Path) -> None:
    """Write into a file until the disk is full."""
    with file.open("wb", buffering=0) as opened, suppress(OSError):
        while True:
            opened.write(b"-" * 4096)


def test_a_run_waits_while_the_disk_is_full_and_goes_on_afterwards(
    opened: Callable[[str], Place], small_disk: Path
) -> None:
    place = opened(f"sqlite:///{small_disk}/service.db")
    run_id = place.add(30)
    place.crew.start(delay_s=0.1)
    until(lambda: place.done(run_id) >= 3)
    filler = small_disk / "filler"
    fill(filler)
    with pytest.raises(StoreError, match=r"disk is full|disk reports an error"):
        until(lambda: place.add(500) < 0)
    kept = place.done(run_id)

    filler.unlink()

    run = ends(place.database, run_id)
    assert kept >= 3
    assert run.status == "completed"
    insist_that_nothing_is_lost(place, run_id, 30)
