"""The cassette of the tests that a process runs, and what a test is called on it."""

import atexit
from functools import cache
from typing import TYPE_CHECKING

from audition.engine.taping import RECORD, RECORD_MISSING, REPLAY, cassette_in
from audition.settings import environment

if TYPE_CHECKING:
    from audition.llm.cassette import Cassette


def current_cassette() -> "Cassette | None":
    """Return the cassette that the environment names, None when it names none; it is closed when the process ends.

    Raises: SettingsError for variables that contradict each other, or a file that will not do.
    """
    named = environment()
    return _opened(named.get(RECORD), named.get(REPLAY), named.get(RECORD_MISSING))


def current_test() -> str:
    """Return the test that pytest is running, as `test_home.py::test_lights`; empty where there is none."""
    return environment().get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0]


@cache
def _opened(*_named: str | None) -> "Cassette | None":
    # One for all calls: the n-th identical request of a test is counted over several of them.
    cassette = cassette_in(environment())
    if cassette is not None:
        atexit.register(cassette.close)
    return cassette
