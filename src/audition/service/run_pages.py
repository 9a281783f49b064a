"""Runs as they are sent: put together from the database, and kept for a while once nothing changes any more."""

import threading
from collections import OrderedDict
from collections.abc import Collection

from audition.engine.standing import fingerprint_of
from audition.errors import AuditionError
from audition.service.context import Service
from audition.service.conventions import etag
from audition.service.recent import Page
from audition.service.run_bodies import Standing, full_result_body, full_run_body, result_body, run_body
from audition.service.run_places import Place
from audition.service.run_results import CaseResult, case_results
from audition.store.service.database import Connection
from audition.store.service.linked_runs import effort_of, is_selective
from audition.store.service.run_views import (
    RunState,
    WholeResult,
    beat_of,
    line_of,
    results_of,
    whole_results,
)
from audition.store.service.runs import Run
from audition.wire import to_json

MOST_SHOWN = 500
"""How many results the full view shows at most; all of them are at `/results`."""


class Pages:
    """The plain views of runs that are at their end, the last ones asked for. Safe for several threads."""

    def __init__(self, *, most_bytes: int = 32_000_000) -> None:
        self._most, self._held, self._lock = most_bytes, 0, threading.Lock()
        self._pages: OrderedDict[tuple[int, RunState], Page] = OrderedDict()

    def plain(self, connection: Connection, place: Place, run_id: int) -> Page:
        """Return a run with the seed's keys. Raises: NotFound when it is not there, or not any more."""
        state = place.state_of(connection, run_id)
        if found := self._kept(run_id, state):
            return found
        made = _plain(connection, run_id, state)
        if state.is_final:
            self._keep((run_id, state), made)
        return made

    def kept(self, connection: Connection, place: Place, run_id: int) -> Page | None:
        """Return a run as `plain` does, if that takes no time; None if it does. Raises: as `plain`."""
        return self._kept(run_id, place.state_of(connection, run_id))

    def _kept(self, run_id: int, state: RunState) -> Page | None:
        with self._lock:
            found = self._pages.get((run_id, state))
            if found is not None:
                self._pages.move_to_end((run_id, state))
            return found

    def _keep(self, key: tuple[int, RunState], page: Page) -> None:
        with self._lock:
            if len(page.body) > self._most // 8 or key in self._pages:
                return
            self._pages[key] = page
            self._held += len(page.body)
            while self._held > self._most:
                _, gone = self._pages.popitem(last=False)
                self._held -= len(gone.body)


def full(connection: Connection, here: Service, place: Place, run_id: int) -> Page:
    """Return all there is to say of a run. Its tag leaves out the worker's heartbeat. Raises: NotFound."""
    run = place.run(connection, run_id)
    cases = cases_of(connection, run)
    standing = Standing(
        cases=cases,
        done=place.state_of(connection, run_id).results,
        beat=None if run.worker is None else beat_of(connection, here.database.now_s, run.worker),
        effort=effort_of(connection, run),
        selective=is_selective(connection, run),
        judge_fingerprint=_fingerprint(here, run.judge),
    )
    body = full_run_body(run, standing, full_results(connection, run_id, cases[:MOST_SHOWN]))
    return Page(body=to_json(body).encode(), tag=etag({**body, "worker": None}))


def cases_of(connection: Connection, run: Run) -> list[CaseResult]:
    """Return the results of a run so far, one a case."""
    return case_results(results_of(connection, run.id), run.options, is_final=run.status in ("completed", "failed"))


def full_results(connection: Connection, run_id: int, cases: Collection[CaseResult]) -> list[dict[str, object]]:
    """Return results with all their trials, as the API shows them."""
    by_case: dict[int, list[WholeResult]] = {case.case_id: [] for case in cases}
    shown = {line.id for case in cases for line in case.lines}
    for one in whole_results(connection, run_id, [*by_case]):
        if one.line.id in shown:
            by_case[one.line.case_id].append(one)
    return [full_result_body(run_id, case, by_case[case.case_id]) for case in cases]


def _plain(connection: Connection, run_id: int, state: RunState) -> Page:
    line = line_of(connection, run_id)
    cases = case_results(results_of(connection, run_id), line.options, is_final=state.is_final)
    body = {**run_body(line), "results": [result_body(run_id, case) for case in cases]}
    return Page(body=to_json(body).encode(), tag=etag(body), lasts=state.is_final)


def _fingerprint(here: Service, judge: str | None) -> str | None:
    try:
        return fingerprint_of(here.settings, judge)
    except AuditionError:  # the settings name this judge no more, or what is kept of judges cannot be read
        return None
