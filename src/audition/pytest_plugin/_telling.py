"""What a failed test says: what did not hold, beside what was said and done."""

from audition.reports.text import result_text
from audition.results import TrialResult, Verdict


def told(result: TrialResult) -> str:
    """Return a line that says why the result is no pass, and below it the conversation with its checks."""
    _, _, conversation = result_text(result, verbose=True).partition("\n")
    return f"{_headline(result)}\n{conversation}".rstrip("\n")


def _headline(result: TrialResult) -> str:
    if result.verdict is not Verdict.FAIL:
        return f"could not be evaluated: {result.error}"
    failed = next(check for check in result.checks if check.verdict is Verdict.FAIL)
    where = "at the end" if failed.turn is None else f"on turn {failed.turn + 1}"
    if failed.category == "agent":
        return f"the agent, {where}: {failed.reason}"
    reason = f": {failed.reason}" if failed.reason else ""
    return f"{failed.category}.{failed.check} did not hold {where}{reason}"
