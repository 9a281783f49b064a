"""Which trial a call of a language model is made for: said once, around the trial, and true for all that runs in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_NONE = ""
_trial: ContextVar[str] = ContextVar("audition_trial", default=_NONE)


@contextmanager
def of_trial(eval_name: str, number: int) -> Iterator[None]:
    """Let the calls made within belong to a trial; `number` counts from 1."""
    yield from _within(f"{eval_name}#{number}")


@contextmanager
def of_no_trial() -> Iterator[None]:
    """Let the calls made within belong to no trial, since several trials share what they give."""
    yield from _within(_NONE)


def current_trial() -> str:
    """Return the trial that is under way here (`greeting#1`); empty outside of any."""
    return _trial.get()


def _within(trial: str) -> Iterator[None]:
    token = _trial.set(trial)
    try:
        yield
    finally:
        _trial.reset(token)
