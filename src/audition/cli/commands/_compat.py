"""Judging evals where another tool and audition disagree: its verdicts, or notes of where they would differ."""

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from importlib import import_module

from audition.engine.perform import Scorer
from audition.evals import Eval
from audition.results import TrialResult
from audition.scoring.score import score


@dataclass(frozen=True, slots=True, kw_only=True)
class Compatibility:
    """What may be asked of another tool's way of judging: `note`, `strict`, or nothing (None).

    `engine` is the module that judges as that tool does (`score`) and says where it would differ (`with_notes`).
    `strict_remark` is what a run says of itself when its verdicts are that tool's. `is_theirs` tells its evals.
    """

    engine: str
    strict_remark: str
    is_theirs: Callable[[Eval], bool]

    def scorer(self, asked: str | None) -> Scorer:
        """Return how transcripts are judged."""
        if asked != "strict":
            return score
        strict: Scorer = import_module(self.engine).score  # few runs want it
        return strict

    def remarks(self, asked: str | None) -> tuple[str, ...]:
        """Return what a run has to say of how it was judged."""
        return (self.strict_remark,) if asked == "strict" else ()

    def noted(
        self, results: AsyncGenerator[TrialResult], evals: Mapping[str, Eval], asked: str | None, *, unasked: bool
    ) -> AsyncGenerator[TrialResult]:
        """Return the results, with notes where they are asked for; with `unasked`, on the tool's own evals (by name).

        There are none where the tool's verdicts are given.
        """
        own = asked is None and unasked
        wanted = {name: one for name, one in evals.items() if asked == "note" or (own and self.is_theirs(one))}
        return self._noted(results, wanted) if wanted else results

    async def _noted(
        self, results: AsyncGenerator[TrialResult], evals: Mapping[str, Eval]
    ) -> AsyncGenerator[TrialResult]:
        with_notes = import_module(self.engine).with_notes
        async with aclosing(results):
            async for result in results:
                one = evals.get(result.eval_name)
                yield result if one is None else with_notes(one, result)
