"""The report people read in a terminal: one line an eval, and below it what did not hold.

Lines that carry a verdict begin (after spaces) with its mark, so that a terminal may colour them. Source: the text
output of the Botpress evals command.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from audition.results import CheckResult, Run, TrialResult, Verdict, Vote, agent_usage, judge_usage
from audition.statistics.intervals import wilson
from audition.statistics.repeats import stability
from audition.text import printable, shorten
from audition.transcript import Exchange, Trouble, Usage
from audition.wire import to_json

MARKS = {Verdict.PASS: "✓", Verdict.FAIL: "✗", Verdict.ERROR: "!", Verdict.SKIP: "-"}
"""The mark of each verdict."""

_LINE = 160
"""How many characters of a text are shown where it has to fit on one line."""

_BLOCK = 600
"""How many characters of a text are shown where it may take several lines; ten times as many with `verbose`."""

_ASKED = 60
"""How many characters of a question are shown beside an answer to it."""

Repeats = Mapping[str, Sequence[Verdict]]
"""The verdicts of all trials, by eval."""


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:
    """Return the report in pieces: one a result, then the summary."""
    repeats: dict[str, list[Verdict]] = {}
    for result in results:
        repeats.setdefault(result.eval_name, []).append(result.verdict)
        yield result_text(result, verbose=verbose)
    yield "\n" + _remarks(run) + summary_text(run, repeats, verbose=verbose)


def result_text(result: TrialResult, *, verbose: bool = False, many_trials: bool = False) -> str:
    """Return the lines about one trial; with `verbose`, also what the agent said and did, and which checks held.

    `many_trials`: evals are run several times, so that the first trial is numbered too.
    """
    number = f" #{result.trial}" if many_trials or result.trial > 1 else ""
    seconds = f"{result.duration_ms / 1000:.1f} s"
    lines = [f"{MARKS[result.verdict]} {_line(result.eval_name)}{number} ({seconds})"]
    if result.error is not None and result.error not in _reasons(result):
        lines += _block("error: ", result.error, "    ", verbose)
    if result.transcript.trouble is not None:
        lines += _trouble(result.transcript.trouble, result, "    ", verbose)
    for index in range(_turns(result)):
        lines += _turn(result, index, verbose)
    lines += _part("Outcome", [check for check in result.checks if check.turn is None], [], verbose)
    if verbose:
        lines += _spending("    ", agent_usage(result), judge_usage(result), result.user_usage)
    return "\n".join(lines) + "\n"


def summary_text(run: Run, repeats: Repeats | None = None, *, verbose: bool = False) -> str:
    """Return the last lines of the report: how often repeated evals passed, what is missing, and the counts.

    With `verbose`, also what the doctor found of the judge.
    """
    lines = [_repeated(name, verdicts) for name, verdicts in (repeats or {}).items() if len(verdicts) > 1]
    if run.faults:
        lines.append(f"{MARKS[Verdict.ERROR]} not everything could be read: {_count(len(run.faults), 'fault')}")
    if run.error is not None:
        lines.append(f"{MARKS[Verdict.ERROR]} the run did not complete: {_line(run.error, _BLOCK)}")
    if run.ran < run.total:
        lines.append(f"{MARKS[Verdict.ERROR]} {run.total - run.ran} of {run.total} not run")
    if run.ran == 0:
        lines.append(f"{MARKS[Verdict.ERROR]} nothing was evaluated")
    if verbose and run.judge_fingerprint is not None:
        lines.append(_line(f"judged by {run.judge_fingerprint}"))
    lines += _spending("", run.agent_usage, run.judge_usage, run.user_usage)
    errors = _count(run.errors, "error")
    seconds = f"{run.duration_ms / 1000:.1f} s"
    lines.append(f"{run.passed} passed, {run.failed} failed, {errors}, {run.skipped} skipped ({seconds})")
    return "\n".join(lines) + "\n"


def check_lines(check: CheckResult, indent: str = "", *, verbose: bool = False) -> list[str]:
    """Return a check on a line, and below it what was expected and seen, unless it held or nobody looked."""
    lines = [f"{indent}{MARKS[check.verdict]} {check.category}.{_line(check.check)}"]
    note = _block("warning:  ", check.warning, f"{indent}    ", verbose) if check.warning else []
    note += _block("note:     ", check.note, f"{indent}    ", verbose) if verbose and check.note else []
    if verbose and len(check.votes) > 1:
        note += [f"{indent}    vote:     {_line(_voted(vote))}" for vote in check.votes]
    if check.verdict in (Verdict.PASS, Verdict.SKIP):
        return lines + note
    told = {
        "expected: ": check.expected,
        "actual:   ": check.actual,
        "reason:   ": check.reason,
        "at:       ": check.where,
    }
    for label, text in told.items():
        if text is not None:
            lines += _block(label, text, f"{indent}    ", verbose)
    return lines + note


def _voted(vote: Vote) -> str:
    """Return a vote in a line: who answered what, to which question."""
    said = vote.reason if vote.score is None and vote.answer is None else _answered(vote)
    return f"{vote.model or 'the judge'}: {said} (asked: {shorten(vote.asked, _ASKED)})"


def _answered(vote: Vote) -> str:
    if vote.answer is None:
        return str(vote.score)
    clauses = vote.answer.get("clauses")
    return f"{len(clauses)} clauses" if isinstance(clauses, list | tuple) else str(vote.answer.get("status"))


def _remarks(run: Run) -> str:
    """Return the warnings and the faults of a run, which a running command has told already."""
    lines = [f"warning: {_line(warning, _BLOCK)}\n" for warning in run.warnings]
    return "".join(lines + [f"{MARKS[Verdict.ERROR]} {_line(fault, _BLOCK)}\n" for fault in run.faults])


def _spending(indent: str, agent: Usage | None, judge: Usage | None, user: Usage | None) -> list[str]:
    """Return what the models took, on a line; none when nobody says."""
    told = [
        f"{who}: {_spent(usage)}"
        for who, usage in (("agent", agent), ("judge", judge), ("simulated user", user))
        if usage is not None and _tells(usage)
    ]
    return [indent + "; ".join(told)] if told else []


def _tells(usage: Usage) -> bool:
    """Say whether a usage is worth a line; that calls of a scripted model took nothing is not."""
    spent = (usage.input_tokens, usage.output_tokens, usage.cost_usd)
    return spent != (None, None, None) and not (usage.calls and spent == (0, 0, 0))


def _spent(usage: Usage) -> str:
    sent, received, cost_usd = usage.input_tokens, usage.output_tokens, usage.cost_usd
    tokens = "unknown" if sent is None or received is None else f"{sent + received:,}"
    if cost_usd is None:
        return f"tokens {tokens}, cost unknown"
    return f"tokens {tokens}, cost {'under $0.0001' if 0 < cost_usd < 0.0001 else f'${cost_usd:.4f}'}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _turn(result: TrialResult, index: int, verbose: bool) -> list[str]:
    checks = [check for check in result.checks if check.turn == index]
    exchanges = result.transcript.exchanges
    if index >= len(exchanges):
        return _part(f"Turn {index + 1}: (not reached)", checks, [], verbose)
    exchange = exchanges[index]
    details = _happenings(exchange) if verbose else []
    if exchange.trouble is not None:
        details += _trouble(exchange.trouble, result, "      ", verbose)
    return _part(f"Turn {index + 1}: {_said(exchange)}", checks, details, verbose)


def _part(title: str, checks: Sequence[CheckResult], details: list[str], verbose: bool) -> list[str]:
    """Return a turn, or the outcome, when there is something to say about it."""
    shown = [check for check in checks if verbose or check.warning or check.verdict in (Verdict.FAIL, Verdict.ERROR)]
    lines = details + [line for check in shown for line in check_lines(check, "      ", verbose=verbose)]
    return [f"    {title}", *lines] if lines else []


def _said(exchange: Exchange) -> str:
    return f"[event] {_line(to_json(exchange.event))}" if exchange.user is None else _line(exchange.user)


def _happenings(exchange: Exchange) -> list[str]:
    lines = []
    for reply in exchange.replies:
        lines += _block("agent: ", reply.text, "      ", True)
    for call in exchange.tool_calls:
        came_to = f"failed: {call.error}" if call.error is not None else to_json(call.result)
        arguments = to_json(call.arguments) if call.malformed is None else call.malformed
        label, within = "transfer: " if call.transfer else "tool: ", f" (within {call.within})" if call.within else ""
        lines += _block(label, f"{call.name} {shorten(arguments, _BLOCK)} → {came_to}{within}", "      ", False)
    for event in exchange.workflows:
        lines += _block("workflow: ", f"{event.name} {event.status}", "      ", False)
    return lines


def _trouble(trouble: Trouble, result: TrialResult, indent: str, verbose: bool) -> list[str]:
    mark = MARKS[Verdict.FAIL if trouble.by_agent else Verdict.ERROR]
    lines = [] if trouble.message in _reasons(result) else _block(f"{mark} ", trouble.message, indent, verbose)
    return lines + (_block("detail: ", trouble.detail, indent, True) if verbose and trouble.detail else [])


def _reasons(result: TrialResult) -> set[str | None]:
    """Return what the checks say already, so that it is not said twice."""
    return {check.reason for check in result.checks}


def _turns(result: TrialResult) -> int:
    checked = [check.turn + 1 for check in result.checks if check.turn is not None]
    return max([len(result.transcript.exchanges), *checked])


def _repeated(name: str, verdicts: Sequence[Verdict]) -> str:
    passed = verdicts.count(Verdict.PASS)
    low, high = wilson(passed, len(verdicts))
    interval = f"95 % interval {low * 100:.0f}–{high * 100:.0f} %"
    steadiness = stability(verdicts).replace("error", "not known whether it is stable")
    return f"{_line(name)}: {passed} of {len(verdicts)} passed ({interval}), {steadiness}"


def _line(text: str, limit: int = _LINE) -> str:
    return printable(" ".join(shorten(text, limit).split()))


def _block(label: str, text: str, indent: str, verbose: bool) -> list[str]:
    """Return text behind a label; its further lines stand behind a bar, so that none looks like a line of ours."""
    first, *rest = printable(shorten(text, _BLOCK * 10 if verbose else _BLOCK)).split("\n")
    margin = f"{indent}{' ' * (len(label) - 2)}│ "
    return [f"{indent}{label}{first}", *(margin + line for line in rest)]
