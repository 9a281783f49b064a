from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.documents.shape import read_all
from audition.results import Verdict
from audition.scoring.matchers import COUNT_OPERATORS, NUMERIC_OPERATORS, OPERATORS, Matcher, matcher, same, shown
from audition.scoring.paths import MISSING

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def verdict(spec: object, value: object) -> Verdict:
    """Return the verdict of operators written as in a file."""
    read, faults = read_all(OPERATORS, spec)
    assert faults == []
    return matcher(read).match(value).verdict


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        pytest.param("high", "high", id="a literal means equals"),
        pytest.param({"equals": "High"}, "high", id="equals folds case"),
        pytest.param("café", "cafe\u0301", id="equals compares in NFC"),  # M36
        pytest.param('it\'s "fine"', "it’s “fine”", id="equals folds quotes"),  # M36
        pytest.param("20 EUR", "20\u00a0EUR", id="equals folds spaces"),  # M36
        pytest.param(1, 1.0, id="1 is 1.0"),
        pytest.param(None, None, id="null is null"),
        pytest.param({"equals": {"x": 1, "y": [1, {"z": "A"}]}}, {"y": [1, {"z": "a"}], "x": 1}, id="deep"),  # M39
        pytest.param([1, "a"], [1, "A"], id="a list is a literal"),
        pytest.param({"contains": "30$"}, "costs 30$ today", id="contains is literal"),  # case: 68791881717
        pytest.param({"contains": "HR"}, "the hr team", id="contains folds case"),
        pytest.param({"contains": "naïve"}, "a nai\u0308ve “plan”", id="contains compares in NFC"),  # M36
        pytest.param({"contains": 30}, "costs 30 today", id="contains a number in a text"),
        pytest.param({"contains": "3"}, 30, id="contains in a number's text"),
        pytest.param({"contains": "Pear"}, ["apple", "pear"], id="contains an item"),
        pytest.param({"contains": {"id": 1}}, [{"id": 1.0}], id="contains an object"),
        pytest.param({"not_contains": "100%"}, "You get 100 % off", id="not_contains is literal"),  # case: 68791881717
        pytest.param({"notContains": "kiwi"}, ["apple"], id="not_contains in camelCase, on a list"),
        pytest.param({"matches": r"^TKT-\d+$"}, "tkt-12", id="matches"),
        pytest.param({"matches": r"^\d{3}$"}, 123, id="matches a number's text"),
        pytest.param({"in": ["high", "urgent"]}, "Urgent", id="in"),
        pytest.param({"in": [[1], {"a": 1}]}, {"a": 1}, id="in is deep"),
        pytest.param({"exists": True}, 0, id="zero exists"),
        pytest.param({"exists": False}, MISSING, id="missing does not exist"),
        pytest.param({"exists": False}, None, id="null does not exist"),
        pytest.param({"gte": 100, "lte": 5000}, 100, id="several operators"),  # M38
        pytest.param({"gte": 3}, "3.5", id="a number written as a text"),
        pytest.param({"equals": "Ada", "case_sensitive": True}, "Ada", id="case_sensitive"),
        pytest.param({"contains": "é", "case_sensitive": True}, "e\u0301", id="case_sensitive is NFC still"),
    ],
)
def test_it_holds(spec: object, value: object) -> None:
    assert verdict(spec, value) is Verdict.PASS


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        pytest.param(1, True, id="true is not 1"),  # M19, M23
        pytest.param(True, 1, id="1 is not true"),  # M19, M23
        pytest.param({"equals": {"a": [0]}}, {"a": [False]}, id="false is not 0, deep"),  # M19, M23
        pytest.param("1", 1, id="a text is no number"),
        pytest.param(None, MISSING, id="null is not missing"),
        pytest.param({"equals": {}}, {"a": 1}, id="one key more"),
        pytest.param([1], [1, 2], id="one item more"),
        pytest.param([1], {"0": 1}, id="a list is no object"),
        pytest.param({"contains": "HR"}, MISSING, id="missing contains nothing"),
        pytest.param({"not_contains": "HR"}, MISSING, id="missing is no evidence"),  # M8
        pytest.param({"not_contains": "HR"}, None, id="null is no evidence"),
        pytest.param({"not_contains": "HR"}, {"team": "IT"}, id="an object is no text"),
        pytest.param({"contains": "true"}, True, id="a flag is no text"),
        pytest.param({"contains": True}, "true", id="a text holds no flag"),
        pytest.param({"contains": 1}, [True], id="an item that is true is not 1"),  # M23
        pytest.param({"not_contains": "hr"}, "the HR team", id="not_contains folds case"),
        pytest.param({"matches": "x"}, ["x"], id="a list has no text to match"),
        pytest.param({"matches": ".*"}, MISSING, id="missing matches nothing"),
        pytest.param({"in": [1, 2]}, True, id="in tells true from 1"),  # M23
        pytest.param({"exists": True}, None, id="null is as good as missing"),
        pytest.param({"gte": 0}, True, id="true is no number"),
        pytest.param({"gte": 0}, float("nan"), id="NaN is no number"),
        pytest.param({"lte": 0}, float("-inf"), id="infinity is no number"),
        pytest.param({"gte": 0}, "nan", id="NaN in a text"),
        pytest.param({"gte": 0}, "1_000", id="a number as only Python writes it"),
        pytest.param({"gte": 0}, "many", id="a word is no number"),
        pytest.param({"lte": 0}, None, id="null is not 0"),
        pytest.param({"gte": 100, "lte": 5000}, 6000, id="the second operator counts"),  # M38
        pytest.param({"contains": "a", "equals": "b"}, "ab", id="the other operator counts"),  # M38
        pytest.param({"equals": "ada", "case_sensitive": True}, "Ada", id="case_sensitive"),
        pytest.param({"contains": "it's", "case_sensitive": True}, "it’s", id="case_sensitive keeps quotes"),
    ],
)
def test_it_does_not_hold(spec: object, value: object) -> None:
    assert verdict(spec, value) is Verdict.FAIL


def test_a_pattern_that_takes_too_long_is_an_error() -> None:  # case: NVIDIA-NeMo/Guardrails#2271
    finding = matcher({"matches": "(x|xx)+$"}).match("x" * 40 + "y")

    assert finding.verdict is Verdict.ERROR
    assert finding.reason == "pattern took longer than 1 s"


def test_a_failure_beats_a_pattern_that_takes_too_long() -> None:
    finding = matcher({"matches": "(x|xx)+$", "contains": "z"}).match("x" * 40 + "y")

    assert finding.verdict is Verdict.FAIL


def test_a_price_that_is_taken_for_a_pattern_gets_a_word_of_advice() -> None:  # case: 68791881717
    finding = matcher({"matches": "costs 30$"}).match("The device costs 30$ today")

    assert (
        finding.reason == "the text holds the pattern as it is written, but $ means end of text in matches; write \\$"
    )


@pytest.mark.parametrize(
    ("spec", "value", "expected", "actual", "reason"),
    [
        pytest.param("support", "billing", '"support"', '"billing"', None, id="equals"),
        pytest.param({"contains": "HR"}, MISSING, 'contains "HR"', "(nothing)", "there is no such value", id="missing"),
        pytest.param({"gte": 1, "lte": 3}, 4, "lte 3", "4", None, id="the one that fails"),
        pytest.param({"gte": 1, "lte": 3}, 2, "gte 1 and lte 3", "2", None, id="all when all hold"),
        pytest.param(
            {"not_contains": "x"},
            {},
            'not_contains "x"',
            "{}",
            "'not_contains' looks into texts and lists, and this is an object",
            id="of the wrong kind",
        ),
        pytest.param({"gte": 1}, "no", "gte 1", '"no"', "this is no number but a text", id="no number"),
    ],
)
def test_a_finding_says_what_was_expected_and_found(
    spec: object, value: object, expected: str, actual: str, reason: str | None
) -> None:
    finding = matcher(spec).match(value)

    assert (finding.expected, finding.actual, finding.reason) == (expected, actual, reason)


def test_operators_are_described_in_the_order_they_are_written() -> None:
    wanted = matcher({"lte": 5000, "gte": 100, "case_sensitive": True, "path": "not an operator"})

    assert wanted.describe() == "lte 5000 and gte 100 (case-sensitive)"


@pytest.mark.parametrize(
    ("spec", "fault"),
    [
        pytest.param(
            {"contians": "x"},
            "contians: unknown key 'contians' in set of operators; did you mean 'contains'?",
            id="misspelt",
        ),
        pytest.param(  # M11
            {"contains": ""},
            "contains: 'contains' must not be empty: every text contains an empty one; None",
            id="empty",
        ),
        pytest.param(
            {"notContains": "\u200b"},
            "notContains: 'not_contains' must not be empty: every text contains an empty one; None",
            id="empty once folded",
        ),
        pytest.param(
            {"contains": ["a", "b"]},
            "contains: 'contains' takes one value, not a list; write one check for each value",
            id="contains a list",
        ),
        pytest.param(
            {"matches": "("},
            "matches: \"(\": not a pattern: a ')' is missing; write \\( for a bracket itself",
            id="bad pattern",
        ),
        pytest.param({"matches": ""}, "matches: 'matches' must not be empty; None", id="empty pattern"),
        pytest.param(
            {"matches": "/a/i"},
            'matches: "/a/i": slashes are literal; leave them out; '
            "case is ignored already; write \\/ for a slash itself",
            id="delimited pattern",
        ),
        pytest.param({"gte": "3"}, "gte: 'gte' must be a number, not a text ('3'); None", id="no number"),
        pytest.param({"in": "a"}, "in: 'in' must be a list, not a text ('a'); None", id="no list"),
        pytest.param({"in": []}, "in: 'in' must not be empty; None", id="empty list"),
        pytest.param({"exists": 1}, "exists: 'exists' must be true or false, not a number (1); None", id="no flag"),
        pytest.param(
            {"customer": "x"},
            ": an object here must hold operators: equals, contains, not_contains, matches, in, exists, gte, lte, "
            "case_sensitive; write {equals: {...}} to compare with an object",
            id="an object that is a literal",
        ),
        pytest.param(
            {"case_sensitive": True},
            ": this says nothing that could fail; "
            "add one of equals, contains, not_contains, matches, in, exists, gte, lte",
            id="nothing to compare",
        ),
    ],
)
def test_what_is_written_wrongly_is_a_fault(faults_of: Callable[..., list[str]], spec: object, fault: str) -> None:
    assert faults_of(OPERATORS, spec) == [fault]


def test_numbers_are_compared_with_numbers_only(faults_of: Callable[..., list[str]]) -> None:
    assert faults_of(NUMERIC_OPERATORS, {"lte": 5000, "gte": 0.5}) == []
    assert faults_of(NUMERIC_OPERATORS, 100) == []
    assert faults_of(NUMERIC_OPERATORS, {"contains": "5"}) != []
    assert faults_of(NUMERIC_OPERATORS, "fast") == [": this must be a number, not a text ('fast'); None"]
    assert faults_of(COUNT_OPERATORS, {"gte": -1}) == ["gte: 'gte' must be at least 0, not -1; None"]
    assert faults_of(COUNT_OPERATORS, 1.5) == [": this must be a whole number, not a number (1.5); None"]


def test_the_schema_takes_operators_and_literals() -> None:
    operators, literal = OPERATORS.schema()["anyOf"]

    assert {"not_contains", "notContains", "case_sensitive"} <= set(operators["properties"])
    assert literal == {"type": ["string", "number", "boolean", "null", "array"]}


def test_values_are_shown_as_json_and_cut() -> None:
    assert shown({"a": ["é", True, None]}) == '{"a": ["é", true, null]}'
    assert shown('say "hi"\n') == '"say \\"hi\\"\\n"'
    assert len(shown("x" * 10_000)) == 502
    assert len(shown(["x" * 10_000])) == 500


@given(JSON)
def test_a_value_equals_itself(value: object) -> None:
    assert Matcher([("equals", value)]).match(value).verdict is Verdict.PASS
    assert same(value, value, case_sensitive=True)


@given(JSON, JSON)
def test_equality_is_the_same_from_both_sides(one: object, other: object) -> None:
    assert same(one, other) == same(other, one)


@given(st.booleans(), st.integers() | st.floats())
def test_a_flag_never_equals_a_number(flag: bool, number: float) -> None:  # M19, M23
    assert not same(flag, number)
    assert not same([number], [flag])


@given(JSON | st.just(MISSING), st.text(min_size=1, max_size=3) | st.integers())
def test_contains_and_not_contains_never_both_hold(value: object, part: object) -> None:
    verdicts = [matcher({name: part}).match(value).verdict for name in ("contains", "not_contains")]

    assert verdicts.count(Verdict.PASS) <= 1


@given(st.lists(JSON, max_size=4) | st.text(max_size=6), st.text(min_size=1, max_size=3))
def test_of_contains_and_not_contains_one_holds_for_texts_and_lists(value: object, part: str) -> None:
    verdicts = [matcher({name: part}).match(value).verdict for name in ("contains", "not_contains")]

    assert verdicts.count(Verdict.PASS) == 1
