"""The service put together as one ASGI application."""

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import FastAPI

from audition import __version__
from audition.service import problems
from audition.service.context import Service
from audition.service.conventions import STRICT
from audition.service.routes import ROUTES

_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Scope]]
_Send = Callable[[_Scope], Awaitable[None]]


def create_app(service: Service) -> FastAPI:
    """Return the application that serves all endpoints."""
    app = FastAPI(title="audition", version=__version__, docs_url="/docs", redoc_url=None)
    app.state.service = service
    problems.install(app)
    for name in ROUTES.names():
        for router in ROUTES.get(name).routers():
            app.include_router(router)
    app.add_middleware(_Conventions)
    return app


class _Conventions:
    """Gives every request an id, and says whether it wants to be told of unknown fields."""

    def __init__(self, app: Callable[[_Scope, _Receive, _Send], Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        strict = any(name == b"prefer" and b"handling=strict" in value for name, value in scope["headers"])
        STRICT.set(strict)

        async def sending(message: _Scope) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"x-request-id", request_id.encode())]
            await send(message)

        await self._app(scope, receive, sending)
