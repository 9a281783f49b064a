"""An endpoint that takes JSON and gives JSON, as OpenAI's do: its address, its key, and what its errors say."""

import json
from collections.abc import Mapping
from urllib.parse import urlsplit, urlunsplit

from audition.errors import ModelError
from audition.llm.transport import HttpReply, Transport, TransportError
from audition.providers import Provider
from audition.text import shorten


class Endpoint:
    """One path of a provider; `path` begins with a slash. Its connections close with the running loop."""

    def __init__(self, provider: Provider, path: str) -> None:
        self._provider = provider
        self._url = _url(provider.base_url, path)
        has_own_key = any(header.lower() in ("authorization", "api-key") for header in provider.headers)
        key = {"Authorization": f"Bearer {provider.api_key}"} if provider.api_key and not has_own_key else {}
        self._lacks_key = bool(provider.api_key_env) and not provider.api_key and not has_own_key
        self._transport = Transport(
            timeout_s=provider.timeout_s,
            attempts=provider.attempts,
            headers={**key, **provider.headers},
            offline=provider.offline,
        )

    async def post(self, body: Mapping[str, object], timeout_s: float | None) -> HttpReply:
        """Return the reply to a body, whatever its status; `timeout_s` None: the provider's limit, seconds.

        Raises: ModelError when there is no address, no key or no reply.
        """
        self._check_access()
        try:
            return await self._transport.post_json(self._url, body, timeout_s=timeout_s)
        except TransportError as error:
            said = self._excerpt(error.body)
            raise ModelError(
                f"{self._provider.name}: {error.message}{f': {said}' if said else ''}",
                status=error.status,
                attempts=error.attempts,
                timed_out=error.timed_out,
            ) from None

    def refused(self, reply: HttpReply) -> ModelError:
        """Return the error that a reply with another status than 2xx is."""
        message = f"{self._provider.name} answered {reply.status}: {self._excerpt(reply.body) or '(nothing)'}"
        hint = None
        if reply.status in (401, 403):
            key = self._provider.api_key_env or f"[providers.{self._provider.name}] api_key_env"
            hint = f"check the key in {key}"
        elif reply.status == 404:
            hint = f"check the model's name, and [providers.{self._provider.name}] base_url in audition.toml"
        return ModelError(message, status=reply.status, attempts=reply.attempts, hint=hint)

    def unreadable(self, reply: HttpReply, wanted: str) -> ModelError:
        """Return the error that a reply is no such thing as `wanted`."""
        said = self._excerpt(reply.body) or "(nothing)"
        message = f"{self._provider.name} answered {reply.status} with something that is no {wanted}: {said}"
        return ModelError(message, status=reply.status, attempts=reply.attempts)

    def _check_access(self) -> None:
        provider = self._provider
        if not provider.base_url:
            hint = f"set [providers.{provider.name}] base_url in audition.toml"
            raise ModelError(f"the provider {provider.name!r} has no base_url", hint=hint)
        if self._lacks_key:
            raise ModelError(
                f"no API key for the provider {provider.name!r}: {provider.api_key_env} is not set",
                hint=f"set {provider.api_key_env}, or name another variable with "
                f"[providers.{provider.name}] api_key_env in audition.toml",
            )

    def _excerpt(self, body: bytes) -> str:
        """Return the beginning of a reply for a message: the provider's own words when it has any, keys left out."""
        text = _own_words(body) or body[:2000].decode("utf-8", "replace")
        for secret in (self._provider.api_key, *self._provider.headers.values()):
            if secret:
                text = text.replace(secret, "***")
        return shorten(" ".join(text.split()))


def count(value: object) -> int | None:
    """Return a count as an endpoint sends it, None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _url(base_url: str, path: str) -> str:
    """Return where a path is; `base_url` may end in a slash, hold a query, or be that very place."""
    try:
        parts = urlsplit(base_url)
    except ValueError:
        return base_url  # the transport says what is wrong with it
    base = parts.path.rstrip("/")
    return urlunsplit(parts._replace(path=base if base.endswith(path) else base + path))


def _own_words(body: bytes) -> str | None:
    """Return the message of a provider's error reply, None when it is none."""
    try:
        error = json.loads(body)["error"]
        message = error["message"] if isinstance(error, Mapping) else error
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return message if isinstance(message, str) else None
