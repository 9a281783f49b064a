"""A tool that is an HTTP endpoint.

    {"kind": "http", "name": "find_order", "description": "Finds an order.", "method": "GET",
     "url": "https://shop.example/orders/{id}",
     "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
     "headers": {"Authorization": "Bearer …"}}

Arguments fill `{name}` in the URL's path; the others go into the query of GET and DELETE, and else into a JSON body,
unless `in` says where. An answer whose status is not 2xx is an error that the model is told; redirects are such.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from audition.agents.tools import Checking, OpenTool, ToolSurroundings
from audition.agents.tools._masking import Mask, secrets_of
from audition.agents.tools._requests import PLACEHOLDER, Endpoint, HttpTool, Place
from audition.agents.tools._shapes import (
    DESCRIPTION,
    HEADERS,
    NAME,
    PARAMETERS,
    TIMEOUT_S,
    kind,
    properties_of,
    review_headers,
    review_parameters,
    review_url,
    schema_of,
)
from audition.documents.located import Path
from audition.documents.shape import Choice, Faults, Field, MapOf, Record, Text
from audition.llm import ToolDefinition
from audition.llm.transport import Transport

SHAPE = Record(
    "http tool",
    "A tool that is an HTTP endpoint.",
    kind=kind("http"),
    name=NAME,
    description=DESCRIPTION,
    url=Field(Text(min_length=1), required=True, doc="where it is; {name} in the path stands for an argument"),
    method=Field(Choice(("GET", "POST", "PUT", "PATCH", "DELETE")), doc="the HTTP method, POST by default"),
    parameters=PARAMETERS,
    headers=HEADERS,
    timeout_s=TIMEOUT_S,
    result=Field(Choice(("json", "text")), doc="what the answer must be; by default JSON where it is, else text"),
    **{"in": Field(MapOf(Choice(("query", "path", "body"))), doc="where arguments go, by name")},
)


def review(tool: Mapping[str, Any], path: Path, faults: Faults, checking: Checking) -> None:
    """Report what is wrong with the URL, the headers, and the places of arguments."""
    review_url(tool, "url", path, faults, checking)
    review_headers(tool, path, faults)
    review_parameters(tool, path, faults)
    known, places = properties_of(tool), tool.get("in")
    if isinstance(tool.get("url"), str):
        _review_placeholders(tool["url"], known, (*path, "url"), faults)
    for name, place in places.items() if isinstance(places, Mapping) else ():
        if name not in known:
            faults.add(f"the parameters have no {str(name)!r}", (*path, "in", str(name)))
        elif (place == "path") != (f"{{{name}}}" in str(tool.get("url"))):
            faults.add(f"{name!r} goes into the path where the URL holds {{{name}}}", (*path, "in", str(name)))
        elif place == "body" and tool.get("method") == "GET":
            faults.add("a GET request has no body", (*path, "in", str(name)))


@asynccontextmanager
async def opened(tool: Mapping[str, Any], around: ToolSurroundings) -> AsyncIterator[Sequence[OpenTool]]:
    """Hold the tool open; nothing is sent before it is called."""
    transport = guarded_transport(around)
    definition = ToolDefinition(name=tool["name"], description=tool.get("description", ""), parameters=schema_of(tool))
    in_path: dict[str, Place] = dict.fromkeys(PLACEHOLDER.findall(tool["url"]), "path")
    endpoint = Endpoint(
        method=tool.get("method", "POST"),
        url=tool["url"],
        headers=dict(tool.get("headers", {})),
        places={name: (place, name) for name, place in (tool.get("in", {}) | in_path).items()},
        result=tool.get("result"),
        timeout_s=min(tool.get("timeout_s", around.timeout_s), around.timeout_s),
    )
    try:
        yield (HttpTool(definition, endpoint, transport, Mask((*around.secrets, *secrets_of((tool,))))),)
    finally:
        await transport.close()


def guarded_transport(around: ToolSurroundings) -> Transport:
    """Return what asks a server once: a live tool that is asked twice may do twice what it does."""
    return Transport(
        timeout_s=around.timeout_s, attempts=1, max_reply_bytes=around.max_reply_bytes, egress=around.egress
    )


def _review_placeholders(url: str, known: Mapping[str, object], path: Path, faults: Faults) -> None:
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    rest = PLACEHOLDER.sub("", parts.path)
    if any(brace in text for brace in "{}" for text in (rest, parts.netloc, parts.query, parts.fragment)):
        faults.add("a placeholder {name} stands only in the path of the URL", path)
    for name in PLACEHOLDER.findall(parts.path):
        if name not in known:
            faults.add(f"the parameters have no {name[:80]!r}, which stands in the URL", path)
