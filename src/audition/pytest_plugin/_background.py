"""A thread with an event loop of its own, beside pytest's."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")

_LAST_WORDS_S = 10.0
"""How long the end is waited for: an agent may refuse to be cancelled, and pytest must end all the same."""


class Background:
    """The loop, from its making until `stop`. `ended` is done when nothing runs in it any more."""

    def __init__(self) -> None:
        self.ended: Future[None] = Future()
        self._loop: Future[asyncio.AbstractEventLoop] = Future()
        self._stopped = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name="audition", daemon=True)
        self._thread.start()

    def call(self, work: Callable[..., object], *arguments: object) -> None:
        """Have a function called in the loop, soon.

        Raises: RuntimeError when the loop has ended.
        """
        self._loop.result().call_soon_threadsafe(work, *arguments)

    def run(self, work: Coroutine[object, object, _T]) -> _T:
        """Run a coroutine in the loop and wait for what it returns."""
        return asyncio.run_coroutine_threadsafe(work, self._loop.result()).result()

    def stop(self) -> None:
        """Cancel all that runs, and wait until it has ended."""
        if not self.ended.done():
            self.call(self._stopped.set)
            self._thread.join(_LAST_WORDS_S)

    def _work(self) -> None:
        try:
            asyncio.run(self._main())
        finally:
            self.ended.set_result(None)

    async def _main(self) -> None:
        self._loop.set_result(asyncio.get_running_loop())
        await self._stopped.wait()
