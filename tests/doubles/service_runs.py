"""Runs and worker processes for the tests of the service."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import insert

from audition.results import CheckResult, TrialResult, Verdict
from audition.store.service import runs
from audition.store.service.database import Connection, Database, utc
from audition.store.service.run_options import RunKind, RunOptions
from audition.store.service.subjects import encode_subject
from audition.store.service.tables import CASE_REVISIONS, CASES, DATASETS
from audition.subjects import Subject

Found = TypeVar("Found")

SUBJECT = Subject(
    family="agents", id=1, name="Desk", instruction="You are the desk.", model="scripted:We open at nine."
)


def until(find: Callable[[], Found], *, within_s: float = 30.0) -> Found:
    """Return what `find` returns as soon as it is true; the one place where tests wait."""
    deadline = time.monotonic() + within_s
    while not (found := find()):
        assert time.monotonic() < deadline, f"nothing within {within_s:g} s"
        time.sleep(0.02)
    return found


def add_dataset(connection: Connection, cases: int) -> int:
    """Keep a dataset with so many cases, and return its id."""
    now = utc()
    row = {"agent_id": 1, "name": "Hours", "version": 1, "created_at": now, "updated_at": now}
    dataset = connection.execute(insert(DATASETS).values(row).returning(DATASETS.c.id)).scalar_one()
    said = json.dumps({"scenario": "When do you open?", "expected_criteria": "names a time"})
    for _ in range(cases):
        case = connection.execute(insert(CASES).values(dataset_id=dataset, created_at=now).returning(CASES.c.id))
        revision = {"case_id": case.scalar_one(), "from_version": 1, "dataset_id": dataset, "document": said}
        connection.execute(insert(CASE_REVISIONS).values(revision))
    return int(dataset)


def add_run(
    connection: Connection,
    dataset_id: int,
    *,
    options: RunOptions = RunOptions(),  # noqa: B008  (frozen)
    cases: int = 1,
    kind: RunKind = "evaluate",
    subject: Subject = SUBJECT,
) -> int:
    """Keep a pending run, and return its id."""
    new = runs.NewRun(
        dataset_id=dataset_id,
        dataset_version=1,
        subject=encode_subject(subject),
        candidate_system_prompt="You are a helpful receptionist.",
        planned=cases * options.trials,
        created_by="editor@example.com",
        options=options,
        kind=kind,
    )
    return runs.create(connection, new)


def passed(case_id: int, number: int = 1) -> TrialResult:
    """Return a result that passed."""
    check = CheckResult(category="criteria", check='"names a time"', verdict=Verdict.PASS, reason="met: it does")
    return TrialResult(eval_name=f"case-{case_id}", verdict=Verdict.PASS, trial=number, checks=(check,))


def run_of(database: Database, run_id: int) -> runs.Run:
    """Return a run as it is now."""
    return database.read(lambda connection: runs.run_at(connection, run_id))


def ends(database: Database, run_id: int, *, within_s: float = 60.0) -> runs.Run:
    """Return a run once it is at its end."""

    def at_its_end() -> runs.Run | None:
        run = run_of(database, run_id)
        return run if run.status in ("completed", "failed") else None

    found = until(at_its_end, within_s=within_s)
    assert found is not None
    return found


class Worker:
    """A worker process of `doubles/service_worker.py`; `log` holds one line for each call of its agent."""

    def __init__(self, url: str, log: Path, *, delay_s: float = 0.0, at_once: int = 4) -> None:
        program = str(Path(__file__).with_name("service_worker.py"))
        self.process = subprocess.Popen(
            [sys.executable, program, url, str(log), str(delay_s), str(at_once)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said: list[str] = []
        self._is_ready = threading.Event()
        self._readers = [threading.Thread(target=self._read_out), threading.Thread(target=self._read_errors)]
        for reader in self._readers:
            reader.start()

    def wait_until_ready(self, within_s: float = 30.0) -> None:
        """Return once it carries out runs."""
        assert self._is_ready.wait(within_s), self.said

    def kill(self) -> None:
        """Kill it, as a machine would that breaks down."""
        self.send(signal.SIGKILL)
        self.wait()

    def send(self, number: int) -> None:
        """Send it a signal."""
        self.process.send_signal(number)

    def has_ended(self, *, after: int) -> bool:
        """Say whether it has ended, and send it a signal once more when it has not."""
        if self.process.poll() is None:
            self.send(after)
        return self.process.poll() is not None

    def wait(self, within_s: float = 30.0) -> int:
        """Return its exit code once it has ended."""
        code = self.process.wait(within_s)
        for reader in self._readers:
            reader.join()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()
        return code

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line == "ready\n":
                self._is_ready.set()

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        self.said += list(self.process.stderr)


class Crew:
    """Worker processes on one database, which are gone at the end of the test."""

    def __init__(self, url: str, log: Path) -> None:
        self.url, self.log = url, log
        self._workers: list[Worker] = []

    def start(self, *, delay_s: float = 0.0, at_once: int = 4) -> Worker:
        """Start one more."""
        worker = Worker(self.url, self.log, delay_s=delay_s, at_once=at_once)
        self._workers.append(worker)
        return worker

    def calls(self) -> Counter[tuple[int, int, int]]:
        """Return how often the agent was called, by run, case and trial."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return Counter(tuple(map(int, line.split()[:3])) for line in lines)  # type: ignore[misc]  # three of them

    def end(self) -> None:
        """End those that still run."""
        for worker in self._workers:
            if worker.process.poll() is None:
                os.kill(worker.process.pid, signal.SIGCONT)
                worker.kill()


@contextmanager
def crew(url: str, folder: Path) -> Iterator[Crew]:
    """Return a crew without workers."""
    made = Crew(url, folder / "calls.log")
    try:
        yield made
    finally:
        made.end()


class Served:
    """`audition serve` in a folder, on a port of its own; `token` is the owner's."""

    def __init__(self, folder: Path, *options: str) -> None:
        owner = {"AUDITION_OWNER_EMAIL": "owner@example.com", "AUDITION_OWNER_PASSWORD": "a long secret"}
        with (folder / "serve.log").open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "audition", "serve", "--port", "0", *options],
                cwd=folder,
                env=os.environ | owner,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.startswith("audition serves http://"), (folder / "serve.log").read_text()
        self.port = int(said.split(",")[0].rpartition(":")[2])
        login = {"email": "owner@example.com", "password": "a long secret"}
        self.token = ""
        self.token = self.ask("POST", "/api/v1/auth/login", login)[1]["token"]

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        """Return the status and the body of an answer."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"null")
        finally:
            connection.close()

    def end(self) -> int:
        """Ask it to end, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@contextmanager
def served(folder: Path, *options: str) -> Iterator[Served]:
    """Return a service that is gone at the end."""
    one = Served(folder, *options)
    try:
        yield one
    finally:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        if one.process.stdout is not None:
            one.process.stdout.close()
