"""Who asks: tokens, roles, scopes, and what is remembered of them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from audition.service.app import create_app
from audition.service.context import Administrator, Editor, Known, Person, Reader, Service
from audition.service.limits import Limiter
from audition.store.service import api_tokens, people
from audition.store.service.api_tokens import Scope
from audition.store.service.database import Connection
from audition.store.service.people import Role


@pytest.fixture
def app(service: Service) -> FastAPI:
    """Return an app with an endpoint for each kind of who may ask."""
    app = create_app(service)

    @app.get("/read")
    def read(_: Reader) -> str:
        return "read"

    @app.post("/look")
    def look(_: Reader) -> str:
        return "look"

    @app.post("/change")
    def change(_: Editor) -> str:
        return "change"

    @app.post("/x/runs")
    def run(_: Editor) -> str:
        return "run"

    @app.post("/manage")
    def manage(_: Administrator) -> str:
        return "manage"

    @app.post("/person")
    def person(_: Person) -> str:
        return "person"

    return app


def with_token(app: FastAPI, service: Service, role: Role, scopes: Sequence[Scope]) -> TestClient:
    """Return a client with an API token."""

    def make(connection: Connection) -> str:
        member = people.add_member(connection, email="a@example.com", name="A", role=role, password_hash=None)
        return api_tokens.create_token(connection, member, name="t", role=role, scopes=scopes, expires_s=None)[1]

    return TestClient(app, headers={"Authorization": f"Bearer {service.database.write(make)}"})


@pytest.mark.parametrize(
    "given",
    [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer aud_s_unknown", "Bearer aud_t_unknown", "Bearer \xff"],
)
def test_without_a_valid_token_nobody_is_let_in(app: FastAPI, given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given.encode("latin-1")}

    answer = TestClient(app).get("/read", headers=headers)

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.json()["code"] == "not_authenticated"


def test_the_scheme_is_the_same_in_any_letters(app: FastAPI, client_as: Callable[[Role], TestClient]) -> None:
    token = client_as("viewer").headers["Authorization"].removeprefix("Bearer ")

    assert TestClient(app).get("/read", headers={"Authorization": f"bEARER {token}"}).status_code == 200


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        (["read"], {"read", "look"}),
        (["write"], {"change"}),
        (["runs"], {"run"}),
        (["admin"], {"manage"}),
        (["read", "write", "runs", "admin"], {"read", "look", "change", "run", "manage"}),
    ],
    ids=lambda given: "+".join(given) if isinstance(given, list) else "",
)
def test_an_api_token_is_for_its_scopes(app: FastAPI, service: Service, scopes: list[Scope], allowed: set[str]) -> None:
    client = with_token(app, service, "owner", scopes)

    answers = [
        client.get("/read"),
        *(client.post(f"/{path}") for path in ("look", "change", "x/runs", "manage", "person")),
    ]

    assert {answer.json() for answer in answers if answer.status_code == 200} == allowed
    assert {answer.status_code for answer in answers} <= {200, 403}


def test_a_session_is_for_everything(app: FastAPI, client_as: Callable[[Role], TestClient]) -> None:
    client = TestClient(app, headers={"Authorization": client_as("owner").headers["Authorization"]})

    assert [client.post(path).status_code for path in ("/change", "/x/runs", "/manage", "/person")] == [200] * 4


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("viewer", [200, 200, 403, 403]),
        ("editor", [200, 200, 200, 403]),
        ("admin", [200, 200, 200, 200]),
        ("owner", [200, 200, 200, 200]),
    ],
)
def test_each_role_may_do_what_the_one_below_may(
    app: FastAPI, client_as: Callable[[Role], TestClient], role: Role, allowed: list[int]
) -> None:
    client = TestClient(app, headers={"Authorization": client_as(role).headers["Authorization"]})

    answers = [client.get("/read"), client.post("/look"), client.post("/change"), client.post("/manage")]

    assert [answer.status_code for answer in answers] == allowed


def test_the_use_of_a_token_is_noted(app: FastAPI, service: Service) -> None:
    client = with_token(app, service, "viewer", ["read"])

    client.get("/read")

    assert service.database.read(lambda connection: api_tokens.api_token(connection, 1)).last_used_at is not None


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def _session(service: Service) -> str:
    def make(connection: Connection) -> str:
        member = people.add_member(connection, email="a@example.com", name="A", role="editor", password_hash=None)
        return people.open_session(connection, service.database.now_s, member, hours=1)

    return service.database.write(make)


def _demote(service: Service) -> None:
    service.database.write(lambda connection: people.change_member(connection, 1, {"role": "viewer"}))


def test_somebody_is_remembered_for_two_seconds(service: Service) -> None:
    clock, token = Clock(), _session(service)
    known = Known(clock=clock)

    assert known.get(token) is None
    found = known.find(token, service.database)

    assert known.get(token) == found
    clock.now += 2
    assert known.get(token) is None


def test_a_change_of_this_process_holds_at_once(service: Service) -> None:
    token, known = _session(service), Known()
    known.find(token, service.database)

    _demote(service)
    known.forget()

    assert known.get(token) is None


def test_what_was_read_before_a_change_is_not_remembered_after_it(service: Service) -> None:
    token, known = _session(service), Known()

    class Slow:
        """A database whose answer arrives after somebody was demoted."""

        now_s = service.database.now_s

        def read(self, action: Callable[[Connection], object]) -> object:
            """Read, then let the change happen."""
            found = service.database.read(action)
            _demote(service)
            known.forget()
            return found

    known.find(token, Slow())  # type: ignore[arg-type]  # all of a database that is asked

    assert known.get(token) is None


def test_somebody_unknown_is_not_remembered(service: Service) -> None:
    known = Known()

    assert known.find("aud_s_unknown", service.database) is None
    assert known.get("aud_s_unknown") is None


def test_who_sends_too_many_requests_is_told_when_to_go_on(
    service: Service, client_as: Callable[[Role], TestClient]
) -> None:
    token = client_as("viewer").headers["Authorization"]
    few = replace(service.settings, service=replace(service.settings.service, requests_per_minute=2))
    limited = replace(service, settings=few, limiter=Limiter(clock=Clock()))
    client = TestClient(create_app(limited), headers={"Authorization": token})

    answers = [client.get("/api/v1/auth/me") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0].headers["RateLimit"] == '"member";r=1;t=30'
    assert answers[2].headers["Retry-After"] == "30"
    assert answers[2].json()["code"] == "too_many_requests"
