"""Watching runs: waiting for a change, and streams of events."""

from collections.abc import AsyncIterator, Callable, Iterable

import pytest

from audition.errors import NotFound
from audition.service.problems import Problem
from audition.service.run_watching import AT_ONCE, Batch, Seats, encoded, stream, until, wait_of
from audition.store.service.runs import Event

pytestmark = pytest.mark.anyio


def event(number: int, type: str = "case.judged", data: str = "{}") -> Event:
    """Return an event."""
    return Event(number, type, data, "2026-01-15T10:05:00.000Z")


class Log:
    """A run whose events come in one by one: `batches` are what each look finds to be new."""

    def __init__(self, batches: Iterable[list[Event]], *, then_final: bool = True) -> None:
        self._batches, self._then_final = iter(batches), then_final
        self.events: list[Event] = []
        self.asked: list[int] = []

    async def read(self, after: int) -> Batch:
        """Return the events after one."""
        self.asked.append(after)
        new = next(self._batches, None)
        self.events += new or []
        return Batch([one for one in self.events if one.id > after], new is None and self._then_final)


async def may() -> bool:
    return True


async def may_not() -> bool:
    return False


async def text_of(pieces: AsyncIterator[bytes]) -> str:
    """Return a whole stream."""
    return b"".join([piece async for piece in pieces]).decode()


async def test_events_are_sent_as_they_come_each_once_up_to_the_end() -> None:
    log = Log([[event(1), event(2)], [], [event(5)], [event(7, "run.completed"), event(8)]])

    text = await text_of(stream(log.read, 0, may_listen=may, look_s=0))

    assert [line for line in text.splitlines() if line.startswith("id:")] == ["id: 1", "id: 2", "id: 5", "id: 7"]
    assert log.asked == [0, 2, 2, 5]


async def test_a_run_that_is_over_ends_the_stream_although_no_event_says_so() -> None:
    text = await text_of(stream(Log([]).read, 3, may_listen=may, look_s=0))

    assert text == "retry: 1000\n\n"


async def test_more_events_than_are_read_at_once_are_all_sent() -> None:
    many = [event(number) for number in range(1, AT_ONCE * 2 + 2)]

    async def read(after: int) -> Batch:
        return Batch([one for one in many if one.id > after][:AT_ONCE], is_final=True)

    text = await text_of(stream(read, 0, may_listen=may, look_s=0))

    assert text.count("event: case.judged") == len(many)


async def test_silence_is_filled_with_a_sign_of_life() -> None:
    text = await text_of(stream(Log([[], []]).read, 0, may_listen=may, look_s=0, beat_s=0))

    assert text.count(": the run goes on\n\n") == 2


async def test_whoever_may_listen_no_longer_is_sent_no_more() -> None:
    log = Log([[], [event(1)]])

    text = await text_of(stream(log.read, 0, may_listen=may_not, look_s=0, check_s=0))

    assert "id: 1" not in text


async def test_a_run_that_is_deleted_ends_the_stream() -> None:
    async def read(after: int) -> Batch:
        raise NotFound("there is no such run")

    assert await text_of(stream(read, 0, may_listen=may, look_s=0)) == "retry: 1000\n\n"


async def test_a_reconnect_anywhere_loses_and_doubles_nothing() -> None:
    everything = [event(number) for number in range(1, 20)] + [event(20, "run.failed")]
    got: list[int] = []

    async def read(after: int) -> Batch:
        return Batch([one for one in everything if one.id > after][:3], is_final=False)

    while 20 not in got:
        pieces = stream(read, got[-1] if got else 0, may_listen=may, look_s=0)
        await anext(pieces)
        got.append(int((await anext(pieces)).split(b"\n")[0].removeprefix(b"id: ")))
        await pieces.aclose()  # type: ignore[attr-defined]  # it is a generator

    assert got == list(range(1, 21))


async def test_data_of_several_lines_stays_one_event() -> None:
    assert encoded(event(1, data='{"a":\n1}')) == b'id: 1\nevent: case.judged\ndata: {"a":\ndata: 1}\n\n'


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        ("wait=10", 10),
        ("wait=61", 60),
        ("WAIT = 5", 5),
        ('wait="7"', 7),
        ("handling=strict, wait=3", 3),
        ("respond-async; wait=4", 4),
        ("wait=-1", 0),
        ("wait=x", 0),
        ("await=9", 0),
        ("", 0),
        ("wait=99999999999999", 0),
    ],
)
def test_how_long_a_client_would_wait(prefer: str, seconds: int) -> None:
    assert wait_of(prefer) == seconds


async def test_waiting_ends_with_the_change() -> None:
    states = iter(["pending", "pending", "running"])

    async def look() -> str:
        return next(states)

    async def stays() -> bool:
        return False

    assert await until(look, lambda state: state == "running", wait_s=60, has_left=stays, look_s=0) == "running"


@pytest.mark.parametrize(("wait_s", "has_left"), [(0, may_not), (60, may)], ids=["time is over", "client has left"])
async def test_waiting_ends_without_a_change(wait_s: float, has_left: Callable[[], object]) -> None:
    async def look() -> str:
        return "pending"

    found = await until(look, lambda _: False, wait_s=wait_s, has_left=has_left, look_s=0)  # type: ignore[arg-type]

    assert found == "pending"


def test_only_so_many_watch_at_once() -> None:
    seats = Seats(most=3, most_each=2)
    seats.take(1)
    seats.take(1)

    with pytest.raises(Problem) as own:
        seats.take(1)
    seats.take(2)
    with pytest.raises(Problem) as full:
        seats.take(3)
    seats.leave(1)
    seats.take(3)

    assert (own.value.status, full.value.status) == (429, 503)
    assert "Retry-After" in own.value.headers
