"""Which trial a call of a language model is made for: said once, around the trial, and true for all that runs in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_NONE = ""
_trial: ContextVar[str] = ContextVar("audition_trial", default=_NONE)
_place: ContextVar[str] = ContextVar("audition_place", default=_NONE)


@contextmanager
def of_trial(eval_name: str, number: int) -> Iterator[None]:
    """Let the calls made within belong to a trial; `number` counts from 1."""
    place = _place.get()
    yield from _within(_trial, f"{place}::{eval_name}#{number}" if place else f"{eval_name}#{number}")


@contextmanager
def of_place(place: str) -> Iterator[None]:
    """Let the trials within belong to a place, as the file of their evals: those of the same name elsewhere differ."""
    yield from _within(_place, place)


@contextmanager
def of_no_trial() -> Iterator[None]:
    """Let the calls made within belong to no trial, since several trials share what they give."""
    yield from _within(_trial, _NONE)


def current_trial() -> str:
    """Return the trial that is under way here (`greeting#1`, `a.eval.yaml::greeting#1`); empty outside of any."""
    return _trial.get()


def _within(variable: ContextVar[str], value: str) -> Iterator[None]:
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
