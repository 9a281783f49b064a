"""Those who ask for runs at the same time are answered together, each with what is true when it asks."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Connection
from tests.doubles.service_runs import add_dataset, add_run

from audition.errors import NotFound
from audition.service.context import Service
from audition.service.recent import Page
from audition.service.run_pages import Pages
from audition.service.run_places import Place
from audition.service.run_reading import Together
from audition.store.service.runs import request_cancel
from audition.store.service.subjects import create

pytestmark = pytest.mark.anyio


class Visits:
    """A database that counts how often it is read."""

    def __init__(self, service: Service) -> None:
        self.database, self.count = self, 0
        self._service = service

    def read(self, action: Callable[[Connection], Any]) -> Any:
        """Read, and count that."""
        self.count += 1
        return self._service.database.read(action)


@pytest.fixture
def run_id(service: Service) -> int:
    """Return the id of a cancelled run of the first dataset."""

    def add(connection: Connection) -> int:
        create(connection, "agents", "Desk", {"instruction": "Hi.", "model": "scripted:x"}, by="somebody")
        run_id = add_run(connection, add_dataset(connection, 1))
        request_cancel(connection, run_id, by="somebody")
        return run_id

    return service.database.write(add)


@pytest.fixture
def place(service: Service, run_id: int) -> Place:
    """Return where the run is."""
    return Place(family="agents", subject_id=1, dataset_id=1)


async def test_questions_at_the_same_time_are_one_visit(service: Service, place: Place, run_id: int) -> None:
    visits: Any = Visits(service)
    together = Together(Pages())
    expected = await together.page(visits, place, run_id)
    visits.count = 0

    found = await asyncio.gather(*(together.page(visits, place, run_id) for _ in range(50)))

    assert found == [expected] * 50
    assert visits.count <= 2


async def test_what_is_not_there_is_told_only_to_those_who_asked_for_it(
    service: Service, place: Place, run_id: int
) -> None:
    together = Together(Pages())
    asked = [together.page(service, place, one) for one in (run_id, 99, run_id, 98)]

    found = await asyncio.gather(*asked, return_exceptions=True)

    assert [type(one) for one in found] == [Page, NotFound, Page, NotFound]


async def test_whoever_leaves_takes_nobody_along(service: Service, place: Place, run_id: int) -> None:
    together = Together(Pages())
    asked = [asyncio.create_task(together.page(service, place, run_id)) for _ in range(5)]
    await asyncio.sleep(0)
    asked[0].cancel()

    found = await asyncio.gather(*asked, return_exceptions=True)

    assert [type(one) for one in found[1:]] == [Page] * 4


def test_pages_are_kept_within_bounds(service: Service, place: Place, run_id: int) -> None:
    pages = Pages(most_bytes=1)

    first, second = (service.database.read(lambda c: pages.plain(c, place, run_id)) for _ in range(2))

    assert first == second
    assert service.database.read(lambda c: pages.kept(c, place, run_id)) is None
