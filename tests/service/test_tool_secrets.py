"""What is shown of tools, and what comes back."""

from typing import Any

import pytest

from audition.service.tool_secrets import shown_tools, with_kept_secrets


@pytest.mark.parametrize(
    ("tool", "shown"),
    [
        ({"headers": {"Accept": "application/json"}}, {"headers": {"Accept": "***json"}}),
        ({"headers": {"X-Key": "short"}}, {"headers": {"X-Key": "***"}}),
        ({"auth": {"type": "bearer", "token": "abcdefghijklmn"}}, {"auth": {"type": "bearer", "token": "***klmn"}}),
        ({"env": {"A": "abcdefghijklmn"}}, {"env": {"A": "***klmn"}}),
        ({"url": "https://u:p@h.example/x"}, {"url": "https://***@h.example/x"}),
        ({"url": "https://h.example/x?sig=1&a=2"}, {"url": "https://h.example/x?sig=***&a=2"}),
        ({"document": "https://h.example/d?token=1"}, {"document": "https://h.example/d?token=***"}),
        ({"document": {"token": "abcdefghijklmn"}}, {"document": {"token": "abcdefghijklmn"}}),
        ({"in": {"token": "query"}}, {"in": {"token": "query"}}),
        (
            {"results": [{"result": {"token": "abcdefghijklmn"}}]},
            {"results": [{"result": {"token": "abcdefghijklmn"}}]},
        ),
        ({"timeout_s": 3, "method": "GET"}, {"timeout_s": 3, "method": "GET"}),
    ],
    ids=["header", "short", "token", "env", "user", "query", "document url", "document", "in", "canned", "others"],
)
def test_secrets_are_masked_and_nothing_else_is(tool: dict[str, Any], shown: dict[str, Any]) -> None:
    named = {"kind": "http", "name": "t"}

    assert shown_tools([{**named, **tool}]) == [{**named, **shown}]
    assert with_kept_secrets([{**named, **shown}], [{**named, **tool}]) == ([{**named, **tool}], [])


def test_a_new_secret_replaces_the_one_that_is_kept() -> None:
    kept = [{"name": "t", "headers": {"A": "abcdefghijklmn"}}]
    given = [{"name": "t", "headers": {"A": "another-secret", "B": "c"}}]

    assert with_kept_secrets(given, kept) == (given, [])


def test_the_mask_of_another_tools_secret_is_a_fault() -> None:
    kept = [{"name": "t", "headers": {"A/B": "abcdefghijklmn"}}]

    _, faults = with_kept_secrets([{"name": "u", "headers": {"A/B": "***klmn"}}], kept)

    assert [pointer for pointer, _ in faults] == ["/0/headers/A~1B"]
