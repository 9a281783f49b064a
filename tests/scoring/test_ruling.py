"""What an answer about a clause comes to; whole checks are in test_criteria.py."""

import pytest

from audition.scoring.clauses import Clause, ClauseAnswer, Quote
from audition.scoring.evidence import sources_of
from audition.scoring.ruling import rule_on
from audition.transcript import Exchange, Reply, ToolCall

CALL = ToolCall(name="find", arguments={"q": "shoes"}, result="none left")
SOURCES = sources_of(
    [Exchange(user="Any shoes?", replies=(Reply(text="None left, sorry."),), tool_calls=(CALL,))], judged_from=0
)
REPLY, RESULT = Quote(source="R1", text="None left"), Quote(source="T1", text="none left")
ARGUMENT = Quote(source="T1", text="shoes")


def ruled(kind: str, status: str, *evidence: Quote, call: str | None = None, faithful: bool | None = None) -> str:
    """Return what becomes of a clause, and what is in doubt."""
    answer = ClauseAnswer(evidence=evidence, reasoning="r", call=call, faithful=faithful, status=status)
    ruling = rule_on(Clause(text="c", type=kind), answer, SOURCES)
    return ruling.status if ruling.doubt is None else ruling.doubt


@pytest.mark.parametrize(
    ("kind", "evidence", "comes_to"),
    [
        ("coverage", (REPLY,), "met"),
        ("coverage", (RESULT,), "reply"),
        ("style", (), "reply"),
        ("tool_use", (ARGUMENT,), "met"),
        ("tool_use", (REPLY,), "tool"),
        ("tool_outcome", (RESULT,), "met"),
        ("tool_outcome", (ARGUMENT,), "result"),
        ("forbidden", (), "met"),
        ("forbidden", (Quote(source="R1", text="made up"),), "quote"),
    ],
)
def test_a_clause_is_met_only_with_evidence_of_its_kind(kind, evidence, comes_to):
    assert ruled(kind, "met", *evidence) == comes_to


@pytest.mark.parametrize(
    ("kind", "evidence", "call", "faithful", "comes_to"),
    [
        ("tool_outcome", (RESULT,), "right", True, "void"),
        ("coverage", (RESULT,), "right", True, "not_outcome"),
        ("tool_outcome", (), "right", True, "no_result"),
        ("tool_outcome", (ARGUMENT,), "right", True, "no_result"),
        ("tool_outcome", (RESULT,), None, True, "call"),
        ("tool_outcome", (RESULT,), "right", None, "faithful"),
        ("tool_outcome", (RESULT,), "wrong", True, "unmet"),
        ("tool_outcome", (RESULT,), "right", False, "unmet"),
    ],
)
def test_a_clause_is_void_only_when_all_of_it_holds(kind, evidence, call, faithful, comes_to):
    assert ruled(kind, "void", *evidence, call=call, faithful=faithful) == comes_to


@pytest.mark.parametrize("status", ["unmet", "unsure"])
def test_what_is_not_met_needs_no_evidence(status):
    assert ruled("coverage", status) == status
