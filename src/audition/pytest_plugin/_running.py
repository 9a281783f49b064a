"""Running evals beside pytest: side by side in the background, each result kept until its item asks for it."""

import asyncio
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass

from audition.engine.perform import perform_one
from audition.engine.plan import Trial, plan
from audition.errors import PlanError
from audition.evals import Eval
from audition.llm.trial import of_place
from audition.pytest_plugin._background import Background
from audition.pytest_plugin._history import History
from audition.pytest_plugin._project import Project
from audition.results import TrialResult

_AHEAD = 256
"""How many results may wait for their items before no further trial is begun: it bounds a session's memory."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """One eval of a file (`path`) to be run once: trial `number` of `of`, both from 1. Each is only equal to itself."""

    eval: Eval
    path: str
    number: int
    of: int

    @property
    def label(self) -> str:
        """Return what the trial is called: the eval's name, with the trial's number when there are several."""
        return self.eval.name if self.of == 1 else f"{self.eval.name}#{self.number}"


class Running:
    """The trials of a session. Made when the first is wanted: only then is the agent opened.

    Raises: AuditionError when there is no agent, no judge, or no history as they were asked for.
    """

    def __init__(self, project: Project, background: Background) -> None:
        self._project, self._background = project, background
        self._agent, self._judge, self._users = project.agent(), project.judge(), project.users()
        self._at_once = project.at_once(self._agent)
        self._promises: dict[Request, Future[TrialResult]] = {}
        self._pending: dict[Request, tuple[Trial, Future[TrialResult]]] = {}
        self._active: set[asyncio.Task[None]] = set()
        self._finished_count, self._taken_count = 0, 0
        self._paused = False
        self._urgent: Request | None = None
        self._history = History(project, project.history_place) if project.history_place else None
        background.ended.add_done_callback(self._break_promises)

    def knows(self, request: Request) -> bool:
        """Say whether a request has been made and its result not yet been taken."""
        return request in self._promises

    def begin(self, first: Request, others: Iterable[Request]) -> None:
        """Have trials run, in this order, where they are not under way already; the first will be waited for."""
        new: dict[Request, tuple[Trial, Future[TrialResult]]] = {}
        for request in (first, *others):
            if request not in self._promises:
                promise = self._promises[request] = Future()
                try:
                    new[request] = (self._planned(request), promise)
                except PlanError as refused:
                    promise.set_exception(refused)
        self._background.call(self._add, new, first)

    def result_of(self, request: Request) -> TrialResult:
        """Wait for the result of a trial that was begun.

        Raises: PlanError when the eval cannot be run against this agent; CancelledError when the run has ended.
        """
        promise = self._promises[request]
        if request in self._pending:
            self._background.call(self._hurry, request)
        try:
            result = promise.result()
        finally:
            del self._promises[request]
        self._taken_count += 1
        if self._paused:  # waking the loop for each result would double the time of instant evals
            self._background.call(self._fill)
        if self._history:
            self._history.add(result, request.path)
        return result

    def end(self, total: int | None) -> None:
        """Note that no more results will be asked for; `total` evals were to be run, None when that is not known.

        Raises: StoreError when results could not be kept.
        """
        if self._history:
            self._history.finish(total)

    def _planned(self, request: Request) -> Trial:
        self._users(request.eval)  # whoever nobody can play is to be refused before anything is said
        return plan([request.eval], self._project.defaults, self._agent.observes)[request.number - 1]

    def _break_promises(self, _ended: Future[None]) -> None:
        for promise in list(self._promises.values()):
            promise.cancel()

    # What follows runs in the background.

    def _add(self, new: dict[Request, tuple[Trial, Future[TrialResult]]], first: Request) -> None:
        self._pending |= new
        self._hurry(first)

    def _hurry(self, request: Request) -> None:
        """Let a trial that is waited for begin before all others, however many results wait."""
        self._urgent = request
        self._fill()

    def _fill(self) -> None:
        while self._pending and len(self._active) < self._at_once:
            urgent = self._urgent in self._pending
            self._paused = not urgent and self._finished_count - self._taken_count >= _AHEAD
            if self._paused:
                return
            request = self._urgent if urgent and self._urgent else next(iter(self._pending))
            task = asyncio.create_task(self._run(request, *self._pending.pop(request)))
            self._active.add(task)
            task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._active.discard(task)
        if not task.cancelled():
            self._finished_count += 1
            self._fill()

    async def _run(self, request: Request, trial: Trial, promise: Future[TrialResult]) -> None:
        judging, users = self._project.judging, self._users
        with of_place(request.path):
            result = await perform_one(trial, self._agent, self._judge, judging=judging, users=users)
        promise.set_result(result)
