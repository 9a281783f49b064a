"""The log: one JSON object a line, and no secret in it."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from audition.service import logs


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    """Return where the logs go; afterwards they go where they went before."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    opened = io.StringIO()
    logs.configure(secrets=["known-key-123"], stream=opened)
    yield opened
    root.handlers[:] = handlers
    root.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, object]]:
    """Return what was logged."""
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_record_is_one_line_of_json_with_what_was_added(stream: io.StringIO) -> None:
    logging.getLogger("audition.x").info("two\nlines", extra={"request_id": "r1", "status": 200})

    (line,) = lines(stream)

    assert line["level"] == "info"
    assert line["logger"] == "audition.x"
    assert line["message"] == "two\nlines"
    assert (line["request_id"], line["status"]) == ("r1", 200)
    assert str(line["at"]).endswith("Z")


# case: promptfoo/promptfoo#8805
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Authorization: Bearer sk-QQtest9988", "sk-QQtest9988"),
        ("GET http://127.0.0.1:9000/chat?api_key=qk-77aa failed", "qk-77aa"),
        ("headers {'X-Api-Key': 'zz-5566'}", "zz-5566"),
        ("token aud_s_AAAABBBBCCCC was used", "aud_s_AAAABBBBCCCC"),
        ("token aud_t_AAAABBBBCCCC was used", "aud_t_AAAABBBBCCCC"),
        ("password=hunter22", "hunter22"),
        ('{"client_secret": "s3cr3t-value"}', "s3cr3t-value"),
        ("it said known-key-123", "known-key-123"),
        ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ],
)
def test_secrets_are_masked_by_name_and_by_value(stream: io.StringIO, text: str, secret: str) -> None:
    logging.getLogger("audition.x").warning(text, extra={"detail": text})

    assert secret not in stream.getvalue()
    assert "***" in stream.getvalue()


def test_a_traceback_is_masked_too(stream: io.StringIO) -> None:
    try:
        raise RuntimeError("sent Authorization: Bearer sk-QQtest9988")
    except RuntimeError:
        logging.getLogger("audition.x").exception("it broke")

    (line,) = lines(stream)

    assert "RuntimeError" in str(line["traceback"])
    assert "sk-QQtest9988" not in str(line)


# case: promptfoo/promptfoo#10884
def test_a_huge_value_is_cut(stream: io.StringIO) -> None:
    logging.getLogger("audition.x").info("A" * 8_000_000)

    assert len(stream.getvalue()) < 30_000


def test_harmless_text_stays_as_it_is(stream: io.StringIO) -> None:
    logging.getLogger("audition.x").info("42 tokens were used? yes; the key word is 'hours'")

    assert lines(stream)[0]["message"] == "42 tokens were used? yes; the key word is 'hours'"


@pytest.mark.parametrize("name", ["uvicorn.access", "httpx"])
def test_loggers_that_tell_of_every_request_are_quiet(stream: io.StringIO, name: str) -> None:
    logging.getLogger(name).info("GET /api/v1/agents?token=abc")

    assert stream.getvalue() == ""
