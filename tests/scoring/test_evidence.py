"""Sources and the quotes that stand in them."""

import pytest

from audition.scoring.clauses import Quote
from audition.scoring.evidence import sources_of
from audition.transcript import Exchange, Reply, ToolCall


def conversation(*calls: ToolCall, user: str = "Order A-1001, please.", reply: str = "Done.") -> Exchange:
    """Return a turn."""
    return Exchange(user=user, replies=(Reply(text=reply),), tool_calls=calls)


def test_sources_are_numbered_through_the_whole_conversation():
    sources = sources_of(
        [conversation(ToolCall(name="a")), conversation(ToolCall(name="b"))], judged_from=1, scenario="At night."
    )

    assert [line.speaker for line in sources.lines] == ["S", "U1", "T1", "R1", "U2", "T2", "R2"]
    assert sources.judged == {"R2"}


@pytest.mark.parametrize(
    ("source", "text", "held"),
    [
        ("R1", "Done", True),
        ("R1", "done .", False),
        ("R1", "", False),
        ("R2", "Done", False),
        ("U1", "order  A-1001", True),
        ("T1", 'get({"q": "say \\"hi\\""})', True),
        ("T1", 'get({"q": "say "hi""})', True),
        ("T1", "two lines", True),
        ("T1", "two\nlines", True),
        ("T1", "[]", False),
    ],
)
def test_a_quote_stands_in_its_source_word_for_word(source, text, held):
    call = ToolCall(name="get", arguments={"q": 'say "hi"'}, result="two\nlines")

    sources = sources_of([conversation(call)], judged_from=0)

    assert sources.holds(Quote(source=source, text=text)) is held


def test_a_result_is_what_came_back():
    sources = sources_of([conversation(ToolCall(name="find", arguments={"id": "7"}, result=[]))], judged_from=0)

    assert sources.from_result(Quote(source="T1", text="[]"))
    assert not sources.from_result(Quote(source="T1", text='"id"'))
    assert not sources.from_result(Quote(source="R1", text="Done"))


def test_a_failure_is_a_result_too():
    sources = sources_of([conversation(ToolCall(name="find", error="timed out"))], judged_from=0)

    assert sources.from_result(Quote(source="T1", text="error: timed out"))


@pytest.mark.parametrize(
    ("arguments", "origin"),
    [
        ({"id": "A-1001"}, "given"),
        ({"id": "a-1001", "words": "anything"}, "given"),
        ({"filter": [{"id": "A-1001"}]}, "given"),
        ({"id": "A-1002"}, "wrong"),
        ({"id": "A-100"}, "unknown"),
        ({"date": "2026-01-15"}, "unknown"),
        ({"limit": 10, "all": True}, "given"),
        ({}, "given"),
    ],
    ids=str,
)
def test_values_with_digits_are_traced_to_what_the_agent_was_told(arguments, origin):
    sources = sources_of([conversation(ToolCall(name="find", arguments=arguments))], judged_from=0)

    assert sources.origin("T1") == origin


def test_an_earlier_result_gives_arguments_and_a_later_one_or_the_agent_does_not():
    list_calls = ToolCall(name="list", result={"id": "Z-77"})
    find = ToolCall(name="find", arguments={"id": "Z-77"})

    assert sources_of([conversation(list_calls, find)], judged_from=0).origin("T2") == "given"
    assert sources_of([conversation(find, list_calls)], judged_from=0).origin("T1") == "unknown"
    said = [conversation(reply="It is Z-77."), conversation(find)]
    assert sources_of(said, judged_from=0).origin("T1") == "unknown"


def test_arguments_that_are_no_object_come_from_the_agent():
    sources = sources_of([conversation(ToolCall(name="find", malformed='{"id": '))], judged_from=0)

    assert sources.origin("T1") == "wrong"
