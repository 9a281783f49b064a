"""Threads for callables that block, so that they hold up neither the loop nor each other."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from typing import TypeVar

_T = TypeVar("_T")

_IDLE_S = 5.0
"""A thread that has had nothing to do for so long ends."""

_Outcome = tuple[object, BaseException | None]
_Job = tuple[Context, Callable[[], object], "asyncio.Future[_Outcome]"]


class Workers:
    """Threads that serve one event loop. There is always one free: how many calls run at once is for the caller.

    A call that is given up (its task was cancelled) keeps its thread until it returns, and another takes its place. The
    threads are daemons, so that a call that never returns does not keep the process from ending. Answers that come
    close together wake the loop once: this is what makes it cheaper than `asyncio.to_thread`.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._done: deque[tuple[asyncio.Future[_Outcome], _Outcome]] = deque()
        self._waking = False
        self._free = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[[], _T]) -> _T:
        """Return what `work` returns, in a copy of the caller's context; what it raises is raised here."""
        answer: asyncio.Future[_Outcome] = self._loop.create_future()
        with self._lock:
            starting = self._free == 0
            self._free -= not starting
        if starting:
            threading.Thread(target=self._serve, name="audition-agent", daemon=True).start()
        self._jobs.put((copy_context(), work, answer))
        value, error = await answer
        if error is not None:
            raise error
        return value  # type: ignore[return-value]  # the value of this very job

    def _serve(self) -> None:
        while True:
            try:
                context, work, answer = self._jobs.get(timeout=_IDLE_S)
            except Empty:
                with self._lock:
                    if self._free == 0:
                        continue  # a job was promised to this thread and is about to arrive
                    self._free -= 1
                    return
            self._done.append((answer, _outcome(context, work)))
            del context, work, answer  # a waiting thread keeps nothing of a conversation alive
            with self._lock:
                self._free += 1
            if not self._waking:
                self._waking = True
                self._wake()

    def _wake(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._deliver)
        except RuntimeError:
            self._done.clear()  # the loop is closed: the call came back after everybody had left

    def _deliver(self) -> None:
        self._waking = False  # first: an answer that arrives from here on wakes the loop again
        while self._done:
            answer, outcome = self._done.popleft()
            if not answer.done():
                answer.set_result(outcome)


def _outcome(context: Context, work: Callable[[], object]) -> _Outcome:
    try:
        return context.run(work), None
    except BaseException as error:  # raised again where it is awaited
        return None, error
