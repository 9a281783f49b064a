"""Where runs stand in the paths of the API."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Path

from audition.service.bodies import MOST, id_in_path, subject_id_in_path
from audition.store.service.database import Connection
from audition.store.service.run_views import RunState, run_in, state_of
from audition.store.service.runs import Run
from audition.store.service.subjects import NOUNS
from audition.subjects import Family

RunId = Annotated[int, Path(ge=1, le=MOST)]
ResultId = Annotated[int, Path(ge=1, le=MOST)]

MADE = {"Location": "where it is to be found"}
TAG = {"ETag": "its version"}
LISTED = {"X-Total-Count": "how many there are in all", "Link": "where the next page is"}
"""Headers that several endpoints document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The dataset of a subject, as a path names it."""

    family: Family
    subject_id: int
    dataset_id: int

    def path_of(self, run_id: int) -> str:
        """Return the path of a run."""
        return f"/api/v1/{self.family}/{self.subject_id}/eval-datasets/{self.dataset_id}/runs/{run_id}"

    def state_of(self, connection: Connection, run_id: int) -> RunState:
        """Return the state of a run here. Raises: NotFound."""
        return state_of(connection, self.family, self.subject_id, self.dataset_id, run_id)

    def run(self, connection: Connection, run_id: int) -> Run:
        """Return a run here. Raises: NotFound."""
        return run_in(connection, self.family, self.subject_id, self.dataset_id, run_id)


def router_of(family: Family) -> APIRouter:
    """Return a router for the runs of a family."""
    prefix = f"/api/v1/{family}/{{{NOUNS[family]}_id}}/eval-datasets/{{dataset_id}}/runs"
    return APIRouter(prefix=prefix, tags=["runs"])


def place_in(family: Family) -> Callable[..., Awaitable[Place]]:
    """Return what finds the place in a path."""

    async def find(subject_id: int = subject_id_in_path(family), dataset_id: int = id_in_path("dataset_id")) -> Place:
        return Place(family=family, subject_id=subject_id, dataset_id=dataset_id)

    return find
