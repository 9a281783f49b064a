"""Shapes: what data may hold."""

import pytest

from audition.documents.located import LocatedDict, LocatedList, mark_at, plain
from audition.documents.shape import Anything, Choice, Field, Flag, ListOf, MapOf, Number, Record, Shape, Text, read_all

PET = Record(
    "pet",
    "An animal.",
    name=Field(Text(min_length=1), required=True, doc="what it is called"),
    ageYears=Field(Number(minimum=0, maximum=200, whole=True)),
    kind=Field(Choice(("cat", "dog"))),
    tame=Field(Flag()),
    toys=Field(ListOf(Text(), min_items=1, or_one=True)),
    weights=Field(MapOf(Number(above=0))),
    notes=Field(Anything()),
)


def faults(shape: Shape, value: object) -> list[tuple[str, tuple[str | int, ...]]]:
    """Return what is wrong with a value, and where."""
    return [(fault.message, fault.path) for fault in read_all(shape, value)[1]]


def test_right_data_comes_out_under_the_declared_names() -> None:
    pet, found = read_all(PET, {"name": "Tom", "age_years": 3.0, "toys": "ball", "notes": [1]})

    assert (pet, list(found)) == ({"name": "Tom", "ageYears": 3, "toys": ["ball"], "notes": [1]}, [])


@pytest.mark.parametrize(
    ("value", "message", "path"),
    [
        ({}, "the pet has no 'name'", ()),
        ({"name": ""}, "'name' must not be empty", ("name",)),
        ({"name": 3}, "'name' must be a text, not a number (3)", ("name",)),
        ({"name": "T", "tame": 1}, "'tame' must be true or false, not a number (1)", ("tame",)),
        ({"name": "T", "ageYears": True}, "'ageYears' must be a whole number, not true or false (True)", ("ageYears",)),
        ({"name": "T", "ageYears": 1.5}, "'ageYears' must be a whole number, not a number (1.5)", ("ageYears",)),
        ({"name": "T", "ageYears": 201}, "'ageYears' must be from 0 to 200, not 201", ("ageYears",)),
        ({"name": "T", "kind": "cot"}, "'kind' must be one of 'cat', 'dog', not 'cot'", ("kind",)),
        ({"name": "T", "kind": ["cat"]}, "'kind' must be one of 'cat', 'dog', not ['cat']", ("kind",)),
        ({"name": "T", "toys": []}, "'toys' must not be empty", ("toys",)),
        ({"name": "T", "toys": ["a", 2]}, "this must be a text, not a number (2)", ("toys", 1)),
        ({"name": "T", "weights": {"a": 0}}, "'a' must be above 0, not 0", ("weights", "a")),
        ({"name": "T", "weights": {1: 2}}, "the key 1 must be a text", ("weights",)),
        ({"name": "T", "notes": float("nan")}, "nan is not a number that JSON can hold", ("notes",)),
        ({"name": "T", "nam": "x"}, "unknown key 'nam' in pet", ("nam",)),
        (
            {"name": "T", "ageYears": 1, "age_years": 1},
            "'ageYears' is given twice, as 'ageYears' and 'age_years'",
            ("age_years",),
        ),
        ("Tom", "this must be an object (pet), not a text ('Tom')", ()),
        (None, "this must be an object (pet), not nothing", ()),
    ],
    ids=str,
)
def test_wrong_data_is_reported_with_its_path(value: object, message: str, path: tuple[str | int, ...]) -> None:
    assert (message, path) in faults(PET, value)


def test_all_faults_are_found_in_one_reading() -> None:
    assert len(faults(PET, {"nam": "x", "tame": "yes", "kind": "cow"})) == 4


def test_a_near_miss_is_named() -> None:
    (found,) = read_all(PET, {"name": "T", "tmae": True})[1]

    assert found.hint == "did you mean 'tame'?"


def test_a_key_that_is_near_to_nothing_lists_what_there_is() -> None:
    (found,) = read_all(PET, {"name": "T", "zzz": True})[1]

    assert found.hint == "there are: name, ageYears, kind, tame, toys, weights, notes"


def test_the_schema_takes_both_spellings_and_nothing_else() -> None:
    import jsonschema_rs

    validator = jsonschema_rs.validator_for(PET.schema())

    assert validator.is_valid({"name": "T", "age_years": 3, "toys": ["a"]})
    assert validator.is_valid({"name": "T", "ageYears": 3, "toys": "a"})
    assert not validator.is_valid({"name": "T", "agYears": 3})
    assert not validator.is_valid({"ageYears": 3})


def test_a_part_is_found_at_its_key_and_a_missing_part_at_what_is_above_it() -> None:
    root, turns = LocatedDict((1, 1)), LocatedList((3, 3))
    root["turns"], root.marks["turns"] = turns, (2, 1)
    turns.append("hi")
    turns.marks.append((3, 5))

    assert mark_at(root, ("turns", 0)) == (3, 5)
    assert mark_at(root, ("turns", 0, "user")) == (3, 5)
    assert mark_at(root, ("turns", 7)) == (2, 1)
    assert mark_at(root, ("absent",)) == (1, 1)
    assert mark_at({"turns": []}, ("turns",)) is None
    assert plain(root) == {"turns": ["hi"]}
