"""A tool that is an HTTP endpoint: where arguments go, what answers give, and what is never told."""

import gzip
import json
from typing import Any

import pytest

from audition.agents.tools import ToolFailed, ToolSurroundings, check_tools, open_tools
from audition.llm.egress import Egress

pytestmark = pytest.mark.anyio

AROUND = ToolSurroundings(egress=Egress(["127.0.0.1"]), timeout_s=5)
SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}, "verbose": {"type": "boolean"}}}


async def called(tool: dict[str, Any], arguments: dict[str, object], around: ToolSurroundings = AROUND) -> object:
    async with open_tools([{"kind": "http", "name": "it", **tool}], around) as (one,):
        return await one.call(arguments)


def test_a_definition_that_is_right_has_no_faults() -> None:
    tool = {
        "kind": "http",
        "name": "find_order",
        "description": "Finds an order.",
        "url": "https://shop.example/orders/{id}?units=metric",
        "method": "GET",
        "parameters": SCHEMA,
        "in": {"verbose": "query"},
        "headers": {"Authorization": "Bearer abc"},
        "timeout_s": 5,
        "result": "json",
    }

    assert check_tools([tool], functions={}) == []


@pytest.mark.parametrize(
    ("wrong", "pointer", "words"),
    [
        ({"url": "ftp://shop.example/"}, "/0/url", "http"),
        ({"url": "https://u:p@shop.example/"}, "/0/url", "user"),
        ({"url": "https://{id}.example/"}, "/0/url", "placeholder"),
        ({"url": "https://shop.example/?q={id}"}, "/0/url", "placeholder"),
        ({"url": "https://shop.example/{ID}"}, "/0/url", "'ID'"),
        ({"method": "TRACE"}, "/0/method", "one of"),
        ({"methd": "GET"}, "/0/methd", "did you mean 'method'"),
        ({"headers": {"X-A": "one\r\nX-B: two"}}, "/0/headers/X-A", "line break"),
        ({"headers": {"X A": "one"}}, "/0/headers/X A", "no name of a header"),
        ({"headers": {"Host": "inside"}}, "/0/headers/Host", "cannot be given"),
        ({"headers": {"X-A": 7}}, "/0/headers/X-A", "a text"),
        ({"in": {"nothing": "query"}}, "/0/in/nothing", "no 'nothing'"),
        ({"in": {"id": "cookie"}}, "/0/in/id", "one of"),
        ({"in": {"id": "path"}}, "/0/in/id", "{id}"),
        ({"in": {"id": "body"}, "method": "GET"}, "/0/in/id", "no body"),
        ({"parameters": {"type": "array"}}, "/0/parameters/type", "object"),
        ({"timeout_s": 0}, "/0/timeout_s", "timeout_s"),
        ({"result": "xml"}, "/0/result", "one of"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_wrong_is_said_where_it_stands(wrong: dict[str, Any], pointer: str, words: str) -> None:
    tool = {"kind": "http", "name": "it", "url": "https://shop.example/", "parameters": SCHEMA} | wrong

    faults = check_tools([tool], functions={})

    assert [place for place, message in faults if words in message] == [pointer]


async def test_arguments_of_a_get_go_into_the_query_and_the_path(server) -> None:
    server.will(body={"status": "sent"})
    url = f"{server.url}/orders/{{id}}?units=metric"

    result = await called(
        {"url": url, "method": "GET", "parameters": SCHEMA},
        {"id": "a/b c", "verbose": True, "tags": ["x", "y"], "none": None, "deep": {"a": 1}},
    )

    assert result == {"status": "sent"}
    assert server.requests[0][:2] == (
        "GET",
        "/orders/a%2Fb%20c?units=metric&verbose=true&tags=x&tags=y&deep=%7B%22a%22:1%7D",
    )


async def test_arguments_of_a_post_go_into_a_json_body_unless_it_is_said_otherwise(server) -> None:
    await called({"url": server.url, "parameters": SCHEMA, "in": {"verbose": "query"}}, {"id": "7", "verbose": False})

    method, path, headers, body = server.requests[0]
    assert (method, path, headers["content-type"]) == ("POST", "/?verbose=false", "application/json")
    assert json.loads(body) == {"id": "7"}


@pytest.mark.parametrize("value", ["", ".", "..", "%2e%2e", "../../admin", "..\\admin", "/etc", "a/../..", "?x=1", "#"])
async def test_what_fills_the_path_never_leaves_its_segment(server, value: str) -> None:
    tool = {"url": f"{server.url}/orders/{{id}}/items", "method": "GET", "parameters": SCHEMA}

    try:
        await called(tool, {"id": value})
    except ToolFailed:
        assert server.requests == []
    else:
        path = server.requests[0][1]
        assert path.startswith("/orders/")
        assert path.endswith("/items")
        assert path.count("/") == 3


async def test_two_dots_from_two_arguments_do_not_leave_their_segment_either(server) -> None:
    schema = {"properties": {"a": {}, "b": {}}}

    with pytest.raises(ToolFailed, match="must not be empty"):
        await called({"url": f"{server.url}/x/{{a}}{{b}}", "parameters": schema}, {"a": ".", "b": "."})


async def test_a_missing_argument_of_the_path_is_an_error_that_the_model_is_told(server) -> None:
    with pytest.raises(ToolFailed, match="'id' is missing"):
        await called({"url": f"{server.url}/{{id}}", "parameters": SCHEMA}, {})


@pytest.mark.parametrize("status", [301, 400, 404, 429, 500, 503])
async def test_a_status_that_is_no_success_is_an_error_with_an_excerpt_asked_for_once(server, status: int) -> None:
    server.will(status, {"error": "no such order"}, Location="/elsewhere", Retry_After="1")

    with pytest.raises(ToolFailed, match=f"answered {status}.*no such order"):
        await called({"url": server.url}, {})

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("wanted", "sent", "kind", "result"),
    [
        (None, b'{"a": 1}', "text/plain", {"a": 1}),
        (None, b"hello", "text/plain", "hello"),
        (None, b"", "application/json", None),
        ("text", b'{"a": 1}', "application/json", '{"a": 1}'),
        ("json", b"[1]", "text/plain", [1]),
    ],
)
async def test_an_answer_is_json_where_it_is_json(server, wanted, sent, kind, result) -> None:
    server.will(body=sent, Content_Type=kind)

    assert await called({"url": server.url} | ({"result": wanted} if wanted else {}), {}) == result


@pytest.mark.parametrize(
    ("tool", "sent"),
    [({"result": "json"}, b"hello"), ({}, b"{"), ({}, b"[NaN]"), ({}, b"[" * 5000 + b"]" * 5000)],
    ids=["text", "cut", "nan", "deep"],
)
async def test_an_answer_that_says_it_is_json_and_is_not_is_an_error(server, tool, sent) -> None:
    server.will(body=sent)

    with pytest.raises(ToolFailed, match=r"not JSON|nested deeper"):
        await called({"url": server.url, **tool}, {})


async def test_a_reply_that_grows_when_it_is_unpacked_is_read_no_further_than_its_limit(server) -> None:
    server.will(body=gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")
    around = ToolSurroundings(egress=Egress(["127.0.0.1"]), max_reply_bytes=100_000)

    with pytest.raises(ToolFailed, match="more than 100,000 bytes"):
        await called({"url": server.url}, {}, around)


async def test_a_server_that_is_not_there_is_an_error_that_the_model_is_told(serving) -> None:
    with pytest.raises(ToolFailed, match="cannot be reached"):
        await called({"url": "http://127.0.0.1:1024"}, {})


# case: promptfoo/promptfoo#8805
@pytest.mark.parametrize("status", [200, 500])
async def test_no_secret_of_a_definition_comes_back(server, status: int) -> None:
    server.answer = lambda method, path, headers, body: (
        status,
        {"Content-Type": "application/json"},
        json.dumps({"headers": headers, "path": path, "bare": "sk-QQtest9988"}).encode(),
    )
    tool = {
        "url": f"{server.url}/chat?api_key=qk-77aa%2B",
        "headers": {"Authorization": "Bearer sk-QQtest9988", "X-Api-Key": "zz-5566", "Accept": "application/json"},
    }
    around = ToolSurroundings(egress=Egress(["127.0.0.1"]), secrets=("content-length",))

    try:
        told = json.dumps(await called(tool, {}, around))
    except ToolFailed as error:
        told = error.message

    assert server.requests[0][2]["authorization"] == "Bearer sk-QQtest9988"
    assert not [secret for secret in ("sk-QQtest9988", "zz-5566", "qk-77aa", "content-length") if secret in told]
    assert "***" in told


async def test_a_fault_of_a_definition_does_not_show_its_secrets() -> None:
    tool = {
        "kind": "http",
        "name": "it",
        "url": "https://shop.example:22/?api_key=qk-77aabb",
        "headers": {"Authorization": "Bearer sk-QQ\n"},
    }

    told = str(check_tools([tool], functions={}))

    assert "line break" in told
    assert "qk-77aabb" not in told
    assert "sk-QQ" not in told
