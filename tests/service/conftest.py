"""What the tests of the service share: a service on a fresh SQLite file, and clients with each role."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection

from audition.service.app import create_app
from audition.service.context import Service
from audition.settings import Settings
from audition.store.service.database import Database
from audition.store.service.people import Role, add_member, open_session


class NotStarted:
    """Keeps the ids of runs that nobody carries out."""

    def __init__(self) -> None:
        self.enqueued: list[int] = []

    def enqueue(self, connection: Connection, run_id: int) -> None:
        """Note a run."""
        self.enqueued.append(run_id)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service with an empty database, whose runs stay pending."""
    database = Database(f"sqlite:///{tmp_path}/service.db")
    yield Service(database=database, settings=Settings(root=tmp_path), runs=NotStarted())
    database.close()


@pytest.fixture
def client_as(service: Service) -> Iterator[Callable[[Role | None], TestClient]]:
    """Return what makes a client of a member with a role, or of nobody."""
    app = create_app(service)
    opened: list[TestClient] = []

    def make(role: Role | None) -> TestClient:
        client = TestClient(app, raise_server_exceptions=False)
        opened.append(client)
        if role is not None:
            client.headers["Authorization"] = f"Bearer {token_of(service, role, len(opened))}"
        return client

    yield make
    for client in opened:
        client.close()


def token_of(service: Service, role: Role, number: int) -> str:
    """Return a session token of a new member with a role."""

    def add(connection: Connection) -> str:
        member = add_member(connection, email=f"{role}{number}@example.com", name=role, role=role, password_hash=None)
        return open_session(connection, service.database.now_s, member, hours=1)

    return service.database.write(add)


@pytest.fixture
def editor(client_as: Callable[[Role | None], TestClient]) -> TestClient:
    """Return a client of an editor."""
    return client_as("editor")


@pytest.fixture
def viewer(client_as: Callable[[Role | None], TestClient]) -> TestClient:
    """Return a client of a viewer."""
    return client_as("viewer")
