"""The pytest plugin: eval files as tests, when asked for with `--audition`, and the fixture `audition`.

It is loaded into every run of pytest where audition is installed, so it imports nothing of weight until it is used.
"""

import gc
from argparse import ArgumentTypeError
from collections.abc import Generator, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from audition.pytest_plugin._conversation import Conversation

_TEXTS = {
    "agent": ("REFERENCE", "the agent, as function:shop.bot:reply; by default the project's"),
    "judge_model": ("MODEL", "the language model that judges, as openai:gpt-4o; by default the project's"),
    "user_model": ("MODEL", "the language model that plays simulated users; by default the project's"),
    "record": ("FILE", "record every call of a language model on this cassette"),
    "replay": ("FILE", "take every answer of a language model from this cassette, and ask none"),
}
_COUNTS = {
    "trials": "how often each eval is run; by default what the project's settings say",
    "concurrency": "how many evals run side by side; by default what the project's settings say",
}
_FLAGS = {
    "no_judge": "skip checks that need a judge",
    "allow_code": "run the code that eval files hold or name: *.eval.py in folders, custom checks",
    "record_missing": "with --audition-replay: ask for what is missing there, and record it",
    "offline": "refuse every connection that would leave this machine",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer each wish as an option and as an ini setting."""
    group = parser.getgroup("audition", "audition: evals of LLM agents")
    group.addoption("--audition", action="store_true", help="collect eval files, each eval a test")
    parser.addini("audition", "collect eval files, each eval a test", type="bool", default=False)
    for name, (metavar, what) in _TEXTS.items():
        group.addoption(_option(name), metavar=metavar, help=what)
        parser.addini(f"audition_{name}", what, default="")
    for name, what in _COUNTS.items():
        group.addoption(_option(name), metavar="N", type=_count, help=what)
        parser.addini(f"audition_{name}", what, default="")
    for name, what in _FLAGS.items():
        group.addoption(_option(name), action="store_true", help=what)
        parser.addini(f"audition_{name}", what, type="bool", default=False)
    parser.addini("audition_history", "keep the results in the project's history", type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and refuse settings that cannot be."""
    marker = "audition(agent, state, judge): whom the fixture 'audition' talks with, and what that starts from"
    config.addinivalue_line("markers", marker)
    for name in _COUNTS:
        written = config.getini(f"audition_{name}")
        try:
            _ = _count(written) if written else None
        except ArgumentTypeError as error:
            raise pytest.UsageError(f"audition_{name}: {error}") from None
    _name_cassette(config)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Collect an eval file as such, also a `*.eval.py` that is named, which pytest takes for a module of tests."""
    collectors = yield
    if not _is_asked_for(parent.config):
        return collectors
    from audition.pytest_plugin._collecting import EvalFile, format_of

    if format_of(file_path.name, named=parent.session.isinitpath(file_path)) is None:
        return collectors
    others = [one for one in collectors if not isinstance(one, pytest.Module)]
    return [*others, EvalFile.from_parent(parent, path=file_path)]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note how many evals are to be run; a worker of pytest-xdist runs some of what it collects."""
    if _is_asked_for(session.config):
        from audition.pytest_plugin._collecting import EvalItem
        from audition.pytest_plugin._sessions import expect

        is_worker = hasattr(session.config, "workerinput")
        expect(session.config, None if is_worker else sum(isinstance(item, EvalItem) for item in session.items))
        gc.freeze()  # what was collected stays until the end: looking through it for garbage costs a tenth of a run


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Tell an eval which item comes after it: a worker of pytest-xdist knows no more of what it is to run."""
    if _is_asked_for(item.config):
        from audition.pytest_plugin._collecting import EvalItem

        if isinstance(item, EvalItem):
            item.following = nextitem


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what still runs: after the last test, at the first failure with `-x`, and on Ctrl-C."""
    from audition.pytest_plugin._sessions import end

    end(session.config)


@pytest.fixture
def audition(request: pytest.FixtureRequest) -> "Iterator[Conversation]":
    """A conversation with an agent: `await audition.say("Hi")`, then `audition.expect(response={"contains": "hello"})`.

    Which agent, and what it starts from: `@pytest.mark.audition(agent="function:shop.bot:reply", state={...})`.
    """
    from audition.pytest_plugin._conversation import begin

    conversation = begin(request.node)
    yield conversation
    conversation.close()


def _is_asked_for(config: pytest.Config) -> bool:
    return bool(config.getoption("audition") or config.getini("audition"))


def _name_cassette(config: pytest.Config) -> None:
    """Name the cassette in the environment for this session, whose tests and workers find it there."""
    from audition.engine.taping import RECORD, RECORD_MISSING, REPLAY, SINCE

    record, replay = _file(config, "record"), _file(config, "replay")
    missing = _asked(config, "record_missing")
    if record and replay:
        raise pytest.UsageError("--audition-record and --audition-replay exclude each other")
    if missing and not replay:
        raise pytest.UsageError("--audition-record-missing goes with --audition-replay FILE")
    named = {RECORD: record, REPLAY: replay, RECORD_MISSING: "1" if missing else None}
    named["AUDITION_OFFLINE"] = "1" if _asked(config, "offline") else None
    named[SINCE] = None if hasattr(config, "workerinput") else datetime.now(UTC).isoformat(timespec="milliseconds")
    patch = pytest.MonkeyPatch()
    config.add_cleanup(patch.undo)
    for name, value in named.items():
        if value is not None:
            patch.setenv(name, value)


def _asked(config: pytest.Config, name: str) -> object:
    """Return what an option says, or else the ini setting."""
    return config.getoption(f"audition_{name}") or config.getini(f"audition_{name}")


def _file(config: pytest.Config, name: str) -> str | None:
    """Return a file that an option names from where pytest was called, or the ini setting from its rootdir."""
    if named := config.getoption(f"audition_{name}"):
        return str(config.invocation_params.dir / named)
    named = config.getini(f"audition_{name}")
    return str(config.rootpath / named) if named else None


def _option(name: str) -> str:
    return f"--audition-{name.replace('_', '-')}"


def _count(text: str) -> int:
    """Return a whole number of 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ArgumentTypeError(f"must be a whole number of 1 or more, not {text!r}")
    return int(text)
