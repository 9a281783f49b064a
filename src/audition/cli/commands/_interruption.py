"""Ctrl-C: the first lets the work end in order, the second ends the process at once."""

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any, TypeVar

import click

from audition.errors import ExitCode

_T = TypeVar("_T")
_SHOW_CURSOR = "\x1b[?25h"


def run_interruptible(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine to its end; Ctrl-C cancels it once, and it may then finish what it holds."""
    return asyncio.run(_cancelled_by_hand(work))


async def _cancelled_by_hand(work: Coroutine[Any, Any, _T]) -> _T:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, _end_at_once)
        loop.call_soon_threadsafe(task.cancel)
        with suppress(RuntimeError, OSError):  # we may have interrupted a write to the same stream
            click.echo("\ninterrupted: ending what is under way (Ctrl-C again ends at once)", err=True)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        return await work
    finally:
        signal.signal(signal.SIGINT, before)


def _end_at_once(_signal: int, _frame: FrameType | None) -> None:
    """End the process without waiting for threads: an agent that blocks in one would hold us for ever."""
    with suppress(Exception):
        if sys.stderr.isatty():
            sys.stderr.write(_SHOW_CURSOR)
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(ExitCode.INTERRUPTED)
