"""Calls to the Botpress APIs: JSON in, JSON out, and what goes wrong told without the keys that are sent along."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audition.errors import AgentError
from audition.llm.transport import Transport, TransportError, shown
from audition.text import printable, shorten

_EXCERPT = 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What an API answered; `elapsed_ms`: how long the attempt that succeeded took."""

    content: Mapping[str, Any]
    elapsed_ms: float


class Refused(AgentError):
    """An API refused what was asked; `status` is the HTTP status it meant, None when there was no answer at all."""

    def __init__(self, message: str, *, status: int | None, hint: str | None) -> None:
        super().__init__(message, by_agent=False, hint=hint)
        self.status = status


class Caller:
    """Calls one API. `headers` go with every call, and `secrets` are kept out of all that is told.

    `hints`: what to do next, by status.
    """

    def __init__(
        self,
        transport: Transport,
        base_url: str,
        *,
        headers: Mapping[str, str],
        secrets: Iterable[str],
        hints: Mapping[int, str],
    ) -> None:
        self._transport, self.base_url = transport, base_url.rstrip("/")
        self.headers, self._hints = headers, hints
        self._secrets = sorted({secret for secret in secrets if secret}, key=len, reverse=True)

    async def call(
        self, method: str, path: str, body: Mapping[str, object] | None = None, *, repeatable: bool = True
    ) -> Answer:
        """Return what the API answers.

        An error may come with status 200, its own status in the body. Source: Botpress chat API, errors.

        Raises: Refused.
        """
        url = f"{self.base_url}{path}"
        try:
            reply = await self._transport.request_json(method, url, body, headers=self.headers, repeatable=repeatable)
        except TransportError as error:
            raise self._refused(error.message, error.status, error.body) from None
        content = _object(reply.body)
        status = reply.status if content is None or reply.status >= 400 else _status_in(content)
        if content is None or status is not None:
            raise self._refused(f"{shown(url)} answered {status}", status, reply.body)
        return Answer(content, reply.elapsed_ms)

    def masked(self, text: str) -> str:
        """Return a text without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _refused(self, message: str, status: int | None, body: bytes) -> Refused:
        said = _object(body) or {}
        words = said.get("message") or body.decode("utf-8", "replace")
        told = shorten(" ".join(self.masked(str(words)).split()), _EXCERPT)
        text = printable(f"{message}: {told}" if told else message)
        return Refused(text, status=status, hint=self._hints.get(status or 0))


def _object(body: bytes) -> dict[str, Any] | None:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _status_in(content: Mapping[str, object]) -> int | None:
    code = content.get("code")
    return code if isinstance(code, int) and 400 <= code < 600 else None
