"""The version of a judge: what it was found to be holds for one model and one prompt, and for no other."""

import hashlib
from collections.abc import Sequence
from typing import get_args

from audition.judges import llm
from audition.scoring.rule import Question, Scale

_SCALES: Sequence[Scale] = get_args(Scale)


def prompt_hash() -> str:
    """Return the SHA-256, in hexadecimal, of all that judges are told whatever the question, and of their schemas."""
    told = [llm.prompt_hash(_question(scale, reference)) for scale in _SCALES for reference in (None, "reference")]
    return hashlib.sha256("".join(told).encode()).hexdigest()


def _question(scale: Scale, reference: str | None) -> Question:
    return Question(
        criterion="criterion", response="response", conversation=(), threshold=1, scale=scale, reference=reference
    )
