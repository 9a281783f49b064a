"""The processes of the service: a worker alone, or the API, with a worker beside it or without."""

import os
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from audition.errors import SettingsError
from audition.settings import PROVIDERS, Settings
from audition.store.service.database import Database

if TYPE_CHECKING:
    from fastapi import FastAPI

    from audition.service.runs import DurableRuns, Runs

_LAST_ANSWERS_S = 10
"""How long requests under way may go on when the process is to end, whole seconds."""


def open_database(settings: Settings, place: str | None = None) -> Database:
    """Return the service's database: where settings say, or at another place, a file or a URL.

    Raises: StoreError when it cannot be opened.
    """
    named = place or settings.service.database
    return Database(named if "://" in named else f"sqlite:///{settings.root / named}")


def open_worker(settings: Settings, database: Database) -> "DurableRuns":
    """Return a worker for a project's runs, which is not launched yet."""
    from audition.service.performing import opener  # google-adk takes a second, and an API alone needs none
    from audition.service.runs import DurableRuns

    return DurableRuns(database, opener(settings), at_once=settings.service.runs_at_once)


def open_api(settings: Settings, database: Database, queue: "Runs") -> "FastAPI":
    """Return the application that answers requests and puts runs into a queue."""
    from audition.service.app import create_app
    from audition.service.context import Service

    return create_app(Service(database=database, settings=settings, runs=queue))


def open_queue(database: Database) -> "Runs":
    """Return the queue of runs alone, for a process that carries out none."""
    from audition.service.runs import Runs

    return Runs(database)


def missing_in(settings: Settings) -> list[str]:
    """Return what runs may want and settings do not have, in sentences."""
    missing = []
    known = {*PROVIDERS, "scripted"}
    if not any(one.api_key or name not in known for name, one in settings.providers.items()):
        missing.append(
            "no provider of language models has a key: only models such as scripted:TEXT can be used; "
            "set OPENAI_API_KEY, or [providers.NAME] in audition.toml"
        )
    if settings.judge_model is None:
        missing.append("no judge is configured: runs fail that name none; set [judge] model in audition.toml")
    return missing


def work(durable: "DurableRuns", *, ready: Callable[[], object] = lambda: None) -> None:
    """Carry out runs until the process is told to end (SIGTERM, Ctrl-C); told again, it ends at once."""
    ending = _Ending()
    durable.launch()
    ready()
    ending.wait()
    durable.drain()
    durable.close()


def serve(
    app: Any, queue: "Runs", durable: "DurableRuns | None", *, host: str, port: int, ready: Callable[[str], None]
) -> None:
    """Answer requests, and carry out runs beside that, until the process is told to end.

    `queue` is what the app puts runs into, `durable` the worker, None for none. `ready` is told the URL. Port 0: any.

    Raises: SettingsError when the address cannot be used.
    """
    try:
        listening = socket.create_server((host, port), backlog=2048)
    except OSError as error:
        hint = "choose another: audition serve --host 127.0.0.1 --port 8080"
        raise SettingsError(f"nobody can listen on {host}:{port}: {error.strerror}", key="port", hint=hint) from error
    # An answer leaves in two parts; without this the second one waits 40 ms for the client to confirm the first.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with listening:
        ending = _Ending()
        server = uvicorn.Server(
            uvicorn.Config(app, log_config=None, access_log=False, timeout_graceful_shutdown=_LAST_ANSWERS_S)
        )

        def answer() -> None:  # not in the main thread, so that signals are ours
            try:
                server.run(sockets=[listening])
            finally:
                ending.ask()

        answering = threading.Thread(target=answer, name="audition-api")
        if durable is not None:
            durable.launch()
        answering.start()
        ready(f"http://{_shown_host(host)}:{listening.getsockname()[1]}")
        ending.wait()
        server.should_exit = True
        if durable is not None:
            durable.drain()
        answering.join()
    queue.close()


class _Ending:
    """Waits until the process is told to end; from the second time on, it ends there and then."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)

    def ask(self) -> None:
        """End the process in good order."""
        self._asked.set()

    def wait(self) -> None:
        """Return when the process is to end."""
        self._asked.wait()

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self._asked.is_set():
            os._exit(128 + number)
        self._asked.set()


def _shown_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host
