"""Tools that are the operations of an OpenAPI document."""

import json
from typing import Any

import pytest

from audition.agents.tools import ToolSurroundings, check_tools, open_tools
from audition.errors import AgentError
from audition.llm.egress import Egress

pytestmark = pytest.mark.anyio

AROUND = ToolSurroundings(egress=Egress(["127.0.0.1"]), timeout_s=5)
DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "paths": {
        "/orders/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "findOrder",
                "summary": "Finds an order.",
                "parameters": [
                    {"name": "verbose", "in": "query", "schema": {"type": "boolean"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {"name": "Authorization", "in": "header", "schema": {"type": "string"}},
                    {"name": "id", "in": "query", "schema": {"type": "string"}},
                ],
            },
            "put": {
                "operationId": "change-order",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                },
            },
        },
        "/upload": {
            "post": {"operationId": "upload", "requestBody": {"content": {"multipart/form-data": {"schema": {}}}}}
        },
        "/orders": {"get": {}},
    },
    "components": {
        "parameters": {
            "Id": {"name": "id", "in": "path", "required": True, "description": "Which.", "schema": {"type": "integer"}}
        },
        "schemas": {
            "Order": {
                "type": "object",
                "properties": {"status": {"type": "string"}, "parent": {"$ref": "#/components/schemas/Order"}},
            }
        },
    },
}


def tool(server_url: str = "https://shop.example/api", **more: Any) -> dict[str, Any]:
    return {"kind": "openapi", "name": "shop", "document": DOCUMENT, "server_url": server_url, **more}


async def test_each_operation_that_can_be_called_is_a_tool() -> None:
    async with open_tools([tool()], AROUND) as tools:
        told = {one.definition.name: one.definition for one in tools}

    assert list(told) == ["shop_findOrder", "shop_change_order", "shop_get_orders"]
    assert told["shop_findOrder"].description == "Finds an order."
    assert told["shop_findOrder"].parameters == {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "description": "Which."},
            "verbose": {"type": "boolean"},
            "X-Trace": {"type": "string"},
            "id_query": {"type": "string"},
        },
        "required": ["id"],
    }
    assert told["shop_change_order"].parameters["properties"]["body"] == {
        "type": "object",
        "properties": {"status": {"type": "string"}, "parent": {}},
    }


async def test_arguments_go_where_the_document_says(server) -> None:
    chosen = tool(f"{server.url}/api/", operations=["findOrder", "change-order"], headers={"X-Key": "k-123456"})

    async with open_tools([chosen], AROUND) as (find, change):
        await find.call({"id": 7, "verbose": True, "X-Trace": "t1", "id_query": "q"})
        await change.call({"id": 7, "body": {"status": "sent"}})

    (_, path, headers, _), (method, changed, _, body) = server.requests
    assert (path, headers["x-trace"], headers["x-key"]) == ("/api/orders/7?verbose=true&id=q", "t1", "k-123456")
    assert (method, changed, json.loads(body)) == ("PUT", "/api/orders/7", {"status": "sent"})


async def test_a_document_may_be_fetched_and_gets_none_of_the_headers(server) -> None:
    server.will(body=DOCUMENT)
    fetched = tool(document=f"{server.url}/openapi.json", headers={"X-Key": "k-123456"})

    async with open_tools([fetched], AROUND) as tools:
        assert len(tools) == 3

    assert "x-key" not in server.requests[0][2]


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (404, {}, "answered 404"),
        (302, {}, "answered 302"),
        (200, b"openapi: 3.1.0", "no JSON document"),
        (200, {"swagger": "2.0"}, "no OpenAPI 3 document"),
        (200, b"[" * 90_000, "no JSON document"),
    ],
    ids=["missing", "moved", "yaml", "swagger", "deep"],
)
async def test_a_document_that_cannot_be_had_is_not_the_agents_doing(server, status, body, words) -> None:
    server.will(status, body)

    with pytest.raises(AgentError, match=words) as raised:
        async with open_tools([tool(document=server.url)], AROUND):
            pass

    assert not raised.value.by_agent


def a_bomb() -> dict[str, Any]:
    schemas: dict[str, Any] = {f"S{n}": {"anyOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 10} for n in range(10)}
    body = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/S0"}}}}
    paths = {"/a": {"post": {"operationId": "a", "requestBody": body}}}
    return {"openapi": "3.0.0", "paths": paths, "components": {"schemas": schemas | {"S10": {}}}}


def with_schema(schema: object) -> dict[str, Any]:
    parameter = {"name": "q", "in": "query", "schema": schema}
    return {"openapi": "3.0.0", "paths": {"/a": {"get": {"operationId": "a", "parameters": [parameter]}}}}


def nested(depth: int) -> object:
    schema: object = {}
    for _ in range(depth):
        schema = {"items": schema}
    return schema


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({}, "no OpenAPI 3 document"),
        ({"openapi": "3.0.0"}, "no operation"),
        (with_schema({"$ref": "http://127.0.0.1:1/x.json"}), "outside of itself"),
        (with_schema({"$ref": "file:///etc/passwd"}), "outside of itself"),
        (with_schema({"$ref": "other.yaml#/a"}), "outside of itself"),
        (with_schema({"$ref": "#/components/none"}), "does not have"),
        (with_schema(nested(60)), "nested deeper"),
        (with_schema(nested(300)), "nested deeper"),
        (a_bomb(), "more than 50,000 parts"),
        ({"openapi": "3.0.0", "paths": {"/a": {"$ref": "#/paths/~1a"}}}, "leads back to itself"),
    ],
    ids=["empty", "none", "remote", "file", "relative", "dangling", "deep", "deeper", "bomb", "circle"],
)
def test_a_document_that_cannot_be_used_is_a_fault(document: dict[str, Any], words: str) -> None:
    faults = check_tools([tool(document=document)], functions={})

    assert [place for place, message in faults if words in message] == ["/0/document"]


def test_operations_that_are_not_there_or_cannot_be_called_are_faults() -> None:
    missing = check_tools([tool(operations=["findOder"])], functions={})
    unsendable = check_tools([tool(operations=["upload"])], functions={})

    assert "did you mean 'findOrder'" in missing[0][1]
    assert "not JSON" in unsendable[0][1]
