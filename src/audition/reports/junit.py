"""The report continuous integration reads: JUnit XML, as Jenkins, GitLab and others take it.

Source: the JUnit schema of Jenkins' xUnit plug-in, which descends from Maven Surefire's.
"""

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import PurePath

from audition.reports.text import check_lines, result_text
from audition.results import Run, TrialResult, Verdict
from audition.text import printable, shorten
from audition.wire import without_secrets

_LONGEST = 20_000
"""How many characters of a text are kept; CI servers refuse reports of many megabytes."""

_PLACE = re.compile(r"(:\d+){1,2}$")
_SUFFIX = re.compile(r"(\.eval)?\.\w+$")


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:
    """Return the report in pieces: one test suite a run, one test case a trial.

    A file that did not load, and a run that did not complete, are test cases with an error: they must not look like
    success. With `verbose`, test cases that passed show their conversation too.
    """
    problems = [*run.faults, *([run.error] if run.error is not None else [])]
    counts = {
        "tests": run.ran + len(problems),
        "failures": run.failed,
        "errors": run.errors + len(problems),
        "time": _seconds(run.duration_ms),
    }
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites{_attributes(name="audition", **counts)}>\n'
    suite = _attributes(name=f"audition {run.id}", **counts, skipped=run.skipped, timestamp=run.started_at[:19])
    yield f"  <testsuite{suite}>\n{_properties(run)}"
    for result in results:
        yield _test_case(result, verbose)
    for problem in problems:
        yield _problem(problem)
    yield "  </testsuite>\n</testsuites>\n"


def _properties(run: Run) -> str:
    known = {
        "agent": without_secrets(run.agent),
        "judge": run.judge,
        "judge_fingerprint": run.judge_fingerprint,
        "status": run.status,
    }
    lines = (f"      <property{_attributes(name=name, value=value)}/>\n" for name, value in known.items() if value)
    return f"    <properties>\n{''.join(lines)}    </properties>\n"


def _test_case(result: TrialResult, verbose: bool) -> str:
    name = result.eval_name if result.trial == 1 else f"{result.eval_name}#{result.trial}"
    case = _attributes(name=name, classname=_class_name(result), time=_seconds(result.duration_ms))
    inside = _conclusion(result)
    if verbose or inside or any(check.warning for check in result.checks):
        inside += f"      <system-out>{_content(result_text(result, verbose=True))}</system-out>\n"
    return f"    <testcase{case}>\n{inside}    </testcase>\n" if inside else f"    <testcase{case}/>\n"


def _conclusion(result: TrialResult) -> str:
    if result.verdict is Verdict.PASS:
        return ""
    if result.verdict is Verdict.SKIP:
        return "      <skipped/>\n"
    element = "failure" if result.verdict is Verdict.FAIL else "error"
    told = [check for check in result.checks if check.verdict in (Verdict.FAIL, Verdict.ERROR)]
    text = "\n".join(line for check in told for line in check_lines(check))
    summary = (
        result.error or "; ".join(f"{check.category}.{check.check}" for check in told) or result_text(result).strip()
    )
    attributes = _attributes(message=shorten(summary, 500), type=result.verdict.value)
    return f"      <{element}{attributes}>{_content(text or summary)}</{element}>\n"


def _problem(message: str) -> str:
    case = _attributes(name=shorten(message, 200), classname="audition", time="0.000")
    error = _attributes(message=message, type="error")
    return f"    <testcase{case}>\n      <error{error}/>\n    </testcase>\n"


def _class_name(result: TrialResult) -> str:
    """Return the file an eval is written in, as CI servers like to group by: `evals.refunds`; else its type."""
    where = next((check.where for check in result.checks if check.where is not None), None)
    if where is None:
        return result.type or "evals"
    path = PurePath(_SUFFIX.sub("", _PLACE.sub("", where)))
    return ".".join([path.name] if path.is_absolute() else path.parts)


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3f}"


def _attributes(**values: object) -> str:
    return "".join(f' {name}="{_attribute(str(value))}"' for name, value in values.items())


def _attribute(text: str) -> str:
    # A parser reads a bare line break in an attribute as a space.
    return _content(text).replace("\n", "&#10;").replace("\t", "&#9;")


def _content(text: str) -> str:
    """Return text as XML can hold it: marked characters escaped, forbidden ones made visible."""
    return escape(printable(shorten(text, _LONGEST)))
