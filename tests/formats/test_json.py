"""`*.eval.json`: whole files, good, bad, and mutilated."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.documents.json import read_json
from audition.documents.located import plain
from audition.documents.yaml import read_yaml
from audition.formats import json as json_format
from audition.formats.eval_dict import read_evals

SEED = read_yaml(Path(__file__).with_name("seed.eval.yaml").read_text(encoding="utf-8"), "seed")[0][0]
SEED_JSON = json.dumps(SEED, indent=1)


def test_a_file_is_read_with_the_places_of_its_checks(tmp_path: Path) -> None:
    path = tmp_path / "a.eval.json"
    path.write_text(
        '{"name": "x",\n "conversation": [\n  {"user": "é",\n   "assert": {"response": [{"contains": "a"}]}}]}',
        encoding="utf-8",
    )

    reading = json_format.read(path)

    assert reading.faults == ()
    [turn] = reading.evals[0].turns
    assert turn.user == "é"
    assert str(turn.checks[0].where) == f"{path}:4:28"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "1:1: the file is empty"),
        ("null", "this must be an object (eval), not nothing"),
        ("[]", "1:1: this list holds no eval"),
        ('{"evals": []}', "1:2: this list holds no eval"),
        ('{"name": "x", "name": "y", "conversation": []}', "1:15: the key 'name' is given twice, first at 1:2"),
        ('{"name": "x",}', "1:13: not JSON: there is a comma before '}'"),
    ],
    ids=["empty", "null", "list", "evals", "duplicate", "comma"],
)
def test_a_file_without_an_eval_is_a_fault(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "a.eval.json"
    path.write_text(text, encoding="utf-8")

    reading = json_format.read(path)

    assert reading.evals == ()
    assert any(str(found).startswith(f"{path}:") and fault in str(found) for found in reading.faults)


def parts_of(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all parts of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in items for found in parts_of(item, (*path, key)))]


PARTS = [path for path in parts_of(plain(SEED)) if path]
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


def changed(document: Any, path: tuple[Any, ...], junk: object) -> Any:
    """Return a copy of a document with another value at one place."""
    if not path:
        return junk
    key, *rest = path
    copy = list(document) if isinstance(document, list) else dict(document)
    copy[key] = changed(copy[key], tuple(rest), junk)
    return copy


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PARTS), JUNK)
def test_an_eval_with_anything_in_any_place_gives_evals_or_faults(path: tuple[Any, ...], junk: object) -> None:
    documents, faults = read_json(json.dumps(changed(SEED, path, junk)), "f")

    reading = read_evals(documents, "f", faults)

    assert bool(reading.evals) != bool(reading.faults)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(st.integers(0, len(SEED_JSON)), st.integers(0, 9), st.text(max_size=4))
def test_ten_thousand_mutilated_files_raise_nothing(position: int, length: int, replacement: str) -> None:
    text = SEED_JSON[:position] + replacement + SEED_JSON[position + length :]
    documents, faults = read_json(text, "f")

    reading = read_evals(documents, "f", faults)

    assert bool(reading.evals) != bool(reading.faults)
