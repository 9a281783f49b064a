"""What `audition judge` has to say, as text for people and as data for programs."""

from collections.abc import Iterator, Mapping, Sequence

from audition.judges.calibration import Compared
from audition.judges.canaries import VOID
from audition.judges.examination import Examination, Sighting
from audition.reports.text import MARKS
from audition.results import Verdict
from audition.statistics.agreement import (
    accuracy,
    base_rate,
    kappa,
    sensitivity,
    sensitivity_interval,
    specificity,
    specificity_interval,
)
from audition.store.judges import Standing
from audition.text import printable
from audition.transcript import Usage

_SHORT = 12


def examination_lines(standing: Standing, found: Examination, repeats: int) -> Iterator[str]:
    """Yield what the doctor found: a line a part, and below it the canaries that did not get what they must."""
    times = "once" if repeats == 1 else f"{repeats} times"
    yield printable(f"{standing.model}, prompt {standing.prompt[:_SHORT]}, each question {times}")
    for part in found.parts:
        yield f"{MARKS[part.verdict]} {part.name}: {part.told}"
        for one in part.sightings:
            if one.verdict is not Verdict.PASS:
                yield f"    {MARKS[one.verdict]} {_canary(one)}"
    yield f"{MARKS[found.verdict]} {_CONCLUSIONS[found.verdict]}"


def examination_data(
    standing: Standing, found: Examination, repeats: int, problems: Sequence[str | None], usage: Usage | None
) -> dict[str, object]:
    """Return what the doctor found as data; `problems` are why answers are missing."""
    told = list(dict.fromkeys(problem for problem in problems if problem is not None))
    return {
        "model": standing.model,
        "prompt": standing.prompt,
        "fingerprint": standing.fingerprint,
        "verdict": found.verdict.value,
        "repeats": repeats,
        "parts": [
            {
                "name": part.name,
                "verdict": part.verdict.value,
                "told": part.told,
                "canaries": [_sighting(one) for one in part.sightings],
            }
            for part in found.parts
        ],
        "problems": told,
        "usage": usage_data(usage),
    }


def comparison_lines(standing: Standing, compared: Compared, missing: Sequence[str]) -> Iterator[str]:
    """Yield how a judge compares with people, and what keeps it from a better status."""
    seen = compared.seen
    yield printable(f"{standing.model}, prompt {standing.prompt[:_SHORT]}")
    yield f"{seen.total} labels answered, {compared.unanswered} not"
    yield ""
    yield "                 judge: pass   judge: fail"
    yield f"people: pass     {seen.true_pass:11}   {seen.false_fail:11}"
    yield f"people: fail     {seen.false_pass:11}   {seen.true_fail:11}"
    yield ""
    yield f"accuracy     {_rate(accuracy(seen))}"
    yield f"kappa        {_rate(kappa(seen))} (people let pass {_rate(base_rate(seen))} of all)"
    yield f"sensitivity  {_rate(sensitivity(seen))} {_interval(sensitivity_interval(seen))}"
    yield f"specificity  {_rate(specificity(seen))} {_interval(specificity_interval(seen))}"
    yield ""
    yield f"status: {_status(standing)}"
    yield from (f"  {reason}" for reason in missing)


def comparison_data(
    standing: Standing, compared: Compared, missing: Sequence[str], problems: Sequence[str | None], usage: Usage | None
) -> dict[str, object]:
    """Return how a judge compares with people as data."""
    seen = compared.seen
    return {
        "model": standing.model,
        "prompt": standing.prompt,
        "status": standing.calibration.status if standing.calibration else "uncalibrated",
        "least_bound": standing.calibration.least_bound if standing.calibration else None,
        "missing": list(missing),
        "answered": seen.total,
        "unanswered": compared.unanswered,
        "confusion": {
            "true_pass": seen.true_pass,
            "false_pass": seen.false_pass,
            "false_fail": seen.false_fail,
            "true_fail": seen.true_fail,
        },
        "accuracy": accuracy(seen),
        "base_rate": base_rate(seen),
        "kappa": kappa(seen),
        "sensitivity": sensitivity(seen),
        "sensitivity_interval": sensitivity_interval(seen),
        "specificity": specificity(seen),
        "specificity_interval": specificity_interval(seen),
        "problems": list(dict.fromkeys(problem for problem in problems if problem is not None)),
        "usage": usage_data(usage),
    }


def standing_row(standing: Standing) -> tuple[str, ...]:
    """Return what is known of a judge as the cells of a row."""
    checkup, calibration = standing.checkup, standing.calibration
    seen = "not seen by the doctor" if checkup is None else f"doctor: {checkup.verdict} on {checkup.date[:10]}"
    status = _status(standing) if calibration is None else f"{_status(standing)} since {calibration.date[:10]}"
    return standing.model, f"prompt {standing.prompt[:_SHORT]}", seen, status


def usage_data(usage: Usage | None) -> Mapping[str, object] | None:
    """Return what was spent as data; None when nobody knows."""
    if usage is None:
        return None
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


def _status(standing: Standing) -> str:
    """Return the status; that of a certified judge with the bound that it reached."""
    found = standing.calibration
    if found is None:
        return "uncalibrated"
    reached = f" (both bounds at least {found.least_bound:g})" if found.least_bound is not None else ""
    return found.status + (reached if found.status == "certified" else "")


_CONCLUSIONS = {
    Verdict.PASS: "nothing was found that speaks against this judge",
    Verdict.FAIL: "this judge is not to be trusted as it is",
    Verdict.ERROR: "it could not be told whether this judge is to be trusted",
    Verdict.SKIP: "nothing was looked at",
}


_OF_CRITERIA = {1: "met", 0: "unmet", VOID: "void"}


def _canary(one: Sighting) -> str:
    answers = ", ".join("none" if answer is None else str(answer) for answer in _answers(one))
    return f"{one.canary.name} ({one.canary.scale}): wanted {_wanted(one)}, answered {answers}"


def _answers(one: Sighting) -> list[int | str | None]:
    """Return the answers as they are told: those about criteria in words."""
    if one.canary.scale != "criteria":
        return list(one.scores)
    return [None if score is None else _OF_CRITERIA[score] for score in one.scores]


def _wanted(one: Sighting) -> str:
    if one.canary.scale != "criteria":
        return one.canary.wanted
    return {"high": "met", "low": "unmet", "void": "void"}[one.canary.wanted]


def _sighting(one: Sighting) -> dict[str, object]:
    return {
        "name": one.canary.name,
        "scale": one.canary.scale,
        "wanted": _wanted(one),
        "verdict": one.verdict.value,
        "scores": _answers(one),
    }


def _rate(value: float | None) -> str:
    return "not known" if value is None else f"{value:.2f}"


def _interval(bounds: tuple[float, float]) -> str:
    return f"(95 % interval {bounds[0]:.2f} to {bounds[1]:.2f})"
