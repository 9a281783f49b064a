"""Every endpoint held against what the OpenAPI document says of it, with requests that schemathesis makes up.

`pinned`: the ids in paths are those of objects that are there, and nothing is deleted; else they are any numbers.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import events, from_schema
from tests.doubles.service_world import FAMILIES, SINGULAR, World, world_in

from audition.store.service.people import Role

_REFUSED = ["400", "401", "403", "404", "409", "412", "422", "428", "429"]
"""What a request may get that fits its schema: rules such as "a run needs a case" are no matter of schemas."""

_ENDS_THE_SESSION = "/auth/(logout|password)$"
_NEVER_ENDS = "/events$"
"""The stream of a run that nobody carries out."""


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Return a world of its own for each test."""
    made = world_in(tmp_path)
    yield made
    made.service.database.close()


def _pins(world: World) -> list[dict[str, Any]]:
    found = []
    for family in FAMILIES:
        own = world.trees[family]["own"]
        numbers = {SINGULAR[family]: own.subject, "dataset_id": own.dataset, "case_id": own.case, "run_id": own.run}
        numbers |= {"result_id": own.result, "number": 1}
        parameters = {f"path.{name}": value for name, value in numbers.items()}
        found.append({"include-path-regex": f"^/api/v1/{family}", "parameters": parameters})
    return found


def _config(world: World, role: Role, *, pinned: bool, examples: int, phases: Mapping[str, bool]) -> SchemathesisConfig:
    return SchemathesisConfig.from_dict(
        {
            "seed": 1,
            "headers": {"Authorization": f"Bearer {world.tokens[role]}"},
            "operations": _pins(world) if pinned else [],
            "generation": {"max-examples": examples, "deterministic": True, "database": "none"},
            "checks": {"positive_data_acceptance": {"expected-statuses": ["2xx", "3xx", *_REFUSED]}},
            "phases": {name: {"enabled": enabled} for name, enabled in phases.items()},
        }
    )


def _faults(world: World, config: SchemathesisConfig, *, pinned: bool) -> tuple[list[str], set[int]]:
    """Return what is wrong, and which statuses were seen."""
    schema = schemathesis.openapi.from_asgi("/openapi.json", world.app, config=config)
    schema = schema.exclude(path_regex=_NEVER_ENDS).exclude(path_regex=_ENDS_THE_SESSION)
    if pinned:
        schema = schema.exclude(method="DELETE").exclude(path_regex="/members")
    faults, statuses = [], set()
    for event in from_schema(schema).execute():
        if isinstance(event, events.NonFatalError | events.FatalError):
            faults.append(str(event.value if isinstance(event, events.NonFatalError) else event.exception))
        if isinstance(event, events.ScenarioFinished):
            answers = [one.response for one in event.recorder.interactions.values()]
            statuses |= {answer.status_code for answer in answers if answer is not None}
            checks = [check for found in event.recorder.checks.values() for check in found]
            failures = [check.failure_info for check in checks if check.failure_info is not None]
            faults += [f"{one.failure.operation}: {one.failure.message}\n{one.code_sample}" for one in failures]
    return faults, statuses


@pytest.mark.parametrize(
    ("role", "pinned"),
    [("viewer", True), ("owner", True), ("owner", False)],
    ids=["a viewer", "an owner", "an owner, any numbers"],
)
def test_every_endpoint_answers_as_it_says(world: World, role: Role, pinned: bool) -> None:
    phases = {"examples": True, "coverage": False, "fuzzing": True, "stateful": True}
    config = _config(world, role, pinned=pinned, examples=3, phases=phases)

    faults, statuses = _faults(world, config, pinned=pinned)

    assert faults == []
    assert 200 in statuses
    assert max(statuses) < 500


@pytest.mark.slow
@pytest.mark.parametrize("pinned", [True, False], ids=["objects that are there", "any numbers"])
@pytest.mark.parametrize("role", ["viewer", "owner"])
def test_every_endpoint_answers_as_it_says_to_a_thousand_requests(world: World, role: Role, pinned: bool) -> None:
    phases = {"examples": True, "coverage": True, "fuzzing": True, "stateful": True}
    config = _config(world, role, pinned=pinned, examples=1000, phases=phases)

    faults, statuses = _faults(world, config, pinned=pinned)

    assert faults == []
    assert max(statuses) < 500
