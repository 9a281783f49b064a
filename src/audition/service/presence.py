"""A worker among others: it says that it lives, from a thread of its own, and tells who else does."""

import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from audition.errors import StoreError
from audition.store.service import workers
from audition.store.service.database import Database
from audition.store.service.workers import BEAT_S, DEAD_S, Seen, Worker

_SURE_S = BEAT_S + 1.0
"""A heartbeat must have stayed the same for so long before the database's clock is believed: it may have jumped."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Others:
    """Who lives, and by which heartbeat workers were found dead that had only fallen silent."""

    alive: frozenset[str]
    silent: Mapping[str, float]


class Presence:
    """One worker process. `worker` is new each time a process starts, so nobody takes it for an earlier one."""

    def __init__(self, database: Database, *, version: str) -> None:
        host = host_identity()
        name = f"{host}/{os.getpid()}/{secrets.token_hex(4)}"
        self.worker = Worker(id=name, host=host, pid=os.getpid(), version=version)
        self._database = database
        self._ends = threading.Event()
        self._watching = Watching(self.worker)
        self._thread = threading.Thread(target=self._beat_on, name="audition-heartbeat", daemon=True)

    def beat(self) -> None:
        """Say that this worker lives."""
        database = self._database
        database.write(lambda connection: workers.beat(connection, database.insert, database.now_s, self.worker))

    def begin(self) -> None:
        """Go on saying so, in a thread: neither an event loop nor a slow pattern delays it."""
        self._thread.start()

    def look(self) -> Others:
        """Return who lives."""
        found = self._database.read(lambda connection: workers.everyone(connection, self._database.now_s))
        return self._watching.judge(found)

    def end(self) -> None:
        """Say that this worker has stopped."""
        self._ends.set()
        if self._thread.is_alive():
            self._thread.join()
        self._database.write(lambda connection: workers.stop(connection, self.worker.id))

    def _beat_on(self) -> None:
        while not self._ends.wait(BEAT_S):
            try:
                self.beat()
            except StoreError as error:
                _log.warning("no heartbeat could be given: %s", error)


class Watching:
    """What one worker has seen of the heartbeats of others, timed by a clock that never jumps."""

    def __init__(
        self,
        me: Worker,
        *,
        clock: Callable[[], float] = time.monotonic,
        is_gone: Callable[[int], bool] | None = None,
    ) -> None:
        self._me, self._clock, self._is_gone = me, clock, is_gone or process_is_gone
        self._since: dict[str, tuple[float, float]] = {}

    def judge(self, found: Iterable[Seen]) -> Others:
        """Return who lives.

        Dead is who has stopped; whose process on this machine is gone; and who was silent for too long, by this
        worker's clock, or by the database's once it is sure that it did not jump.
        """
        now = self._clock()
        before, self._since = self._since, {}
        alive, silent = {self._me.id}, {}
        for one in found:
            name = one.worker.id
            beaten = before.get(name)
            self._since[name] = beaten if beaten and beaten[0] == one.heartbeat_s else (one.heartbeat_s, now)
            if name == self._me.id or one.has_stopped or self._has_died_here(one.worker):
                continue
            unchanged_s = now - self._since[name][1]
            if unchanged_s >= DEAD_S or (one.silent_s > DEAD_S and unchanged_s >= _SURE_S):
                silent[name] = one.heartbeat_s
            else:
                alive.add(name)
        return Others(frozenset(alive), silent)

    def _has_died_here(self, worker: Worker) -> bool:
        return worker.host == self._me.host and self._is_gone(worker.pid)


def host_identity() -> str:
    """Return where process ids mean the same: this machine since its start, and the container; elsewhere the host."""
    parts = [socket.gethostname()]
    boot, processes = Path("/proc/sys/kernel/random/boot_id"), Path("/proc/self/ns/pid")
    if boot.exists() and processes.is_symlink():
        parts += [boot.read_text(encoding="ascii").strip()[:8], str(processes.readlink()).strip("pid:[]")]
    return "-".join(parts)


def process_is_gone(pid: int) -> bool:
    """Say whether no process of that number runs on this machine; one that ended and was not yet missed is gone."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return False
    return state in ("Z", "X")
