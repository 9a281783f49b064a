"""Two evals have the same conversation, so one of them adds nothing, or one situation counts twice."""

import re
from collections.abc import Iterator, Sequence

from audition.evals import Eval
from audition.scoring.lint._criterion import LintFinding, Severity
from audition.scoring.lint._evals import EvalFinding

CODE = "L12"
SEVERITY: Severity = "warning"
EXAMPLE = '"Where is my order?" in one eval, and "where is my  order" in another.'
REWRITE = "One eval with the checks of both, or two with the tag cluster:order."

_WORD = re.compile(r"\w{1,40}")


def compare(evals: Sequence[Eval]) -> Iterator[EvalFinding]:
    """Yield each eval whose conversation another one before it has, but for case, spaces and punctuation.

    Evals with another setup are others. So are those that share a tag `cluster:…`: that they are alike is known.
    """
    first: dict[tuple[object, ...], Eval] = {}
    for one in evals:
        said = " / ".join(turn.user if turn.user is not None else repr(turn.event) for turn in one.turns)
        words = tuple(_WORD.findall(said.lower()))
        if not words:
            continue
        other = first.setdefault((len(one.turns), words, repr(one.setup)), one)
        if other is not one and not _clusters(one) & _clusters(other):
            message = f"the conversation is that of {other.name!r}" + (f", at {other.where}" if other.where else "")
            found = LintFinding(code=CODE, severity=SEVERITY, start=0, end=len(said), message=message, rewrite=None)
            yield EvalFinding(eval_name=one.name, key="conversation", text=said, where=one.where, finding=found)


def _clusters(one: Eval) -> set[str]:
    return {tag for tag in one.tags if tag.startswith("cluster:")}
