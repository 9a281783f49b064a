"""Every endpoint, asked by everybody, for objects of their own and of others: who gets what, and what changes.

What is there is found by itself: an endpoint that is added is asked too, and must fit the table below.
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from fastapi.routing import APIRoute
from httpx2 import ASGITransport, AsyncClient
from tests.doubles.service_world import PASSWORD, Tree, World, world_in

from audition.service.routes import ROUTES
from audition.store.service.api_tokens import Scope
from audition.store.service.people import RANK, Role

pytestmark = pytest.mark.anyio

ADMINISTRATION = ("/api/v1/members", "/api/v1/audit-log")
"""Owners and admins only."""

OWN = ("/api/v1/auth/logout", "/api/v1/auth/password", "/api/v1/api-tokens")
"""What everybody may do with what is theirs."""

BODIES: Mapping[str, object] = {
    "change_password": {"current_password": PASSWORD, "password": "another one 1234"},
    "add_member": {"email": "new@example.com", "name": "New", "role": "viewer"},
}
"""Bodies, by the name of the endpoint, where one made up of the schema will not do."""

NOWHERE = 2**40


def _routes() -> list[APIRoute]:
    found = [route for name in ROUTES.names() for router in ROUTES.get(name).routers() for route in router.routes]
    return [route for route in found if isinstance(route, APIRoute) and route.path.startswith("/api/")]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: who asks, for what, and what must be answered; None: whatever somebody who may gets."""

    who: str
    where: str
    path: str
    expected: int | None


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Return a world that all tests share; what changes it is undone."""
    made = world_in(tmp_path_factory.mktemp("world"))
    yield made
    made.service.database.close()


def _allowed(route: APIRoute, method: str) -> tuple[Role, ...]:
    if route.path.startswith(ADMINISTRATION):
        return ("owner", "admin")
    if method == "GET" or route.path.startswith(OWN):
        return RANK
    return ("owner", "admin", "editor")


def _numbers(tree: Tree, world: World, role: Role) -> dict[str, int]:
    return {
        "agent_id": tree.subject,
        "orchestrator_id": tree.subject,
        "dataset_id": tree.dataset,
        "case_id": tree.case,
        "run_id": tree.run,
        "result_id": tree.result,
        "number": 1,
        "member_id": world.target,
        "token_id": world.token_ids[role],
    }


def _foreign(route: APIRoute, world: World, role: Role) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield what is not there for somebody who asks for it in this place."""
    names = [*route.param_convertors]
    family = "orchestrators" if "orchestrator_id" in names else "agents"
    trees, others = world.trees[family], world.trees["agents" if family == "orchestrators" else "orchestrators"]
    own = _numbers(trees["own"], world, role)
    for name in names:
        yield f"no such {name}", own | {name: NOWHERE}
    if "dataset_id" in names:
        yield "other subject", own | {"agent_id": trees["other"].subject, "orchestrator_id": trees["other"].subject}
        same = own["agent_id"]
        yield (
            "same number in the other family",
            _numbers(others["own"], world, role)
            | {
                "agent_id": same,
                "orchestrator_id": same,
            },
        )
        yield "deleted dataset", _numbers(trees["deleted_dataset"], world, role)
    if "case_id" in names or "run_id" in names:
        yield "other dataset", own | {"dataset_id": trees["second"].dataset}
    if "result_id" in names:
        yield "result of another run", own | {"result_id": trees["second"].result}
    if "case_id" in names:
        yield "deleted case", _numbers(trees["deleted_case"], world, role)
    if "run_id" in names:
        yield "deleted run", _numbers(trees["deleted_run"], world, role)
    if {"agent_id", "orchestrator_id"} & {*names}:
        yield "deleted subject", _numbers(trees["deleted_subject"], world, role)
    if "member_id" in names:
        yield "removed member", own | {"member_id": world.removed}
    if "token_id" in names:
        yield "revoked token", own | {"token_id": world.revoked_id}
        if role in ("viewer", "editor"):
            yield "somebody else's token", own | {"token_id": world.token_ids["owner"]}


def _asked(route: APIRoute, method: str, world: World) -> Iterator[Asked]:
    family = "orchestrators" if "orchestrator_id" in route.param_convertors else "agents"
    tree = world.trees[family]["own"]

    def path(numbers: Mapping[str, int]) -> str:
        return re.sub(r"{(\w+)}", lambda found: str(numbers[found[1]]), route.path)

    for who in ("nobody", "bad", "expired", "revoked"):
        yield Asked(who, "own", path(_numbers(tree, world, "owner")), 401)
    if not route.path.startswith("/api/v1/auth/"):  # everybody with a token may ask who they are
        yield Asked(f"without {_scope(route, method)}", "own", path(_numbers(tree, world, "owner")), 403)
    for role in RANK:
        may = role in _allowed(route, method)
        yield Asked(role, "own", path(_numbers(tree, world, role)), None if may else 403)
        for where, numbers in _foreign(route, world, role):
            yield Asked(role, where, path(numbers), 404 if may else 403)


def _scope(route: APIRoute, method: str) -> Scope:
    if route.path.startswith(ADMINISTRATION):
        return "admin"
    if method == "GET":
        return "read"
    return "runs" if "/runs" in route.path else "write"


def _header(world: World, who: str) -> dict[str, str]:
    tokens: Mapping[str, str] = {
        **world.tokens,
        "bad": "aud_s_nonsense",
        "expired": world.expired,
        "revoked": world.revoked,
        **{f"without {scope}": token for scope, token in world.without.items()},
    }
    return {"Authorization": f"Bearer {tokens[who]}"} if who in tokens else {}


def _is_right(expected: int | None, status: int) -> bool:
    if expected is not None:
        return status == expected
    return status < 500 and status not in (401, 403, 404, 405)


def _body(route: APIRoute, world: World) -> object:
    """Return a body that an endpoint takes, made of its schema; None where it takes none."""
    if route.name in BODIES:
        return BODIES[route.name]
    document = world.app.openapi()
    told = document["paths"][route.path][min(route.methods).lower()].get("requestBody")
    if told is None:
        return None
    media = told["content"].get("application/json")
    return None if media is None else _smallest(media["schema"], document["components"]["schemas"])


def _query(route: APIRoute, world: World) -> dict[str, object]:
    """Return the parameters that an endpoint must have."""
    document = world.app.openapi()
    told = document["paths"][route.path][min(route.methods).lower()].get("parameters", [])
    wanted = [one for one in told if one["in"] == "query" and one.get("required")]
    return {one["name"]: _smallest(one["schema"], document["components"]["schemas"]) for one in wanted}


def _smallest(schema: Mapping[str, Any], known: Mapping[str, Any]) -> object:
    if "$ref" in schema:
        return _smallest(known[schema["$ref"].rpartition("/")[2]], known)
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return _smallest(schema[word][0], known)
    if "examples" in schema:
        return schema["examples"][0]
    if "enum" in schema or "const" in schema:
        return schema.get("const", next(iter(schema.get("enum", [None]))))
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        return {name: _smallest(schema["properties"][name], known) for name in schema.get("required", ())}
    if kind == "array":
        return [_smallest(schema["items"], known)] * schema.get("minItems", 0)
    return {"string": "text " * schema.get("minLength", 1), "integer": 1, "number": 1, "boolean": False}.get(kind)


class Watch:
    """Sees whether anything in the database changed, and brings back what was."""

    def __init__(self, world: World) -> None:
        self._world, self._path = world, str(world.service.database.url.database)
        self._connection, self._kept = sqlite3.connect(self._path), sqlite3.connect(":memory:")
        self._connection.backup(self._kept)
        self._seen = self._version()

    def has_changed(self) -> bool:
        """Say whether anybody has committed a change since the last look."""
        before, self._seen = self._seen, self._version()
        return before != self._seen

    def restore(self) -> None:
        """Make all as it was."""
        with closing(sqlite3.connect(self._path)) as connection:
            self._kept.backup(connection)
        self._world.service.known.forget()
        self._seen = self._version()

    def close(self) -> None:
        """Close what was opened."""
        self._connection.close()
        self._kept.close()

    def _version(self) -> int:
        return int(self._connection.execute("PRAGMA data_version").fetchone()[0])


@pytest.mark.parametrize("route", _routes(), ids=lambda route: f"{min(route.methods)} {route.path}")
async def test_everybody_gets_what_they_may_and_what_is_refused_changes_nothing(world: World, route: APIRoute) -> None:
    if "security" not in world.app.openapi()["paths"][route.path][min(route.methods).lower()]:
        assert route.path.startswith("/api/v1/auth/")
        return
    method, body, query, watch = min(route.methods), _body(route, world), _query(route, world), Watch(world)
    wrong = []

    transport = ASGITransport(app=world.app, raise_app_exceptions=False)
    async with AsyncClient(transport=transport, base_url="http://testserver") as client:
        for asked in _asked(route, method, world):
            answer = await client.request(
                method, asked.path, params=query, json=body, headers=_header(world, asked.who)
            )
            changed = watch.has_changed()
            if not _is_right(asked.expected, answer.status_code):
                wrong.append((asked, answer.status_code, answer.text[:200]))
            if changed and answer.status_code >= 400 and not asked.who.startswith("without"):  # its last use is noted
                wrong.append((asked, answer.status_code, "refused, and something changed"))
            if changed:
                watch.restore()
    watch.close()

    assert wrong == []


def test_there_are_at_least_700_requests(world: World) -> None:
    count = sum(len([*_asked(route, min(route.methods), world)]) for route in _routes())

    assert count >= 700


def test_each_endpoint_of_the_contract_is_asked() -> None:
    paths = {f"{min(route.methods)} {route.path}" for route in _routes()}

    for family in ("agents/{agent_id}", "orchestrators/{orchestrator_id}"):
        datasets = f"/api/v1/{family}/eval-datasets"
        one = f"{datasets}/{{dataset_id}}"
        assert {
            f"GET {datasets}",
            f"POST {datasets}",
            f"GET {one}",
            f"DELETE {one}",
            f"GET {one}/cases",
            f"POST {one}/cases",
            f"DELETE {one}/cases/{{case_id}}",
            f"GET {one}/runs",
            f"POST {one}/runs",
            f"GET {one}/runs/{{run_id}}",
        } <= paths
