"""Requests that may be sent twice and are carried out once. Source: IETF draft-ietf-httpapi-idempotency-key-header."""

import hashlib
import itertools
import re
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from audition.errors import AuditionError
from audition.service.context import Service
from audition.service.middleware import App, Message, Receive, Scope, Send, header, refuse
from audition.service.openapi import SECRET_PATHS
from audition.service.problems import Problem, problem_of
from audition.store.service import idempotency as kept_answers

HEADER = "Idempotency-Key"

_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_PURGE_EACH = 1000
"""How many requests with a key there are between two looks for old answers."""

_NOT_KEPT: Final = frozenset({401, 429})
"""Answers that say nothing about the request itself; nor do those of 500 and above."""

_HEADERS: Final = frozenset({"content-type", "location", "etag", "link", "x-total-count"})


class Idempotency:
    """Has a POST with a key answered once; whoever sends it again gets that answer."""

    def __init__(self, app: App, service: Service) -> None:
        self._app, self._database, self._numbers = app, service.database, itertools.count()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        key, token = header(scope, b"idempotency-key"), header(scope, b"authorization")
        is_given = any(name == b"idempotency-key" for name, _ in scope["headers"])
        if not is_given or not token:  # without a token nothing is carried out anyway
            await self._app(scope, receive, send)
            return
        try:
            earlier = await self._claim(scope, token, key)
        except Problem as problem:
            await refuse(problem, scope, receive, send)
            return
        except AuditionError as error:
            await refuse(problem_of(error), scope, receive, send)
            return
        if earlier is not None:
            await earlier(scope, receive, send)
            return
        await self._first(_key_hash(scope, token, key), scope, receive, send)

    async def _claim(self, scope: Scope, token: str, key: str) -> Response | None:
        if scope["path"].startswith(SECRET_PATHS):
            raise Problem(400, f"this answer shows a secret and is never stored: send it without {HEADER}")
        if not _KEY.fullmatch(key):
            raise Problem(400, f"{HEADER} must be 1 to 255 visible ASCII characters")
        key_hash, request_hash = _key_hash(scope, token, key), _request_hash(scope)
        earlier = await run_in_threadpool(self._earlier, key_hash, request_hash)
        if earlier is None:
            return None
        if earlier.request_hash != request_hash:
            raise Problem(422, f"this {HEADER} was used for another request", code="idempotency_key_reused")
        if earlier.status is None:
            detail = "the first request with this key has not been answered yet; if it never is, look what it did"
            raise Problem(409, detail, code="idempotency_key_in_use", headers={"Retry-After": "1"})
        headers = {**dict(earlier.headers), "Idempotency-Replayed": "true"}
        return Response(earlier.body, earlier.status, headers=headers)

    def _earlier(self, key_hash: str, request_hash: str) -> kept_answers.Kept | None:
        database = self._database
        if next(self._numbers) % _PURGE_EACH == 0:
            database.write(lambda connection: kept_answers.purge_kept(connection, database.now_s))
        return database.write(lambda connection: kept_answers.claim(database, connection, key_hash, request_hash))

    async def _first(self, key_hash: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Carry a request out, and keep its answer before it is sent."""
        messages: list[Message] = []

        async def noting(message: Message) -> None:
            messages.append(message)

        try:
            await self._app(scope, receive, noting)
            await run_in_threadpool(self._keep, key_hash, messages)
        except BaseException:
            self._release(key_hash)
            raise
        finally:  # the answer to a fault is there as well
            for message in messages:
                await send(message)

    def _keep(self, key_hash: str, messages: list[Message]) -> None:
        status, headers = int(messages[0]["status"]), messages[0]["headers"]
        body = b"".join(message.get("body", b"") for message in messages[1:])
        if status >= 500 or status in _NOT_KEPT:
            self._release(key_hash)
            return
        named = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in headers]
        told = [(name, value) for name, value in named if name in _HEADERS]
        text = body.decode()
        self._database.write(
            lambda connection: kept_answers.keep(connection, key_hash, status=status, headers=told, body=text)
        )

    def _release(self, key_hash: str) -> None:
        self._database.write(lambda connection: kept_answers.release(connection, key_hash))


def _key_hash(scope: Scope, token: str, key: str) -> str:
    return _digest(token, scope["path"], key)


def _request_hash(scope: Scope) -> str:
    return _digest(scope["query_string"].decode("latin-1"), scope["state"]["body"].hex())


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
