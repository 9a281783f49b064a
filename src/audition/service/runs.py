"""Durable runs: what is queued is begun, what a dead worker held is taken over. The only file that knows DBOS.

Our rows carry the truth, DBOS carries ids and the queue. A run that is begun anew has a new generation, and with it a
new workflow: no workflow is ever replayed. Source: dependencies, section 1.
"""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Collection, Sequence
from contextvars import Context
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID, WorkflowStatus

from audition.errors import AuditionError, Conflict, NotFound, StoreError
from audition.service.conducting import Conducting, Performance, Stop, lasting
from audition.service.presence import Presence
from audition.store.service import runs, workers
from audition.store.service.database import Connection, Database
from audition.store.service.migrations import VERSION
from audition.text import without_credentials
from audition.wire import storable

QUEUE = "runs"
POLLING_S = 0.2
SWEEP_S = 3.0
"""How often a worker looks for runs of dead workers, seconds."""

YOUNG_S = 30.0
"""A run that nobody holds and nobody queued is left alone for so long, seconds: somebody may be about to."""

DRAIN_S = 22
"""How long a worker that is to end waits for its runs, whole seconds."""

_OPENINGS = 30
"""How often it is tried to open a run whose database cannot be used; a row that is damaged stays so."""

_OPEN_AGAIN_S = 2.0

_APPLICATION = "audition"
_VERSION = f"audition-{VERSION}"
_RUN, _CASE = "audition.run", "audition.case"
_TIDY_EVERY = 200
_PAGE = 500

_log = logging.getLogger(__name__)

Open = Callable[[Database, runs.Begun], Performance]
"""Makes what a run is carried out with. Raises: AuditionError when the run cannot be carried out."""


class Runs:
    """The queue of runs, for processes that put runs into it. Safe to use from several threads."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._url = database.url.render_as_string(hide_password=False)
        _quiet()
        DBOS.migrate(self._url)
        self._client = DBOSClient(
            system_database_url=self._url,
            serializer=DBOSPortableJSONSerializer(),
            application_name=_APPLICATION,
            lazy=True,
            retry_connection_errors=False,
        )

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Have a worker begin a pending run, if and when the transaction is committed."""
        self._enqueue(connection, run_id, runs.generation_of(connection, run_id))

    def close(self) -> None:
        """Close all connections."""
        self._client.destroy()

    def _enqueue(self, connection: Connection, run_id: int, generation: int) -> None:
        self._client.enqueue_in_transaction(
            connection,
            {
                "queue_name": QUEUE,
                "workflow_name": _RUN,
                "workflow_id": _workflow_id(run_id, generation),
                "app_version": _VERSION,
            },
            run_id,
            generation,
        )


class DurableRuns(Runs):
    """The queue, and a worker that carries out what is in it. A process has one at most.

    `open_run` makes what a run is carried out with; `at_once` runs are carried out side by side.
    """

    def __init__(self, database: Database, open_run: Open, *, at_once: int) -> None:
        super().__init__(database)
        self._open, self._at_once = open_run, at_once
        self.presence = Presence(database, version=_VERSION)
        self._is_draining = threading.Event()
        self._held: dict[tuple[int, int], Conducting] = {}
        self._begun: set[int] = set()
        self._reaper = threading.Thread(target=self._look_after, name="audition-reaper", daemon=True)
        self._passes = 0

    def launch(self) -> None:
        """Begin to carry out runs, and to look after those of dead workers."""
        self.presence.beat()
        config = DBOSConfig(
            name=_APPLICATION,
            system_database_url=self._url,
            executor_id=self.presence.worker.id,
            application_version=_VERSION,
            serializer=DBOSPortableJSONSerializer(),
            log_level="WARNING",
            enable_otlp=False,
            use_listen_notify=False,
            notification_listener_polling_interval_sec=1.0,
        )
        if self._database.is_sqlite:
            config["db_engine_kwargs"] = {"connect_args": {"factory": _Connection, "timeout": 60.0}}
        else:
            config["db_engine_kwargs"] = {"connect_args": {"options": _hasty(self._database)}}
        DBOS(config=config)
        self._carry_run, self._carry_case = self._workflows()
        DBOS.launch()
        DBOS.register_queue(QUEUE, worker_concurrency=self._at_once, polling_interval_sec=POLLING_S)
        self.presence.begin()
        self._reaper.start()

    @property
    def me(self) -> str:
        """Return the id of this worker."""
        return self.presence.worker.id

    def drain(self) -> None:
        """Begin nothing more, give what is under way some time, and hand the rest back. Then `close` is left."""
        self._is_draining.set()
        for conducting in list(self._held.values()):
            conducting.stop_soon("draining")
        DBOS.destroy(destroy_registry=True, workflow_completion_timeout_sec=DRAIN_S)
        if self._reaper.is_alive():
            self._reaper.join()
        self.presence.end()
        for one in self._database.read(runs.held):
            if one.worker == self.me:
                self._database.write(partial(self._taken, one=one))
        waiting = self._database.read(partial(runs.waiting, now_s=self._database.now_s, young_s=YOUNG_S))
        self._renew(waiting, self.presence.look().alive - {self.me})

    def _workflows(self) -> tuple[Any, Any]:
        """Register what DBOS calls: a run, and a trial of one."""

        @DBOS.workflow(name=_RUN)
        async def carry_run(run_id: int, generation: int) -> str:
            return await self._carried(run_id, generation)

        @DBOS.workflow(name=_CASE)
        async def carry_case(run_id: int, generation: int, case_id: int, number: int) -> None:
            held = self._held.get((run_id, generation))
            if held is not None:
                await held.one(case_id, number)

        return carry_run, carry_case

    async def _carried(self, run_id: int, generation: int) -> str:
        """Carry out a run that was queued, and say how that ended."""
        if self._is_draining.is_set():
            return "draining"
        self._begun.add(run_id)
        try:
            begin = partial(
                runs.begin, now_s=self._database.now_s, run_id=run_id, generation=generation, worker=self.me
            )
            begun = await lasting(self._database.write, begin)
            return "not to be had" if begun is None else await self._conducted(begun, generation)
        finally:
            self._begun.discard(run_id)

    async def _conducted(self, begun: runs.Begun, generation: int) -> str:
        try:
            performance = await self._opened(begun)
            stopped = await self._performed(begun, generation, performance)
        except AuditionError as error:
            return await self._failed(begun, f"{error.message}; {error.hint}" if error.hint else error.message)
        except Exception as fault:  # whatever it is, the run must not stay as if somebody were at it
            _log.exception("run %d broke", begun.claim.run_id)
            return await self._failed(begun, f"audition made a mistake: {type(fault).__name__}: {fault}")
        if stopped in ("draining", "broken"):
            held = runs.Holding(begun.claim.run_id, begun.claim.generation, self.me)
            await lasting(self._database.write, partial(self._taken, one=held))
        return stopped or "completed"

    async def _opened(self, begun: runs.Begun) -> Performance:
        """Return what a run is carried out with, once the database gives it; a cut connection is no fault of the run.

        Raises: AuditionError.
        """
        for _ in range(_OPENINGS):
            try:
                return await asyncio.to_thread(self._open, self._database, begun)
            except (NotFound, Conflict):
                raise
            except StoreError as error:
                _log.error("run %d waits: %s", begun.claim.run_id, error)
            await asyncio.sleep(_OPEN_AGAIN_S)
        return await asyncio.to_thread(self._open, self._database, begun)

    async def _performed(self, begun: runs.Begun, generation: int, performance: Performance) -> Stop | None:
        """Carry out the trials of a run, each as a workflow; return the stop that kept it from its end."""
        run_id = begun.claim.run_id
        conducting = self._held[run_id, generation] = Conducting(self._database, begun, performance)
        if self._is_draining.is_set():
            conducting.stop("draining")

        async def start_child(case_id: int, number: int) -> None:
            # Outside of the run's own context: DBOS would note each child as a step, for a replay that never comes.
            apart = asyncio.create_task(self._case(run_id, generation, case_id, number), context=Context())
            await apart

        try:
            return await conducting.to_the_end(start_child)
        finally:
            del self._held[run_id, generation]

    async def _failed(self, begun: runs.Begun, why: str) -> str:
        told = storable(without_credentials(why))
        await lasting(self._database.write, partial(runs.finish, claim=begun.claim, error=told))
        return "failed"

    async def _case(self, run_id: int, generation: int, case_id: int, number: int) -> None:
        with SetWorkflowID(f"{_workflow_id(run_id, generation)}:{case_id}:{number}"):
            child = await DBOS.start_workflow_async(self._carry_case, run_id, generation, case_id, number)
        await child.get_result()

    def _look_after(self) -> None:
        while True:
            try:
                self._sweep()
            except StoreError as error:
                _log.warning("runs of dead workers cannot be looked for: %s", error)
            except Exception:  # the database seen through DBOS: whatever it is, the next pass tries again
                _log.exception("runs of dead workers cannot be looked for")
            if self._is_draining.wait(SWEEP_S):
                return

    def _sweep(self) -> None:
        """Take runs from workers that are dead, and queue anew what waits in vain."""
        held = self._database.read(runs.held)
        waiting = self._database.read(partial(runs.waiting, now_s=self._database.now_s, young_s=YOUNG_S))
        others = self.presence.look()  # last: a worker is known before it holds anything
        for one in held:
            is_dropped = one.worker == self.me and one.run_id not in self._begun
            if is_dropped or one.worker not in others.alive:
                self._take_over(one, seen_s=others.silent.get(one.worker))
        self._renew(waiting, others.alive)
        self._passes += 1
        if self._passes % _TIDY_EVERY == 1:
            self._tidy()

    def _take_over(self, one: runs.Holding, *, seen_s: float | None) -> None:
        if self._database.write(partial(self._taken, one=one, seen_s=seen_s)):
            _log.warning("run %d was taken over from %s", one.run_id, one.worker)
            self._cancel(_workflow_id(one.run_id, one.generation - 1))

    def _cancel(self, name: str) -> None:
        """Have DBOS forget the workflow of a run, and those of its trials."""
        under_way = self._client.list_workflows(
            workflow_id_prefix=f"{name}:", status="PENDING", load_input=False, load_output=False
        )
        self._client.cancel_workflows([name, *(one.workflow_id for one in under_way)])

    def _taken(self, connection: Connection, one: runs.Holding, seen_s: float | None = None) -> bool:
        generation = runs.take_over(connection, one, seen_s=seen_s)
        if generation is not None:
            self._enqueue(connection, one.run_id, generation)
        return generation is not None

    def _renew(self, waiting: Sequence[runs.Waiting], alive: Collection[str]) -> None:
        """Queue anew the runs whose workflow is gone, ended, of another version, or with a dead worker."""
        names = [_workflow_id(one.run_id, one.generation) for one in waiting]
        found: dict[str, WorkflowStatus] = {}
        for start in range(0, len(names), _PAGE):
            page = names[start : start + _PAGE]
            known = self._client.list_workflows(workflow_ids=page, load_input=False, load_output=False)
            found |= {one.workflow_id: one for one in known}
        for one, name in zip(waiting, names, strict=True):
            workflow = found.get(name)
            if one.is_young if workflow is None else _is_live(workflow, alive):
                continue
            if self._database.write(partial(self._renewed, one=one)) and workflow is not None:
                self._client.cancel_workflows([name])

    def _renewed(self, connection: Connection, one: runs.Waiting) -> bool:
        generation = runs.renew(connection, one)
        if generation is not None:
            self._enqueue(connection, one.run_id, generation)
        return generation is not None

    def _tidy(self) -> None:
        """Forget what ended more than a day ago, else DBOS keeps it for ever."""
        self._database.write(partial(workers.forget, now_s=self._database.now_s))
        until = (datetime.now(UTC) - timedelta(days=1)).isoformat()
        while ended := self._client.list_workflows(
            status=["SUCCESS", "ERROR", "CANCELLED"],
            completed_before=until,
            limit=_PAGE,
            load_input=False,
            load_output=False,
        ):
            self._client.delete_workflows([one.workflow_id for one in ended])


class _Connection(sqlite3.Connection):
    """What DBOS reaches the database with: as durable as our own connections, and no slower."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.execute("PRAGMA synchronous = NORMAL")


def _hasty(database: Database) -> str:
    """Return a PostgreSQL database's options for what DBOS notes of runs: its commits wait for no disk.

    A server that crashes may forget that a run was taken out of the queue, or that it ended; our rows know better. What
    is put into the queue is written in our own transactions.
    """
    given = database.url.query.get("options", ())
    return " ".join([*([given] if isinstance(given, str) else given), "-c synchronous_commit=off"])


def _workflow_id(run_id: int, generation: int) -> str:
    return f"run-{run_id}.{generation}"


def _is_live(workflow: WorkflowStatus, alive: Collection[str]) -> bool:
    """Say whether a run's workflow is going to begin it."""
    if workflow.status in ("ENQUEUED", "DELAYED"):
        return workflow.app_version == _VERSION
    return workflow.status == "PENDING" and workflow.executor_id in alive


def _quiet() -> None:
    """Have DBOS write no more than warnings, also before it is configured."""
    logging.getLogger("dbos").setLevel(logging.WARNING)
