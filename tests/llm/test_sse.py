"""Events are put together from whatever pieces a stream comes in."""

import pytest

from audition.llm._sse import EventReader, ServerEvent, TooLong

STREAM = (
    "\ufeffevent: a\ndata: {\ndata: }\n\n: alive\n\nretry: 3\nid: 7\n\ndata:x\r\n\r\ndata: é\r\revent: none\n\ndata\n\n"
)
EVENTS = [
    ServerEvent("a", "{\n}"),
    ServerEvent("message", "x"),
    ServerEvent("message", "é"),
    ServerEvent("message", ""),
]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_pieces_of_any_size_give_the_same_events(size: int) -> None:
    reader, content = EventReader(longest=1000), STREAM.encode()

    pieces = [content[at : at + size] for at in range(0, len(content), size)]

    assert [event for piece in pieces for event in reader.feed(piece)] == EVENTS


def test_an_event_that_never_ends_is_too_long() -> None:
    reader = EventReader(longest=20)

    list(reader.feed(b"data: 1234567\n"))

    with pytest.raises(TooLong):
        list(reader.feed(b"data: 1234567"))


def test_an_event_that_is_not_complete_is_none() -> None:
    assert list(EventReader(longest=20).feed(b"data: 1\n")) == []
