"""JSON: exact values with their places, and what is refused."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.documents.json import MAX_DEPTH, MAX_VALUES, read_json
from audition.documents.located import LocatedDict, mark_at, plain


def faults_of(text: str) -> list[str]:
    return [str(fault) for fault in read_json(text, "f.json")[1]]


@pytest.mark.parametrize(
    "text",
    [
        "{}", "[]", '""', "0", "-0", "true", " null ", "[1, 2.5, -1e3, 1E-2]", '{"a": {"b": [[], {}]}, "": 1}',
        '"\\u00e9\\n\\ud83d\\ude00\\/"', "[9007199254740993, 123456789012345678901234567890]", '"é\u2028"',
        '\t{\r\n"a"\n:\n1\n}\n',
    ],
)  # fmt: skip
def test_values_are_those_of_the_standard_library(text: str) -> None:
    documents, faults = read_json(text, "f.json")

    assert faults == []
    assert documents == [json.loads(text)]


def test_every_part_knows_its_place() -> None:
    [document], _ = read_json('{\n  "name": "x",\n  "turns": [\n    1, {"user": "hi"}\n  ]\n}', "f.json")

    assert isinstance(document, LocatedDict)
    assert document.mark == (1, 1)
    assert document.marks == {"name": (2, 3), "turns": (3, 3)}
    assert mark_at(document, ("turns", 0)) == (4, 5)
    assert mark_at(document, ("turns", 1)) == (4, 8)
    assert mark_at(document, ("turns", 1, "user")) == (4, 9)


# case: OWASP/ASVS 1.5.3
def test_a_key_given_twice_is_a_fault_that_names_both_places_and_the_first_is_kept() -> None:
    documents, faults = read_json('{"a": 1,\n "b": {"c": 1, "c": 2},\n "a": 3}', "f.json")

    assert documents == [{"a": 1, "b": {"c": 1}}]
    assert [str(fault) for fault in faults] == [
        "f.json:2:16: the key 'c' is given twice, first at 2:8",
        "f.json:3:2: the key 'a' is given twice, first at 1:2",
    ]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_a_number_that_json_cannot_hold_is_a_fault_and_reading_goes_on(number: str) -> None:
    assert faults_of(f'[{number}, {{"a": 1, "a": 2}}]') == [
        f"f.json:1:2: {number} is not a number that JSON can hold",
        f"f.json:1:{len(number) + 13}: the key 'a' is given twice, first at 1:{len(number) + 5}",
    ]


def test_a_number_of_very_many_digits_is_a_fault() -> None:
    assert faults_of("1" * 5000) == ["f.json:1:1: a number of 5,000 digits is too long; put it in quotes"]


@pytest.mark.parametrize("text", ['"\\ud800"', '"a\\udc00b"', '{"\\ud800": 1}'], ids=["high", "low", "key"])
def test_half_a_surrogate_pair_is_a_fault(text: str) -> None:
    assert ["half a surrogate pair" in fault for fault in faults_of(text)] == [True]


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000, "[" * 51 + "]" * 51], ids=["lists", "objects", "51"])
def test_nesting_has_a_limit(text: str) -> None:
    assert [fault.partition(": ")[2] for fault in faults_of(text)] == [f"nested more than {MAX_DEPTH} levels deep"]


def test_nesting_up_to_the_limit_is_read() -> None:
    assert faults_of("[" * MAX_DEPTH + "]" * MAX_DEPTH) == []


def test_the_number_of_values_has_a_limit() -> None:
    assert ["more than 500,000 values" in fault for fault in faults_of("[" + "1," * MAX_VALUES + "1]")] == [True]


def test_a_hundred_thousand_keys_are_read() -> None:
    text = "{\n" + ",\n".join(f'"key{number}": {number}' for number in range(100_000)) + "}"

    [document], faults = read_json(text, "f.json")

    assert faults == []
    assert isinstance(document, LocatedDict)
    assert document.marks["key99999"] == (100_001, 1)


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("", "1:1", "the file is empty"),
        ('{\n"a": 1,\n}', "2:7", "take out the comma"),
        ("[1, 2, ]", "1:6", "take out the comma"),
        ("{'a': 1}", "1:2", "double quotes"),
        ("['a']", "1:2", "double quotes"),
        ("{a: 1}", "1:2", "double quotes"),
        ("[“a”]", "1:2", "straight double quotes"),
        ("// hi\n{}", "1:1", "no comments"),
        ('{"a": 1 /* hi */}', "1:9", "no comments"),
        ("{} # hi", "1:4", "no comments"),
        ("[True]", "1:2", "write true"),
        ("[undefined]", "1:2", "write null"),
        ("[01]", "1:2", "'01'"),
        ("[+1]", "1:2", "'+1'"),
        ("[.5]", "1:2", "'.5'"),
        ("[1.]", "1:2", "'1.'"),
        ("[0x1F]", "1:2", "'0x1F'"),
        ("[1 2]", "1:4", "',' or ']' is expected"),
        ('{"a" 1}', "1:6", "':' after the key 'a' is expected"),
        ('{"a": 1 "b": 2}', "1:9", "',' or '}' is expected"),
        ("[1,", "1:4", "the end of the file"),
        ('{"a"', "1:5", "the end of the file"),
        ('["abc', "1:2", "no closing quote"),
        ('["a\nb"]', "1:4", "write \\n for a line break"),
        ('["\\q"]', "1:3", "write \\\\ for a backslash"),
        ('["\\u12"]', "1:4", "write \\\\ for a backslash"),
        ("{} {}", "1:4", "more text after the end"),
    ],
)
def test_a_syntax_error_has_its_place_and_a_hint(text: str, place: str, words: str) -> None:
    documents, faults = read_json(text, "f.json")

    assert documents == []
    assert len(faults) == 1
    assert str(faults[0]).startswith(f"f.json:{place}: ")
    assert words in str(faults[0])


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)
PIECES = st.lists(
    st.sampled_from(
        [*'{}[],:"\\ \n-.0159eE', "true", "null", '"a"', '"a":', "\\u", "d800", "NaN", "//", "'", "\x00", "é"]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=200, deadline=None)
@given(VALUES, st.sampled_from([None, 1]), st.booleans())
def test_what_the_standard_library_writes_is_read_back(value: object, indent: int | None, ascii_only: bool) -> None:
    [document], faults = read_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only), "f.json")

    assert faults == []
    assert plain(document) == value


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), PIECES))
def test_no_text_makes_the_reader_raise_and_what_it_takes_is_json(text: str) -> None:
    documents, faults = read_json(text, "f.json")

    assert bool(documents) or bool(faults)
    assert faults or documents == [json.loads(text)]


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(st.one_of(st.text(max_size=200), PIECES))
def test_no_text_of_ten_thousand_makes_the_reader_raise(text: str) -> None:
    documents, faults = read_json(text, "f.json")

    assert bool(documents) or bool(faults)
