"""The service put together as one ASGI application."""

from typing import Any

from fastapi import FastAPI

from audition import __version__
from audition.service import openapi, problems
from audition.service.context import Service
from audition.service.idempotency import Idempotency
from audition.service.middleware import Again, App, Bodies, Conventions
from audition.service.routes import ROUTES


class _Application(FastAPI):
    """Wraps what FastAPI makes, answers to faults included: these have an id and the headers of all, too."""

    def build_middleware_stack(self) -> App:
        """Return the application within all that every request goes through, from the outside in."""
        service: Service = self.state.service
        bare: App = super().build_middleware_stack()
        whole = Bodies(Idempotency(bare, service), service, self.routes)
        return Conventions(Again(whole, service), service)

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI document."""
        if self.openapi_schema is None:
            self.openapi_schema = openapi.completed(super().openapi())
        return self.openapi_schema


def create_app(service: Service) -> FastAPI:
    """Return the application that serves all endpoints."""
    app = _Application(title="audition", version=__version__, openapi_url=None, docs_url=None, redoc_url=None)
    app.state.service = service
    problems.install(app)
    for name in sorted(ROUTES.names(), key=lambda name: name != "runs"):  # what is asked most is looked for first
        for router in ROUTES.get(name).routers():
            app.router.routes.extend(router.routes)  # flat: a router within a router costs time at every request
    return app
