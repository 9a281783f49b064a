"""Tools that an MCP server offers over streamable HTTP.

    {"kind": "mcp", "name": "shop", "url": "https://shop.example/mcp", "tools": ["find_order"]}

The tools keep the names that the server gives them. Servers that are started by a command (stdio) are refused, for a
command is code. Every connection is checked, and made to the address that was checked. Needs the extra `mcp`.
"""

import re
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from audition.agents.tools import LONGEST_NAME, MOST_TOOLS, Checking, OpenTool, ToolFailed, ToolSurroundings
from audition.agents.tools._masking import Mask, secrets_of
from audition.agents.tools._shapes import HEADERS, NAME, TIMEOUT_S, kind, review_headers, review_url, too_deep
from audition.documents.located import Path
from audition.documents.shape import Faults, Field, ListOf, Record, Text
from audition.errors import AgentError, MissingExtra
from audition.llm import ToolDefinition
from audition.llm.egress import RefusedEgress
from audition.llm.transport import shown
from audition.text import nearest, printable, shorten

if TYPE_CHECKING:
    import httpx2
    from mcp.client.client import Client
    from mcp.types import CallToolResult, Tool

SHAPE = Record(
    "mcp tool",
    "Tools that an MCP server offers over streamable HTTP.",
    kind=kind("mcp"),
    name=NAME,
    url=Field(Text(min_length=1), required=True, doc="where the server is"),
    headers=HEADERS,
    tools=Field(ListOf(Text(min_length=1), min_items=1), doc="the names of its tools that are offered; by default all"),
    timeout_s=TIMEOUT_S,
)

_COMMAND = ("command", "args", "env", "cwd")
_MOST_PAGES = 20
_LONGEST_MESSAGE = 500
_DEEPEST = 100


def review(tool: Mapping[str, Any], path: Path, faults: Faults, checking: Checking) -> None:
    """Report what is wrong with the URL and the headers, and that commands are refused."""
    review_url(tool, "url", path, faults, checking)
    review_headers(tool, path, faults)
    for key in _COMMAND:
        if key in tool:
            faults.add("a server that is started by a command is refused: a command is code", (*path, key))


@asynccontextmanager
async def opened(tool: Mapping[str, Any], around: ToolSurroundings) -> AsyncIterator[Sequence[OpenTool]]:
    """Connect to the server and hold its tools open.

    Raises: MissingExtra; AgentError when the server cannot be reached or does not have the tools that are named.
    """
    try:
        import httpx2
        from mcp.client.client import Client
        from mcp.client.streamable_http import streamable_http_client
    except ImportError:
        raise MissingExtra("mcp", needed_for=f"the tool {tool['name']!r}, an MCP server,") from None
    timeout_s = min(tool.get("timeout_s", around.timeout_s), around.timeout_s)
    way = _Way(tool["url"], around, timeout_s)
    server = _Server(tool, timeout_s, way, Mask((*around.secrets, *secrets_of((tool,)))))
    failed: Exception | None = None
    begun = False
    try:
        async with (
            httpx2.AsyncClient(
                transport=cast(Any, way),  # it does what a transport does; the base class would be imported too early
                headers=dict(tool.get("headers", {})) | {"Accept-Encoding": "identity"},
                timeout=timeout_s,
                trust_env=False,
            ) as http,
            Client(
                streamable_http_client(way.told, http_client=http), read_timeout_seconds=timeout_s, cache=None
            ) as client,
        ):
            try:
                tools = await server.tools(client)
                begun = True
                yield tools
            except Exception as error:
                # It goes around the client, whose task groups would make a group of errors of it.
                failed = error
    except Exception as error:  # whatever the client makes of a server that is none
        if not begun:
            raise server.unreachable(error) from None
    if failed is not None:
        raise failed if begun or isinstance(failed, AgentError) else server.unreachable(failed)


class _Server:
    """One MCP server."""

    def __init__(self, tool: Mapping[str, Any], timeout_s: float, way: "_Way", mask: Mask) -> None:
        self.timeout_s, self.way, self.mask = timeout_s, way, mask
        self._name, self._url, self._wanted = tool["name"], tool["url"], tool.get("tools")

    async def tools(self, client: "Client") -> list[OpenTool]:
        """Return the tools that are wanted.

        Raises: AgentError when the server does not have one.
        """
        listed = await self._listed(client)
        wanted = list(listed) if self._wanted is None else list(dict.fromkeys(self._wanted))
        for name in wanted:
            if name not in listed:
                guess = nearest(name, listed)
                hint = f"did you mean {guess!r}?" if guess else f"there are: {shorten(', '.join(listed), 300)}"
                message = f"the MCP server {self._name!r} has no tool called {shorten(name, 80)!r}"
                raise AgentError(message, by_agent=False, hint=hint)
        return [_McpTool(listed[name], client, self) for name in wanted]

    async def _listed(self, client: "Client") -> "dict[str, Tool]":
        found: dict[str, Tool] = {}
        cursor: str | None = None
        for _ in range(_MOST_PAGES):
            page = await client.list_tools(cursor=cursor)
            found |= {tool.name: tool for tool in page.tools}
            cursor = page.next_cursor
            if not cursor or len(found) > MOST_TOOLS:
                break
        return found

    def unreachable(self, error: BaseException) -> AgentError:
        """Return why the server's tools are not to be had."""
        message = f"the MCP server {self._name!r} ({shown(self._url)}) {self.why(error)}"
        return AgentError(printable(self.mask.text(message)), by_agent=False)

    def why(self, error: BaseException) -> str:
        """Return what went wrong, as far as somebody may be told."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if self.way.trouble is not None:
            return self.way.trouble
        if isinstance(error, TimeoutError) or "timed out" in str(error).lower():
            return f"gave no answer within {self.timeout_s:g} s"
        return f"answered: {shorten(' '.join(str(error).split()) or type(error).__name__, _LONGEST_MESSAGE)}"


class _McpTool:
    def __init__(self, tool: "Tool", client: "Client", server: _Server) -> None:
        self._name, self._client, self._server = tool.name, client, server
        schema = dict(tool.input_schema)
        self.definition = ToolDefinition(
            name=re.sub(r"[^A-Za-z0-9_]+", "_", tool.name)[:LONGEST_NAME],
            description=tool.description or "",
            parameters={"type": "object"} if too_deep(schema) else schema,
        )

    async def call(self, arguments: Mapping[str, object]) -> object:
        """Return what the server's tool gives: its structured result, or else its texts.

        Raises: ToolFailed.
        """
        from mcp import types

        # Not `call_tool`: it matches the result with a schema of the server's, whose patterns may take for ever.
        params = types.CallToolRequestParams(name=self._name, arguments=dict(arguments))
        self._server.way.trouble = None
        try:
            result = await self._client.session.send_request(
                types.CallToolRequest(params=params),
                types.CallToolResult,
                request_read_timeout_seconds=self._server.timeout_s,
            )
        except Exception as error:  # whatever the client makes of what a server does
            message = f"the tool {self._name!r} {self._server.why(error)}"
            raise ToolFailed(printable(self._server.mask.text(message))) from None
        held = _held(result)
        if too_deep(held, _DEEPEST):
            raise ToolFailed(f"the tool's answer is nested deeper than {_DEEPEST} levels")
        if result.is_error:
            told = held if isinstance(held, str) else "the tool failed"
            raise ToolFailed(printable(self._server.mask.text(shorten(told, _LONGEST_MESSAGE))))
        return self._server.mask.data(held)


def _held(result: "CallToolResult") -> object:
    """Return what a result holds. Pictures, sound and files are told of, not handed on."""
    if result.structured_content is not None and not result.is_error:
        return result.structured_content
    items: list[object] = []
    for item in result.content:
        text = getattr(item, "text", None)
        items.append(text if isinstance(text, str) else {"type": item.type})
    if all(isinstance(item, str) for item in items):
        return "\n".join(map(str, items))
    return items


class _Way:
    """The way of an HTTP client to one server: every request goes to an address that was checked just then.

    A request that cannot be made is answered with 503 in the server's place, because the MCP client gives up all its
    connections when one breaks; `trouble` then says why. `told` is the URL as the client knows it, and may log it:
    without its query, which is added on the way.
    """

    def __init__(self, url: str, around: ToolSurroundings, timeout_s: float) -> None:
        import httpx2

        self.trouble: str | None = None
        self.told, _, self._query = url.partition("?")
        self._egress, self._most, self._timeout_s = around.egress, around.max_reply_bytes, timeout_s
        self._inner = httpx2.AsyncHTTPTransport(verify=ssl.create_default_context(), trust_env=False)

    async def __aenter__(self) -> "_Way":
        await self._inner.__aenter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._inner.__aexit__(*error)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def handle_async_request(self, request: "httpx2.Request") -> "httpx2.Response":
        """Return the answer to a request, or 503."""
        import httpx2

        try:
            response = await self._sent(request)
            return await self._bounded(response)
        except RefusedEgress as refused:
            self.trouble = f"is not asked: {refused.strerror}"
        except httpx2.TimeoutException:
            self.trouble = f"gave no answer within {self._timeout_s:g} s"
        except (OSError, httpx2.TransportError, _TooLong) as error:
            self.trouble = str(error) if isinstance(error, _TooLong) else "cannot be reached"
        return httpx2.Response(503)

    async def _sent(self, request: "httpx2.Request") -> "httpx2.Response":
        """Return the answer of the first address that takes a connection."""
        import httpx2

        url = request.url
        self._egress.insist(str(url))
        port = url.port or (443 if url.scheme == "https" else 80)
        host = url.raw_host.decode("ascii").strip("[]")
        addresses = await self._egress.addresses(host, port)
        for address in addresses:
            pinned = httpx2.Request(
                request.method,
                url.copy_with(host=address, query=self._query.encode() or None),
                headers=request.headers,  # its Host is still the name
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": host},
            )
            try:
                return await self._inner.handle_async_request(pinned)
            except httpx2.ConnectError:
                if address == addresses[-1]:
                    raise
        raise OSError("no address")

    async def _bounded(self, response: "httpx2.Response") -> "httpx2.Response":
        """Return a response that cannot hold more than it may: read to its end, unless it is a stream of events."""
        import httpx2

        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            await response.aclose()
            raise _TooLong("sent a compressed reply, which was not asked for")
        stream = _limited(cast("httpx2.AsyncByteStream", response.stream), self._most)
        if response.headers.get("Content-Type", "").lower().startswith("text/event-stream"):
            return httpx2.Response(response.status_code, headers=response.headers, stream=stream)
        try:
            body = b"".join([piece async for piece in stream])
        finally:
            await stream.aclose()
        headers = [(name, value) for name, value in response.headers.items() if name != "transfer-encoding"]
        return httpx2.Response(response.status_code, headers=headers, content=body)


class _TooLong(Exception):
    """A server sent more than it may."""


def _limited(stream: "httpx2.AsyncByteStream", most: int) -> "httpx2.AsyncByteStream":
    import httpx2

    class Limited(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for piece in stream:
                size += len(piece)
                if size > most:
                    raise _TooLong(f"sent more than {most:,} bytes")
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    return Limited()
