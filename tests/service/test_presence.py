"""Who lives, told by heartbeats, processes and clocks that may jump."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from audition.service.presence import Presence, Watching, host_identity, process_is_gone
from audition.store.service.database import Database
from audition.store.service.workers import Seen, Worker

ME = Worker(id="me", host="here", pid=1, version="audition-1")


class Clock:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def seen(heartbeat_s: float, *, silent_s: float = 0.0, host: str = "there", has_stopped: bool = False) -> Seen:
    """Return another worker as it was found."""
    worker = Worker(id="other", host=host, pid=4711, version="audition-1")
    return Seen(worker=worker, heartbeat_s=heartbeat_s, silent_s=silent_s, has_stopped=has_stopped)


@pytest.fixture
def clock() -> Clock:
    """Return a clock that is put forward by hand."""
    return Clock()


@pytest.fixture
def watching(clock: Clock) -> Watching:
    """Return what one worker sees of others; on this host no process but its own is left."""
    return Watching(ME, clock=clock, is_gone=lambda pid: True)


def test_a_worker_that_beats_lives(watching: Watching, clock: Clock) -> None:
    for _ in range(10):
        clock.now += 5
        others = watching.judge([seen(clock.now)])

    assert others.alive == {"me", "other"}


def test_a_worker_lives_for_itself_whatever_the_table_says(watching: Watching) -> None:
    mine = Seen(worker=ME, heartbeat_s=0, silent_s=1000, has_stopped=True)

    assert watching.judge([mine]).alive == {"me"}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(seen(1, has_stopped=True), id="it has stopped"),
        pytest.param(seen(1, host="here"), id="its process is gone"),
    ],
)
def test_a_worker_that_is_certainly_gone_is_dead_at_once(watching: Watching, other: Seen) -> None:
    others = watching.judge([other])

    assert (others.alive, others.silent) == ({"me"}, {})


def test_a_worker_on_another_machine_is_not_dead_for_the_number_of_its_process(watching: Watching) -> None:
    assert "other" in watching.judge([seen(1, host="there")]).alive


def test_a_worker_that_was_silent_for_15_seconds_is_dead_and_it_is_known_since_when(
    watching: Watching, clock: Clock
) -> None:
    watching.judge([seen(7.0)])
    clock.now += 16

    others = watching.judge([seen(7.0, silent_s=16)])

    assert (others.alive, others.silent) == ({"me"}, {"other": 7.0})


def test_a_clock_of_the_database_that_jumps_forward_kills_nobody(watching: Watching, clock: Clock) -> None:
    watching.judge([seen(7.0, silent_s=2)])
    clock.now += 3

    others = watching.judge([seen(7.0, silent_s=605)])

    assert "other" in others.alive


def test_a_clock_of_the_database_that_jumps_back_keeps_nobody_alive(watching: Watching, clock: Clock) -> None:
    watching.judge([seen(7.0, silent_s=2)])
    clock.now += 16

    others = watching.judge([seen(7.0, silent_s=-580)])

    assert others.silent == {"other": 7.0}


def test_a_worker_found_silent_at_first_sight_is_given_the_time_of_one_heartbeat(
    watching: Watching, clock: Clock
) -> None:
    first = watching.judge([seen(7.0, silent_s=60)])
    clock.now += 6.5
    second = watching.judge([seen(7.0, silent_s=66.5)])

    assert "other" in first.alive
    assert second.silent == {"other": 7.0}


def test_a_process_that_runs_is_not_gone() -> None:
    assert not process_is_gone(os.getpid())


def test_a_process_that_has_ended_is_gone() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()

    assert process_is_gone(process.pid)


def test_two_processes_on_one_machine_have_one_host() -> None:
    program = "from audition.service.presence import host_identity; print(host_identity())"

    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert told.stdout.strip() == host_identity()


def test_a_worker_says_that_it_lives_and_that_it_has_stopped(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/service.db")
    one, other = (Presence(database, version="audition-1") for _ in range(2))
    one.beat()
    other.beat()
    before = one.look().alive

    other.end()

    assert before == {one.worker.id, other.worker.id}
    assert one.look().alive == {one.worker.id}
    database.close()
