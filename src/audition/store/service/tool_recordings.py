"""What tools returned in a run with `tool_mode` record, for runs that replay it."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any, cast

from sqlalchemy import Connection, select

from audition.errors import StoreError
from audition.store.service.database import Database
from audition.store.service.tables import TOOL_RECORDINGS

_TRIAL = re.compile(r"(?:.+::)?case-(\d+)(?:#(\d+))?")
"""How trials of the service's cases are called: `case-7#2` is the second of case 7; a place may stand before it."""

_KEPT = TOOL_RECORDINGS.c


class ToolRecordings:
    """The recordings of one run: it keeps its own, or finds those of the run it replays.

    A call is told apart by its name and its arguments, whatever their order; the n-th identical one of a trial has an
    outcome of its own. All methods block.
    """

    def __init__(self, database: Database, run_id: int) -> None:
        self._database, self._run_id = database, run_id

    def keep(
        self, trial: str, name: str, arguments: Mapping[str, object], nth: int, outcome: Mapping[str, Any]
    ) -> None:
        """Write down an outcome, in place of one that is there already: a trial may be done again.

        Raises: StoreError for a trial of no case, and when the database cannot be written.
        """
        row = self._place(trial) | {"call_hash": _hash(name, arguments), "nth": nth}
        written = {"call": _call(name, arguments), "outcome": json.dumps(outcome)}

        def write(connection: Connection) -> None:
            query = self._database.insert(TOOL_RECORDINGS).values(**row, **written)
            connection.execute(query.on_conflict_do_update(index_elements=list(row), set_=written))

        self._database.write(write)

    def find(self, trial: str, name: str, arguments: Mapping[str, object], nth: int) -> Mapping[str, Any] | None:
        """Return the outcome of a call, None when none was written down."""
        place = self._place(trial)
        query = select(_KEPT.outcome).where(
            *(_KEPT[column] == value for column, value in place.items()),
            _KEPT.call_hash == _hash(name, arguments),
            _KEPT.nth == nth,
        )
        found = self._database.read(lambda connection: connection.execute(query).scalar_one_or_none())
        return None if found is None else cast("dict[str, Any]", json.loads(found))

    def calls(self, trial: str) -> list[tuple[str, Mapping[str, object], int]]:
        """Return the calls of a trial that were written down: name, arguments and number of each."""
        place = self._place(trial)
        query = (
            select(_KEPT.call, _KEPT.nth)
            .where(*(_KEPT[column] == value for column, value in place.items()))
            .order_by(_KEPT.call, _KEPT.nth)
        )
        rows = self._database.read(lambda connection: connection.execute(query).all())
        return [(*json.loads(row.call), row.nth) for row in rows]

    def _place(self, trial: str) -> dict[str, int]:
        found = _TRIAL.fullmatch(trial)
        if found is None:
            raise StoreError(f"{trial!r} is no trial of a case")
        return {"run_id": self._run_id, "case_id": int(found[1]), "trial": int(found[2] or 1)}


def _call(name: str, arguments: Mapping[str, object]) -> str:
    return json.dumps([name, arguments], sort_keys=True, default=str)


def _hash(name: str, arguments: Mapping[str, object]) -> str:
    return hashlib.sha256(_call(name, arguments).encode()).hexdigest()
