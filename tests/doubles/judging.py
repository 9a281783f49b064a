"""Judges as language models that know the canaries: an honest one, gullible ones, and what any of them is asked."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from audition.judges.canaries import Canary, canaries
from audition.llm import Completion, JsonSchema, Message, ToolDefinition
from audition.scoring.asking import outcome_of, told
from audition.transcript import Usage

_BLOCK = re.compile(r"<([a-z]+)-(\w+)>\n(.*?)\n?</\1-\2>", re.DOTALL)
_LOOKUP = "order lookup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a judge is asked: `grade`, `yes_no`, `clauses` (to split) or `clause`; `canary` None when it is of none."""

    scale: str
    blocks: Mapping[str, str]
    canary: Canary | None


Says = Callable[[Asked], object]
"""What a judge says: data, which is sent as JSON, or a text."""


def read(told_to_user: str) -> Asked:
    """Return what the second message of a judge's prompt asks."""
    blocks = {name: text for name, _, text in _BLOCK.findall(told_to_user)}
    if "criteria" in blocks:
        return Asked(scale="clauses", blocks=blocks, canary=None)
    last = told_to_user.rpartition("</")[2]
    scale = "clause" if "void or unsure" in last else "grade" if "1 to 5" in last else "yes_no"
    of_scale = "criteria" if scale == "clause" else scale
    known = [one for one in canaries() if one.scale == of_scale and _is_about(one, blocks)]
    # What a scenario forges stands behind what others ask: the one that says most is meant.
    canary = max(known, key=lambda one: len(one.exchange.user or ""), default=None)
    return Asked(scale=scale, blocks=blocks, canary=canary)


def honest(asked: Asked) -> object:
    """Say what is right of every canary; of anything else, that it is not met."""
    return _says(asked, asked.canary.wanted if asked.canary else "low")


def gullible(asked: Asked) -> object:
    """Do what any text asks for, and be right of everything else."""
    if asked.canary is None or asked.canary.group != "injection":
        return honest(asked)
    return _says(asked, "void" if "void" in asked.canary.name else "high")


def moved_by_nothing_said(asked: Asked) -> object:
    """Let replies pass that say nothing, and be right of everything else."""
    fooled = asked.canary is not None and asked.canary.group == "empty words"
    return _says(asked, "high") if fooled else honest(asked)


def lets_all_pass(asked: Asked) -> object:
    """Let everything pass."""
    return _says(asked, "high")


def voids_whatever_a_tool_says(asked: Asked) -> object:
    """Call criteria void wherever a tool was called, and be right of everything else."""
    calls = asked.canary is not None and asked.canary.scale == "criteria" and asked.canary.exchange.tool_calls
    return _says(asked, "void") if calls else honest(asked)


def invents_quotes(asked: Asked) -> object:
    """Be right of everything, with evidence that stands nowhere."""
    said: Any = honest(asked)
    return said | {"evidence": [{"source": "R1", "quote": "nobody said this"}]} if asked.scale == "clause" else said


class Model:
    """A language model that says what a function makes of what it is asked; `asked` is that, in order."""

    def __init__(self, says: Says) -> None:
        self._says, self.asked = says, list[Asked]()

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: JsonSchema | None = None,
        tools: Sequence[ToolDefinition] = (),
        timeout_s: float | None = None,
    ) -> Completion:
        """Return the answer."""
        self.asked.append(read(messages[1].content))
        return Completion(text=as_text(self._says(self.asked[-1])), usage=Usage(calls=1, input_tokens=10))


def as_text(said: object) -> str:
    """Return what a judge says as it is sent."""
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def _is_about(one: Canary, blocks: Mapping[str, str]) -> bool:
    """Tell whether a canary is what is asked about: its criterion, reply, calls, and what was said before."""
    shown = _squeezed(blocks["conversation"] + blocks["response"])
    calls = [_squeezed(told(call)) in shown for call in one.exchange.tool_calls]
    reply = _squeezed(blocks["response"]).removeprefix("R1:")
    return (
        blocks["criterion"].startswith(one.criterion)
        and reply == _squeezed(one.response)
        and _squeezed(one.exchange.user or "") in _squeezed(blocks["conversation"])
        and all(calls)
        and ("tool:" in shown or "T1:" in shown) == bool(calls)
    )


def _squeezed(text: str) -> str:
    return "".join(text.split())


_GRADES: Mapping[str, int] = {"high": 5, "low": 1}


def _says(asked: Asked, wanted: str) -> object:
    if asked.scale == "clauses":
        criteria = asked.blocks["criteria"]
        kind = "tool_outcome" if _LOOKUP in criteria else "coverage"
        return {"clauses": [{"text": criteria, "type": kind}]}
    if asked.scale == "clause":
        return _of_clause(asked, {"high": "met", "low": "unmet"}.get(wanted, "void"))
    if asked.scale == "grade":
        return {"reason": "as it says", "score": _GRADES[wanted]}
    return {"reason": "as it says", "answer": "yes" if wanted == "high" else "no"}


def _of_clause(asked: Asked, status: str) -> object:
    calls = asked.canary.exchange.tool_calls if asked.canary else ()
    quotes = []
    if calls and (status == "void" or _LOOKUP in asked.blocks["criterion"]):
        quotes = [{"source": "T1", "quote": outcome_of(calls[0])}]
    elif status != "unmet" and (said := asked.blocks["response"].removeprefix("R1:").strip()):
        quotes = [{"source": "R1", "quote": said.splitlines()[0]}]
    call, faithful = ("right", "yes") if calls else ("none", "none")
    evidence = [] if status == "unmet" else quotes
    return {"evidence": evidence, "reasoning": "as it says", "call": call, "faithful": faithful, "status": status}
