"""Tools that are the operations of an OpenAPI 3 document.

    {"kind": "openapi", "name": "shop", "document": "https://shop.example/openapi.json",
     "server_url": "https://shop.example/api", "operations": ["findOrder"], "headers": {"X-Key": "…"}}

Each operation is a tool called NAME_OPERATION. The document is data: an object, or the URL of a JSON document, whose
references must stay within it. `server_url` says where calls go, whatever servers the document names, so that headers
go nowhere else.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from audition.agents.tools import Checking, OpenTool, ToolSurroundings
from audition.agents.tools._masking import Mask, secrets_of
from audition.agents.tools._operations import Operation, Unusable, operations_of
from audition.agents.tools._requests import Endpoint, HttpTool
from audition.agents.tools._shapes import HEADERS, NAME, TIMEOUT_S, kind, review_headers, review_url, too_deep
from audition.agents.tools.http import guarded_transport
from audition.documents.located import Path
from audition.documents.shape import Faults, Field, ListOf, Record, Schema, Text
from audition.errors import AgentError
from audition.llm.transport import Transport, TransportError, shown

_DEEPEST = 100


class _Document:
    """An object, or a text: the URL of one."""

    def read(self, value: object, path: Path, faults: Faults) -> object:
        if not (isinstance(value, Mapping) or (isinstance(value, str) and value)):
            faults.add("'document' must be an object or the URL of one", path)
        return value

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "object"}, {"type": "string", "minLength": 1}]}


SHAPE = Record(
    "openapi tool",
    "Tools that are the operations of an OpenAPI document.",
    kind=kind("openapi"),
    name=NAME,
    document=Field(_Document(), required=True, doc="the OpenAPI 3 document, or the URL of one in JSON"),
    server_url=Field(Text(min_length=1), required=True, doc="where calls go; the paths of the document are added"),
    operations=Field(ListOf(Text(min_length=1), min_items=1), doc="the ids of the operations that are tools"),
    headers=HEADERS,
    timeout_s=TIMEOUT_S,
)


def review(tool: Mapping[str, Any], path: Path, faults: Faults, checking: Checking) -> None:
    """Report what is wrong with URLs, headers, and a document that is given as an object."""
    review_url(tool, "server_url", path, faults, checking)
    review_headers(tool, path, faults)
    if any(mark in str(tool.get("server_url")) for mark in "{}?#"):
        faults.add("'server_url' is a URL without placeholders, query and fragment", (*path, "server_url"))
    document = tool.get("document")
    if isinstance(document, str):
        review_url(tool, "document", path, faults, checking)
    elif isinstance(document, Mapping):
        try:
            _operations(tool, document)
        except Unusable as error:
            faults.add(f"the document cannot be used: {error}", (*path, "document"))


@asynccontextmanager
async def opened(tool: Mapping[str, Any], around: ToolSurroundings) -> AsyncIterator[Sequence[OpenTool]]:
    """Fetch the document, if it is not there, and hold the tools of its operations open.

    Raises: AgentError when the document cannot be had or used.
    """
    mask = Mask((*around.secrets, *secrets_of((tool,))))
    transport = guarded_transport(around)
    try:
        document = tool["document"]
        held = await _fetched(document, transport, mask) if isinstance(document, str) else document
        try:
            operations = _operations(tool, held)
        except Unusable as error:
            message = mask.text(f"the OpenAPI document of the tool {tool['name']!r} cannot be used: {error}")
            raise AgentError(message, by_agent=False) from None
        yield [
            HttpTool(operation.definition, _endpoint(tool, operation, around), transport, mask)
            for operation in operations
        ]
    finally:
        await transport.close()


def _operations(tool: Mapping[str, Any], document: object) -> list[Operation]:
    chosen = tool.get("operations")
    named = [name for name in chosen if isinstance(name, str)] if isinstance(chosen, list | tuple) else None
    if too_deep(document, _DEEPEST):
        raise Unusable(f"it is nested deeper than {_DEEPEST} levels")
    return operations_of(document, str(tool.get("name")), named)


async def _fetched(url: str, transport: Transport, mask: Mask) -> object:
    """Return the document at a URL. No header of the tool goes with the request: it is for the server of the calls."""
    try:
        reply = await transport.request_json("GET", url)
    except TransportError as error:
        raise AgentError(mask.text(f"an OpenAPI document: {error.message}"), by_agent=False) from None
    if reply.status != 200:
        message = mask.text(f"an OpenAPI document: {shown(url)} answered {reply.status}")
        raise AgentError(message, by_agent=False, hint="redirects are not followed: give the URL it leads to")
    try:
        return json.loads(reply.body)
    except (ValueError, RecursionError):
        raise AgentError(mask.text(f"what {shown(url)} gives is no JSON document"), by_agent=False) from None


def _endpoint(tool: Mapping[str, Any], operation: Operation, around: ToolSurroundings) -> Endpoint:
    return Endpoint(
        method=operation.method,
        url=tool["server_url"].rstrip("/") + operation.path,
        headers=dict(tool.get("headers", {})),
        places=operation.places,
        whole_body=operation.whole_body,
        timeout_s=min(tool.get("timeout_s", around.timeout_s), around.timeout_s),
    )
