"""Secrets that tools are called with: found in their definitions, and masked in whatever comes back."""

import re
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl, urlsplit

from audition.subjects import Tool

_HARMLESS_HEADER = re.compile(r"accept(-.*)?|user-agent|cache-control|content-type", re.IGNORECASE)
"""Every other header may hold a secret."""

_SECRET_PARAMETER = re.compile("auth|key|token|secret|password|credential|sig", re.IGNORECASE)

_SHORTEST_SECRET = 6
"""What is shorter is no key, and would be found in harmless text."""

_MASK = "***"


def secrets_of(tools: Iterable[Tool]) -> tuple[str, ...]:
    """Return the values in definitions of tools that must not be shown: of headers, and of keys in a URL's query."""
    held: list[str] = []
    for tool in tools:
        headers = tool.get("headers")
        for name, value in headers.items() if isinstance(headers, Mapping) else ():
            if isinstance(value, str) and not _HARMLESS_HEADER.fullmatch(str(name)):
                held += [value, *value.split()[-1:]]
        held += [value for key in ("url", "server_url", "document") for value in _in_query(tool.get(key))]
    return tuple(sorted({text for text in held if len(text) >= _SHORTEST_SECRET}, key=len, reverse=True))


class Mask:
    """Replaces secrets, the longest first, so that none leaves a rest."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted({text for text in secrets if len(text) >= _SHORTEST_SECRET}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """Return a text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _MASK)
        return text

    def data(self, value: object) -> object:
        """Return JSON data without secrets, in keys or in values."""
        if not self._secrets:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(str(key)): self.data(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.data(item) for item in value]
        return value


def _in_query(url: object) -> list[str]:
    try:
        query = urlsplit(url).query if isinstance(url, str) else ""
    except ValueError:
        return []
    found = [(name, value) for name, value in parse_qsl(query) if _SECRET_PARAMETER.search(name)]
    written = {name: value for name, _, value in (part.partition("=") for part in query.split("&"))}
    return [text for name, value in found for text in (value, written.get(name, ""))]
