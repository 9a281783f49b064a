"""The report to look at and to pass on: one HTML page that needs nothing else and runs nothing.

It holds no script and asks for nothing, from anywhere; whatever agents, tools and judges said stands there as text, in
full. Source: OWASP, cross-site scripting prevention.
"""

import base64
import hashlib
from collections.abc import Iterable, Iterator, Mapping
from html import escape

from audition.reports._html_style import STYLE
from audition.reports._overview import WORDS, counts_of, facts_of, rate_of, repeated, spent, title_of, verdict_of
from audition.reports.text import MARKS
from audition.results import CheckResult, Run, TrialResult, Verdict, Vote, agent_usage, judge_usage
from audition.statistics.intervals import wilson
from audition.text import printable
from audition.transcript import Exchange, State, ToolCall, Trouble
from audition.wire import to_json


def render(run: Run, results: Iterable[TrialResult], *, verbose: bool = False) -> Iterator[str]:
    """Return the report in pieces. All details are there; those of trials that passed are open with `verbose` only."""
    verdict = verdict_of(run)
    title = f"Evaluation {WORDS[verdict]}"
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy())}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(f'{title}: {run.id}')}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )
    yield f"<h1>{_mark(verdict)} {title}</h1>\n<p>{counts_of(run)}</p>\n{_rate(run)}{_facts(run)}"
    yield "".join(f'<p class="trouble">{_text(one)}</p>\n' for one in (*_why(run), *run.faults, *run.warnings))
    yield "<h2>Evals</h2>\n"
    repeats: dict[str, list[Verdict]] = {}
    for result in results:
        repeats.setdefault(result.eval_name, []).append(result.verdict)
        yield _trial(result, is_open=verbose or result.verdict in (Verdict.FAIL, Verdict.ERROR))
    rates = "".join(f"<dt>{_text(name)}</dt><dd>{told}</dd>\n" for name, told in repeated(repeats))
    yield f"<h2>Repeated evals</h2>\n<dl>{rates}</dl>\n" if rates else ""
    yield "</main>\n</body>\n</html>\n"


def policy() -> str:
    """Return the page's own Content-Security-Policy: its style, and nothing else from anywhere. Source: CSP 3."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _why(run: Run) -> Iterator[str]:
    if run.error is not None:
        yield f"The run did not complete: {run.error}"


def _rate(run: Run) -> str:
    """Return the pass rate in words, and as a point on its interval; errors count as not passed."""
    of = run.passed + run.failed + run.errors
    if not of:
        return ""
    low, high = (round(bound * 100, 1) for bound in wilson(run.passed, of))
    told = rate_of(run.passed, of)
    return (
        f'<p>{told}</p>\n<svg viewBox="0 0 100 5" preserveAspectRatio="none" role="img" aria-label="{told}">'
        '<rect class="track" x="0" y="2" width="100" height="1"></rect>'
        f'<rect class="range" x="{low}" y="1" width="{round(high - low, 1)}" height="3"></rect>'
        f'<rect class="point" x="{round(99 * run.passed / of, 1)}" y="0" width="1" height="5"></rect></svg>\n'
    )


def _facts(run: Run) -> str:
    return f"<dl>{''.join(f'<dt>{name}</dt><dd>{_text(value)}</dd>' for name, value in facts_of(run))}</dl>\n"


def _trial(result: TrialResult, *, is_open: bool) -> str:
    more = ", ".join([f"{result.duration_ms / 1000:.1f} s", *([result.type] if result.type else []), *result.tags])
    inside = "" if result.error is None else _labelled("Error", result.error)
    inside += _trouble(result.transcript.trouble)
    turns = max([len(result.transcript.exchanges), *(one.turn + 1 for one in result.checks if one.turn is not None)])
    inside += "".join(_turn(index, result) for index in range(turns))
    outcome = [check for check in result.checks if check.turn is None]
    if outcome:
        inside += f"<h3>Outcome</h3>\n{''.join(map(_check, outcome))}"
    spending = {"agent": agent_usage(result), "judge": judge_usage(result), "simulated user": result.user_usage}
    for who, usage in spending.items():
        if usage is not None:
            inside += f'<p class="more">Models of the {who}: {spent(usage)}</p>\n'
    return (
        f'<details class="trial {result.verdict.value}"{" open" if is_open else ""}>'
        f'<summary>{_mark(result.verdict)} <span class="name">{_text(title_of(result))}</span> '
        f'<span class="more">{WORDS[result.verdict]}, {_text(more)}</span></summary>\n{inside}</details>\n'
    )


def _turn(index: int, result: TrialResult) -> str:
    checks = "".join(_check(check) for check in result.checks if check.turn == index)
    if index >= len(result.transcript.exchanges):
        return f"<h3>Turn {index + 1}</h3>\n<p>not reached</p>\n{checks}"
    exchange = result.transcript.exchanges[index]
    taken = "" if exchange.response_ms is None else f", answered in {exchange.response_ms / 1000:.2f} s"
    return f"<h3>Turn {index + 1}{taken}</h3>\n{_exchange(exchange)}{checks}"


def _exchange(exchange: Exchange) -> str:
    said = to_json(exchange.event) if exchange.user is None else exchange.user
    text = _labelled("Event" if exchange.user is None else "User", said, "user")
    text += "".join(_labelled("Agent", reply.text) for reply in exchange.replies)
    text += "".join(_labelled("On the way", remark.text) for remark in exchange.remarks)
    text += "".join(map(_tool_call, exchange.tool_calls))
    for event in exchange.workflows:
        given = "" if event.input is None else f" {to_json(event.input)}"
        text += _labelled("Workflow", f"{event.name} {event.status}{given}", "code")
    return text + _state(exchange.state) + _trouble(exchange.trouble)


def _tool_call(call: ToolCall) -> str:
    arguments = to_json(call.arguments) if call.malformed is None else call.malformed
    inside = _labelled("Arguments", arguments, "code")
    inside += (
        _labelled("Result", to_json(call.result), "code") if call.error is None else _labelled("Error", call.error)
    )
    what = "Transfer" if call.transfer else "Tool"
    within = f" within {call.within}" if call.within else ""
    ended = " failed" if call.error is not None else ""
    return _folded(f"{what} {call.name}{within}{ended}", inside)


def _state(state: State | None) -> str:
    if state is None:
        return ""
    scopes: Mapping[str, object] = {"bot": state.bot, "user": state.user, "conversation": state.conversation}
    return _folded("State", "".join(_labelled(name, to_json(data), "code") for name, data in scopes.items() if data))


def _check(check: CheckResult) -> str:
    told = {
        "Reason": check.reason,
        "Expected": check.expected,
        "Actual": check.actual,
        "At": check.where,
        "Note": check.note,
        "Warning": check.warning,
    }
    inside = "".join(_labelled(label, text) for label, text in told.items() if text is not None)
    if check.votes:
        inside += _folded("Judge's answers", "".join(map(_vote, check.votes)))
    name = f'<span class="code">{_text(f"{check.category}.{check.check}")}</span>'
    return f'<div class="check"><p>{_mark(check.verdict)} {name} {WORDS[check.verdict]}</p>\n{inside}</div>\n'


def _vote(vote: Vote) -> str:
    answer = to_json(vote.answer) if vote.answer is not None else "no answer" if vote.score is None else str(vote.score)
    label = f"{vote.model or 'The judge'}, asked: {vote.asked}"
    return _labelled(label, f"{answer}\n{vote.reason}", "code")


def _trouble(trouble: Trouble | None) -> str:
    if trouble is None:
        return ""
    text = trouble.message if trouble.detail is None else f"{trouble.message}\n{trouble.detail}"
    return _labelled("Trouble, the agent's own" if trouble.by_agent else "Trouble on the way to the agent", text)


def _folded(label: str, inside: str) -> str:
    return f"<details><summary>{_text(label)}</summary>\n{inside}</details>\n"


def _labelled(label: str, text: str, style: str = "plain") -> str:
    """Return text of others below a label; `style` is one of ours."""
    return f'<p class="more">{_text(label)}</p>\n<div class="text {style}">{_text(text)}</div>\n'


def _mark(verdict: Verdict) -> str:
    return f'<span class="verdict {verdict.value}">{MARKS[verdict]}</span>'


def _text(text: str) -> str:
    """Return text as a page holds it: marked characters escaped, invisible ones made visible."""
    return escape(printable(text))
