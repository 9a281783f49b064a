"""What the tests of the service's tables share: an empty database of each kind."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from audition.store.service.database import Database

_NUMBERS = itertools.count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """Return an empty database."""
    if request.param == "sqlite":
        opened = Database(f"sqlite:///{tmp_path}/service.db")
    else:
        opened = Database(_copied(request.getfixturevalue("postgres"), request.getfixturevalue("template")))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def template(postgres: str) -> str:
    """Return the name of a database with empty tables: a copy of it is there sooner than new tables are."""
    _create(postgres, "template_service", "")
    Database(_named(postgres, "template_service")).close()
    return "template_service"


def _copied(server: str, template: str) -> str:
    name = f"service_{next(_NUMBERS)}"
    _create(server, name, f"TEMPLATE {template}")
    return _named(server, name)


def _create(server: str, name: str, how: str) -> None:
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} {how}")


def _named(server: str, name: str) -> str:
    return f"{server.rpartition('/')[0]}/{name}"
