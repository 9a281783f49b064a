"""The bodies of datasets and cases: what is taken, what is kept of it, and what is shown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field, StringConstraints

from audition.service.bodies import Data, Id, Label, LongText, Tags, given, patched, said
from audition.service.case_evals import faults_of_fixtures
from audition.service.conventions import Body, seconds
from audition.service.problems import Problem
from audition.store.service.cases import Case
from audition.store.service.datasets import Dataset, DatasetVersion

View = Annotated[Literal["full"] | None, Query(description="full: all there is to say, not only the usual")]
"""A parameter of endpoints that show something in two lengths."""

_Name = Annotated[str, StringConstraints(min_length=1, max_length=120, pattern=r"[^\s\x1c-\x1f]")]
_Description = Annotated[str, Field(max_length=10_000)]
_Fixtures = Annotated[list[Data], Field(max_length=100, description="tools with canned results, as in `setup.tools`")]

_EMPTY_DATASET: Mapping[str, Any] = {"description": None, "tags": [], "external_id": None}
_EMPTY_CASE: Mapping[str, Any] = {
    "must_pass": False, "tags": [], "cluster": None, "external_id": None, "context": {}, "tool_fixtures": [],
    "eval": None,
}  # fmt: skip
_OF_A_PLAIN_CASE = frozenset({"scenario", "expected_criteria", "context", "tool_fixtures"})


class DatasetIn(Body):
    """A dataset that is to be."""

    name: _Name
    description: _Description | None = None
    tags: Tags = Field(default_factory=list)
    external_id: Label | None = None


class DatasetPatch(Body):
    """What is to change of a dataset."""

    name: _Name = Field(default_factory=str)
    description: _Description | None = None
    tags: Tags | None = None
    external_id: Label | None = None


class CloneIn(Body):
    """Where a copy of a dataset goes; by default to the same subject. `version`: the cases as they were then."""

    name: _Name | None = None
    agent_id: Id | None = None
    orchestrator_id: Id | None = None
    version: Id | None = None


class DatasetOut(BaseModel):
    """A dataset; what can be missing is shown with `view=full`."""

    id: int
    agent_id: int | None
    orchestrator_id: int | None
    name: str
    created_at: str
    description: str | None = None
    tags: list[str] = Field(default_factory=list)
    external_id: str | None = None
    version: int = Field(default_factory=int)
    case_count: int = Field(default_factory=int)
    updated_at: str = Field(default_factory=str)


class DatasetVersionOut(BaseModel):
    """A version of a dataset, and how many cases differ from the version before."""

    version: int
    case_count: int
    added: int
    changed: int
    removed: int


class CaseIn(Body):
    """A case that is to be."""

    scenario: LongText
    expected_criteria: LongText
    must_pass: bool = False
    tags: Tags = Field(default_factory=list)
    cluster: Label | None = None
    external_id: Label | None = None
    context: Data = Field(default_factory=dict)
    tool_fixtures: _Fixtures = Field(default_factory=list)


class NewCaseIn(CaseIn):
    """A case that is to be, or only to be looked at (`validate_only`)."""

    validate_only: bool = False


class BatchIn(Body):
    """Cases that are to be, all of them or none."""

    cases: Annotated[list[CaseIn], Field(min_length=1, max_length=500)]


class CasePatch(Body):
    """What is to change of a case; `eval` can only be taken away, by null."""

    scenario: LongText = Field(default_factory=str)
    expected_criteria: LongText = Field(default_factory=str)
    must_pass: bool | None = None
    tags: Tags | None = None
    cluster: Label | None = None
    external_id: Label | None = None
    context: Data | None = None
    tool_fixtures: _Fixtures | None = None
    eval: None = None


class FindingOut(BaseModel):
    """What lint says of a text; `start` and `end` are offsets in it."""

    code: str
    severity: str
    case_id: int | None = None
    key: str
    text: str
    start: int
    end: int
    message: str
    rewrite: str | None


class CaseOut(BaseModel):
    """A case; what can be missing is shown with `view=full`."""

    id: int
    dataset_id: int
    scenario: str
    expected_criteria: str
    created_at: str
    must_pass: bool = Field(default_factory=bool)
    tags: list[str] = Field(default_factory=list)
    cluster: str | None = None
    external_id: str | None = None
    context: dict[str, Any] = Field(default_factory=dict)
    tool_fixtures: list[dict[str, Any]] = Field(default_factory=list)
    eval: dict[str, Any] | None = None
    lint: list[FindingOut] = Field(default_factory=list)


class CheckedOut(BaseModel):
    """What would be said of a case."""

    valid: bool
    lint: list[FindingOut]


class ChangedCaseOut(BaseModel):
    """A case before and after."""

    before: CaseOut
    after: CaseOut


class DiffOut(BaseModel):
    """How the cases of a version differ from those of the version before."""

    version: int
    added: list[CaseOut]
    changed: list[ChangedCaseOut]
    removed: list[CaseOut]


def dataset_body(one: Dataset) -> dict[str, object]:
    """Return a dataset as it is shown. Source: evals REST API."""
    return {
        "id": one.id,
        "agent_id": one.agent_id,
        "orchestrator_id": one.orchestrator_id,
        "name": one.name,
        "created_at": seconds(one.created_at),
    }


def full_dataset_body(one: Dataset, case_count: int) -> dict[str, object]:
    """Return all there is to say of a dataset."""
    return {
        **dataset_body(one),
        "description": one.description,
        "tags": list(one.tags),
        "external_id": one.external_id,
        "version": one.version,
        "case_count": case_count,
        "updated_at": seconds(one.updated_at),
    }


def version_body(one: DatasetVersion) -> dict[str, object]:
    """Return a version of a dataset as it is shown."""
    counts = {"added": len(one.added), "changed": len(one.changed), "removed": len(one.removed)}
    return {"version": one.version, "case_count": one.case_count, **counts}


def case_body(dataset_id: int, case: Case) -> dict[str, object]:
    """Return a case as it is shown. Source: evals REST API."""
    return {
        "id": case.id,
        "dataset_id": dataset_id,
        "scenario": case.scenario,
        "expected_criteria": case.expected_criteria,
        "created_at": seconds(case.created_at),
    }


def full_case_body(dataset_id: int, case: Case) -> dict[str, object]:
    """Return all there is to say of a case."""
    return {
        **case_body(dataset_id, case),
        "must_pass": case.must_pass,
        "tags": list(case.tags),
        "cluster": case.cluster,
        "external_id": case.external_id,
        "context": dict(case.context),
        "tool_fixtures": [dict(tool) for tool in case.tool_fixtures],
        "eval": case.eval,
    }


def dataset_seen(one: Dataset) -> list[object]:
    """Return what differs whenever a dataset does."""
    return [one.id, one.version, one.name, one.description, one.tags, one.external_id, one.updated_at]


def case_seen(dataset_id: int, case: Case) -> list[object]:
    """Return what differs whenever a case does."""
    return [full_case_body(dataset_id, case)]


def patch_of_dataset(body: DatasetPatch) -> dict[str, Any]:
    """Return what a merge patch gives a dataset, null in place of what it takes away."""
    return patched({}, given(body), _EMPTY_DATASET)


def draft_of(body: CaseIn) -> Case:
    """Return the case that a body asks for, yet without an id."""
    fields = said(body)
    fields.pop("validate_only", None)
    return _case(Case(id=0, scenario="", expected_criteria=""), fields)


def patched_case(before: Case, body: CasePatch) -> Case:
    """Return a case with a merge patch applied.

    Raises: Problem 422 for what a case that carries an eval cannot have, since the eval says it.
    """
    patch = patched({}, given(body), _EMPTY_CASE)
    if before.eval is not None and "eval" not in patch and (wrong := sorted(_OF_A_PLAIN_CASE & patch.keys())):
        pointers = [{"pointer": f"/{name}", "detail": _SAID_BY_EVAL} for name in wrong]
        raise Problem(422, f"/{wrong[0]}: {_SAID_BY_EVAL}", errors=pointers)
    return _case(before, patch)


_SAID_BY_EVAL = "this case carries an eval, which says it; import the eval again, or take it away with eval: null"


def faults_of_case(case: Case, place: str = "") -> list[tuple[str, str]]:
    """Return what is wrong with a case beyond the shape of its body: JSON pointers and messages."""
    return [(f"{place}/tool_fixtures", fault.message) for fault in faults_of_fixtures(case.tool_fixtures)]


def _case(before: Case, fields: Mapping[str, Any]) -> Case:
    lists = {name: tuple(fields[name]) for name in ("tags", "tool_fixtures") if name in fields}
    return replace(before, **{**fields, **lists})
