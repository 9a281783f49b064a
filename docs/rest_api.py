"""The reference of the REST API, written from the routes themselves and their OpenAPI document."""

import tempfile
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from docs.writing import page, table, text_of

from audition.service.app import create_app
from audition.service.context import Service
from audition.service.problems import CODES
from audition.service.routes import ROUTES
from audition.settings import Settings
from audition.store.service.database import Connection, Database

_FAMILY, _OTHER = "/agents/{agent_id}", "/orchestrators/{orchestrator_id}"
_TOLD_ONCE = frozenset({"400", "413", "422", "429", "500", "503"})
"""What any endpoint may answer."""


class _NobodyStarts:
    """What is told of runs while the reference is written: there are none."""

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Do nothing."""


def write() -> str:
    """Return the page."""
    document = _document()
    about = (
        "What `audition serve` answers. `/openapi.json` has the whole of it: bodies, parameters, answers, examples.\n"
        "How to use it: [the service](../how-to/service.md).\n\n"
        "What stands below `/api/v1/agents/{agent_id}/eval-datasets` is the same below\n"
        "`/api/v1/orchestrators/{orchestrator_id}/eval-datasets`. Reading takes any role, changing needs owner, admin\n"
        "or editor; members and the audit log are for owners and admins. Any endpoint may also answer 400, 413, 422,\n"
        "429, 500 and 503."
    )
    parts = [_group(name, document["paths"]) for name in ROUTES.names()]
    rows = [(f"`{code}`", f"{status} {HTTPStatus(status).phrase}") for status, code in CODES.items()]
    codes = "The `code` of an `application/problem+json` body; some endpoints have more exact ones."
    return page("REST API", about, *parts, "## Codes of problems", codes, table(("code", "status"), rows))


def _document() -> Mapping[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{folder}/service.db")
        app = create_app(Service(database=database, settings=Settings(root=Path(folder)), runs=_NobodyStarts()))
        document: Mapping[str, Any] = app.openapi()
        database.close()
    return document


def _group(name: str, paths: Mapping[str, Any]) -> str:
    module = ROUTES.get(name)
    rows = [row for router in module.routers() for route in router.routes for row in _rows(route, paths)]
    title = name.replace("_", " ").capitalize().replace("Api", "API")
    return f"## {title}\n\n{text_of(module)}\n\n{table(('endpoint', 'does', 'answers'), rows)}"


def _rows(route: Any, paths: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    if _OTHER in route.path and "/eval-datasets" in route.path:
        return
    for method in sorted(getattr(route, "methods", None) or ()):
        told = paths.get(route.path, {}).get(method.lower())
        if told is None:
            continue
        first = " ".join(str(told.get("description", told.get("summary", ""))).partition("\n\n")[0].split())
        answers = ", ".join(sorted(told["responses"].keys() - _TOLD_ONCE))
        yield f"`{method} {route.path}`", first.replace("|", "\\|"), answers
