"""YAML: what its texts mean, where they stand, and what is refused."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.documents.located import LocatedDict, LocatedList, mark_at, plain
from audition.documents.yaml import MAX_ALIASES, MAX_DEPTH, MAX_VALUES, read_yaml, write_yaml


def value_of(text: str) -> object:
    documents, faults = read_yaml(text, "f.yaml")
    assert faults == []
    assert len(documents) == 1
    return documents[0]


def faults_of(text: str) -> list[str]:
    return [str(fault) for fault in read_yaml(text, "f.yaml")[1]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True), ("True", True), ("TRUE", True), ("false", False),
        ("null", None), ("~", None), ("NULL", None),
        ("0", 0), ("-12", -12), ("+3", 3), ("0x1F", 31), ("0o17", 15), ("9007199254740993", 9007199254740993),
        ("1.5", 1.5), ("-.5", -0.5), ("1e3", 1000.0), ("2.", 2.0),
        ("NO", "NO"), ("yes", "yes"), ("on", "on"), ("017", "017"), ("12:30:00", "12:30:00"), ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"), ("1.2.3", "1.2.3"), ("0b11", "0b11"), ("-", [None]), ("=", "="), ("é", "é"),
        ("nan", "nan"), ("'12'", "12"), ('"true"', "true"), ('""', ""), ("|\n  a\n  b\n", "a\nb\n"),
        ("!!str 12", "12"), ("! 12", "12"), ("!!int '3'", 3), ("!!float 3", 3.0), ("!!map {}", {}), ("!!seq []", []),
        ('"\\U0001F600"', "😀"),
    ],
)  # fmt: skip
def test_texts_mean_what_the_core_schema_of_yaml_1_2_says(text: str, value: object) -> None:
    found = value_of(text)

    assert found == value
    assert type(found) is type(value) or isinstance(found, type(value))


def test_every_part_knows_its_place() -> None:
    document = value_of("# first\nname: x\nturns:\n  - user: hi\n    to: [1, 22, {a: b}]\n")

    assert isinstance(document, LocatedDict)
    assert document.mark == (2, 1)
    assert document.marks == {"name": (2, 1), "turns": (3, 1)}
    assert mark_at(document, ("turns", 0)) == (4, 5)
    assert mark_at(document, ("turns", 0, "to")) == (5, 5)
    assert mark_at(document, ("turns", 0, "to", 1)) == (5, 13)
    assert mark_at(document, ("turns", 0, "to", 2, "a")) == (5, 18)


def test_several_documents_are_read_in_order_and_an_empty_one_is_nothing() -> None:
    assert read_yaml("a: 1\n---\n# nothing\n---\n- 2\n...\n", "f.yaml") == ([{"a": 1}, None, [2]], [])


@pytest.mark.parametrize("text", ["", "# only a comment\n", "\n\n"], ids=["empty", "comment", "blank"])
def test_an_empty_file_holds_no_document(text: str) -> None:
    assert read_yaml(text, "f.yaml") == ([], [])


# case: OWASP/ASVS 1.5.3
def test_a_key_given_twice_is_a_fault_that_names_both_places_and_the_first_is_kept() -> None:
    documents, faults = read_yaml("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\na: 2\n", "f.yaml")

    assert documents == [{"a": 1, "b": {"c": 1, "d": 2}}]
    assert [str(fault) for fault in faults] == [
        "f.yaml:5:3: the key 'c' is given twice, first at 3:3",
        "f.yaml:6:1: the key 'a' is given twice, first at 1:1",
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1: x", "f.yaml:1:1: the key 1 must be a text; put it in quotes"),
        ("true: x", "f.yaml:1:1: the key true must be a text; put it in quotes"),
        ("null: x", "f.yaml:1:1: the key null must be a text; put it in quotes"),
        ("a: {? [b] : c}", "f.yaml:1:7: a key must be a text; put it in quotes"),
        ("a: &k 1\n*k : 2", "f.yaml:2:1: the key 1 must be a text; put it in quotes"),
    ],
    ids=["number", "true", "null", "list", "alias"],
)
def test_a_key_that_is_no_text_is_a_fault(text: str, fault: str) -> None:
    assert faults_of(text) == [fault]


def test_a_merge_key_adds_what_is_not_written_out() -> None:
    document = value_of("base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nall:\n  <<: [*b, *m]\n  x: 9\n")

    assert isinstance(document, dict)
    assert document["all"] == {"x": 9, "y": 2, "z": 4}
    assert mark_at(document, ("all", "y")) == (1, 17)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<<: 3", "f.yaml:1:5: only mappings can be merged with '<<'"),
        ("<<: {a: 1}\n<<: {b: 1}", "f.yaml:2:1: the merge key '<<' is given twice"),
    ],
    ids=["a number", "twice"],
)
def test_a_merge_that_makes_no_sense_is_a_fault(text: str, fault: str) -> None:
    assert [found.split(";")[0] for found in faults_of(text)] == [fault]


def test_a_merge_sign_in_quotes_is_a_plain_key() -> None:
    assert value_of('"<<": 1') == {"<<": 1}


@pytest.mark.parametrize(
    "number", [".nan", ".NaN", ".inf", "-.INF", "1e999", "9" * 401], ids=lambda number: str(number)[:8]
)
def test_a_number_that_json_cannot_hold_is_a_fault(number: str) -> None:
    assert len(faults_of(f"a: {number}")) == 1


# case: OWASP/ASVS 1.5.2
@pytest.mark.parametrize(
    "tag",
    ["!!python/object/apply:os.system", "!!python/name:os.system", "!!binary", "!!set", "!local", "!<tag:x,2000:y>"],
)
@pytest.mark.parametrize("value", ["text", "['touch pwned']", "{a: 1}"])
def test_a_tag_that_could_build_an_object_is_not_allowed(
    tag: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    faults = faults_of(f"name: {tag} {value}")

    assert len(faults) == 1
    assert "is not allowed" in faults[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("text", "wanted"), [("!!int x", "int"), ("!!bool 1", "bool"), ("!!null a", "null")])
def test_a_core_tag_that_does_not_fit_its_text_is_a_fault(text: str, wanted: str) -> None:
    assert f"as its tag !!{wanted} says" in faults_of(text)[0]


def test_an_alias_is_the_thing_it_names() -> None:
    assert value_of("a: &x {b: [1]}\nc: *x\nd: [*x]\n") == {"a": {"b": [1]}, "c": {"b": [1]}, "d": [{"b": [1]}]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: *x", "names nothing"),
        ("--- &x 1\n--- *x\n", "names nothing"),
        ("a: &x [*x]", "stands inside what it names"),
        ("- &x 1\n" + "- *x\n" * (MAX_ALIASES + 1), f"more than {MAX_ALIASES} aliases"),
    ],
    ids=["unknown", "of another document", "of itself", "too many"],
)
def test_an_alias_that_leads_nowhere_is_a_fault(text: str, words: str) -> None:
    assert [words in fault for fault in faults_of(text)] == [True]


def test_an_alias_bomb_is_refused() -> None:
    letters = "abcdefghi"
    lines = ["a: &a [" + "x," * 9 + "]"]
    lines += [f"{new}: &{new} [" + f"*{old}," * 9 + "]" for old, new in pairwise(letters)]

    assert faults_of("\n".join(lines)) == ["f.yaml:6:8: the aliases stand for more than 100,000 values"]


def test_aliases_cannot_nest_deeper_than_brackets() -> None:
    text = "a: &a " + "[" * 30 + "]" * 30 + "\nb: " + "[" * 30 + "*a" + "]" * 30

    assert faults_of(text) == [f"f.yaml:2:34: nested more than {MAX_DEPTH} levels deep"]


@pytest.mark.parametrize(
    "text",
    ["[" * 5000, "{a: " * 5000, "- " * 5000, "? " * 5000, "[" * 51 + "]" * 51, "a: " + "[" * 50 + "]" * 50],
    ids=["open brackets", "mappings", "dashes", "keys", "51 closed", "50 inside a mapping"],
)
def test_nesting_has_a_limit(text: str) -> None:
    assert [fault.partition(": ")[2] for fault in faults_of(text)] == [f"nested more than {MAX_DEPTH} levels deep"]


def test_nesting_up_to_the_limit_is_read() -> None:
    assert faults_of("[" * MAX_DEPTH + "]" * MAX_DEPTH) == []


def test_a_hundred_thousand_keys_are_read() -> None:
    document = value_of("".join(f"key{number}: {number}\n" for number in range(100_000)))

    assert isinstance(document, LocatedDict)
    assert document.marks["key99999"] == (100_000, 1)


def test_the_number_of_values_has_a_limit() -> None:
    assert [
        "the file holds more than 500,000 values" in fault for fault in faults_of("[" + "1," * MAX_VALUES + "]")
    ] == [True]


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        ("a: [1, 2\nb: 3\n", "2:2", "must end with ']'"),
        ("a: {b: 1\n", "2:1", "must end with '}'"),
        ("a:\n\tb: 1\n", "2:1", "indent with spaces, not tabs"),
        ("a: b: c\n", "1:5", "in quotes"),
        ("a: 'abc\n", "2:1", "a quote is opened and not closed"),
        ('a: "\\q"\n', "1:5", "write \\\\ for a backslash"),
        ("a: @x\n", "1:4", "in quotes"),
        ("x: é\x07\n", "1:5", "the character '\\x07' is not allowed"),
        ("a: \ud800\n", "1:4", "the character '\\ud800' is not allowed"),
        ('a: "\\uD800"\n', "1:7", "invalid Unicode character escape code"),
        ("%YAML 3.0\n---\n", "1:1", "not YAML"),
    ],
    ids=[
        "open list", "open mapping", "tab", "two colons", "open quote", "bad escape", "reserved", "control character",
        "surrogate", "escaped surrogate", "version",
    ],
)  # fmt: skip
def test_a_syntax_error_has_its_place_and_a_hint(text: str, place: str, words: str) -> None:
    faults = faults_of(text)

    assert len(faults) == 1
    assert faults[0].startswith(f"f.yaml:{place}: ")
    assert words in faults[0]


def test_faults_of_several_kinds_are_all_told() -> None:
    assert len(faults_of("a: .nan\nb: !x 1\na: 2\n3: 4\nc: *d\n")) == 5


PIECES = [*"a[]{},'\"#>%1\t\r\x85\u2028\\é@\n", "b: ", "- ", "\n  ", ": ", "? ", "&x ", "*x", "<<: ", "!!str ", "!t "]
PIECES += ["|\n", "---\n", "...", "1e9", ".inf"]
YAML_PIECES = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(max_size=60), YAML_PIECES))
def test_no_text_makes_the_reader_raise(text: str) -> None:
    documents, faults = read_yaml(text, "f.yaml")

    assert isinstance(documents, list)
    assert all(fault.where.path == "f.yaml" for fault in faults)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None)
@given(st.one_of(st.text(max_size=200), YAML_PIECES))
def test_no_text_of_ten_thousand_makes_the_reader_raise(text: str) -> None:
    documents, _ = read_yaml(text, "f.yaml")

    assert isinstance(documents, list)


# YAML folds the line ends of Unicode in quoted text, and takes no raw control characters.
TEXTS = st.text(st.characters(max_codepoint=0xD7FF, exclude_categories=("Cc", "Zl", "Zp")), max_size=10)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(JSON_VALUES)
def test_json_is_yaml_and_means_the_same(value: object) -> None:
    document = value_of("--- " + json.dumps(value, ensure_ascii=False))

    assert document == value
    assert isinstance(document, LocatedDict | LocatedList) == isinstance(value, dict | list)


_ODD_TEXTS = st.sampled_from(
    ["yes", "no", "on", "NULL", "~", "", "<<", "=", "0o17", "1e3", "08", "12:30:00", "2020-01-01", "- a", "a: b",
     "a #b", " a", "a ", "\n", "a\n\n", "\ta\n", "a\n b", "|", "---", "...", "---\na", "\r\n", "a\r", "\x85",
     "\u2028", "\0", "!a"]
)  # fmt: skip
_TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | _ODD_TEXTS
_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(_TEXTS, inside, max_size=4),
    max_leaves=10,
)


@given(_PLAIN)
def test_what_is_written_is_read_again(value: object) -> None:
    documents, faults = read_yaml(write_yaml(value), "f.yaml")

    assert faults == []
    assert [plain(document) for document in documents] == [value]


def test_texts_that_a_reader_may_take_for_something_else_are_quoted() -> None:
    written = write_yaml({"a": "yes", "b": "0o17", "c": "1e3", "d": "08", "e": "12:30", "f": "two words", "g": "x\ny"})

    assert written == "a: 'yes'\nb: '0o17'\nc: '1e3'\nd: '08'\ne: '12:30'\nf: two words\ng: |-\n  x\n  y\n"


def test_keys_keep_their_order_and_letters_their_script() -> None:
    assert write_yaml({"z": "مرحبا", "a": ["東京", "😀"]}) == "z: مرحبا\na:\n- 東京\n- 😀\n"
