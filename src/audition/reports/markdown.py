"""The report for pull requests and wikis: Markdown in which nothing that an agent said comes alive.

All text that is not ours stands in code: in a span, or in a block whose fence is longer than any run of backticks in
the text. Source: CommonMark 0.31, code spans and fenced code blocks.
"""

import re
from collections.abc import Iterable, Iterator

from audition.reports._overview import WORDS, counts_of, facts_of, rate_of, repeated, title_of, verdict_of
from audition.reports.text import MARKS
from audition.results import CheckResult, Run, TrialResult, Verdict
from audition.text import printable, shorten
from audition.transcript import Exchange, Trouble
from audition.wire import to_json

_TICKS = re.compile("`+")
_SPAN = 200
"""How many characters of a text are shown where it has to fit on one line."""

_BLOCK = 20_000
"""How many characters of a text are shown in a block."""


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:
    """Return the report in pieces: the run, then each trial; conversations of those that passed only with `verbose`."""
    verdict = verdict_of(run)
    yield f"# Evaluation {WORDS[verdict]}\n\n{MARKS[verdict]} {counts_of(run)}\n\n"
    if run.ran:
        yield f"{rate_of(run.passed, run.passed + run.failed + run.errors)}\n\n"
    yield "".join(f"- {name}: {_span(value)}\n" for name, value in facts_of(run)) + "\n"
    troubles = [*([run.error] if run.error is not None else []), *run.faults]
    yield "".join(_block("Trouble", one) for one in troubles)
    yield "".join(_block("Warning", one) for one in run.warnings)
    repeats: dict[str, list[Verdict]] = {}
    for result in results:
        repeats.setdefault(result.eval_name, []).append(result.verdict)
        yield _trial(result, verbose)
    rates = "".join(f"- {_span(name)}: {told}\n" for name, told in repeated(repeats))
    yield f"## Repeated evals\n\n{rates}" if rates else ""


def _trial(result: TrialResult, verbose: bool) -> str:
    seconds = f"{result.duration_ms / 1000:.1f} s"
    text = f"## {MARKS[result.verdict]} {_span(title_of(result))}\n\n{WORDS[result.verdict]}, {seconds}\n\n"
    if result.error is not None:
        text += _block("Error", result.error)
    text += _trouble(result.transcript.trouble)
    if verbose or result.verdict is not Verdict.PASS:
        text += "".join(map(_turn, range(1, len(result.transcript.exchanges) + 1), result.transcript.exchanges))
    shown = [one for one in result.checks if verbose or one.warning or one.verdict in (Verdict.FAIL, Verdict.ERROR)]
    return text + "".join(map(_check, shown))


def _turn(number: int, exchange: Exchange) -> str:
    said = f"Event: {to_json(exchange.event)}" if exchange.user is None else exchange.user
    text = _block(f"Turn {number}, user", said)
    text += "".join(_block("Agent", reply.text) for reply in exchange.replies)
    for call in exchange.tool_calls:
        came_to = f"failed: {call.error}" if call.error is not None else to_json(call.result)
        arguments = to_json(call.arguments) if call.malformed is None else call.malformed
        text += _block("Tool", f"{call.name} {arguments}\n→ {came_to}")
    text += "".join(f"Workflow: {_span(f'{one.name} {one.status}')}\n\n" for one in exchange.workflows)
    return text + _trouble(exchange.trouble)


def _trouble(trouble: Trouble | None) -> str:
    if trouble is None:
        return ""
    return _block("Trouble", trouble.message if trouble.detail is None else f"{trouble.message}\n{trouble.detail}")


def _check(check: CheckResult) -> str:
    place = "" if check.turn is None else f"turn {check.turn + 1}, "
    text = f"{MARKS[check.verdict]} {place}{_span(f'{check.category}.{check.check}')} {WORDS[check.verdict]}\n\n"
    told = {
        "Expected": check.expected,
        "Actual": check.actual,
        "Reason": check.reason,
        "At": check.where,
        "Warning": check.warning,
    }
    return text + "".join(_block(label, value) for label, value in told.items() if value is not None)


def _span(text: str) -> str:
    """Return text as a code span on one line."""
    line = printable(" ".join(shorten(text, _SPAN).split()))
    fence = "`" * (_longest_run(line) + 1)
    return f"{fence} {line} {fence}" if line.startswith("`") or line.endswith("`") else f"{fence}{line or ' '}{fence}"


def _block(label: str, text: str) -> str:
    """Return text as a block of code below a label of ours."""
    shown = printable(shorten(text, _BLOCK))
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{label}:\n\n{fence}text\n{shown}\n{fence}\n\n"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
