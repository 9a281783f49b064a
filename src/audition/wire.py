"""Data to JSON and back: runs and results as the history keeps them, and any data an agent may have handed over."""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, replace
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from audition.errors import StoreError
from audition.results import CheckResult, Run, TrialResult, Vote
from audition.transcript import Exchange, Reply, State, ToolCall, Transcript, Trouble, Usage, WorkflowEvent

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = 1
"""The shape of the rows written here. It goes up when old rows can no longer be read as they are."""

_UPGRADES: Mapping[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""How a row of each older schema becomes one of the next."""

_DEEPEST = 100
"""Levels of nesting kept of an agent's data; what lies deeper is cut, or no reader could open the row again."""

_HEAD = f'{{"schema":{SCHEMA},'
_UNSTORABLE = re.compile("[\ud800-\udfff\0]")
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_QUERY = re.compile(r"\?\S+")
_ROWS = (
    Run, TrialResult, CheckResult, Vote, Transcript, Exchange, Reply, ToolCall, WorkflowEvent, State, Usage, Trouble
)  # fmt: skip

Row = TypeVar("Row", Run, TrialResult)


def encode_result(result: TrialResult) -> str:
    """Return a result as one line of JSON. Fields at their default are left out; what is no JSON becomes text."""
    return _HEAD + to_json(result)[1:]


def encode_run(run: Run) -> str:
    """Return a run as one line of JSON, its agent's URL without keys and passwords."""
    return _HEAD + to_json(replace(run, agent=without_secrets(run.agent)))[1:]


def decode_result(text: str, *, row: str) -> TrialResult:
    """Return the result that was encoded; `row` names the row in messages.

    Raises: StoreError when the row is damaged, or was written by a newer audition.
    """
    return _decode(_results, text, row)


def decode_run(text: str, *, row: str) -> Run:
    """Return the run that was encoded; `row` names the row in messages.

    Raises: StoreError when the row is damaged, or was written by a newer audition.
    """
    return _decode(_runs, text, row)


def to_json(value: object) -> str:
    """Return any data as JSON on one line, without NaN and safe to store as UTF-8.

    Numbers that are not finite, dates, sets and other objects become their text; data that holds itself, and data
    nested more than 100 levels deep, is cut there. Never raises.
    """
    try:
        text = _ENCODER.encode(value)
    except (ValueError, TypeError, RecursionError):
        text = _ENCODER.encode(_plain(value, ()))
    else:
        if text.count("{") + text.count("[") > _DEEPEST:
            text = _ENCODER.encode(_plain(value, ()))
    return text if text.isascii() else storable(text)


def storable(text: str) -> str:
    """Return text that any database takes: half characters (lone surrogates) and null characters are replaced."""
    return _UNSTORABLE.sub("\ufffd", text)


def without_secrets(reference: str) -> str:
    """Return the reference of an agent or model with the user, password and query of its URL masked."""
    if "://" not in reference:
        return reference
    return _QUERY.sub("?***", _USER.sub("***@", reference))


def _decode(adapter: Callable[[], "TypeAdapter[Row]"], text: str, row: str) -> Row:
    from pydantic import ValidationError  # 70 ms of CPU: runs that only write never pay it

    try:
        current = text if text.startswith(_HEAD) else _upgraded(text, row)
        return adapter().validate_json(current, strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        raise _damaged(row, f"{place}: {problem['msg']}" if place else problem["msg"]) from None


@cache
def _runs() -> "TypeAdapter[Run]":
    from pydantic import TypeAdapter

    return TypeAdapter(Run)


@cache
def _results() -> "TypeAdapter[TrialResult]":
    from pydantic import TypeAdapter

    return TypeAdapter(TrialResult)


def _upgraded(text: str, row: str) -> str:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(row, str(error)) from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, int) or schema < 1:
        raise _damaged(row, "it says no schema")
    if schema > SCHEMA:
        raise StoreError(f"{row} was made by a newer audition", hint="upgrade audition: pip install --upgrade audition")
    for older in range(schema, SCHEMA):
        document = _UPGRADES[older](document)
    return json.dumps(document)


def _damaged(row: str, problem: str) -> StoreError:
    return StoreError(f"{row} is damaged: {problem}", hint="restore the history from a copy, or delete that run")


_Layout = tuple[Callable[[Any], tuple[object, ...]], tuple[tuple[str, object, bool], ...]]
"""How to read all fields of a class at once; then each field's name, default, and whether it is a number of ours."""


def _default(item: Field[Any]) -> object:
    return item.default_factory() if item.default_factory is not MISSING else item.default


def _layout(kind: type) -> _Layout:
    items = fields(kind)
    described = tuple((item.name, _default(item), item.type in (float, float | None)) for item in items)
    return attrgetter(*(item.name for item in items)), described


_LAYOUTS: dict[type, _Layout] = {kind: _layout(kind) for kind in _ROWS}


def _dict_or_text(value: object) -> object:
    """Return what stands in JSON for a value that is none: our own data as an object, all else as its text."""
    layout = _LAYOUTS.get(type(value))
    if layout is None:
        return dict(value) if isinstance(value, Mapping) else _text(value)
    return {
        name: part
        for part, (name, default, _) in zip(layout[0](value), layout[1], strict=True)
        if part is not default and (default is None or part != default)
    }


_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_dict_or_text)


def _plain(value: object, within: tuple[int, ...]) -> object:
    """Return a copy of any data that the encoder takes; `within` are the ids of the data around it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float) or value is None:
        return _number(value)
    if type(value) not in _LAYOUTS and not isinstance(value, Mapping | list | tuple):
        return _text(value)
    if id(value) in within or len(within) == _DEEPEST:
        return "… (holds itself)" if id(value) in within else f"… (nested more than {_DEEPEST} levels deep)"
    inside = (*within, id(value))
    if isinstance(value, list | tuple):
        return [_plain(item, inside) for item in value]
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, inside) for key, item in value.items()}
    return {name: _plain(part, inside) for name, part in _kept(value)}


def _kept(value: object) -> Iterable[tuple[str, object]]:
    """Yield the fields of our own data that differ from their default; a number of ours that is not finite is none."""
    read, items = _LAYOUTS[type(value)]
    for part, (name, default, is_number) in zip(read(value), items, strict=True):
        lost = is_number and isinstance(part, float) and not math.isfinite(part)
        if part is not default and (default is None or part != default) and not lost:
            yield name, part


def _key(key: object) -> object:
    return _number(key) if isinstance(key, str | bool | int | float) or key is None else _text(key)


def _number(value: object) -> object:
    """Return a number, or its text when JSON has no such number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int) and value.bit_length() > 10_000:
        return hex(value)  # Python refuses to write and read decimals of more than 4,300 digits
    return value


def _text(value: object) -> str:
    try:
        return str(value)
    except Exception:  # an agent's object may do anything when asked for its text, and the result has to be kept
        return f"<{type(value).__name__}>"
