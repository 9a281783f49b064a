"""What the tests of scoring share: a check decided in one line, and the faults of a shape as texts."""

from collections.abc import Callable, Mapping

import pytest

from audition.documents.shape import Shape, read_all
from audition.evals import Check, Eval, Turn
from audition.results import CheckResult
from audition.scoring.checks import CATEGORIES
from audition.scoring.rule import OpenCheck
from audition.scoring.score import score
from audition.transcript import Exchange, State, Transcript

Decide = Callable[..., CheckResult | OpenCheck]
FaultsOf = Callable[[Shape, object], list[str]]


@pytest.fixture
def decide() -> Decide:
    """Return what becomes of one check, written as in a file, on the last of some exchanges (or the outcome)."""

    def decided(
        category: str,
        written: Mapping[str, object],
        *exchanges: Exchange,
        baseline: State | None = None,
        outcome: bool = False,
    ) -> CheckResult | OpenCheck:
        spec, faults = read_all(CATEGORIES.get(category).CHECK, written)
        assert faults == []
        check = Check(category=category, spec=spec)
        turns = [Turn(user="hi", response_optional=True) for _ in exchanges]
        if not outcome:
            turns[-1] = Turn(user="hi", checks=(check,))
        eval = Eval(name="e", turns=tuple(turns), outcome=(check,) if outcome else ())
        return score(eval, Transcript(baseline=baseline, exchanges=exchanges), judge_pass_threshold=3)[-1]

    return decided


@pytest.fixture
def faults_of() -> FaultsOf:
    """Return the faults that a shape finds, each as `path: message; hint`."""

    def found(shape: Shape, value: object) -> list[str]:
        _, faults = read_all(shape, value)
        return [f"{'.'.join(map(str, fault.path))}: {fault.message}; {fault.hint}" for fault in faults]

    return found
