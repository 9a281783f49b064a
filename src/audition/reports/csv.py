"""The report for spreadsheets: one row a trial, as RFC 4180 has it.

Text that a spreadsheet could take for a formula begins with an apostrophe; numbers stay numbers. Source: RFC 4180;
OWASP, CSV injection.
"""

import csv
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from audition.results import CheckResult, Run, TrialResult, Verdict, agent_usage, judge_usage
from audition.text import printable
from audition.transcript import Usage, response_text
from audition.wire import to_json

COLUMNS = (
    "eval", "trial", "verdict", "error", "type", "tags", "said", "response", "checks_passed", "checks_failed",
    "checks_not_evaluated", "reasons", "tool_calls", "duration_ms", "input_tokens", "output_tokens", "cost_usd",
    "judge_cost_usd", "user_cost_usd", "started_at",
)  # fmt: skip
"""The columns. Counts, milliseconds, tokens and US dollars are numbers, empty where they are not known."""


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:  # noqa: ARG001
    """Return the report in pieces, the names of the columns first; it is always complete, `verbose` or not."""
    yield _line(COLUMNS)
    for result in results:
        yield _line(_cells(result))


def safe_cell(text: str) -> str:
    """Return text that no spreadsheet runs: an apostrophe goes before what one could take for a formula.

    >>> safe_cell("=1+1"), safe_cell("plain")
    ("'=1+1", 'plain')
    """
    return "'" + printable(text) if _is_formula(text) else printable(text)


def _is_formula(text: str) -> bool:
    """Say whether text begins as a formula does, perhaps behind spaces and marks that nobody sees."""
    if text[:1] in ("\t", "\r", "\n"):
        return True
    for char in text:
        if not (char.isspace() or unicodedata.category(char) in ("Cf", "Cc")):
            return unicodedata.normalize("NFKC", char)[:1] in ("=", "+", "-", "@")
    return False


def _cells(result: TrialResult) -> list[object]:
    exchanges = result.transcript.exchanges
    by_agent, by_judge = agent_usage(result) or Usage(), judge_usage(result) or Usage()
    said = [to_json(one.event) if one.user is None else one.user for one in exchanges]
    calls = [f"{call.name}({to_json(call.arguments)})" for one in exchanges for call in one.tool_calls]
    return [
        result.eval_name,
        result.trial,
        result.verdict.value,
        result.error,
        result.type,
        ", ".join(result.tags),
        "\n".join(said),
        "\n".join(response_text(one) for one in exchanges if one.replies),
        *(_count(result.checks, verdict) for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.ERROR)),
        "\n".join(_reason(check) for check in result.checks if check.verdict in (Verdict.FAIL, Verdict.ERROR)),
        "\n".join(calls),
        result.duration_ms,
        by_agent.input_tokens,
        by_agent.output_tokens,
        by_agent.cost_usd,
        by_judge.cost_usd,
        (result.user_usage or Usage()).cost_usd,
        result.started_at,
    ]


def _count(checks: Sequence[CheckResult], verdict: Verdict) -> int:
    return sum(check.verdict is verdict for check in checks)


def _reason(check: CheckResult) -> str:
    why = check.reason or (f"expected {check.expected}, got {check.actual}" if check.expected else check.verdict.value)
    return f"{check.category}.{check.check}: {why}"


def _line(cells: Sequence[object]) -> str:
    written = StringIO()
    csv.writer(written, lineterminator="\r\n").writerow([safe_cell(c) if isinstance(c, str) else c for c in cells])
    return written.getvalue()
