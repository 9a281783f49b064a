"""Calls of tools that are HTTP requests: where each argument goes, and what the answer gives."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote, unquote, urlencode, urlsplit, urlunsplit

from audition.agents.tools import ToolFailed
from audition.agents.tools._masking import Mask
from audition.agents.tools._shapes import too_deep
from audition.llm import ToolDefinition
from audition.llm.transport import HttpReply, Transport, TransportError, encode, shown
from audition.text import printable, shorten

Place = Literal["path", "query", "header", "body"]
"""Where an argument goes. In the path it stands in place of `{name}`."""

PLACEHOLDER = re.compile(r"\{([^{}/]*)\}")

_BODILESS = ("GET", "DELETE")
_EXCERPT = 500
_DEEPEST = 100
_UNSENDABLE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where calls go. `url` may hold `{name}` in its path.

    `places` says where arguments go, and by which name; others go into the query of GET and DELETE, and else into the
    body, a JSON object. `whole_body`: the argument that is the body. `result`: what the answer must be, None for JSON
    where it is JSON, and else text.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    places: Mapping[str, tuple[Place, str]] = field(default_factory=dict)
    whole_body: str | None = None
    result: Literal["json", "text"] | None = None
    timeout_s: float


class HttpTool:
    """A tool that is one HTTP endpoint."""

    def __init__(self, definition: ToolDefinition, endpoint: Endpoint, transport: Transport, mask: Mask) -> None:
        self.definition = definition
        self._endpoint, self._transport, self._mask = endpoint, transport, mask

    async def call(self, arguments: Mapping[str, object]) -> object:
        """Return what the endpoint answers with a status of success.

        Raises: ToolFailed.
        """
        at = self._endpoint
        try:
            url, headers, body = _request(at, arguments)
        except ValueError:
            raise ToolFailed("the arguments hold text that cannot be sent") from None
        try:
            reply = await self._transport.request_json(
                at.method, url, body, headers=headers, timeout_s=at.timeout_s, repeatable=False
            )
        except TransportError as error:
            raise self._failed(error.message, error.body) from None
        if not 200 <= reply.status < 300:
            moved = "; redirects are not followed" if 300 <= reply.status < 400 else ""
            raise self._failed(f"{shown(url)} answered {reply.status}{moved}", reply.body)
        result = self._result(reply)
        if too_deep(result, _DEEPEST):
            raise ToolFailed(f"the tool's answer is nested deeper than {_DEEPEST} levels")
        return self._mask.data(result)

    def _result(self, reply: HttpReply) -> object:
        wanted, text = self._endpoint.result, reply.body.decode("utf-8", "replace")
        if wanted == "text":
            return text
        if not text.strip():
            return None
        said = reply.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        try:
            return json.loads(text, parse_constant=_refuse)
        except (ValueError, RecursionError):
            if wanted == "json" or said.endswith("json"):
                raise self._failed("the tool answered with something that is not JSON", reply.body) from None
            return text

    def _failed(self, message: str, body: bytes) -> ToolFailed:
        text = shorten(self._mask.text(" ".join(body.decode("utf-8", "replace").split())), _EXCERPT)
        told = self._mask.text(message)
        return ToolFailed(printable(f"{told}: {text}" if text else told))


def _request(at: Endpoint, arguments: Mapping[str, object]) -> tuple[str, dict[str, str], bytes | None]:
    """Return the URL, headers and body of a call.

    Raises: ToolFailed for arguments that have no place, ValueError for text that cannot be encoded.
    """
    sorted_out: dict[Place, dict[str, object]] = {"path": {}, "query": {}, "header": {}, "body": {}}
    body: bytes | None = None
    for name, value in arguments.items():
        if name == at.whole_body:
            body = json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
            continue
        place, as_name = at.places.get(name, ("query" if at.method in _BODILESS else "body", name))
        sorted_out[place][as_name] = value
    if sorted_out["body"]:
        body = encode(sorted_out["body"])
    elif body is None and at.method not in _BODILESS and at.whole_body is None:
        body = b"{}"
    headers = dict(at.headers)
    for name, value in sorted_out["header"].items():
        headers[name] = _sendable(name, _as_text(name, value))
    return _url(at.url, sorted_out["path"], sorted_out["query"]), headers, body


def _url(template: str, filled: Mapping[str, object], query: Mapping[str, object]) -> str:
    parts = urlsplit(template)
    path = "/".join(_segment(segment, filled) for segment in parts.path.split("/"))
    pairs = [(name, text) for name, value in query.items() for text in _in_query(value)]
    whole = "&".join(filter(None, (parts.query, urlencode(pairs, quote_via=quote, safe=""))))
    return urlunsplit((parts.scheme, parts.netloc, path, whole, ""))


def _segment(segment: str, filled: Mapping[str, object]) -> str:
    """Return a segment of the path with its placeholders filled; what is filled in never leaves it."""

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        if name not in filled:
            raise ToolFailed(f"the argument {name!r} is missing")
        return quote(_as_text(name, filled[name]), safe="")

    text = PLACEHOLDER.sub(fill, segment)
    if text != segment and unquote(text) in ("", ".", ".."):
        # Clients and servers take `%2e%2e` for `..`, so that encoding does not help here.
        raise ToolFailed(f"an argument of the path must not be empty, '.' or '..': {segment}")
    return text


def _as_text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise ToolFailed(f"the argument {name!r} must be a text or a number")


def _sendable(name: str, text: str) -> str:
    if _UNSENDABLE.search(text):
        raise ToolFailed(f"the argument {name!r} holds a character that no header can hold")
    return text


def _in_query(value: object) -> list[str]:
    """Return the texts by which a value stands in a query: one for each item of a list, none for null."""
    if value is None:
        return []
    if isinstance(value, list | tuple):
        return [text for item in value for text in _in_query(item)]
    if isinstance(value, Mapping):
        return [json.dumps(value, separators=(",", ":"))]
    return [_as_text("", value)]


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")
