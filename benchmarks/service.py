"""The service: reading a run beside a bare FastAPI handler, what it adds to a case, what a second worker brings."""

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.measure import HERE, PYTHON, Figure, NotRun, Size

_OWNER = {"AUDITION_OWNER_EMAIL": "owner@example.com", "AUDITION_OWNER_PASSWORD": "correct-horse-battery"}
_SETTINGS = '[judge]\nmodel = "scripted:judge.yaml"\n[service]\nrequests_per_minute = 10000000\nruns_at_once = 4\n'
_JUDGE = """
answers:
  - system: You split criteria into clauses
    reply: { clauses: [{ text: Offers help., type: coverage }] }
otherwise:
  reply:
    evidence: [{ source: R1, quote: help }]
    reasoning: It offers its help.
    call: none
    faithful: none
    status: met
"""
_SUBJECT = "otherwise: {{ reply: 'Hello, how can I help you?', delayMs: {delay} }}\n"
_LIMIT_S = 600.0
_CONNECTIONS = 8
_SLOW_RUNS = 16


def figures(size: Size) -> Iterator[Figure]:
    """Yield requests, overhead and workers, each beside what it is compared with."""
    yield from _reading(size)
    for name, where in (("SQLite", None), *_postgres()):
        yield from _overhead(size, name, where)
    yield from _workers(size)


@dataclass(frozen=True, slots=True)
class _Api:
    """A service that is running, and a token of its owner."""

    url: str
    token: str = ""

    def call(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Return what an endpoint answers."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", data, method=method, headers=self._headers(headers)
        )
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.loads(response.read() or b"null")

    def raw(self, path: str) -> bytes:
        """Return the bytes of an answer."""
        request = urllib.request.Request(f"{self.url}/api/v1{path}", headers=self._headers({}))
        with urllib.request.urlopen(request, timeout=60) as response:
            body: bytes = response.read()
        return body

    def _headers(self, more: dict[str, str]) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json", **more}


@contextmanager
def _serving(folder: Path, *arguments: str) -> Iterator[_Api]:
    """Yield a service with a fresh database in a folder."""
    with _process(folder, "serve", "--port", "0", *arguments) as process:
        assert process.stdout is not None
        found = re.search(r"http://[\w.:]+", process.stdout.readline())
        if found is None:
            raise NotRun("`audition serve` did not start")
        login = {"email": _OWNER["AUDITION_OWNER_EMAIL"], "password": _OWNER["AUDITION_OWNER_PASSWORD"]}
        yield _Api(found[0], _Api(found[0]).call("POST", "/auth/login", login)["token"])


@contextmanager
def _process(folder: Path, command: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AUDITION_")} | _OWNER
    asked = [sys.executable, "-m", "audition", command, *arguments]
    with subprocess.Popen(
        asked, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=40)


@contextmanager
def _project(delay_ms: int = 0) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "scripts").mkdir()
        (folder / "audition.toml").write_text(_SETTINGS, encoding="utf-8")
        (folder / "scripts" / "judge.yaml").write_text(_JUDGE, encoding="utf-8")
        (folder / "scripts" / "subject.yaml").write_text(_SUBJECT.format(delay=delay_ms), encoding="utf-8")
        yield folder


def _dataset(api: _Api, cases: int) -> str:
    """Return the path of a new dataset with so many cases."""
    agent = {"name": "Desk", "base_system_prompt": "Help.", "model": "scripted:subject.yaml"}
    subject = f"/agents/{api.call('POST', '/agents', agent)['id']}/eval-datasets"
    path = f"{subject}/{api.call('POST', subject, {'name': 'Greetings'})['id']}"
    for start in range(0, cases, 500):
        rows = [
            {"scenario": f"Greeting number {number}.", "expected_criteria": "Offers help."}
            for number in range(start, min(start + 500, cases))
        ]
        api.call("POST", f"{path}/cases/batch", {"cases": rows})
    return path


def _run(api: _Api, dataset: str, **options: object) -> str:
    """Return the path of a new run."""
    run = api.call("POST", f"{dataset}/runs", {"candidate_system_prompt": "Offer help.", **options})
    return f"{dataset}/runs/{run['id']}"


def _ended(api: _Api, dataset: str) -> None:
    """Wait until all runs of a dataset are completed."""
    deadline = time.monotonic() + _LIMIT_S
    while time.monotonic() < deadline:
        states = {run["status"] for run in api.call("GET", f"{dataset}/runs")}
        if states == {"completed"}:
            return
        if "failed" in states:
            raise NotRun(f"a run failed: {api.call('GET', f'{dataset}/runs')}")
        time.sleep(0.1)
    raise NotRun(f"the runs did not end within {_LIMIT_S:g} s")


def _reading(size: Size) -> Iterator[Figure]:
    requests = size.rapid * 2
    with _project() as folder, ExitStack() as stack:
        api = stack.enter_context(_serving(folder))
        dataset = _dataset(api, 50)
        path = _run(api, dataset, concurrency=8)
        _ended(api, dataset)
        body = folder / "body.json"
        body.write_bytes(api.raw(path))
        bare = stack.enter_context(
            subprocess.Popen([PYTHON, str(HERE / "bare_api.py"), str(body)], stdout=subprocess.PIPE, text=True)
        )
        stack.callback(bare.terminate)
        assert bare.stdout is not None
        bare_url = f"http://127.0.0.1:{int(bare.stdout.readline())}"
        own, plain = [], []
        for _ in range(size.rounds):
            plain.append(_loaded(bare_url, f"/api/v1{path}", "", requests))
            own.append(_loaded(api.url, f"/api/v1{path}", api.token, requests))
    name = "GET a run with 50 results, wall of a request"
    per = 1000 / requests
    yield Figure(
        name=name, value=min(own) * per, unit="ms", plain=min(plain) * per, goal=1 / 0.6, goal_is_ratio=True,
        note=f"{requests / min(own):,.0f} a second, bare {requests / min(plain):,.0f}",
    )  # fmt: skip


def _loaded(url: str, path: str, token: str, requests: int) -> float:
    """Return how long so many requests take over a few connections that are kept, seconds."""
    begun = time.perf_counter()
    asyncio.run(_load(url, path, token, requests))
    return time.perf_counter() - begun


async def _load(url: str, path: str, token: str, requests: int) -> None:
    host, _, port = url.removeprefix("http://").partition(":")
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n\r\n".encode()

    async def connection(count: int) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        for _ in range(count):
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise NotRun(f"answered {head[:60]!r}")
            length = re.search(rb"(?i)content-length: (\d+)", head)
            assert length is not None
            await reader.readexactly(int(length[1]))
        writer.close()

    await asyncio.gather(*(connection(requests // _CONNECTIONS) for _ in range(_CONNECTIONS)))


def _overhead(size: Size, name: str, where: str | None) -> Iterator[Figure]:
    cases = size.rapid
    with _project() as folder, ExitStack() as stack:
        database = () if where is None else ("--database", stack.enter_context(_cluster(where)))
        api = stack.enter_context(_serving(folder, *database))
        for at_once in (1, 16):
            dataset = _dataset(api, cases)
            begun = time.perf_counter()
            _run(api, dataset, concurrency=at_once)
            _ended(api, dataset)
            taken_s = time.perf_counter() - begun
            yield Figure(
                name=f"{name}, {cases:,} scripted cases, {at_once} at once, wall of a case",
                value=taken_s / cases * 1000,
                unit="ms",
                goal=20,
            )


def _workers(size: Size) -> Iterator[Figure]:
    cases, taken = max(2, size.calls // 20), {}
    for count in (1, 2):
        with _project(size.delay_ms) as folder, ExitStack() as stack:
            api = stack.enter_context(_serving(folder, "--no-worker"))
            for _ in range(count):
                stack.enter_context(_process(folder, "worker"))
            warm = _dataset(api, 1)
            for _ in range(_SLOW_RUNS // 2):  # a worker that is still starting would count as a slow one
                _run(api, warm)
            _ended(api, warm)
            dataset = _dataset(api, cases)
            begun = time.perf_counter()
            for _ in range(_SLOW_RUNS):
                _run(api, dataset)
            _ended(api, dataset)
            taken[count] = time.perf_counter() - begun
    yield Figure(
        name=f"{_SLOW_RUNS} runs of {cases} cases of {size.delay_ms} ms, two workers for one's wall",
        value=taken[2], unit="s", plain=taken[1], goal=1 / 1.8, goal_is_ratio=True,
        note=f"{taken[1] / taken[2]:.2f} times as fast",
    )  # fmt: skip


def _postgres() -> Sequence[tuple[str, str]]:
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return [("PostgreSQL", str(programs[-1]))] if programs and find_spec("psycopg") else []


@contextmanager
def _cluster(programs: str) -> Iterator[str]:
    """Yield the URL of a PostgreSQL server that lives as long as the block."""
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}

    def call(*command: str) -> None:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **user)

    with tempfile.TemporaryDirectory(dir="/tmp", prefix="audition-pg-", ignore_cleanup_errors=True) as place:
        if user:
            subprocess.run(["chown", "postgres:postgres", place], check=True)
        port = _free_port()
        options = f"-p {port} -k {place} -c listen_addresses=127.0.0.1"
        call(f"{programs}/initdb", "-D", f"{place}/data", "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-sync")
        call(f"{programs}/pg_ctl", "-D", f"{place}/data", "-w", "-o", options, "-l", f"{place}/log", "start")
        try:
            yield f"postgresql://bench@127.0.0.1:{port}/postgres"
        finally:
            call(f"{programs}/pg_ctl", "-D", f"{place}/data", "-m", "immediate", "stop")


def _free_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port
