"""What several bodies hold: texts of a length, ids, plain data; and what all single resources take for granted."""

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import Header, Query
from fastapi import Path as InPath
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from audition.service.problems import Problem
from audition.subjects import Family

LONGEST_TEXT = 100_000
"""The most characters of a prompt, a scenario or criteria."""

MOST = 2**63 - 1
"""The largest id."""

_NOT_BLANK = r"[^\s\x1c-\x1f]"
_MAX_DEPTH = 40
_MAX_DATA = 2_000_000
_ID_NAMES: Final[Mapping[Family, str]] = {"agents": "agent_id", "orchestrators": "orchestrator_id"}

LongText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT, pattern=_NOT_BLANK)]
"""A text that says something."""

Name200 = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=_NOT_BLANK)]
Label = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]*[^\x00-\x20\x7f]$")]
"""A word or a few on one line, not ending with a space: a tag, a cluster, an id elsewhere."""

Id = Annotated[int, Field(ge=1, le=2**53 - 1)]
"""An id in a body, where larger numbers are not exact for everybody. Source: RFC 8259, section 6."""


def _plain_data(value: Any) -> Any:
    problem = _not_plain(value, _MAX_DEPTH)
    if problem:
        raise ValueError(problem)
    if len(json.dumps(value)) > _MAX_DATA:
        raise ValueError(f"this is more than {_MAX_DATA:,} characters long as JSON")
    return value


def _not_plain(value: object, depth: int) -> str | None:
    if depth == 0:
        return f"this is nested more than {_MAX_DEPTH} levels deep"
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return "NaN and infinities are no numbers of JSON"
    if isinstance(value, int) and value.bit_length() > 1000:
        return "a number is too long; write it as a text"
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return next((problem for one in inner if (problem := _not_plain(one, depth - 1))), None)


Data = Annotated[dict[str, Any], AfterValidator(_plain_data)]
"""Any JSON object, within limits."""

Tags = Annotated[list[Label], Field(max_length=50)]

IfMatch = Annotated[str | None, Header(alias="If-Match", description="the ETag of what you have seen")]
IfNoneMatch = Annotated[str | None, Header(alias="If-None-Match", description="the ETag of what you have")]


PartOfName = Annotated[
    str | None,
    Query(max_length=200, pattern=r"^[^\x00]*$", description="only those with this in their names, in any case"),
]
"""A parameter of lists of what has a name."""


def subject_id_in_path(family: Family) -> Any:
    """Return the default of the parameter that takes the id of a subject from the path."""
    return InPath(alias=_ID_NAMES[family], ge=1, le=MOST)


def id_in_path(name: str) -> Any:
    """Return the default of a parameter that takes an id, or a version's number, from the path."""
    return InPath(alias=name, ge=1, le=MOST)


def said(body: BaseModel) -> dict[str, Any]:
    """Return all that a body says, defaults included, without the fields that nobody knows."""
    return body.model_dump(include=set(type(body).model_fields))


def given(body: BaseModel) -> dict[str, Any]:
    """Return what a body says itself, without defaults and without the fields that nobody knows."""
    return body.model_dump(include=set(type(body).model_fields) & body.model_fields_set)


def patched(before: Mapping[str, Any], patch: Mapping[str, Any], empty: Mapping[str, Any]) -> dict[str, Any]:
    """Return data with a merge patch of its top level applied; null gives a field its empty value. Source: RFC 7396."""
    return dict(before) | {name: empty[name] if value is None else value for name, value in patch.items()}


def refuse(faults: Sequence[tuple[str, str]]) -> None:
    """Raise a problem that lists faults, JSON pointers and messages, if there are any.

    Raises: Problem 422.
    """
    if faults:
        pointer, message = faults[0]
        errors = [{"pointer": pointer, "detail": message} for pointer, message in faults]
        raise Problem(422, f"{pointer}: {message}", errors=errors)
