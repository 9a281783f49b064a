"""What code makes of a judge's answer about a clause: it counts as far as its evidence shows it, and no further."""

from dataclasses import dataclass
from typing import Literal

from audition.scoring.clauses import Clause, ClauseAnswer, Quote
from audition.scoring.evidence import Sources
from audition.scoring.verdict_like import verdict_like

Doubt = Literal["quote", "reply", "tool", "result", "not_outcome", "no_result", "call", "faithful"]
"""What is wrong with an answer, so that it has to be asked for again."""

DOUBTS: dict[Doubt, str] = {
    "quote": "a quote does not stand in the source it names",
    "reply": "a clause about what is said is met only with a quote of a reply that is judged",
    "tool": "a clause about the use of tools is met only with a quote of a tool call",
    "result": "a clause about what a tool returns is met only with a quote of what a tool returned",
    "not_outcome": "only a clause about what a tool returns, or about the world outside, can be void",
    "no_result": "a clause is void only with a quote of a tool's result that contradicts it",
    "call": "a clause is void only when it is said whether the tool call was the right one",
    "faithful": "a clause is void only when it is said whether the replies are faithful to what the tools returned",
}
"""Each doubt in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What became of a clause, and why. `doubt` not None: the answer does not hold, and `status` is `unsure`.

    `quote` is the piece of evidence that is shown with it, None for none.
    """

    status: Literal["met", "unmet", "void", "unsure"]
    reason: str
    doubt: Doubt | None = None
    quote: Quote | None = None


def rule_on(clause: Clause, answer: ClauseAnswer, sources: Sources) -> Ruling:
    """Return what an answer comes to, once its evidence has been looked up."""
    if not all(map(sources.holds, answer.evidence)):
        return _doubt("quote")
    if not sources.tools_seen and clause.type in ("tool_use", "tool_outcome"):
        return Ruling(status="unsure", reason="the agent could not be observed: it did not show its tools")
    if answer.status == "met":
        return _met(clause, answer, sources)
    if answer.status == "void":
        return _void(clause, answer, sources)
    quote = answer.evidence[0] if answer.evidence else None
    return Ruling(status=answer.status, reason=answer.reasoning, quote=quote)


def _met(clause: Clause, answer: ClauseAnswer, sources: Sources) -> Ruling:
    """Return that a clause is met, if there is evidence of its kind; what must not be done needs none."""
    kinds: dict[str, tuple[Doubt, list[Quote]]] = {
        "coverage": ("reply", [one for one in answer.evidence if sources.from_reply(one)]),
        "style": ("reply", [one for one in answer.evidence if sources.from_reply(one)]),
        "tool_use": ("tool", [one for one in answer.evidence if one.source in sources.calls]),
        "tool_outcome": ("result", [one for one in answer.evidence if sources.from_result(one)]),
    }
    doubt, shown = kinds.get(clause.type, (None, list(answer.evidence)))
    if doubt is not None and not shown:
        return _doubt(doubt)
    return Ruling(status="met", reason=answer.reasoning, quote=shown[0] if shown else None)


def _void(clause: Clause, answer: ClauseAnswer, sources: Sources) -> Ruling:
    """Return that nobody can be held to a clause, if all that this takes is there; else it is graded, or in doubt.

    (a) The clause says what a tool returns; (b) a quote of what a tool returned contradicts it; (c) the call was right;
    (d) the replies are faithful to the result; (e) it was not met anyway, or the judge would have said so.
    """
    if clause.type != "tool_outcome":
        return _doubt("not_outcome")
    if not sources.calls:
        return Ruling(status="unmet", reason="no tool was called, so no result contradicts it")
    if answer.call == "wrong":
        return Ruling(status="unmet", reason=f"the agent did not make the right tool call: {answer.reasoning}")
    if answer.faithful is False or not sources.judged:
        return Ruling(status="unmet", reason=f"the replies do not say what the tools returned: {answer.reasoning}")
    # Words in a result that speak to the judge contradict no clause.
    cited = [one for one in answer.evidence if sources.from_result(one) and verdict_like(one.text) is None]
    if not cited:
        return _doubt("no_result")
    if answer.call is None or answer.faithful is None:
        return _doubt("call" if answer.call is None else "faithful")
    origins = {sources.origin(one.source) for one in cited}
    if "wrong" in origins:
        return Ruling(
            status="unmet", reason="the arguments of the tool call are not what was asked for", quote=cited[0]
        )
    if "unknown" in origins:
        reason = "it cannot be told where the arguments of the tool call come from, so the clause cannot be void"
        return Ruling(status="unsure", reason=reason, quote=cited[0])
    return Ruling(status="void", reason=answer.reasoning, quote=cited[0])


def _doubt(doubt: Doubt) -> Ruling:
    return Ruling(status="unsure", reason=DOUBTS[doubt], doubt=doubt)
