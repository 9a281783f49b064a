from collections.abc import Callable, Mapping

from audition.documents.located import Path
from audition.documents.shape import Faults, Field, Flag, Record, Text, read_all
from audition.scoring.spec import Spec


def _review(found: Mapping[str, object], path: Path, faults: Faults) -> None:
    if "not_called" not in found:
        faults.add("nothing here", path)


SPEC = Spec(Record("check", not_called=Field(Text(min_length=1)), exact=Field(Flag())), _review)


def test_camel_case_is_taken_and_comes_out_as_declared() -> None:
    read, faults = read_all(SPEC, {"notCalled": "x", "exact": True})

    assert read == {"not_called": "x", "exact": True}
    assert faults == []


def test_faults_point_at_the_key_as_it_is_written() -> None:
    _, faults = read_all(SPEC, {"notCalled": ""})

    assert [fault.path for fault in faults] == [("notCalled",)]


def test_a_key_in_both_spellings_is_a_fault(faults_of: Callable[..., list[str]]) -> None:
    assert faults_of(SPEC, {"notCalled": "a", "not_called": "b"}) == [
        "notCalled: unknown key 'notCalled' in check; did you mean 'not_called'?"
    ]


def test_the_whole_is_reviewed_once_its_keys_are_right(faults_of: Callable[..., list[str]]) -> None:
    assert faults_of(SPEC, {"exact": True}) == [": nothing here; None"]
    assert faults_of(SPEC, {"exact": 1}) == ["exact: 'exact' must be true or false, not a number (1); None"]


def test_what_is_no_object_is_a_fault(faults_of: Callable[..., list[str]]) -> None:
    assert faults_of(SPEC, "x") == [": this must be an object (check), not a text ('x'); None"]


def test_the_schema_has_both_spellings() -> None:
    assert set(SPEC.schema()["properties"]) == {"not_called", "notCalled", "exact"}
