"""What ADK says of a transcript, and where that is not what audition says.

Source: google-adk 2.13. Its numbers for tool trajectories and word overlap, and what it makes of a whole case: a metric
that could not be evaluated is left out, and the final session state is not looked at.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from audition.evals import Check, Data, Eval, Reference, ToolCallReference, Turn
from audition.results import CheckResult, TrialResult, Verdict
from audition.scoring.checks import CATEGORIES, overlap, trajectory
from audition.scoring.metric import TOLERANCE, shown_score
from audition.scoring.overlap import rouge_1
from audition.scoring.rule import Finding, Inquiry, OpenCheck, Opinion
from audition.scoring.score import Row
from audition.scoring.score import score as documented
from audition.scoring.trajectory import Comparison, Mode, own_calls
from audition.transcript import Exchange, ToolCall, Transcript, response_text

METRICS = frozenset(
    {"trajectory", "overlap", "measure", "reference_match", "rubric", "grounding", "simulated_user", "custom"}
)
"""The check categories that ADK's metrics become."""

_OURS = frozenset({"args", "params", "graded"})
"""What a trajectory check may say that ADK has no word for."""

_LEFT_OUT = "ADK leaves out what it could not evaluate"

_SILENT_REFERENCE = {
    "overlap": "it scores a turn without a reference text 0",
    "trajectory": "it takes a reference that says nothing of tools for one that expects no call",
}


def score(eval: Eval, transcript: Transcript, *, judge_pass_threshold: int) -> list[Row]:
    """Return one row for each check as `scoring.score.score` does, with ADK's verdicts and numbers for its metrics.

    What ADK leaves out is skipped, so that the case passes on the rest. A trial that did not come to its end, checks of
    turns, categories that ADK has not got and what nobody could see stay as they are. Without a judge, metrics that
    need one stay errors.
    """
    rows = documented(eval, transcript, judge_pass_threshold=judge_pass_threshold)
    if not _finished(eval, transcript):
        return rows
    at = len(rows) - len(eval.outcome)
    pairs = zip(eval.outcome, rows[at:], strict=True)
    return [*rows[:at], *(_theirs(eval, transcript, check, row) for check, row in pairs)]


def with_notes(eval: Eval, result: TrialResult) -> TrialResult:
    """Return a result whose checks note where ADK would give another verdict or number for the same transcript.

    `eval` is what the result was judged by, as documented.
    """
    if not result.checks or not _finished(eval, result.transcript):
        return result
    at = len(result.checks) - len(eval.outcome)
    pairs = zip(eval.outcome, result.checks[at:], strict=True)
    noted = [_noted(eval, result.transcript, check, ours) for check, ours in pairs]
    return replace(result, checks=(*result.checks[:at], *noted))


def _finished(eval: Eval, transcript: Transcript) -> bool:
    exchanges = transcript.exchanges
    whole = transcript.trouble is None and len(exchanges) >= len(eval.turns)
    return whole and not any(exchange.trouble for exchange in exchanges)


def _theirs(eval: Eval, transcript: Transcript, check: Check, row: Row) -> Row:
    """Return what ADK makes of a check of the outcome, given what it comes to as documented."""
    observes = transcript.observes
    if check.category != "state" and observes is not None and CATEGORIES.get(check.category).FACET not in observes:
        return row
    if isinstance(row, OpenCheck):
        asked = row.question
        if check.category not in METRICS or not isinstance(asked, Inquiry):
            return row
        return replace(row, question=_lenient(asked))
    found = _found(eval.turns, transcript.exchanges, check)
    if found is not None:
        return _told(row, found)
    if check.category in METRICS and row.verdict is Verdict.ERROR:
        return replace(row, verdict=Verdict.SKIP, reason=f"{_LEFT_OUT}: {row.reason}")
    return row


def _found(turns: Sequence[Turn], exchanges: Sequence[Exchange], check: Check) -> Finding | None:
    """Return what ADK says of a check; None where it says what we do, or knows no such check."""
    if check.category == "state":
        return Finding(verdict=Verdict.SKIP, reason="ADK does not look at the final session state")
    if check.category == "overlap":
        return _against(_overlaps(turns, exchanges), _threshold(check.spec, overlap.DEFAULT_THRESHOLD))
    if check.category == "trajectory" and not check.spec.keys() & _OURS:
        return _against(
            _trajectories(turns, exchanges, check.spec), _threshold(check.spec, trajectory.DEFAULT_THRESHOLD)
        )
    return None


def _overlaps(turns: Sequence[Turn], exchanges: Sequence[Exchange]) -> Iterator[float]:
    for turn, exchange in zip(turns, exchanges, strict=False):
        yield rouge_1(_text_by_adk(turn), response_text(exchange))


def _trajectories(turns: Sequence[Turn], exchanges: Sequence[Exchange], spec: Data) -> Iterator[float]:
    mode = cast(Mode, spec.get("match_type", "EXACT"))
    arguments = _AsPython(ignored=spec.get("ignore_args") is True)
    for turn, exchange in zip(turns, exchanges, strict=False):
        yield float(Comparison(_expected_by_adk(turn), own_calls(exchange), arguments).held(mode))


class _AsPython:
    """Arguments are compared by Python's `==`; none at all (null) are other arguments than `{}`."""

    def __init__(self, *, ignored: bool) -> None:
        self._ignored = ignored

    def misses(self, expected: ToolCallReference, call: ToolCall) -> list[str]:
        alike = expected.arguments is not None and _plain(expected.arguments) == _plain(call.arguments)
        return [] if self._ignored or alike else ["its arguments differ"]


def _expected_by_adk(turn: Turn) -> list[ToolCallReference]:
    """Return the calls a turn expects, arguments None being null: a reference that says nothing expects none."""
    calls = list(_reference(turn).tool_calls or ())
    written = _written_calls(turn.extra.get("intermediate_data"))
    if len(written) != len(calls):
        return calls
    null = [one.get("args") is None for one in written]
    return [replace(call, arguments=None) if lost else call for call, lost in zip(calls, null, strict=True)]


def _written_calls(intermediate: object) -> list[Data]:
    """Return the expected calls as a file of ADK's has them, where it has them in another form than we would write."""
    if not isinstance(intermediate, Mapping):
        return []
    events = intermediate.get("invocation_events", ())
    parts = [part for event in events for part in event.get("content", {}).get("parts", ())]
    return [*intermediate.get("tool_uses", ())] or [part["function_call"] for part in parts if "function_call" in part]


def _text_by_adk(turn: Turn) -> str:
    """Return the expected answer: in a file of ADK's that has them, thoughts are part of it."""
    written = turn.extra.get("final_response")
    if not isinstance(written, Mapping):
        return _reference(turn).response or ""
    return "\n".join(part["text"] for part in written.get("parts", ()) if part.get("text"))


def _against(scores: Iterator[float], threshold: float) -> Finding:
    """Return what the scores of the turns come to: their plain mean must be at least the threshold."""
    given = tuple(scores)
    if not given:
        return Finding(verdict=Verdict.SKIP, reason=f"{_LEFT_OUT}: no turn was expected")
    total = 0.0
    for one in given:  # and not sum(), which rounds less from Python 3.12 on
        total += one
    mean = total / len(given)
    return Finding(
        verdict=Verdict.PASS if mean >= threshold else Verdict.FAIL,
        expected=f"a score of at least {threshold!r}",
        actual=f"{mean!r}" + (f" (turns: {', '.join(map(shown_score, given))})" if len(given) > 1 else ""),
        score=mean,
        threshold=threshold,
        turn_scores=given,
    )


def _lenient(asked: Inquiry) -> Inquiry:
    """Return the same questions, with no opinion at all taken for a metric that is left out."""
    return replace(asked, conclude=partial(_conclude, asked.conclude))


def _conclude(
    conclude: Callable[[Sequence[Opinion]], Finding | Inquiry], opinions: Sequence[Opinion]
) -> Finding | Inquiry:
    found = conclude(opinions)
    if isinstance(found, Inquiry):
        return _lenient(found)
    if found.verdict is not Verdict.ERROR:
        return found
    return replace(found, verdict=Verdict.SKIP, reason=f"{_LEFT_OUT}: {found.reason}")


def _told(row: CheckResult, found: Finding) -> CheckResult:
    """Return a row with what ADK found in place of what it says; our reason stays where the verdict does."""
    return replace(
        row,
        verdict=found.verdict,
        expected=found.expected,
        actual=found.actual,
        reason=row.reason if found.verdict is row.verdict else found.reason,
        score=found.score,
        threshold=found.threshold,
        turn_scores=found.turn_scores,
    )


def _noted(eval: Eval, transcript: Transcript, check: Check, ours: CheckResult) -> CheckResult:
    theirs = _theirs(eval, transcript, check, ours)
    if not isinstance(theirs, CheckResult):
        return ours
    harmless = ours.verdict in (Verdict.PASS, Verdict.SKIP) and theirs.verdict is Verdict.SKIP
    if harmless or (theirs.verdict is ours.verdict and _alike(ours.score, theirs.score)):
        return ours
    if theirs.verdict is Verdict.SKIP:
        note = theirs.reason
    else:
        why = _why(eval.turns, check, ours, theirs)
        note = f"ADK would {theirs.verdict} this (score {theirs.score!r}): {why}"
    return replace(ours, note=note if ours.note is None else f"{ours.note}; {note}")


def _alike(one: float | None, other: float | None) -> bool:
    return one == other if one is None or other is None else abs(one - other) <= TOLERANCE


def _why(turns: Sequence[Turn], check: Check, ours: CheckResult, theirs: CheckResult) -> str:
    """Return why ADK differs on a metric that it scored."""
    scores = zip(turns, ours.turn_scores, theirs.turn_scores, strict=False)
    differing = [(turn, own) for turn, own, other in scores if not _alike(own, other)]
    if not differing:
        return "it adds up with rounding errors"
    if any(own is None for _, own in differing):
        return _SILENT_REFERENCE[check.category]
    if any(call.arguments is None for turn, _ in differing for call in _expected_by_adk(turn)):
        return "it takes arguments that are null, or left out, for others than {}"
    return "it compares arguments as Python does: true is 1, and texts must be the same to the byte"


def _reference(turn: Turn) -> Reference:
    return turn.reference or Reference()


def _threshold(spec: Data, default: float) -> float:
    given = spec.get("threshold")
    return float(given) if isinstance(given, int | float) else default


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
