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
from collections.abc import Iterator
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
    for part in PARTS.values():
        yield from part(size)


@dataclass(frozen=True, slots=True)
class _Api:
    """A service that is running, its process, and a token of its owner."""

    url: str
    pid: int
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
        yield _Api(found[0], process.pid, _Api(found[0], process.pid).call("POST", "/auth/login", login)["token"])


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
            plain.append(_loaded(_Api(bare_url, bare.pid), path, requests))
            own.append(_loaded(api, path, requests))
    for what, of_own, of_plain in zip(("wall", "CPU"), zip(*own, strict=True), zip(*plain, strict=True), strict=True):
        if min(of_plain) > 0:
            yield Figure(
                name=f"GET a run with 50 results, {what} of a request", value=min(of_own) / requests * 1000, unit="ms",
                plain=min(of_plain) / requests * 1000, goal=1 / 0.6, goal_is_ratio=True,
                note=f"{requests / min(of_own):,.0f} a second, bare {requests / min(of_plain):,.0f}",
            )  # fmt: skip


def _loaded(api: _Api, path: str, requests: int) -> tuple[float, float]:
    """Return what so many requests take over a few connections that are kept: seconds, and the server's CPU seconds."""
    begun, cpu_s = time.perf_counter(), _cpu_s(api.pid)
    asyncio.run(_load(api.url, f"/api/v1{path}", api.token, requests))
    return time.perf_counter() - begun, _cpu_s(api.pid) - cpu_s


def _cpu_s(pid: int) -> float:
    """Return the CPU seconds that a running process has taken, 0 where that is not told. Source: proc(5)."""
    told = Path(f"/proc/{pid}/stat")
    if not told.exists():
        return 0.0
    user, system = told.read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


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
            begun, cpu_s = time.perf_counter(), _cpu_s(api.pid)
            _run(api, dataset, concurrency=at_once)
            _ended(api, dataset)
            taken_s, cpu_s = time.perf_counter() - begun, _cpu_s(api.pid) - cpu_s
            yield Figure(
                name=f"{name}, {cases:,} scripted cases, {at_once} at once, wall of a case",
                value=taken_s / cases * 1000,
                unit="ms",
                goal=20,
                note=f"{cpu_s / cases * 1000:.1f} ms CPU",
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


def _on_sqlite(size: Size) -> Iterator[Figure]:
    return _overhead(size, "SQLite", None)


def _on_postgres(size: Size) -> Iterator[Figure]:
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return _overhead(size, "PostgreSQL", str(programs[-1])) if programs and find_spec("psycopg") else iter(())


PARTS = {"reading": _reading, "sqlite": _on_sqlite, "postgresql": _on_postgres, "workers": _workers}
"""What can be measured by itself, in the order of all of it."""


@contextmanager
def _cluster(programs: str) -> Iterator[str]:
    """Yield the URL of a PostgreSQL server that lives as long as the block."""
    user: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}

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
