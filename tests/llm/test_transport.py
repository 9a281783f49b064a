"""What may go wrong on the way to a server, and what becomes of it."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable
from email.utils import formatdate
from types import MappingProxyType
from typing import Any

import pytest

from audition.llm.transport import Transport, TransportError, shown

pytestmark = pytest.mark.anyio

NOW = 1_700_000_000.0

Make = Callable[..., Transport]


@pytest.fixture
def waits() -> list[float]:
    """Hold the waits that were asked for, in seconds."""
    return []


@pytest.fixture
async def make(waits: list[float]) -> AsyncIterator[Make]:
    """Make transports that do not wait; they are closed when the test ends."""
    made: list[Transport] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def transport(**options: Any) -> Transport:
        options = {"timeout_s": 5, "sleep": sleep, "random": lambda: 0.0, "now": lambda: NOW} | options
        made.append(Transport(**options))
        return made[-1]

    yield transport
    for one in made:
        await one.close()


async def test_a_json_body_is_posted_and_the_reply_comes_back(server, make):
    server.will(server.answer(200, {"ok": True}, X_Mark="7"))

    reply = await make(headers={"Authorization": "Bearer k"}).post_json(
        f"{server.url}/turn?x=1", {"n": MappingProxyType({"a": [1.5, None, "é"]})}, headers={"X-Trial": "one"}
    )

    path, headers, _ = server.requests[0]
    assert (reply.status, reply.body, reply.attempts, reply.headers["x-mark"]) == (200, b'{"ok": true}', 1, "7")
    assert reply.elapsed_ms > 0
    assert path == "/turn?x=1"
    assert (headers["content-type"], headers["authorization"], headers["x-trial"]) == (
        "application/json",
        "Bearer k",
        "one",
    )
    assert server.sent() == {"n": {"a": [1.5, None, "é"]}}


async def test_bytes_are_sent_as_they_are(server, make):
    server.will(server.answer())

    await make().post_json(server.url, b'{"a":  1}')

    assert server.requests[0][2] == b'{"a":  1}'


async def test_connections_are_kept(server, make):
    server.will(server.answer())
    transport = make()

    await transport.post_json(server.url, {})
    await transport.post_json(server.url, {})

    assert (len(server.requests), server.connections) == (2, 1)


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 400, 401, 404, 422])
async def test_every_other_status_is_a_reply_and_is_not_tried_again(server, make, status):
    server.will(server.answer(status, b"" if status == 204 else b"why", Location=f"{server.url}/elsewhere"))

    reply = await make().post_json(server.url, {})

    assert (reply.status, reply.attempts) == (status, 1)
    assert len(server.requests) == 1


# measured false results: M34 (429 with Retry-After: 30 was tried again after 3 s)
@pytest.mark.parametrize(
    ("status", "asked", "waited"),
    [
        (429, "30", 30.0),
        (503, "2", 2.0),
        (429, "0.5", 0.5),
        (429, formatdate(NOW + 20, usegmt=True), 20.0),
        (429, "86400", 60.0),
        (429, formatdate(NOW + 9999, usegmt=True), 60.0),
    ],
)
async def test_a_busy_server_is_left_alone_as_long_as_it_says(server, make, waits, status, asked, waited):
    server.will(server.answer(status, Retry_After=asked), server.answer(200))

    reply = await make().post_json(server.url, {})

    assert (reply.status, reply.attempts) == (200, 2)
    assert waits == [pytest.approx(waited, abs=0.5)]


@pytest.mark.parametrize(
    "asked", ["0", "-5", "soon", "nan", "inf", "", formatdate(NOW - 60, usegmt=True), "Mon, 99 Foo 2024 00:00:00 GMT"]
)
async def test_a_retry_after_that_says_nothing_gives_the_usual_wait(server, make, waits, asked):
    server.will(server.answer(429, Retry_After=asked), server.answer(200))

    await make().post_json(server.url, {})

    assert waits == [0.25]


async def test_waits_grow_and_are_jittered(server, make, waits):
    server.will(server.answer(500))
    steps = iter([0.0, 1.0, 0.0, 1.0, 0.0])

    with pytest.raises(TransportError):
        await make(random=lambda: next(steps)).post_json(server.url, {})

    assert waits == [0.25, 1.0, 1.0, 4.0, 4.0]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529])
async def test_a_server_that_stays_busy_is_given_up_with_its_status(server, make, status):
    server.will(server.answer(status, b"overloaded"))

    with pytest.raises(TransportError) as caught:
        await make(attempts=3).post_json(server.url, {})

    error = caught.value
    assert (error.status, error.attempts, error.timed_out, error.body) == (status, 3, False, b"overloaded")
    assert len(server.requests) == 3
    assert f"answered {status} (after 3 attempts)" in error.message


@pytest.mark.parametrize("fault", ["reset", "cut body", "cut headers", "no HTTP"])
async def test_a_broken_connection_is_tried_again(server, make, fault):
    faults = {
        "reset": server.reset,
        "cut body": server.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
        "cut headers": server.raw(b"HTTP/1.1 200 OK\r\nContent-"),
        "no HTTP": server.raw(b"* OK IMAP ready\r\n\r\n"),
    }
    server.will(faults[fault], faults[fault], server.answer(200, b"{}"))

    reply = await make().post_json(server.url, {})

    assert (reply.status, reply.body, reply.attempts) == (200, b"{}", 3)


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "cut short or garbled"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "cut short or garbled|not HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nabcd", "cut short or garbled"),
        (b"* OK IMAP ready\r\n\r\n", "not HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X-Long: " + b"x" * 100_000 + b"\r\n\r\n", "not HTTP"),
        (b"", "broke the connection"),
    ],
    ids=["cut body", "bad chunk", "gzip garbage", "no HTTP", "endless header", "nothing"],
)
async def test_half_a_reply_is_no_reply(server, make, fault, why):
    server.will(server.raw(fault))

    with pytest.raises(TransportError, match=why) as caught:
        await make(attempts=2).post_json(server.url, {})

    assert (caught.value.attempts, caught.value.timed_out) == (2, False)


@pytest.mark.parametrize("slow", ["silent", "drip"])
async def test_an_attempt_that_takes_too_long_is_not_repeated(server, make, slow):
    server.will(getattr(server, slow))

    with pytest.raises(TransportError, match=r"took longer than 0\.1 s") as caught:
        await make().post_json(server.url, {}, timeout_s=0.1)

    assert (caught.value.timed_out, caught.value.attempts) == (True, 1)


async def test_waits_between_attempts_do_not_count_as_time(server, make, waits):
    server.will(server.answer(429, Retry_After="50"), server.answer(200))

    reply = await make(timeout_s=2).post_json(server.url, {})

    assert waits == [pytest.approx(50.0, abs=0.5)]
    assert reply.elapsed_ms < 2000


@pytest.mark.parametrize("flood", ["endless", "bomb"])
async def test_a_reply_is_read_no_further_than_its_limit(server, make, flood):
    server.will(server.endless if flood == "endless" else server.zip_bomb(50_000_000))

    with pytest.raises(TransportError, match="sent more than 100,000 bytes") as caught:
        await make(max_reply_bytes=100_000).post_json(server.url, {})

    assert (caught.value.attempts, caught.value.status) == (1, 200)


async def test_nobody_at_the_address_is_tried_three_times_only(server, make, unused_url):
    with pytest.raises(TransportError, match="cannot be reached") as caught:
        await make().post_json(unused_url, {})

    assert (caught.value.status, caught.value.attempts) == (None, 3)


async def test_a_connection_that_never_comes_about_is_no_slow_answer(make, full_url):
    with pytest.raises(TransportError, match="cannot be reached: no connection in time") as caught:
        await make(attempts=1).post_json(full_url, {}, timeout_s=0.5)

    assert not caught.value.timed_out


@pytest.mark.parametrize("url", ["", "no url", "ftp://127.0.0.1/x", "http://", "http://[", "http://127.0.0.1:99999/"])
async def test_what_is_no_url_is_an_error_at_once(make, url):
    with pytest.raises(TransportError, match="not valid") as caught:
        await make().post_json(url, {})

    assert caught.value.attempts == 1


@pytest.mark.parametrize("fault", ["refused", "reset", "no HTTP", "500", "bad header"])
async def test_messages_hold_neither_headers_nor_queries_nor_passwords(server, make, unused_url, fault):
    server.will({"500": server.answer(500), "no HTTP": server.raw(b"?\r\n\r\n")}.get(fault, server.reset))
    url = (unused_url if fault == "refused" else server.url).replace("//", "//me:s3cret@")
    headers = {"Authorization": "Bearer s3cret\n" if fault == "bad header" else "Bearer s3cret"}

    with pytest.raises(TransportError) as caught:
        await make(attempts=1).post_json(f"{url}/v1?key=s3cret#s3cret", {}, headers=headers)

    assert "s3cret" not in str(caught.value) + repr(caught.value)
    assert caught.value.__suppress_context__
    assert "/v1" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "what_is_shown"),
    [
        ("https://me:pw@host:1/a/b?k=v#f", "https://host:1/a/b"),
        ("http://host", "http://host"),
        ("http://[", "(not a URL)"),
    ],
)
def test_a_url_is_shown_without_its_secrets(url, what_is_shown):
    assert shown(url) == what_is_shown


def test_a_loop_that_ends_closes_its_connections(serving):
    transport = Transport(timeout_s=5)

    async def post() -> int:
        return (await transport.post_json(serving, {})).status

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        statuses = [asyncio.run(post()), asyncio.run(post())]

    assert statuses == [200, 200]


async def test_a_closed_transport_opens_new_connections_when_asked_again(server, make):
    server.will(server.answer())
    transport = make()

    await transport.post_json(server.url, {})
    await transport.close()
    await transport.close()
    reply = await transport.post_json(server.url, {})

    assert reply.status == 200
    assert server.connections == 2


async def test_many_requests_run_side_by_side(server, make):
    server.will(server.answer())
    transport = make()

    replies = await asyncio.gather(*(transport.post_json(server.url, {"n": n}) for n in range(200)))

    assert [reply.status for reply in replies] == [200] * 200


@pytest.mark.parametrize("method", ["GET", "PATCH", "DELETE", "PUT"])
async def test_a_request_of_any_method_is_made_and_tried_again(server, make, method):
    server.will(server.answer(503), server.answer(200, {"ok": True}))

    reply = await make().request_json(method, server.url, None if method == "GET" else {"n": 1})

    assert (reply.body, reply.attempts) == (b'{"ok": true}', 2)
    assert server.requests[0][2] == (b"" if method == "GET" else b'{"n":1}')


@pytest.mark.parametrize("status", [429, 503])
async def test_what_was_turned_away_is_asked_again_even_when_it_must_not_be_done_twice(server, make, status):
    server.will(server.answer(status), server.answer(200))

    reply = await make().request_json("POST", server.url, {}, repeatable=False)

    assert reply.attempts == 2


@pytest.mark.parametrize("status", [500, 502, 504])
async def test_what_may_have_been_done_is_not_asked_again(server, make, status):
    server.will(server.answer(status))

    with pytest.raises(TransportError, match=f"answered {status}$"):
        await make().request_json("POST", server.url, {}, repeatable=False)

    assert len(server.requests) == 1


async def test_a_broken_connection_may_have_done_it_already(server, make):
    server.will(server.reset)

    with pytest.raises(TransportError, match=r"broke the connection$"):
        await make().request_json("POST", server.url, {}, repeatable=False)

    assert len(server.requests) == 1


async def test_where_nobody_listens_nothing_was_done(unused_url, make, waits):
    with pytest.raises(TransportError, match="cannot be reached"):
        await make().request_json("POST", unused_url, {}, repeatable=False)

    assert len(waits) == 2


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


async def test_the_events_of_a_stream_come_until_it_ends(server, make):
    server.will(server.raw(STREAM + b"event: greeting\ndata: hello\n\n: alive\n\ndata: ping\n\n"))

    async with make().stream(f"{server.url}/listen", headers={"x-key": "k"}, silence_s=5) as events:
        heard = [(event.name, event.data) async for event in events]

    _, headers, _ = server.requests[0]
    assert heard == [("greeting", "hello"), ("message", "ping")]
    assert (headers["accept"], headers["x-key"]) == ("text/event-stream", "k")


async def test_a_stream_is_opened_with_as_many_attempts_as_a_request(server, make, waits):
    server.will(server.answer(503), server.answer(429), server.raw(STREAM + b"data: 1\n\n"))

    async with make().stream(server.url, silence_s=5) as events:
        heard = [event.data async for event in events]

    assert (heard, len(waits)) == (["1"], 2)


@pytest.mark.parametrize("status", [204, 302, 401])
async def test_a_stream_with_another_status_is_none(server, make, status):
    server.will(server.answer(status, b"" if status == 204 else b"why"))

    with pytest.raises(TransportError, match=f"answered {status}$") as raised:
        async with make().stream(server.url, silence_s=5):
            pass

    assert raised.value.status == status


async def test_a_stream_without_a_sign_of_life_breaks(server, make):
    async def hang(writer: asyncio.StreamWriter) -> None:
        writer.write(STREAM + b"data: 1\n\n")
        await server.silent(writer)

    server.will(hang)
    heard = []

    async def read() -> None:
        async with make().stream(server.url, silence_s=0.2) as events:
            async for event in events:
                heard.append(event.data)

    with pytest.raises(TransportError, match="was silent for too long") as raised:
        await read()

    assert (heard, raised.value.timed_out) == (["1"], True)


async def test_an_event_without_end_breaks_the_stream(server, make):
    server.will(server.endless)

    async def read() -> None:
        async with make(max_reply_bytes=100_000).stream(server.url, silence_s=5) as events:
            async for _ in events:
                pass

    with pytest.raises(TransportError, match="an event of more than 100,000 bytes"):
        await read()
