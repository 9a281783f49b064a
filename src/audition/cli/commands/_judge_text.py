"""What `audition judge` has to say, as text for people and as data for programs."""

from collections.abc import Iterator, Mapping, Sequence

from audition.judges.calibration import Compared
from audition.judges.canaries import Examination, Sighting
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
    yield f"status: {standing.calibration.status if standing.calibration else 'uncalibrated'}"
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
    status = "uncalibrated" if calibration is None else f"{calibration.status} since {calibration.date[:10]}"
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


_CONCLUSIONS = {
    Verdict.PASS: "nothing was found that speaks against this judge",
    Verdict.FAIL: "this judge is not to be trusted as it is",
    Verdict.ERROR: "it could not be told whether this judge is to be trusted",
    Verdict.SKIP: "nothing was looked at",
}


def _canary(one: Sighting) -> str:
    answers = ", ".join("none" if score is None else str(score) for score in one.scores)
    return f"{one.canary.name} ({one.canary.question.scale}): wanted {one.canary.wanted}, answered {answers}"


def _sighting(one: Sighting) -> dict[str, object]:
    return {
        "name": one.canary.name,
        "scale": one.canary.question.scale,
        "wanted": one.canary.wanted,
        "verdict": one.verdict.value,
        "scores": list(one.scores),
    }


def _rate(value: float | None) -> str:
    return "not known" if value is None else f"{value:.2f}"


def _interval(bounds: tuple[float, float]) -> str:
    return f"(95 % interval {bounds[0]:.2f} to {bounds[1]:.2f})"
