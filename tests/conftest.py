"""What all tests share."""

import os
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio alone: it is what audition runs on."""
    return "asyncio"


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Return a function that compares a text with `tests/golden/<name>`; AUDITION_BLESS=1 writes the file instead."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / name
        if os.environ.get("AUDITION_BLESS") == "1":
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"{path} is missing: run make bless, and read what it wrote"
        assert text == path.read_text(encoding="utf-8")

    return compare


def free_port() -> int:
    """Return a port of the loopback that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def as_postgres(*command: str) -> None:
    """Run a command of PostgreSQL, which refuses to work for root."""
    user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", **user)


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Return the URL of a PostgreSQL server of our own that lives as long as the tests do."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs or find_spec("psycopg") is None:
        pytest.skip("needs PostgreSQL's initdb and the package psycopg")
    folder, port = programs[-1].parent, free_port()
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="audition-pg-", ignore_cleanup_errors=True) as place:
        if os.geteuid() == 0:
            subprocess.run(["chown", "postgres:postgres", place], check=True)
        data = f"{place}/data"
        as_postgres(str(folder / "initdb"), "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -k {place} -c listen_addresses=127.0.0.1 -c fsync=off"
        as_postgres(str(folder / "pg_ctl"), "-D", data, "-w", "-o", options, "-l", f"{place}/log", "start")
        yield f"postgresql://tester@127.0.0.1:{port}/postgres"
        as_postgres(str(folder / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
