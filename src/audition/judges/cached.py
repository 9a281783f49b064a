"""A judge that remembers: the same question is put to another judge once."""

import asyncio
import hashlib
import json
from collections.abc import Collection, MutableMapping
from contextlib import nullcontext
from dataclasses import asdict, replace
from weakref import WeakValueDictionary

from audition.judges import Grade, Judge
from audition.llm.trial import of_no_trial
from audition.scoring.rule import Question
from audition.transcript import Usage

_NOTHING_SPENT = Usage(calls=0, input_tokens=0, output_tokens=0, cost_usd=0.0)


class Cached:
    """Remembers the grades of one judge in `cache`, which must hold no other judge's; errors are not remembered.

    A remembered grade has spent nothing. Of identical questions asked side by side, the others wait for the first.
    `scales`: those whose questions are remembered, None for all. `within_trial`: all that asks belongs to one trial.
    """

    def __init__(
        self,
        judge: Judge,
        cache: MutableMapping[str, Grade],
        *,
        scales: Collection[str] | None = None,
        within_trial: bool = False,
    ) -> None:
        self._judge, self._cache, self._scales, self._within_trial = judge, cache, scales, within_trial
        self._asking: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def grade(self, question: Question) -> Grade:
        """Return the grade from the cache, else the judge's.

        Raises: JudgeError when the judge has none.
        """
        if self._scales is not None and question.scale not in self._scales:
            return await self._judge.grade(question)
        key = cache_key(question)
        lock = self._asking.setdefault(key, asyncio.Lock())
        async with lock:
            known = self._cache.get(key)
            if known is not None:
                votes = tuple(replace(vote, usage=_NOTHING_SPENT) for vote in known.votes)
                return replace(known, usage=_NOTHING_SPENT, votes=votes)
            # Else the grade is every trial's that asks the same.
            with nullcontext() if self._within_trial else of_no_trial():
                self._cache[key] = grade = await self._judge.grade(question)
            return grade


def cache_key(question: Question) -> str:
    """Return the text under which a question's grade is kept: the SHA-256 of its canonical JSON, in hexadecimal."""
    canonical = json.dumps(asdict(question), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
