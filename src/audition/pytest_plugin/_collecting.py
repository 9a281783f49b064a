"""Eval files as pytest sees them: a file is a collector, each trial of an eval an item."""

import re
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from audition.errors import AuditionError
from audition.formats import FORMATS, Reading, uncollected, without_code
from audition.formats._format import Code
from audition.pytest_plugin._running import Request
from audition.pytest_plugin._sessions import project_of, running_of
from audition.pytest_plugin._telling import told
from audition.results import TrialResult, Verdict

_TAKEN = frozenset(
    {
        "anyio", "asyncio", "audition", "filterwarnings", "flaky", "order", "parametrize", "repeat", "skip", "skipif",
        "timeout", "usefixtures", "xfail",
    }
)  # fmt: skip
"""Markers that make pytest or a plugin do something: a tag of that name is marked as `tag_NAME`."""


@cache
def _formats() -> tuple[ModuleType, ...]:
    modules = [FORMATS.get(name) for name in FORMATS.names()]
    return tuple(module for module in modules if hasattr(module, "SUFFIXES"))


def format_of(name: str, *, named: bool) -> ModuleType | None:
    """Return the format that reads a file of that name, None when there is none.

    `named`: the file was asked for itself, which lets some formats read more.
    """
    folded, formats = name.lower(), _formats()
    found = next((one for one in formats if folded.endswith(one.SUFFIXES)), None)
    if found is None and named:
        return next((one for one in formats if folded.endswith(getattr(one, "NAMED_SUFFIXES", ()))), None)
    return found


class EvalFile(pytest.File):
    """An eval file. One that has faults is an error of the collection that tells them all."""

    def collect(self) -> Iterator["EvalItem"]:
        """Yield an item for each trial of each eval, in order."""
        try:
            project = project_of(self.config)
        except AuditionError as error:
            raise self.CollectError(str(error)) from None
        reading = self._read(allow_code=project.allow_code)
        for warning in reading.warnings:
            self.warn(pytest.PytestCollectionWarning(warning))
        if reading.faults:
            raise self.CollectError("\n".join(map(str, reading.faults)))
        of = project.defaults.trials
        for one in reading.evals:
            for number in range(1, of + 1):
                request = Request(eval=one, path=self.nodeid, number=number, of=of)
                yield EvalItem.from_parent(self, name=request.label, request=request)

    def _read(self, *, allow_code: bool) -> Reading:
        named = self.session.isinitpath(self.path)
        found = format_of(self.path.name, named=named)
        assert found is not None  # such a file is not collected
        here = self.config.invocation_params.dir
        path = self.path.relative_to(here) if self.path.is_relative_to(here) else self.path
        if found.RUNS_CODE and not (named or allow_code):
            remark = "not read, since that runs the code in it; name the file itself, or pass --audition-allow-code"
            return Reading(warnings=(f"{path}: {remark}",))
        code = Code.ALLOWED if named or allow_code else Code.NOT_ASKED_FOR
        with nullcontext() if found.RUNS_CODE else uncollected():
            reading: Reading = found.read_many({path: code})[path] if hasattr(found, "read_many") else found.read(path)
        return reading if allow_code or found.RUNS_CODE else without_code(reading)


class EvalItem(pytest.Item):
    """One trial of an eval. `following` is the item after it, None when that is not known or it is the last."""

    following: pytest.Item | None = None

    def __init__(self, *, request: Request, **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]  # what pytest gives each node
        self.request = request
        for word in filter(None, (*request.eval.tags, request.eval.type)):
            self._mark(word)

    def setup(self) -> None:
        """Wait for the result: an eval that could not be evaluated is an error, as a fixture's is, and no failure."""
        result = self._performed()
        if result.verdict not in (Verdict.PASS, Verdict.FAIL):
            raise _failure(told(result))
        self._failed = told(result) if result.verdict is Verdict.FAIL else None

    def runtest(self) -> None:
        """Pass or fail."""
        if self._failed is not None:
            raise _failure(self._failed)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the eval begins in its file, lines counted from 0."""
        where = self.request.eval.where
        return self.path, (where.line or 1) - 1 if where else 0, self.name

    def _performed(self) -> TrialResult:
        try:
            running = running_of(self.config)
            if not running.knows(self.request) or self._is_in_a_worker():
                running.begin(self.request, (item.request for item in self._next_evals()))
            return running.result_of(self.request)
        except AuditionError as error:
            raise _failure(str(error)) from None
        except CancelledError:
            raise _failure("the evals were stopped before this one had a result") from None

    def _next_evals(self) -> Iterator["EvalItem"]:
        """Yield the evals that come next, up to the next test that is none: no eval runs beside such a test."""
        items = self.session.items
        following = [self.following] if self._is_in_a_worker() else items[items.index(self) + 1 :]
        for item in following:
            if not isinstance(item, EvalItem):
                return
            yield item

    def _is_in_a_worker(self) -> bool:
        """Say whether this is a worker of pytest-xdist, which is to run only some of the session's items."""
        return hasattr(self.config, "workerinput")

    def _mark(self, word: str) -> None:
        name = re.sub(r"[^\w.+/-]", "_", word)
        if name in _TAKEN or name.startswith("_"):
            name = f"tag_{name}"
        self.config.addinivalue_line("markers", f"{name}: evals of that tag or type")
        self.add_marker(name)


def _failure(text: str) -> BaseException:
    """Return what makes pytest show a text, and no traceback."""
    return pytest.fail.Exception(text, pytrace=False)
